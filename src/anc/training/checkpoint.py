"""A checkpoint: the arrays from which a training resumes, in memory and as a safetensors file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anc.machine.files import read_tensors, tensors_as_bytes
from anc.support.diagnostics import AncError
from anc.training.training import Training

_ADDED = ("best_promise",)  # missing in runs of older versions; run folders do not use it


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The arrays of a training after an iteration, and the keys of its members where no folder names them."""

    iteration: int
    members: tuple[str, ...]  # see `Chunk.member_keys`; empty in a run folder
    arrays: dict[str, np.ndarray]  # each (S, ...)

    @staticmethod
    def of(training: Training, members: tuple[str, ...] = ()) -> Checkpoint:
        """A copy of a training's current state."""
        copies = {name: array.copy() for name, array in training.arrays.items()}
        return Checkpoint(training.state.iteration, members, copies)

    def restore(self, training: Training, where: object = "the checkpoint") -> None:
        """Resume a training of the same members from here; refuse a checkpoint of others."""
        if not 0 <= self.iteration <= training.members.shared.iterations:
            raise AncError(f"{where} belongs to another run: it is at iteration {self.iteration}")
        for name, place in training.arrays.items():
            if name in _ADDED and name not in self.arrays:
                continue
            if name not in self.arrays or self.arrays[name].shape != place.shape:
                raise AncError(f"{where} belongs to another run: '{name}' does not fit")
            place[...] = self.arrays[name]
        training.state.iteration = self.iteration

    def part(self, these: slice) -> Checkpoint:
        """The same of some of its members."""
        some = {name: array[these] for name, array in self.arrays.items()}
        return Checkpoint(self.iteration, self.members[these], some)

    @staticmethod
    def joined(checkpoints: Sequence[Checkpoint]) -> Checkpoint:
        """The members of several trainings at the same iteration, side by side."""
        first = checkpoints[0]
        if any(checkpoint.iteration != first.iteration for checkpoint in checkpoints):
            raise ValueError("these trainings are not equally far")
        arrays = {
            name: np.concatenate([checkpoint.arrays[name] for checkpoint in checkpoints])
            for name in first.arrays
        }
        members = tuple(name for checkpoint in checkpoints for name in checkpoint.members)
        return Checkpoint(first.iteration, members, arrays)

    def to_bytes(self) -> bytes:
        """The safetensors file that `read` reads."""
        about = {"iteration": str(self.iteration)}
        if self.members:
            about |= {"members": json.dumps(self.members), "sum": self._sum()}
        return tensors_as_bytes(self.arrays, about)

    @staticmethod
    def read(path: Path, members: tuple[str, ...] = ()) -> Checkpoint:
        """The checkpoint of these members in a file; refuse one that is damaged or of other members."""
        arrays, about = read_tensors(path)
        try:
            names = tuple(json.loads(about["members"])) if members else ()
            found = Checkpoint(int(about["iteration"]), names, arrays)
        except (KeyError, ValueError, TypeError):
            what = "which training it is of" if members else "how far the run is"
            raise AncError(f"{path} does not say {what}") from None
        if members and about.get("sum") != found._sum():
            raise AncError(f"{path} is damaged")
        if found.members != members:
            raise AncError(f"{path} is of other trainings than its name says")
        return found

    def _sum(self) -> str:
        """A checksum of everything in it."""
        digest = hashlib.sha256(json.dumps([self.iteration, self.members]).encode())
        for name in sorted(self.arrays):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(self.arrays[name]).tobytes())
        return digest.hexdigest()
