"""Programs inside models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Any

from anc.commands import fields
from anc.commands.arguments import load
from anc.commands.function import function
from anc.commands.request import OfProgram, option, required
from anc.support import limits

if TYPE_CHECKING:
    from anc.commands.arguments import What
    from anc.layers import Layer
    from anc.support.job import Job


class LayerOf(OfProgram["Layer"], name="layer"):
    """A program as a differentiable function from distributions of cells to distributions of others.

    `inputs` and `output` name cells (`0`, `range(2, 5)`, `"2:5"`) or arguments of a Python function; of a
    function, all arguments and the result by default. `mode` is "exact" (the true distribution) or
    "soft" (the paper's machine). `fixed` are numbers of other cells; `values` says how many values the
    inputs have, else their arrays do; `log` means logarithms of probabilities in and out; `prune`
    runs only so many of the likeliest inputs of each sample. Inputs on which a Python function's program is
    not Python (a number does not fit, or Python raises) are refused with such a call; `outside`
    is "drop" to leave them out, or "wrap" for the machine's own arithmetic. `memory_limit` (such as "4GB";
    half of what is free, by default) is how much its diagrams may take.

    >>> import anc, jax.numpy as jnp
    >>> text = "var x = READ(0); var y = READ(1); x = ADD(x, y); WRITE(2, x); STOP()"
    >>> add = anc.layer(text, inputs=[0, 1], output=2, memory=6)
    >>> add(jnp.array([0.5, 0.5]), jnp.array([0.0, 0.25, 0.75])).tolist()
    [0.0, 0.125, 0.5, 0.375, 0.0, 0.0]
    """

    program: What = required(fields.PROGRAM)
    inputs: Any = option(default=None)
    output: Any = option(default=None)
    mode: str = option(default="exact")
    _: KW_ONLY
    memory: int | None = fields.MEMORY
    fixed: Sequence[int] | Mapping[Any, Any] | None = option(default=None)
    values: int | Sequence[int] | None = option(default=None)
    output_values: int | None = option(default=None)
    log: bool = option(default=False)
    prune: int | None = option(default=None, kind=limits.PRUNED)
    unstopped: str = option(default="refuse")
    outside: str = option(default="error")
    max_steps: int | None = option(default=None, kind=limits.MAX_STEPS)
    sharpness: float | None = option(default=None, kind=limits.SHARPNESS)
    threshold: float = option(default=0.9, kind=limits.THRESHOLD)
    check: bool | None = option(default=None, kind=limits.FLAG)
    memory_limit: int | str | None = fields.MEMORY_LIMIT

    def run(self, job: Job) -> Layer:
        from anc.layers import make_layer

        taken = ("as_json", "instructions", "program", "memory", "inputs", "output", "mode")
        more = {name: getattr(self, name) for name in self.options if name not in taken}
        loaded = load(job, self.program, self.memory)
        return make_layer(loaded, self.inputs, self.output, self.mode, **more)


layer = function(LayerOf)
