"""Training: gradient descent on a program, from many seeds at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anc.commands import fields, verbosity
from anc.commands.arguments import GivenProblem, Samples, What, aim, given_problem
from anc.commands.function import either
from anc.commands.kinds import FileOr
from anc.commands.line import command
from anc.commands.objectives import INPUTS, NO_ANSWERS, ByScore, show_improved
from anc.commands.progress import ProgressLine, ctrl_c, job_of
from anc.commands.request import option, required, typed
from anc.commands.results import answer, claim_folder, saved
from anc.commands.settings import BASE, Settings
from anc.support.clock import duration
from anc.support.diagnostics import AncError, quoted
from anc.support.folders import TRAINING
from anc.support.job import Job

if TYPE_CHECKING:
    from anc.adaptation.objectives.result import Improved
    from anc.training.members import Members
    from anc.training.result import DecompiledMember, TrainingResult
    from anc.training.training import Progress

PROGRAM: Any = option(fields.TARGET, metavar="[TASK or PROGRAM]", is_needed=False)
FIRST_SEED: Any = option(fields.SEED, help="Use this seed and those after it.")
RESULT: Any = option(fields.OUTPUT, metavar="FOLDER", help="Keep the run in this folder.")


class Train(Settings["TrainingResult"], name="train"):
    """Adapt a program by gradient descent alone, many seeds at once; settings as in `anc train`.

    Program lines in `freeze` stay unchanged. The `engine` is "fused" on the CPU, "gpu" on a GPU,
    "jax" for comparison, or "auto", the fastest here. With an `objective` (see `anc.adapt`) that has a
    gradient: a program, or a function of JAX on soft tapes, `anc.score(function, soft=True)`.

    >>> import anc
    >>> result = anc.train("access", seeds=8, iterations=200)
    >>> len(result.steps), result.generic_steps
    (8, 5.0)
    """

    program: What = required(PROGRAM)
    samples: Samples | str | None = option(fields.DATA, kind=FileOr())
    seeds: int = fields.SEEDS
    freeze: Sequence[int] = fields.FREEZE
    _: KW_ONLY
    engine: str = fields.ENGINE
    seed: int = FIRST_SEED
    settings: str | Path | None = BASE
    generic: bool = option(
        fields.GENERIC, help="Train a task on its generic distribution instead of its biased one."
    )
    memory: int | None = fields.MEMORY
    output: Path | None = typed(RESULT)
    force: bool = typed(fields.FORCE)
    resume: bool = typed(False, "Resume the run in the folder of -o.", section="Output")

    def check_together(self) -> None:
        if not self.resume:
            if self.program is None:
                raise AncError("name a task or a program", help="see: anc tasks")
            return
        if self.output is None:
            raise AncError("--resume needs the folder of the run", help="name it with -o FOLDER")
        if self.force:
            raise AncError("--resume continues a run, and --force replaces it: give one of them")
        taken = "resume", "output", "as_json"
        others = [
            self.word(name) for name in self.options if self.is_given(name) and name not in taken
        ]
        if others:
            other = others[0] if self.program is None else self.program
            raise AncError(
                f"--resume takes everything from the folder, found {quoted(other)} as well",
                help="give only -o FOLDER",
            )

    def load(self, job: Job) -> tuple[GivenProblem, Members, str]:
        """Load the problem with its origin, the members of the population, and the engine."""
        from anc.training.engines import check_memory, chosen_engine
        from anc.training.members import Members

        about = self.generic, self.memory, 0, self.freeze
        given = given_problem(job, self.program, self.samples, *about)
        chosen = self.chosen_settings(given.problem.name, self.settings)
        members = Members.alike(chosen, self.seeds, self.seed)
        engine = chosen_engine(self.engine)
        check_memory(given.problem, members, engine)
        return given, members, engine

    def run(self, job: Job) -> TrainingResult:
        from anc.training.engines import engine as find_engine
        from anc.training.training import Training, run

        given, members, engine = self.load(job)
        return run(Training(given.problem, members, find_engine(engine)))


class TrainForScore(ByScore["Improved"], Settings["Improved"], name="train"):
    """Train without right answers, for a score that has a gradient."""

    program: What = required(PROGRAM)
    samples: None = NO_ANSWERS
    seeds: int = option(fields.SEEDS, default=8)
    freeze: Sequence[int] = fields.FREEZE
    _: KW_ONLY
    inputs: Samples | str | None = INPUTS
    seed: int = FIRST_SEED
    memory: int | None = fields.MEMORY
    output: Path | None = typed(RESULT)
    force: bool = typed(fields.FORCE)

    def check_together(self) -> None:
        if self.program is None:
            raise AncError("name a task or a program", help="see: anc tasks")

    def begin(self, job: Job) -> Callable[[], Improved]:
        from anc.adaptation.objectives.adapt import improve

        about = self.wanted(), self.memory, self.seed, self.freeze
        aimed = aim(job, self.program, self.inputs, *about)
        endless = replace(job, budget=float("inf"), since=None)
        settings = self.given_settings()
        return partial(
            improve, aimed, endless, "gradient", self.seed, seeds=self.seeds, settings=settings
        )


train = either(Train, TrainForScore)


@command(Train, TrainForScore)
def show(request: Train | TrainForScore) -> None:
    """Adapt a program by gradient descent, from many random seeds.

    TASK is one of `anc tasks`; any other program needs --data. Ctrl-C ends training with the best so far.

    Examples:
      anc train listk --seeds 100 -o run
      anc train double.anc --data cases.jsonl --iterations 2000 --rate 0.05
    """
    if isinstance(request, TrainForScore):
        show_improved(request)
        return
    place = claim_folder(request, TRAINING, request.resume)
    from anc.training.engines import engine as find_engine
    from anc.training.folder import RunFolder
    from anc.training.result import FILES, decompiled, write_decompiled
    from anc.training.training import Training, run

    job = job_of(request)
    folder = RunFolder(request.output) if request.output is not None else None
    before = 0.0
    if folder is not None and request.resume:
        problem, members = folder.problem(), folder.members()
        engine = folder.describe()["engine"]
    else:
        given, members, engine = request.load(job)
        problem = given.problem
        if folder is not None and place is not None:
            folder.begin(place, problem, members, engine, given.origin, given.cases, job.command)
    if problem.note:
        verbosity.note(problem.note)
    training = Training(problem, members, find_engine(engine))
    if folder is not None and request.resume:
        before = folder.restore(training)
    line = ProgressLine(quiet=request.as_json)
    lost: list[AncError] = []  # write errors, which end the training

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
            lambda: bool(interrupt.asked or lost),
            after_chunk,
            before,
        )
        if engine != "jax":
            _keep_jax_off_gpus()
        best = decompiled(result)

    def write(to: Path) -> None:
        assert folder is not None
        folder.save(training, result.seconds)
        write_decompiled(result, best, to)

    line.end()
    failed = lost[0] if lost else saved(place, write, FILES)
    answer(request, summary_of(result, best), report(result, best))
    if failed is not None:
        raise failed
    if folder is not None and not request.as_json:
        verbosity.say(f"\nsaved in {folder.path}")
    if not result.succeeded.any():
        raise SystemExit(1)


def _keep_jax_off_gpus() -> None:
    """Run JAX on the CPU: a single soft run takes less time there than starting a GPU."""
    import jax

    if not os.environ.get("JAX_PLATFORMS"):
        jax.config.update("jax_platforms", "cpu")


def describe(progress: Progress, members: int) -> str:
    """One line of progress."""
    best = "-" if progress.best_steps is None else f"{progress.best_steps:.2f}"
    return (
        f"iteration {progress.iteration} of {progress.iterations}: {progress.right} of {members}"
        f" right, {progress.faster} faster, best {best} steps,"
        f" {duration(progress.seconds_left)} left"
    )


def summary_of(result: TrainingResult, best: DecompiledMember) -> dict[str, Any]:
    reading = best.reading
    return result.summary() | {
        "best_member": best.member,
        "type": reading.kind,
        "confidence": round(float(result.certainty[best.member]), 4),
        "program": str(reading.program) if reading.program is not None else None,
    }


def report(result: TrainingResult, best: DecompiledMember) -> str:
    """The result of a training, as text."""
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
    rows += best.reading.soft_rows
    rows += ["", best.figure]
    if best.reading.program is not None:
        from anc.compiler import to_text

        rows += ["", to_text(best.reading.program).rstrip("\n")]
    return "\n".join(rows)
