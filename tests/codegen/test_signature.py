"""Functions with arguments and a result, and the original behind the guard."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from codegen.emitted import COMPILER, c_output

from anc.codegen import Fallback, Parameter, Signature, guarded_c, guarded_python
from anc.compiler import compile_source
from anc.language import Source
from anc.program import Program
from anc.proof import parse_fact

M = 32
ORIGINAL = """\
def larger_original(values: list[int], limit: int) -> int:
    n = 0
    for v in values:
        if v > limit:
            n += 1
    return n
"""
FIXED = Signature((Parameter("values", 0, 3), Parameter("limit", 3)), result=4)
UP_TO = Signature((Parameter("values", 1, 3, length=0), Parameter("limit", 4)), result=5)

# how many of values[0..2] are above the limit, if they are in order: none, or all that are left
SORTED = """
memory 32
var v; var limit = READ(3)
v = READ(0); v = MAX(v, limit); v = SUB(v, limit); JEZ(v, l_1); WRITE(4, 3); STOP()
l_1: v = READ(1); v = MAX(v, limit); v = SUB(v, limit); JEZ(v, l_2); WRITE(4, 2); STOP()
l_2: v = READ(2); v = MAX(v, limit); v = SUB(v, limit); JEZ(v, l_3); WRITE(4, 1); STOP()
l_3: STOP()
"""
# the same in a loop, for any values and as many as there are
LOOP = """
memory 32
var p = READ(0); var limit = READ(4); var v; var n = 0
l_loop: JEZ(p, l_end)
v = READ(p); p = DEC(p); v = MAX(v, limit); v = SUB(v, limit); JEZ(v, l_loop)
n = INC(n); JEZ(0, l_loop)
l_end: WRITE(5, n); STOP()
"""


def compiled(text: str) -> Program:
    return compile_source(Source(text)).program


def arguments(random: Random) -> tuple[list[int], int]:
    """Mostly what fits, sometimes what does not."""
    length = random.choice((3, 3, 3, 3, 0, 2, 4))
    most = random.choice((5, 31, 31, 40))
    values = [random.randint(-1 if random.random() < 0.1 else 0, most) for _ in range(length)]
    return sorted(values) if random.random() < 0.5 else values, random.randint(-1, most)


GUARDED = [
    (SORTED, FIXED, ["sorted(tape[0:3])"]),
    (SORTED, FIXED, ["sorted(tape[0:3])", "tape[tape[3]] >= 0 or tape[0] != 1"]),
    (
        SORTED,
        FIXED,
        [
            "sorted(tape[i] for i in range(0, 3) while tape[i] != 9)",
            "tape[1] <= tape[2]",
            "tape[0] <= tape[1]",
        ],
    ),
    (LOOP, UP_TO, []),
    (LOOP, UP_TO, ["tape[4] >= 2"]),
    (LOOP, UP_TO, ["tape[tape[0]] <= 30"]),
    (LOOP, UP_TO, ["tape[0] == 3"]),
]


@pytest.mark.parametrize(("text", "signature", "facts"), GUARDED)
def test_the_guarded_function_is_the_original_function(text, signature, facts):
    program = compiled(text)
    found = guarded_python(
        program,
        program,
        [parse_fact(fact, M) for fact in facts],
        name="larger",
        signature=signature,
        fallback=Fallback("larger_original", ORIGINAL),
    )
    space: dict = {}
    exec(found, space)
    calls = {"n": 0}
    original = space["larger_original"]

    def counted(values, limit):
        calls["n"] += 1
        return original(values, limit)

    space["larger_original"] = counted
    random = Random(0)
    for _ in range(500):
        values, limit = arguments(random)
        kept = list(values)
        assert space["larger"](values, limit) == original(kept, limit), f"{found}\n{kept} {limit}"
        assert values == kept
    assert 50 < calls["n"] < 450


def test_cells_with_known_places_need_no_tape():
    program = compiled(SORTED)
    facts = [parse_fact("sorted(tape[0:3])", M)]
    fallback = Fallback("larger_original", ORIGINAL)
    found = guarded_python(
        program, program, facts, name="larger", signature=FIXED, fallback=fallback
    )
    assert "tape" not in found
    assert "and values_0 <= values_1 <= values_2" in found
    assert found.endswith(ORIGINAL)


def test_what_goes_along_a_list_is_said_with_its_name():
    text = "memory 32; var a = READ(0); var b = READ(3); a = ADD(a, b); WRITE(4, a); STOP()"
    signature = Signature((Parameter("n", 0), Parameter("values", 1, 3)), result=4)
    facts = [parse_fact("all(tape[i] + tape[i + 1] <= 9 for i in range(1, 3))", M)]
    fallback = Fallback("g", "def g(n, values):\n    return -1\n")
    found = guarded_python(
        compiled(text), compiled(text), facts, name="f", signature=signature, fallback=fallback
    )
    assert "values_0 + values_1 <= 9 and values_1 + values_2 <= 9" in found
    assert "tape" not in found
    space: dict = {}
    exec(found, space)
    assert [space["f"](5, values) for values in ([1, 8, 1], [1, 8, 2], [9, 0])] == [6, -1, -1]


def test_what_is_said_of_a_number_is_one_range_and_nothing_else_is_lost():
    program = compiled(SORTED)
    facts = [parse_fact(text, M) for text in ("tape[3] <= 9", "tape[3] > 1", "tape[tape[3]] == 2")]
    found = guarded_python(program, program, facts, name="larger", signature=FIXED)
    assert "_from_2_to_9 = tuple(n if 2 <= n <= 9 else None for n in range(257))" in found
    assert "if _from_2_to_9[limit] is limit and type(values) is list:" in found
    assert "if tape[tape[3]] == 2:" in found


def test_a_list_of_known_length_is_not_put_on_a_tape():
    program = compiled(
        "memory 32; var a = READ(1); var b = READ(3); a = ADD(a, b); WRITE(5, a); STOP()"
    )
    facts = [parse_fact(text, M) for text in ("tape[0] in (1, 2)", "tape[0] != 1", "tape[1] <= 9")]
    found = guarded_python(program, program, facts, name="f", signature=UP_TO)
    guard = found.split("def f_generic")[0]
    assert "values_0, values_1 = values" in guard
    assert "_up_to_9[values_0] is values_0" in guard
    assert "return values_0\n" in guard


def test_what_a_run_leaves_early_has_a_value():
    text = """
    memory 32; var a = READ(0); var b = READ(2)
    l_loop: JEZ(a, l_done); a = DEC(a); JEZ(b, l_early); b = DEC(b); JEZ(0, l_loop)
    l_done: WRITE(3, 5); WRITE(1, b); STOP()
    l_early: STOP()
    """
    program = compiled(text)
    lists = Signature((Parameter("pair", 0, 2, written=True), Parameter("b", 2)), result=3)
    fallback = Fallback("g", "def g(pair, b):\n    return -1\n")
    found = guarded_python(program, program, [], name="f", signature=lists, fallback=fallback)
    assert "tape" not in found
    space: dict = {}
    exec(found, space)
    for a, b in product(range(4), repeat=2):
        pair = [a, 9]
        assert space["f"](pair, b) == (5 if a <= b else 0)
        assert pair == [a, b - a if a <= b else 9]


def test_arguments_may_have_any_name():
    text = "memory 32; var a = READ(0); var b = READ(2); a = ADD(a, b); WRITE(3, a); STOP()"
    names = Signature((Parameter("value", 0, 2), Parameter("tape", 2)), result=3)
    program = compiled(text)
    fallback = Fallback("g", "def g(value, tape):\n    return -1\n")
    found = guarded_python(program, program, [], name="f", signature=names, fallback=fallback)
    space: dict = {}
    exec(found, space)
    assert space["f"](value=[1, 2], tape=3) == 4
    assert space["f"]([1, 2], 32) == -1


def test_the_original_gets_what_was_given_also_where_a_tape_was_made():
    text = "memory 32; var a = READ(0); var b = READ(1); WRITE(0, b); WRITE(1, a); STOP()"
    swap = Signature((Parameter("tape", 0, 2, written=True),))
    program, facts = compiled(text), [parse_fact("tape[tape[0]] == 1", M)]
    fallback = Fallback("g", "def g(tape):\n    tape.append(7)\n")
    space: dict = {}
    exec(guarded_python(program, program, facts, signature=swap, fallback=fallback), space)
    inside, outside = [1, 1], [0, 5]
    space["program"](inside)
    space["program"](outside)
    assert (inside, outside) == ([1, 1], [0, 5, 7])


def test_a_list_that_is_changed_in_place():
    text = "memory 8; var a = READ(0); var b = READ(1); WRITE(0, b); WRITE(1, a); STOP()"
    swap = Signature((Parameter("pair", 0, 2, written=True),))
    program = compiled(text)
    found = guarded_python(program, program, [parse_fact("tape[0] != 7", 8)], signature=swap)
    space: dict = {}
    exec(found, space)
    for pair in ([1, 2], [7, 3]):
        expected = pair[::-1]
        assert space["program"](pair) is None
        assert pair == expected


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_the_guarded_header_says_where_it_does_not_know(tmp_path):
    headers, calls = [], []
    space: dict = {}
    exec(ORIGINAL, space)
    random = Random(1)
    for number, (text, signature, facts) in enumerate(GUARDED):
        program, name = compiled(text), f"larger{number}"
        known = [parse_fact(fact, M) for fact in facts]
        headers.append(guarded_c(program, program, known, name=name, signature=signature))
        for _ in range(20):
            values, limit = arguments(random)
            if signature is FIXED and len(values) != 3:
                continue
            length = "" if signature is FIXED else f", {len(values)}"
            cells = ", ".join(map(str, values)) or "0"
            expected = space["larger_original"](values, limit)
            calls += [
                f"found = {name}((const int32_t[]){{{cells}}}{length}, {limit});",
                f'if (found != -1 && found != {expected}) puts("{name}");',
                "known += found != -1;",
            ]
    main = ["int main(void) {", "int found, known = 0;", *calls, 'printf("%d", known); return 0; }']
    output = c_output("\n".join(["#include <stdio.h>", *headers, *main]), tmp_path)
    assert output.isdecimal()
    assert 30 < int(output) < 80
