"""Claims through the commands: what is proved holds on every tape there is, guards equal the generic program.

Memories are so small that all tapes can be tried. Nothing here asks the prover: both programs are run
on every tape, facts are evaluated as the Python that they are, and an emitted function is called.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from proof.random_facts import random_fact
from proof.random_programs import branching_program, mutated, random_program

import anc
from anc.adaptation.verification import Guard, Verified, given_pair, guard_pair, verify_pair
from anc.commands.proofs import UNKNOWN
from anc.isa import PAPER, WIDE, InstructionSet
from anc.machine.batch import run_all
from anc.machine.exact import Stop, run
from anc.program import Program
from anc.search.clean import clean
from anc.support.diagnostics import AncError
from fuzzing.commands import called, prepared
from fuzzing.direct import truth
from fuzzing.entry import Entry, Parts, Wrong, same
from fuzzing.machines_made import program_of, program_text

STEPS = 20_000  # that the commands follow a run for
BOUNDS = ("5", "12", "40", "150")  # and that claims follow one for here
LATE = 5_000  # steps after which such a small program never stops
SECONDS = 0.4
EVALUATIONS = 3_000
FAILED = "the proof failed"


# -- what is claimed ------------------------------------------------------------------


def make(random: Random, instructions: InstructionSet = PAPER) -> Parts:
    """Two programs, facts, cases with masks of their own, cells that count, and how far runs are followed."""
    M = random.choice((2, 3, 3, 3, 4, 4))
    generic = random_generic(random, M, instructions)
    adapted = clean(generic, M) if random.random() < 0.4 else generic
    for _ in range(random.choice((0, 1, 1, 2))):
        adapted = mutated(random, adapted, M)
    facts = [random_fact(random, M) for _ in range(random.choice((0, 0, 1, 2)))]
    return {
        "generic": program_text(generic, M),
        "adapted": program_text(adapted, M),
        "facts": "\n".join(facts),
        "cases": made_cases(random, generic, M) if random.random() < 0.4 else "",
        "counts": random_counts(random, M) if random.random() < 0.3 else "",
        "steps": random.choice((*BOUNDS, *BOUNDS, str(STEPS))),
        "way": random.choice(("python", "python", "python", "shell")),
    }


def make_wide(random: Random) -> Parts:
    return make(random, WIDE)


def random_generic(random: Random, M: int, instructions: InstructionSet = PAPER) -> Program:
    """A program that often looks at the tape, and stops on some tapes and not on others."""
    if M >= 6 and random.random() < 0.7:
        return branching_program(random, M, instructions)
    return random_program(random, M, 0.9, instructions)


def made_cases(random: Random, generic: Program, M: int) -> str:
    """Cases as lines of JSON; all have one mask, or each its own."""
    common = masked(random, M)
    lines = []
    for _ in range(random.randint(1, 5)):
        tape = [random.randrange(M) for _ in range(M)]
        if run(generic, tape, STEPS).stop is Stop.STOPPED:
            mask = common if random.random() < 0.5 else masked(random, M)
            lines.append(json.dumps({"input": tape, "mask": mask}))
    return "\n".join(lines)


def masked(random: Random, M: int) -> list[int]:
    mask = [int(random.random() < 0.5) for _ in range(M)]
    mask[random.randrange(M)] = 1
    return mask


def random_counts(random: Random, M: int) -> str:
    return ",".join(map(str, sorted(random.sample(range(M), random.randint(1, M)))))


@dataclass(frozen=True)
class Stated:
    """The parts of a claim, read here."""

    generic: Program
    adapted: Program
    M: int
    facts: list[str]
    cases: list[dict[str, Any]]
    counts: list[int] | None
    steps: int

    @classmethod
    def of(cls, parts: Parts) -> Stated:
        generic, adapted = program_of(parts["generic"]), program_of(parts["adapted"])
        assert generic.memory is not None
        if generic.memory > 6 or adapted.memory != generic.memory:
            raise AncError("not all tapes can be tried")
        facts = [line for line in parts["facts"].split("\n") if line.strip()]
        try:
            cases = [json.loads(line) for line in parts["cases"].split("\n") if line.strip()]
            counts = [int(cell) for cell in parts["counts"].split(",")] if parts["counts"] else None
            steps = int(parts["steps"])
        except ValueError:
            raise AncError("no claim") from None
        if steps not in (*map(int, BOUNDS), STEPS) or parts["way"] not in ("python", "shell"):
            raise AncError("no claim")
        return cls(generic, adapted, generic.memory, facts, cases, counts, steps)

    @property
    def cells(self) -> list[int]:
        """Those that count."""
        if self.counts is not None:
            return self.counts
        masks = [case["mask"] for case in self.cases]
        return [c for c in range(self.M) if not masks or any(mask[c] for mask in masks)]


@cache
def all_tapes(M: int) -> np.ndarray:
    return np.array(list(itertools.product(range(M), repeat=M)), np.int64)


def holding(facts: Sequence[str], tapes: np.ndarray) -> np.ndarray:
    """On which tapes all facts are true, by plain evaluation."""
    rows = map(tuple, tapes.tolist())
    return np.array([all(truth(fact, tape) for fact in facts) for tape in rows], np.bool_)


# -- what must be true ------------------------------------------------------------------


def is_right(
    generic: Program, other: Program, tapes: np.ndarray, cells: Sequence[int], what: str
) -> None:
    """Wherever the generic program stops, the other one does, and the cells that count agree."""
    wanted, found = run_all(generic, tapes, LATE), run_all(other, tapes, 2 * LATE)
    differ = (wanted.tapes != found.tapes)[:, list(cells)].any(axis=1) | ~found.stopped
    for tape in tapes[wanted.stopped & differ][:1].tolist():
        ends = [run(program, tape, 2 * LATE) for program in (generic, other)]
        raise Wrong(f"{what}: on {tape} there is {ends[1]}, and not {ends[0]}")


def judge(stated: Stated, told: dict[str, Any]) -> None:
    """The verdict that was printed, against all tapes."""
    if told["reason"].startswith(FAILED):
        raise Wrong(f"a proof failed: {told['reason']}")
    tapes = all_tapes(stated.M)
    tapes = tapes[holding(stated.facts, tapes)]
    cells = stated.cells
    if told["verdict"] == "proved":
        same("the cells that were proved", told["counts"], cells)
        if not len(tapes) or not cells:
            raise Wrong("proved: of nothing")
        is_right(stated.generic, stated.adapted, tapes, cells, "proved")
        stops = run_all(stated.generic, tapes, LATE).stopped
        if not stops.any() or not (told["partial"] or stops.all()):
            raise Wrong(f"proved: the generic program stops on {stops.sum()} of {len(tapes)} tapes")
    elif told["verdict"] == "refuted":
        is_refuted(stated, tuple(told["counterexample"]["tape"]))
    elif told["outside"] is not None:
        tape = tuple(told["outside"]["tape"])
        same("the facts hold there", all(truth(fact, tape) for fact in stated.facts), True)
        if run(stated.generic, tape, stated.steps).stop is Stop.STOPPED:
            raise Wrong(f"unknown: the generic program stops on {tape}")
    elif told["reason"].startswith("cases count different cells"):
        own = [(c["input"], [i for i in range(stated.M) if c["mask"][i]]) for c in stated.cases]
        if not any(differs(stated, t, cells) and not differs(stated, t, m) for t, m in own):
            raise Wrong(f"unknown: no case says so: {told['reason']}")


def is_refuted(stated: Stated, tape: tuple[int, ...]) -> None:
    same("the facts hold there", all(truth(fact, tape) for fact in stated.facts), True)
    if not differs(stated, tape, stated.cells):
        raise Wrong(f"refuted: the programs agree on {tape}")


def differs(stated: Stated, tape: Sequence[int], cells: Sequence[int]) -> bool:
    wanted, found = (run(p, tape, stated.steps) for p in (stated.generic, stated.adapted))
    if wanted.stop is not Stop.STOPPED:
        return False
    return found.stop is not Stop.STOPPED or any(wanted.tape[c] != found.tape[c] for c in cells)


# -- the commands -----------------------------------------------------------------------


def check_verify(parts: Parts) -> bool:
    """What `anc verify` says of a claim, from Python or the shell, or with runs that are followed less far."""
    stated = Stated.of(parts)
    if parts["way"] == "shell":
        told = from_shell("verify", parts)
    else:
        told = verified(parts, stated).to_dict()
    judge(stated, told)
    return told["verdict"] != "unknown"


def check_guard(parts: Parts) -> bool:
    """What `anc guard` writes for a claim: on every tape it does what the generic program does."""
    stated = Stated.of(parts)
    if parts["way"] == "shell":
        told = from_shell("guard", parts)
        listing = None if told["guarded"] is None else program_of(told["guarded"])
        function = None
    else:
        made = guarded(parts, stated)
        told, listing = made.to_dict(), made.program
        function = made.in_python("f") if made.allowed else None
    judge(stated, told)
    if told["verdict"] != "proved":
        same("a guard without a proof", (listing, function), (None, None))
        return False
    behaves(stated.generic, stated.facts, stated.cells, stated.M, listing, function)
    return listing is not None or function is not None


def behaves(
    generic: Program,
    facts: Sequence[str],
    cells: Sequence[int],
    M: int,
    listing: Program | None,
    function: str | None,
) -> None:
    """A guarded program: right in the cells that count where the facts hold, in all where they do not."""
    holds = holding(facts, all_tapes(M))
    for tapes, counted in ((all_tapes(M)[holds], cells), (all_tapes(M)[~holds], range(M))):
        if listing is not None:
            is_right(generic, listing, tapes, counted, "guarded")
        if function is not None:
            calls(generic, function, tapes, counted)


def calls(generic: Program, text: str, tapes: np.ndarray, cells: Sequence[int]) -> None:
    """The function, called with every tape on which the generic program stops."""
    space: dict[str, Any] = {}
    exec(text, space)
    (name,) = [name for name in space if name in ("f", "program")]
    wanted = run_all(generic, tapes, LATE)
    for tape, left in zip(
        tapes[wanted.stopped].tolist(), wanted.tapes[wanted.stopped].tolist(), strict=True
    ):
        given = list(tape)
        returned = space[name](given)
        found = given if returned is None else returned
        if any(found[cell] != left[cell] for cell in cells):
            raise Wrong(f"guarded in Python: {tape} becomes {found}, and not {left}: {text}")


def verified(parts: Parts, stated: Stated) -> Verified:
    if stated.steps == STEPS:
        return anc.verify(*asked(parts, stated), budget=SECONDS)
    pair, _ = given_pair(*asked(parts, stated), None, anc.data.loading.load)
    return verify_pair(replace(pair, max_steps=stated.steps), SECONDS)


def guarded(parts: Parts, stated: Stated) -> Guard:
    if stated.steps == STEPS:
        return anc.guard(*asked(parts, stated), budget=SECONDS)
    pair, _ = given_pair(*asked(parts, stated), None, anc.data.loading.load)
    return guard_pair(replace(pair, max_steps=stated.steps), SECONDS)


def asked(parts: Parts, stated: Stated) -> tuple[Any, ...]:
    """Programs, facts, cases and cells, as `anc.verify` takes them."""
    return parts["generic"], parts["adapted"], stated.facts, stated.cases or None, stated.counts


def from_shell(command: str, parts: Parts) -> dict[str, Any]:
    """What a command prints of a claim as JSON; runs are followed as far as usual."""
    prepared({"g.anc": parts["generic"], "a.anc": parts["adapted"], "c.jsonl": parts["cases"]})
    words = [command, "g.anc", "a.anc", "--json", "--budget", f"{SECONDS}s"]
    words += [
        word for fact in parts["facts"].split("\n") if fact.strip() for word in ("--assume", fact)
    ]
    words += ["--data", "c.jsonl"] if parts["cases"].strip() else []
    words += ["--counts", parts["counts"]] if parts["counts"] else []
    code, out, err = called(words, "")
    if code == 2:
        raise AncError(err)
    told: dict[str, Any] = json.loads(out)
    wanted = {"proved": (0, 1), "refuted": (1,), "unknown": (UNKNOWN,)}[told["verdict"]]
    if code not in wanted or (command == "verify" and code != wanted[0]):
        raise Wrong(f"exit status {code} of anc {command}, which says: {told['verdict']}")
    return told


# -- adaptations ------------------------------------------------------------------------


def make_adapted(random: Random) -> Parts:
    """A program, and cases in which some cells never vary; each may count other cells."""
    M = random.choice((3, 4, 4, 5, 5, 6))
    generic = random_generic(random, M)
    known = {cell: random.randrange(M) for cell in range(M) if random.random() < 0.4}
    common, own = masked(random, M), random.random() < 0.5
    lines = []
    for _ in range(40):
        tape = [known.get(cell, random.randrange(M)) for cell in range(M)]
        if run(generic, tape, LATE).stop is Stop.STOPPED:
            mask = masked(random, M) if own else common
            lines.append(json.dumps({"input": tape, "mask": mask}))
    return {
        "generic": program_text(generic, M),
        "cases": "\n".join(dict.fromkeys(lines)),
        "facts": f"tape[{min(known)}] == {known[min(known)]}"
        if known and random.random() < 0.3
        else "",
        "method": random.choice(("specialise", "search")),
    }


def check_adapted(parts: Parts) -> bool:
    """What `anc adapt` calls proved, what it keeps in a folder, and what it says is wrong."""
    stated = Stated.of(
        parts | {"adapted": parts["generic"], "counts": "", "steps": "5", "way": "python"}
    )
    if not stated.cases or parts["method"] not in ("specialise", "search"):
        raise AncError("nothing to adapt to")
    found = anc.adapt(
        parts["generic"], stated.cases, method=parts["method"], assume=stated.facts, evaluations=EVALUATIONS
    )  # fmt: skip
    told = found.to_dict()
    for text in [told["proof"]["reason"], *(each["reason"] for each in told["dropped"])]:
        if text.startswith(FAILED):
            raise Wrong(f"a proof failed: {text}")
    if told["unproved"] and told["unproved"]["counterexample"]:
        other = replace(
            stated, adapted=found.unproved.program, facts=list(stated.facts), steps=STEPS
        )
        cells = [cell for cell, counts in enumerate(found.counts) if counts]
        tape = tuple(told["unproved"]["counterexample"])
        if not differs(other, tape, range(stated.M)) or not set(cells) <= set(stated.cells):
            raise Wrong(f"unproved: the programs agree on {tape}")
    if not found.verdict.proved:
        return False
    cells, facts = told["counts"], list(found.precondition)
    if not cells:
        raise Wrong("proved: of nothing")
    for case in stated.cases:
        if not all(truth(fact, tuple(case["input"])) for fact in stated.facts):
            raise Wrong(f"a case contradicts what is assumed: {case}")
    tapes = all_tapes(stated.M)
    tapes = tapes[holding(facts, tapes)]
    is_right(stated.generic, found.program, tapes, cells, "adapted and proved")
    found.save(Path("adapted"), force=True)
    file = Path("adapted", "adapted.py")
    function = file.read_text() if found.improved else None
    behaves(stated.generic, facts, cells, stated.M, found.guarded.program, function)
    return found.improved


def warm() -> None:
    for number in range(20):
        with suppress(AncError):
            check_guard(make(Random(f"warm/{number}")))


def warm_adapted() -> None:
    check_adapted(make_adapted(Random(3)))


ENTRIES = (
    Entry("claim-verify", make, check_verify, share=60, seconds=20, warm=warm),
    Entry("claim-verify-wide", make_wide, check_verify, share=60, seconds=20, warm=warm),
    Entry("claim-guard", make, check_guard, share=60, seconds=20, warm=warm),
    Entry(
        "claim-adapt", make_adapted, check_adapted, share=3, seconds=60, warm=warm_adapted, tested=2
    ),
)
