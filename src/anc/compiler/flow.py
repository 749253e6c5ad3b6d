"""Control flow: which line can follow which."""

from __future__ import annotations

from dataclasses import dataclass

from anc import isa
from anc.compiler.names import Code, Command, Unit


@dataclass(frozen=True)
class Flow:
    """For each line the lines that may follow it; a computed jump may go anywhere."""

    successors: tuple[tuple[int, ...], ...]
    anywhere: tuple[bool, ...]
    reachable: frozenset[int]


def control_flow(code: Code) -> Flow:
    """The successors of every line and the lines that can be reached from the first."""
    L = len(code.commands)
    successors, anywhere = [], []
    for number, command in enumerate(code.commands):
        following, computed = _following(command, number, L)
        if computed:
            following = tuple(range(L))
        successors.append(following)
        anywhere.append(computed)
    return Flow(tuple(successors), tuple(anywhere), _reachable(successors, code.start))


def fixed_value(unit: Unit) -> int | None:
    """The value that a unit has all the time, if nobody writes it."""
    return unit.value if unit.writes == 0 else None


def _following(command: Command, number: int, L: int) -> tuple[tuple[int, ...], bool]:
    effect = command.instruction.effect
    # Leaving the last line wraps to line 0 when the program fills its memory; assume that it may.
    after = ((number + 1) % L,)
    if effect is isa.Effect.STOP:
        return (), False
    if effect is not isa.Effect.JUMP:
        return after, False
    condition, target = (fixed_value(unit) for unit in command.operands)
    never = condition is not None and condition != 0
    always = condition == 0
    if never:
        return after, False
    if target is None:
        return (), True
    jump = (target,) if target < L else ()
    return (jump if always else tuple(dict.fromkeys(jump + after))), False


def _reachable(successors: list[tuple[int, ...]], start: int) -> frozenset[int]:
    seen = {start}
    waiting = [start]
    while waiting:
        for line in successors[waiting.pop()]:
            if line not in seen:
                seen.add(line)
                waiting.append(line)
    return frozenset(seen)
