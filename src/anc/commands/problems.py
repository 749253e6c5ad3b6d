"""The one way from what a user gives to what is adapted or filled.

In come a program or a sketch in one of its many forms, samples or inputs, and perhaps an objective; out come
a `Problem`, an `Aimed` or a `GivenSketch` with cases. Commands, the Python API and experiments load here.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from anc.data import programs, tasks
from anc.data.loading import FUNCTION, Loaded, load
from anc.data.tasks.cases import Case
from anc.data.tasks.checks import as_list
from anc.data.tasks.data import (
    Call,
    Made,
    cases_from,
    drawn,
    given_cases,
    inputs_from,
    more_cases_from,
    read_given,
    read_inputs,
)
from anc.data.tasks.recorded import read_samples
from anc.isa import InstructionSet
from anc.language.source import Source, read_source, read_typed
from anc.support import limits
from anc.support.diagnostics import AncError, plain, quoted
from anc.training import problem as problems
from anc.training.problem import FEWEST_TO_SPLIT, Problem, with_frozen

if TYPE_CHECKING:
    from anc.adaptation.holes.sketch import Sketch
    from anc.adaptation.objectives.adapt import Aimed
    from anc.adaptation.objectives.objective import Instances, Objective
    from anc.python.function import Function
    from anc.python.sketch_function import OpenFunction

Inputs = Sequence[Any] | Callable[[Random], Any] | Path | str


def is_task(what: object) -> bool:
    """Whether it is the name of a task, which has cases of its own."""
    return isinstance(what, str) and what in programs.names()


# -- cases that say what is right ------------------------------------------------


@dataclass(frozen=True)
class GivenProblem:
    """A problem and where it came from, so that a run folder can make it again."""

    problem: Problem
    origin: dict[str, Any]
    cases: Sequence[Case] = ()
    facts: tuple[str, ...] = ()  # that the program itself states


def given_problem(
    what: Any,
    samples: Inputs | None,
    seed: int = 0,
    memory: int | None = None,
    generic: bool = False,
    freeze: Iterable[int] = (),
    load: Callable[[Any, int | None], Loaded] = load,
) -> GivenProblem:
    """A task's problem, or that of a program with samples.

    Samples are tapes (of a Python function: arguments of calls) with or without answers, a function
    that draws one from a `random.Random`, or the name of a file. Lines in `freeze` stay as they are.
    `load` shows the compiler's warnings.
    """
    cases: Sequence[Case] = ()
    facts: tuple[str, ...] = ()
    if samples is None:
        task = tasks.get(what)
        if memory not in (None, task.M):
            raise AncError(
                f"the cases of the task '{what}' have {task.M} cells, not {memory}",
                help="leave --memory out, or give cases of your own with --data",
            )
        origin = {"kind": "task", "name": what, "biased": not generic, "seed": seed}
        origin |= {"pool": problems.POOL, "test": problems.TEST}
        problem = problems.from_task(task, not generic, seed)
    else:
        loaded = load(what, memory)
        function, note, more = loaded.function, "", None
        program, call, facts = loaded.program, loaded.call, loaded.facts
        if isinstance(samples, str | Path):
            cases, note = read_samples(samples, program, memory, call, loaded.real_call, seed)
        elif callable(samples):
            cases = cases_from(samples, problems.POOL, seed, program, memory, call=call)
            more = functools.partial(more_cases_from, samples, seed, program, cases[0].M, call)
        else:
            cases = cases_from(_one_by_one(samples), len(samples), seed, program, memory, call=call)
        name = name_of(loaded)
        origin = {"kind": "cases", "name": name, "memory": memory, "seed": seed}
        text = loaded.text
        problem = problems.from_cases(name, program, text, cases, seed, function, note, more)
    frozen = list(freeze)
    origin |= {"frozen": frozen} if frozen else {}
    return GivenProblem(problem.with_frozen(frozen), origin, cases, facts)


def name_of(loaded: Loaded) -> str:
    """What to call the problem that a program poses."""
    if loaded.function is not None:
        return loaded.function.name
    name = Path(loaded.name).stem
    return "program" if name.startswith("<") else plain(name)


def _one_by_one(samples: Sequence[Any]) -> Callable[[Random], Any]:
    listed = iter(samples)

    def given(random: Random) -> Any:
        return next(listed)

    given.__name__ = "samples"
    return given


# -- inputs without answers, and an objective --------------------------------------


def aim(
    what: Any,
    loaded: Loaded,
    inputs: Inputs | None,
    objective: Any,
    constraint: Any = None,
    maximise: bool = False,
    seed: int = 0,
    freeze: Iterable[int] = (),
) -> Aimed:
    """A program with inputs, or a task by name with its biased ones, and what is minded about the result.

    Inputs are tapes (of a Python function: arguments of calls), a function that draws one from a
    `random.Random`, or the name of a file of them. Lines in `freeze` stay as they are.
    """
    from anc.adaptation.objectives.adapt import Aimed
    from anc.adaptation.objectives.objective import Instances, Objective

    program = with_frozen(loaded.program, freeze, loaded.function)
    if inputs is not None:
        if program.memory is None and isinstance(inputs, str | Path):
            raise AncError("the program does not say its memory", help="write 'memory 20' into it")
        instances = _instances(inputs, _memory(loaded, inputs), loaded.call, seed)
    elif is_task(what):
        task = tasks.get(what)
        instances = Instances.drawn(
            lambda n, number: [case.input for case in task.draw(True, n, number)], seed
        )
    else:
        raise AncError(
            "'inputs' is missing: a program of your own needs inputs to adapt to",
            help="give tapes, a function that draws one from a random.Random, or a file of them",
        )
    limits.LEARNT.check(instances.M)
    wanted = Objective.of(objective, constraint, maximise, instances.M)
    return Aimed(name_of(loaded), program, loaded.text, instances, wanted)


def _instances(inputs: Inputs, M: int, call: Call | None, seed: int) -> Instances:
    """What a user gives as inputs, as tapes of M cells; `call` makes tapes of arguments."""
    from anc.adaptation.objectives.objective import Instances

    if not callable(inputs):
        return Instances.of(_tapes(inputs, M, call), seed)
    draw, name = inputs, getattr(inputs, "__name__", "inputs")

    def several(n: int, number: int) -> list[tuple[int, ...]]:
        random = Random(f"inputs/{number}")
        made = (drawn(draw, random, name, place) for place in range(1, n + 1))
        return inputs_from(made, M, call)

    return Instances.drawn(several, seed)


def _tapes(
    inputs: Sequence[Any] | Path | str, M: int, call: Call | None, argument: str = "inputs"
) -> list[tuple[int, ...]]:
    """The tapes of a file, in which a line may be just a tape, or those from Python."""
    if isinstance(inputs, str | Path):
        return read_inputs(Path(inputs), M, call or (lambda cells: {"input": [*cells]}), True)
    if not limits.has_length(inputs):
        raise AncError(f"'{argument}' is of type {type(inputs).__name__}, expected tapes")
    return inputs_from(inputs, M, call, argument)


def _memory(loaded: Loaded, inputs: Inputs) -> int:
    """The program's memory; of one that does not say, as much as the inputs need."""
    given: Any = inputs if limits.has_length(inputs) and not callable(inputs) else ()
    tapes = [as_list(one.get("input") if isinstance(one, Mapping) else one) for one in given]
    longest = max((len(tape) for tape in tapes if tape is not None), default=0)
    return loaded.program.memory or max(longest, loaded.program.smallest_memory)


# -- sketches ------------------------------------------------------------------------


@dataclass(frozen=True)
class GivenSketch:
    """A sketch, what it is called, and what the call of a Python function is as a case.

    `arguments` is what the arguments alone are.
    """

    name: str
    sketch: Sketch
    call: Call | None = None
    arguments: Call | None = None

    def cases(self, made: Iterable[Made] | str | Path) -> list[Case]:
        """The cases of a file, or cases from Python; both say themselves what is right."""
        if isinstance(made, str | Path):
            return read_given(Path(made), self.sketch.M, self.call)
        return given_cases(made, self.sketch.M, self.call)

    def cases_apart(
        self, made: Iterable[Made] | str | Path, test: Iterable[Made] | str | Path | None, seed: int
    ) -> tuple[list[Case], list[Case]]:
        """Cases to fill from and others to report on: `test`, or a fifth of all, if they are not few."""
        cases = self.cases(made)
        if test is not None or len(cases) < FEWEST_TO_SPLIT:
            return cases, [] if test is None else self.cases(test)
        order = np.random.default_rng(seed).permutation(len(cases)).tolist()
        fifth = sorted(order[: len(cases) // 5])
        held_out = set(fifth)
        chosen = [case for number, case in enumerate(cases) if number not in held_out]
        return chosen, [cases[number] for number in fifth]

    def aimed(
        self,
        inputs: Inputs | None,
        fresh: Sequence[Any] | str | Path | None,
        objective: Any,
        constraint: Any = None,
        maximise: bool = False,
        seed: int = 0,
    ) -> tuple[Instances, Objective]:
        """Inputs without answers, and what is minded about the results.

        If other inputs are given to report on, all of these are to fill from.
        """
        from anc.adaptation.objectives.objective import Instances, Objective

        if inputs is None:
            raise AncError(
                "'inputs' is missing: there is an objective, but nothing to run the program on",
                help="give tapes, a function that draws one from a random.Random, or a file of them",
            )
        M = self.sketch.M
        instances = _instances(inputs, M, self.arguments, seed)
        if fresh is not None:
            tapes = np.array(_tapes(fresh, M, self.arguments, "fresh"), np.uint16)
            if not len(tapes):
                raise AncError("'fresh' is empty: there is nothing to report on")
            instances = Instances(instances.everything, instances.searched[:0], tapes)
        return instances, Objective.of(objective, constraint, maximise, M)


def given_sketch(
    what: str | Path | OpenFunction | Function[..., Any],
    memory: int | None = None,
    instructions: InstructionSet | None = None,
) -> GivenSketch:
    """The sketch in a file, in a text, or on standard input; or a Python function with holes."""
    from anc.adaptation.holes.reading import sketch_of
    from anc.adaptation.holes.sketch import sketch_of_function
    from anc.python.files import read_open_function
    from anc.python.function import Function
    from anc.python.sketch_function import OpenFunction

    if isinstance(what, Function):
        raise AncError(
            f"'{what.name}' has no holes to fill", help="leave places open with anc.hole(...)"
        )
    if memory is not None:
        limits.MEMORY.check(memory)
    if not isinstance(what, OpenFunction | str | Path):
        raise AncError(f"expected a program with holes, or what names one, found {quoted(what)}")
    if isinstance(what, OpenFunction) or FUNCTION.fullmatch(str(what)):
        function = what if isinstance(what, OpenFunction) else read_open_function(str(what), memory)
        sketch = sketch_of_function(function)
        return GivenSketch(function.name, sketch, function.call_fields, function.input_fields)
    if what == "-":
        return GivenSketch("program", sketch_of(read_typed(), memory, instructions))
    if isinstance(what, str) and "(" in what:  # no name has one, and every listing does
        return GivenSketch("program", sketch_of(Source(what), memory, instructions))
    path = Path(what)
    if not os.path.exists(path):
        raise AncError(
            f"there is no file {quoted(str(what))}", help="a sketch is a listing with holes"
        )
    return GivenSketch(plain(path.stem), sketch_of(read_source(path), memory, instructions))
