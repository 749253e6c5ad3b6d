"""Figures of the soft machine: a run (lines and stop probability over the steps), and weights (Figure 2c)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from anc.machine.softrun import SoftTrace
from anc.machine.weights import Weights, softmax
from anc.pages.figures import GREY, PINK, PROBABILITY, panels, whole_numbers
from anc.support.diagnostics import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LEAST = 0.02  # trailing lines that are never likelier are omitted
_PARTS = (
    ("first", "first operand"),
    ("second", "second operand"),
    ("op", "instruction"),
    ("out", "output"),
)


def run_figure(trace: SoftTrace, title: str) -> Figure:
    """Two panels over the steps: the distribution over lines, and the stop probability."""
    from anc.machine.soft import THRESHOLD

    lines = np.stack([step.line for step in trace.steps], axis=1)  # (M, T)
    last = int(np.flatnonzero(lines.max(axis=1) >= _LEAST).max())
    T = lines.shape[1]
    figure, (path, stop) = panels(2, 1, max(4.6, min(9.0, 0.12 * T)), 2.0)
    image = path.imshow(
        lines[: last + 1],
        cmap=PROBABILITY,
        vmin=0,
        vmax=1,
        aspect="auto",
        interpolation="nearest",
        extent=(0.5, T + 0.5, last + 0.5, -0.5),
    )
    path.grid(False)
    path.set_title(f"{title}: {counted(T, 'step')}, {trace.stop.value}")
    path.set_ylabel("program line")
    whole_numbers(path)
    stop.plot(range(T + 1), [0.0, *(step.stop for step in trace.steps)], color=PINK)
    stop.axhline(THRESHOLD, color=GREY, linestyle="--", linewidth=1)
    stop.set_xlim(0.5, T + 0.5)
    stop.set_ylim(0, 1.03)
    stop.set_xlabel("step")
    stop.set_ylabel("stop probability")
    figure.colorbar(image, ax=[path, stop], shrink=0.7, label="probability of the line")
    return figure


def weights_figure(rows: Sequence[tuple[str, Weights]]) -> Figure:
    """One row of four matrices for each set of weights."""
    M = rows[0][1].M
    figure, axes = panels(len(rows), 4, 2.5, min(6.0, 1.5 + 0.16 * M))
    for number, (title, weights) in enumerate(rows):
        names = [f"R{r + 1}" for r in range(weights.R)]
        for place, (part, label) in enumerate(_PARTS):
            axis = axes[4 * number + place]
            columns = list(weights.instructions.names) if part == "op" else names
            matrix = softmax(np.asarray(getattr(weights, part), float))
            image = axis.imshow(
                matrix, cmap=PROBABILITY, vmin=0, vmax=1, aspect="auto", interpolation="nearest"
            )
            axis.grid(False)
            axis.set_title(label)
            every = max(1, len(columns) // 12)
            axis.set_xticks(range(0, len(columns), every), columns[::every], rotation=90)
            axis.set_xlabel("instruction" if part == "op" else "register")
            if place == 0:
                axis.set_ylabel(f"{title}\nprogram line" if len(rows) > 1 else "program line")
            whole_numbers(axis)
    figure.colorbar(image, ax=axes, shrink=0.6, label="probability")
    return figure
