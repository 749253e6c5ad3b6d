"""Sorts in two-address code, where the result of an instruction replaces an operand.

Processors work so: ``min a, b`` leaves the smaller one in a. A move goes in front where both operands are needed again,
which depends on the order of the instructions; the best order is found by dynamic programming over the sets of
instructions that are done. Operands are also exchanged for others with which every list of zeros and ones is still
sorted, as long as that saves moves. Registers are as many as needed, and the results stay in some of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from anc import Program

ROUNDS = 400  # exchanges of operands that are looked at without saving a move


@dataclass(frozen=True)
class Values:
    """MIN and MAX of a straight-line program as values: inputs, then results of operations."""

    inputs: int
    kinds: tuple[str, ...]
    operands: tuple[tuple[int, int], ...]
    results: tuple[int, ...]  # in the order of their cells

    def on_bits(self) -> list[int]:
        """What all values are on all lists of zeros and ones, a bit for each list."""
        lists = range(2**self.inputs)
        found = [sum(1 << k for k in lists if k >> i & 1) for i in range(self.inputs)]
        for kind, (a, b) in zip(self.kinds, self.operands, strict=True):
            found.append(found[a] & found[b] if kind == "MIN" else found[a] | found[b])
        return found

    def best_order(self) -> tuple[int, tuple[int, ...]]:
        """The fewest moves, and an order of the operations that needs no more."""
        users = self.users()
        done: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
        for _ in self.operands:
            following: dict[int, tuple[int, tuple[int, ...]]] = {}
            for state, (moves, order) in done.items():
                for number, pair in enumerate(self.operands):
                    ready = all(v < self.inputs or state >> (v - self.inputs) & 1 for v in pair)
                    if state >> number & 1 or not ready:
                        continue
                    after = state | 1 << number
                    more = moves + all(users[value] & ~after for value in pair)
                    if after not in following or more < following[after][0]:
                        following[after] = more, (*order, number)
            done = following
        return min(done.values())

    def users(self) -> list[int]:
        """The operations that need each value, as bits; one that is never done needs the results."""
        found = [0] * (self.inputs + len(self.operands))
        for number, pair in enumerate(self.operands):
            for value in pair:
                found[value] |= 1 << number
        for value in self.results:
            found[value] |= 1 << len(self.operands)
        return found

    def neighbours(self) -> Iterator[Values]:
        """The same with one operand exchanged, where the results stay the same on zeros and ones."""
        wanted = [self.on_bits()[value] for value in self.results]
        for number, pair in enumerate(self.operands):
            for side, other in itertools.product((0, 1), range(self.inputs + number)):
                if other in pair:
                    continue
                changed = (other, pair[1]) if side == 0 else (pair[0], other)
                operands = (*self.operands[:number], changed, *self.operands[number + 1 :])
                found = replace(self, operands=operands)
                bits = found.on_bits()
                if [bits[value] for value in found.results] == wanted:
                    yield found


@dataclass(frozen=True)
class Kernel:
    """Two-address code: (instruction, register that changes, register that is read)."""

    code: tuple[tuple[str, int, int], ...]
    inputs: int
    results: tuple[int, ...]  # registers
    registers: int

    def sorts(self) -> int:
        """How many of all n^n lists of the numbers below n it sorts."""
        n, right = self.inputs, 0
        for numbers in itertools.product(range(n), repeat=n):
            held = [*numbers, *[0] * (self.registers - n)]
            for name, target, source in self.code:
                one, other = held[target], held[source]
                held[target] = {"mov": other, "min": min(one, other), "max": max(one, other)}[name]
            right += [held[register] for register in self.results] == sorted(numbers)
        return right

    def __str__(self) -> str:
        return "\n".join(f"{name} r{target}, r{source}" for name, target, source in self.code)


def kernel_of(program: Program) -> Kernel:
    """Short two-address code for a sort of READs, MIN, MAX and WRITEs."""
    best = values_of(program)
    moves = best.best_order()[0]
    seen, waiting, left = {best}, [best], ROUNDS
    while waiting and left > 0:
        for found in waiting.pop(0).neighbours():
            if found in seen:
                continue
            seen.add(found)
            left -= 1
            now = found.best_order()[0]
            if now < moves:
                best, moves, waiting, left = found, now, [], ROUNDS
            if now == moves:
                waiting.append(found)
    return _written(best)


def _written(values: Values) -> Kernel:
    users, (_, order) = values.users(), values.best_order()
    held = {value: value for value in range(values.inputs)}  # the register of each value
    code, free, registers, done = [], list[int](), values.inputs, 0
    for number in order:
        one, other = values.operands[number]
        done |= 1 << number
        needed = {value: users[value] & ~done for value in (one, other)}
        if needed[one] and needed[other]:
            if not free:
                free, registers = [registers], registers + 1
            target = free.pop()
            code.append(("mov", target, held[one]))
        else:
            one, other = (other, one) if needed[one] else (one, other)
            target = held[one]
            if not needed[other]:
                free.append(held[other])
        code.append((values.kinds[number].lower(), target, held[other]))
        held[values.inputs + number] = target
    results = tuple(held[value] for value in values.results)
    return Kernel(tuple(code), values.inputs, results, registers)


def values_of(program: Program) -> Values:
    """The operations of straight-line code, and the results by the cells that they are written to."""
    read = [program.registers[line.first or 0] or 0 for line in program.lines if line.op == "READ"]
    order, inputs = sorted(read), len(read)
    held: dict[int, int] = {}  # the value in each register
    kinds, operands, results = [], list[tuple[int, int]](), dict[int, int]()
    for line in program.lines:
        first, second = line.first or 0, line.second or 0
        if line.op == "READ":
            held[line.out] = order.index(program.registers[first] or 0)
        elif line.op in ("MIN", "MAX"):
            kinds.append(line.op)
            operands.append((held[first], held[second]))
            held[line.out] = inputs + len(operands) - 1
        elif line.op == "WRITE":
            results[program.registers[first] or 0] = held[second]
    return Values(inputs, tuple(kinds), tuple(operands), tuple(results[c] for c in sorted(results)))
