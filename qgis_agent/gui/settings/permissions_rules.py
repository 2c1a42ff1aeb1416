"""The person's rules for single tools: each makes a tool stricter than the level does."""

from __future__ import annotations

from typing import List, Optional

from qgis.PyQt.QtCore import Qt
from qgis.PyQt.QtWidgets import (
    QComboBox,
    QCompleter,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ...gis.i18n import translate
from ...gis.progress import progress_texts, step_label
from ...gis.rules import ALGORITHM_PREFIX, AS_LEVEL, ASK, DENY, Rule, Rules, checked
from ...gis.tools.registry import load_all
from .parts import EntryBox, ListView, explanation

LIST_HEIGHT = 120


def tool_words(pattern: str) -> str:
    """What a tool does, in the person's language, for its name; "" for a pattern of several."""
    if pattern in progress_texts():
        return step_label({"tool": pattern})
    if pattern == "*":
        return translate("QgisAgent", "Every tool")
    if pattern.startswith(ALGORITHM_PREFIX):
        return translate("QgisAgent", "Running an algorithm of Processing")
    return translate("QgisAgent", "Several tools") if "*" in pattern or "?" in pattern else ""


def action_words(action: str) -> str:
    """An action of a rule, for people."""
    return {
        AS_LEVEL: translate("QgisAgent", "As the level says"),
        ASK: translate("QgisAgent", "Ask every time"),
        DENY: translate("QgisAgent", "Never allow"),
    }[action]


class RulesBox(QGroupBox):
    """A list of rules that is edited here; ``save`` makes them the person's rules."""

    def __init__(self, rules: Rules, parent: Optional[QWidget] = None) -> None:
        super().__init__(translate("QgisAgent", "Rules for single tools"), parent)
        self._rules = rules
        self.edited: List[Rule] = list(rules.listed())
        self._touched = False
        column = QVBoxLayout(self)
        column.addWidget(
            explanation(
                translate(
                    "QgisAgent",
                    "A rule makes a tool stricter than the level does, never laxer. Where several speak of a tool, the "
                    "strictest counts, and no permission that you gave answers it.",
                )
            )
        )
        self.problem_label = explanation(rules.problem)
        self.problem_label.setVisible(bool(rules.problem))
        column.addWidget(self.problem_label)
        self.list = ListView(
            [
                translate("QgisAgent", "Tool"),
                translate("QgisAgent", "What it does"),
                translate("QgisAgent", "Rule"),
            ],
            translate("QgisAgent", "Rules for single tools"),
            translate("QgisAgent", "No rules: every tool is as the level says."),
            self.remove_chosen,
            LIST_HEIGHT,
        )
        self.list.stretch(0, 1)
        self.list.itemSelectionChanged.connect(self._enable)
        column.addWidget(self.list)
        column.addLayout(self._entry())
        self._show()

    def save(self) -> None:
        """OK or Apply. Rules that could not be read stay as they are until the person has changed something here."""
        if self._touched or (not self._rules.problem and tuple(self.edited) != self._rules.listed()):
            self._rules.replace(self.edited)
            self._touched = False
            self.problem_label.setVisible(False)

    def add(self) -> None:
        """Add the rule that the fields say, or change the one for the same tool."""
        rule = Rule(self._pattern(), str(self.action_box.currentData()))
        if not _is_rule(rule):
            return
        self.edited = [each for each in self.edited if each.pattern != rule.pattern] + [rule]
        self._touched = True
        self.tool_box.setEditText("")
        self._show()

    def remove_chosen(self) -> None:
        """Take the chosen rules off the list."""
        gone = self.list.chosen()
        if gone:
            self.edited = [each for each in self.edited if each.pattern not in gone]
            self._touched = True
            self._show()

    def _entry(self) -> QVBoxLayout:
        self.tool_box = EntryBox()
        self.tool_box.setEditable(True)
        self.tool_box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.tool_box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.tool_box.setMinimumContentsLength(18)
        self.tool_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for name in sorted(load_all()):
            words = tool_words(name)
            self.tool_box.addItem("{} ({})".format(name, words) if words else name, name)
        completer = self.tool_box.completer()
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        words = translate("QgisAgent", "a tool, prepare_*, or run_algorithm:gdal:*")
        self.tool_box.lineEdit().setPlaceholderText(words)
        self.tool_box.entered.connect(self.add)
        self.tool_box.setEditText("")
        self.tool_box.editTextChanged.connect(lambda _text: self._enable())
        self.action_box = QComboBox()
        for action in (ASK, DENY):
            self.action_box.addItem(action_words(action), action)
        self.action_box.setAccessibleName(translate("QgisAgent", "Rule"))
        self.add_button = QPushButton(translate("QgisAgent", "Add rule"))
        self.add_button.setAutoDefault(False)
        self.add_button.clicked.connect(lambda _checked=False: self.add())
        self.remove_button = QPushButton(translate("QgisAgent", "Remove"))
        self.remove_button.setAutoDefault(False)
        self.remove_button.clicked.connect(lambda _checked=False: self.remove_chosen())
        label = QLabel(translate("QgisAgent", "Tool"))
        label.setBuddy(self.tool_box)
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(self.tool_box, 1)
        row.addWidget(self.action_box)
        buttons = QHBoxLayout()
        buttons.addWidget(self.add_button)
        buttons.addWidget(self.remove_button)
        buttons.addStretch(1)
        both = QVBoxLayout()
        both.addLayout(row)
        both.addLayout(buttons)
        return both

    def _pattern(self) -> str:
        """The tool that was chosen from the list, or what was typed."""
        text = self.tool_box.currentText().strip()
        index = self.tool_box.findText(text)
        return str(self.tool_box.itemData(index)) if index >= 0 else text

    def _show(self) -> None:
        rows = [
            [each.pattern, tool_words(each.pattern) or _unknown(), action_words(each.action)] for each in self.edited
        ]
        self.list.show_rows(rows, [each.pattern for each in self.edited])
        self._enable()

    def _enable(self) -> None:
        self.add_button.setEnabled(_is_rule(Rule(self._pattern(), ASK)))
        self.remove_button.setEnabled(bool(self.list.chosen()))


def _unknown() -> str:
    return translate("QgisAgent", "There is no tool of this name: the rule holds for nothing.")


def _is_rule(rule: Rule) -> bool:
    try:
        checked(rule)
    except ValueError:
        return False
    return True
