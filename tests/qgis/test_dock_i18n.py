"""The Chinese catalogue is complete: every text of the sources, translated, with the same places to fill in."""

from __future__ import annotations

import ast
import re
import string
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from qgis.PyQt.QtCore import QCoreApplication, QLocale, QTranslator

REPO = Path(__file__).resolve().parents[2]
CATALOGUE = REPO / "i18n" / "qgis_agent_zh_CN.ts"


def messages() -> dict[str, str]:
    """English to Chinese; an unfinished translation is empty."""
    found = {}
    for message in ElementTree.parse(CATALOGUE).iter("message"):  # noqa: S314  our own file
        translation = message.find("translation")
        done = translation is not None and translation.get("type") is None
        found[message.findtext("source", "")] = (translation.text or "") if done and translation is not None else ""
    return found


def places(text: str) -> list[str]:
    """What ``format`` fills in. Numbered places ("{1}") count as plain ones, because Chinese puts them in another order."""
    found = []
    for _, name, spec, conversion in string.Formatter().parse(text):
        if name is not None:
            found.append(f"{re.sub('^[0-9]+$', '', name)}:{spec}:{conversion}")
    return sorted(found)


def test_every_text_of_the_sources_is_translated(tmp_path: Path) -> None:
    listed = tmp_path / "messages.py"
    subprocess.run([sys.executable, str(REPO / "scripts" / "i18n_messages.py"), str(listed)], check=True)
    calls = [ast.literal_eval(line[len("translate") :]) for line in listed.read_text(encoding="utf-8").splitlines()]
    sources = {call[1] for call in calls}
    catalogue = messages()
    assert len(sources) > 100
    assert sorted(sources - set(catalogue)) == [], "run make i18n, then translate what is new"
    assert [source for source in sorted(sources) if not catalogue[source]] == []


def test_places_to_fill_in_are_the_same() -> None:
    wrong = [source for source, chinese in messages().items() if chinese and places(source) != places(chinese)]
    assert wrong == []


def numbered(text: str) -> list[int]:
    """The numbered places of a text, in order of their numbers."""
    return sorted(int(name) for _, name, _, _ in string.Formatter().parse(text) if name and name.isdigit())


def test_numbered_places_are_all_there() -> None:
    """Those of the source where it has numbers itself, else one for each of its places."""
    for source, chinese in messages().items():
        if numbered(chinese):
            assert numbered(chinese) == (numbered(source) or list(range(source.count("{")))), chinese


def test_the_translation_is_loaded() -> None:
    import qgis_agent.plugin as plugin

    assert plugin.TRANSLATIONS == REPO / "i18n"
    compiled = CATALOGUE.with_suffix(".qm")
    assert compiled.exists(), "run make qm"
    translator = QTranslator()
    assert translator.load(QLocale("zh_CN"), "qgis_agent", "_", str(REPO / "i18n"))
    QCoreApplication.installTranslator(translator)
    try:
        assert QCoreApplication.translate("QgisAgent", "Don't write") == "不写入"
    finally:
        QCoreApplication.removeTranslator(translator)
