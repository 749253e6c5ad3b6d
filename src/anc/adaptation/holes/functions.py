"""A Python function with holes as a sketch: each hole is the first value of a register."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from anc.adaptation.holes.sketch import Hole, Sketch
from anc.language.source import Source
from anc.program import Program
from anc.python.function import read
from anc.python.sketch_function import OpenFunction
from anc.python.source import parse


def sketch_of_function(function: OpenFunction) -> Sketch:
    """The open program with the first choice in the register of each hole."""
    program = function.program()
    names = [program.name_of(register).split("/") for register in range(program.R)]
    registers = list(program.registers)
    at = []
    for name, hole in zip(function.hole_names, function.holes, strict=True):
        found = next((r for r, parts in enumerate(names) if name in parts), len(names))
        if found == len(names):  # nothing reads it
            names.append([name])
            registers.append(None)
        registers[found] = hole.choices[0]
        at.append(found)
    program = replace(program, registers=tuple(registers), names=tuple(map("/".join, names)))

    def compile(source: Source) -> Program:
        module = parse(source, function.module.outside)
        known = function.M, function.wrap, None, function.instructions
        return read(module, module.functions[function.name], *known).program

    holes = tuple(_holes(function, at))
    return Sketch(function.module.source, program, holes, function.M, compile)


def _holes(function: OpenFunction, at: list[int]) -> Iterator[Hole]:
    text = function.module.source.text
    lines = text.split("\n")

    def offset(line: int, column: int) -> int:
        """Python counts columns in bytes."""
        before = sum(len(row) + 1 for row in lines[: line - 1])
        return before + len(lines[line - 1].encode()[:column].decode())

    for register, hole in zip(at, function.holes, strict=True):
        node = hole.node
        begin = offset(node.lineno, node.col_offset)
        end = offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        span = function.module.span(node)
        yield Hole("value", register, hole.choices, hole.words, span, begin, end)
