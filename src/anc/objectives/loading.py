"""From what a user gives to what is to be adapted: a program, inputs without answers, an objective."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from anc import limits, programs, tasks
from anc.diagnostics import AncError, plain
from anc.learning.problem import with_frozen
from anc.loading import Loaded
from anc.objectives.adapt import Aimed
from anc.objectives.instances import Instances
from anc.objectives.objective import Objective
from anc.tasks.checks import as_list
from anc.tasks.data import Call, drawn, inputs_from, read_inputs

Inputs = Sequence[Any] | Callable[[Random], Any] | Path | str


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
    program = with_frozen(loaded.program, freeze, loaded.function)
    if inputs is None:
        if not (isinstance(what, str) and what in programs.names()):
            raise AncError(
                "'inputs' is missing: a program of your own needs inputs to adapt to",
                help="give tapes, a function that draws one from a random.Random, or a file of them",
            )
        task = tasks.get(what)
        instances = Instances.drawn(
            lambda n, number: [case.input for case in task.draw(True, n, number)], seed
        )
    else:
        instances = _instances(loaded, inputs, seed)
    limits.LEARNT.check(instances.M)
    name = loaded.function.name if loaded.function else Path(loaded.name).stem
    name = "program" if name.startswith("<") else plain(name)
    wanted = Objective.of(objective, constraint, maximise, instances.M)
    return Aimed(name, program, loaded.text, instances, wanted)


def _instances(loaded: Loaded, inputs: Inputs, seed: int) -> Instances:
    if loaded.program.memory is None and isinstance(inputs, str | Path):
        raise AncError("the program does not say its memory", help="write 'memory 20' into it")
    return given_instances(inputs, _memory(loaded, inputs), loaded.call, seed)


def given_instances(inputs: Inputs, M: int, call: Call | None, seed: int = 0) -> Instances:
    """What a user gives as inputs, as tapes of M cells; `call` makes tapes of arguments."""
    if callable(inputs):
        draw, name = inputs, getattr(inputs, "__name__", "inputs")

        def several(n: int, number: int) -> list[tuple[int, ...]]:
            random = Random(f"inputs/{number}")
            made = (drawn(draw, random, name, place) for place in range(1, n + 1))
            return inputs_from(made, M, call)

        return Instances.drawn(several, seed)
    return Instances.of(given_tapes(inputs, M, call), seed)


def given_tapes(
    inputs: Sequence[Any] | Path | str, M: int, call: Call | None, argument: str = "inputs"
) -> list[tuple[int, ...]]:
    """The tapes of a file, or those from Python."""
    if isinstance(inputs, str | Path):
        return read_inputs(Path(inputs), M, call or _tape, unanswered=True)
    if not limits.has_length(inputs):
        raise AncError(f"'{argument}' is of type {type(inputs).__name__}, expected tapes")
    return inputs_from(inputs, M, call, argument)


def _memory(loaded: Loaded, inputs: Inputs) -> int:
    """The program's memory; of one that does not say, as much as the inputs need."""
    given: Any = inputs if limits.has_length(inputs) and not callable(inputs) else ()
    tapes = [as_list(one.get("input") if isinstance(one, Mapping) else one) for one in given]
    longest = max((len(tape) for tape in tapes if tape is not None), default=0)
    return loaded.program.memory or max(longest, loaded.program.smallest_memory)


def _tape(cells: Sequence[Any]) -> dict[str, Any]:
    """A line of a file may be just a tape."""
    return {"input": list(cells)}
