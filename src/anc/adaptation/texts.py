"""The printed report and the written texts of an adaptation: listings, and functions in Python and C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anc.adaptation.evidence import summary
from anc.codegen import guarded_c, guarded_python
from anc.codegen.functions import fits_in_c, function_in_c, function_in_python
from anc.codegen.self_tests import examples_of
from anc.codegen.tables import Table, shortened
from anc.compiler import to_text
from anc.language import self_contained
from anc.machine.tapes import short_tape
from anc.support.clock import duration
from anc.support.diagnostics import counted, ranges
from anc.training.problem import Problem

if TYPE_CHECKING:
    from anc.adaptation.deployment import Deployed
    from anc.adaptation.result import Adapted, Answer
    from anc.python.function import Function


def report(result: Adapted, verbose: bool = False) -> str:
    """The printed report; `verbose` adds listings."""
    deployed = None if result.problem.function is None else result.deployed
    if deployed is None:
        rows = _of_program(result, verbose)
    else:
        rows = _of_function(result, deployed, verbose)
    rows += _other_answer(result)
    if deployed is None and result.python is not None:
        rows.append(_guard(result))
    rows += _seeds(result)
    if result.trade_off:
        rows.append("steps and lines: none of these beats another in both")
        rows += [f"  {f.steps:8.2f} steps, {f.program.L:3} lines" for f in result.trade_off]
    if result.soft is not None:
        rows.append(
            f"a soft program takes {result.soft.steps:.2f} steps, with confidence"
            f" {result.soft.confidence:.3f}"
        )
    rows += list(result.notes)
    if result.dropped:
        rows.append(f"{summary(result.dropped)}; each is in result.json, and in --json")
    spent = duration(result.seconds)
    if result.evaluations is not None:
        spent = f"{result.evaluations:,} evaluations"
    rows.append(f"{spent}, {result.stop}")
    return "\n".join(rows)


def about_files(result: Adapted, write_anyway: bool) -> str:
    """How to use the written functions, or why one was not written."""
    if result.is_withheld and not write_anyway:
        return (
            f"adapted.py is not written, because it is {_no_faster(result)} your function;"
            " --write-anyway writes it"
        )
    worth = result.worth
    if result.problem.function is None and worth is not None and worth.is_slower:
        return f"in Python it does not pay: {worth.expected} a call, with the check"
    function = result.problem.function
    if function is not None and not fits_in_c(function):
        return (
            "adapted.py can be pasted; text, and several numbers returned, have no form in C here"
        )
    return "adapted.py and adapted.h can be pasted"


def _no_faster(result: Adapted) -> str:
    return "slower than" if result.worth is not None and result.worth.is_slower else "as fast as"


def _of_program(result: Adapted, verbose: bool) -> list[str]:
    """The report about a program of the machine: its steps, where it is right, its listing."""
    name, better, listing = result.problem.name, _better(result), _listing(result)
    if result.improved:
        rows = [f"{name}: {_gain(result)}", result.answer.tested]
    else:
        what = "found" if result.unproved is None else "proved"
        stays = "this is the generic program"
        if result.problem.function is not None:
            stays = "the function stays as it is"
            listing = _listing(result) if verbose else []
        rows = [f"{name}: nothing {better} was {what}; {stays}"]
        if result.weighed_generic is not None:
            amount = result.cost.amount(result.cost_generic)
            costs = "it costs" if result.cost.label == "cost" else f"its {result.cost.label} is"
            rows.append(f"{costs} {amount} ({result.steps_generic:.2f} steps)")
    rows.append(result.told(result.verdict))
    rows += _right_whenever(result, result.answer)
    rows += listing
    return rows


def _of_function(result: Adapted, deployed: Deployed, verbose: bool) -> list[str]:
    """The report about a Python function: its speed, where it is right, its text, its steps."""
    worth, answer = deployed.worth, deployed.answer
    rows = [f"{result.problem.name}: {worth}", *(f"  {row}" for row in worth.rows)]
    if result.is_withheld:
        rows.insert(1, "  nothing that was found is faster with its check: keep your function")
    rows += [result.told(answer.verdict), *_right_whenever(result, answer)]
    if deployed.table is not None:
        rows.append(
            f"its results are in a table of {counted(len(deployed.table.numbers), 'number')}"
        )
    else:
        rows.append(answer.tested)
    text = deployed.python.rstrip("\n")
    rows += ["", text if verbose else shortened(text), ""]
    gained = f"nothing {_better(result)} was found"
    rows.append(f"on the machine: {_gain(result) if result.improved else gained}")
    if verbose:
        rows += [*_listing(result), _guard(result)]
    return rows


def _guard(result: Adapted) -> str:
    """The guarded listing in words, or why there is none."""
    if result.guarded.program is None:
        return f"no guarded listing: {result.guarded.reason}"
    return f"guarded listing: {result.guarded}"


def _listing(result: Adapted) -> list[str]:
    return ["", to_text(result.program).rstrip("\n"), ""]


def _better(result: Adapted) -> str:
    """How an answer is better; fewer steps need not be faster in Python."""
    if result.weighed_generic is not None:
        return "cheaper"
    return "faster" if result.problem.function is None else "with fewer steps"


def _gain(result: Adapted) -> str:
    """The steps of both programs, and their costs if these are not the steps."""
    steps = f"{result.steps_adapted:.2f} steps instead of {result.steps_generic:.2f}"
    if result.weighed_generic is None:
        return f"{steps} (found by {result.method})"
    return f"{_costs(result, result.answer)}, {steps} (found by {result.method})"


def _costs(result: Adapted, answer: Answer) -> str:
    """The costs of an answer and of the generic program, in words."""
    cost = result.cost
    return f"{cost.label} {cost.amount(answer.cost)} instead of {result.cost_generic:.2f}"


def _taken(result: Adapted, answer: Answer) -> str:
    steps = f"{answer.steps:.2f} steps"
    cost = result.cost
    return steps if answer.weighed is None else f"{cost.label} {cost.amount(answer.cost)}, {steps}"


def _right_whenever(result: Adapted, answer: Answer) -> list[str]:
    """The precondition in words, with a tape that it accepts and one that it rejects."""
    if not answer.facts:
        return []
    function, rejected = result.problem.function, result.rejected_by(answer)
    rows = ["right whenever"]
    rows += [f"  {words}" for words in result.conditions(answer).values()] or ["  it is called"]
    rows.append(answer.support)
    accepted = result.accepted_by(answer.facts)
    if accepted is not None:
        rows.append(f"  accepts {_input(function, accepted)}")
    if rejected is not None:
        rows.append(f"  rejects {_input(function, rejected)}")
    return rows


def _input(function: Function | None, cells: Sequence[int]) -> str:
    """A tape as a call of the function, or with its trailing zeros shortened."""
    if function is not None:
        return function.call_text(cells)
    return short_tape(cells)


def _other_answer(result: Adapted) -> list[str]:
    """The second answer: the unproved one, or the proved one if samples are trusted."""
    if result.unproved is None:
        return []
    if result.answer is result.unproved:
        other = result.proved
        what = "the generic program" if other.method == "none" else "proved, in proved.anc"
        return [f"with a proof: {_taken(result, other)} ({what})"]
    other = result.unproved
    return [
        f"{_better(result)}, but not proved: {_taken(result, other)} (found by {other.method}),"
        f" {other.tested}",
        *(f"  {row}" for row in result.told(other.verdict).splitlines()),
        *(f"  {row}" for row in to_text(other.program).splitlines()),
    ]


def _seeds(result: Adapted) -> list[str]:
    """A line for each of several seeds; the seed of the answer is marked."""
    if not result.seeds:
        return []
    what = "steps" if result.weighed_generic is None else result.cost.label
    rows = [f"{what} of each seed:", "    seed    proved  unproved   seconds"]
    for each in result.seeds:
        other = "-" if each.cost_unproved is None else f"{each.cost_unproved:.2f}"
        mark, end = "*" if each.is_best else " ", "" if each.stop == "done" else f"  {each.stop}"
        rows.append(
            f"  {mark} {each.seed:>4}  {each.cost_proved:>8.2f}  {other:>8}  {each.seconds:>8.1f}{end}"
        )
    return rows


def files_of(result: Adapted, write_anyway: bool = False) -> dict[str, str]:
    """The texts of all files by name.

    A Python function that is slower than the original is included only with `write_anyway`.
    """
    texts = {"generic.anc": result.problem.text, "adapted.anc": _file_of(result, result.answer)}
    if result.unproved is not None:
        other = result.proved if result.answer is result.unproved else result.unproved
        name = "proved.anc" if other is result.proved else "unproved.anc"
        texts[name] = _file_of(result, other)
    if result.problem.exact is not None:
        texts["exact.anc"] = to_text(result.problem.exact)
    if result.guarded.program is not None:
        texts["guarded.anc"] = to_text(result.guarded.program)
    if result.c is not None:
        texts["adapted.h"] = result.c
    if result.python is not None and (write_anyway or not result.is_withheld):
        texts["adapted.py"] = result.python
    return self_contained(texts, result.problem.program.instructions)


def _file_of(result: Adapted, answer: Answer) -> str:
    cost = "" if result.weighed_generic is None else f"{_costs(result, answer)}, "
    head = [
        f"# {result.problem.name}, adapted: {cost}"
        f"{answer.steps:.2f} steps instead of {result.steps_generic:.2f}"
        f" (means over {counted(len(result.problem.test), 'case')})",
        f"# {answer.verdict.statement}",
        f"# {answer.tested}",
    ]
    if answer.facts:
        head += ["# right whenever"] + [f"#   {text}" for text in answer.precondition]
        head.append(f"# {answer.support}")
    return "\n".join(head) + "\n" + to_text(answer.program)


def in_python(result: Adapted, answer: Answer, table: Table | None = None) -> str:
    """The text of a guarded answer in Python; of its table, if there is one."""
    problem, says = result.problem, _says(result, answer, table)
    if problem.function is not None:
        body = answer.program if table is None else table
        return function_in_python(
            problem.function, body, answer.facts, says, trusts_types=result.trusts_types
        )
    known = problem.program, answer.program, answer.facts, problem.M, result.name_in_files
    return guarded_python(*known, says)


def in_c(result: Adapted, answer: Answer, table: Table | None = None) -> str:
    """The same in C, with a self-test of test cases and a rejected tape."""
    problem, M, says = result.problem, result.problem.M, _says(result, answer, table)
    tapes = [case.input for case in problem.test]
    tapes[:0] = [answer.rejected] if answer.rejected else []
    if problem.function is not None:
        body = answer.program if table is None else table
        return function_in_c(problem.function, body, answer.facts, says, tapes)
    known = problem.program, answer.program, answer.facts, M, result.name_in_files
    examples = examples_of(problem.program, M, tapes)
    return guarded_c(*known, says, examples=examples, counts=result.counts)


def generic_in_c(result: Adapted) -> str:
    """The program of a function as it was, in C: nothing that was found is faster there."""
    function = result.problem.function
    assert function is not None
    return function_in_c(function, None, (), (), [case.input for case in result.problem.test])


def _says(result: Adapted, answer: Answer, table: Table | None) -> list[str]:
    """The sentences of its documentation."""
    taken = f"{answer.steps:.2f} steps instead of {result.steps_generic:.2f} on the machine."
    says = [
        taken if table is None else "Its results are in a table.",
        f"{answer.verdict.statement}.",
        answer.support if answer.facts else "",
        ""
        if _is_usual(result.problem, result.counts)
        else f"Only these cells of the result count: {ranges(result.counted)}.",
    ]
    return [line for line in says if line]


def _is_usual(problem: Problem, counts: Sequence[bool]) -> bool:
    """Whether all cells count; for a function of arguments, all cells that a caller sees."""
    seen = None if problem.function is None else problem.function.layout.counts
    return all(counts[cell] for cell in (range(problem.M) if seen is None else seen))
