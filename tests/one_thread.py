"""The kernels of the engine `gpu` as plain C for one thread: compiled with cc, called by ctypes."""

import ctypes
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anc.learning.gpu.sizes import Sizes


class OneThread:
    """A card that is no card."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if shutil.which("cc") is None:
            pytest.skip("there is no C compiler")

    def kernels(self, sizes: Sizes) -> "Kernels":
        alone = replace(sizes, groups=1, group=1, inside=True)
        name = f"{abs(hash(alone))}"
        path, library = self.folder / f"{name}.c", self.folder / f"{name}.so"
        if not library.exists():
            path.write_text("#define ONE_THREAD\n" + alone.source)
            options = ["-O1", "-Wall", "-Wno-unused-function", "-Werror", "-shared", "-fPIC"]
            subprocess.run(["cc", *options, str(path), "-o", str(library), "-lm"], check=True)
        return Kernels(ctypes.CDLL(str(library)))

    def put(self, array):
        return array.copy()

    def empty(self, bytes):
        return np.zeros(max(1, bytes), np.uint8)

    def address(self, there):
        return there.ctypes.data

    def get(self, there, out):
        out[...] = there

    def free_bytes(self):
        return 2**30


class Kernels:
    def __init__(self, library) -> None:
        self.library = library
        bytes = np.zeros(5, np.int64)
        library.sizes(ctypes.c_void_p(bytes.ctypes.data))
        self.inside, self.large, self.slot, self.training, self.evaluation = map(int, bytes)

    def blocks(self, name):
        return 1

    def launch(self, name, record, blocks):
        expected = self.training if name == "train_members" else self.evaluation
        assert record.nbytes == expected
        getattr(self.library, name)(ctypes.c_void_p(record.ctypes.data))
