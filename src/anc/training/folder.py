"""A run folder: everything about a training on disk, so that it can be resumed after any interruption.

run.json            what is trained: problem, members, engine, versions
program.anc         the generic program
cases.jsonl         the user's cases, if the problem is not a task
state.safetensors   the checkpoint to resume from, replaced atomically
seconds.json        the training time so far; apart from `seconds` in summary.json, nothing else
                    in the folder depends on the clock
metrics.jsonl       one line per validation, for plots
checkpoints/        weights of all members at some iterations, for pages and figures
settings.toml, summary.json, best.safetensors, best.anc     the result
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from safetensors.numpy import save

from anc.data.loading import load
from anc.data.tasks import Case, get
from anc.data.tasks.data import cases_text
from anc.language.source import decode, self_contained
from anc.support import limits
from anc.support.diagnostics import AncError, quoted
from anc.support.files import JSON_BYTES, cannot_write, read_json, read_limited, write_atomically
from anc.support.folders import FolderClaim
from anc.support.job import provenance
from anc.support.records import (
    ANYTHING,
    COUNT,
    TEXT,
    TRUTH,
    Shape,
    below,
    check,
    list_of,
    maybe,
    record,
    table_of,
    within,
)
from anc.training import problem as problems
from anc.training.checkpoint import Checkpoint
from anc.training.engines import device_of
from anc.training.members import Members
from anc.training.problem import Problem
from anc.training.settings import TrainingSettings, changed
from anc.training.training import Progress, Training
from anc.version import __version__

FORMAT = "anc-run"
VERSION = 1
_SAVE_EVERY = 2.0  # seconds between two writes of the state, which is also written at the end
CHECKPOINTS = 40  # weights saved over a run
# a member's seed: the user's first seed plus the member's index
_SEED = replace(limits.SEED, most=limits.SEED.most + limits.SEEDS.most)
_DRAWN = limits.Whole("cases", 1, 100_000)  # they are drawn again each time the run is read

RUN = record(
    origin=record(
        {
            "biased": TRUTH,
            "pool": within(_DRAWN),
            "test": within(_DRAWN),
            "memory": maybe(within(limits.MEMORY)),
            "frozen": list_of(within(limits.CELL)),
        },
        kind=TEXT,
        name=TEXT,
        seed=within(limits.SEED),
    ),
    engine=TEXT,
    settings=table_of(ANYTHING),
    varied=table_of(list_of(ANYTHING)),
    seeds=list_of(within(_SEED)),
)
METRIC = record(iteration=COUNT, faster=COUNT)
_LOSSES = ("correctness", "halting", "confidence", "efficiency", "total")


class RunFolder:
    """Reads and writes one run folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._saved_at = 0.0

    # -- beginning and resuming --------------------------------------------------------------

    @property
    def exists(self) -> bool:
        return (self.path / "run.json").exists()

    def begin(
        self,
        place: FolderClaim,
        problem: Problem,
        members: Members,
        engine: str,
        origin: dict[str, Any],
        cases: Sequence[Case] = (),
        command: str | None = None,
    ) -> None:
        """Write what describes a new run, with the user's cases if any, into the folder claimed for it."""
        shared = asdict(members.shared)
        columns = {name: [asdict(s)[name] for s in members.settings] for name in shared}
        varied = {name: column for name, column in columns.items() if len(set(column)) > 1}
        about = {
            "format": FORMAT,
            "version": VERSION,
            "origin": origin,
            "engine": engine,
            "settings": shared,
            "varied": varied,
            "seeds": list(members.seeds),
            "versions": _versions(),
            "provenance": provenance(
                command,
                seed=members.seeds[0],
                seeds=len(members.seeds),
                budget=None,
                **device_of(engine),
            ),
        }
        texts = {"program.anc": problem.text, "run.json": json.dumps(about, indent=1)}
        texts = self_contained(texts, problem.program.instructions)
        if origin["kind"] == "cases":
            texts["cases.jsonl"] = cases_text(cases)
        if not varied:
            texts["settings.toml"] = members.shared.to_toml()

        def write(to: Path) -> None:
            for name, text in texts.items():
                write_atomically(to / name, text.encode())

        place.keep(write)

    def describe(self) -> dict[str, Any]:
        """The contents of run.json."""
        if not self.exists:
            raise AncError(
                f"{quoted(str(self.path))} holds no run", help="start one without --resume"
            )
        path = self.path / "run.json"
        about = read_json(path)
        is_ours = isinstance(about, dict) and about.get("format") == FORMAT
        if not is_ours or about.get("version") != VERSION:
            raise AncError(f"{path} was not written by this version of anc")
        check(about, RUN, path)
        S = len(about["seeds"])
        check(about["varied"], table_of(list_of(ANYTHING, S)), f"{path} ('varied')")
        if not S:
            raise AncError(f"{path} is of a run without members")
        return about

    def problem(self) -> Problem:
        """The problem of the run."""
        origin = self.describe()["origin"]
        needed = {"task": ("biased", "pool", "test"), "cases": ("memory",)}.get(origin["kind"])
        if needed is None or any(name not in origin for name in needed):
            raise AncError(f"{self.path / 'run.json'} does not say what was trained")
        name, seed = origin["name"], origin["seed"]
        if origin["kind"] == "task":
            drawn = origin["biased"], seed, origin["pool"], origin["test"]
            problem = problems.from_task(get(name), *drawn)
        else:
            loaded = load(self.path / "program.anc", origin["memory"])
            cases = _whole_cases(self.path / "cases.jsonl")
            loaded.program.check_fits(cases[0].M)
            problem = problems.from_cases(name, loaded.program, loaded.text, cases, seed)
        limits.LEARNT.check(problem.M)
        return problem.with_frozen(origin.get("frozen", ()))

    def members(self) -> Members:
        about = self.describe()
        base = changed(TrainingSettings(), about["settings"], "run.json")
        rows = [
            changed(base, {name: column[i] for name, column in about["varied"].items()}, "run.json")
            for i in range(len(about["seeds"]))
        ]
        try:
            return Members(tuple(rows), tuple(about["seeds"]))
        except ValueError as problem:
            raise AncError(f"{self.path / 'run.json'} is not what anc wrote: {problem}") from None

    def restore(self, training: Training) -> float:
        """Restore the saved state; return the seconds trained before."""
        path = self.path / "state.safetensors"
        if not path.exists():
            self._truncate_metrics(0)
            return 0.0
        found = Checkpoint.read(path)
        found.restore(training, path)
        self._truncate_metrics(found.iteration)
        return self._seconds()

    def _seconds(self) -> float:
        """The seconds that the run was trained before."""
        path = self.path / "seconds.json"
        if not path.exists():
            return 0.0
        found = read_json(path)
        seconds = found.get("seconds") if isinstance(found, dict) else None
        if not isinstance(seconds, int | float) or not 0 <= seconds < float("inf"):
            raise AncError(f"{path} does not say how long the run was trained")
        return float(seconds)

    # -- while it runs -----------------------------------------------------------------------

    def after_chunk(self, training: Training, progress: Progress) -> None:
        """Append the metrics and, if it is due, save the state."""
        if not self.exists:
            raise AncError(f"cannot write {self.path}: the run in it was removed")
        self._append_metrics(progress)
        every = max(1, training.members.shared.iterations // CHECKPOINTS)
        before = progress.iteration - training.members.shared.validate_every
        if progress.iteration // every > before // every or training.is_done:
            self._save_checkpoint(training)
        if training.is_done or time.monotonic() - self._saved_at > _SAVE_EVERY:
            self.save(training, progress.seconds)

    def save(self, training: Training, seconds: float) -> None:
        """Write the state atomically."""
        write_atomically(self.path / "state.safetensors", Checkpoint.of(training).to_bytes())
        write_atomically(self.path / "seconds.json", json.dumps({"seconds": seconds}).encode())
        self._saved_at = time.monotonic()

    def _save_checkpoint(self, training: Training) -> None:
        name = f"checkpoints/{training.state.iteration:08d}.safetensors"
        write_atomically(self.path / name, save({"weights": training.state.weights}))

    def _append_metrics(self, progress: Progress) -> None:
        found = progress.validation
        columns = {name: getattr(progress.report, name) for name in _LOSSES}
        columns |= {"right": (found.right & found.halted).mean(1), "steps": found.steps.mean(1)}
        line: dict[str, Any] = {"iteration": progress.iteration, "faster": progress.faster}
        line |= {name: [float(f"{x:.5g}") for x in column] for name, column in columns.items()}
        path = self.path / "metrics.jsonl"
        try:
            with path.open("a") as stream:
                stream.write(json.dumps(line) + "\n")
        except OSError as problem:
            raise cannot_write(path, problem) from None

    def _truncate_metrics(self, iteration: int) -> None:
        """Drop metrics and checkpoints after the saved state: training will repeat them."""
        kept = [line for line in self.metrics() if line["iteration"] <= iteration]
        text = "".join(json.dumps(line) + "\n" for line in kept)
        write_atomically(self.path / "metrics.jsonl", text.encode())
        for path in self.checkpoints:
            if int(path.stem) > iteration:
                path.unlink()

    @property
    def checkpoints(self) -> tuple[Path, ...]:
        """The files of saved weights, in order of iteration."""
        found = (self.path / "checkpoints").glob("*.safetensors")
        return tuple(sorted(path for path in found if path.stem.isdecimal()))

    def metrics(self) -> list[dict[str, Any]]:
        """The complete lines of metrics.jsonl, without one that a crash cut off."""
        path = self.path / "metrics.jsonl"
        return _json_lines(path, METRIC, last=-1) if path.exists() else []


def _json_lines(path: Path, shape: Shape, last: int | None = None) -> list[dict[str, Any]]:
    """The objects in the lines of a file, up to `last`."""
    text = decode(read_limited(path, "a file of a run", JSON_BYTES), str(path)).text
    found = []
    for number, line in enumerate(text.split("\n")[:last], start=1):
        if line or last is not None:
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError):
                raise AncError(f"{path}:{number} is not JSON") from None
            check(found[-1], shape, f"{path}:{number}")
    return found


def _whole_cases(path: Path) -> list[Case]:
    """The cases that `begin` wrote, with all cells and masks."""
    rows = _json_lines(path, record(input=list_of(COUNT)))
    if not rows or not rows[0]["input"]:
        raise AncError(f"{path} has no cases")
    M = len(rows[0]["input"])
    cells = list_of(below(M), M)
    whole = record(input=cells, output=cells, mask=list_of(below(2), M))
    for number, row in enumerate(rows, start=1):
        check(row, whole, f"{path}:{number}")
    return [Case(tuple(r["input"]), tuple(r["output"]), tuple(map(bool, r["mask"]))) for r in rows]


def _versions() -> dict[str, str]:
    from importlib import metadata

    names = ("jax", "numba", "numpy", "safetensors")
    return {"anc": __version__, "python": platform.python_version()} | {
        name: metadata.version(name) for name in names
    }
