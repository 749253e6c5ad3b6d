"""Proof by paths: both programs on bit-vectors, splitting wherever the tape decides the next line.

Each path ends with one question to the solver: is there a tape on this path for which the masked
cells differ? A path that cannot be decided makes the verdict unknown, never proved.
"""

from __future__ import annotations

from dataclasses import dataclass

import z3  # type: ignore[import-untyped]

from anc.verify.claim import Claim
from anc.verify.clock import Clock
from anc.verify.facts import conjuncts
from anc.verify.solver import PathCondition, Undecided
from anc.verify.symbolic import BitVectors, Jump, Running, Stopped, Value, step
from anc.verify.verdict import Verdict, unknown


@dataclass
class _Path:
    """A path to walk: first through the generic program, then through the adapted one."""

    run: Running
    wanted: list[Value] | None  # the generic program's tape, once it has stopped
    depth: int  # how many choices there were before the last
    condition: z3.BoolRef | None  # the last choice
    model: z3.ModelRef | None

    def along(
        self, line: int, condition: z3.BoolRef, model: z3.ModelRef | None, depth: int
    ) -> _Path:
        return _Path(self.run.copy(line), self.wanted, depth, condition, model)


@dataclass(frozen=True)
class _Fails:
    """Every tape of the path condition fails, or (with a condition) those that satisfy it too."""

    condition: z3.BoolRef | None = None


class Paths:
    """One proof by paths of a claim."""

    def __init__(self, claim: Claim, clock: Clock, max_paths: int = 100_000) -> None:
        self.claim, self.clock, self.max_paths = claim, clock, max_paths
        self.condition = PathCondition(claim.M, conjuncts(claim.precondition), clock)
        self.algebra = BitVectors(claim.M, self.condition.ctx, self.condition.settle)
        self.walked = self.compared = 0  # paths; those on which both programs stop

    def run(self, any_failure: bool = False) -> Verdict:
        outside: Verdict | None = None
        try:
            for tape in self.failing_tapes():
                verdict = self.claim.replay(tape, "paths", self.walked)
                if verdict.refuted or verdict.tape is None or any_failure:
                    return verdict
                outside = outside or verdict
        except Undecided as reason:
            return outside or unknown(str(reason), "paths", self.walked)
        except (z3.Z3Exception, MemoryError) as problem:
            return outside or unknown(f"the solver failed: {problem}", "paths", self.walked)
        return outside or self.claim.holds("paths", self.walked, self.compared)

    def failing_tapes(self):
        """Walk all paths; yields a tape for each that fails."""
        start = Running.of(self.claim.generic, self.condition.input)
        stack = [_Path(start, None, 0, None, None)]
        while stack:
            if self.walked >= self.max_paths:
                raise Undecided(f"there are more than {self.max_paths:,} paths")
            path = stack.pop()
            self.condition.enter(path.depth, path.condition, path.model)
            if path.condition is None and not self.condition.allows():
                raise Undecided("no tape satisfies the precondition")
            end = self.walk(path)
            if isinstance(end, _Fails):
                self.walked += 1
                if self.condition.allows(end.condition):
                    yield self.condition.tape()
            else:
                stack += end

    def walk(self, path: _Path) -> _Fails | list[_Path]:
        """Follow a path to its end, or to where it parts."""
        while True:
            if self.clock.over:
                raise Undecided("the time is over")
            if path.run.past_end or path.run.steps >= self.claim.max_steps:
                nothing_claimed = path.wanted is None and self.claim.partial
                return (
                    _Fails(z3.BoolVal(False, self.condition.ctx)) if nothing_claimed else _Fails()
                )
            match step(path.run, self.algebra):
                case Jump() as jump:
                    ways = self.ways(jump)
                    if len(ways) > 1:
                        return [path.along(*way, self.condition.depth) for way in ways]
                    path.run.here, _, self.condition.model = ways[0]
                case Stopped() if path.wanted is None:
                    path.wanted = path.run.tape
                    path.run = Running.of(self.claim.adapted, self.condition.input)
                case Stopped() if path.wanted is not None:
                    self.compared += 1
                    return self.difference(path.wanted, path.run.tape)

    def difference(self, wanted: list[Value], found: list[Value]) -> _Fails:
        """When the masked cells differ."""
        differ = []
        for left, right, counts in zip(wanted, found, self.claim.mask, strict=True):
            if not counts or left is right:
                continue
            if isinstance(left, int) and isinstance(right, int):
                if left != right:
                    return _Fails()
                continue
            left, right = self.algebra.vector(left), self.algebra.vector(right)
            if not left.eq(right):
                differ.append(left != right)
        return _Fails(z3.Or(*differ, z3.BoolVal(False, self.condition.ctx)))

    def ways(self, jump: Jump) -> list[tuple[int, z3.BoolRef, z3.ModelRef | None]]:
        """The lines that can come next: each with its condition and a model of a tape that goes there."""
        found: list[tuple[int, z3.BoolRef, z3.ModelRef | None]] = []
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
