"""Figures of a training run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anc.pages.figures import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PINK,
    SKY,
    legend_above,
    panels,
    whole_numbers,
)
from anc.pages.figures.machine import weights_figure
from anc.pages.training import CURVE_NAMES, LOSSES, TrainingRun

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from anc.pages.figures import Figures


def training_figures(run: TrainingRun) -> Figures:
    """All figures of a run, by name."""
    return {
        "loss": lambda: _losses(run),
        "right": lambda: _single(run, "right"),
        "steps": lambda: _single(run, "steps"),
        "successes": lambda: _successes(run),
        "members": lambda: _members(run),
        "weights": lambda: _weights(run),
    }


def _losses(run: TrainingRun) -> Figure:
    terms = [name for name in LOSSES if np.any(run.curves[name] > 0)]
    columns = min(3, len(terms))
    figure, axes = panels(-(-len(terms) // columns), columns, 3.2, 2.5)
    for axis, name in zip(axes, terms, strict=False):
        _curve(axis, run, name)
        median = run.quantiles(name)[2]
        if median.min() > 0 and median.max() > 20 * median.min():
            axis.set_yscale("log")
        axis.set_title(CURVE_NAMES[name])
        axis.set_ylabel("loss")
    for axis in axes[len(terms) :]:
        axis.set_visible(False)
    legend_above(figure, axes[0], 3)
    return figure


def _single(run: TrainingRun, name: str) -> Figure:
    figure, (axis,) = panels(1, 1, 4.6, 3.1)
    _curve(axis, run, name)
    axis.set_ylabel(CURVE_NAMES[name])
    if name == "steps":
        axis.axhline(run.generic_steps, color=GREY, linestyle="--", label="generic program")
    axis.set_ylim(0, 1.03 if name == "right" else None)
    legend_above(figure, axis)
    return figure


def _curve(axis: Axes, run: TrainingRun, name: str) -> None:
    p10, p25, p50, p75, p90 = run.quantiles(name)
    x = run.iterations
    axis.fill_between(x, p10, p90, color=BLUE, alpha=0.15, linewidth=0, label="80 % of the members")
    axis.fill_between(x, p25, p75, color=BLUE, alpha=0.28, linewidth=0, label="half of them")
    axis.plot(x, p50, color=BLUE, label="median")
    axis.set_xlabel("iteration")


def _successes(run: TrainingRun) -> Figure:
    figure, (axis,) = panels(1, 1, 4.6, 3.1)
    x = run.iterations
    axis.fill_between(x, 0, run.faster, color=GREEN, alpha=0.18, linewidth=0)
    axis.plot(x, run.faster, color=GREEN, label="right and faster so far")
    axis.plot(x, run.right_now, color=PINK, linestyle="--", label="right at this moment")
    axis.set_ylim(0, run.S * 1.03)
    axis.set_xlabel("iteration")
    axis.set_ylabel(f"members, of {run.S}")
    legend_above(figure, axis)
    return figure


def _members(run: TrainingRun) -> Figure:
    """A histogram of the members' steps, by whether they are right."""
    right, steps = run.ends
    fast = (right >= 1) & (steps < run.generic_steps)
    kinds = (
        ("right and faster", fast, GREEN),
        ("right", (right >= 1) & ~fast, SKY),
        ("wrong somewhere", right < 1, ORANGE),
    )
    figure, (axis,) = panels(1, 1, 4.6, 3.1)
    bins = np.linspace(0, max(steps.max(), run.generic_steps) * 1.05, 40)
    values = [steps[chosen] for _, chosen, _ in kinds]
    labels = [name for name, _, _ in kinds]
    axis.hist(
        values, bins.tolist(), stacked=True, label=labels, color=[colour for _, _, colour in kinds]
    )
    axis.axvline(run.generic_steps, color=GREY, linestyle="--", label="generic program")
    whole_numbers(axis)
    axis.set_xlabel("mean steps on the test cases")
    axis.set_ylabel("members")
    legend_above(figure, axis)
    return figure


def _weights(run: TrainingRun) -> Figure:
    best = run.order[0]
    return weights_figure([("before", run.begin(best)), (f"after (member {best})", run.end(best))])
