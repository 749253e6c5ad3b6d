"""From what a user gives to what is to be adapted: a program, inputs without answers, an objective."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from anc import programs, tasks
from anc.diagnostics import AncError
from anc.loading import Loaded
from anc.objectives.adapt import Aimed
from anc.objectives.instances import Instances
from anc.objectives.objective import Objective
from anc.tasks.data import inputs_from, read_inputs

Inputs = Sequence[Any] | Callable[[Random], Any] | Path | str


def aim(
    what: Any,
    loaded: Loaded,
    inputs: Inputs | None,
    objective: Any,
    constraint: Any = None,
    maximise: bool = False,
    seed: int = 0,
) -> Aimed:
    """A program with inputs, or a task by name with its biased ones, and what is minded about the result.

    Inputs are tapes (of a Python function: arguments of calls), a function that draws one from a
    `random.Random`, or the name of a file of them.
    """
    program = loaded.program
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
    name = loaded.function.name if loaded.function else Path(loaded.name).stem
    name = "program" if name.startswith("<") else name
    wanted = Objective.of(objective, constraint, maximise, instances.M)
    return Aimed(name, program, loaded.text, instances, wanted)


def _instances(loaded: Loaded, inputs: Inputs, seed: int) -> Instances:
    call = loaded.call or _tape
    if isinstance(inputs, str | Path):
        M = loaded.program.memory
        if M is None:
            raise AncError("the program does not say its memory", help="write 'memory 20' into it")
        return Instances.of(read_inputs(Path(inputs), M, call, unanswered=True), seed)
    if callable(inputs):
        draw = inputs

        def several(n: int, number: int) -> list[tuple[int, ...]]:
            random = Random(f"inputs/{number}")
            return inputs_from((draw(random) for _ in range(n)), _memory(loaded, ()), loaded.call)

        return Instances.drawn(several, seed)
    if not hasattr(inputs, "__len__"):
        raise AncError(f"'inputs' is of type {type(inputs).__name__}, expected tapes")
    M = _memory(loaded, inputs)
    return Instances.of(inputs_from(inputs, M, loaded.call), seed)


def _memory(loaded: Loaded, inputs: Sequence[Any]) -> int:
    """The program's memory; of one that does not say, as much as the inputs need."""
    longest = max((len(tape) for tape in inputs if isinstance(tape, Sequence)), default=0)
    return loaded.program.memory or max(longest, loaded.program.smallest_memory)


def _tape(cells: Sequence[Any]) -> dict[str, Any]:
    """A line of a file may be just a tape."""
    return {"input": list(cells)}
