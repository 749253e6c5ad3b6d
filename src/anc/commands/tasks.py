"""`anc tasks` and `anc sample`: the paper's tasks, and cases drawn from them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from anc.commands import fields
from anc.commands.function import function
from anc.commands.line import command
from anc.commands.request import Option, Request, option, required, typed
from anc.support import limits

if TYPE_CHECKING:
    from anc.data.tasks import Case, Task
    from anc.support.job import Job

NAME: Any = Option(metavar="[TASK]", is_argument=True, completes="shipped_names")


class Tasks(Request[None], name="tasks"):
    """The tasks; `anc.data.tasks` has them for Python."""

    which: str | None = typed(NAME)


class Sample(Request["list[Case]"], name="sample"):
    """Cases of a task: input tape, expected tape, and the mask of the cells that count.

    >>> import anc
    >>> case, = anc.sample("access", n=1, biased=True)
    >>> case.input[0], case.output[0] == case.input[4]
    (3, True)
    """

    task: str = required(NAME.but(metavar="TASK", is_needed=True))
    n: int = option(default=10, kind=limits.COUNT, words=("-n",), shown=True, help="Cases.")
    biased: bool = option(
        default=False, words=("--biased/--generic",), help="Which distribution  [default: generic]"
    )
    seed: int = fields.SEED

    def run(self, job: Job) -> list[Case]:
        from anc.data import tasks

        return tasks.get(self.task).draw(self.biased, self.n, self.seed)


sample = function(Sample)


@command(Tasks)
def show(request: Tasks) -> None:
    """List the tasks, or describe one.

    It says what is on the tape, what the bias is, and what a faster program could do.
    """
    from anc.data import tasks

    name = request.which
    if request.as_json:
        every = {"tasks": [_fields(task) for task in tasks.all_tasks()]}
        click.echo(json.dumps(every if name is None else _fields(tasks.get(name))))
        return
    if name is None:
        click.echo(f"{'task':<12} {'memory':>6}  the biased distribution")
        for task in tasks.all_tasks():
            click.echo(f"{task.name:<12} {task.M:>6}  {task.bias}")
        return
    task = tasks.get(name)
    program = task.program
    click.echo(task.summary)
    click.echo(f"memory {task.M}, {program.L} lines, {program.R} registers")
    click.echo(f"bias: {task.bias}")
    click.echo(f"what a faster program could do: {task.ideal}")


def _fields(task: Task) -> dict[str, Any]:
    return {
        "name": task.name,
        "summary": task.summary,
        "memory": task.M,
        "lines": task.program.L,
        "registers": task.program.R,
        "bias": task.bias,
        "ideal": task.ideal,
    }


@command(Sample)
def show_sample(request: Sample) -> None:
    """Draw cases of a task and print them as JSON lines.

    With --json they are one document.
    """
    from anc.data.tasks.data import cases_text
    from anc.support.job import Job

    text = cases_text(request.run(Job()))
    if request.as_json:
        cases = [json.loads(line) for line in text.splitlines()]
        shown = {name: getattr(request, name) for name in ("task", "biased", "seed")}
        click.echo(json.dumps(shown | {"cases": cases}))
    else:
        click.echo(text, nl=False)
