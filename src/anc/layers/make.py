"""Makes a layer from the arguments of `anc.layer`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from anc.data.loading import Loaded, of_function
from anc.isa import Effect
from anc.layers.exact import Exact
from anc.layers.holes import Holes, opened
from anc.layers.layer import Layer
from anc.layers.outside import OUTSIDE, checked_by_python
from anc.layers.places import Place, Places
from anc.layers.pruned import Pruned
from anc.layers.rows import Rows
from anc.layers.softened import Softened
from anc.layers.spec import Spec
from anc.layers.unknowns import Size
from anc.machine.soft import THRESHOLD
from anc.machine.weights import memory_for
from anc.program import Program
from anc.python.sketch_function import OpenFunction
from anc.support import limits
from anc.support.diagnostics import AncError

MAX_STEPS = 10_000


def make_layer(
    loaded: Loaded | OpenFunction,
    inputs: Any = None,
    output: Any = None,
    mode: str = "exact",
    *,
    fixed: Sequence[int] | Mapping[Any, Any] | None = None,
    values: int | Sequence[int] | None = None,
    output_values: int | None = None,
    log: bool = False,
    prune: int | None = None,
    unstopped: str = "refuse",
    outside: str = "error",
    max_steps: int | None = None,
    sharpness: float | None = None,
    threshold: float = THRESHOLD,
    check: bool | None = None,
    memory_limit: Any = None,
) -> Layer:
    """Make a layer; see `anc.layer`."""
    limits.check_word("mode", mode, ("exact", "soft"))
    limits.check_word("unstopped", unstopped, ("refuse", "keep"))
    limits.check_word("outside", outside, OUTSIDE)
    holes: Holes | None = None
    names: tuple[str, ...] = ()
    if isinstance(loaded, OpenFunction):
        function, names, holes = opened(loaded)
        loaded = of_function(function)
        if mode == "soft":
            raise AncError("a soft layer cannot learn holes", help="leave out mode='soft'")
    M = loaded.weights.M if loaded.weights else memory_for(loaded.program, None)
    places = Places(loaded, M)
    if inputs is None and holes is not None:
        inputs = [p.name for p in places.layout.parameters if p.name not in names]
    taken = places.inputs(inputs)
    if holes is not None:
        pairs = enumerate(places.inputs(names), 1)
        holes = replace(holes, places=tuple(replace(p, name=f"hole {n}") for n, p in pairs))
    every = (*taken, *(holes.places if holes else ()))
    wanted = places.output(output)
    cells = tuple(cell for place in every for cell in place.cells)
    numbers = places.fixed(fixed)
    both = [c for c in cells if c in numbers and fixed is not None and isinstance(fixed, Mapping)]
    if both:
        raise AncError(f"cell {both[0]} is an input and among 'fixed'")
    _check_written(loaded.program, wanted)
    spec = Spec(
        program=loaded.program,
        M=M,
        inputs=cells,
        outputs=wanted.cells,
        slots=_slots(output_values, M),
        fixed=tuple(numbers.get(cell, 0) for cell in range(M)),
        max_steps=max_steps or MAX_STEPS,
        keeps_unstopped=unstopped == "keep",
        memory_limit=None if memory_limit is None else limits.MEMORY_LIMIT.check(memory_limit),
        checked=checked_by_python(loaded.function, outside, len(names)),
    )
    if mode == "soft" and spec.drops:
        raise AncError(
            "a soft layer cannot leave out inputs: its machine's numbers wrap around",
            help="outside='drop' is for mode='exact'",
        )
    is_joint = any(place.is_joint for place in taken)
    if is_joint and (mode == "soft" or prune is not None):
        raise AncError(
            "only an exact layer that is not pruned takes a joint distribution",
            help="leave out mode='soft' and prune, or name each input by itself",
        )
    known = [*_values(values, taken, M), *(holes.sizes if holes else ())]
    layer = Layer(
        spec=spec,
        inputs=taken,
        output=wanted,
        rows=Rows(every, M, known, log, check),
        mode=mode,
        exact=Exact(spec) if prune is None else Pruned(spec, prune),
        softened=Softened(spec, loaded.softened(M, sharpness), max_steps, threshold, is_joint),
        log=log,
        holes=holes,
    )
    if prune is None and values is not None:  # report problems now, not at the first call
        sizes: list[Size] = []
        for place, size in zip(every, known, strict=True):
            each = [size or M] * len(place.cells)
            sizes += [tuple(each)] if place.is_joint else each
        if mode == "soft":
            spec.check(tuple(sizes))
            return layer
        spec.build(tuple(sizes))
    return layer


def _check_written(program: Program, output: Place) -> None:
    """Refuse an output that no line can write, where that is clear without a run."""
    writes = [line for line in program.lines if program.row(line).effect is Effect.WRITE]
    changed = {line.out for line in program.lines}
    if any(line.first in changed for line in writes):
        return
    cells = sorted(
        {program.registers[line.first] or 0 for line in writes if line.first is not None}
    )
    unwritten = [cell for cell in output.cells if cell not in cells]
    if unwritten:
        there = f"it writes cells {cells}" if cells else "it writes no cell at all"
        raise AncError(f"the program never writes the output, cell {unwritten[0]}", help=there)


def _slots(output_values: int | None, M: int) -> int:
    return M if output_values is None else _count(M).check(output_values, "output_values")


def _count(M: int) -> limits.Whole:
    """The limits on a number of values."""
    return limits.Whole("values", 1, M)


def _values(
    values: int | Sequence[int] | None, inputs: Sequence[Place], M: int
) -> list[int | None]:
    """The number of values of each input, where it is given."""
    found: list[int | None]
    is_list = isinstance(values, Sequence) and not isinstance(values, str)
    found = [*values] if is_list else [values] * len(inputs)  # type: ignore[list-item,misc]
    if len(found) != len(inputs):
        raise AncError(f"'values' has {len(found)} numbers for {len(inputs)} inputs")
    return [None if number is None else _count(M).check(number) for number in found]
