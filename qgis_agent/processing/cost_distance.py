"""Least accumulated cost on a grid from one cell, with numpy alone: eight neighbours, the mean cost of both cells times the way.

The method is the label-correcting one with growing thresholds (U. Meyer and P. Sanders, Δ-stepping: a parallelizable shortest
path algorithm, Journal of Algorithms 49, 2003): it ends with the same numbers as E. W. Dijkstra's.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

import numpy as np

MOVES = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
"""Rows and columns to the eight neighbours."""
Check = Callable[[float], None]
Cell = Tuple[int, int]


class CostGrid:
    """Costs with a barrier around. ``costs`` (rows, columns): per metre, NaN where nobody can pass; ``width`` and ``height`` of
    the cells of each row in metres."""

    def __init__(self, costs: Any, width: Any, height: Any) -> None:
        self.rows, self.columns = costs.shape
        self._across = self.columns + 2
        padded = np.full((self.rows + 2, self._across), np.nan)
        padded[1:-1, 1:-1] = costs
        self._costs = padded.ravel()
        self.total = np.full(self._costs.size, np.inf)
        self._came = np.full(self._costs.size, -1, dtype=np.int8)
        self._ways = _ways(width, height)

    def _at(self, cell: Cell) -> int:
        return (cell[0] + 1) * self._across + cell[1] + 1

    def cost(self, cell: Cell) -> float:
        """Of one cell; NaN where nobody can pass."""
        return float(self._costs[self._at(cell)])

    def spread(self, start: Cell, end: Optional[Cell], check: Check) -> None:
        """The accumulated costs from ``start``: of all cells, or until that of ``end`` is known.

        ``check`` is called with the share of the cells that were reached; it raises to stop.
        """
        self.total[self._at(start)] = 0.0
        goal = None if end is None else self._at(end)
        step = self._step()
        waiting = np.array([self._at(start)])
        queued = np.zeros(self.total.size, dtype=bool)
        cells = float(self.rows * self.columns)
        reached = 0
        while len(waiting):
            totals = self.total[waiting]
            limit = float(totals.min()) + step
            if goal is not None and float(totals.min()) >= self.total[goal]:
                return
            near = waiting[totals <= limit]
            later = [waiting[totals > limit]]
            while len(near):
                queued[near] = False
                better = self._relax(near, queued)
                inside = self.total[better] <= limit
                near = better[inside]
                later.append(better[~inside])
                reached += len(near)
                check(min(1.0, reached / cells))
            waiting = np.unique(np.concatenate(later))
            waiting = waiting[queued[waiting]]

    def _relax(self, near: Any, queued: Any) -> Any:
        """Go from some cells to their neighbours; those that are reached at less cost than before, each once."""
        totals, costs = self.total[near], self._costs[near]
        rows = near // self._across - 1
        found: List[Any] = []
        for number, (down, right) in enumerate(MOVES):
            other = near + (down * self._across + right)
            reach = totals + (costs + self._costs[other]) * self._ways[number][rows]
            better = reach < self.total[other]  # never of NaN
            chosen = other[better]
            self.total[chosen] = reach[better]
            self._came[chosen] = number
            found.append(chosen[~queued[chosen]])
            queued[chosen] = True
        return np.concatenate(found)

    def _step(self) -> float:
        """About the cost of one move: with smaller steps there are more of them, with larger ones cells are done twice."""
        passable = self._costs[np.isfinite(self._costs)]
        return float(np.median(passable)) * 2 * float(np.median(self._ways[1][np.isfinite(self._ways[1])])) or 1.0

    def path(self, end: Cell) -> List[Cell]:
        """The cells from the start to ``end``, both included; nothing where it was not reached."""
        at = self._at(end)
        if not np.isfinite(self.total[at]):
            return []
        found = [at]
        while self._came[at] >= 0:
            down, right = MOVES[self._came[at]]
            at -= down * self._across + right
            found.append(at)
        return [(each // self._across - 1, each % self._across - 1) for each in reversed(found)]

    def totals(self) -> Any:
        """Accumulated costs (rows, columns); infinite where nobody can get."""
        return self.total.reshape(self.rows + 2, self._across)[1:-1, 1:-1]


def _ways(width: Any, height: Any) -> List[Any]:
    """Half the way in metres from a cell of each row, by move. To another row it is the mean of both rows' sizes."""
    ways: List[Any] = []
    for down, right in MOVES:
        if down == 0:
            ways.append(width / 2)
            continue
        other = np.clip(np.arange(len(width)) + down, 0, len(width) - 1)
        across, along = (width + width[other]) / 2, (height + height[other]) / 2
        ways.append((np.sqrt(across**2 + along**2) if right else along) / 2)
    return ways
