"""Functions with holes: ``anc.hole((0, 1, 2))`` is one of several numbers or expressions.

To fill it, such a function is compiled with an extra argument per hole, which selects a choice. Reads
of these arguments from the tape are then replaced by variables.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from types import FunctionType
from typing import Any, NoReturn

from anc.compiler.graph import ADD, READ, Constant, Graph, Operand, Variable
from anc.isa import InstructionSet
from anc.program import Program
from anc.python.check import unfinished
from anc.python.compile import Routine, compiled, unsupported_parts
from anc.python.layout import Layout, Parameter
from anc.python.signature import Options, SignatureReader, is_hole
from anc.python.source import Definition, Module, constant
from anc.support.diagnostics import AncError, Diagnostic, SourceError, error

HELP = "write what may stand here: anc.hole((0, 1, 2)), or anc.hole((a + b, a - b))"


@dataclass(frozen=True)
class OpenHole:
    """A hole: its node and its place in the text, the source of its choices, and the number that selects each."""

    node: ast.Call
    begin: int
    end: int
    words: tuple[str, ...]
    choices: tuple[int, ...]
    are_numbers: bool  # whether the choices are numbers themselves, not expressions


class OpenFunction:
    """A Python function with holes, which must be filled before it is a program."""

    def __init__(
        self,
        module: Module,
        definition: Definition,
        memory: int | None,
        wrap: bool | None,
        python: FunctionType | None = None,
        instructions: InstructionSet | None = None,
    ) -> None:
        self.module, self.definition, self.python = module, definition, python
        signature = SignatureReader(module, definition)
        options = signature.options(instructions) if wrap is None else Options()
        options = options.over(memory, wrap, instructions)
        self.layout = signature.layout()
        self.M, self.wrap = options.memory_of(definition.name), options.wrap
        self.instructions = options.instructions
        problems = [*signature.problems]
        if self.layout.tape is not None:
            message = "a function of the whole tape cannot have holes"
            problems.append(error(message, module.span(definition), "take numbers and lists"))
        self.holes = tuple(_read(module, node, self.M, problems) for node in holes_in(definition))
        module.refuse(problems)

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def text(self) -> str:
        return self.module.source.text

    def __call__(self, *arguments: Any, **named: Any) -> NoReturn:
        raise AncError(f"'{self.name}' has holes: fill them from cases with anc.fill")

    def with_memory(self, M: int | None) -> NoReturn:
        """Refuse with an error for every hole, as a complete program is needed."""
        self.module.refuse([unfinished(self.module, node) for node in holes_in(self.definition)])
        raise AssertionError("a function without holes is not open")

    def with_instructions(self, instructions: InstructionSet | None) -> OpenFunction:
        """The same function in another instruction set."""
        found = copy.copy(self)
        found.instructions = instructions or self.instructions
        return found

    @property
    def hole_cells(self) -> tuple[int, ...]:
        """The cell of each hole as an argument: the last ones of the tape."""
        return tuple(range(self.M - len(self.holes), self.M))

    @property
    def hole_names(self) -> tuple[str, ...]:
        """The names of the holes in the program, which no variable can have."""
        return tuple(f"hole {number}" for number, _ in enumerate(self.holes, start=1))

    def with_arguments(self) -> tuple[str, tuple[str, ...]]:
        """The text of the function in which every hole is an argument, the number of a choice; their names."""
        taken = {node.id for node in ast.walk(self.module.tree) if isinstance(node, ast.Name)}
        taken |= {node.arg for node in ast.walk(self.module.tree) if isinstance(node, ast.arg)}
        prefix = next(
            p for n in count() if not any(t.startswith(p := "_" * n + "hole_") for t in taken)
        )
        names = tuple(f"{prefix}{number}" for number, _ in enumerate(self.holes, start=1))
        choices = []
        for name, hole in zip(names, self.holes, strict=True):
            *others, last = hole.words
            tests = [f"({word}) if {name} == {n} else " for n, word in enumerate(others)]
            choices.append(f"({''.join(tests)}({last}))")
        text = filled_text(self.text, self.holes, choices)
        arguments = self.definition.args
        nodes = [*arguments.args, *arguments.defaults]
        if not nodes:
            message = f"'{self.name}' has no arguments, so there is nothing to learn its holes from"
            raise AncError(message)
        place = max(offsets(self.text, node)[1] for node in nodes)
        default = " = 0" if arguments.defaults else ""
        more = "".join(f", {name}: int{default}" for name in names)
        return text[:place] + more + text[place:], names

    def program(self) -> Program:
        """The program with one register per hole, named after the hole."""
        if self.layout.cells + len(self.holes) > self.M:
            least = self.layout.cells + len(self.holes)
            raise AncError(
                f"'{self.name}' with its holes does not fit in a memory of {self.M} cells",
                help=f"use a memory of at least {least}",
            )
        places = zip(self.hole_names, self.hole_cells, strict=True)
        more = [Parameter(name, cell) for name, cell in places]
        layout = replace(self.layout, parameters=(*self.layout.parameters, *more))
        definition = _Filler(self.holes, self.hole_names).visit(copy.deepcopy(self.definition))
        ast.fix_missing_locations(definition)
        assert isinstance(definition, ast.FunctionDef)
        self.module.refuse(list(unsupported_parts(self.module, definition, self.python)))
        routine = Routine(self.module, definition, layout, self.M, self.wrap, self.instructions)
        try:
            return compiled(routine, finish=self._use_variables)
        except SourceError as problem:
            spans = {self.module.span(hole.node) for hole in self.holes}
            self.module.refuse(
                [
                    replace(each, message=f"a hole cannot stand here: {each.message}")
                    if each.span in spans
                    else each
                    for each in problem.diagnostics
                ]
            )
            raise

    def _use_variables(self, graph: Graph) -> None:
        """Replace reads of the holes' cells by variables."""
        places = zip(self.hole_cells, self.hole_names, strict=True)
        variables: dict[Operand, Variable] = {Constant(cell): Variable(n) for cell, n in places}
        for node in graph.nodes.values():
            if node.op == READ and node.operands[0] in variables:
                node.op = ADD
                node.operands = variables[node.operands[0]], Constant(0)

    def input_fields(self, arguments: Sequence[Any]) -> dict[str, Any]:
        """The arguments of a call as a case without an output."""
        return {"input": self.layout.tape_of(arguments, self.M)}

    def call_fields(self, made: Sequence[Any]) -> dict[str, Any]:
        """A call and its expected result, ``[arguments, result]``, as a case.

        If the function returns nothing, the result is the final value of its arguments.
        """
        if len(made) != 2 or isinstance(made[0], str) or not isinstance(made[0], Sequence):
            raise AncError("expected the arguments of a call and its result: [[3, 4], 7]")
        arguments, result = made
        layout: Layout = self.layout
        before = layout.tape_of(arguments, self.M)
        if layout.result is None:
            after, counts = layout.tape_of(result, self.M), layout.counts or ()
        else:
            if type(result) not in (int, bool) or not 0 <= result < self.M:
                raise AncError(f"the result is {result!r}, expected a number below {self.M}")
            cells = list(before)
            cells[layout.result] = int(result)
            after, counts = tuple(cells), (layout.result,)
        mask = [int(cell in counts) for cell in range(self.M)]
        return {"input": list(before), "output": list(after), "mask": mask}


def holes_in(definition: Definition) -> list[ast.Call]:
    """The holes of a function, in source order, without nested ones."""
    found: list[ast.Call] = []

    def look(node: ast.AST) -> None:
        if isinstance(node, ast.Call) and is_hole(node):
            found.append(node)
            return
        for child in ast.iter_child_nodes(node):
            look(child)

    for statement in definition.body:
        look(statement)
    return found


def _read(module: Module, node: ast.Call, M: int, problems: list[Diagnostic]) -> OpenHole:
    def wrong(where: ast.AST, message: str, help: str) -> None:
        problems.append(error(message, module.span(where), help))

    parts: list[ast.expr] = []
    if len(node.args) == 1 and not node.keywords and isinstance(node.args[0], ast.Tuple | ast.List):
        parts = node.args[0].elts
    if not parts:
        wrong(node, "this hole has no choices", HELP)
    seen: set[str] = set()
    for part in parts:
        if any(isinstance(each, ast.Call) and is_hole(each) for each in ast.walk(part)):
            wrong(part, "a hole cannot be a choice of another hole", "name all choices in one")
        if ast.dump(part) in seen:
            wrong(part, "this is already a choice", "name it once")
        seen.add(ast.dump(part))
    text = module.source.text
    words = tuple(ast.get_source_segment(text, part) or "" for part in parts)
    place = offsets(text, node)
    values = [constant(part, module.numbers) for part in parts]
    numbers = tuple(value % M for value in values if isinstance(value, int))
    if len(numbers) < len(parts):
        return OpenHole(node, *place, tuple(map(_whole, words)), tuple(range(len(parts))), False)
    for part, value in zip(parts, values, strict=True):
        if isinstance(value, int) and abs(value) >= M:
            wrong(part, f"{value} does not fit in a memory of {M} cells", "use a larger memory")
    return OpenHole(node, *place, words, numbers, True)


def offsets(text: str, node: Any) -> tuple[int, int]:
    """Where a node begins and ends in the text; Python counts columns in bytes."""
    lines = text.split("\n")

    def offset(line: int, column: int) -> int:
        before = sum(len(row) + 1 for row in lines[: line - 1])
        return before + len(lines[line - 1].encode()[:column].decode())

    return offset(node.lineno, node.col_offset), offset(node.end_lineno, node.end_col_offset)


def filled_text(text: str, holes: Sequence[Any], words: Sequence[str]) -> str:
    """A text with these words in place of its holes."""
    pairs = zip(holes, words, strict=True)
    for hole, word in sorted(pairs, key=lambda pair: -pair[0].begin):
        text = text[: hole.begin] + word + text[hole.end :]
    return text


def _whole(word: str) -> str:
    """An expression in parentheses, unless it is a name or a number."""
    return word if word.isidentifier() or word.isdigit() else f"({word})"


class _Filler(ast.NodeTransformer):
    """Replaces each hole by a name, or by a conditional expression that the name selects from."""

    def __init__(self, holes: Sequence[OpenHole], names: Sequence[str]) -> None:
        keys = [(hole.node.lineno, hole.node.col_offset) for hole in holes]
        self.at = dict(zip(keys, zip(holes, names, strict=True), strict=True))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not is_hole(node):
            return self.generic_visit(node)
        hole, name = self.at[node.lineno, node.col_offset]
        chosen = ast.copy_location(ast.Name(name, ast.Load()), node)
        if hole.are_numbers:
            return chosen
        assert isinstance(node.args[0], ast.Tuple | ast.List)
        *others, result = node.args[0].elts
        for number, part in reversed(list(enumerate(others))):
            is_it = ast.Compare(chosen, [ast.Eq()], [ast.Constant(number)])
            result = ast.copy_location(ast.IfExp(is_it, part, result), node)
        return result
