"""Pieces of runs on words: from a place to the next, along every way that the conditions allow.

A proof that does not go through says where: tapes that lead there may refute the claim. The solver knows a
state of both programs from which they may go different ways, but not how a run comes to it. Where a
pointer went along a list, a list that is long enough leads to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from anc.isa import Effect
from anc.program import Program
from anc.proof.induction.tape import Contents
from anc.proof.induction.words import Truth, Word, Words, negated
from anc.proof.semantics import output
from anc.proof.verdict import Undecided

_BASES = 3  # tapes that are changed, those with the longest lists
_VALUES = 4  # numbers with which a list is made longer
Possible = Callable[[tuple[Truth, ...]], bool]  # whether conditions can hold together


class Doubt(Undecided):
    """The programs may go different ways under some conditions."""

    def __init__(self, reason: str, conditions: Sequence[Truth]) -> None:
        super().__init__(reason)
        self.conditions = conditions


def suspects(
    cells: Mapping[int, int], tapes: Sequence[tuple[int, ...]], programs: Sequence[Program]
) -> Iterator[tuple[int, ...]]:
    """Tapes with these cells, and lists before the last of them that do not end there."""
    last = max(cells, default=0)
    tapes = list(dict.fromkeys(tapes))
    starts = {p.registers[line.out] or 0 for p in programs for line in p.lines}
    for start in sorted(start for start in starts if start < last):
        near = sorted(tapes, key=lambda tape: tape[start:last].count(0))
        for base in near[:_BASES]:
            for filled in _filled(base, start, last):
                tape = list(filled)
                for cell, value in cells.items():
                    tape[cell] = value
                yield tuple(tape)


def _filled(tape: tuple[int, ...], start: int, end: int) -> Iterator[tuple[int, ...]]:
    """The tape with no 0 between two cells: other numbers of its list instead, or one of them again and again."""
    part = tape[start:end]
    values = [value for value in part if value]
    if not values:
        return
    others = list(dict.fromkeys(values))
    for instead in (values, *([value] for value in others[:: -(-len(others) // _VALUES)])):
        filled = (value or instead[i % len(instead)] for i, value in enumerate(part))
        yield (*tape[:start], *filled, *tape[end:])


@dataclass(frozen=True)
class Piece:
    """A piece of a run: where it is, what it holds, and the conditions under which it came there."""

    tape: str
    line: int
    registers: tuple[Word, ...]
    stores: tuple[tuple[Word, Word], ...] = ()  # (address, content), the last one last
    conditions: tuple[Truth, ...] = ()
    steps: int = 0
    stopped: bool = False  # it is then behind the last line
    lost: bool = False  # it left the last line without STOP

    def content(self, address: Word, contents: Contents) -> Word:
        """What a cell of its tape holds now."""
        words = contents.words
        found = None
        undecided = []
        for there, value in reversed(self.stores):
            same = words.equal(address, there)
            if same is True:
                found = value
                break
            if same is not False:
                undecided.append((same, value))
        if found is None:
            found = contents.read(self.tape, address)
        for same, value in reversed(undecided):
            found = words.either(same, value, found)
        return found


class Runner:
    """Steps of one program on words."""

    def __init__(self, program: Program, words: Words, contents: Contents) -> None:
        self.program, self.words, self.contents = program, words, contents

    def step(self, piece: Piece, possible: Possible) -> list[Piece]:
        """The piece after one instruction: two of them where a jump is undecided."""
        line = self.program.lines[piece.line]
        row, registers, M = self.program.row(line), piece.registers, self.words.M
        first = registers[line.first] if line.first is not None else 0
        second = registers[line.second] if line.second is not None else 0
        value: Word = 0
        stores = piece.stores
        if row.effect is Effect.NONE:
            value = output(row, self.words, first, second)
        elif row.effect is Effect.READ:
            value = piece.content(first, self.contents)
        elif row.effect is Effect.WRITE:
            stores = (*stores, (first, second))
        after = list(registers)
        after[line.out] = value
        done = replace(piece, registers=tuple(after), stores=stores, steps=piece.steps + 1)
        if row.effect is Effect.STOP:
            return [replace(done, stopped=True, line=self.program.L)]
        ahead = self._at(done, (piece.line + 1) % M)
        if row.effect is not Effect.JUMP:
            return [ahead]
        zero = self.words.equal(first, 0)
        found = []
        for holds, there in ((negated(zero), None), (zero, second)):
            if holds is False:
                continue
            conditions = done.conditions if holds is True else (*done.conditions, holds)
            if holds is not True and not possible(conditions):
                continue
            if there is None:
                found.append(replace(ahead, conditions=conditions))
            elif isinstance(there, int):
                found.append(replace(self._at(done, there), conditions=conditions))
            else:
                raise Undecided("the target of a jump is computed")
        return found

    def _at(self, piece: Piece, line: int) -> Piece:
        return replace(piece, line=line, lost=line >= self.program.L)

    def until(
        self, piece: Piece, arrived: Callable[[Piece], bool], possible: Possible, most: int
    ) -> Iterator[Piece]:
        """All ways on, each up to where it has arrived, stops or is lost."""
        waiting = [piece]
        while waiting:
            piece = waiting.pop()
            if arrived(piece) or piece.stopped or piece.lost:
                yield piece
            elif piece.steps >= most:
                raise Doubt("a piece of a run is too long", piece.conditions)
            else:
                waiting += self.step(piece, possible)
