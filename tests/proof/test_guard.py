"""Guarded programs: the adapted program where the facts hold, the generic one elsewhere."""

from __future__ import annotations

from random import Random

import pytest
from proof.random_facts import checkable_fact
from proof.random_programs import random_line

from anc.compiler import compile_source
from anc.data import tasks
from anc.language import Source
from anc.machine.exact import Stop, run
from anc.program import Line, Program
from anc.proof import parse_fact
from anc.proof.guards import guard
from anc.proof.sampler import Tapes


def compiled(text: str, M: int) -> Program:
    return compile_source(Source(text), memory=M).program


GUARDED = {
    "access": ("var v; v = READ(4); WRITE(0, v); STOP()", ["tape[0] == 3"], (0,)),
    "walkbst": (
        "var p; p = READ(6); p = ADD(p, 2); p = READ(p); p = READ(p); WRITE(1, p); STOP()",
        ["tape[0] == 5", "tape[1] == 1", "tape[2] == 1", "tape[3] == 2", "tape[4] == 0"],
        (1,),
    ),
    "addition": (
        "var a; var b; a = READ(0); b = READ(1); a = ADD(a, b); WRITE(0, a); STOP()",
        [],
        (0,),
    ),
    "dijkstra": (
        "var a; var b; var c; a = READ(6); b = READ(8); c = READ(11); WRITE(16, a)"
        "; a = ADD(a, c); a = MIN(a, b); WRITE(18, a); STOP()",
        [
            *("tape[0] == 14", "tape[1] == 5", "tape[2] == 10", "tape[3] == 13", "tape[5] == 2"),
            *("tape[7] == 3", "tape[9] == 0", "tape[10] == 3", "tape[12] == 0", "tape[13] == 0"),
            *("tape[14] == 0", "tape[6] <= 20"),
        ],
        (14, 16, 18),
    ),
}


@pytest.mark.parametrize("name", GUARDED)
def test_guarded_tasks_agree_with_the_generic_program_on_all_tapes(name: str) -> None:
    task = tasks.get(name)
    text, texts, cells = GUARDED[name]
    facts = [parse_fact(fact, task.M) for fact in texts]
    random = Random(2)
    biased = [case.input for case in task.draw(True, 300, seed=3)]
    generic = [case.input for case in task.draw(False, 300, seed=3)]
    anything = [tuple(random.randrange(task.M) for _ in range(task.M)) for _ in range(1000)]
    near = [
        (*tape[:c], random.randrange(task.M), *tape[c + 1 :])
        for tape in biased
        for c in (random.randrange(6), random.randrange(task.M))
    ]
    guarded = guard(task.program, compiled(text, task.M), facts, task.M, biased)
    assert guarded.program is not None, guarded
    assert compile_source(Source(guarded.text)).program == guarded.program
    assert guarded.taken == 1.0 and guarded.check_steps is not None
    compared = 0
    for tape in (*biased, *generic, *anything, *near):
        wanted = run(task.program, tape, 1000)
        if wanted.stop is Stop.STOPPED:
            found = run(guarded.program, tape, 1100)
            assert found.stop is Stop.STOPPED
            assert [found.tape[c] for c in cells] == [wanted.tape[c] for c in cells]
            compared += 1
    assert compared > 600


def body(random: Random, M: int, longest: int) -> Program:
    L, R = random.randint(2, longest), random.randint(2, 6)
    lines = [random_line(random, R) for _ in range(L)]
    for i in range(random.randint(0, min(2, L - 1))):
        lines[i] = Line("READ", random.randrange(R), None, random.randrange(R))
    lines[-1] = Line("STOP", None, None, random.randrange(R))
    registers = tuple(
        random.choice([None, random.randrange(M), random.randrange(L)]) for _ in range(R)
    )
    return Program(tuple(lines), registers, random.choice([0, 0, 0, random.randrange(L)]))


def test_a_tail_is_shared_when_the_lines_do_not_suffice() -> None:
    access, M, random = tasks.get("access").program, 9, Random(1)
    adapted = compiled("var v; v = READ(4); WRITE(0, v); STOP()", M)
    facts = [parse_fact("tape[0] == 3")]
    roomy, tight = guard(access, adapted, facts, 10), guard(access, adapted, facts, M)
    assert roomy.program is not None and tight.program is not None
    assert (roomy.program.L, tight.program.L) == (10, 9)
    for _ in range(2000):
        tape = tuple(random.randrange(M) if c else random.choice([3, 5, 8]) for c in range(M))
        assert run(tight.program, tape, 50).tape == run(access, tape, 50).tape


def with_the_tail_of(random: Random, program: Program, other: Program, length: int) -> Program:
    """The same program with the other's last lines, its registers renamed at random."""
    lines, names = list(program.lines), list(range(max(program.R, other.R)))
    random.shuffle(names)

    def new(register: int | None) -> int | None:
        return None if register is None else names[register] % program.R

    for i in range(1, 1 + min(length, program.L - 1, other.L - 1)):
        line = other.lines[-i]
        out = new(line.out)
        assert out is not None
        lines[-i] = Line(line.op, new(line.first), new(line.second), out)
    return Program(tuple(lines), program.registers, program.start)


def test_random_bodies_run_as_they_did_alone() -> None:
    """The facts decide which body runs; it does what it did at its old place."""
    random = Random(6)
    built = compared = 0
    for _ in range(500):
        M = random.choice([14, 20, 30])
        generic, adapted = body(random, M, M // 2), body(random, M, M // 2 - 2)
        if random.random() < 0.5:
            adapted = with_the_tail_of(random, adapted, generic, random.randint(1, 3))
        facts = [parse_fact(checkable_fact(random, M), M) for _ in range(random.randint(1, 2))]
        guarded = guard(generic, adapted, facts, M)
        if guarded.program is None:
            assert guarded.reason
            continue
        built += 1
        tapes = Tapes(facts, M)
        for number in range(25):
            drawn = tapes.draw(random) if number % 2 else None
            tape = drawn or tuple(random.randrange(M) for _ in range(M))
            holds = all(fact.holds(tape) for fact in facts)
            wanted = run(adapted if holds else generic, tape, 200)
            if wanted.stop is Stop.STOPPED:
                found = run(guarded.program, tape, 300)
                assert found.stop is Stop.STOPPED
                assert found.tape == wanted.tape, (generic, adapted, facts, guarded.text)
                compared += 1
    assert built > 150 and compared > 3000


def test_one_line_is_one_line() -> None:
    stop = compiled("STOP()", 3)
    assert str(guard(stop, stop, [], 3)).startswith("1 line, 0 of them the check")


def test_why_there_is_no_guarded_program() -> None:
    swap = tasks.get("swap")
    short = compiled("var a; var b; a = READ(2); b = READ(4); WRITE(2, b); WRITE(4, a); STOP()", 10)
    guarded = guard(swap.program, short, [parse_fact("tape[0] == 0")], 10)
    assert guarded.program is None
    assert "the memory has 10" in str(guarded)
    sums = guard(swap.program, short, [parse_fact("(tape[0] + tape[1]) % tape[2] == 0")], 10)
    assert "wrap around" in sums.reason
    jumps = compiled("var p; p = READ(0); JEZ(0, p); STOP(); STOP()", 30)
    both = guard(jumps, jumps, [parse_fact("tape[1] == 0")], 30)
    assert both.program is None and "computes where the jump" in both.reason
    one = guard(jumps, compiled("STOP()", 30), [parse_fact("tape[1] == 0")], 30)
    assert one.program is not None
    assert run(one.program, (3, 1, *[0] * 28), 50).stop is Stop.STOPPED
