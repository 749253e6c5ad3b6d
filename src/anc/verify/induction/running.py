"""Pieces of runs on words: from a place to the next, along every way that the conditions allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from anc.isa import Effect
from anc.program import Program
from anc.verify.induction.doubts import Doubt
from anc.verify.induction.tape import Contents
from anc.verify.induction.words import Truth, Word, Words, negated
from anc.verify.symbolic import output
from anc.verify.verdict import Undecided

Possible = Callable[[tuple[Truth, ...]], bool]  # whether conditions can hold together


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
