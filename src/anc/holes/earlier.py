"""An earlier result for the same sketch: its filling is tried before any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anc.diagnostics import AncError
from anc.folders import earlier_result
from anc.holes.sketch import Filling, Sketch

METHOD = "the earlier result"


def read_earlier(folder: Path, sketch: Sketch) -> Filling:
    """The filling that `anc fill -o` left in a folder."""
    data, name = earlier_result(folder, "anc fill")
    return earlier_filling(data, sketch, name)


def earlier_filling(data: Any, sketch: Sketch, name: str = METHOD) -> Filling:
    """The filling of a result as plain data, if it is one of the same sketch."""
    try:
        words, text = [str(hole["filled"]) for hole in data["holes"]], data["program"]
    except (KeyError, TypeError):
        raise AncError(f"{name} is not a result of anc fill") from None
    try:
        pairs = zip(sketch.holes, words, strict=True)
        filling = tuple(hole.words.index(word) for hole, word in pairs)
    except ValueError:
        filling = None
    if filling is None or sketch.text(filling) != text:
        raise AncError(
            f"{name} is about another sketch", help="start from a result for the same one"
        )
    return filling
