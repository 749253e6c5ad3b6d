"""Sketches: programs with holes, and the choices for each hole.

A hole has finitely many choices, and each of them is a number: of an instruction, of a register, or the initial
value of a register. A *filling* is a tuple with the index of one choice for every hole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from anc.adaptation.holes.unknown_lines import UnknownLines
from anc.language.source import Source
from anc.program import Program
from anc.python.function import read
from anc.python.sketch_function import OpenFunction
from anc.python.source import parse
from anc.support.diagnostics import Diagnostic, SourceError, Span

Filling = tuple[int, ...]
FIELDS = ("op", "first", "second", "value")  # of a line, or of a register
LEFT_OUT = "left out"  # the word of an unknown line that a filling does without


@dataclass(frozen=True)
class Hole:
    """A hole: a field of a line, the initial value of a register, or a whole unknown line ("line").

    `choices` are the numbers that fit, `words` their spellings; `begin` and `end` are the place of the hole in the
    text, `variable` that of the declaration which only an unknown line needs.
    """

    field: str
    at: int  # the line, or the register
    choices: tuple[int, ...]
    words: tuple[str, ...]
    span: Span
    begin: int
    end: int
    variable: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Sketch:
    """A program in which every hole has its first choice, and the holes.

    Every variable and every constant has its own register, so that any choice can be made without moving others;
    `compile` compiles a text as usual, with shared registers.
    """

    source: Source
    program: Program
    holes: tuple[Hole, ...]
    M: int
    compile: Callable[[Source], Program]
    lines: UnknownLines | None = None

    @property
    def size(self) -> int:
        """The number of fillings."""
        return prod(len(hole.choices) for hole in self.holes)

    def filled(self, filling: Sequence[int]) -> Program:
        """The program with these choices."""
        if self.lines is not None:
            return self.finished(filling)
        lines = list(self.program.lines)
        registers, names = list(self.program.registers), self.program.instructions.names
        for hole, index in zip(self.holes, filling, strict=True):
            number = hole.choices[index]
            if hole.field == "value":
                registers[hole.at] = number
            else:
                chosen: Any = names[number] if hole.field == "op" else number
                lines[hole.at] = replace(lines[hole.at], **{hole.field: chosen})
        return replace(self.program, lines=tuple(lines), registers=tuple(registers))

    def text(self, filling: Sequence[int]) -> str:
        """The text of the sketch, with these choices in place of the holes."""
        text = self.source.text
        changes = []
        words = [hole.words[index] for hole, index in zip(self.holes, filling, strict=True)]
        used = {name for word in words for name in re.findall(r"\w+", word)}
        for hole, word in zip(self.holes, words, strict=True):
            if hole.field != "line" or word != LEFT_OUT:
                changes.append((hole.begin, hole.end, word))
                continue
            changes.append((*_whole(text, (hole.begin, hole.end)), ""))
            if hole.words[0].split(" ")[0] not in used:
                changes.append((*_whole(text, hole.variable), ""))
        for begin, end, word in sorted(changes, reverse=True):
            text = text[:begin] + word + text[end:]
        return text

    def finished(self, filling: Sequence[int]) -> Program:
        """The compiled program of the filled text."""
        return self.compile(Source(self.text(filling), self.source.name))

    def restricted(self, number: int, index: int) -> Sketch:
        """The sketch with a single choice for one hole."""
        hole = self.holes[number]
        only = replace(hole, choices=(hole.choices[index],), words=(hole.words[index],))
        return replace(self, holes=(*self.holes[:number], only, *self.holes[number + 1 :]))

    def wrong(self, problems: Sequence[Diagnostic]) -> SourceError:
        """An error about problems, shown in the text."""
        return SourceError(problems, self.source.text, self.source.name)


def _whole(text: str, place: tuple[int, int]) -> tuple[int, int]:
    """The place of a statement, with the semicolon or the end of the line behind it."""
    begin, end = place
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    if text[end : end + 1] == ";":
        end += 1
        while text[end : end + 1] in (" ", "\t"):
            end += 1
    elif text[end : end + 1] == "\n" and not text[:begin].rpartition("\n")[2].strip():
        begin, end = text.rfind("\n", 0, begin) + 1, end + 1
    return begin, end


def sketch_of_function(function: OpenFunction) -> Sketch:
    """The sketch of a Python function: each hole is the initial value of a register."""
    program = function.program()
    names = [program.name_of(register).split("/") for register in range(program.R)]
    registers = list(program.registers)
    at = []
    for name, hole in zip(function.hole_names, function.holes, strict=True):
        found = next((r for r, parts in enumerate(names) if name in parts), len(names))
        if found == len(names):  # never read
            names.append([name])
            registers.append(None)
        registers[found] = hole.choices[0]
        at.append(found)
    program = replace(program, registers=tuple(registers), names=tuple(map("/".join, names)))

    def compile(source: Source) -> Program:
        module = parse(source, function.module.outside)
        known = function.M, function.wrap, None, function.instructions
        return read(module, module.functions[function.name], *known).program

    holes = tuple(
        Hole(
            "value",
            register,
            hole.choices,
            hole.words,
            function.module.span(hole.node),
            hole.begin,
            hole.end,
        )
        for register, hole in zip(at, function.holes, strict=True)
    )
    return Sketch(function.module.source, program, holes, function.M, compile)
