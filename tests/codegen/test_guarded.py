"""Preconditions as expressions, and functions that check them first."""

from __future__ import annotations

from random import Random

import pytest
from codegen.emitted import COMPILER, c_output, python_run
from proof.random_facts import random_fact
from search.random_programs import random_tape

from anc.codegen import guarded_c, guarded_python
from anc.codegen.c import cell_type
from anc.codegen.c_facts import CFacts
from anc.codegen.python_facts import PythonFacts
from anc.compiler import compile_source
from anc.data.loading import load
from anc.language import Source
from anc.machine import exact
from anc.proof import Fact, parse_fact
from anc.proof.sampler import Tapes


def drawn(random: Random, M: int) -> list[Fact]:
    return [parse_fact(random_fact(random, M), M) for _ in range(random.choice((1, 1, 2)))]


@pytest.mark.parametrize("seed", range(160))
def test_facts_hold_in_python_where_they_hold(seed):
    random = Random(seed)
    M = random.choice((4, 7, 12))
    facts = drawn(random, M)
    text = " and ".join(PythonFacts(M).conditions(facts))
    for tape in [random_tape(random, M) for _ in range(20)]:
        holds = all(fact.holds(tape) for fact in facts)
        assert eval(text, {"tape": list(tape)}) == holds, f"{[*map(str, facts)]}\n{text}\n{tape}"


def wrong_in_c(checks, folder) -> str:
    """The facts (M, facts, tapes) that do not hold in C exactly where they hold, a line for each."""
    lines = ["#include <stdint.h>", "#include <stdio.h>"]
    calls = []
    for number, (M, facts, tapes) in enumerate(checks):
        writer, cell, n = CFacts(M, prefix=f"f{number}"), cell_type(M), len(tapes)
        text = " && ".join(writer.conditions(facts))
        holds = [int(all(fact.holds(tape) for fact in facts)) for tape in tapes]
        rows = ",".join(f"{{{','.join(map(str, tape))}}}" for tape in tapes)
        lines += [
            *writer.needed(),
            f"static int f{number}(const {cell} *tape) {{ (void)tape; return {text}; }}",
            f"static const {cell} tapes{number}[{n}][{M}] = {{{rows}}};",
            f"static const int holds{number}[{n}] = {{{','.join(map(str, holds))}}};",
        ]
        calls += [
            f"for (int i = 0; i < {n}; i++)",
            f'    if (f{number}(tapes{number}[i]) != holds{number}[i]) puts("{facts[0]}");',
        ]
    return c_output("\n".join([*lines, "int main(void) {", *calls, "return 0; }"]), folder)


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_facts_hold_in_c_where_they_hold(tmp_path):
    checks = []
    for seed in range(60):
        random = Random(f"c/{seed}")
        M = random.choice((4, 7, 12, 300))
        facts = drawn(random, M)
        checks.append((M, facts, [random_tape(random, M) for _ in range(12)]))
    assert wrong_in_c(checks, tmp_path) == ""


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_long_lists_without_equal_numbers_are_short_in_c(tmp_path):
    """All pairs of 300 numbers are more than a C compiler compiles in minutes."""
    texts = (
        "different(tape[i] for i in range(2, 99) while tape[i] != 0)",
        "different(tape[3:98])",
        "not different(tape[tape[i]] + 2 * tape[i] for i in range(2, 90))",
    )
    random, checks = Random(0), []
    for text in texts:
        tapes = []
        for _ in range(12):
            tape = random.sample(range(100), 100)
            for _ in range(random.choice((0, 0, 1, 2))):
                tape[random.randrange(100)] = random.choice((0, tape[5]))
            tapes.append(tuple(tape))
        fact = parse_fact(text, 100)
        assert 0 < sum(map(fact.holds, tapes)) < len(tapes) or "not" in text
        assert len(CFacts(100).conditions([fact])[0]) < 5_000
        checks.append((100, [fact], tapes))
    assert wrong_in_c(checks, tmp_path) == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("different(tape[0], tape[1], tape[0])", "0"),
        ("all(different(2 * tape[i], 2 * tape[i]) for i in range(6, 7))", "(!(0) ? 0 : 1)"),
        ("tape[1] in (0, 1, 2)", "tape[1] <= 2"),
        ("tape[1] in (253, 254, 255)", "253 <= tape[1]"),
        ("tape[1] not in (4, 5, 6)", "!(4 <= tape[1] && tape[1] <= 6)"),
        ("(tape[0], -tape[1] - tape[0] + tape[0] - 1) in ((0, 0), (-1, 1))", "0"),
        ("-tape[1] - tape[2] + tape[2] - 1 in (0, 3)", "0"),
    ],
)
def test_c_is_not_asked_what_can_only_be_so(text, said):
    """A C compiler warns of a term compared with itself, and of a cell below 0 or beyond its type."""
    assert CFacts(256).conditions([parse_fact(text, 256)]) == [said]


ADAPTED = (
    "memory 20; var k = READ(1); var j = ADD(k, 2); k = ADD(k, j); k = READ(k); WRITE(2, k); STOP()"
)
FACTS = [
    "tape[0] == 3",
    "tape[2] == 2",
    "tape[3] == 5",
    "1 <= tape[1] <= 3",
    "tape[1] >= 2 implies tape[5] == 7",
    "tape[1] >= 3 implies tape[7] == 9",
]


def test_the_adapted_program_runs_where_its_precondition_holds_and_the_generic_one_elsewhere():
    generic = load("listk").program
    adapted = compile_source(Source(ADAPTED)).program
    facts = [parse_fact(text, 20) for text in FACTS]
    text = guarded_python(generic, adapted, facts, name="listk")
    assert "import" not in text
    random = Random(0)
    inside = [tuple(tape) for tape in Tapes(facts, 20).many(random, 50).tolist()]
    assert inside
    for tape in [*inside, *(random_tape(random, 20) for _ in range(200))]:
        run = exact.run(generic, tape, 2000)
        if run.stop is exact.Stop.STOPPED:
            assert python_run(text, "listk", tape)[0] == run.tape


def test_a_wrong_adapted_program_shows_that_the_check_decides():
    generic = load("access").program
    wrong = compile_source(Source("memory 10; WRITE(0, 9); STOP()")).program
    text = guarded_python(generic, wrong, [parse_fact("tape[0] == 3", 10)], name="access")
    assert python_run(text, "access", (3, 1, 1, 1, 1, 0, 0, 0, 0, 0))[0][0] == 9
    assert python_run(text, "access", (4, 1, 1, 1, 1, 5, 0, 0, 0, 0))[0][0] == 5


def test_a_program_that_is_right_everywhere_needs_no_check():
    generic = load("addition").program
    better = "memory 15; var a = READ(0); var b = READ(1); a = ADD(a, b); WRITE(0, a); STOP()"
    text = guarded_python(generic, compile_source(Source(better)).program, [], name="addition")
    assert "if" not in text
    assert "generic" not in text
    assert "right on every tape" in text


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_a_guarded_header_compiles_and_tests_itself(tmp_path):
    generic = load("listk").program
    adapted = compile_source(Source(ADAPTED)).program
    facts = [parse_fact(text, 20) for text in FACTS]
    inside = (3, 2, 2, 5, 4, 7, 8, *[0] * 13)
    outside = (5, 1, 2, 0, 0, 0, 9, *[0] * 13)
    examples = [(tape, exact.run(generic, tape, 500).tape) for tape in (inside, outside)]
    counts = [cell == 2 for cell in range(20)]
    text = guarded_c(generic, adapted, facts, name="listk", examples=examples, counts=counts)
    assert c_output(text, tmp_path, "-DLISTK_SELF_TEST") == "listk: 0 of 2 examples are wrong\n"


def test_facts_say_where_a_computed_jump_can_go():
    table = """
    memory 30; start l_begin
    var v
    STOP(); WRITE(1, 7); STOP(); WRITE(1, 9); STOP()
    l_begin: v = READ(0); v = SUB(v, 20); JEZ(0, v); STOP()
    """
    program = compile_source(Source(table)).program
    fact = parse_fact("tape[0] in (21, 23)", 30)
    text = guarded_python(program, program, [fact], name="f")
    assert "line" not in text.split("def f_generic")[0]
    assert "while line < 9" in text
    for first in (20, 21, 22, 23, 24, 28, 29):
        tape = (first, *[0] * 29)
        run = exact.run(program, tape, 50)
        assert python_run(text, "f", tape) == (run.tape, run.stop)
