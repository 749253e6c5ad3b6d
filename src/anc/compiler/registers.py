"""Register allocation: units share a register wherever no value is lost by it.

Two units can share when neither is written while the other's value is still wanted, and when they do
not both need a first value unless it is the same one. Units that meet in one line (``k = READ(1)``)
are joined first, then every unit takes the first register that it fits; the result cannot be made
smaller by joining two registers, and compiling its own listing gives it again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from anc.compiler.liveness import Liveness
from anc.compiler.names import Code, Command, Unit

SINK = "sink"


@dataclass(frozen=True)
class Registers:
    """The register of each unit, and the initial values and names of all registers."""

    of: dict[Unit, int]
    sink: int | None
    values: tuple[int | None, ...]
    names: tuple[str, ...]

    def operands(self, command: Command) -> tuple[int | None, int | None]:
        found: list[int | None] = [self.of[unit] for unit in command.operands]
        first, second = (found + [None, None])[:2]
        return first, second

    def out(self, command: Command) -> int:
        register = self.sink if command.out is None else self.of.get(command.out, self.sink)
        assert register is not None
        return register


@dataclass(eq=False)
class _Group:
    """Units that share a register."""

    units: list[Unit]
    members: int  # bit mask of the units
    conflicts: int  # bit mask of the units that none of them may share with
    wanted: dict[int | None, None] = field(default_factory=dict)  # first values that are needed

    @property
    def pinned(self) -> int | None:
        return self.units[0].pinned

    @property
    def value(self) -> int | None:
        if self.wanted:
            return next(iter(self.wanted))
        return self.units[0].value

    @property
    def name(self) -> str:
        variables = [unit.name for unit in self.units if not unit.constant]
        return "/".join(variables or [unit.name for unit in self.units])


def allocate(code: Code, alive: Liveness) -> Registers:
    """Give every unit that is read a register; outputs that nobody reads go to one sink."""
    units = _in_order(code)
    group_of = {unit: _single(unit, alive) for unit in units}
    _add_conflicts(code, alive, group_of)
    for command in code.commands:
        for unit in command.operands:
            if command.out in group_of:
                _join(group_of[command.out], group_of[unit], group_of)
    groups: list[_Group] = []
    for group in dict.fromkeys(group_of[unit] for unit in units):
        if not any(_join(earlier, group, group_of) for earlier in groups):
            groups.append(group)
    needs_sink = any(command.out not in group_of for command in code.commands)
    return _number(groups, needs_sink)


def _in_order(code: Code) -> list[Unit]:
    """The units that need a register: variables as declared, then constants as first read."""
    used = [unit for unit in code.units if unit.reads or unit.pinned is not None]
    changing = [unit for unit in used if unit.pinned is not None or not _is_fixed(unit)]
    read = [unit for command in code.commands for unit in command.operands]
    return changing + [unit for unit in dict.fromkeys(read) if unit not in changing]


def _is_fixed(unit: Unit) -> bool:
    """Whether a unit is a constant, or a variable that nobody writes and so might as well be one."""
    return unit.writes == 0 and unit.value is not None


def _single(unit: Unit, alive: Liveness) -> _Group:
    bit = alive.bit[unit]
    needed = {unit.value: None} if alive.at_start & bit or _is_fixed(unit) else {}
    return _Group([unit], bit, 0, needed)


def _add_conflicts(code: Code, alive: Liveness, group_of: dict[Unit, _Group]) -> None:
    index = list(alive.bit)
    for number, command in enumerate(code.commands):
        group = group_of.get(command.out) if command.out else None
        if group is None:
            continue
        others = alive.after[number] & ~group.members
        group.conflicts |= others
        while others:
            lowest = others & -others
            other = group_of.get(index[lowest.bit_length() - 1])
            if other is not None:
                other.conflicts |= group.members
            others ^= lowest


def _join(one: _Group, two: _Group, group_of: dict[Unit, _Group]) -> bool:
    """Let the later group's units share the earlier one's register, if they can."""
    if one is two:
        return True
    if one.pinned is not None or two.pinned is not None:
        return False
    if one.conflicts & two.members or two.conflicts & one.members:
        return False
    wanted = one.wanted | two.wanted
    if len(wanted) > 1 or (None in wanted and one.wanted and two.wanted):
        return False
    one.units += two.units
    one.members |= two.members
    one.conflicts |= two.conflicts
    one.wanted = wanted
    for unit in two.units:
        group_of[unit] = one
    return True


def _number(groups: list[_Group], needs_sink: bool) -> Registers:
    """Pinned groups take the register they ask for, the others fill the gaps, the sink is last."""
    at: dict[int, _Group] = {g.pinned: g for g in groups if g.pinned is not None}
    free = (i for i in range(len(groups) + len(at) + 1_001) if i not in at)
    for group in groups:
        if group.pinned is None:
            at[next(free)] = group
    size = max(at, default=-1) + 1
    values = [at[i].value if i in at else None for i in range(size)]
    names = [at[i].name if i in at else f"R{i + 1}" for i in range(size)]
    of = {unit: i for i, group in at.items() for unit in group.units}
    if needs_sink:
        values.append(None)
        names.append(SINK)
    return Registers(of, size if needs_sink else None, tuple(values), _distinct(names))


def _distinct(names: list[str]) -> tuple[str, ...]:
    found: list[str] = []
    for name in names:
        base, number = re.sub(r"_\d+$", "", name), 2
        while name in found:
            name, number = f"{base}_{number}", number + 1
        found.append(name)
    return tuple(found)
