"""The kernels of the engine `gpu` without a GPU: compiled with cc, their threads taking turns."""

import ctypes
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

import numpy as np
import pytest

from anc.training.gpu import device as devices
from anc.training.gpu import engine
from anc.training.gpu.sizes import Sizes

ROOM = 232_448  # bytes that stand for what lies nearest to a block
WORDS = Path(__file__).with_suffix(".h")
ONE = Lock()  # launch at a time


@dataclass
class HostDevice:
    """A GPU that is none: teams of `groups` of threads, in warps of `warp`; `order` is the seed of who is next."""

    folder: Path
    group: int = 16
    warp: int = 16
    groups: int = 1
    count: int = 1  # teams
    inside: bool = True
    columns: bool = True  # in the registers of threads
    order: int = 1
    room: int = ROOM
    processors: int = 132
    free: int = 2**30
    name: str = "no GPU, but threads that take turns"

    def __post_init__(self) -> None:
        if shutil.which("cc") is None:
            pytest.skip("there is no C compiler")

    def in_place(self, monkeypatch: pytest.MonkeyPatch) -> "HostDevice":
        """Instead of the GPU of this machine."""
        for module in (devices, engine):
            monkeypatch.setattr(module, "the_device", lambda: self)
        return self

    def kernels(self, sizes: Sizes) -> "Kernels":
        other = replace(sizes, group=self.group, inside=self.inside)
        words = (sizes.M, sizes.R, sizes.dtype, self.group, self.warp, self.inside)
        name = "-".join(map(str, (*words, self.columns, self.order)))
        path, library = self.folder / f"{name}.c", self.folder / f"{name}.so"
        with ONE:
            self.compile(other, path, library)
        return Kernels(self, ctypes.CDLL(str(library)))

    def compile(self, sizes: Sizes, path: Path, library: Path) -> None:
        if not library.exists():
            own = {"WARP": self.warp, "ROOM_BYTES": ROOM, "ORDER": self.order}
            head = "".join(f"#define {name} {value}\n" for name, value in own.items())
            text = sizes.source_with(WORDS.read_text())
            if not self.columns:
                text = text.replace("#define COLUMNS_INSIDE 1\n", "#define COLUMNS_INSIDE 0\n")
            path.write_text(head + text)
            options = ["-O1", "-Wall", "-Wno-unused-function", "-Werror", "-shared", "-fPIC"]
            command = ["cc", *options, str(path), "-o", str(library), "-lm"]
            subprocess.run(command, check=True)

    prepare = kernels

    def put(self, array):
        return array.copy()

    def empty(self, bytes):
        return np.zeros(max(1, bytes), np.uint8)

    def address(self, there):
        return there.ctypes.data

    def get(self, there, out):
        out[...] = there.view(out.dtype).reshape(out.shape)

    def free_bytes(self):
        return self.free


class Kernels:
    def __init__(self, device: HostDevice, library) -> None:
        self.device, self.code = device, library
        bytes = np.zeros(6, np.int64)
        library.sizes(ctypes.c_void_p(bytes.ctypes.data))
        self.team, self.each, self.large, self.slot, self.training, self.evaluation = map(
            int, bytes
        )

    def teams(self, name, groups):
        return self.device.count

    def launch(self, name, record, teams, groups):
        expected = self.training if name == "train_members" else self.evaluation
        assert record.nbytes == expected
        groups = min(groups, self.device.groups)
        assert self.team + groups * self.each <= ROOM
        kernel = ctypes.cast(getattr(self.code, name), ctypes.c_void_p)
        place = ctypes.c_void_p(record.ctypes.data)
        with ONE:
            self.code.launch(kernel, place, groups * self.device.group, teams)
