"""Figures for papers and slides: every plot of the pages, drawn by matplotlib as SVG, PNG or PDF."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anc.diagnostics import AncError, close_match

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from anc.machine.softrun import SoftTrace
    from anc.machine.weights import Weights

Figures = dict[str, "Callable[[], Figure]"]  # by name; drawn when wanted

__all__ = ["folder_figures", "run_figures", "save_figures", "weights_figures"]


def folder_figures(path: Path) -> Figures:
    """All figures of a folder, whatever anc wrote there."""
    from anc.report.folders import Kind, kind_of

    kind = kind_of(path)
    if kind is Kind.TRAINING:
        from anc.report.figures.training import training_figures
        from anc.report.training_data import read_training

        return training_figures(read_training(path))
    if kind is Kind.ADAPTATION:
        from anc.report.adapt_data import read_adaptation
        from anc.report.figures.adapt import adapt_figures

        return adapt_figures(read_adaptation(path))
    from anc.report.figures.table1 import table1_figures
    from anc.report.table1_page import read_table1

    return table1_figures(read_table1(path))


def weights_figures(weights: Weights, title: str) -> Figures:
    """The one figure of weights: the paper's Figure 2c."""
    from anc.report.figures.weights import weights_figure

    return {"weights": lambda: weights_figure([(title, weights)])}


def run_figures(trace: SoftTrace, title: str) -> Figures:
    """The figure of a run: the lines that it executes, and its stop probability."""
    from anc.report.figures.run import run_figure

    return {"run": lambda: run_figure(trace, title)}


def save_figures(
    figures: Figures, names: Sequence[str], folder: Path, formats: Sequence[str]
) -> list[Path]:
    """Draw and write figures, all of them or those named; the files written."""
    from anc.files import write_atomically
    from anc.report.figures.style import drawn

    for name in names:
        if name not in figures:
            match = close_match(name, figures)
            hint = f"did you mean '{match}'?" if match else f"there are: {', '.join(figures)}"
            raise AncError(f"there is no figure '{name}' here", help=hint)
    written = []
    for name in names or figures:
        for file, data in drawn(figures[name], name, formats):
            write_atomically(folder / file, data)
            written.append(folder / file)
    return written
