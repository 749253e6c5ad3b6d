"""Hacker's Delight at 8 bits: the board."""

from __future__ import annotations

from .board import BOARD, rows
