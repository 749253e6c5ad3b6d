"""Which functions return True or False, and what an emitted one then returns."""

from __future__ import annotations

import pytest

from anc.codegen.functions import function_in_python
from anc.language.source import Source
from anc.python.bool_inference import returns_truths
from anc.python.function import Function, read
from anc.python.source import parse

HEAD = """YES = True
BOTH = (True, False)
THREE = 3

def before(p, q):
    r, s = p < q, q < p
    return r

def same(p):
    return p

def f(a: int, b: int, c: bool) -> int:
"""

TRUTHS = [
    "return a < b",
    "return not a",
    "return c and a < b",
    "return c if a else b == 1",
    "return (a < b) & c | YES",
    "return max(a < b, c)",
    "return any(i == a for i in range(2))",
    "return max(i == a for i in range(2))",
    "return before(a, b)",
    "return same(a < b)",
    "return BOTH[0]",
    "x, y = a < b, b < a\nx, y = y, x\nreturn x",
    "x = not b\na, x = x, a\nreturn a",
    "x = 1\nx = y = a < b\nreturn y and x",
    "x: bool = a < b\nx ^= c\nreturn x",
    "c = not c\nreturn c",
    "x = False\nfor i in range(3):\n    if i == a:\n        x = True\n        break\nreturn x",
    "while a < b:\n    a = a < b\n    if a:\n        return a\n    break\nreturn c",
]
NUMBERS = [
    "return a",
    "return int(c)",
    "return abs(c)",
    "return c + YES",
    "return c and a",
    "return max(c, a)",
    "return c if a else b",
    "return THREE",
    "return same(a)",
    "x = a < b\nx += 1\nreturn x",
    "x = a < b\nx |= 2\nreturn x",
    "x = a < b\nif b:\n    x = 3\nreturn x",
    "x, y = a < b, a\nx, y = y, x\nreturn x",
    "x = c\nfor i in range(3):\n    if x:\n        break\n    x = i\nreturn x",
    "x = c\nfor i in range(3):\n    if x:\n        x = 2\n        continue\n    x = c\nreturn x",
    "x = c\nfor x in range(3):\n    pass\nreturn x",
    "YES = a\nreturn YES",
    "if a:\n    return c\nreturn 2",
]


def function_of(body: str) -> Function:
    text = HEAD + "".join(f"    {line}\n" for line in body.split("\n"))
    module = parse(Source(text, "x.py"))
    return read(module, module.functions["f"], memory=64)


@pytest.mark.parametrize(
    ("body", "is_truth"), [*((t, True) for t in TRUTHS), *((t, False) for t in NUMBERS)]
)
def test_what_a_function_returns_is_of_the_type_that_its_text_says(body, is_truth):
    function = function_of(body)
    assert returns_truths(function.module, function.definition) is is_truth
    emitted: dict = {}
    exec(function_in_python(function, function.program, []), emitted)
    original: dict = {}
    exec(function.module.source.text, original)
    for call in [(0, 1, False), (1, 0, True), (1, 1, True), (2, 0, False)]:
        found, wanted = emitted["f"](*call), original["f"](*call)
        assert found == wanted
        assert type(found) is (bool if is_truth else int)
