"""What a search minimises: each method returns another program when the weights are others."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from anc.compiler import compile_source
from anc.data.costs import table_of
from anc.data.tasks.cases import Case
from anc.isa import PAPER, WIDE, Instruction, InstructionSet
from anc.language import Source
from anc.machine import exact
from anc.machine.encoded import Cases
from anc.program import Program
from anc.search import STEPS, Cost, Search, SearchSettings
from anc.search.anneal import Annealer
from anc.search.cost import Prices
from anc.search.decision_tree import planned
from anc.search.enumerate import enumerate_programs
from anc.search.specialisation_graph import NOTHING, estimate
from anc.search.trace_specialiser import assumptions
from anc.search.traces import record
from anc.support.diagnostics import AncError

M = 32
MIN_DEAR = Cost.named({"MIN": 20.0})
SMALLER = """
memory 32
var a = READ(0)
var b = READ(1)
var c = MIN(a, b)
WRITE(2, c)
STOP()
"""
BRANCHING = """
instructions wide
memory 32
var a = READ(0)
var b = READ(1)
var c = LT(a, b)
JEZ(c, other)
WRITE(2, a)
STOP()
other: WRITE(2, b)
STOP()
"""


def program_of(text: str) -> Program:
    return compile_source(Source(text.strip())).program


def given_of(program: Program, tapes: Sequence[Sequence[int]]) -> list[Case]:
    inputs = [(*tape, *[0] * (M - len(tape))) for tape in tapes]
    runs = [exact.run(program, tape, 999).tape for tape in inputs]
    return [Case(tape, tuple(run), (True,) * M) for tape, run in zip(inputs, runs, strict=True)]


def cases_of(program: Program, tapes: Sequence[Sequence[int]]) -> Cases:
    return Cases.distinct(given_of(program, tapes))


def ops(program: Program) -> set[str]:
    return {line.op for line in program.lines}


def best_of(found: Sequence[Program | None]) -> Program:
    *_, last = [program for program in found if program is not None]
    return last


PAIRS = [(a, b) for a in range(0, 30, 4) for b in range(1, 30, 5)]


def test_plans_take_the_cheaper_of_two_ways() -> None:
    program = program_of(BRANCHING)
    cases = cases_of(program, PAIRS)
    assert "MIN" in ops(best_of(list(planned(program, cases))))
    assert "MIN" not in ops(best_of(list(planned(program, cases, MIN_DEAR))))


def enumerated(cases: Cases, cost: Cost, below: float, constants: Sequence[int] = ()) -> Program:
    """The best program before the enumeration pauses for the second time."""
    found, pauses = list[Program | None](), 0
    for program in enumerate_programs(cases, PAPER, below, constants, cost=cost):
        found.append(program)
        pauses += program is None
        if pauses == 2:
            break
    return best_of(found)


def test_enumeration_finds_the_cheapest_program_not_the_shortest() -> None:
    program = program_of(SMALLER.replace("MIN", "MAX"))
    cases = cases_of(program, PAIRS)
    by_steps = enumerated(cases, STEPS, 99.0)
    cheapest = enumerated(cases, Cost.named({"MAX": 20.0}), 99.0)  # a + b - min(a, b)
    assert by_steps.L == 5 and "MAX" in ops(by_steps)
    assert cheapest.L == 7 and "MAX" not in ops(cheapest)


def test_enumeration_prefers_cheap_instructions_to_equal_ones() -> None:
    program = program_of("memory 32\nvar a = READ(0)\nvar b = ADD(a, 3)\nWRITE(1, b)\nSTOP()")
    cases = cases_of(program, [(a,) for a in range(32)])
    cheapest = enumerated(cases, Cost.named({"ADD": 2.0, "READ": 3.0}), 99.0, range(32))
    assert "SUB" in ops(cheapest) and cheapest.L == 4


def test_a_specialisation_graph_estimates_what_runs_cost() -> None:
    program = program_of(SMALLER)
    cases = cases_of(program, PAIRS)
    traces = record(program, cases, 99)
    assert traces is not None

    def estimated(cost: Cost) -> float:
        assumption = next(iter(assumptions(traces, {}, Prices.of(cost, PAPER)).values()))
        return estimate(assumption.trees(NOTHING), M, False)

    assert estimated(MIN_DEAR) == estimated(STEPS) + 19.0 * traces.total


def test_a_search_minimises_the_table_of_python() -> None:
    """MIN is a call there, and a comparison is a part of an if."""
    program = program_of(SMALLER.replace("memory", "instructions wide\nmemory"))
    cost = Cost.named({}, WIDE, table_of("python"))
    search = Search(
        program, given_of(program, PAIRS), M, SearchSettings(cost=cost, methods=("plans",))
    )
    search.run()
    assert search.best.cost < search.found[0].cost and search.best.method == "plans"
    assert "MIN" not in ops(search.best.program)


def test_annealing_scales_with_the_cost() -> None:
    """With all weights ten times as high it walks the same way."""
    program = program_of(SMALLER)
    cases = cases_of(program, PAIRS)
    tenfold = Cost.named(dict.fromkeys(PAPER.names, 8.0))
    found = []
    for cost in (STEPS, tenfold):
        annealer = Annealer([program], cases, 50, cost=cost, chains=2, round_size=20_000, threads=1)
        annealer.round()
        found.append(annealer.best())
    assert found[0] is not None and found[1] is not None
    assert found[1] == (8 * found[0][0], found[0][1])


def test_an_instruction_that_a_table_lacks_costs_as_much_as_an_addition() -> None:
    rows = [Instruction(name, 2, lambda a, b, M: a * b % M) for name in ("MUL", "TIMES")]
    mine = InstructionSet((*PAPER, *rows))
    python = table_of("python")
    weights = Cost.named({"lines": 2}, mine, python).of(mine)
    assert weights[mine.code["TIMES"]] == python.usual == weights[mine.ADD]
    assert weights[mine.code["MUL"]] == dict(python.weights)["MUL"]


def test_weights_override_a_table_and_are_remembered() -> None:
    cost = Cost.named({"READ": 50, "lines": 2}, PAPER, table_of("c"))
    again = Cost(tuple(cost.instructions), 2.0, 0.0, cost.table, cost.unit, cost.digest)
    assert again == cost and again.overridden({}, PAPER) == cost
    assert again.overridden({"READ": 51}, PAPER).of(PAPER)[PAPER.READ] == 51
    assert cost.of(PAPER)[PAPER.READ] == 50 and cost.digest == table_of("c").digest


def test_shipped_tables_weigh_all_of_wide_on_the_grid() -> None:
    for word in ("python", "c"):
        weights = dict(table_of(word).weights)
        assert set(weights) == set(WIDE.names)
        assert all(weight > 0 and (64 * weight).is_integer() for weight in weights.values())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "expected a table for python or c"),
        ("{", "expected a file of anc calibrate"),
        ('{"java": {}}', "expected a table for python or c"),
        ('{"python": {"weights": []}}', "has no weights"),
        ('{"python": {"weights": {"ADD": "x"}}}', "the weight of ADD is 'x', expected a number"),
        ('{"python": {"weights": {"ADD": -1}}}', "the weight of ADD is -1, expected a number"),
        ('{"python": {"weights": {"ADD": 0}}}', "no weight of ADD above 0"),
        ('{"c": {"weights": {"ADD": 1}}}', "has no table for python, only for c"),
    ],
)
def test_a_bad_file_of_costs_is_refused(tmp_path, content: str, message: str) -> None:
    file = tmp_path / "costs.json"
    file.write_text(content)
    with pytest.raises(AncError) as problem:
        table_of(str(file))
    assert message in str(problem.value)


def test_a_file_of_costs_names_its_language(tmp_path) -> None:
    file = tmp_path / "costs.json"
    tables = {word: table_of(word).to_dict() for word in ("python", "c")}
    file.write_text(json.dumps(tables))
    assert table_of(str(file)).weights == table_of("python").weights
    assert table_of(f"{file}:c").digest == table_of("c").digest
    with pytest.raises(AncError, match=r"expected steps, python, c, mine, mine:c or a file"):
        table_of("pythn")
