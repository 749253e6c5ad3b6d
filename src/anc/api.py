"""The functions that `import anc` offers; each loads what it needs when it is called."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from anc.diagnostics import AncError, CompilerWarning
from anc.program import Program

if TYPE_CHECKING:
    from anc.adaptation.result import Adapted
    from anc.learning.problem import Problem
    from anc.learning.training import Result
    from anc.loading import Loaded
    from anc.machine.exact import Run
    from anc.machine.weights import Weights

    What: TypeAlias = Program | Weights | str | Path  # a program or weights, or what names them


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

    The program is a Program, weights, or what names one: a file, a shipped program, a listing.
    The tape is filled up with zeros to M cells: `memory`, else what the program asks for, else the
    tape's own length.

    >>> import anc
    >>> anc.run("swap", [1, 3, 7, 6, 7, 5, 2]).tape
    (1, 3, 7, 5, 7, 6, 2, 0, 0, 0)
    >>> anc.run("swap", [1, 3, 7, 6, 7, 5, 2], machine="soft").steps
    9
    """
    from anc.machine import exact

    if machine not in ("exact", "soft"):
        raise AncError(f"there is no {machine!r} machine", help="use 'exact' or 'soft'")
    loaded = _load(program, memory)
    weights = loaded.weights
    cells = loaded.filled(tape)
    if machine == "exact" and weights is None:
        return exact.run(loaded.program, cells, max_steps, trace)
    from anc.machine.softrun import run_soft

    weights = loaded.softened(len(cells), sharpness)
    return run_soft(weights, [cells], max_steps)[0]


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


Samples = Sequence[Any] | Callable[[Random], Any]


def adapt(
    program: What,
    samples: Samples | None = None,
    budget: float = 60.0,
    method: str = "all",
    seed: int = 0,
    assume: Sequence[str] = (),
    trust: str = "proof",
) -> Adapted:
    """The best exact program for the inputs that you have, with evidence of where it is right.

    Where a faster program is right on all samples but not proved, it is the result's `unproved`;
    `trust="samples"` puts it first.

    `samples` are tapes, or dictionaries with `input` and perhaps `output` and `mask`, or a function that
    draws one from a `random.Random`; a task's name needs none. `budget` is in seconds.

    >>> import anc
    >>> result = anc.adapt("access", budget=5, method="search")
    >>> result.steps_generic, result.steps_adapted, result.verdict.proved, result.precondition
    (5.0, 3.0, True, ('tape[0] == 3',))
    """
    from anc.adaptation.adapt import METHODS
    from anc.adaptation.adapt import adapt as method_of
    from anc.verify import parse_fact

    if method not in METHODS:
        raise AncError(f"there is no method {method!r}", help=f"use one of {', '.join(METHODS)}")
    problem = _problem(program, samples, seed)
    facts = [parse_fact(text, problem.M) for text in assume]
    if trust not in ("proof", "samples"):
        raise AncError(f"trust is 'proof' or 'samples', not {trust!r}")
    return method_of(problem, budget, method, seed, facts, trust=trust)


def train(
    program: What, samples: Samples | None = None, seeds: int = 100, **settings: Any
) -> Result:
    """Adapt a program by gradient descent alone, many seeds at once; settings as in `anc train`.

    >>> import anc
    >>> result = anc.train("access", seeds=8, iterations=200)
    >>> len(result.steps), result.generic_steps
    (8, 5.0)
    """
    from anc.learning import fused
    from anc.learning.members import Members
    from anc.learning.settings import changed, usual_settings
    from anc.learning.training import Training
    from anc.learning.training import run as run_training

    problem = _problem(program, samples, 0)
    members = Members.alike(changed(usual_settings(problem.name), settings), seeds)
    return run_training(Training(problem, members, fused))


def _problem(program: What, samples: Samples | None, seed: int) -> Problem:
    """A task by name, or a program with samples."""
    from anc import programs, tasks
    from anc.learning.problem import POOL, from_cases, from_task
    from anc.tasks.data import cases_from

    if samples is None:
        if isinstance(program, str) and program in programs.names():
            return from_task(tasks.get(program), seed=seed)
        raise AncError("a program of your own needs samples to adapt to")
    loaded = _load(program)
    if callable(samples):
        cases = cases_from(samples, POOL, seed, loaded.program)
    else:
        given = iter(samples)
        cases = cases_from(lambda random: next(given), len(samples), seed, loaded.program)
    return from_cases("program", loaded.program, loaded.text, cases, seed)


def _load(what: What, memory: int | None = None) -> Loaded:
    """What a caller names, or is; the compiler's warnings become Python's."""
    from anc.loading import load

    return _warned(load(what, memory))


def _warned(loaded: Loaded) -> Loaded:
    if loaded.warnings:
        warnings.warn(loaded.warnings, CompilerWarning, stacklevel=4)
    return loaded
