"""Where a training stands: all that it goes on from, member by member."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anc.diagnostics import AncError
from anc.learning.training import Training
from anc.machine.files import read_tensors, tensors_as_bytes


@dataclass(frozen=True, eq=False)
class Moment:
    """The arrays of a training after an iteration, and the names of the members that they are of."""

    iteration: int
    members: tuple[str, ...]  # see `Chunk.member_keys`
    arrays: dict[str, np.ndarray]  # each (S, ...)

    @staticmethod
    def of(training: Training, members: tuple[str, ...]) -> Moment:
        """Where a training stands now."""
        copies = {name: array.copy() for name, array in training.arrays.items()}
        return Moment(training.state.iteration, members, copies)

    def restore(self, training: Training) -> None:
        """Let a training of the same members go on from here."""
        for name, place in training.arrays.items():
            place[...] = self.arrays[name]
        training.state.iteration = self.iteration

    def part(self, these: slice) -> Moment:
        """The same of some of its members."""
        some = {name: array[these] for name, array in self.arrays.items()}
        return Moment(self.iteration, self.members[these], some)

    @staticmethod
    def joined(moments: Sequence[Moment]) -> Moment:
        """Members of several trainings that are equally far, side by side."""
        first = moments[0]
        if any(moment.iteration != first.iteration for moment in moments):
            raise ValueError("these trainings are not equally far")
        arrays = {
            name: np.concatenate([moment.arrays[name] for moment in moments])
            for name in first.arrays
        }
        members = tuple(name for moment in moments for name in moment.members)
        return Moment(first.iteration, members, arrays)

    def to_bytes(self) -> bytes:
        """What `read` reads back, as a safetensors file."""
        about = {
            "iteration": str(self.iteration),
            "members": json.dumps(self.members),
            "sum": self._sum(),
        }
        return tensors_as_bytes(self.arrays, about)

    @staticmethod
    def read(path: Path, members: tuple[str, ...]) -> Moment:
        """Where these members stand, as a file says; one that is damaged or of others is refused."""
        arrays, about = read_tensors(path)
        try:
            names = tuple(json.loads(about["members"]))
            found = Moment(int(about["iteration"]), names, arrays)
        except (KeyError, ValueError, TypeError):
            raise AncError(f"{path} does not say which training it is of") from None
        if about.get("sum") != found._sum():
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
