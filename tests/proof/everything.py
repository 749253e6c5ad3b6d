"""Terms over all tapes of a small memory, compared with the solver's formulas and the sets of values."""

from __future__ import annotations

import itertools
from random import Random

import numpy as np
import z3

from anc.proof.presolve import Inputs
from anc.proof.smt_queries import Witnesses
from anc.proof.space import Space
from anc.proof.term_to_smt import Lowered
from anc.proof.terms import Form, Node, Value
from anc.proof.value_sets import Domains


class Everything:
    """Terms over all tapes of M cells; the first two cells are a and b."""

    def __init__(
        self, M: int, domains: list[np.ndarray] | None = None, compact: bool = False
    ) -> None:
        self.M = M
        domains = domains or [np.ones(M, np.bool_)] * M
        self.space = Space(Domains(M, domains), compact=compact)
        self.lowered = Lowered(self.space, Inputs([], M), z3.Context())
        values = [np.flatnonzero(domain).tolist() for domain in domains[:2]]
        self.pairs = list(itertools.product(*values)) if M > 1 else [(0, 0)]
        rest = [0] * (M - 2)
        tapes = np.array([(*pair, *rest)[:M] for pair in self.pairs])
        self.witnesses = Witnesses(tapes)
        self.all = np.arange(len(self.pairs))
        self.a, self.b = (self.space.cell(min(cell, M - 1)) for cell in (0, 1))

    def values(self, value: Value) -> list[int]:
        """What a value is for all pairs, by evaluation; the solver's formula must agree."""
        found = self.witnesses.values(value, self.all).tolist()
        possible = self.space.domains.of(value)
        assert all(possible[number] for number in found)
        if isinstance(value, Form):
            assert found == [self.solved(value, pair).as_long() for pair in self.pairs]
        return found

    def holds(self, condition: Node | bool) -> list[bool]:
        if isinstance(condition, bool):
            return [condition] * len(self.pairs)
        found = self.witnesses.holds(condition, self.all).tolist()
        assert found == [z3.is_true(self.solved(condition, pair)) for pair in self.pairs]
        return found

    def solved(self, term, pair):
        formula = self.lowered.term(term)
        numbers = [(self.lowered.cell(c), self.lowered.number(v)) for c, v in enumerate(pair)]
        return z3.simplify(z3.substitute(formula, *numbers))

    def random_value(self, random: Random, depth: int) -> Value:
        """A value made with everything there is."""
        space = self.space
        if depth == 0:
            return random.choice([self.a, self.b, random.randrange(self.M)])
        x, y = (self.random_value(random, depth - 1) for _ in range(2))
        kind = random.randrange(6)
        if kind == 0:
            return space.sum(x, y, random.choice([1, -1, 2, 3]))
        if kind == 1:
            return random.choice([space.larger, space.smaller])(x, y)
        if kind == 2:
            return space.choice(self.random_condition(random, depth - 1), x, y)
        if kind == 3 and isinstance(x, Form):
            entries = {n: self.random_value(random, depth - 1) for n in range(self.M)}
            return space.select(x, entries)
        if kind == 4 and isinstance(x, Form) and isinstance(y, Form):
            table = np.array(
                [[random.randrange(self.M) for _ in range(self.M)] for _ in range(self.M)]
            )
            return random.choice([space.mapped2(table, x, y), space.mapped(table[0], x)])
        return x

    def random_condition(self, random: Random, depth: int) -> Node | bool:
        space = self.space
        x, y = (self.random_value(random, max(0, depth - 1)) for _ in range(2))
        if depth == 0 or random.random() < 0.5:
            return random.choice([space.zero(x), space.at_most(x, y)])
        parts = [self.random_condition(random, depth - 1) for _ in range(2)]
        made = random.choice([space.all_of, space.any_of])(parts)
        return random.choice([made, space.opposite(made)])
