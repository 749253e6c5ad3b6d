"""`anc tasks` and `anc sample`: the paper's tasks, and cases drawn from them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from anc import limits
from anc.cli import completion, inputs

if TYPE_CHECKING:
    from anc.tasks import Task


@click.command("tasks")
@click.argument("name", metavar="[TASK]", required=False, shell_complete=completion.shipped_names)
@inputs.json_option
def list_command(name: str | None, as_json: bool) -> None:
    """List the tasks, or describe one.

    It says what is on the tape, what the bias is, and what a faster program could do.
    """
    from anc import tasks

    if as_json:
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


@click.command("sample")
@click.argument("task", shell_complete=completion.shipped_names)
@click.option("--biased/--generic", default=False, help="Which distribution  [default: generic]")
@inputs.number_option("-n", 10, limits.COUNT, "Cases.")
@inputs.seed_option()
@inputs.json_option
def sample_command(task: str, biased: bool, n: int, seed: int, as_json: bool) -> None:
    """Draw cases of a task and print them as JSON lines.

    With --json they are one document.
    """
    from anc import api
    from anc.tasks.data import cases_text

    text = cases_text(api.sample(task, n, biased, seed))
    if as_json:
        cases = [json.loads(line) for line in text.splitlines()]
        click.echo(json.dumps({"task": task, "biased": biased, "seed": seed, "cases": cases}))
    else:
        click.echo(text, nl=False)
