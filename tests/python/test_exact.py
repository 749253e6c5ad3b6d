"""Exact programs stop only where they do what Python does."""

from copy import deepcopy
from itertools import product
from random import Random

import pytest
from python.random_functions import random_function
from python.test_meaning import SETS, function_of, random_arguments

from anc import isa
from anc.machine.exact import Stop, run
from anc.support.diagnostics import AncError

HEAD = "from typing import Annotated\nimport anc\nSTEP = -2\nWEIGHTS = (3, 1)\n"


def written(body: str, arguments: str = "a: int, b: int", memory: int = 64, instructions=isa.WIDE):
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    text = f"{HEAD}@anc.function(memory={memory})\ndef f({arguments}) -> int:\n{lines}\n"
    return function_of(text, None, instructions)


def ends(function, *arguments) -> bool:
    """Whether the exact program stops; then it does what Python does."""
    done = run(function.exact, function.tape(*deepcopy(arguments)), 100_000)
    if done.stop is not Stop.STOPPED:
        assert done.stop is Stop.PAST_END
        return False
    outcome = function.in_python(*deepcopy(arguments))
    assert outcome.error is None
    assert outcome.result == function.result(done.tape)
    lists = function.layout.changed(done.tape)[1]
    assert [tuple(each) for each in lists] == list(outcome.lists)
    return True


def test_random_functions_stop_only_where_they_do_what_python_does():
    stopped = tried = 0
    for seed in range(20):
        random = Random(f"exact/{seed}")
        text = random_function(random, random.choice((64, 101, 256)))
        function = function_of(text, None, SETS[seed % 2])
        try:
            _ = function.exact
        except AncError:
            continue
        for _ in range(6):
            arguments = random_arguments(random, function)
            try:
                tape = function.tape(*arguments)
            except AncError:
                continue
            if function.layout.tape is not None:
                arguments = [list(tape)]
            stopped += ends(function, *arguments)
            tried += 1
    assert 10 < stopped < tried - 10


NUMBERS = (0, 1, 2, 5, 31, 32, 62, 63)
EXPRESSIONS = (
    "a + b", "a + 1", "a + 40", "a - b", "a - 1", "a * b", "a * 3", "a // b", "a % b", "a << b",
    "a << 2", "a << 7", "a >> b", "a & b", "a | b", "a ^ b", "-a", "~a", "a ** 2", "a ** 3",
    "abs(a - b)", "sum((a, b, 3))", "WEIGHTS[a]", "STEP + a", "a - b + b", "min(a, b) - 1",
)  # fmt: skip


@pytest.mark.parametrize("memory", [64, 100])
@pytest.mark.parametrize("instructions", SETS)
def test_it_stops_exactly_where_every_number_fits(memory, instructions):
    for expression in EXPRESSIONS:
        function = written(f"return {expression}", memory=memory, instructions=instructions)
        for a in NUMBERS:
            for b in (0, 1, 5, 63):
                known = {"a": a, "b": b, "WEIGHTS": (3, 1), "STEP": -2}
                try:
                    result = eval(expression, known)
                except (ArithmeticError, LookupError):
                    result = -1
                fits = 0 <= result < memory and (a >= b or "- b +" not in expression)
                fits = fits and "STEP" not in expression
                assert ends(function, a, b) == fits, (expression, a, b)


OPERATORS = (
    "a + b", "a - b", "a * b", "a // b", "a % b", "a << b", "a >> b", "a & b", "a | b", "a ^ b",
    "a < b", "a <= b", "a > b", "a >= b", "a == b", "a != b", "a and b", "a or b",
    "a * a", "a * 3", "a << 2", "3 << a", "a >> 2", "5 | a", "a ^ 6", "a & 6", "a // 3", "7 % b",
    "a ** 2", "a ** 3", "-a", "~a", "not a", "bool(a)", "a < b <= 5", "abs(a - b)", "max(a, b)",
    "1 if a < b else 2", "1 if not a <= b else 2", "a if a <= 4 else b", "a if 4 < a else b",
    "1 if a == b else 2", "a if a != 4 else b", "len(range(a, b, 3))",
)  # fmt: skip


@pytest.mark.parametrize("memory", [16, 19])
def test_every_operator_on_every_pair_of_numbers(memory):
    for expression in OPERATORS:
        body = f"return {expression}"
        if "range" in expression:
            body = "n = 0\nfor x in range(a, b, 3):\n    n += 1\nreturn n"
        function = written(body, memory=memory)
        program, checked = function.program, function.exact
        for a, b in product(range(memory), repeat=2):
            tape = function.tape(a, b)
            try:
                result = int(eval(expression, {"a": a, "b": b}))
            except ZeroDivisionError:
                result = None
            done, exact = run(program, tape, 999), run(checked, tape, 999)
            fits = result is not None and 0 <= result < memory
            assert (exact.stop is Stop.STOPPED) == fits, (expression, a, b)
            assert not fits or exact.tape[2] == result, (expression, a, b)
            assert result is None or done.tape[2] == result % memory, (expression, a, b)


LISTS = "values: Annotated[list[int], anc.Size(up_to=3)], a: int"


@pytest.mark.parametrize(
    ("body", "good", "bad"),
    [
        ("return values[a]", ([4, 5], 1), ([4, 5], 2)),
        ("values[a] = 7\nreturn 0", ([4, 5], 1), ([4, 5], 2)),
        ("return values[-2]", ([4, 5], 0), ([4], 0)),
        ("return values[1]", ([4, 5], 0), ([4], 0)),
        ("return max(values)", ([4, 5], 0), ([], 0)),
        ("return min(v for v in values if v > a)", ([4, 5], 4), ([4, 5], 5)),
        ("return sum(values)", ([30, 30, 3], 0), ([30, 30, 4], 0)),
        (
            "t = 0\nfor i, v in enumerate(values, a):\n    t = i\nreturn t",
            ([1, 1], 61),
            ([1, 1], 63),
        ),
        ("for v in values:\n    x = v\nreturn x", ([4, 5], 0), ([], 0)),
        ("assert a < 9\nreturn a", ([], 8), ([], 9)),
        ("t = a\nassert t < 9\nreturn t", ([], 8), ([], 9)),
    ],
)
def test_lists_and_asserts(body, good, bad):
    function = written(body, LISTS)
    assert ends(function, *good)
    assert not ends(function, *bad)


def test_a_helper_begins_without_values():
    text = (
        f"{HEAD}def g(a):\n    if a == 1:\n        x = 5\n    return x\n"
        "@anc.function(memory=64)\n"
        "def f(a: int, b: int) -> int:\n    t = 0\n    for c in (a, b):\n        t += g(c)\n    return t\n"
    )
    function = function_of(text)
    assert ends(function, 1, 1)
    assert not ends(function, 1, 2)


def test_without_room_for_the_checks_it_says_so():
    body = "\n".join(["t = a", *["t = t + b - a"] * 4, "return t"])
    function = written(body, memory=16)
    assert function.program.L <= 16
    with pytest.raises(AncError, match="with every number checked, does not fit in a memory of 16"):
        _ = function.exact
