"""Python functions: what is compiled against Python itself, and sources that are refused."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

from python.interpreter import TooLong, meaning
from python.random_functions import random_function

from anc.codegen.functions import function_in_python
from anc.language.source import Source
from anc.machine.exact import Stop, run
from anc.proof import Claim, parse_fact, prove
from anc.python.bool_inference import returns_truths
from anc.python.function import Function, read
from anc.python.source import parse
from anc.support.diagnostics import AncError
from fuzzing.entry import Entry, Parts, Wrong, must, same
from fuzzing.mutate import mutated_text

STEPS = 4_000
STRANGE = (-1, True, 10**30, 2.0, None, 63, 300)
WORDS = (
    "if", "else:", "elif", "while", "for", "in", "range(3)", "return", "pass", "break", "continue", "x",
    "y", "a", "values", "values[0]", "tape", "len(values)", "sum(values)", "min(a, b)", "max(values)",
    "abs(a)", "not", "and", "or", "True", "False", "None", "lambda: 0", "def", "class C: pass", "import",
    "import os", "yield", "await", "async", "with", "try:", "assert a < 3", "del x", "global x", "x: int",
    "**", "//", "%", "<<", ">>", "&", "~", "@", ":=", "...", "'x'", "b'x'", "f'{x}'", "1.5", "1j", "{}",
    "[1, 2]", "(1, 2, 3)", "*a", "**a", "x[1:2]", "x.y", "smaller(a, b)", "f(values, a, b, more)", "    ",
    "anc.hole((1, 2))", "anc.Size(4)", "list[int]", "int", "bool", "memory=64", "wrap=True", "reversed(values)",
    "zip(values, more)", "enumerate(values)", "all(v > 1 for v in values)", "any(values)", "-", "+", "==", "0",
)  # fmt: skip


def function_of(text: str, memory: int | None = None) -> Function:
    """The function f of a source text."""
    module = parse(Source(text, "x.py"))
    if "f" not in module.functions:
        raise AncError("there is no function f")
    return read(module, module.functions["f"], memory)


def make(random: Random) -> Parts:
    M = random.choice((64, 101, 256))
    text = random_function(random, M)
    numbers = "\n".join(" ".join(str(random.randrange(300)) for _ in range(20)) for _ in range(3))
    return {"source": text, "numbers": numbers}


def rows_of(parts: Parts) -> list[list[int]]:
    words = [line.split() for line in parts["numbers"].split("\n")]
    return [[int(w) for w in row if w.isdecimal()][:40] for row in words if row]


def tapes_of(function: Function, rows: list[list[int]]) -> list[tuple[int, ...]]:
    """Tapes of its arguments with these numbers; lengths are possible ones."""
    found = []
    for row in rows:
        cells = (row * function.M)[: function.M] or [0] * function.M
        tape = [value % function.M for value in cells]
        for parameter in function.layout.parameters:
            if parameter.length is not None:
                tape[parameter.length] %= parameter.size + 1
        found.append(tuple(tape))
    return found


def arguments_of(function: Function, row: list[int]) -> list[Any]:
    """Arguments with these numbers, of any size."""
    numbers = iter(row * 100 or [0] * 1000)
    if function.layout.tape is not None:
        return [[next(numbers) % 8 for _ in range(function.M)]]
    found: list[Any] = []
    for parameter in function.layout.parameters:
        length = parameter.size
        if length is not None and parameter.length is not None:
            length = next(numbers) % (length + 1)
        found.append(
            next(numbers) - 3 if length is None else [next(numbers) % 12 for _ in range(length)]
        )
    return found


def check_meaning(parts: Parts) -> bool:
    """The program leaves the tape that the function means."""
    function = function_of(parts["source"])
    program = function.program
    for tape in tapes_of(function, rows_of(parts)):
        try:
            meant = meaning(function, tape)
        except TooLong:
            continue
        done = run(program, tape, STEPS)
        if done.stop is Stop.STEP_LIMIT:
            continue
        same("program", (done.stop, done.tape), (Stop.STOPPED, meant.tape))
        if meant.result is not None:
            same("result", function.layout.result_of(done.tape), meant.result)
    return True


def check_python(parts: Parts) -> bool:
    """The interpreter is Python, and the exact program stops only where it does what Python does."""
    function = function_of(parts["source"])
    names: dict[str, Any] = {}
    exec(parts["source"].replace(f"@anc.function(memory={function.M})", ""), names)
    try:
        exact = function.exact
    except AncError:  # it takes more lines than there are
        exact = None
    for row in rows_of(parts):
        arguments = arguments_of(function, row)
        meant = function.in_python(*deepcopy(arguments))
        if meant.error == "no end":
            continue
        found, error = outcome(names["f"], deepcopy(arguments))
        same("error", meant.error, error)
        if error is None:
            same("interpreted", (meant.result, meant.lists), found)
        try:
            tape = function.tape(*arguments)
        except AncError:
            continue
        if exact is None:
            continue
        done = run(exact, tape, STEPS)
        if done.stop is Stop.STOPPED:
            if error is not None or found is None:
                raise Wrong(f"the exact program stops where Python raises {error} on {arguments}")
            if found[0] is not None:
                same(f"exact result of {arguments}", function.layout.result_of(done.tape), found[0])
    return True


def outcome(call: Any, arguments: list[Any]) -> tuple[Any, str | None]:
    """What real Python makes of a call: result and lists, or the name of the error."""
    try:
        result = call(*arguments)
    except (ArithmeticError, LookupError, NameError, ValueError, AssertionError) as problem:
        return None, type(problem).__name__
    return (result, tuple(tuple(each) for each in arguments if isinstance(each, list))), None


def check_deployed(parts: Parts) -> bool:
    """Where the program is proved to do what Python does, the emitted function is the original one."""
    function = function_of(parts["source"])
    if function.layout.tape is not None:
        return False
    facts = [parse_fact(text, function.M) for text in function.facts]
    counts = function.layout.counts
    mask = [counts is None or cell in counts for cell in range(function.M)]
    rows = rows_of(parts)
    small = max([1, *(value % 8 for row in rows for value in row)])
    used = range(function.M - len(function.unused()))
    facts += [parse_fact(f"tape[{cell}] <= {small}", function.M) for cell in used]
    claim = Claim(function.exact, function.program, function.M, mask, facts, STEPS, strict=True)
    if not prove(claim, 0.5, any_failure=True).proved:
        return False
    original: dict[str, Any] = {}
    exec(parts["source"].replace(f"@anc.function(memory={function.M})", ""), original)
    emitted: dict[str, Any] = {}
    exec(function_in_python(function, function.program, facts), emitted)
    is_truth = returns_truths(function.module, function.definition)
    for row in rows:
        for call in _strange(arguments_of(function, [value % (small + 2) for value in row])):
            wanted = _whole_outcome(original["f"], deepcopy(call), is_truth)
            same(f"emitted f{call}", _whole_outcome(emitted["f"], deepcopy(call), is_truth), wanted)
    return True


def _strange(arguments: list[Any]) -> Iterator[list[Any]]:
    """A call, and others with something strange in each place."""
    yield arguments
    for place, argument in enumerate(arguments):
        for odd in STRANGE:
            changed = [odd, *argument[1:]] if isinstance(argument, list) and argument else odd
            yield [*arguments[:place], changed, *arguments[place + 1 :]]


def _whole_outcome(call: Any, arguments: list[Any], is_truth: bool) -> tuple[Any, ...]:
    """What a call returns and of which type, or raises, and how it leaves its arguments.

    Where what is returned is sometimes a number, 1 stands for True.
    """
    try:
        result = call(*arguments)
    except Exception as problem:
        return type(problem).__name__, arguments
    if type(result) is bool and not is_truth:
        result = int(result)
    return result, type(result).__name__, arguments


def make_source(random: Random) -> Parts:
    parts = make(random)
    return parts | {"source": mutated_text(random, parts["source"], WORDS, most=3)}


def check_source(parts: Parts) -> bool:
    """A source is refused with diagnostics, or its exact program stops only where it does what Python does."""
    try:
        function = function_of(parts["source"], 64)
    except AncError as problem:
        if "bug" in problem.message:
            raise Wrong(f"a refusal that is none: {problem.message}") from None
        raise
    with must("what a function says of itself"):
        assert isinstance(function.warnings, str)
    function.facts  # noqa: B018
    exact = function.exact
    for tape in tapes_of(function, rows_of(parts)):
        arguments = function.layout.arguments_of(tape)
        done = run(exact, function.tape(*arguments), STEPS)
        if done.stop is not Stop.STOPPED:
            continue
        meant = function.in_python(*deepcopy(arguments))
        if meant.error is not None:
            raise Wrong(
                f"the exact program stops on {arguments}, and Python ends with {meant.error}"
            )
        same(f"result of {arguments}", function.layout.result_of(done.tape), meant.result)
    return True


ENTRIES = (
    Entry("function", make, check_meaning, share=30, seconds=20, tested=2),
    Entry("function-python", make, check_python, share=20, seconds=20, tested=1),
    Entry("function-deployed", make, check_deployed, share=15, seconds=30, tested=1),
    Entry("function-source", make_source, check_source, share=120, seconds=20),
)
