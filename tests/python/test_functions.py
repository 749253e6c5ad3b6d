"""A decorated function is still the Python function, and is a program wherever one may be."""

import pickle
import warnings
from pathlib import Path
from random import Random
from typing import Annotated

import pytest
from python import counting

import anc
from anc import isa
from anc.data.loading import load
from anc.language.source import Source
from anc.machine.exact import Stop
from anc.proof import parse_fact
from anc.python.files import read_function
from anc.python.function import read
from anc.python.source import parse
from anc.support.diagnostics import AncError, SourceError

OUTSIDE = 3
MUL = Path(__file__).parents[1] / "mul.py"
Eight = Annotated[list[int], anc.Size(8)]


def test_it_is_still_the_python_function():
    assert counting.count_above([3, 9, 1], 2) == 2
    assert counting.count_above(values=[500, 7], limit=17) == 1
    assert counting.count_above.__name__ == "count_above"
    assert "above the limit" in counting.count_above.__doc__
    tape = [3, 2, 2, 9, 15, 0, 0, 0, 1, 15, 17, 7, 13]
    counting.listk(tape)
    assert tape[2] == 17


def test_and_a_program():
    function = counting.count_above
    tape = function.tape([3, 9, 1, 0, 0, 0, 0, 5], 2)
    assert tape[:10] == (3, 9, 1, 0, 0, 0, 0, 5, 2, 0)
    done = anc.run(function, tape)
    assert done.stop is Stop.STOPPED and function.result(done.tape) == 3
    assert done.tape[:9] == tape[:9]
    assert anc.soften(function).op.shape == (64, anc.WIDE.N)
    assert load(function).program is function.program
    assert anc.run(function.program, tape).tape == done.tape
    assert load(function, 80).program.memory == 80


def test_layouts():
    layout = counting.weighted.layout
    assert [(p.name, p.length, list(p.cells)) for p in layout.parameters] == [
        ("values", 0, [1, 2, 3])
    ]
    assert (layout.result, layout.cells, layout.counts) == (4, 5, (0, 1, 2, 3, 4))
    assert counting.weighted.tape([7, 9])[:5] == (2, 7, 9, 0, 0)
    assert layout.lists_of((2, 7, 9, 1, 0)) == {"values": [7, 9]}
    has = counting.has
    assert has.result(anc.run(has, has.tape([1, 2], 2)).tape) is True
    assert has.result(anc.run(has, has.tape([1, 2], 3)).tape) is False
    assert counting.listk.layout.counts is None and counting.listk.result([1]) is None


def test_the_instruction_set_is_wide_unless_it_is_said_otherwise():
    def product(a: int, b: int) -> int:
        return a * b

    mul = isa.load(str(MUL))
    sets = {"wide": anc.WIDE, "paper": anc.PAPER, anc.PAPER: anc.PAPER, MUL: mul, mul: mul}
    for given, wanted in sets.items():
        function = anc.function(memory=30, instructions=given)(product)
        assert function.program.instructions == function.exact.instructions == wanted
        assert function.result(anc.run(function, function.tape(4, 7)).tape) == 28
    function = anc.function(memory=30)(product)
    assert [line.op for line in function.program.lines][2] == "MUL"
    tape = function.tape(4, 7)
    assert len(anc.trace(function, tape, instructions="paper")) > 12
    with pytest.raises(AncError, match="expected a Python file with INSTRUCTIONS"):
        anc.function(memory=30, instructions="none.py")(product)


@pytest.mark.parametrize("values", [[], [7], [1, 2], [9, 0, 3]])
def test_lists_of_any_length(values):
    function = counting.weighted
    assert function.result(anc.run(function, function.tape(values)).tape) == function(values)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1], 64), "'limit' is 64, which does not fit: numbers go from 0 to 63"),
        (([1], -1), "'limit' is -1"),
        (([1, 70], 1), r"'values\[1\]' is 70"),
        (([0] * 9, 1), "'values' has 9 elements, at most 8 fit"),
        ((3, 1), "'values' is of type int, expected a list"),
        (([1], "x"), "'limit' is of type str"),
        (([1],), r"expected 2 \(values, limit\) arguments, found 1"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_by_name(arguments, message):
    with pytest.raises(AncError, match=message):
        counting.count_above.tape(*arguments)


def test_numbers_of_the_module_and_of_closures_are_constants():
    inner = 5

    @anc.function(memory=30)
    def sums(x: int) -> int:
        return x + OUTSIDE + inner

    assert sums(2) == sums.result(anc.run(sums, sums.tape(2)).tape) == 10


def test_a_function_that_is_refused_says_so_where_it_is_defined():
    with pytest.raises(SourceError, match=r"test_functions.py:\d+:\d+"):

        @anc.function(memory=30)
        def wrong(x: int) -> float:
            return x / 2

    with pytest.raises(AncError, match="expected a whole number from 1 to 65536"):
        anc.function(memory="64")
    with pytest.raises(SourceError, match="use a size from 10 to"):
        counting.count_above.with_memory(9)


def test_what_is_no_function_with_a_name_or_no_whole_tape_is_refused():
    with pytest.raises(AncError, match="a lambda cannot be compiled"):
        anc.function(memory=20)(lambda x: x)
    with pytest.raises(AncError, match="the tape has 1 cells, but the result is in cell"):
        counting.count_above.result([1])


def test_a_result_that_python_does_not_have_is_mentioned():
    @anc.function(memory=30)
    def less(a: int, b: int) -> int:
        return a - b

    @anc.function(memory=30)
    def part(a: int, b: int) -> int:
        return a // b

    @anc.function(memory=30, wrap=True)
    def wrapped(a: int, b: int) -> int:
        return a - b

    def result(function, *arguments):
        return function.result(anc.run(function, function.tape(*arguments)).tape)

    with pytest.warns(RuntimeWarning, match=r"less\(3, 5\) is -2 in Python, and 28 on this tape"):
        assert result(less, 3, 5) == 28
    with pytest.warns(RuntimeWarning, match=r"part\(3, 0\) ends with ZeroDivisionError in Python"):
        assert result(part, 3, 0) == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (result(less, 5, 3), result(wrapped, 3, 5)) == (2, 28)


NOT_FOUND = -1


def test_a_negative_result_is_mentioned():
    @anc.function(memory=30)
    def place(values: Annotated[list[int], anc.Size(3)], x: int) -> int:
        for i in range(3):
            if values[i] == x:
                return i
        return NOT_FOUND

    @anc.function(memory=30)
    def sign(x: int) -> int:
        return 1 if x > 3 else (0 if x == 3 else -1)

    for function in (place, sign):
        with pytest.warns(anc.CompilerWarning, match=r"this returns -1, but .* it returns 29"):
            anc.run(function, [])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        anc.run(anc.function(memory=30, wrap=True)(sign.python), [])


def test_a_variable_that_may_have_no_value_is_mentioned():
    @anc.function(memory=30)
    def forgetful(x: int) -> int:
        if x > 3:
            y = 1
        return y

    with pytest.warns(anc.CompilerWarning, match="'y' may be read before it has a value"):
        anc.run(forgetful, forgetful.tape(1))


def test_leading_asserts_are_facts():
    assert counting.count_above.facts == ("tape[8] < 20",)
    assert counting.weighted.facts == ("tape[0] <= 3",)

    @anc.function(memory=30)
    def stated(values: Eight, more: Eight, i: int) -> int:
        """With documentation."""
        assert all(v < i for v in values) and values[-1] == OUTSIDE
        assert not (i == 3 or more[0])
        assert all(values[k] <= values[k + 1] for k in range(2))
        assert sum(values) < 9  # has no form as a fact
        i += 1
        assert i > 9  # is none: it does not lead
        return i

    assert "no proof can use this assert" in stated.warnings
    assert stated.warnings.count("-->") == 1
    assert stated.facts == (
        *(f"tape[{cell}] < tape[16]" for cell in range(8)),
        "tape[7] == 3",
        "not (tape[16] == 3 or tape[8] != 0)",
        "tape[0] <= tape[1]",
        "tape[1] <= tape[2]",
    )


def test_adapting_to_calls_uses_the_facts():
    calls = [(i % 15, 1) for i in range(40)]
    result = anc.adapt(counting.chosen, calls, budget=30, method="specialise")
    assert result.steps_adapted < result.steps_generic
    assert "tape[1] < 3" in result.precondition
    with pytest.raises(AncError, match="'x' is 40"):
        anc.adapt(counting.chosen, [(40, 1)] * 40, budget=1)
    with pytest.raises(AncError, match=r"chosen\(1, 4\), where Python ends with AssertionError"):
        anc.adapt(counting.chosen, [(1, 4)] * 40, budget=1)


def test_what_python_itself_computes():
    function = counting.count_above
    assert function.in_python([3, 900, -1], 2).result == 2
    assert counting.weighted.in_python([9, 9, 9, 9]).result == 35
    assert counting.weighted.in_python([-9, 100]).result == 1
    assert function.in_python([1], 2).lists == ((1,),)
    assert counting.listk.in_python([3, 1, 2, 5]).error == "IndexError"


def test_a_function_can_be_sent_to_another_process_also_once_it_was_called():
    function = read_function(f"{counting.__file__}:weighted")
    for _ in range(2):
        assert function.in_python([9, 9, 9, 9]).result == 35
        function = pickle.loads(pickle.dumps(function))


def test_what_is_known_of_a_call_that_breaks_asserts_or_never_ends():
    text = (
        "def f(n: int, m: int) -> int:\n    assert n < 5\n    assert m < n, 'less'\n"
        "    while m:\n        assert m < 9\n    return ~(n == m)\n"
    )
    module = parse(Source(text, "x.py"))
    function = read(module, module.functions["f"], memory=20)
    assert function.in_python(1, 0).result == -1
    assert function.in_python(3, 1).error == "no end"
    assert function.in_python(7, 9).error == "AssertionError"
    assert function.broken_asserts(function.tape(7, 9)) == [2, 3, 5]
    assert function.broken_asserts(function.tape(3, 1)) == []


@pytest.mark.parametrize(
    "test",
    [
        "x < 5 <= values[0] + 1",
        "not (x == 3 or values[-1])",
        "all(v < x for v in values)",
        "any(v == x for v in values) and x * 2 - 1 > values[1]",
        "all(values[k] <= values[k + 1] for k in range(2))",
        "all(any(v == w for v in values) for w in values)",
        "x",
    ],
)
def test_facts_hold_where_the_asserts_do(test):
    text = f"def f(values: Annotated[list[int], Size(3)], x: int):\n    assert {test}\n"
    module = parse(Source(text, "x.py"))
    function = read(module, module.functions["f"], memory=20)
    facts = [parse_fact(fact, 20) for fact in function.facts]
    assert facts
    for place in range(200):
        random = Random(place)
        values, x = [random.randrange(6) for _ in range(3)], random.randrange(8)
        wanted = bool(eval(test, {"values": values, "x": x}))
        assert all(fact.holds(function.tape(values, x)) for fact in facts) == wanted
