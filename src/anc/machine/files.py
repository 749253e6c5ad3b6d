"""Weights on disk: safetensors with JSON metadata, never pickle."""

from __future__ import annotations

import json
import os
from collections.abc import Container
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from anc import isa
from anc.isa import PAPER, InstructionSet
from anc.machine.weights import ARRAYS, Weights
from anc.support.diagnostics import AncError
from anc.support.files import write_atomically

FORMAT = "anc-weights"
VERSION = 1


def save_weights(weights: Weights, path: Path | str) -> None:
    """Write weights atomically."""
    about = {
        "version": VERSION,
        "M": weights.M,
        "R": weights.R,
        "lines": weights.lines,
        "names": list(weights.names),
        "instructions": list(weights.instructions.names),
    }
    if weights.instructions != PAPER:
        about["digest"] = weights.instructions.digest
    arrays = {name: np.ascontiguousarray(array) for name, array in weights.arrays().items()}
    data = tensors_as_bytes(arrays, {"format": FORMAT, "about": json.dumps(about)})
    write_atomically(Path(path), data)


def tensors_as_bytes(arrays: dict[str, np.ndarray], metadata: dict[str, str]) -> bytes:
    """A safetensors file; the same arrays and metadata always give the same bytes.

    The library's own writer shuffles the metadata. We therefore write the header here: its length in 8
    bytes, then the metadata and the arrays' offsets as JSON, padded to 8.
    """
    plain = save(arrays)
    end = 8 + int.from_bytes(plain[:8], "little")
    header = json.dumps({"__metadata__": metadata} | json.loads(plain[8:end])).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + plain[end:]


def read_tensors(
    path: Path, names: Container[str] | None = None
) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The arrays of a safetensors file, all or those with these names, and its metadata."""
    try:
        with safe_open(path, framework="numpy") as stored:
            found = [name for name in stored.keys() if names is None or name in names]  # noqa: SIM118
            return {name: stored.get_tensor(name) for name in found}, stored.metadata() or {}
    except (SafetensorError, OSError) as problem:
        raise AncError(f"{path} is not a complete safetensors file: {problem}") from None


def load_weights(path: Path | str, instructions: InstructionSet | None = None) -> Weights:
    """Read weights; refuses incomplete and foreign files, with the reason."""
    path = Path(path)
    if os.path.isdir(path):
        raise AncError(f"{path} is a directory, not a weights file")
    if not os.path.exists(path):
        raise AncError(f"cannot read {path}: no such file")
    arrays, metadata = read_tensors(path, ARRAYS)
    if metadata.get("format") != FORMAT:
        raise AncError(
            f"{path} was not written by anc: its format is {metadata.get('format')!r},"
            f" expected {FORMAT!r}"
        )
    about = _about(metadata, path)
    known = isa.written_for(about.get("digest"), instructions)
    if known is None or list(known.names) != about.get("instructions"):
        raise AncError(
            f"{path} was written for another set of instructions",
            help="name the file that defines it: anc --instructions FILE ...",
        )
    missing = [name for name in ARRAYS if name not in arrays]
    if missing:
        raise AncError(f"{path} lacks the weights {', '.join(missing)}")
    for name, array in arrays.items():
        if array.dtype not in (np.float32, np.float64):
            raise AncError(f"{path}: the weights '{name}' are {array.dtype}, expected float32")
        if array.ndim != (1 if name == "start" else 2):
            raise AncError(f"{path}: the weights '{name}' have the shape {array.shape}")
    sizes = (arrays["start"].shape[0], arrays["registers"].shape[0])
    if sizes != (about["M"], about["R"]):
        raise AncError(
            f"{path} says M = {about['M']} and R = {about['R']},"
            f" but its weights are for M = {sizes[0]} and R = {sizes[1]}"
        )
    try:
        names = tuple(about["names"])
        return Weights(**arrays, lines=about["lines"], names=names, instructions=known)
    except AncError as problem:
        raise AncError(f"{path}: {problem}") from None


def _about(metadata: dict[str, str], path: Path) -> dict:
    try:
        about = json.loads(metadata["about"])
        version = about["version"]
    except (KeyError, ValueError, TypeError):
        raise AncError(f"{path}: the description of its weights is missing or malformed") from None
    if version != VERSION:
        raise AncError(f"{path} has version {version!r}; this anc reads version {VERSION}")
    kinds = {"M": int, "R": int, "lines": int, "names": list}
    wrong = [name for name, kind in kinds.items() if not isinstance(about.get(name), kind)]
    if wrong:
        raise AncError(f"{path}: {', '.join(wrong)} missing or malformed in its description")
    return about
