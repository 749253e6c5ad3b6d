"""One annealing chain over encoded programs, compiled with numba, and its guides.

A chain proposes moves from `anc.search.moves`. The cost of a program on a few cases is their mean cost plus a
penalty for every wrong cell, so that half-right programs lead to right ones. The acceptance bound is drawn
*before* a candidate runs, and the run is aborted as soon as it exceeds the bound. A program that is right on
the few cases and cheaper than before is checked on all cases.

Other methods, mainly gradient descent, guide a chain: their programs become starting points, and learnt
distributions become the proposal distributions of the moves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from anc.isa import InstructionSet
from anc.machine.batch import Rules, evaluate
from anc.machine.compiled import lean, lean_inner
from anc.machine.encoded import Cases, Encoded
from anc.machine.weights import Weights, softmax
from anc.program import Program
from anc.search.moves import fraction, propose

NEVER = 1e30  # a penalty that nothing outweighs


class Proposals(NamedTuple):
    """The distributions that moves draw from: uniform over the instructions, or learnt ones."""

    # Cumulative, of op, first, second, out and the registers' initial values; or empty tables.
    tables: tuple[np.ndarray, ...]
    operands: np.ndarray  # (N,) how many each instruction takes
    jump: int  # the number of JEZ
    M: int = 0  # if programs have less room than M lines
    holes: Any = None  # of a sketch: then only they change


@dataclass(frozen=True)
class Guides:
    """Additional starting points, and weights whose distributions the moves draw from; both are optional."""

    programs: tuple[Program, ...] = ()
    proposals: Weights | None = None

    def of(self, instructions: InstructionSet, M: int = 0) -> Proposals:
        """The proposals for programs of an instruction set, with room for M lines unless M is given."""
        tables = tuple(np.empty((0, 1)) for _ in range(5))
        if (w := self.proposals) is not None:
            parts = (
                np.asarray(p, np.float64) for p in (w.op, w.first, w.second, w.out, w.registers)
            )
            tables = tuple(np.cumsum(softmax(part), axis=1) for part in parts)
        operands = np.array([row.operands for row in instructions], np.int64)
        return Proposals(tables, operands, instructions.JUMP, M)


NO_GUIDES = Guides()


class BestByLength(NamedTuple):
    """The best programs of a chain, one for each length."""

    lines: np.ndarray  # (L + 1, L, 4)
    values: np.ndarray  # (L + 1, R + 1)
    head: np.ndarray  # (L + 1, 2)
    cost: np.ndarray  # (L + 1,) on all cases
    cost_on_few: np.ndarray  # (L + 1,)


class ChainArrays(NamedTuple):
    """The state of a chain: its current program, its best ones, random numbers, and buffers."""

    program: Encoded
    best: BestByLength
    rng: np.ndarray
    state: (
        np.ndarray
    )  # cost of the program, evaluations in this round, a case that it failed (or -1)
    new: Encoded  # buffers: the next program, its registers, its tape
    registers: np.ndarray
    tape: np.ndarray

    @classmethod
    def of(cls, M: int, R: int, seed: int | np.uint64, most: int | None = None) -> ChainArrays:
        """Buffers for programs of R registers and up to `most` lines (by default M), on M cells."""
        L = M if most is None else most
        program, new = (
            Encoded(np.zeros((L, 4), np.uint16), np.zeros(R + 1, np.uint16), np.zeros(2, np.int64))
            for _ in range(2)
        )
        best = BestByLength(
            np.zeros((L + 1, L, 4), np.uint16),
            np.zeros((L + 1, R + 1), np.uint16),
            np.zeros((L + 1, 2), np.int64),
            np.full(L + 1, np.inf),
            np.full(L + 1, np.inf),
        )
        registers, tape = np.zeros_like(new.values), np.zeros(M + 1, np.uint16)
        return cls(program, best, np.array([seed], np.uint64), np.zeros(3), new, registers, tape)

    def start_from(self, start: Encoded) -> None:
        self.program.lines[: start.L] = start.lines[: start.L]
        self.program.values[:] = start.values
        self.program.head[:] = start.head
        self.state[:] = (0.0, 0.0, -1.0)

    def best_of_length(self, L: int) -> Encoded:
        best = self.best
        return Encoded(best.lines[L, :L].copy(), best.values[L].copy(), best.head[L].copy())


class FrozenParts(NamedTuple):
    """What a chain must not change: frozen lines, and the values of the registers that only they read."""

    numbers: np.ndarray  # (F,) of the lines
    lines: np.ndarray  # (F, 4)
    registers: np.ndarray  # (K,)
    values: np.ndarray  # (K,)

    @classmethod
    def of(cls, program: Program, encoded: Encoded) -> FrozenParts:
        numbers = np.array(program.frozen, np.int64)
        registers = np.array(sorted(program.frozen_registers), np.int64)
        return cls(numbers, encoded.lines[numbers], registers, encoded.values[registers])


class Round(NamedTuple):
    """What a round of a chain depends on: cases, penalties, temperatures."""

    few: Cases
    everything: Cases
    rules: Rules  # for the few cases: a wrong cell has a finite penalty
    strict: Rules  # for all cases: a wrong cell has an infinite penalty
    guide: Proposals
    chances: np.ndarray  # cumulative, of the moves
    per_line: float
    per_register: float
    hot: float
    cold: float
    evaluations: float  # in the round
    kept: FrozenParts
    is_strict: bool = True  # record only programs that are right on all cases


@lean_inner
def keeps(program, kept):
    """Whether a program still has the frozen lines, and no line writes the numbers that they read."""
    for k in range(kept.numbers.shape[0]):
        if kept.numbers[k] >= program.head[0]:
            return False
        for place in range(4):
            if program.lines[kept.numbers[k], place] != kept.lines[k, place]:
                return False
    for k in range(kept.registers.shape[0]):
        register = kept.registers[k]
        if program.values[register] != kept.values[k]:
            return False
        for i in range(program.head[0]):
            if program.lines[i, 3] == register:
                return False
    return True


@lean_inner
def size_cost(program, per_line, per_register):
    """The part of the cost that is independent of the cases."""
    lines, L = program.lines, program.head[0]
    cost = per_line * L
    if per_register > 0.0:
        for register in range(program.values.shape[0] - 1):
            used = False
            for i in range(L):
                if lines[i, 1] == register or lines[i, 2] == register or lines[i, 3] == register:
                    used = True
                    break
            if used:
                cost += per_register
    return cost


@lean_inner
def copy_program(source, target):
    for i in range(source.head[0]):
        for place in range(4):
            target.lines[i, place] = source.lines[i, place]
    for r in range(source.values.shape[0]):
        target.values[r] = source.values[r]
    target.head[0] = source.head[0]
    target.head[1] = source.head[1]


@lean
def anneal_chain(walk, round, todo):
    """Continue a chain for `todo` evaluations."""
    program, best, state, few = walk.program, walk.best, walk.state, round.few
    total, total_of_all = few.counts.sum(), round.everything.counts.sum()
    new, registers, tape = walk.new, walk.registers, walk.tape
    temperature = round.hot
    for step in range(todo):
        if step % 64 == 0:
            done = state[1] / round.evaluations
            temperature = round.hot * (round.cold / round.hot) ** done
        copy_program(program, new)
        if step > 0 or state[1] > 0:
            state[1] += 1
            if not propose(new, round.guide, walk.rng, round.chances):
                continue
            if round.kept.numbers.shape[0] > 0 and not keeps(new, round.kept):
                continue
            bound = state[0] - temperature * math.log(fraction(walk.rng) + 1e-300)
        else:  # the start of a round: evaluate the start itself
            state[1] += 1
            bound = np.inf
        fixed = size_cost(new, round.per_line, round.per_register)
        tally = evaluate(new, few, round.rules, (bound - fixed) * total, registers, tape)
        cost = tally.total / total + fixed
        if cost > bound:
            continue
        state[0] = cost
        copy_program(new, program)
        L = program.head[0]
        is_good = tally.first_bad < 0 or not round.is_strict
        if is_good and cost < best.cost_on_few[L] - 1e-9:
            tally = evaluate(program, round.everything, round.strict, NEVER / 2, registers, tape)
            if tally.first_bad >= 0 and round.is_strict:
                state[2] = tally.first_bad
            else:
                best.cost_on_few[L] = cost
                cost = tally.total / total_of_all + fixed
                if cost < best.cost[L] - 1e-9:
                    best.cost[L] = cost
                    copy_program(program, Encoded(best.lines[L], best.values[L], best.head[L]))
