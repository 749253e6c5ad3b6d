"""`anc programs`, `anc tasks` and `anc sample`: the shipped programs and tasks, and cases drawn from them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from anc.commands import fields
from anc.commands.function import function
from anc.commands.line import command
from anc.commands.request import Request, option, required, typed
from anc.commands.results import answer
from anc.data import programs as shipped
from anc.support import limits
from anc.support.diagnostics import AncError, close_match, quoted
from anc.support.job import Job

if TYPE_CHECKING:
    from anc.data.tasks import Case, Task

NAME = option(None, metavar="[NAME]", is_argument=True, completes="shipped_names")


class Programs(Request[None], name="programs"):
    """The shipped programs; in Python, use `anc.data.programs`."""

    which: str | None = typed(NAME)


class Tasks(Request[None], name="tasks"):
    """The tasks; in Python, use `anc.data.tasks`."""

    which: str | None = typed(NAME, metavar="[TASK]")


class SampleTask(Request["list[Case]"], name="sample"):
    """Draw cases of a task: input tape, expected tape, and the mask of the cells that count.

    >>> import anc
    >>> case, = anc.sample("access", n=1, biased=True)
    >>> case.input[0], case.output[0] == case.input[4]
    (3, True)
    """

    task: str = required(NAME, metavar="TASK", is_needed=True)
    n: int = option(10, "Draw this many cases.", limits.COUNT, words="-n", section="Input")
    biased: bool = option(
        False,
        "Draw from the biased or from the generic distribution.  [default: generic]",
        words="--biased/--generic",
        section="Input",
    )
    seed: int = option(fields.SEED, section="Input")

    def run(self, job: Job) -> list[Case]:
        from anc.data import tasks

        return tasks.get(self.task).draw(self.biased, self.n, self.seed)


sample = function(SampleTask)


@command(Programs)
def show_programs(request: Programs) -> None:
    """List the shipped programs, or print the source of one.

    Examples:
      anc programs
      anc programs listk
    """
    name = request.which
    if name is None:
        every = [_about_program(known) for known in shipped.names()]
        rows = [f"{'name':<12} {'lines':>5} {'registers':>9} {'memory':>6}  what it does"]
        rows += [
            f"{one['name']:<12} {one['lines']:>5} {one['registers']:>9} {one['memory'] or '-':>6}"
            f"  {one['summary']}"
            for one in every
        ]
        answer(request, {"programs": every}, "\n".join(rows))
        return
    if name not in shipped.names():
        match = close_match(name, shipped.names())
        raise AncError(
            f"there is no shipped program {quoted(name)}",
            help=f"did you mean '{match}'?" if match else "see: anc programs",
        )
    text = shipped.source(name).text
    answer(request, _about_program(name) | {"text": text}, text.rstrip("\n"))


def _about_program(name: str) -> dict[str, Any]:
    from anc.data.loading import load

    program = load(name).program
    return {
        "name": name,
        "lines": program.L,
        "registers": program.R,
        "memory": program.memory,
        "summary": shipped.summary(name),
    }


@command(Tasks)
def show(request: Tasks) -> None:
    """List the tasks, or describe one.

    It prints what is on the tape, what the bias is, and what a faster program could do.

    Examples:
      anc tasks
      anc tasks listk
    """
    from anc.data import tasks

    if request.which is None:
        every = tasks.all_tasks()
        rows = [f"{'task':<12} {'memory':>6}  the biased distribution"]
        rows += [f"{task.name:<12} {task.M:>6}  {task.bias}" for task in every]
        answer(request, {"tasks": list(map(_about_task, every))}, "\n".join(rows))
        return
    task = tasks.get(request.which)
    program = task.program
    text = f"""\
{task.summary}
memory {task.M}, {program.L} lines, {program.R} registers
bias: {task.bias}
what a faster program could do: {task.ideal}"""
    answer(request, _about_task(task), text)


def _about_task(task: Task) -> dict[str, Any]:
    return _about_program(task.name) | {"bias": task.bias, "ideal": task.ideal}


@command(SampleTask)
def show_sample(request: SampleTask) -> None:
    """Draw cases of a task and print them as JSON lines.

    With --json they are one document.

    Examples:
      anc sample listk --biased -n 5
      anc sample sort -n 1000 --seed 7
    """
    from anc.data.tasks.data import cases_text

    text = cases_text(request.run(Job()))
    shown = {name: getattr(request, name) for name in ("task", "biased", "seed")}
    cases = [json.loads(line) for line in text.splitlines()]
    answer(request, shown | {"cases": cases}, text.rstrip("\n"))
