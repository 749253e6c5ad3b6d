"""Figures for papers and slides: the plots of the pages, drawn by matplotlib as SVG, PNG or PDF.

They share one style: readable type, labelled axes, colours that everyone can distinguish.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anc.support.diagnostics import AncError, close_match, quoted
from anc.support.files import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Figures = dict[str, "Callable[[], Figure]"]  # by name; drawn on demand

# the palette of Okabe and Ito
BLUE, ORANGE, GREEN, PINK, SKY, GREY = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#a8437f",
    "#56b4e9",
    "#8a8f98",
)
_COLOURS, _SHAPES = (BLUE, ORANGE, GREEN, PINK, "#444444"), "osD^x"
# with more methods than colours, colours repeat with another marker
METHODS = tuple((_COLOURS[i % 5], _SHAPES[(i + i // 5) % 5]) for i in range(25))
PROBABILITY = "Blues"

_STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.titlesize": 10.5,
    "axes.labelsize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e3e6ea",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "lines.linewidth": 1.8,
    "svg.fonttype": "none",  # text stays searchable and editable
    "svg.hashsalt": "anc",  # the same data gives the same file
}


def save_figures(
    figures: Figures, names: Sequence[str], folder: Path, formats: Sequence[str]
) -> list[Path]:
    """Draw and write all figures, or those named; returns the files."""
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


def drawn(
    draw: Callable[[], Figure], name: str, formats: Sequence[str]
) -> Iterator[tuple[str, bytes]]:
    """Draw one figure; yields (file name, contents) for each format."""
    import matplotlib

    matplotlib.use("Agg")
    with matplotlib.rc_context(_STYLE):
        figure = draw()
        for one in formats:
            buffer = io.BytesIO()
            dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
            figure.savefig(buffer, format=one, dpi=200, metadata=dates.get(one))
            yield f"{name}.{one}", buffer.getvalue()


def legend_above(figure: Figure, axis: Axes, columns: int = 2) -> None:
    """Put the legend above the plot."""
    handles, labels = axis.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=min(columns, len(labels)))


def whole_numbers(axis: Axes) -> None:
    """Restrict the ticks of the y axis to whole numbers."""
    from matplotlib.ticker import MaxNLocator

    axis.yaxis.set_major_locator(MaxNLocator(integer=True))


def panels(rows: int, columns: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """A figure of panels, in reading order; the size of a panel is in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(columns * width, rows * height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False)
    return figure, list(axes.flat)
