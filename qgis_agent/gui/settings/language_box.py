"""The language of answers. That of the panel is QGIS's own."""

from __future__ import annotations

from typing import Optional

from qgis.PyQt.QtWidgets import QComboBox, QFormLayout, QGroupBox, QVBoxLayout, QWidget

from ...gis.i18n import translate
from ...gis.run_choices import AS_ASKED, CHINESE, ENGLISH, choose_language, language
from .parts import explanation

_LETTERS = 26
"""Of its longest entry: a theme with wide arrows would cut it off."""


class LanguageBox(QGroupBox):
    """One choice; ``apply`` keeps it. Languages are named in themselves, so that whoever needs one finds it."""

    def __init__(self, parent: Optional[QWidget] = None) -> None:
        super().__init__(translate("QgisAgent", "Language"), parent)
        column = QVBoxLayout(self)
        self.answers_box = QComboBox()
        self.answers_box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.answers_box.setMinimumContentsLength(_LETTERS)
        self.answers_box.addItem(translate("QgisAgent", "The language of the request"), AS_ASKED)
        self.answers_box.addItem("English", ENGLISH)
        self.answers_box.addItem("简体中文", CHINESE)
        self.answers_box.setCurrentIndex(max(0, self.answers_box.findData(language())))
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.FieldsStayAtSizeHint)
        form.addRow(translate("QgisAgent", "Answers of the model"), self.answers_box)
        column.addLayout(form)
        column.addWidget(
            explanation(
                translate(
                    "QgisAgent",
                    "The panel, the settings and the results of tools are in the language of QGIS (Options › General › Override "
                    "System Locale). Offline commands answer in the language of the command, English or Chinese.",
                )
            )
        )

    def apply(self) -> None:
        """Keep it, from the next message on."""
        choose_language(str(self.answers_box.currentData() or AS_ASKED))
