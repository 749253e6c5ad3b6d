"""Figures for papers and slides: every plot of the pages, drawn by matplotlib as SVG, PNG or PDF."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anc.support.diagnostics import AncError, close_match, quoted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Figures = dict[str, "Callable[[], Figure]"]  # by name; drawn when wanted


def save_figures(
    figures: Figures, names: Sequence[str], folder: Path, formats: Sequence[str]
) -> list[Path]:
    """Draw and write figures, all of them or those named; the files written."""
    from anc.pages.figures.style import drawn
    from anc.support.files import write_atomically

    for name in names:
        if name not in figures:
            match = close_match(name, figures)
            hint = f"did you mean '{match}'?" if match else f"there are: {', '.join(figures)}"
            raise AncError(f"there is no figure {quoted(name)} here", help=hint)
    written = []
    for name in names or figures:
        for file, data in drawn(figures[name], name, formats):
            write_atomically(folder / file, data)
            written.append(folder / file)
    return written
