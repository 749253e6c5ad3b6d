"""The search space of enumeration: distinct shapes of instructions, and goals of straight-line code.

Shapes with equal outputs are merged; those that repeat an operand or a constant are dropped. A goal says which cells
to write, and with which values. If the same cells change in every case, addresses are constants; if they move with
the input, an address takes one or two instructions itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from anc.isa import Effect, InstructionSet
from anc.machine.batch import TABLE_LIMIT
from anc.machine.encoded import Cases, outputs_of
from anc.search.cost import Prices

ZERO = -1  # as an operand
Coded = tuple[int, int, int]  # operation and operands: a value's number, or -1 - constant
MAX_WRITES = 12


class Forms(NamedTuple):
    """Operations by the shape of their operands; `True` puts the newer value (or c) first."""

    single: tuple[int, ...]  # op(x), or op(x, x)
    pairs: tuple[tuple[int, bool], ...]  # op(older, newer), op(newer, older)
    constant: tuple[tuple[int, bool], ...]  # op(x, c), op(c, x)
    instructions: InstructionSet

    def candidates(
        self, values: int, cells: Sequence[int], constants: Sequence[int]
    ) -> tuple[np.ndarray, np.ndarray]:
        """All instructions on these many values, sorted by their newest operand, READs of cells first.

        Those before ``ends[n]`` only need the first n values.
        """
        found: list[Coded] = [(self.instructions.READ, -1 - cell, ZERO) for cell in cells]
        ends = [len(found)]
        for new in range(values):
            for op in self.single:
                found.append((op, new, new if self.instructions[op].operands == 2 else ZERO))
            for old in range(new):
                found += [(op, new, old) if swap else (op, old, new) for op, swap in self.pairs]
            for c in constants:
                found += [(op, -1 - c, new) if s else (op, new, -1 - c) for op, s in self.constant]
            ends.append(len(found))
        return np.array(found, np.int64).reshape(-1, 3), np.array(ends, np.int64)


def number_type(M: int) -> type[np.signedinteger]:
    """The smallest type of values from -1 to M - 1."""
    return np.int16 if M <= 2**15 else np.int32


def cheapest_first(instructions: InstructionSet, prices: Prices) -> tuple[int, ...]:
    """The numbers of the instructions, the cheapest first; of equally cheap ones, the first."""
    paid = [prices[name] for name in instructions.names]
    return tuple(sorted(range(len(paid)), key=paid.__getitem__))


@cache
def forms(instructions: InstructionSet, M: int, order: tuple[int, ...]) -> Forms:
    """The shapes for M cells, at most the size of the largest table of outputs.

    A family op(x, c), c from 1, is dropped if earlier ones in this order have all its members, as ADD(x, c) has
    those of SUB(x, c) and INC(x).
    """
    M = min(M, TABLE_LIMIT)
    rows = ((op, instructions[op]) for op in order)
    tables = {op: outputs_of(row, M) for op, row in rows if row.effect is Effect.NONE}
    two = {op: table for op, table in tables.items() if instructions[op].operands == 2}
    seen = {bytes(np.full(M, c)) for c in range(M)} | {bytes(np.arange(M))}
    constant = []
    for op, table in two.items():
        for swapped, vectors in ((False, table.T), (True, table)):
            family = {vector.tobytes() for vector in vectors[1:]}
            if not family <= seen:
                constant.append((op, swapped))
                seen |= family
    single = [instructions.READ]
    for op, table in tables.items():
        vector = table.diagonal().tobytes()
        if vector not in seen:
            single.append(op)
            seen.add(vector)
    pairs = []
    for op, table in two.items():
        if (table == table[:1]).all() or (table == table[:, :1]).all():
            continue  # it depends on one operand only
        for swapped in (False,) if (table == table.T).all() else (True, False):
            outputs = (table.T if swapped else table).tobytes()
            if outputs not in seen:
                pairs.append((op, swapped))
                seen.add(outputs)
    return Forms(tuple(single), tuple(pairs), tuple(constant), instructions)


def prices_of(
    candidates: np.ndarray, instructions: InstructionSet, M: int, prices: Prices
) -> np.ndarray:
    """The price of each candidate: that of the instruction with one operand, if it can be one and is cheaper."""
    found = np.array([prices[name] for name in instructions.names])[candidates[:, 0]]
    few = min(M, TABLE_LIMIT)
    short: dict[bytes, float] = {}
    for row in instructions:
        if row.operands == 1 and row.effect is Effect.NONE:
            vector = outputs_of(row, few)[:, 0].tobytes()
            short[vector] = min(prices[row.name], short.get(vector, np.inf))
    with_number = np.flatnonzero(
        (candidates[:, 1:] < 0).any(axis=1) & (candidates[:, 1:] >= 0).any(axis=1)
    )
    known: dict[tuple[int, bool, int], float] = {}
    for i in with_number.tolist():
        op, a, b = candidates[i].tolist()
        row, number = instructions[op], -1 - min(a, b)
        number -= M - few if number >= few else 0  # as far from the end of a small memory
        key = op, a < 0, number
        if row.operands == 2 and key not in known and 0 <= number < few:
            table = outputs_of(row, few)
            outputs = table[number] if a < 0 else table[:, number]
            known[key] = short.get(outputs.tobytes(), np.inf)
        found[i] = min(found[i], known.get(key, np.inf))
    return found


def shortest(instruction: Coded, instructions: InstructionSet, M: int) -> Coded:
    """The same with one operand if possible: INC(x) for ADD(x, 1)."""
    op, a, b = instruction
    row = instructions[op]
    if row.operands == 2 and min(a, b) < 0:
        outputs = [row.output(*((x, -1 - b) if a >= 0 else (-1 - a, x)), M) for x in range(M)]
        for other, one in enumerate(instructions):
            is_plain = one.operands == 1 and one.effect is Effect.NONE
            if is_plain and outputs == [one.output(x, 0, M) for x in range(M)]:
                return other, max(a, b), ZERO
    return instruction


@dataclass(frozen=True)
class Goal:
    """WRITE addresses (numbers of `code` instructions, or -1 - cell) and the values to write.

    `values` (len(code), K): the outputs of the code in each case; `targets` and `care` (t, K): the value of
    each WRITE in each case, and whether it matters.
    """

    code: tuple[Coded, ...]
    values: np.ndarray
    addresses: tuple[int, ...]
    targets: np.ndarray
    care: np.ndarray

    @property
    def lines(self) -> int:
        """The least lines of a solution: address code, WRITEs and STOP."""
        return len(self.code) + len(self.addresses) + 1

    def price(self, prices: Prices, instructions: InstructionSet) -> float:
        """What these cost."""
        code = sum(prices[instructions[op].name] for op, *_ in self.code)
        return code + prices.write * len(self.addresses) + prices.stop


def goals(examples: Cases, instructions: InstructionSet) -> list[Goal]:
    """Candidate goals, those with the fewest lines first."""
    cells = np.flatnonzero(examples.change.any(axis=0))
    most = int(examples.change.sum(axis=1).max(initial=0))
    found = []
    if len(cells) <= MAX_WRITES:
        nothing = np.empty((0, examples.C), np.int64)
        columns = np.broadcast_to(cells[:, None], (len(cells), examples.C))
        found.append(_goal(examples, (), nothing, tuple((-1 - cells).tolist()), columns))
    if len(cells) > most and most <= MAX_WRITES:
        found += list(_moving(examples, instructions))
    return sorted(found, key=lambda goal: goal.lines)[:8]


def _moving(examples: Cases, instructions: InstructionSet) -> Iterator[Goal]:
    """Goals with addresses that are a cell plus a constant."""
    M, rows = examples.M, np.arange(examples.C)
    for cell in np.flatnonzero((examples.inputs != examples.inputs[:1]).any(axis=0)).tolist():
        moved = (examples.inputs[:, cell] + np.arange(M)[:, None]) % M  # (shift, case)
        shifts = np.flatnonzero(examples.change[rows, moved].any(axis=1))
        used = [0, *shifts[shifts > 0].tolist()]
        if len(shifts) > MAX_WRITES:
            continue
        covered = np.zeros_like(examples.change)
        covered[rows, moved[shifts]] = True
        if not (examples.change & ~covered).any():
            reads: Coded = (instructions.READ, -1 - cell, ZERO)
            code = (reads, *((instructions.ADD, 0, -1 - shift) for shift in used[1:]))
            addresses = tuple(used.index(shift) for shift in shifts.tolist())
            yield _goal(examples, code, moved[used], addresses, moved[shifts])


def _goal(
    examples: Cases, code: tuple[Coded, ...], values: np.ndarray,
    addresses: tuple[int, ...], cells: np.ndarray,
) -> Goal:  # fmt: skip
    """To WRITE the cells (t, K)."""
    rows = np.arange(examples.C)
    targets, care = examples.outputs[rows, cells], (examples.masks != 0)[rows, cells]
    return Goal(code, values, addresses, targets.astype(number_type(examples.M)), care)
