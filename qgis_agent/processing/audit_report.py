"""``qgisagent:auditreport``: the audit log of this QGIS profile as a table and as a page."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any, Dict, List

from qgis.core import (
    QgsFeature,
    QgsFeatureSink,
    QgsField,
    QgsFields,
    QgsProcessing,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeedback,
    QgsProcessingOutputNumber,
    QgsProcessingParameterDateTime,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterFileDestination,
    QgsProcessingParameterString,
)
from qgis.PyQt.QtCore import QDateTime, QMetaType, Qt

from ..gis.audit_read import COLUMNS, Query, cells, read
from ..gis.i18n import translate
from .agent_base import AgentGroup, words

NUMBERS = ("ms",)
"""Columns that are numbers in the table."""
SHOWN = ("time", "user", "caller", "t", "tool", "layers", "path", "effect", "decision", "by", "reason", "code")
"""Columns of the page; the table has all."""
CHECK_EVERY = 500
DATE_LENGTH = len("2026-11-30")


class AuditReportAlgorithm(AgentGroup):
    """Who did what, when, on which layer, allowed by whom: the lines that fit, oldest first."""

    SINCE, UNTIL, TOOL, LAYER, CALLER = "SINCE", "UNTIL", "TOOL", "LAYER", "CALLER"
    OUTPUT, HTML, LINES = "OUTPUT", "OUTPUT_HTML_FILE", "LINES"

    def name(self) -> str:
        """Stable id."""
        return "auditreport"

    def displayName(self) -> str:  # noqa: N802
        """Name in the toolbox."""
        return translate("QgisAgent", "Audit report")

    def tags(self) -> List[str]:
        """Words that it is found by."""
        return words(translate("QgisAgent", "log,history,permissions,decisions,who,accountability"))

    def shortDescription(self) -> str:  # noqa: N802
        """Tip in the toolbox."""
        return translate("QgisAgent", "Lists what the agent did in this QGIS profile, and who allowed it.")

    def shortHelpString(self) -> str:  # noqa: N802
        """Help in the dialog."""
        return translate(
            "QgisAgent",
            "Lists what QGIS Agent did in this QGIS profile: when, for whom, with which tool, on which layers, allowed by whom, "
            "and how it ended. QGIS itself writes this log; the agent cannot.\n"
            "Times are in UTC where they name no zone. A layer is given by its short name, its name or "
            "its id; a caller is chat, cli, mcp or subagent. Arguments stand in it as a digest only.\n"
            "Nothing is changed and no agent is started.",
        )

    def initAlgorithm(self, configuration: Dict[str, Any] = {}) -> None:  # noqa: B006, N802  QGIS's signature
        """What is wanted, and where the table and the page go."""
        for name, text in (
            (self.SINCE, translate("QgisAgent", "From")),
            (self.UNTIL, translate("QgisAgent", "To")),
        ):
            self.addParameter(QgsProcessingParameterDateTime(name, text, optional=True))
        for name, text in (
            (self.TOOL, translate("QgisAgent", "Tool")),
            (self.LAYER, translate("QgisAgent", "Layer")),
            (self.CALLER, translate("QgisAgent", "Caller")),
        ):
            self.addParameter(QgsProcessingParameterString(name, text, optional=True))
        self.addParameter(
            QgsProcessingParameterFeatureSink(
                self.OUTPUT, translate("QgisAgent", "Audit log"), QgsProcessing.SourceType.TypeVector
            )
        )
        self.addParameter(
            QgsProcessingParameterFileDestination(
                self.HTML,
                translate("QgisAgent", "Page"),
                translate("QgisAgent", "HTML files (*.html)"),
                optional=True,
                createByDefault=False,
            )
        )
        self.addOutput(QgsProcessingOutputNumber(self.LINES, translate("QgisAgent", "Number of lines")))

    def processAlgorithm(  # noqa: N802
        self, parameters: Dict[str, Any], context: QgsProcessingContext, feedback: QgsProcessingFeedback
    ) -> Dict[str, Any]:
        """The lines, in the order of writing. QgsProcessingException when they cannot be written."""
        query = self._query(parameters, context)
        sink, destination = self.parameterAsSink(parameters, self.OUTPUT, context, _fields())
        if sink is None:
            raise QgsProcessingException(self.invalidSinkError(parameters, self.OUTPUT))
        page = self.parameterAsFileOutput(parameters, self.HTML, context)
        rows: List[List[str]] = []
        count = 0
        for record in read(query):
            if not count % CHECK_EVERY and feedback.isCanceled():
                break
            texts = cells(record)
            feature = QgsFeature()
            feature.setAttributes([_value(column, text) for column, text in zip(COLUMNS, texts)])
            if not sink.addFeature(feature, QgsFeatureSink.Flag.FastInsert):
                raise QgsProcessingException(self.writeFeatureError(sink, parameters, self.OUTPUT))
            if page:
                rows.append([text for column, text in zip(COLUMNS, texts) if column in SHOWN])
            count += 1
        result = {self.OUTPUT: destination, self.LINES: count}
        if page:
            _write(page, rows)
            result[self.HTML] = page
        return result

    def _query(self, parameters: Dict[str, Any], context: QgsProcessingContext) -> Query:
        texts = [self.parameterAsString(parameters, each, context) for each in (self.TOOL, self.LAYER, self.CALLER)]
        return Query(*(self._time(parameters, each, context) for each in (self.SINCE, self.UNTIL)), *texts)

    def _time(self, parameters: Dict[str, Any], name: str, context: QgsProcessingContext) -> str:
        given = parameters.get(name)
        if not given:
            return ""
        moment = self.parameterAsDateTime(parameters, name, context)
        if not moment.isValid():
            raise QgsProcessingException(translate("QgisAgent", "That is no time. Write it as 2026-11-30T08:00."))
        if isinstance(given, str) and len(given.strip()) == DATE_LENGTH:
            return given.strip()  # a date alone means to the end of that day, which a moment does not
        return _iso(moment)


def _iso(moment: QDateTime) -> str:
    """In UTC. A time of a widget or of ``qgis_process`` names no zone: it counts as UTC, as the log's own times do."""
    if moment.timeSpec() != Qt.TimeSpec.LocalTime:
        moment = moment.toUTC()
    return str(moment.toString("yyyy-MM-ddTHH:mm:ss"))


def _fields() -> QgsFields:
    fields = QgsFields()
    for column in COLUMNS:
        kind = QMetaType.Type.Int if column in NUMBERS else QMetaType.Type.QString
        fields.append(QgsField(column, kind))
    return fields


def _value(column: str, text: str) -> Any:
    if column not in NUMBERS:
        return text or None
    return int(text) if text.isdigit() else None


def _write(path: str, rows: List[List[str]]) -> None:
    """A page without scripts and pictures. What the log has from data is text in it."""
    head = "".join("<th>{}</th>".format(each) for each in COLUMNS if each in SHOWN)
    body = "\n".join(
        "<tr>{}</tr>".format("".join("<td>{}</td>".format(html.escape(each)) for each in row)) for row in rows
    )
    title = html.escape(translate("QgisAgent", "QGIS Agent: audit report"))
    text = (
        '<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>{0}</title>\n<style>table {{ border-collapse: collapse; }} '
        "th, td {{ border: 1px solid; padding: 2px 6px; text-align: start; }}</style></head>\n"
        "<body><h1>{0}</h1>\n<table>\n<tr>{1}</tr>\n{2}\n</table></body></html>\n"
    ).format(title, head, body)
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise QgsProcessingException("{}: {}".format(path, error.strerror or error)) from error
