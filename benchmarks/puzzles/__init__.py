"""Forty small puzzles in the style of games with an inbox and an outbox, a third of them held out."""

from __future__ import annotations

from . import held_out, in_groups, one_by_one
from .puzzle import Puzzle
from .table import Row, measured, rows, shown


def puzzles(with_held_out: bool = True) -> list[Puzzle]:
    """All puzzles, those that are held out last."""
    open_ones = [*one_by_one.PUZZLES, *in_groups.PUZZLES]
    return [*open_ones, *held_out.PUZZLES] if with_held_out else open_ones
