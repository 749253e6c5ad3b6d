"""Instruction outputs in JavaScript, translated from the Python functions that define them.

The translation covers whole-number arithmetic on local names: assignments, `if`, `while`, conditional expressions,
`min`, `max`, `abs` and `int`. Numbers are exact up to 2^53. An output that uses anything else is tabulated for small
memories.
"""

from __future__ import annotations

import ast
import base64
import inspect
import json
import sys
from collections.abc import Sequence

from anc import isa
from anc.isa import Effect, Instruction, InstructionSet, Meaning
from anc.support.limits import MAX_MEMORY

TABULATED = 32  # the largest memory of a set with an output that is tabulated
_BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
}
_CALLED = {ast.Mod: "modulo", ast.FloorDiv: "floorDivided"}
_COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_FUNCTIONS = {"min": "Math.min", "max": "Math.max", "abs": "Math.abs", "int": "Number"}
_EFFECTS = {Effect.READ: "READ", Effect.STOP: "STOP", Effect.WRITE: "WRITE", Effect.JUMP: "JUMP"}
# the meanings that the page's soft machine has a fast path for
_FAST: dict[Meaning, str] = {
    isa.add: "add",
    isa.subtract: "subtract",
    isa.smaller: "smaller",
    isa.larger: "larger",
}


def sets_script(sets: Sequence[tuple[str, InstructionSet]]) -> str:
    """The statement that defines SETS: the instruction sets of a page by their names."""
    lines = ["const SETS = Object.create(null);"]
    for name, instructions in sets:
        outputs = [in_javascript(row.output, instructions.text) for row in instructions]
        largest = TABULATED if None in outputs else MAX_MEMORY
        word = json.dumps(name)
        lines.append(f"SETS[{word}] = instructionSet({word}, {largest}, [")
        for row, output in zip(instructions, outputs, strict=True):
            effect = _EFFECTS.get(row.effect, "")
            text = output or f'tabulated("{_tables(row)}")'
            fast = _FAST.get(row.output, "")
            lines.append(f'  ["{row.name}", {row.operands}, "{effect}", {text}, "{fast}"],')
        lines.append("]);")
    return "\n".join(lines) + "\n"


def in_javascript(meaning: Meaning, text: str | None = None) -> str | None:
    """A function of JavaScript with the same output; None if the Python function uses more than arithmetic.

    `text` is the source of functions that are in no file.

    >>> from anc.isa import add
    >>> in_javascript(add)
    '(a_, b_, M_) => { return modulo((a_ + b_), M_); }'
    """
    try:
        return _function(_definition(meaning, text))
    except _Untranslatable:
        return None


class _Untranslatable(Exception):
    pass


def _definition(meaning: Meaning, text: str | None) -> ast.FunctionDef | ast.Lambda:
    """The definition of a function in the source of its module."""
    code = getattr(meaning, "__code__", None)
    if code is None or code.co_freevars or meaning.__defaults__:
        raise _Untranslatable
    try:
        source = inspect.getsource(sys.modules[meaning.__module__])
    except (OSError, TypeError, KeyError):
        source = text or ""
    for node in ast.walk(ast.parse(source)):
        if getattr(node, "lineno", None) != code.co_firstlineno:
            continue
        if isinstance(node, ast.Lambda) and _compiled(node) == code.co_code:
            return node
        if isinstance(node, ast.FunctionDef):
            return node
    raise _Untranslatable


def _compiled(node: ast.Lambda) -> bytes:
    return eval(compile(ast.Expression(node), "<lambda>", "eval")).__code__.co_code


def _function(node: ast.FunctionDef | ast.Lambda) -> str:
    parameters = [argument.arg for argument in node.args.args]
    translator = _Translator(parameters)
    if isinstance(node, ast.Lambda):
        body = f"return {translator.expression(node.body)};"
    else:
        statements = node.body[1:] if ast.get_docstring(node) else node.body
        body = translator.block(statements)
    declared = [f"{name}_" for name in translator.names if name not in parameters]
    local = f"let {', '.join(declared)}; " if declared else ""
    return f"({', '.join(f'{name}_' for name in parameters)}) => {{ {local}{body} }}"


class _Translator:
    """Translates statements and expressions; `names` are the local ones met so far."""

    def __init__(self, parameters: Sequence[str]) -> None:
        self.names = dict.fromkeys(parameters)

    def block(self, statements: Sequence[ast.stmt]) -> str:
        return " ".join(map(self.statement, statements))

    def statement(self, node: ast.stmt) -> str:
        match node:
            case ast.Return(value) if value is not None:
                return f"return {self.expression(value)};"
            case ast.Assign([ast.Tuple(names)], ast.Tuple(values)) if len(names) == len(values):
                made = ", ".join(map(self.expression, values))
                return f"[{', '.join(map(self.assigned, names))}] = [{made}];"
            case ast.Assign([target], value):
                made = self.expression(value)
                return f"{self.assigned(target)} = {made};"
            case ast.AugAssign(ast.Name(name), operator, value):
                made = self.expression(ast.BinOp(ast.Name(name), operator, value))
                return f"{name}_ = {made};"
            case ast.While(test, body, []):
                return f"while ({self.expression(test)}) {{ {self.block(body)} }}"
            case ast.If(test, body, otherwise):
                rest = f" else {{ {self.block(otherwise)} }}" if otherwise else ""
                return f"if ({self.expression(test)}) {{ {self.block(body)} }}{rest}"
        raise _Untranslatable

    def assigned(self, target: ast.expr) -> str:
        if not isinstance(target, ast.Name):
            raise _Untranslatable
        self.names[target.id] = None
        return f"{target.id}_"

    def expression(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(int(value)):
                return str(int(value))
            case ast.Name(name) if name in self.names:
                return f"{name}_"
            case ast.BinOp(left, operator, right):
                return self.operation(operator, self.expression(left), self.expression(right))
            case ast.UnaryOp(ast.USub(), operand):
                return f"(-{self.expression(operand)})"
            case ast.UnaryOp(ast.Not(), operand):
                return f"(!{self.expression(operand)})"
            case ast.BoolOp(operator, values):
                mark = " && " if isinstance(operator, ast.And) else " || "
                return f"({mark.join(map(self.expression, values))})"
            case ast.Compare(left, operators, rights):
                return self.compared([left, *rights], operators)
            case ast.IfExp(test, body, otherwise):
                parts = map(self.expression, (test, body, otherwise))
                return "({} ? {} : {})".format(*parts)
            case ast.Call(ast.Name(name), arguments, []) if name in _FUNCTIONS:
                return f"{_FUNCTIONS[name]}({', '.join(map(self.expression, arguments))})"
        raise _Untranslatable

    def operation(self, operator: ast.operator, left: str, right: str) -> str:
        if type(operator) in _BINARY:
            return f"({left} {_BINARY[type(operator)]} {right})"
        if type(operator) in _CALLED:
            return f"{_CALLED[type(operator)]}({left}, {right})"
        if isinstance(operator, ast.RShift):
            return f"floorDivided({left}, 2 ** {right})"
        raise _Untranslatable

    def compared(self, values: Sequence[ast.expr], operators: Sequence[ast.cmpop]) -> str:
        if any(type(operator) not in _COMPARED for operator in operators):
            raise _Untranslatable
        texts = list(map(self.expression, values))
        pairs = zip(texts, operators, texts[1:], strict=False)
        return f"({' && '.join(f'{a} {_COMPARED[type(o)]} {b}' for a, o, b in pairs)})"


def _tables(row: Instruction) -> str:
    """The outputs for all memories of up to TABULATED cells, one after the other."""
    sizes = range(1, TABULATED + 1)
    numbers = [row.output(a, b, M) for M in sizes for a in range(M) for b in range(M)]
    return base64.b64encode(bytes(numbers)).decode("ascii")
