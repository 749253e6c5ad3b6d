"""Programs as people would bring them, with the inputs that they are really used on.

Open entries lie in folders by kind; a third, in `held_out`, was for measuring only when the suite was
made. The README says what is left of that.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from .entry import Entry, Tape


def entries(held_out: bool | None = None) -> tuple[Entry, ...]:
    """All entries, or only the open or the held-out ones; each folder offers its own as ENTRIES."""
    folders = sorted(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))
    found = [entry for name in folders for entry in import_module(f".{name}", __name__).ENTRIES]
    return tuple(entry for entry in found if held_out in (None, entry.held_out))
