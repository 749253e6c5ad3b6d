"""Training runs: the contents of a run folder, prepared for pages and figures, and the page.

The page shows the progress of the population, and how the program changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anc.machine.files import load_weights, read_tensors
from anc.machine.weights import Weights, parameter_count, softmax
from anc.pages.packing import UNITS, pack
from anc.pages.page import page
from anc.support.diagnostics import AncError
from anc.support.files import read_json
from anc.support.records import ANY_NUMBER, COUNT, NUMBER, Shape, check, list_of, maybe, record
from anc.training.folder import RunFolder
from anc.training.members import learnt_program, learnt_weights, starting_weights

if TYPE_CHECKING:
    from anc.training.members import Members
    from anc.training.problem import Problem

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
CURVE_NAMES = {
    "total": "loss, all terms weighted",
    "correctness": "loss: correctness",
    "halting": "loss: halting",
    "confidence": "loss: confidence",
    "efficiency": "loss: efficiency",
    "right": "share of cases right",
    "steps": "steps, mean of the cases",
}
CURVES = tuple(CURVE_NAMES)
LOSSES = CURVES[:-2]
MATRICES = ("op", "first", "second", "out")
LINES_OF_MEMBERS = 150  # single members drawn in the charts; the bands cover all members
MEMBERS_TO_FOLLOW = 12  # members with checkpoints in the page
_TAPES_TO_FOLLOW = 10


@dataclass(frozen=True)
class TrainingRun:
    """The contents of a run folder; curves are arrays (K validations, S members)."""

    path: Path
    about: dict[str, Any]
    summary: dict[str, Any] | None  # None until training ends
    iterations: np.ndarray  # (K,)
    faster: np.ndarray  # (K,) members that had succeeded by then
    curves: dict[str, np.ndarray]
    checkpoints: tuple[Path, ...]

    @property
    def S(self) -> int:
        return len(self.about["seeds"])

    @property
    def name(self) -> str:
        return str(self.about["origin"]["name"])

    @cached_property
    def problem(self) -> Problem:
        return RunFolder(self.path).problem()

    @cached_property
    def members(self) -> Members:
        return RunFolder(self.path).members()

    @cached_property
    def generic_steps(self) -> float:
        """The mean steps of the generic program on the test cases or, before the end, on validation cases."""
        if self.summary is not None:
            return float(self.summary["steps_generic"])
        return self.problem.generic_steps(self.problem.validation)

    @property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The share of right cases and the steps of each member, on the test cases or at the last validation."""
        if self.summary is not None:
            return np.array(self.summary["right"]), np.array(self.summary["steps"])
        return self.curves["right"][-1], self.curves["steps"][-1]

    @cached_property
    def order(self) -> list[int]:
        """The members, best first: most cases right, then fewest steps."""
        right, steps = self.ends
        best = -1 if self.summary is None else self.summary["best_member"]
        return sorted(range(self.S), key=lambda i: (i != best, -right[i], steps[i], i))

    def quantiles(self, name: str) -> np.ndarray:
        """The quantiles (5, K) of a curve over the members at each validation."""
        with np.errstate(invalid="ignore"):  # a loss may be infinite
            return np.quantile(self.curves[name], QUANTILES, axis=1)

    @cached_property
    def right_now(self) -> np.ndarray:
        """The number (K,) of members that were right on all validation cases."""
        return (self.curves["right"] >= 1).sum(axis=1)

    def begin(self, member: int) -> Weights:
        """The weights from which a member started, at its last restart."""
        attempt = 0
        if self._state.exists():
            attempt = int(self._tensor(self._state, "attempts", (self.S,))[member])
        settings, seed = self.members.settings[member], self.members.seeds[member]
        return starting_weights(self.problem, settings, seed, attempt)

    def end(self, member: int) -> Weights:
        """A member's best weights, with all M rows: a learnt program may use any of them."""
        if self.summary is not None and member == self.summary["best_member"]:
            file = self.path / "best.safetensors"
            best = load_weights(file, self.problem.program.instructions)
            if self._size != (best.M, best.R):
                raise AncError(f"{file} belongs to another run: its weights do not fit")
            return best
        if self._state.exists():
            found = self._tensor(self._state, "best_weights", self._shape)
            return self._from_flat(found[member])
        return self.at(len(self.checkpoints) - 1, member)

    def at(self, checkpoint: int, member: int) -> Weights:
        """A member's weights at a checkpoint."""
        return self._from_flat(self._checkpoint_weights[checkpoint][member])

    @cached_property
    def _checkpoint_weights(self) -> list[np.ndarray]:
        return [self._tensor(path, "weights", self._shape) for path in self.checkpoints]

    @cached_property
    def _size(self) -> tuple[int, int]:
        """M, and the number of registers of the members."""
        return self.problem.M, learnt_program(self.problem, self.members.shared).R

    @property
    def _shape(self) -> tuple[int, int]:
        """The shape of the weights of all members."""
        return self.S, parameter_count(*self._size, self.problem.program.instructions.N)

    def _from_flat(self, flat: np.ndarray) -> Weights:
        return learnt_weights(self.problem, self.members.shared, flat)

    def _tensor(self, path: Path, name: str, shape: tuple[int, ...]) -> np.ndarray:
        arrays, _ = read_tensors(path, {name})
        if name not in arrays or arrays[name].shape != shape:
            raise AncError(f"{path} belongs to another run: '{name}' does not fit")
        return arrays[name]

    @property
    def _state(self) -> Path:
        return self.path / "state.safetensors"


def read_training(path: Path) -> TrainingRun:
    """Read a run folder; refuses a run before its first validation."""
    folder = RunFolder(path)
    about = folder.describe()
    lines = folder.metrics()
    if not lines:
        raise AncError(f"the run in {path} has nothing to show yet: it was never validated")
    S = len(about["seeds"])
    for number, line in enumerate(lines, start=1):
        check(line, _curves(S), f"{path / 'metrics.jsonl'}:{number}")
    summary_file = path / "summary.json"
    summary = read_json(summary_file) if summary_file.exists() else None
    if summary is not None:
        check(summary, _summary(S), summary_file)
        if summary["best_member"] >= S:
            raise AncError(f"{summary_file} is not of this run: it has {S} members")
    return TrainingRun(
        path=path,
        about=about,
        summary=summary,
        iterations=np.array([line["iteration"] for line in lines]),
        faster=np.array([line["faster"] for line in lines]),
        curves={name: np.array([line[name] for line in lines], float) for name in CURVES},
        checkpoints=folder.checkpoints,
    )


def _curves(S: int) -> Shape:
    """The shape of a line of metrics with S members."""
    return record(None, **dict.fromkeys(CURVES, list_of(ANY_NUMBER, S)))


def _summary(S: int) -> Shape:
    """The shape of what is used of summary.json."""
    steps = {"steps_best": maybe(NUMBER), "steps_median": maybe(NUMBER)}
    values = list_of(NUMBER, S)
    return record(steps, steps_generic=NUMBER, best_member=COUNT, right=values, steps=values)


def training_page(run: TrainingRun) -> str:
    """The HTML of the page."""
    done = "" if run.summary is not None else ", not finished"
    shared = run.members.shared
    return page(
        f"Training {run.name}",
        _data(run),
        (
            "unpack",
            "tiles",
            "charts",
            "population",
            "program_diff",
            "matrices",
            "checkpoints",
            "page_training",
        ),
        ("report",),
        subtitle=f"{run.S} members, {int(run.iterations[-1])} of {shared.iterations} iterations"
        f"{done}; engine {run.about['engine']}, {shared.optimiser}, rate {shared.rate}",
    )


def _data(run: TrainingRun) -> dict[str, Any]:
    best = run.order[0]
    before, after = run.begin(best), run.end(best)
    known = run.problem.program.instructions
    return {
        "name": run.name,
        "summary": run.summary,
        "generic_steps": run.generic_steps,
        "settings": run.about["settings"],
        "iterations": run.iterations.tolist(),
        "faster": run.faster.tolist(),
        "right_now": run.right_now.tolist(),
        "order": run.order,
        "seeds": run.about["seeds"],
        "curves": [_curve(run, name) for name in CURVES],
        "members": [
            {"seed": seed, "right": float(right), "steps": float(steps)}
            for seed, right, steps in zip(run.about["seeds"], *run.ends, strict=True)
        ],
        "best": best,
        "registers": [
            f"R{r + 1}" for r in range(after.R)
        ],  # names may no longer fit their contents
        "register_names": list(after.names) or [""] * after.R,
        "ops": known.names,
        "operands": [row.operands for row in known.rows],
        "M": after.M,
        "before": _matrices(before),
        "after": _matrices(after),
        "visited": _visited(run, after),
        "checkpoints": _checkpoints(run),
    }


def _rounded(array: np.ndarray) -> Any:
    return [None if not np.isfinite(x) else float(f"{x:.4g}") for x in array]


def _curve(run: TrainingRun, name: str) -> dict[str, Any]:
    values = run.curves[name]
    shown = run.order[:LINES_OF_MEMBERS]
    return {
        "key": name,
        "name": CURVE_NAMES[name],
        "is_loss": name in LOSSES,
        "quantiles": [_rounded(row) for row in run.quantiles(name)],
        "levels": QUANTILES,
        "members": {str(i): _rounded(values[:, i]) for i in shown},
    }


def _matrices(weights: Weights) -> dict[str, Any]:
    names = (*MATRICES, "registers", "start")
    probabilities = {name: softmax(np.asarray(getattr(weights, name), float)) for name in names}
    return {name: np.atleast_2d(array).round(4).tolist() for name, array in probabilities.items()}


def _visited(run: TrainingRun, weights: Weights) -> tuple[int, ...]:
    """The lines that some test cases visit; the page shows the others paler."""
    from anc.machine.interpretability import follow

    tapes = [case.input for case in run.problem.test[:_TAPES_TO_FOLLOW]]
    return follow(weights, tapes, run.members.shared.max_steps).lines


def _checkpoints(run: TrainingRun) -> dict[str, Any] | None:
    """The most likely choice of every row, and its probability, at each checkpoint of some members."""
    if not run.checkpoints:
        return None
    members = run.order[:MEMBERS_TO_FOLLOW]
    choices, units = [], []
    for member in members:
        for moment in (-1, *range(len(run.checkpoints))):
            weights = run.begin(member) if moment < 0 else run.at(moment, member)
            for name in (*MATRICES, "registers"):
                probabilities = softmax(np.asarray(getattr(weights, name), float))
                choices.append(probabilities.argmax(-1))
                units.append(np.rint(probabilities.max(-1) * UNITS))
    return {
        "members": members,
        "iterations": [0, *(int(path.stem) for path in run.checkpoints)],
        "packed": pack(
            choices=np.concatenate(choices).astype("<u2"),
            units=np.concatenate(units).astype("<u2"),
        ),
    }
