"""`anc tasks` and `anc sample`: the paper's tasks, and cases drawn from them."""

from __future__ import annotations

import click

from anc import limits, tasks
from anc.cli import inputs


@click.command("tasks")
@click.argument("name", metavar="[TASK]", required=False)
def list_command(name: str | None) -> None:
    """List the tasks, or describe one: its tape, its bias, and what a faster program could do."""
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


@click.command("sample")
@click.argument("task")
@click.option("--biased/--generic", default=False, help="Which distribution  [default: generic]")
@inputs.number_option("-n", 10, limits.COUNT, "Cases.")
@inputs.seed_option()
def sample_command(task: str, biased: bool, n: int, seed: int) -> None:
    """Draw cases of a task and print them as JSON lines."""
    from anc.tasks.data import cases_text

    click.echo(cases_text(tasks.get(task).draw(biased, n, seed)), nl=False)
