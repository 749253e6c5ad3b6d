"""The held-out entries: for measuring only, never looked at while working on what they measure."""

from __future__ import annotations

from . import days, lists, numbers, texts

ENTRIES = (*days.ENTRIES, *lists.ENTRIES, *numbers.ENTRIES, *texts.ENTRIES)
