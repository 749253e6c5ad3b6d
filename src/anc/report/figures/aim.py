"""Figures of a program for an objective and of a filled sketch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anc.report.aim_data import Aimed
from anc.report.figures.style import BLUE, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from anc.report.figures import Figures


def aim_figures(found: Aimed) -> Figures:
    """All figures, by name."""
    return {"progress": lambda: _progress(found)}


def _progress(found: Aimed) -> Figure:
    """The best so far, over the time."""
    figure, (axis,) = panels(1, 1, 5.2, 3.3)
    end = max([1e-3, found.data["seconds"], *(seconds for seconds, _ in found.progress)])
    curve = [*found.progress, *((end, value) for _, value in found.progress[-1:])]
    axis.step(
        [seconds for seconds, _ in curve], [value for _, value in curve], where="post", color=BLUE
    )
    axis.set_xlim(0, end)
    axis.set_xlabel("seconds")
    axis.set_ylabel(f"{found.measure} of the best")
    return figure
