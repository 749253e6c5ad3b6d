"""What the paper's Table 1 reports, in iterations (steps + 1: it counts the initial state)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PaperRow:
    generic: float
    learned: float
    ideal: float
    success_rate: float


TABLE1 = {
    "access": PaperRow(6, 4, 4, 0.37),
    "increment": PaperRow(40, 16, 34, 0.84),
    "swap": PaperRow(10, 6, 6, 0.27),
    "listk": PaperRow(18, 11, 10, 0.19),
    "addition": PaperRow(20, 9, 6, 0.12),
    "sort": PaperRow(38, 18, 9.5, 0.74),
}
