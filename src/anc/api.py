"""The functions that `import anc` offers; each loads what it needs when it is called."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar, overload

from anc.diagnostics import AncError, CompilerWarning
from anc.program import Program

P = ParamSpec("P")
T = TypeVar("T")

SIZE = 10_000  # calls that are kept of a recorded function

if TYPE_CHECKING:
    from anc.adaptation.result import Adapted
    from anc.decompiler.trace import Trace
    from anc.holes.filled import Filled
    from anc.layers import Layer
    from anc.learning.problem import Problem
    from anc.learning.training import Result
    from anc.loading import Loaded
    from anc.machine.exact import Run
    from anc.machine.weights import Weights
    from anc.objectives.adapt import Aimed
    from anc.objectives.making import Described
    from anc.objectives.result import Improved
    from anc.python.function import Function
    from anc.python.opening import OpenFunction
    from anc.recording.recorder import Recorded

    # a program, a Python function or weights, or what names them
    What: TypeAlias = Program | Function | Weights | str | Path


def compile(text: str, memory: int | None = None, spare: int = 0) -> Program:
    """Compile a listing to a Program; `spare` adds registers for learning.

    >>> import anc
    >>> program = anc.compile("var k = 0; k = READ(0); k = INC(k); k = READ(k); WRITE(0, k); STOP()")
    >>> program.L, program.R
    (5, 3)
    """
    from anc.language import Source
    from anc.loading import compiled

    return _warned(compiled(Source(text), memory)).program.with_spare(spare)


def function(
    *, memory: int, wrap: bool = False
) -> Callable[[Callable[..., Any]], Function | OpenFunction]:
    """Decorator: a Python function that is a program of `memory` cells as well.

    Calling it still runs Python; its source is read and compiled. `wrap` says that numbers of M and
    more are meant to wrap around.

    >>> import anc
    >>> @anc.function(memory=20)
    ... def double(x: int) -> int:
    ...     return x + x
    >>> double(6), double.result(anc.run(double, double.tape(6)).tape), double.program.L
    (12, 12, 4)
    """
    if type(memory) is not int:
        raise AncError(f"the memory is a whole number, not {memory!r}")

    def made(python: Callable[..., Any]) -> Function | OpenFunction:
        from anc.python.function import from_python

        return from_python(python, memory, wrap)

    return made


def hole(choices: Sequence[Any]) -> Any:
    """A place left open in a function with `@anc.function`: one of these numbers or expressions.

    >>> import anc
    >>> @anc.function(memory=20)
    ... def scaled(x: int) -> int:
    ...     return anc.hole((x + x, x + 1, x)) + anc.hole((0, 1, 2))
    >>> filled = anc.fill(scaled, [([3], 8), ([0], 2)])
    >>> filled.text.splitlines()[-1].strip()
    'return (x + x) + 2'
    """
    raise AncError("a hole has no value: fill the function from cases with anc.fill")


def run(
    program: What,
    tape: Sequence[int],
    memory: int | None = None,
    machine: str = "exact",
    sharpness: float | None = None,
    max_steps: int = 10_000,
    trace: bool = False,
) -> Run:
    """Run a program on a tape, on the exact or the soft machine; weights always run softly.

    The program is a Program, a Function, weights, or what names one: a file, a shipped program, a
    listing.
    The tape is filled up with zeros to M cells: `memory`, else what the program asks for, else the
    tape's own length.

    >>> import anc
    >>> anc.run("swap", [1, 3, 7, 6, 7, 5, 2]).tape
    (1, 3, 7, 5, 7, 6, 2, 0, 0, 0)
    >>> anc.run("swap", [1, 3, 7, 6, 7, 5, 2], machine="soft").steps
    9
    """
    from anc.machine import exact

    _check_machine(machine)
    loaded = _load(program, memory)
    cells = loaded.filled(tape)
    if machine == "exact" and loaded.weights is None:
        return exact.run(loaded.program, cells, max_steps, trace)
    from anc.machine.softrun import run_soft

    return run_soft(loaded.softened(len(cells), sharpness), [cells], max_steps)[0]


def trace(
    program: What,
    tape: Sequence[int],
    memory: int | None = None,
    machine: str = "exact",
    sharpness: float | None = None,
    max_steps: int = 1_000,
) -> Trace:
    """Every step of a run, with the arguments of `run`: print it, or look at its `run`.

    >>> import anc
    >>> found = anc.trace("access", [3, 1, 2, 3, 4])
    >>> print(found)
    step  line  command                             register   cell
    1     0     k = READ(0)   # READ(0)             k <- 3
    2     1     k = INC(k)   # INC(3)               k <- 4
    3     2     k = READ(k)   # READ(4)             k <- 4
    4     3     sink = WRITE(0, k)   # WRITE(0, 4)  sink <- 0  tape[0] <- 4
    5     4     sink = STOP()                       sink <- 0
    >>> found.run.steps, found.run.trace[3].cell
    (5, 0)
    """
    from anc.decompiler.trace import trace_exact, trace_weights

    _check_machine(machine)
    loaded = _load(program, memory)
    cells = loaded.filled(tape)
    if machine == "exact" and loaded.weights is None:
        return trace_exact(loaded.program, cells, max_steps)
    return trace_weights(loaded.softened(len(cells), sharpness), cells, max_steps)


def soften(program: What, M: int | None = None, sharpness: float = 5.0, seed: int = 0) -> Weights:
    """Compile a program exactly into weights: 0/1 choices times the sharpness.

    >>> import anc
    >>> anc.soften("listk", sharpness=5).op.shape
    (20, 11)
    """
    from anc.machine.weights import soften

    return soften(_load(program).program, M, sharpness, seed)


def harden(weights: Weights) -> Program:
    """The most likely program of some weights.

    >>> import anc
    >>> listk = anc.load("listk")
    >>> anc.harden(anc.soften(listk)) == listk
    True
    """
    from anc.machine.weights import harden

    return harden(weights)


def load(where: str | Path) -> Program | Weights:
    """A program or weights: a shipped program's name, or a .anc, .json or .safetensors file.

    >>> import anc
    >>> anc.load("access").L
    5
    """
    return _load(where).thing


@overload
def save(thing: Program, path: str | Path) -> None: ...
@overload
def save(thing: Weights, path: str | Path) -> None: ...
def save(thing, path):
    """Write a program (.anc or .json) or weights (.safetensors) to a file.

    >>> import anc, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "listk.safetensors"
    >>> anc.save(anc.soften(anc.load("listk")), path)
    >>> anc.harden(anc.load(path)) == anc.load("listk")
    True
    """
    from anc.compiler import to_text
    from anc.files import write_atomically

    path = Path(path)
    if not isinstance(thing, Program):
        from anc.machine.files import save_weights

        if path.suffix != ".safetensors":
            raise AncError(f"weights are saved as .safetensors files, not as {path.name!r}")
        save_weights(thing, path)
    elif path.suffix == ".json":
        write_atomically(path, thing.to_json().encode())
    elif path.suffix == ".anc":
        write_atomically(path, to_text(thing).encode())
    else:
        raise AncError(f"programs are saved as .anc or .json files, not as {path.name!r}")


Samples = Sequence[Any] | Callable[[Random], Any] | Path


@overload
def adapt(
    program: What,
    samples: Samples | None = None,
    budget: float = 60.0,
    method: str = "all",
    seed: int = 0,
    assume: Sequence[str] = (),
    trust: str = "proof",
    freeze: Sequence[int] = (),
) -> Adapted: ...
@overload
def adapt(
    program: What,
    samples: None = None,
    budget: float = 60.0,
    method: str = "all",
    seed: int = 0,
    *,
    objective: Any,
    inputs: Samples | str | None = None,
    constraint: Any = None,
    maximise: bool = False,
    proposals: int | None = None,
) -> Improved: ...
def adapt(
    program,
    samples=None,
    budget=60.0,
    method="all",
    seed=0,
    assume=(),
    trust="proof",
    freeze=(),
    *,
    objective=None,
    inputs=None,
    constraint=None,
    maximise=False,
    proposals=None,
):
    """The best exact program for the inputs that you have, with evidence of where it is right.

    Where a faster program is right on all samples but not proved, it is the result's `unproved`;
    `trust="samples"` puts it first. Program lines in `freeze` stay as they are.

    `samples` are tapes (of a Python function: the arguments of calls), or dictionaries with `input`
    and perhaps `output` and `mask`, or a function that draws one from a `random.Random`, or the name
    of a file of cases or of recorded calls; a task's name needs none. `budget` is in seconds.

    >>> import anc
    >>> result = anc.adapt("access", budget=5, method="search")
    >>> result.steps_generic, result.steps_adapted, result.verdict.proved, result.precondition
    (5.0, 3.0, True, ('tape[0] == 3',))

    Without right answers: an `objective` is a score of what is left on the tape, to be as small as
    possible (`maximise`: as large), and `inputs` are tapes without answers. It is a program that
    computes the score into cell 0 (or another: see `anc.score`), a function with `@anc.function`, or a
    Python function `(input, final) -> number`. A run is valid if it stops and the `constraint`, given
    likewise, is not 0. The search ends after so many `proposals`, if that is given.

    >>> program = "memory 8; var x = READ(0); WRITE(1, x); STOP()"
    >>> result = anc.adapt(program, inputs=[[n % 4] for n in range(50)], proposals=1000, method="search",
    ...                    objective=lambda given, final: abs(final[1] - 6))
    >>> result.improved, result.comparison.adapted
    (True, 0.0)
    """
    from anc.verify import parse_fact

    if objective is not None:
        from anc.objectives.adapt import improve

        if samples is not None or assume:
            what = "'samples'" if samples is not None else "'assume'"
            raise AncError(
                f"{what} and 'objective' exclude each other: an objective has no right answers",
                help="give tapes without answers as 'inputs'",
            )
        aimed = _aimed(program, inputs, objective, constraint, maximise, seed)
        return improve(aimed, budget, method, seed, proposals)
    _refuse_without_objective(inputs, constraint, maximise, proposals)
    from anc.adaptation.adapt import METHODS
    from anc.adaptation.adapt import adapt as method_of

    if method not in METHODS:
        raise AncError(f"there is no method {method!r}", help=f"use one of {', '.join(METHODS)}")
    problem = _problem(program, samples, seed).with_frozen(freeze)
    stated = _load(program).facts if samples is not None else ()
    facts = [parse_fact(text, problem.M) for text in (*stated, *assume)]
    if trust not in ("proof", "samples"):
        raise AncError(f"trust is 'proof' or 'samples', not {trust!r}")
    return method_of(problem, budget, method, seed, facts, trust=trust)


def score(what: Any, cell: int | None = None, soft: bool = False) -> Described:
    """A score for `objective=` or `constraint=`, where the thing itself does not say all.

    `cell` is where a program leaves the score (else cell 0, or a Python function's result); `soft` says that
    a function is one of JAX on soft tapes: (M,) numbers, (M, M) distributions -> a number.

    >>> import anc
    >>> anc.score("var x = READ(3); WRITE(5, x); STOP()", cell=5).cell
    5
    """
    from anc.objectives.making import Described

    return Described(what, cell, soft)


@overload
def record(function: Callable[P, T], path: str | Path, size: int = SIZE) -> Recorded[P, T]: ...
@overload
def record(
    function: str | Path, *, size: int = SIZE
) -> Callable[[Callable[P, T]], Recorded[P, T]]: ...
def record(function, path=None, size=SIZE):
    """The function, with a sample of its real calls kept in a file, to adapt to.

    At most `size` calls are kept, each of all calls as likely as any other; one line of JSON is the list
    of a call's arguments. `@anc.record("calls.jsonl")` does it for a function as it is defined.

    >>> import anc, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "calls.jsonl"
    >>> recorded = anc.record(lambda values, limit: sum(v > limit for v in values), path)
    >>> recorded([3, 9, 1], 2)
    2
    >>> recorded.recorder.save()
    >>> path.read_text()
    '[[3,9,1],2]\\n'
    """
    if path is None:
        return functools.partial(record, path=function, size=size)
    from anc.recording import recorded

    return recorded(function, Path(path), size)


def layer(
    program: What,
    inputs: Any = None,
    output: Any = None,
    mode: str = "exact",
    *,
    memory: int | None = None,
    fixed: Sequence[int] | Mapping[Any, Any] | None = None,
    values: int | Sequence[int] | None = None,
    output_values: int | None = None,
    log: bool = False,
    prune: int | None = None,
    unstopped: str = "refuse",
    max_steps: int | None = None,
    sharpness: float | None = None,
    threshold: float = 0.9,
    check: bool | None = None,
) -> Layer:
    """A program as a differentiable function from distributions of cells to distributions of others.

    `inputs` and `output` name cells (`0`, `range(2, 5)`, `"2:5"`) or arguments of a Python function; of a
    function, all arguments and the result by default. `mode` is "exact" (the true distribution) or
    "soft" (the paper's machine). `fixed` are numbers of other cells; `values` says how many values the
    inputs have, else their arrays do; `log` means logarithms of probabilities in and out; `prune`
    runs only so many of the likeliest inputs of each sample.

    >>> import anc, jax.numpy as jnp
    >>> text = "var x = READ(0); var y = READ(1); x = ADD(x, y); WRITE(2, x); STOP()"
    >>> add = anc.layer(text, inputs=[0, 1], output=2, memory=6)
    >>> add(jnp.array([0.5, 0.5]), jnp.array([0.0, 0.25, 0.75])).tolist()
    [0.0, 0.125, 0.5, 0.375, 0.0, 0.0]
    """
    from anc.layers import make_layer

    return make_layer(
        _load(program, memory),
        inputs,
        output,
        mode,
        fixed=fixed,
        values=values,
        output_values=output_values,
        log=log,
        prune=prune,
        unstopped=unstopped,
        max_steps=max_steps,
        sharpness=sharpness,
        threshold=threshold,
        check=check,
    )


@overload
def train(
    program: What,
    samples: None = None,
    seeds: int = 8,
    *,
    objective: Any,
    inputs: Samples | str | None = None,
    constraint: Any = None,
    maximise: bool = False,
    **settings: Any,
) -> Improved: ...
@overload
def train(
    program: What,
    samples: Samples | None = None,
    seeds: int = 100,
    freeze: Sequence[int] = (),
    **settings: Any,
) -> Result: ...
def train(
    program,
    samples=None,
    seeds=None,
    freeze=(),
    *,
    objective=None,
    inputs=None,
    constraint=None,
    maximise=False,
    **settings,
):
    """Adapt a program by gradient descent alone, many seeds at once; settings as in `anc train`.

    Program lines in `freeze` stay as they are. With an `objective` (see `anc.adapt`) that has a
    gradient: a program, or a function of JAX on soft tapes, `anc.score(function, soft=True)`.

    >>> import anc
    >>> result = anc.train("access", seeds=8, iterations=200)
    >>> len(result.steps), result.generic_steps
    (8, 5.0)
    """
    if objective is not None:
        from anc.objectives.adapt import SEEDS, improve

        if samples is not None:
            raise AncError(
                "'samples' and 'objective' exclude each other: an objective has no right answers",
                help="give tapes without answers as 'inputs'",
            )
        aimed = _aimed(program, inputs, objective, constraint, maximise, 0)
        return improve(aimed, float("inf"), "gradient", seeds=seeds or SEEDS, settings=settings)
    _refuse_without_objective(inputs, constraint, maximise)
    from anc.learning import fused
    from anc.learning.members import Members
    from anc.learning.settings import changed, usual_settings
    from anc.learning.training import Training
    from anc.learning.training import run as run_training

    problem = _problem(program, samples, 0).with_frozen(freeze)
    chosen = changed(usual_settings(problem.name), settings)
    members = Members.alike(chosen, 100 if seeds is None else seeds)
    return run_training(Training(problem, members, fused))


def fill(
    sketch: OpenFunction | str | Path,
    cases: Sequence[Any] | str | Path,
    fresh: Sequence[Any] | str | Path | None = None,
    memory: int | None = None,
    budget: float = 60.0,
    method: str = "all",
    seeds: int = 100,
    seed: int = 0,
    max_steps: int = 1000,
) -> Filled:
    """Fill the holes of a program from cases, and say which of them the cases determine.

    The sketch is a listing in which places are left open (`?`, or `? in (ADD, SUB)`), as a text or a
    file, or a Python function with `anc.hole(...)`. `cases` are dictionaries with `input`, `output`
    and perhaps `mask`, or the name of a file of them; they may be wrong here and there. `fresh` cases
    are only reported on; without them, a fifth of the cases is.

    >>> import anc
    >>> text = "memory 8; var x = READ(0); x = ?(x, ? in (1, 2)); WRITE(0, x); STOP()"
    >>> result = anc.fill(text, [{"input": [3], "output": [5]}, {"input": [7], "output": [1]}])
    >>> print(result.text.split("; ")[2], result.is_determined)
    x = ADD(x, 2) True
    """
    from anc.holes.fill import fill
    from anc.holes.loading import checked_cases, given_sketch, split

    given = given_sketch(sketch, memory)
    chosen = checked_cases(given, cases)
    others = [] if fresh is None else checked_cases(given, fresh)
    if fresh is None:
        chosen, others = split(chosen, seed)
    return fill(given.name, given.sketch, chosen, others, budget, method, seeds, seed, max_steps)


def _aimed(
    program: What, inputs: Any, objective: Any, constraint: Any, maximise: bool, seed: int
) -> Aimed:
    from anc.objectives.loading import aim

    return aim(program, _load(program), inputs, objective, constraint, maximise, seed)


def _refuse_without_objective(
    inputs: Any, constraint: Any, maximise: bool, proposals: int | None = None
) -> None:
    given = {"constraint": constraint, "maximise": maximise or None, "proposals": proposals}
    for name, value in (given | {"inputs": inputs}).items():
        if value is not None:
            raise AncError(
                f"'{name}' needs an 'objective'", help="cases with answers are 'samples'"
            )


def _problem(program: What, samples: Samples | None, seed: int) -> Problem:
    """A task by name, or a program with samples."""
    from anc import programs, tasks
    from anc.learning.problem import POOL, from_cases, from_task
    from anc.tasks.data import cases_from, more_cases_from
    from anc.tasks.recorded import read_samples

    if samples is None:
        if isinstance(program, str) and program in programs.names():
            return from_task(tasks.get(program), seed=seed)
        raise AncError("a program of your own needs samples to adapt to")
    loaded, note, more = _load(program), "", None
    if isinstance(samples, str | Path):
        cases, note = read_samples(
            samples, loaded.program, None, loaded.call, loaded.real_call, seed
        )
    elif callable(samples):
        cases = cases_from(samples, POOL, seed, loaded.program, call=loaded.call)
        more = functools.partial(
            more_cases_from, samples, seed, loaded.program, cases[0].M, loaded.call
        )
    else:
        given = iter(samples)
        cases = cases_from(
            lambda random: next(given), len(samples), seed, loaded.program, call=loaded.call
        )
    name = loaded.function.name if loaded.function else "program"
    return from_cases(name, loaded.program, loaded.text, cases, seed, loaded.function, note, more)


def _check_machine(machine: str) -> None:
    if machine not in ("exact", "soft"):
        raise AncError(f"there is no {machine!r} machine", help="use 'exact' or 'soft'")


def _load(what: What, memory: int | None = None) -> Loaded:
    """What a caller names, or is; the compiler's warnings become Python's."""
    from anc.loading import load

    return _warned(load(what, memory))


def _warned(loaded: Loaded) -> Loaded:
    if loaded.warnings:
        warnings.warn(loaded.warnings, CompilerWarning, stacklevel=4)
    return loaded
