"""What a training run folder holds, as numbers and weights that pages and figures draw."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anc.diagnostics import AncError
from anc.learning.folder import RunFolder
from anc.learning.interface import Population
from anc.learning.members import starting_weights
from anc.machine.files import load_weights
from anc.machine.weights import Weights

if TYPE_CHECKING:
    from anc.learning.members import Members
    from anc.learning.problem import Problem

LOSSES = ("total", "correctness", "halting", "confidence", "efficiency")
CURVES = (*LOSSES, "right", "steps")
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
MATRICES = ("op", "first", "second", "out")


@dataclass(frozen=True)
class TrainingRun:
    """A run folder that was read; arrays of curves are (K validations, S members)."""

    path: Path
    about: dict[str, Any]
    summary: dict[str, Any] | None  # None while training has not ended
    iterations: np.ndarray  # (K,)
    faster: np.ndarray  # (K,) members that had succeeded by then
    curves: dict[str, np.ndarray]
    checkpoints: tuple[Path, ...]
    _weights: dict[Path, np.ndarray] = field(default_factory=dict, repr=False)

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
        """Mean steps of the generic program, on the test cases or (before the end) on others."""
        if self.summary is not None:
            return float(self.summary["steps_generic"])
        return self.problem.generic_steps(self.problem.validation)

    @cached_property
    def order(self) -> list[int]:
        """The members, best first: most cases right, then fewest steps."""
        if self.summary is not None:
            right, steps = np.array(self.summary["right"]), np.array(self.summary["steps"])
            best = int(self.summary["best_member"])
        else:
            right, steps, best = self.curves["right"][-1], self.curves["steps"][-1], -1
        return sorted(range(self.S), key=lambda i: (i != best, -right[i], steps[i], i))

    def quantiles(self, name: str) -> np.ndarray:
        """(5, K): how a curve is spread over the members at each validation."""
        with np.errstate(invalid="ignore"):  # a loss may have overflowed
            return np.quantile(self.curves[name], QUANTILES, axis=1)

    @cached_property
    def right_now(self) -> np.ndarray:
        """(K,): members that got every validation case right at that moment."""
        return (self.curves["right"] >= 1).sum(axis=1)

    def begin(self, member: int) -> Weights:
        """The weights that a member started from, the last time that it started."""
        attempt = int(self._state("attempts")[member]) if self._has_state else 0
        settings, seed = self.members.settings[member], self.members.seeds[member]
        return starting_weights(self.problem, settings, seed, attempt)

    def end(self, member: int) -> Weights:
        """A member's best weights, all M rows of them, for a learnt program may use any."""
        if self.summary is not None and member == self.summary["best_member"]:
            return load_weights(self.path / "best.safetensors")
        if self._has_state:
            return self._from_flat(self._state("best_weights")[member])
        return self.at(len(self.checkpoints) - 1, member)

    def at(self, checkpoint: int, member: int) -> Weights:
        """A member's weights at a checkpoint."""
        path = self.checkpoints[checkpoint]
        if path not in self._weights:
            self._weights[path] = _tensor(path, "weights")
        return self._from_flat(self._weights[path][member])

    def _from_flat(self, flat: np.ndarray) -> Weights:
        start = self._some_weights
        parts = Population.from_flat(flat[None], start.M, start.R)._asdict()
        return start.with_arrays({name: part[0] for name, part in parts.items()}, lines=start.M)

    @cached_property
    def _some_weights(self) -> Weights:
        return starting_weights(self.problem, self.members.shared, 0)

    @property
    def _has_state(self) -> bool:
        return (self.path / "state.safetensors").exists()

    def _state(self, name: str) -> np.ndarray:
        return _tensor(self.path / "state.safetensors", name)


def read_training(path: Path) -> TrainingRun:
    """Read a run folder; a run that has not got to its first validation has nothing to show yet."""
    folder = RunFolder(path)
    about = folder.describe()
    lines = folder.metrics()
    if not lines:
        raise AncError(f"the run in {path} has nothing to show yet: it was never validated")
    summary_file = path / "summary.json"
    summary = json.loads(summary_file.read_text()) if summary_file.exists() else None
    return TrainingRun(
        path=path,
        about=about,
        summary=summary,
        iterations=np.array([line["iteration"] for line in lines]),
        faster=np.array([line["faster"] for line in lines]),
        curves={name: np.array([line[name] for line in lines], float) for name in CURVES},
        checkpoints=tuple(sorted((path / "checkpoints").glob("*.safetensors"))),
    )


def _tensor(path: Path, name: str) -> np.ndarray:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as stored:
            return stored.get_tensor(name)
    except (SafetensorError, OSError) as problem:
        raise AncError(f"{path} cannot be read: {problem}") from None
