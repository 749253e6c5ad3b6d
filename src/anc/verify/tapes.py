"""Tapes that satisfy facts: the values that a cell can still have, and whole tapes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from anc.verify.clock import Clock
from anc.verify.facts import Fact, conjuncts


class Undecided(Exception):
    """The solver could not tell in time whether there is such a tape."""


class Tapes:
    """The tapes of M cells that satisfy some facts."""

    def __init__(self, facts: Iterable[Fact], M: int) -> None:
        self.M = M
        self.facts = conjuncts(facts)
        self.of_cell: dict[int, list[Fact]] = {}
        domains: dict[int, list[int]] = {}
        for fact in self.facts:
            if len(fact.cells) == 1:
                (cell,) = fact.cells
                values = domains.get(cell, range(M))
                domains[cell] = [v for v in values if fact.judge({cell: v}, M) is not False]
            else:
                for cell in fact.cells:
                    self.of_cell.setdefault(cell, []).append(fact)
        self.domains = domains
        self.never = any(not f.cells and f.judge({}, M) is False for f in self.facts)

    def holds(self, tape: tuple[int, ...]) -> bool:
        return all(fact.holds(tape) for fact in self.facts)

    def values(self, cell: int, known: Mapping[int, int]) -> list[int]:
        """All values that the cell can have beside the known ones, and perhaps a few more."""
        values = self.domains.get(cell)
        facts = self.of_cell.get(cell)
        found = list(range(self.M)) if values is None else values
        if not facts:
            return found
        trial = dict(known)
        kept = []
        for value in found:
            trial[cell] = value
            if all(fact.judge(trial, self.M) is not False for fact in facts):
                kept.append(value)
        return kept

    def draw(
        self, random: Random, known: Mapping[int, int] | None = None, tries: int = 5
    ) -> tuple[int, ...] | None:
        """A random tape with the known cells; None when none was found (there may be some)."""
        if self.never:
            return None
        for _ in range(tries):
            tape = self._attempt(random, dict(known or {}))
            if tape is not None and self.holds(tape):
                return tape
        return None

    def _attempt(self, random: Random, cells: dict[int, int]) -> tuple[int, ...] | None:
        order = [cell for cell in range(self.M) if cell not in cells]
        random.shuffle(order)
        order.sort(key=lambda cell: len(self.domains.get(cell, range(self.M))))
        for cell in order:
            if cell in self.of_cell:
                choices = self.values(cell, cells)
                if not choices:
                    return None
            else:
                choices = self.domains.get(cell)  # type: ignore[assignment]
            if choices is None:
                cells[cell] = random.randrange(self.M)
            elif choices:
                cells[cell] = random.choice(choices)
            else:
                return None
        return tuple(cells[cell] for cell in range(self.M))

    def find(
        self, random: Random, clock: Clock, known: Mapping[int, int] | None = None
    ) -> tuple[int, ...] | None:
        """A tape with the known cells; None when there is certainly none."""
        if self.never:
            return None
        tape = self.draw(random, known, tries=3)
        return tape if tape is not None else self._solve(clock, known or {})

    def _solve(self, clock: Clock, known: Mapping[int, int]) -> tuple[int, ...] | None:
        import z3  # type: ignore[import-untyped]

        from anc.verify.encode import encode

        ctx = z3.Context()
        bits = self.M.bit_length()
        limit = z3.BitVecVal(self.M, bits, ctx)
        cells = [known.get(i, z3.BitVec(f"t{i}", bits, ctx)) for i in range(self.M)]
        free = [cell for cell in cells if not isinstance(cell, int)]
        solver = z3.SolverFor("QF_BV", ctx=ctx)
        solver.set("timeout", max(1, int(min(clock.left, 5.0) * 1000)))
        solver.add(*(z3.ULT(cell, limit) for cell in free))
        solver.add(*(encode(fact, cells, self.M, ctx) for fact in self.facts))
        answer = solver.check()
        if answer == z3.unsat:
            return None
        if answer != z3.sat:
            raise Undecided
        model = solver.model()
        return tuple(
            cell if isinstance(cell, int) else model.eval(cell, model_completion=True).as_long()
            for cell in cells
        )
