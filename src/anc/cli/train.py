"""`anc train`: adapt a program by gradient descent, many seeds at once."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anc.cli import aims, completion, inputs, talk
from anc.cli.interrupt import ctrl_c
from anc.cli.problems import given_problem
from anc.cli.progress import ProgressLine
from anc.cli.results import claim_folder, kept
from anc.cli.sections import Sectioned
from anc.cli.settings import chosen_settings, settings_options
from anc.diagnostics import AncError, quoted
from anc.folders import OBJECTIVE, TRAINING
from anc.provenance import command_line
from anc.remaining import duration

if TYPE_CHECKING:
    from anc.learning.decompiled import Decompiled
    from anc.learning.training import Progress, Result


EXAMPLES = """\
  anc train listk --seeds 100 -o run
  anc train double.anc --data cases.jsonl --iterations 2000 --rate 0.05"""


@click.command("train", cls=Sectioned, examples=EXAMPLES)
@click.argument(
    "target",
    metavar="[TASK or PROGRAM]",
    required=False,
    shell_complete=completion.programs,
)
@inputs.data_option
@click.option("--generic", is_flag=True, help="Train a task on its generic distribution.")
@inputs.seeds_option(100)
@inputs.seed_option("The first seed.")
@inputs.engine_option
@inputs.output_option(metavar="FOLDER", help="Keep the run in this folder.")
@inputs.force_option
@click.option("--resume", is_flag=True, help="Go on with the run in the folder of -o.")
@inputs.freeze_option
@aims.objective_options
@inputs.memory_option
@inputs.json_option
@settings_options
def command(
    target: str | None,
    data: Path | None,
    generic: bool,
    seeds: int,
    seed: int,
    engine: str,
    output: Path | None,
    force: bool,
    resume: bool,
    freeze: tuple[int, ...],
    memory: int | None,
    as_json: bool,
    settings: str | None,
    **options: Any,
) -> None:
    """Adapt a program by gradient descent, from many random seeds.

    TASK is one of `anc tasks`; any other program needs --data. Ctrl-C ends training with the best so far.
    """
    aim = aims.taken_out(options)
    if aim is not None:
        if target is None or resume or generic or settings is not None:
            raise AncError(
                "--objective takes a program, --data and options, no --resume or --settings"
            )
        aims.refuse_engine()
        chosen_seeds: dict[str, Any] = {} if inputs.is_default("seeds") else {"seeds": seeds}
        given_settings = {name: value for name, value in options.items() if value is not None}
        place = claim_folder(output, OBJECTIVE, force)
        aims.adapt_to_objective(
            target, data, memory, aim, place, as_json, freeze, budget=float("inf"),
            method="gradient", seed=seed, settings=given_settings, **chosen_seeds,
        )  # fmt: skip
        return
    if resume:
        if output is None:
            raise AncError("--resume needs the folder of the run", help="name it with -o FOLDER")
        if force:
            raise AncError("--resume goes on with a run, and --force replaces it: give one of them")
        other = target or inputs.given_besides("resume", "output", "as_json")
        if other is not None:
            raise AncError(
                f"--resume goes on with what the folder says, found {quoted(other)} beside it",
                help="give only -o FOLDER",
            )
    place = claim_folder(output, TRAINING, force, resume)
    from anc.learning.decompiled import FILES, decompiled, write_decompiled
    from anc.learning.engines import check_memory
    from anc.learning.engines import engine as find_engine
    from anc.learning.folder import RunFolder
    from anc.learning.members import Members
    from anc.learning.training import StopReason, Training, run

    folder = RunFolder(output) if output is not None else None
    if folder is not None and resume:
        problem, members = folder.problem(), folder.members()
        engine = folder.describe()["engine"]
    else:
        if target is None:
            raise AncError("name a task or a program", help="see: anc tasks")
        given = given_problem(target, data, generic, memory, 0, freeze)
        problem = given.problem
        chosen = chosen_settings(problem.name, settings, options)
        members = Members.alike(chosen, seeds, seed)
        check_memory(problem, members, engine)
        if folder is not None and place is not None:
            about = problem, members, engine, given.origin, given.cases
            folder.begin(place, *about, command_line())
    if problem.note:
        talk.note(problem.note)

    training = Training(problem, members, find_engine(engine))
    before = folder.restore(training) if folder is not None and resume else 0.0
    line = ProgressLine(quiet=as_json)
    lost: list[AncError] = []  # what could not be written, which ends the training

    def after_chunk(progress: Progress) -> None:
        line.show(describe(progress, len(members.seeds)))
        if folder is not None:
            try:
                folder.after_chunk(training, progress)
            except AncError as problem:
                lost.append(problem)

    with ctrl_c() as interrupt:
        result = run(
            training,
            lambda: StopReason.INTERRUPTED if interrupt.asked or lost else None,
            after_chunk,
            before,
        )
        if engine != "jax":
            _keep_jax_off_cards()
        best = decompiled(result)

    def write(to: Path) -> None:
        assert folder is not None
        folder.save(training, result.seconds)
        write_decompiled(result, best, to)

    line.end()
    failed = lost[0] if lost else kept(place, write, FILES)
    click.echo(json.dumps(summary_of(result, best)) if as_json else report(result, best))
    if failed is not None:
        raise failed
    if folder is not None and not as_json:
        talk.say(f"\nkept in {folder.path}")
    if not result.succeeded.any():
        raise SystemExit(1)


def _keep_jax_off_cards() -> None:
    """One soft run is sooner done on a CPU than a card is woken up for it by JAX."""
    import jax

    if not os.environ.get("JAX_PLATFORMS"):
        jax.config.update("jax_platforms", "cpu")


def describe(progress: Progress, members: int) -> str:
    """One line about where training is."""
    best = "-" if progress.best_steps is None else f"{progress.best_steps:.2f}"
    return (
        f"iteration {progress.iteration} of {progress.iterations}: {progress.right} of {members}"
        f" right, {progress.faster} faster, best {best} steps,"
        f" {duration(progress.seconds_left)} left"
    )


def summary_of(result: Result, best: Decompiled) -> dict[str, Any]:
    reading = best.reading
    return result.summary() | {
        "best_member": best.member,
        "type": reading.kind,
        "confidence": round(float(result.certainty[best.member]), 4),
        "program": str(reading.program) if reading.program is not None else None,
    }


def report(result: Result, best: Decompiled) -> str:
    """What training found, for people."""
    s = result.summary()
    steps = "nothing faster was found"
    if s["steps_best"] is not None:
        steps = f"best {s['steps_best']:.2f} steps, median {s['steps_median']:.2f} of those faster"
    restarts = f", {s['restarts']} restarts" if s["restarts"] else ""
    rows = [
        f"{s['problem']}: {s['members_right']} of {s['members']} members right on"
        f" {s['cases_tested']} test cases, {s['members_faster']} of them faster",
        f"steps: generic {s['steps_generic']:.2f}, {steps}",
        f"{s['skipped_updates']} updates skipped{restarts}, {duration(s['seconds'])}, {s['stop']}",
        "",
        f"the best is member {best.member}, type {best.reading.kind}: {best.reading.reason}"
        f" (confidence {result.certainty[best.member]:.4f})",
    ]
    rows += [f"  soft: {softness}" for softness in best.reading.softness]
    rows += ["", best.figure]
    if best.reading.program is not None:
        from anc.compiler import to_text

        rows += ["", to_text(best.reading.program).rstrip("\n")]
    return "\n".join(rows)
