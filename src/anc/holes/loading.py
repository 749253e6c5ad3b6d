"""What a user names as a sketch, and the cases to fill it from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anc import limits
from anc.diagnostics import AncError, plain, quoted
from anc.holes.functions import sketch_of_function
from anc.holes.reading import sketch_of
from anc.holes.sketch import Sketch
from anc.language.source import Source, read_source, read_typed
from anc.loading import FUNCTION
from anc.objectives.instances import Instances
from anc.objectives.loading import Inputs, given_instances, given_tapes
from anc.objectives.objective import Objective
from anc.python.files import read_open_function
from anc.python.function import Function
from anc.python.opening import OpenFunction
from anc.tasks.cases import Case
from anc.tasks.data import Call, Made, given_cases, read_given

FEWEST_TO_SPLIT = 30


@dataclass(frozen=True)
class Given:
    """A sketch, what it is called, and what the call of a Python function is as a case.

    `arguments` is what the arguments alone are.
    """

    name: str
    sketch: Sketch
    call: Call | None = None
    arguments: Call | None = None


def given_sketch(
    what: str | Path | OpenFunction | Function[..., Any], memory: int | None = None
) -> Given:
    """The sketch in a file, in a text, or on standard input; or a Python function with holes."""
    if isinstance(what, Function):
        raise AncError(
            f"'{what.name}' has no holes to fill", help="leave places open with anc.hole(...)"
        )
    limits.check(memory=memory)
    if not isinstance(what, OpenFunction | str | Path):
        raise AncError(f"expected a program with holes, or what names one, found {quoted(what)}")
    if isinstance(what, OpenFunction) or FUNCTION.fullmatch(str(what)):
        function = what if isinstance(what, OpenFunction) else read_open_function(str(what), memory)
        sketch = sketch_of_function(function)
        return Given(function.name, sketch, function.call_fields, function.input_fields)
    if what == "-":
        return Given("program", sketch_of(read_typed(), memory))
    if isinstance(what, str) and "(" in what:  # no name has one, and every listing does
        return Given("program", sketch_of(Source(what), memory))
    path = Path(what)
    if not os.path.exists(path):
        raise AncError(
            f"there is no file {quoted(str(what))}", help="a sketch is a listing with holes"
        )
    return Given(plain(path.stem), sketch_of(read_source(path), memory))


def checked_cases(given: Given, made: Iterable[Made] | str | Path) -> list[Case]:
    """The cases of a file, or cases from Python; both say themselves what is right."""
    if isinstance(made, str | Path):
        return read_given(Path(made), given.sketch.M, given.call)
    return given_cases(made, given.sketch.M, given.call)


def aimed(
    given: Given,
    inputs: Inputs | None,
    fresh: Sequence[Any] | str | Path | None,
    objective: Any,
    constraint: Any = None,
    maximise: bool = False,
    seed: int = 0,
) -> tuple[Instances, Objective]:
    """Inputs without answers, and what is minded about the results."""
    if inputs is None:
        raise AncError(
            "'inputs' is missing: there is an objective, but nothing to run the program on",
            help="give tapes, a function that draws one from a random.Random, or a file of them",
        )
    instances = _unanswered(given, inputs, fresh, seed)
    return instances, Objective.of(objective, constraint, maximise, given.sketch.M)


def _unanswered(
    given: Given, inputs: Inputs, fresh: Sequence[Any] | str | Path | None, seed: int
) -> Instances:
    """If other inputs are given to report on, all of these are to fill from."""
    M, call = given.sketch.M, given.arguments
    instances = given_instances(inputs, M, call, seed)
    if fresh is None:
        return instances
    tapes = np.array(given_tapes(fresh, M, call, "fresh"), np.uint16)
    if not len(tapes):
        raise AncError("'fresh' is empty: there is nothing to report on")
    if not instances.are_fresh:
        return Instances(instances.searched, instances.searched[:0], tapes)
    parts = instances.searched, instances.chosen, instances.fresh
    return Instances(np.concatenate(parts), instances.searched[:0], tapes)


def split(cases: Sequence[Case], seed: int) -> tuple[list[Case], list[Case]]:
    """Four fifths to fill from and a fifth to report on; of few cases, all to fill from."""
    if len(cases) < FEWEST_TO_SPLIT:
        return list(cases), []
    order = np.random.default_rng(seed).permutation(len(cases)).tolist()
    fifth = set(order[: len(cases) // 5])
    chosen = [case for number, case in enumerate(cases) if number not in fifth]
    return chosen, [cases[number] for number in sorted(fifth)]
