"""Contracts of the tools that steer the agent itself: the plan (plan mode only) and sub-agents (pack "subagent")."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Arguments, Contract


class PlanStep(Arguments):
    """A step of a plan."""

    title: Annotated[str, Field(min_length=1, max_length=200)]
    tool: Annotated[str, Field(max_length=64, description="The tool that the step calls; absent for none.")] = ""
    target: Annotated[str, Field(max_length=80, description="layer_id, or $n for the layer that step n makes.")] = ""
    inputs: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=80)]],
        Field(max_length=10, description="Other layers that the tool uses."),
    ] = Field(default_factory=list)
    path: Annotated[str, Field(max_length=400, description="The path that the tool is given.")] = ""
    status: Literal["pending", "in_progress", "done", "skipped", "failed"] = "pending"
    features: Annotated[int, Field(ge=0, description="At most so many features.")] | None = None


class UpdatePlan(Arguments):
    """Arguments of update_plan."""

    steps: Annotated[list[PlanStep], Field(min_length=1, max_length=50)]


class RunSubagent(Arguments):
    """Arguments of run_subagent."""

    task: Annotated[str, Field(min_length=1, max_length=800, description="What to find out, complete in itself.")]
    packs: Annotated[list[Annotated[str, Field(max_length=32)]], Field(max_length=6)] = Field(default_factory=list)


CONTRACTS = (
    Contract(
        "update_plan", "default", "agent", "read",
        "Give the whole plan: a step for each call that would change something. Use it when you know enough, not to report "
        "what is done. Returns its hash; the person applies it.",
        UpdatePlan, "Making a plan", parallel=False,
    ),
    Contract(
        "run_subagent", "subagent", "agent", "read",
        "Let a reading sub-agent look through many layers or fields. Use it for wide exploration, not for one lookup or a "
        "change. Returns a short summary with handles; it spends this run's budget.",
        RunSubagent, "Exploring: {task}", timeout_s=120, callers=("chat",), parallel=False,
    ),
)  # fmt: skip
