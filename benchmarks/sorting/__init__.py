"""Sorting three to six numbers in place: the board."""

from __future__ import annotations

from .board import BOARD, rows
