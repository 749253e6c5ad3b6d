"""Deployed functions are the original ones: inside, at and beyond every limit."""

from __future__ import annotations

from copy import deepcopy
from itertools import product
from random import Random
from typing import Any

import pytest
from codegen import exact_functions as given
from codegen.emitted import COMPILER, c_output
from python.interpreter import meaning
from python.random_functions import random_function
from python.test_meaning import function_of

from anc.codegen.functions import function_in_c, function_in_python, name_behind
from anc.compiler import compile_source
from anc.language.source import Source
from anc.machine.exact import Stop, run
from anc.proof import Claim, Fact, parse_fact
from anc.proof.prove import prove
from anc.python.function import Function, read
from anc.python.source import parse
from anc.support.clock import Time
from anc.support.diagnostics import AncError

RANDOM_HEADERS = 10
STRANGE = (-1, True, 10**30, 2.0, None)
CALLS: dict[str, list[tuple]] = {
    "total": list(product(([], [1], [3, 9], [13, 13, 13], [1, 2, 3, 4], [0, -1]), (0, 1, 26, 27))),
    "lowered": list(product(([0, 0, 0], [5, 6, 7], [39, 1, 0], [1, 2], [40, 1, 1]), (0, 6, 7, 39))),
    "priced": list(product((0, 1, 2, 3), (0, 1, 2, 3, 8, 9, 30, 59, 60))),
    "is_above": list(product(([], [1], [5, 2], [40]), (0, 1, 2, 5), (True, False, 1, 0))),
    "copied": [
        ([1, 2], [3, 4]),
        ([0, 39], [0, 1]),
        ([1, 2], [3]),
        ([1], [2, 3]),
        ([0, 0], [1, 40]),
    ],
    "moved": [([1, 2, 3, *[0] * 9],), ([11, 8, 3, *[0] * 9],), ([11, 9, 3, *[0] * 9],), ([1, 2],)],
}
FACTS: dict[str, list[str]] = {
    "total": ["tape[0] <= 2", "tape[1] <= 12", "tape[2] <= 13", "tape[4] <= 14"],
    "lowered": ["tape[3] <= 6"],
    "priced": ["tape[0] <= 2", "tape[1] in (0, 2, 4, 5, 6, 7, 8)", "tape[1] != 0"],
    "is_above": ["tape[0] <= 3", "tape[0] >= 1"],
    "copied": ["tape[1] + tape[3] < 40"],
    "moved": ["tape[1] + tape[2] < 12"],
}


def strange(call: tuple) -> list[tuple]:
    """The same call with something strange in each place."""
    found: list[tuple] = []
    for place, argument in enumerate(call):
        for odd in STRANGE:
            found.append((*call[:place], odd, *call[place + 1 :]))
            if isinstance(argument, list):
                for i in range(len(argument)):
                    changed = [*argument[:i], odd, *argument[i + 1 :]]
                    found.append((*call[:place], changed, *call[place + 1 :]))
        if isinstance(argument, list):
            found.append((*call[:place], tuple(argument), *call[place + 1 :]))
    return found


def outcome(function: Any, call: tuple) -> tuple:
    """What a call returns and of which type, or raises, and how it leaves its arguments."""
    arguments = deepcopy(call)
    try:
        result = function(*arguments)
    except Exception as problem:
        return type(problem), arguments
    return result, type(result), arguments


def proof_mask(function: Function) -> list[bool]:
    counts = function.layout.counts
    return [counts is None or cell in counts for cell in range(function.M)]


def is_proved(function: Function, facts: list[Fact], seconds: float = 10.0) -> bool:
    claim = Claim(
        function.exact, function.program, function.M, proof_mask(function), facts, 20_000,
        strict=True,
    )  # fmt: skip
    # in work, not in time: what is proved depends on no machine
    return prove(claim, seconds, any_failure=True, time=Time(counts_work=True)).proved


def deployed(function: Function, facts: list[Fact]) -> dict[str, Any]:
    text = function_in_python(function, function.program, facts)
    assert "import" not in text.replace("important", "")
    space: dict[str, Any] = {}
    exec(text, space)
    return space


def counted(space: dict[str, Any], name: str) -> list[int]:
    """How often a function of a module is called, from now on."""
    calls, function = [0], space[name]

    def counting(*arguments: Any) -> Any:
        calls[0] += 1
        return function(*arguments)

    space[name] = counting
    return calls


@pytest.mark.parametrize("name", CALLS)
def test_the_guarded_function_is_the_original_one(name):
    function = getattr(given, name)
    facts = [parse_fact(text, function.M) for text in FACTS[name]]
    assert is_proved(function, facts)
    space = deployed(function, facts)
    fallen_back = counted(space, name_behind(function))
    calls = [*CALLS[name], *strange(CALLS[name][0]), *strange(CALLS[name][1])]
    for call in calls:
        assert outcome(space[name], call) == outcome(function.python, call), call
    assert 0 < fallen_back[0] < len(calls)


@pytest.mark.parametrize(("name", "facts"), [("total", []), ("priced", ["tape[0] <= 2"])])
def test_what_leaves_the_numbers_of_the_machine_is_not_proved(name, facts):
    function = getattr(given, name)
    assert not is_proved(function, [parse_fact(text, function.M) for text in facts])


def test_one_list_that_is_two_arguments():
    function = given.copied
    space = deployed(function, [parse_fact(FACTS["copied"][0], 40)])
    one, other = [1, 2], [1, 2]
    space["copied"](one, one)
    function.python(other, other)
    assert one == other == [4, 2]


def test_one_list_that_the_adapted_program_does_not_change_is_still_one():
    adapted = compile_source(Source("memory 40; var a = READ(1); WRITE(2, a); STOP()")).program
    space: dict[str, Any] = {}
    exec(function_in_python(given.disturbed, adapted, []), space)
    one = [7]
    assert space["disturbed"](one, [3]) == 3
    assert space["disturbed"](one, one) == 5
    assert one == [7]


def test_a_list_that_the_function_does_not_change_is_not_written_back():
    text = (
        "memory 40; var a = READ(4); var p = READ(0); p = INC(p); WRITE(p, a); WRITE(5, a); STOP()"
    )
    adapted = compile_source(Source(text)).program
    facts = [parse_fact("tape[0] == 0", 40)]
    assert "values[:]" not in function_in_python(given.total, adapted, facts)
    assert "const int32_t *values" in function_in_c(given.total, adapted, facts)


def test_numbers_wrap_around_where_that_is_meant():
    function = given.mixed
    space = deployed(function, [parse_fact("tape[2] >= 3", 16)])
    for values, key in product(([0, 0], [15, 3], [16, -1], [300, 7], [5]), (0, 3, 15, 16, -1)):
        tape = function.tape([v % 16 for v in values], key % 16)
        meant = meaning(function, tape)
        changed = list(values)
        assert space["mixed"](changed, key) == meant.result
        assert changed == list(meant.tape[: len(values)])
    with pytest.raises(ValueError, match="more than 2"):
        space["mixed"]([1, 2, 3], 4)


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_the_header_knows_where_it_is_not_python(tmp_path):
    lines, calls = ["#include <stdio.h>"], []
    for name in ("total", "lowered", "priced"):
        function = getattr(given, name)
        facts = [parse_fact(text, function.M) for text in FACTS[name]]
        lines.append(function_in_c(function, function.program, facts))
        for call in CALLS[name]:
            calls += c_call(function, call)
    main = ["int main(void) {", "int known = 0;", *calls, 'printf("%d", known); return 0; }']
    output = c_output("\n".join([*lines, *main]), tmp_path)
    assert output.isdecimal(), output
    assert 20 < int(output) < len(calls)


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_random_headers_know_it_too(tmp_path):
    headers, calls, known = ["#include <stdio.h>"], [], 0
    for seed in range(RANDOM_HEADERS):
        random = Random(f"c/{seed}")
        text = random_function(random, 64).replace("def f(", f"def f{seed}(")
        module = parse(Source(text, "x.py"))
        function = read(module, module.functions[f"f{seed}"])
        if function.layout.tape is not None:
            continue
        sample = some_call(random, function)
        names: dict[str, Any] = {}
        exec(text.replace("@anc.function(memory=64)", ""), names)
        function.python = names[f"f{seed}"]
        try:
            facts = around(random, function, function.tape(*deepcopy(sample)))
            if not is_proved(function, facts, 0.5):
                facts = [parse_fact("tape[0] < 0", function.M)]  # never
            headers.append(function_in_c(function, function.program, facts))
        except AncError:
            continue
        for _ in range(8):
            call = changed_call(random, sample)
            calls += c_call(function, call)
            known += 1
    main = ["int main(void) {", "int known = 0;", *calls, 'printf("%d", known); return 0; }']
    output = c_output("\n".join([*headers, *main]), tmp_path)
    assert output.isdecimal(), output
    assert 0 < int(output) < known


def c_call(function: Function, call: tuple) -> list[str]:
    """A call in C, compared with Python; lists of other lengths than C takes are left out."""
    texts = []
    for parameter, argument in zip(function.layout.parameters, call, strict=True):
        if parameter.size is None:
            texts.append(str(argument))
            continue
        if parameter.length is None and parameter.size != len(argument):
            return []
        cells = ", ".join(map(str, argument)) or "0"
        texts.append(f"(int32_t[{max(1, len(argument))}]){{{cells}}}")
        texts += [] if parameter.length is None else [str(len(argument))]
    result, *_ = outcome(function.python, call)
    expected = result if isinstance(result, int) and 0 <= result < function.M else -1
    return [
        "{",
        f"int found = {function.name}({', '.join(texts)});",
        f'if (found != -1 && found != {expected}) puts("{function.name}{call}");',
        "known += found != -1;",
        "}",
    ]


def test_random_functions_are_what_python_runs():
    """Under ranges of numbers, proved with the program that stops where Python agrees."""
    proofs = 0
    for seed in range(24):
        random = Random(f"deployed/{seed}")
        text = random_function(random, 64)
        function = function_of(text)
        sample = some_call(random, function)
        try:
            tape = function.tape(*deepcopy(sample))
            if run(function.exact, tape, 2_000).stop is not Stop.STOPPED:
                continue
            facts = around(random, function, tape)
        except AncError:
            continue
        if not is_proved(function, facts, 0.5):
            continue
        proofs += 1
        space = deployed(function, facts)
        names: dict[str, Any] = {}
        exec(text.replace("@anc.function(memory=64)", ""), names)
        for _ in range(30):
            call = changed_call(random, sample)
            assert outcome(space["f"], call) == outcome(names["f"], call), (seed, call)
    assert proofs > 3


def some_call(random: Random, function: Function) -> tuple:
    if function.layout.tape is not None:
        return ([random.randrange(8) for _ in range(64)],)
    return tuple(
        random.randrange(5)
        if p.size is None
        else [
            random.randrange(5) for _ in range(p.size if p.length is None else random.randint(0, 4))
        ]
        for p in function.layout.parameters
    )


def changed_call(random: Random, call: tuple) -> tuple:
    found = list(deepcopy(call))
    for _ in range(random.randint(0, 2)):
        place = random.randrange(len(found))
        number = random.choice((random.randrange(9), random.randrange(-2, 70)))
        if isinstance(found[place], list) and found[place]:
            found[place][random.randrange(len(found[place]))] = number
        elif isinstance(found[place], int):
            found[place] = number
    return tuple(found)


def around(random: Random, function: Function, tape: tuple[int, ...]) -> list[Fact]:
    """That all cells are what they are, but some, which are near it."""
    free = set(random.sample(range(max(1, function.layout.cells or 64)), 1))
    texts = [
        f"{max(0, value - 2)} <= tape[{cell}] <= {value + 2}"
        if cell in free
        else f"tape[{cell}] == {value}"
        for cell, value in enumerate(tape)
    ]
    return [parse_fact(text, function.M) for text in texts]
