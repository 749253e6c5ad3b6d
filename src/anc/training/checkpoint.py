"""A checkpoint: the arrays that a training goes on from, member by member, in memory and as a file."""

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

_ADDED = (
    "best_promise",
)  # runs that an older anc began lack it; nothing in a run folder is made of it


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The arrays of a training after an iteration; where nothing else says so, the names of its members, too."""

    iteration: int
    members: tuple[str, ...]  # see `Chunk.member_keys`; none in the folder of a run
    arrays: dict[str, np.ndarray]  # each (S, ...)

    @staticmethod
    def of(training: Training, members: tuple[str, ...] = ()) -> Checkpoint:
        """Where a training stands now."""
        copies = {name: array.copy() for name, array in training.arrays.items()}
        return Checkpoint(training.state.iteration, members, copies)

    def restore(self, training: Training, where: object = "the checkpoint") -> None:
        """Let a training of the same members go on from here; what is of others is refused."""
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
    def joined(moments: Sequence[Checkpoint]) -> Checkpoint:
        """Members of several trainings that are equally far, side by side."""
        first = moments[0]
        if any(moment.iteration != first.iteration for moment in moments):
            raise ValueError("these trainings are not equally far")
        arrays = {
            name: np.concatenate([moment.arrays[name] for moment in moments])
            for name in first.arrays
        }
        members = tuple(name for moment in moments for name in moment.members)
        return Checkpoint(first.iteration, members, arrays)

    def to_bytes(self) -> bytes:
        """What `read` reads back, as a safetensors file."""
        about = {"iteration": str(self.iteration)}
        if self.members:
            about |= {"members": json.dumps(self.members), "sum": self._sum()}
        return tensors_as_bytes(self.arrays, about)

    @staticmethod
    def read(path: Path, members: tuple[str, ...] = ()) -> Checkpoint:
        """Where these members stand, as a file says; one that is damaged or of others is refused."""
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
        """What tells whether anything was changed since it was written."""
        digest = hashlib.sha256(json.dumps([self.iteration, self.members]).encode())
        for name in sorted(self.arrays):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(self.arrays[name]).tobytes())
        return digest.hexdigest()
