"""Proof by paths: both programs on bit-vectors, splitting wherever the tape decides the next line.

Each path ends with one question to the solver: is there a tape on this path for which the masked
cells differ? A path that cannot be decided makes the verdict unknown, never proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import z3  # type: ignore[import-untyped]

from anc.verify.clock import Clock
from anc.verify.facts import conjuncts
from anc.verify.inquiry import Inquiry
from anc.verify.solver import PathCondition
from anc.verify.symbolic import Jump, Running, Value, same, step
from anc.verify.verdict import Undecided, Verdict

_MOST_PATHS = 100_000

Way = tuple[
    int, z3.BoolRef, z3.ModelRef | None
]  # a line, when it comes next, a tape for which it does


@dataclass
class _Path:
    """A path to walk: first through the generic program, then through the adapted one."""

    run: Running
    wanted: list[Value] | None = None  # the generic program's tape, once it has stopped
    depth: int = 0  # how many choices there were before the last
    condition: z3.BoolRef | None = None  # the last choice
    model: z3.ModelRef | None = None


class Paths:
    """One proof by paths of a claim."""

    def __init__(self, inquiry: Inquiry, clock: Clock) -> None:
        self.inquiry, self.claim, self.clock = inquiry, inquiry.claim, clock
        self.condition = PathCondition(self.claim.M, conjuncts(self.claim.precondition), clock)
        self.walked = self.compared = 0  # paths; those on which both programs stop

    def run(self) -> Verdict:
        """The verdict; Undecided when some path could not be settled."""
        try:
            for tape in self.failing_tapes():
                verdict = self.inquiry.settled_by(tape, "paths", self.walked)
                if verdict is not None:
                    return verdict
        except (z3.Z3Exception, MemoryError) as problem:
            raise Undecided(f"the solver failed: {problem}") from None
        return self.inquiry.ended("paths", self.walked, self.compared)

    def failing_tapes(self) -> Iterator[tuple[int, ...]]:
        """Walk all paths; yields a tape for each that fails."""
        if not self.condition.allows():
            raise Undecided("no tape satisfies the precondition")
        start = Running.of(self.claim.generic, self.condition.input)
        stack = [_Path(start, model=self.condition.model)]
        while stack:
            if self.walked >= _MOST_PATHS:
                raise Undecided(f"there are more than {_MOST_PATHS:,} paths")
            path = stack.pop()
            self.condition.enter(path.depth, path.condition, path.model)
            end = self.walk(path)
            if isinstance(end, list):
                stack += end
            else:
                self.walked += 1
                if not z3.is_false(end) and self.condition.allows(end):
                    yield self.condition.tape()

    def walk(self, path: _Path) -> z3.BoolRef | list[_Path]:
        """Follow a path to its end, where it fails or not, or to where it parts."""
        while True:
            if self.clock.over:
                raise Undecided("the time is over")
            if path.run.past_end or path.run.steps >= self.claim.max_steps:
                nothing_claimed = path.wanted is None and self.claim.partial
                return z3.BoolVal(not nothing_claimed, self.condition.ctx)
            jump = step(path.run, self.condition.settle)
            if jump is not None:
                ways = self.ways(jump)
                if len(ways) > 1:
                    depth = self.condition.depth
                    return [
                        _Path(path.run.parted(line), path.wanted, depth, condition, model)
                        for line, condition, model in ways
                    ]
                path.run.here, _, self.condition.model = ways[0]
            elif path.run.stopped and path.wanted is None:
                path.wanted = path.run.tape
                path.run = Running.of(self.claim.adapted, self.condition.input)
            elif path.run.stopped and path.wanted is not None:
                self.compared += 1
                return self.differ(path.wanted, path.run.tape)

    def differ(self, wanted: list[Value], found: list[Value]) -> z3.BoolRef:
        """When the masked cells differ."""
        cells = zip(wanted, found, self.claim.mask, strict=True)
        differences = [a != b for a, b, counts in cells if counts and not same(a, b)]
        nothing = z3.BoolVal(False, self.condition.ctx)
        return z3.Or(*differences, nothing) if differences else nothing

    def ways(self, jump: Jump) -> list[Way]:
        """The lines that can come next."""
        found: list[Way] = []
        condition = self.condition
        zero = z3.BoolVal(True, condition.ctx)
        if not isinstance(jump.zero, int):
            zero = jump.zero == 0
            if condition.allows(z3.Not(zero)):
                found.append((jump.after, z3.Not(zero), condition.model))
        for target, model in condition.numbers(jump.target, zero):
            there = zero if isinstance(jump.target, int) else z3.And(zero, jump.target == target)
            found.append((target, there, model))
        if not found:
            raise Undecided("a path that was possible goes nowhere")
        return found
