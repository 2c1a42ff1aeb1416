"""Contracts of the pack "arrange": styles and legends as a whole."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ..base import Arguments, Contract, LayerId


class ClassLabel(Arguments):
    """The text of one class in the legend."""

    id: Annotated[
        str,
        Field(min_length=2, max_length=32, pattern="^[A-Za-z][A-Za-z0-9_]*$", description="As in get_style: c1, r2."),
    ]
    text: Annotated[str, Field(max_length=120)]


class SetLegend(Arguments):
    """Arguments of set_legend."""

    layer_id: LayerId
    title: Annotated[str, Field(max_length=80, description="An empty text takes the title away.")] | None = None
    labels: Annotated[list[ClassLabel], Field(max_length=100)] = []  # noqa: RUF012
    show_counts: Annotated[bool, Field(description="Write the number of features behind each entry.")] | None = None


class RevertStyle(Arguments):
    """Arguments of revert_style."""

    layer_id: LayerId
    rule_id: (
        Annotated[
            str,
            Field(
                min_length=1,
                max_length=40,
                description="As a style tool returned it: that change and later ones. Without it the last change.",
            ),
        ]
        | None
    ) = None
    discard_later: Annotated[
        bool, Field(description="Only after the person agreed to lose what they changed since by hand.")
    ] = False


class CopyStyle(Arguments):
    """Arguments of copy_style."""

    layer_id: Annotated[str, Field(min_length=1, max_length=80, description="Alias of the layer whose look is taken.")]
    to_layer_ids: Annotated[list[LayerId], Field(min_length=1, max_length=20)]
    part: Literal["all", "renderer", "labels"] = "all"


CONTRACTS: tuple[Contract, ...] = (
    Contract(
        "set_legend", "arrange", "qgis", "view",
        "Set the legend title of a layer and the texts of its classes. Use it for 图例; not for colours or limits: patch_style. "
        "Returns the legend as it is now, rule_id.",
        SetLegend, "Setting the legend of {layer_id}",
    ),
    Contract(
        "revert_style", "arrange", "qgis", "view",
        "Put a layer's look back to before a change that a tool made; again goes one further back. Use it for 恢复样式; not for "
        "what the person changed by hand. Returns what was taken back.",
        RevertStyle, "Putting the style of {layer_id} back",
    ),
    Contract(
        "copy_style", "arrange", "qgis", "view",
        "Give other layers the look of a layer. Use it when geometry and fields fit; not for new class limits: they stay those "
        "of the first. Returns for each the rule_id and the features that no class draws.",
        CopyStyle, "Copying the style of {layer_id}", timeout_s=60,
    ),
)  # fmt: skip
