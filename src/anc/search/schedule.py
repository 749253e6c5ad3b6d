"""Who works next: methods share the time by what they have brought lately.

A method is an iterator that works for a moment whenever it is asked for its next item. Each has an
account of the seconds that it took; the one with the least goes next, and what it finds that is
better than anything before halves its account. So no method is starved, none that brings nothing
keeps the others waiting, and one that begins with a debt waits until the others have stalled. Those
that come first of all share the time among themselves until they end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field


@dataclass
class Schedule:
    """Methods under way, and what each has on its account."""

    methods: dict[str, Iterator[None]] = field(default_factory=dict)
    accounts: dict[str, float] = field(default_factory=dict)

    def begin(self, name: str, method: Iterator[None], debt: float = 0.0) -> None:
        """Take a method in; one that was here before keeps its account."""
        self.methods[name] = method
        self.accounts.setdefault(name, debt)

    def next(self, first: Collection[str] = ()) -> str | None:
        """The method to go on with, of the first ones if any is left; None when all came to their end."""
        waiting = [name for name in self.methods if name in first] or self.methods
        return min(waiting, key=self.accounts.__getitem__, default=None)

    def work(self, name: str) -> None:
        """Let a method work for a moment."""
        try:
            next(self.methods[name])
        except StopIteration:
            del self.methods[name]

    def charge(self, name: str, seconds: float, brought_something: bool) -> None:
        self.accounts[name] += seconds
        if brought_something:
            self.accounts[name] /= 2
