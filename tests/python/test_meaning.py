"""A function means the same by definition, on the exact machine and on the sharp soft machine."""

from copy import deepcopy
from random import Random

import pytest
from python.interpreter import TooLong, meaning
from python.random_functions import random_function

import anc
from anc import isa
from anc.language.source import Source
from anc.machine.exact import Stop, run
from anc.machine.softrun import run_soft
from anc.python import arithmetic
from anc.python.function import read
from anc.python.source import parse
from anc.support.diagnostics import AncError

# that Python returns something else is what these are about
pytestmark = pytest.mark.filterwarnings("ignore:.* in Python, and :RuntimeWarning")

FUNCTIONS, TAPES = 20, 3


SETS = (isa.PAPER, isa.WIDE)


def function_of(text: str, memory: int | None = None, instructions: isa.InstructionSet = isa.WIDE):
    module = parse(Source(text, "x.py"))
    return read(module, module.functions["f"], memory, instructions=instructions)


def random_tape(random: Random, function) -> tuple[int, ...]:
    M, layout = function.M, function.layout
    tape = [random.randrange(random.choice((M, 8))) for _ in range(M)]
    for parameter in layout.parameters:
        if parameter.length is not None:
            tape[parameter.length] = random.randint(0, parameter.size)
    return tuple(tape)


@pytest.mark.parametrize("rounds", [0, 2])
def test_a_variable_hides_a_number_of_the_module_also_before_it_has_a_value(rounds):
    text = (
        "STEP = 3\n@anc.function(memory=64)\ndef f(n: int) -> int:\n"
        "    for i in range(n):\n        STEP = i + 6\n    return helped(n) + STEP\n"
        "def helped(n):\n    return STEP"
    )
    function, tape = function_of(text), (rounds, *[0] * 63)
    meant = meaning(function, tape)
    assert run(function.program, tape, 1000).tape == meant.tape
    assert meant.result == 3 + (7 if rounds else 0)
    found = function.in_python(rounds)
    assert (found.result, found.error) == ((10, None) if rounds else (None, "UnboundLocalError"))


def test_random_functions_leave_the_tape_that_their_meaning_leaves():
    compared = 0
    for seed in range(FUNCTIONS):
        random = Random(seed)
        M = random.choice((256, 101, 64))
        function = function_of(random_function(random, M), instructions=SETS[seed % 2])
        try:
            program = function.program
        except AncError as problem:
            assert "does not fit in a memory" in str(problem)
            continue
        for _ in range(TAPES):
            tape = random_tape(random, function)
            try:
                meant = meaning(function, tape)
            except TooLong:
                continue
            done = run(program, tape, 1_000_000)
            assert (done.stop, done.tape) == (Stop.STOPPED, meant.tape), seed
            assert meant.result is None or function.result(done.tape) == meant.result, seed
            compared += 1
    assert compared > FUNCTIONS * 2


def outcome(call, arguments) -> tuple:
    """What real Python makes of a call."""
    try:
        result = call(*arguments)
    except (ArithmeticError, LookupError, NameError, ValueError) as problem:
        return None, type(problem).__name__
    return (result, tuple(tuple(each) for each in arguments if isinstance(each, list))), None


def test_the_interpreter_is_python_where_numbers_have_any_size():
    errors = 0
    for seed in range(40):
        random = Random(f"python/{seed}")
        text = random_function(random, 64)
        function = function_of(text)
        names: dict = {}
        exec(text.replace("@anc.function(memory=64)", ""), names)
        for _ in range(TAPES):
            arguments = random_arguments(random, function)
            meant = function.in_python(*deepcopy(arguments))
            if meant.error == "no end":
                continue
            found, error = outcome(names["f"], arguments)
            assert meant.error == error, seed
            assert error is not None or (meant.result, meant.lists) == found, seed
            errors += error is not None
    assert 0 < errors < 40 * TAPES


def random_arguments(random: Random, function) -> list:
    """Arguments of any size, also such as do not fit."""
    if function.layout.tape is not None:
        return [[random.randrange(8) for _ in range(64)]]
    lengths = [
        p.size and (p.size if p.length is None else random.randint(0, 4))
        for p in function.layout.parameters
    ]
    return [
        random.randrange(-3, 300) if n is None else [random.randrange(12) for _ in range(n)]
        for n in lengths
    ]


def test_and_so_does_the_soft_machine():
    registers, compared = 18, 0
    for seed in range(12):
        random = Random(f"soft/{seed}")
        function = function_of(random_function(random, 40))
        try:
            program = function.program
        except AncError:
            continue
        tape = random_tape(random, function)
        if registers < program.R or run(program, tape, 100).stop is not Stop.STOPPED:
            continue
        weights = anc.soften(program.with_spare(registers - program.R), 40, 40.0)
        assert run_soft(weights, [tape], 100)[0].tape == meaning(function, tape).tape, seed
        compared += 1
    assert compared > 2


M = 48
OPERATIONS = {
    "a - b": lambda a, b: a - b,
    "a * b": lambda a, b: a * b,
    "a // b": lambda a, b: a // b if b else 0,
    "a % b": lambda a, b: a % b if b else a,
    "a & b": lambda a, b: a & b,
    "a | b": lambda a, b: a | b,
    "a ^ b": lambda a, b: a ^ b,
    "a << b": lambda a, b: a << b,
    "a >> b": lambda a, b: a >> b,
    "abs(a - b)": lambda a, b: abs(a - b),
    "-a < b": lambda a, b: -a % M < b,
    "~a + a ** 3": lambda a, b: ~a + a**3,
    "a // 3 + a % 3": lambda a, b: a // 3 + a % 3,
    "a & 21": lambda a, b: a & 21,
    "a >> 2": lambda a, b: a >> 2,
    "a * 11": lambda a, b: a * 11,
    "a // 0 + a % 0": lambda a, b: a,
    "(7, 9, 4)[a]": lambda a, b: (7, 9, 4)[a] if a < 3 else 0,
}


@pytest.mark.parametrize("operator", ["&", "|", "^"])
@pytest.mark.parametrize("instructions", SETS)
def test_bits_where_memory_is_a_power_of_two(operator, instructions):
    text = f"def f(a: int, b: int) -> int:\n    return a {operator} b\n"
    function = function_of(text, 32, instructions)
    for a in range(32):
        for b in (0, 1, 5, 16, 21, 31):
            wanted = eval(f"{a} {operator} {b}")
            assert function.result(run(function.program, function.tape(a, b), 999).tape) == wanted


@pytest.mark.parametrize("expression", OPERATIONS)
@pytest.mark.parametrize("instructions", SETS)
def test_arithmetic_is_python_s_modulo_m(expression, instructions):
    text = f"def f(a: int, b: int) -> int:\n    return {expression}\n"
    function = function_of(text, M, instructions)
    for a in range(0, M, 3):
        for b in (0, 1, 2, 5, M // 2, M - 1):
            tape = function.tape(a, b)
            wanted = OPERATIONS[expression](a, b) % M
            assert meaning(function, tape).result == wanted
            assert function.result(run(function.program, tape, 10_000).tape) == wanted


def test_the_operations_written_in_the_subset_are_right_in_python_too():
    for a in range(0, 64, 3):
        for b in range(0, 64, 5):
            assert arithmetic.times(a, b) == a * b
            assert arithmetic.quotient(a, b) == (a // b if b else 0)
            assert arithmetic.remainder(a, b) == (a % b if b else a)
            assert arithmetic.doubled(a, b % 8) == a << b % 8
            assert arithmetic.halved(a, b % 8) == a >> b % 8
            assert arithmetic.common_bits(a, b, 32) == a & b


@pytest.mark.parametrize("factor", [0, 1, 2, 3, 7, 15, 31, 45, 50, 94, 99])
@pytest.mark.parametrize("instructions", SETS)
def test_a_product_with_a_known_factor_is_one(factor, instructions):
    text = (
        f"import anc\n\n@anc.function(memory=100, wrap=True)\ndef f(a):\n    return a * {factor}\n"
    )
    function = function_of(text.replace("(a)", "(a: int) -> int"), None, instructions)
    for a in (0, 1, 2, 9, 57, 99):
        tape = run(function.program, function.tape(a), 99).tape
        assert function.result(tape) == a * factor % 100


def test_an_index_goes_round_and_a_known_one_counts_from_the_end():
    text = (
        "from typing import Annotated\nimport anc\n\n@anc.function(memory=30)\n"
        "def f(values: Annotated[list[int], anc.Size(up_to=3)], i: int) -> int:\n"
        "    return values[i] * 4 + values[-1]\n"
    )
    function = function_of(text)
    assert function.result(run(function.program, function.tape([5, 2], 0), 99).tape) == 5 * 4 + 2
    assert function.result(run(function.program, function.tape([5, 2], 3), 99).tape) == 3 * 4 + 2
    assert function.result(run(function.program, function.tape([5, 2], 29), 99).tape) == 2 * 4 + 2
