"""Programs inside models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from anc import limits
from anc.api.arguments import checked
from anc.api.given import load_given

if TYPE_CHECKING:
    from anc.api.given import What
    from anc.layers import Layer


@checked(check=limits.FLAG)
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
    outside: str = "error",
    max_steps: int | None = None,
    sharpness: float | None = None,
    threshold: float = 0.9,
    check: bool | None = None,
    memory_limit: int | str | None = None,
) -> Layer:
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
    from anc.layers import make_layer

    return make_layer(
        load_given(program, memory),
        inputs,
        output,
        mode,
        fixed=fixed,
        values=values,
        output_values=output_values,
        log=log,
        prune=prune,
        unstopped=unstopped,
        outside=outside,
        max_steps=max_steps,
        sharpness=sharpness,
        threshold=threshold,
        check=check,
        memory_limit=memory_limit,
    )
