"""The result of a study of shortcuts, in numbers and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Renaming = tuple[tuple[int, ...], ...]  # for each group, what each value becomes


@dataclass(frozen=True)
class Group:
    """Inputs that share a network, and what the program can tell about their values."""

    names: tuple[str, ...]
    values: int
    kinds: tuple[tuple[int, ...], ...]  # values that no result distinguishes, together
    can_be: tuple[tuple[int, ...], ...]  # what each value may be read as, given what was observed

    @property
    def through(self) -> str | None:
        """What the program uses of the values, if not the values themselves."""
        return None if len(self.kinds) == self.values else in_words(self.kinds, self.values)


@dataclass(frozen=True)
class Shortcuts:
    """The renamings of input values, other than the right one, that agree with all observed results."""

    groups: tuple[Group, ...]
    sees_all: bool  # whether every result was observed
    maps: int
    permutations: int  # those of the maps that give different values different names
    unavoidable: tuple[int, int]  # maps and permutations that agree with every result there is
    are_all: bool  # False if counting was given up; there are more then
    reasons: tuple[str, ...]
    examples: tuple[Renaming, ...]
    removed_by: (
        tuple[Any, ...] | None
    )  # results to observe, after which only the unavoidable are left
    is_smallest: bool  # whether no smaller set of results does that

    def to_dict(self) -> dict[str, Any]:
        return {
            "groups": [
                {
                    "inputs": list(group.names),
                    "values": group.values,
                    "kinds": [list(kind) for kind in group.kinds],
                    "can_be": [list(each) for each in group.can_be],
                }
                for group in self.groups
            ],
            "sees_all": self.sees_all,
            "maps": self.maps,
            "permutations": self.permutations,
            "unavoidable": dict(zip(("maps", "permutations"), self.unavoidable, strict=True)),
            "are_all": self.are_all,
            "reasons": list(self.reasons),
            "examples": [[list(one) for one in each] for each in self.examples],
            "removed_by": None if self.removed_by is None else list(self.removed_by),
            "is_smallest": self.is_smallest,
        }

    def __str__(self) -> str:
        least = "" if self.are_all else "at least "
        is_one = self.maps == 1
        lines = [
            f"{least}{self.maps:,} wrong renaming{'' if is_one else 's'} of the values"
            f" agree{'s' if is_one else ''} with the observed results,"
            f" {self.permutations:,} of them one-to-one"
            if self.maps
            else "no shortcut: the observed results determine every value"
        ]
        lines += [f"  {reason}" for reason in self.reasons]
        lines += [f"  such as {self._example(one)}" for one in self.examples]
        if self.unavoidable[0]:
            each = "all" if self.unavoidable[0] == self.maps else f"{self.unavoidable[0]:,}"
            lines.append(f"{each} of them agree with every result there is")
        if self.removed_by:
            results = ", ".join(map(str, self.removed_by))
            if self.sees_all:
                does = "results that are enough for that"
            else:
                does = (
                    "more results that remove the others"
                    if self.unavoidable[0]
                    else "more results that remove them"
                )
            lines.append(f"{does}: {results}{' (no fewer do)' if self.is_smallest else ''}")
        return "\n".join(lines)

    def _example(self, renaming: Renaming) -> str:
        parts = []
        for group, row in zip(self.groups, renaming, strict=True):
            moved = [f"{v} -> {w}" for v, w in enumerate(row) if v != w]
            where = f"{', '.join(group.names)}: " if len(self.groups) > 1 and moved else ""
            parts.append(where + ", ".join(moved))
        return "; ".join(part for part in parts if part)


def in_words(kinds: Sequence[tuple[int, ...]], K: int) -> str:
    """What a program uses of values, of which it distinguishes these kinds."""
    if len(kinds) == 1:
        return "the results do not depend on their values"
    begins = [kind[0] for kind in kinds]
    if all(kind == tuple(range(kind[0], kind[-1] + 1)) for kind in kinds):
        tests = " and ".join(f"value < {begin}" for begin in begins[1:])
        plural = "s" if len(begins) > 2 else ""
        return f"used only through the comparison{plural} {tests}"
    m = len(kinds)
    if all(kind == tuple(range(first, K, m)) for first, kind in enumerate(kinds)):
        return f"used only through value % {m}"
    if m == 2:
        few = min(kinds, key=len)
        return f"used only through the question whether value is {' or '.join(map(str, few))}"
    together = ", ".join("{" + ", ".join(map(str, kind)) + "}" for kind in kinds if len(kind) > 1)
    return f"no result distinguishes these values: {together}"
