"""The paper's Figure 2c: the four weight matrices as probabilities, a row for each program line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from anc.machine.weights import Weights, softmax
from anc.pages.figures.style import PROBABILITY, panels, whole_numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PARTS = (
    ("first", "first operand"),
    ("second", "second operand"),
    ("op", "instruction"),
    ("out", "output"),
)


def weights_figure(rows: Sequence[tuple[str, Weights]]) -> Figure:
    """One row of four matrices for each of the weights."""
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
