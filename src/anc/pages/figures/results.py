"""Figures of adaptations, with answers or with an objective, and of filled sketches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anc.machine import exact
from anc.pages.adaptation import MOST_STEPS, Adaptation
from anc.pages.figures import (
    BLUE,
    GREEN,
    GREY,
    METHODS,
    ORANGE,
    legend_above,
    panels,
    whole_numbers,
)
from anc.support.diagnostics import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from anc.adaptation.holes.result import Completed
    from anc.adaptation.objectives.result import Improved
    from anc.pages.figures import Figures

_COLOURS = (ORANGE, BLUE, GREEN)  # of the paths: generic, proved, unproved


def adapt_figures(found: Adaptation) -> Figures:
    """All figures of an adaptation, by name."""
    figures: Figures = {"found": lambda: _found(found)}
    if found.example is not None:
        figures["path"] = lambda: _path(found)
    return figures


def _found(found: Adaptation) -> Figure:
    """The finds of each method over time."""
    figure, (axis,) = panels(1, 1, 5.2, 3.3)
    result = found.result
    methods = found.found_by_method()
    times = [seconds for pairs in methods.values() for seconds, _ in pairs]
    end = 1.15 * max([*times, 1e-3]) if times else float(result.seconds or 1)
    for number, (name, pairs) in enumerate(methods.items()):
        colour, marker = METHODS[number % len(METHODS)]
        best, curve = float("inf"), []
        for seconds, steps in pairs:
            best = min(best, steps)
            curve.append((seconds, best))
        curve.append((end, best))
        axis.step(*zip(*curve, strict=True), where="post", color=colour, alpha=0.6)
        axis.plot(*zip(*pairs, strict=True), marker, color=colour, label=name)
    axis.axhline(result.generic_cost, color=GREY, linestyle="--", label="generic program")
    axis.set_xlim(0, end)
    axis.set_ylim(bottom=0)
    axis.set_xlabel("seconds")
    axis.set_ylabel(f"mean {result.unit}")
    legend_above(figure, axis)
    return figure


def _path(found: Adaptation) -> Figure:
    """The lines that the programs execute on the example: one panel each, on the same time axis."""
    figure, axes = panels(1, len(found.compared), 3.4, 2.8)
    runs = {
        which: exact.run(program, found.example or (), MOST_STEPS, trace=True)
        for which, program in found.compared.items()
    }
    longest = max(run.steps for run in runs.values())
    for axis, (which, run), colour in zip(axes, runs.items(), _COLOURS, strict=False):
        lines = [step.line for step in run.trace]
        axis.plot(range(1, len(lines) + 1), lines, "o-", color=colour, markersize=3, linewidth=0.8)
        axis.set_title(f"{which}: {counted(run.steps, 'step')}")
        axis.set_xlim(0, longest + 1)
        axis.invert_yaxis()
        axis.set_xlabel("step")
        axis.set_ylabel("program line")
        whole_numbers(axis)
    return figure


def aim_figures(found: Improved | Completed) -> Figures:
    """All figures of a program for an objective or of a filled sketch, by name."""
    return {"progress": lambda: _progress(found)}


def _progress(found: Improved | Completed) -> Figure:
    """The best value over time."""
    figure, (axis,) = panels(1, 1, 5.2, 3.3)
    end = max([1e-3, found.seconds, *(seconds for seconds, _ in found.progress)])
    curve = [*found.progress, *((end, value) for _, value in found.progress[-1:])]
    axis.step(
        [seconds for seconds, _ in curve], [value for _, value in curve], where="post", color=BLUE
    )
    axis.set_xlim(0, end)
    axis.set_xlabel("seconds")
    axis.set_ylabel(f"{found.measure} of the best")
    return figure
