"""What an algorithm tells while it runs, and what GDAL tells below it: all of it is read.

An error that nobody reads is a wrong result that nobody notices: QGIS ends "well" with features that could not be written,
rasters of which blocks could not be read, and commands that failed.
"""

from __future__ import annotations

import re
from types import TracebackType
from typing import Callable, List, NamedTuple, Optional, Set, Type

from osgeo import gdal
from qgis.core import QgsProcessingFeedback
from qgis.PyQt.QtCore import QCoreApplication

from ...gdal_calls import NO_SIDE_FILES, thread_options
from ...layers import clean_text
from ...secrets import without_secrets

text_of_qgis = QCoreApplication.translate
"""QGIS's own words in the person's language, to know its messages by: none of ours, so not translated by us."""
MAX_KEPT = 20
"""Texts of one kind that are kept; more are counted."""
MAX_LOG = 60
MAX_SKIPPED_KEPT = 3
_GDAL_LINE = re.compile(r"^\s*(ERROR|FATAL|Warning)\s+\d+:\s*(.*)$", re.IGNORECASE)
_FAULT = re.compile(r"\b(Traceback|[A-Za-z]*Error:|error:|FATAL)")


class GdalError(NamedTuple):
    """An error of GDAL: its number (CPLE_…) and text."""

    number: int
    text: str


class CollectingFeedback(QgsProcessingFeedback):
    """Keeps what an algorithm reports, on whatever thread it runs.

    ``console``: the algorithm runs a command, whose lines on standard error are errors only when they say so.
    ``rows_lost`` are features that QGIS could not write into an output; ``skipped`` the messages, as hashes, that a feature
    with an invalid geometry was left out (of these only a few stay among the errors).
    """

    def __init__(self, console: bool = False) -> None:
        super().__init__(False)
        self.errors: List[str] = []
        self.warnings: List[str] = []
        self.gdal: List[GdalError] = []
        self.log: List[str] = []
        self.error_count = 0
        self.rows_lost = 0
        self.skipped: Set[int] = set()
        self._console = console
        self._failed_command = _start_of(text_of_qgis("GdalUtils", "Process returned error code {}"))
        self._not_written = _start_of(text_of_qgis("QObject", "Feature could not be written to %1"))
        self._of_scratch = tuple(
            text_of_qgis("QObject", text).split("%1")[-1]
            for text in (
                "%1: Aliases are not compatible with scratch layers",
                "%1: Comments are not compatible with scratch layers",
            )
        )

    def reportError(self, error: str, fatalError: bool = False) -> None:  # noqa: N802, N803  QGIS's names
        """An error, fatal or not; of a command: what it wrote to standard error."""
        if not self._console:
            self._note_error(error)
            return
        for line in error.splitlines():
            found = _GDAL_LINE.match(line)
            if found is not None:
                self._note_line(found)
            elif _FAULT.search(line) or line.startswith(self._failed_command):
                self._note_error(line)
            elif line.strip():
                self._note(self.warnings, line)

    def pushConsoleInfo(self, info: str) -> None:  # noqa: N802
        """What a command wrote to standard output: GDAL's programs put errors there, too."""
        for line in info.splitlines():
            found = _GDAL_LINE.match(line)
            if found is not None:
                self._note_line(found)
            elif line.strip():
                self._log(line)

    def pushWarning(self, warning: str) -> None:  # noqa: N802
        """As named; not that a temporary layer takes no aliases and comments: plans put the aliases back themselves."""
        if not warning.endswith(self._of_scratch):
            self._note(self.warnings, warning)

    def pushInfo(self, info: str) -> None:  # noqa: N802
        """As named."""
        self._log(info)

    def excuse(self, harmless: Callable[[str], bool]) -> None:
        """Errors that are no more than remarks become warnings."""
        for each in [each for each in self.errors if harmless(each)]:
            self.errors.remove(each)
            self._note(self.warnings, each)

    def told_by_gdal(self, error: GdalError) -> None:
        """GDAL failed at something while the algorithm ran."""
        shown = GdalError(error.number, without_secrets(error.text))
        if len(self.gdal) < MAX_KEPT and shown not in self.gdal:
            self.gdal.append(shown)

    def _note_line(self, found: re.Match[str]) -> None:
        if found.group(1).lower() == "warning":
            self._note(self.warnings, found.group(2))
        else:
            self._note_error(found.group(2))

    def _note_error(self, text: str) -> None:
        self.error_count += 1
        if text.startswith(self._not_written):
            self.rows_lost += 1
        if tells_skipped(text):
            self.skipped.add(hash(text))
            if len(self.skipped) > MAX_SKIPPED_KEPT:
                return
        self._note(self.errors, text)

    def _log(self, text: str) -> None:
        self.log.append(clean_text(without_secrets(text), 300))
        del self.log[:-MAX_LOG]

    @staticmethod
    def _note(texts: List[str], text: str) -> None:
        shown = clean_text(without_secrets(text), 300)
        if shown and len(texts) < MAX_KEPT and shown not in texts:
            texts.append(shown)


def tells_skipped(text: str) -> bool:
    """Whether QGIS says that a feature with an invalid geometry was left out."""
    template = text_of_qgis(
        "QObject",
        "Feature (%1) from “%2” has invalid geometry and has been skipped. Please fix the geometry or change the “Invalid "
        "features filtering” option for this input or globally in Processing settings.",
    )
    pieces = re.split(r"%\d", template)
    return text.startswith(pieces[0]) and pieces[-1][:20] in text


class GdalWatch:
    """Inside ``with``: GDAL on this thread writes nothing beside a source, and its errors go to the feedback.

    GDAL keeps options and error handlers by thread, so the person's own work in QGIS is not touched.
    """

    def __init__(self, feedback: CollectingFeedback) -> None:
        self._feedback = feedback
        self._options = thread_options(NO_SIDE_FILES)

    def __enter__(self) -> GdalWatch:
        self._options.__enter__()
        gdal.PushErrorHandler(self._told)
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        gdal.PopErrorHandler()
        self._options.__exit__(None, None, None)

    def _told(self, kind: int, number: int, text: str) -> None:
        if kind >= gdal.CE_Failure:
            self._feedback.told_by_gdal(GdalError(number, clean_text(text, 300)))


def _start_of(template: str) -> str:
    """The fixed text with which a message of QGIS begins, in the person's language."""
    return re.split(r"%\d|\{", template)[0].rstrip()
