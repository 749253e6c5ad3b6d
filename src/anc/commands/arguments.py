"""Loading of arguments: from what a user gives to what is run, adapted or filled.

A program or a sketch in any of its forms comes in, with samples or inputs and perhaps an objective. Out comes
a `Loaded` program, a problem, an `Aimed` or a `GivenSketch`. Commands, functions and experiments load here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from anc.data import programs
from anc.program import Program
from anc.support import limits
from anc.support.diagnostics import AncError, plain, quoted

if TYPE_CHECKING:
    from anc.adaptation.holes.sketch import Sketch
    from anc.adaptation.objectives.adapt import Aimed
    from anc.adaptation.objectives.objective import Instances
    from anc.data.loading import Loaded
    from anc.data.tasks.cases import Case
    from anc.data.tasks.data import Call, Given
    from anc.isa import InstructionSet
    from anc.language import Source
    from anc.machine.weights import Weights
    from anc.python.function import Function
    from anc.python.recording.recorder import Recorded
    from anc.python.sketch_function import OpenFunction
    from anc.support.job import Job
    from anc.training.problem import Problem

# a program, a Python function or weights, or a name of one
What: TypeAlias = "Program | Function[..., Any] | Recorded[..., Any] | Weights | str | Path"
Samples: TypeAlias = Sequence[Any] | Callable[[Random], Any] | Path
Inputs: TypeAlias = Samples | str | None
NO_INPUTS = "give tapes, a function that draws one from a random.Random, or a file of them"


def load(job: Job, what: What | Source, memory: int | None = None) -> Loaded:
    """Load a program, a function or weights; the job reports the compiler's warnings."""
    from anc.data import loading

    if is_task(what) and Path(str(what)).exists():
        job.note(f"note: '{what}' is the shipped program; what lies here is ./{what}")
    loaded = loading.load(what, memory, job.instructions)
    if loaded.warnings:
        job.warn(loaded.warnings)
    return loaded


def is_task(what: object) -> bool:
    """Whether it names a task, which has its own cases."""
    return isinstance(what, str) and what in programs.names()


def name_of(loaded: Loaded) -> str:
    """The name of the problem that a program poses."""
    return loaded.function.name if loaded.function is not None else _plain_name(loaded.name)


def _plain_name(file: str) -> str:
    name = Path(file).stem
    return "program" if name.startswith("<") else plain(name)


# -- cases that say what is right ------------------------------------------------


@dataclass(frozen=True)
class GivenProblem:
    """A problem and its origin, from which a run folder can recreate it."""

    problem: Problem
    origin: dict[str, Any]
    cases: Sequence[Case] = ()


def given_problem(
    job: Job,
    target: What,
    samples: Inputs,
    generic: bool = False,
    memory: int | None = None,
    seed: int = 0,
    freeze: Iterable[int] = (),
) -> GivenProblem:
    """A task's problem, or that of a program with samples; lines in `freeze` stay unchanged.

    Samples are tapes (for a Python function: arguments of calls) with or without answers, a function
    that draws one from a `random.Random`, or the name of a file.
    """
    from anc.data import tasks
    from anc.data.tasks.data import Given, more_cases
    from anc.training import problem as problems

    if samples is None and not is_task(target):
        raise _no_data(job, target, load(job, target), "cases", ", as anc.record writes them")
    cases: Sequence[Case] = ()
    if samples is None:
        task = tasks.get(str(target))
        if memory not in (None, task.M):
            raise AncError(
                f"the cases of the task '{target}' have {task.M} cells, not {memory}",
                help="leave --memory out, or give cases of your own with --data",
            )
        origin: dict[str, Any] = {
            "kind": "task",
            "name": target,
            "biased": not generic,
            "seed": seed,
        }
        origin |= {"pool": problems.POOL, "test": problems.TEST}
        problem = problems.from_task(task, not generic, seed)
    else:
        _check_samples(samples)
        loaded, memory = _for_calls(load(job, target, memory), samples, seed, memory)
        program, call, more = loaded.program, loaded.call, None
        given = Given.of(samples, "samples", problems.POOL, seed, call, loaded.real_call)
        cases = given.cases(program, memory)
        if callable(samples):
            more = partial(more_cases, samples, seed, program, cases[0].M, call)
        name, about = name_of(loaded), (cases, seed, loaded.function, given.note, more)
        origin = {"kind": "cases", "name": name, "memory": memory, "seed": seed}
        problem = problems.from_cases(name, program, loaded.text, *about)
        if loaded.function is not None and loaded.function.is_sized:
            said = (
                f"no memory is stated: {memory} cells are the fewest for its code and these calls"
            )
            problem = replace(problem, note=problem.noted(said))
    frozen = list(freeze)
    origin |= {"frozen": frozen} if frozen else {}
    return GivenProblem(problem.with_frozen(frozen), origin, cases)


def _for_calls(
    loaded: Loaded, samples: Any, seed: int, memory: int | None
) -> tuple[Loaded, int | None]:
    """A function that states no memory, with the smallest one for its calls; it and the memory."""
    from anc.data import loading
    from anc.data.tasks.data import Given
    from anc.training import problem as problems

    function = loaded.function
    if function is None or not function.is_sized:
        return loaded, memory
    calls: list[Any] = []

    def seen(arguments: Any) -> dict[str, Any]:
        calls.append(arguments)
        return {"input": [0]}

    Given.of(samples, "samples", problems.POOL, seed, seen, seen)
    found = function.fitted_to(calls)
    return loading.of_function(found), found.M


def _check_samples(samples: Samples | str) -> None:
    """Validate samples: a file, a function, or a non-empty list."""
    if isinstance(samples, str | Path) or callable(samples):
        return
    if not limits.has_length(samples) or isinstance(samples, Mapping):
        raise AncError(
            f"samples is {quoted(samples)}, expected a list of them, a function or a file"
        )
    if not len(samples):
        raise AncError(
            "samples is empty: there are no cases to adapt to",
            help="give tapes, such as [[3, 1, 2], [4, 1, 2]]",
        )


def _no_data(job: Job, what: object, loaded: Loaded, missing: str, written: str = "") -> AncError:
    """The error for a user's program without cases, or inputs, to adapt it to."""
    if job.command is None and missing == "cases":
        return AncError("a program of your own needs samples to adapt to")
    if job.command is None:
        message = "'inputs' is missing: a program of your own needs inputs to adapt to"
        return AncError(message, help=NO_INPUTS)
    line = (
        '{"input": [...]}'
        if loaded.function is None
        else f"the list of a call's arguments{written}"
    )
    return AncError(
        f"{quoted(str(what))} is not a task, so it needs {missing} to adapt to",
        help=f"give a file of JSON lines: --data {missing}.jsonl, each {line}",
    )


# -- inputs without answers, and an objective --------------------------------------


def aim(
    job: Job,
    what: What | Source,
    inputs: Inputs,
    wanted: tuple[Any, Any, bool],
    memory: int | None = None,
    seed: int = 0,
    freeze: Iterable[int] = (),
) -> Aimed:
    """A program with inputs, or a task with its biased inputs, and an objective.

    Inputs are tapes (for a Python function: arguments of calls), a function that draws one from a
    `random.Random`, or the name of a file of them. `wanted` is an objective, a constraint, and whether the
    score is maximised. Lines in `freeze` stay unchanged.
    """
    from anc.adaptation.objectives.adapt import Aimed
    from anc.adaptation.objectives.objective import Instances, Objective
    from anc.data import tasks
    from anc.training.problem import with_frozen

    loaded = load(job, what, memory)
    program = with_frozen(loaded.program, freeze, loaded.function)
    if inputs is not None:
        if program.memory is None and isinstance(inputs, str | Path):
            raise AncError("the program does not say its memory", help="write 'memory 20' into it")
        instances = _instances(inputs, loaded.call, seed, program)
    elif is_task(what):
        task = tasks.get(str(what))
        instances = Instances.drawn(
            lambda n, number: [case.input for case in task.draw(True, n, number)], seed
        )
    else:
        raise _no_data(job, what, loaded, "inputs")
    limits.LEARNT.check(instances.M)
    objective = Objective.of(*wanted, instances.M)
    return Aimed(name_of(loaded), program, loaded.text, instances, objective)


def _instances(inputs: Inputs, call: Call | None, seed: int, of: Program | int) -> Instances:
    """The user's inputs as tapes for a program, or of M cells; `call` converts arguments of calls."""
    from anc.adaptation.objectives.objective import Instances
    from anc.data.tasks.data import Given

    if not callable(inputs):
        given = _listed(inputs, call, "inputs")
        M = of if isinstance(of, int) else given.memory(of)
        return Instances.of(given.inputs(M, unanswered=True), seed)
    draw, M = inputs, of if isinstance(of, int) else of.memory or of.smallest_memory
    return Instances.drawn(
        lambda n, number: Given.drawn(draw, n, f"inputs/{number}", call).inputs(M, True), seed
    )


def _listed(inputs: Any, call: Call | None, argument: str) -> Given:
    """Inputs in a file, in which a line may be just a tape, or in a list."""
    from anc.data.tasks.data import Given

    if isinstance(inputs, str | Path):
        return Given.in_file(inputs, call or (lambda cells: {"input": [*cells]}))
    if not limits.has_length(inputs):
        raise AncError(f"'{argument}' is of type {type(inputs).__name__}, expected tapes")
    return Given.listed(inputs, call, argument)


# -- sketches ------------------------------------------------------------------------


@dataclass(frozen=True)
class GivenSketch:
    """A sketch with its name; for a Python function, also how to convert calls to cases.

    `call` converts arguments with a result, `arguments` converts arguments alone.
    """

    name: str
    sketch: Sketch
    call: Call | None = None
    arguments: Call | None = None

    def cases(self, made: Any) -> list[Case]:
        """Cases with answers, from a file or from Python."""
        from anc.data.tasks.data import Given

        if isinstance(made, str | Path):
            return Given.in_file(made, self.call).answered(self.sketch.M)
        if not limits.is_listed(made):
            raise AncError(
                f"cases is {quoted(made)}, expected a list of them, or the name of a file"
            )
        cases = Given.listed(made, self.call, "the cases").answered(self.sketch.M)
        if not cases:
            raise AncError("there are no cases to fill the holes from")
        return cases

    def cases_apart(self, made: Any, test: Any, seed: int) -> tuple[list[Case], list[Case]]:
        """Cases to fill from, and held-out cases: `test`, or a fifth of all, unless there are few."""
        import numpy as np

        from anc.training.problem import FEWEST_TO_SPLIT

        cases = self.cases(made)
        if test is not None or len(cases) < FEWEST_TO_SPLIT:
            return cases, [] if test is None else self.cases(test)
        order = np.random.default_rng(seed).permutation(len(cases)).tolist()
        held_out = sorted(order[: len(cases) // 5])
        return [cases[n] for n in sorted(order[len(cases) // 5 :])], [cases[n] for n in held_out]

    def aimed(
        self, inputs: Inputs, fresh: Any, wanted: tuple[Any, Any, bool], seed: int
    ) -> tuple[Instances, Any]:
        """Inputs without answers, and the objective.

        If `fresh` inputs are given to report on, no others are held out.
        """
        import numpy as np

        from anc.adaptation.objectives.objective import Instances, Objective

        if inputs is None:
            raise AncError(
                "'inputs' is missing: there is an objective, but nothing to run the program on",
                help=NO_INPUTS,
            )
        M = self.sketch.M
        instances = _instances(inputs, self.arguments, seed, M)
        if fresh is not None:
            given = _listed(fresh, self.arguments, "fresh")
            tapes = np.array(given.inputs(M, unanswered=True), np.uint16)
            if not len(tapes):
                raise AncError("'fresh' is empty: there is nothing to report on")
            instances = Instances(instances.everything, instances.searched[:0], tapes)
        return instances, Objective.of(*wanted, M)


def sketch_in(
    what: object, memory: int | None = None, instructions: InstructionSet | None = None
) -> OpenFunction | None:
    """The Python function with holes that it is, or that it names; None for anything else."""
    from anc.data.loading import FUNCTION
    from anc.python.files import open_function_in
    from anc.python.sketch_function import OpenFunction

    if isinstance(what, OpenFunction):
        found = what.with_instructions(instructions)
        if memory is None:
            return found
        known = memory, found.wrap, found.python, found.instructions
        return OpenFunction(found.module, found.definition, *known)
    if isinstance(what, str | Path) and FUNCTION.fullmatch(str(what)):
        return open_function_in(str(what), memory, instructions)
    return None


def given_sketch(
    what: str | Path | OpenFunction | Function[..., Any],
    memory: int | None = None,
    instructions: InstructionSet | None = None,
) -> GivenSketch:
    """Load a sketch from a file, a text, standard input, or a Python function with holes."""
    from anc.adaptation.holes.reading import sketch_of
    from anc.adaptation.holes.sketch import sketch_of_function
    from anc.data.loading import FUNCTION, listing_source
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
        if isinstance(what, OpenFunction):
            function = what.with_instructions(instructions)
        else:
            function = read_open_function(str(what), memory, instructions)
        sketch = sketch_of_function(function)
        return GivenSketch(function.name, sketch, function.call_fields, function.input_fields)
    source = listing_source(what)
    return GivenSketch(_plain_name(source.name), sketch_of(source, memory, instructions))
