"""Handlers of the pack "arrange": assumed encoding and CRS. The data itself is never written to."""

from __future__ import annotations

from typing import Any, Dict, Generator, List, Optional, Sequence

from qgis.core import QgsRectangle, QgsVectorLayer

from ...call import Call
from ...errors import FORBIDDEN, UNSUPPORTED, UPSTREAM_ERROR, ToolError
from ...features import box_of_features, feature_source
from ...i18n import translate
from ...layers import clean_text
from ...main_thread import BeforeHold
from ...scope import hidden_fields
from ...sources.coordinates import crs_doubts, crs_name, jump_km, known_crs, position
from ...sources.encodings import ASCII, Guess, decoded, same_encoding
from ...sources.layer_text import LayerText, encoding_of, set_encoding, text_of
from ...work import Answer, Step, Work
from ..registry import tool

Steps = Generator[Step, Any, Answer]
_SAMPLES = 3


@tool("set_layer_encoding", effect="view", runs="task")
def set_layer_encoding(call: Call, layer_id: str, encoding: Optional[str] = None) -> Steps:
    """Propose an encoding from the raw bytes, or set one and read back what the text says then."""
    layer = call.vector_layer(layer_id)
    hidden = hidden_fields(layer)
    if hidden and encoding is None:
        raise _raw_text(layer_id)
    read = text_of(layer)
    text: LayerText = yield Work(translate("QgisAgent", "Reading raw text"), read)
    alias = call.host.layers.alias(layer)
    before = encoding_of(layer)
    if encoding is None:
        return _proposal(alias, before, text)
    names = layer.fields().names()
    if layer.providerType() == "delimitedtext":  # see gis/main_thread.py
        yield BeforeHold()
    set_encoding(layer, encoding)
    now = encoding_of(layer) if layer.isValid() else ""
    if not same_encoding(now, encoding):
        set_encoding(layer, before)
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "QGIS did not take the encoding {}; it reads {} as before.").format(
                encoding, before
            ),
            hint=translate("QgisAgent", "Try another encoding, for example GB18030 or UTF-8."),
            reason="encoding",
        )
    call.host.repaint(layer)
    call.acted("layer_encoding", layer_id=alias, encoding=now, before=before)
    call.add_evidence(alias, translate("QgisAgent", "Encoding {} (assumed), before {}").format(now, before))
    data = {
        "layer_id": alias,
        "encoding": now,
        "before": before,
        "assumed": True,
        "samples": [] if hidden else [_reads(each, before, now) for each in text.telling(_SAMPLES)],
    }
    said = [translate("QgisAgent", "{} is an assumption; the file and its .cpg are as they were.").format(now)]
    pairs = zip(names, layer.fields().names())
    renamed = [list(pair) for pair in pairs if pair[0] != pair[1] and pair[0] not in hidden]
    if renamed:
        data["renamed_fields"] = [[clean_text(each, 40) for each in pair] for pair in renamed[:10]]
        said.append(translate("QgisAgent", "Field names read differently now; styles and filters may name old ones."))
    if text.guess.certain and text.guess.encoding != ASCII and not same_encoding(text.guess.encoding, now):
        said.append(translate("QgisAgent", "The bytes are valid {}, so this is doubtful.").format(text.guess.encoding))
    return Answer(data, " ".join(said))


def _raw_text(layer_id: str) -> ToolError:
    return ToolError(
        FORBIDDEN,
        translate("QgisAgent", "The raw text of '{}' holds fields outside the agent's scope.").format(layer_id),
        hint=translate("QgisAgent", "Ask the person for the encoding, and give it."),
        reason="scope",
    )


def _reads(raw: bytes, before: str, now: str) -> Dict[str, str]:
    return {"before": clean_text(decoded(raw, before), 40), "now": clean_text(decoded(raw, now), 40)}


def _proposal(alias: str, before: str, text: LayerText) -> Answer:
    found: Guess = text.guess
    data: Dict[str, Any] = {"layer_id": alias, "encoding": before, "changed": False, "certain": found.certain}
    if text.stated:
        data["stated"] = clean_text(text.stated, 40)
    if found.encoding == ASCII:
        return Answer(data, translate("QgisAgent", "All text is plain ASCII: it reads the same in every encoding."))
    proposed: Sequence[str] = found.candidates or ((found.encoding,) if found.encoding else ())
    data["proposals"] = [
        {"encoding": each, "samples": [clean_text(decoded(raw, each), 40) for raw in text.telling(_SAMPLES)]}
        for each in proposed
    ]
    data["reads_now"] = [clean_text(decoded(raw, before), 40) for raw in text.telling(_SAMPLES)]
    if not proposed:
        return Answer(
            data, translate("QgisAgent", "The bytes fit none of the usual encodings; ask where the file is from.")
        )
    if same_encoding(proposed[0], before):
        return Answer(data, translate("QgisAgent", "The text already reads as {}; nothing to change.").format(before))
    return Answer(
        data,
        translate(
            "QgisAgent", "It looks like {}. Nothing is changed yet: show the samples, then call with encoding."
        ).format(proposed[0]),
    )


@tool("set_layer_crs", effect="view", runs="task")
def set_layer_crs(call: Call, layer_id: str, crs: str) -> Steps:
    """State a layer's CRS. Coordinates are not converted; what that means on the ground is told."""
    layer = call.layer(layer_id)
    if not layer.isSpatial():
        raise ToolError(
            UNSUPPORTED,
            translate("QgisAgent", "'{}' is a table: it has no coordinates.").format(layer_id),
            hint=translate("QgisAgent", "Choose a layer with geometry."),
            reason="layer_kind",
        )
    wanted = known_crs(crs)
    project = call.host.project
    extent = yield from _extent(layer)
    before = layer.crs()
    moved = _moved(extent, before, wanted, project)
    layer.setCrs(wanted)
    if layer.crs() != wanted:
        layer.setCrs(before)
        raise ToolError(
            UPSTREAM_ERROR,
            translate("QgisAgent", "QGIS did not take the CRS."),
            hint=translate("QgisAgent", "Try another CRS."),
            reason="crs",
        )
    call.host.repaint(layer)
    alias = call.host.layers.alias(layer)
    call.acted("layer_crs", layer_id=alias, crs=wanted.authid(), before=before.authid())
    call.add_evidence(
        alias, translate("QgisAgent", "CRS {} (assumed), before {}").format(crs_name(wanted), crs_name(before))
    )
    doubts = crs_doubts(extent, wanted, project)
    data: Dict[str, Any] = {
        "layer_id": alias,
        "crs": crs_name(wanted),
        "before": crs_name(before),
        "assumed": True,
        "changed": before != wanted,
        **moved,
    }
    if doubts:
        data["doubts"] = [{key: each[key] for key in ("problem", "suggest") if key in each} for each in doubts]
    return Answer(
        data, " ".join(_said(before.isValid() and before != wanted, moved) + [each["text"] for each in doubts])
    )


def _said(replaced: bool, moved: Dict[str, Any]) -> List[str]:
    said = [translate("QgisAgent", "This is an assumption: no coordinate was converted.")]
    if replaced:
        said.append(
            translate(
                "QgisAgent",
                "The layer had a CRS, so its place on earth has changed{}. To convert the data to another CRS, set the old one "
                "back and reproject the layer.",
            ).format(" ({:g} km)".format(moved["moved_km"]) if "moved_km" in moved else "")
        )
    return said


def _extent(layer: Any) -> Generator[Step, Any, QgsRectangle]:
    """The layer's extent in its own coordinates. Of a filtered layer it is read in a task: the provider would read all rows."""
    if not isinstance(layer, QgsVectorLayer) or not layer.subsetString():
        return QgsRectangle(layer.extent())
    source = feature_source(layer)
    box: QgsRectangle = yield Work(
        translate("QgisAgent", "Reading the extent"), lambda feedback: box_of_features(source, feedback)
    )
    return box


def _moved(extent: QgsRectangle, before: Any, after: Any, project: Any) -> Dict[str, Any]:
    """Where the layer's middle lies before and after, in degrees, and the distance in km (ellipsoidal)."""
    if extent.isNull() or not extent.isFinite():
        return {}
    places = {
        key: position(extent, each, project) if each.isValid() else None
        for key, each in (("middle_before", before), ("middle_now", after))
    }
    found: Dict[str, Any] = {
        key: [round(each, 6) for each in value] for key, value in places.items() if value is not None
    }
    if len(found) == 2:
        found["moved_km"] = round(jump_km(places["middle_before"], places["middle_now"], project), 3)
    return found
