"""Python functions as programs, sketches and recorders; programs as layers of models."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from anc.commands import fields
from anc.commands.arguments import What, load, sketch_in
from anc.commands.function import function as function_of
from anc.commands.kinds import File, Instructions
from anc.commands.request import OfProgram, option, required
from anc.isa import WIDE, InstructionSet
from anc.support import limits
from anc.support.diagnostics import AncError, quoted
from anc.support.job import Job

if TYPE_CHECKING:
    from anc.layers import Layer
    from anc.python.function import Function
    from anc.python.recording.recorder import Recorded

P = ParamSpec("P")
T = TypeVar("T")

SIZE = 10_000  # sampled calls of a recorded function
SIZES = limits.Whole("size", 1, 10**9)


@overload
def function(python: Callable[P, T], /) -> Function[P, T]: ...
@overload
def function(
    *,
    memory: int | None = None,
    wrap: bool = False,
    instructions: InstructionSet | str | Path = WIDE,
) -> Callable[[Callable[P, T]], Function[P, T]]: ...
def function(
    python: Callable[P, T] | None = None,
    /,
    *,
    memory: int | None = None,
    wrap: bool = False,
    instructions: InstructionSet | str | Path = WIDE,
) -> Function[P, T] | Callable[[Callable[P, T]], Function[P, T]]:
    """Decorator: makes a Python function a program of `memory` cells as well.

    Without it, the memory is the smallest that the function fits into, and that the calls fit into
    which it is adapted to.

    Calling it still runs Python; its source is read and compiled. `wrap` declares that numbers of M and
    more wrap around on purpose; `instructions` is the program's instruction set, "wide", "paper", or
    a file that defines one.

    >>> import anc
    >>> @anc.function(memory=20)
    ... def double(x: int) -> int:
    ...     return x + x
    >>> double(6), double.result(anc.run(double, double.tape(6)).tape), double.program.L
    (12, 12, 4)
    """
    from anc.python.function import function as decorator

    if python is not None and not callable(python):
        raise AncError(
            f"anc.function takes its options by name, found {quoted(python)}",
            help="write @anc.function or @anc.function(memory=64)",
        )
    decorate: Callable[[Callable[P, T]], Function[P, T]] = decorator(
        memory=None if memory is None else limits.MEMORY.check(memory),
        wrap=limits.FLAG.check(wrap, "wrap"),
        instructions=Instructions().check(instructions, "instructions"),
    )
    return decorate if python is None else decorate(python)


def hole(choices: Sequence[Any]) -> Any:
    """A hole in a function with `@anc.function`, to be filled with one of these numbers or expressions.

    >>> import anc
    >>> @anc.function(memory=20)
    ... def scaled(x: int) -> int:
    ...     return anc.hole((x + x, x + 1, x)) + anc.hole((0, 1, 2))
    >>> filled = anc.fill(scaled, [([3], 8), ([0], 2)])
    >>> filled.text.splitlines()[-1].strip()
    'return (x + x) + 2'
    """
    raise AncError("a hole has no value: fill the function from cases with anc.fill")


@overload
def record(function: Callable[P, T], path: str | Path, size: int = SIZE) -> Recorded[P, T]: ...
@overload
def record(
    function: str | Path, *, size: int = SIZE
) -> Callable[[Callable[P, T]], Recorded[P, T]]: ...
def record(function, path=None, size=SIZE):
    """Record a sample of a function's real calls in a file, to adapt to.

    The file keeps a uniform sample of at most `size` calls; each line of JSON is the list of a call's
    arguments. `@anc.record("calls.jsonl")` decorates a function where it is defined.

    >>> import anc, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "calls.jsonl"
    >>> recorded = anc.record(lambda values, limit: sum(v > limit for v in values), path)
    >>> recorded([3, 9, 1], 2)
    2
    >>> recorded.recorder.save()
    >>> path.read_text()
    '[[3,9,1],2]\\n'
    """
    size = SIZES.check(size)
    if path is None:
        if callable(function):
            raise AncError(
                "anc.record needs the file to keep calls in",
                help='write @anc.record("calls.jsonl"), or anc.record(function, "calls.jsonl")',
            )
        File().check(function, "function")
        return functools.partial(record, path=function, size=size)
    from anc.python.recording import recorded

    if not callable(function):
        raise AncError(f"expected a function to record, found {quoted(function)}")
    file = File().check(path, "path")
    if file.is_dir():
        raise AncError(
            f"cannot record into {quoted(str(path))}: it is a folder", help="name a file"
        )
    return recorded(function, file, size)


class LayerOf(OfProgram["Layer"], name="layer"):
    """A program as a differentiable function from distributions of cells to distributions of others.

    `inputs` and `output` name cells (`0`, `range(2, 5)`, `"2:5"`) or arguments of a Python function; of a
    function, all arguments and the result by default. `mode` is "exact" (the true distribution) or
    "soft" (the paper's machine). `fixed` sets the numbers of other cells; `values` is the number of values
    of the inputs, by default the size of their arrays; `log` means logarithms of probabilities in and out;
    `prune` runs only this many of the likeliest inputs of each sample. Inputs on which a Python function's
    program differs from Python (a number does not fit, or Python raises) are rejected with such a call;
    with `outside="drop"` they are left out, with "wrap" the machine's own arithmetic applies.
    `memory_limit` (such as "4GB"; by default half of what is free) bounds the memory of its diagrams.

    >>> import anc, jax.numpy as jnp
    >>> text = "var x = READ(0); var y = READ(1); x = ADD(x, y); WRITE(2, x); STOP()"
    >>> add = anc.layer(text, inputs=[0, 1], output=2, memory=6)
    >>> add(jnp.array([0.5, 0.5]), jnp.array([0.0, 0.25, 0.75])).tolist()
    [0.0, 0.125, 0.5, 0.375, 0.0, 0.0]
    """

    program: What = required(fields.PROGRAM)
    inputs: Any = option(None)
    output: Any = option(None)
    mode: str = option("exact")
    _: KW_ONLY
    memory: int | None = fields.MEMORY
    fixed: Sequence[int] | Mapping[Any, Any] | None = option(None)
    values: int | Sequence[int] | None = option(None)
    output_values: int | None = option(None)
    log: bool = option(False)
    prune: int | None = option(None, kind=limits.PRUNED)
    unstopped: str = option("refuse")
    outside: str = option("error")
    max_steps: int | None = option(None, kind=limits.MAX_STEPS)
    sharpness: float | None = option(None, kind=limits.SHARPNESS)
    threshold: float = option(0.9, kind=limits.THRESHOLD)
    check: bool | None = option(None, kind=limits.FLAG)
    memory_limit: int | str | None = fields.MEMORY_LIMIT

    def run(self, job: Job) -> Layer:
        from anc.layers import make_layer

        taken = ("as_json", "instructions", "program", "memory", "inputs", "output", "mode")
        more = {name: getattr(self, name) for name in self.options if name not in taken}
        sketch = sketch_in(self.program, self.memory, job.instructions)
        loaded = sketch or load(job, self.program, self.memory)
        return make_layer(loaded, self.inputs, self.output, self.mode, **more)


layer = function_of(LayerOf)
