"""Plans on disk, so that another process need not grow their diagrams again.

A plan is kept in the folder of the machine code, in a file named by a hash of everything that it depends on: the
program, its cells and sizes, and the sources that make plans. It is written under another name and then
renamed, so that several processes may write at once. A file that is damaged, or about something else, is
ignored and written again.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from anc.layers.plan import Block, Growing, LayerPlan, Step
from anc.machine.compiled import code_folder

WORTH = 0.1  # seconds of growth from which a plan is kept
LARGEST = 1 << 28  # bytes of a plan that is kept


def stored(about: list[Any], make: Callable[[], LayerPlan]) -> LayerPlan:
    """The plan that was kept for this key, or else a new one."""
    folder = code_folder()
    if folder is None:
        return make()
    key = json.dumps([_sources(), *about])
    path = folder / "plans" / f"{hashlib.sha256(key.encode()).hexdigest()}.npz"
    found = _read(path, key)
    if found is None:
        began = time.perf_counter()
        found = make()
        if time.perf_counter() - began > WORTH:
            _write(path, key, found)
    return found


@cache
def _sources() -> str:
    """A hash of the sources that decide what a plan is."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for path in [*sorted(here.glob("*.py")), here.parent / "isa.py"]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _write(path: Path, key: str, plan: LayerPlan) -> None:
    arrays: list[np.ndarray] = []
    header = json.dumps({"key": key, "plan": _packed(plan, arrays)})
    if sum(array.nbytes for array in arrays) > LARGEST:
        return
    with suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, suffix=".new")
        try:
            with os.fdopen(descriptor, "wb") as file:
                np.savez(file, np.frombuffer(header.encode(), np.uint8), *arrays)
            os.replace(name, path)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(name)


def _read(path: Path, key: str) -> LayerPlan | None:
    try:
        with np.load(path, allow_pickle=False) as file:
            header = json.loads(file["arr_0"].tobytes())
            if header["key"] != key:
                return None
            return _unpacked(header["plan"], lambda number: file[f"arr_{number + 1}"])
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
        return None


def _packed(plan: LayerPlan, arrays: list[np.ndarray]) -> dict[str, Any]:
    """A plan as plain data, with numbers in place of arrays."""

    def put(array: np.ndarray | None) -> int | None:
        if array is None:
            return None
        arrays.append(array)
        return len(arrays) - 1

    def block(each: Block | Growing) -> dict[str, Any]:
        if isinstance(each, Growing):
            return {
                "shift": put(each.shift),
                "states": each.states,
                "inputs": put(each.inputs),
            }
        return {
            "levels": [
                {
                    "sizes": [level.values, level.reading, level.states, level.size],
                    "targets": put(level.targets),
                    "emitted": [put(values) for values in level.emitted],
                    "steps": put(level.steps),
                }
                for level in each.levels
            ],
            "inputs": [put(inputs) for inputs in each.inputs],
            "outputs": [[put(outputs) for outputs in level] for level in each.outputs],
        }

    return {
        "blocks": [block(each) for each in plan.blocks],
        "numbers": [plan.slots, plan.size, plan.only, plan.steps, plan.branches],
        "begun": plan.begun,
        "states": plan.states,
        "written": sorted(plan.written),
        "rows": put(plan.rows),
        "has_values": plan.has_values,
    }


def _unpacked(given: dict[str, Any], take: Callable[[int], np.ndarray]) -> LayerPlan:
    def array(number: int | None) -> np.ndarray | None:
        return None if number is None else take(number)

    def block(each: dict[str, Any]) -> Block | Growing:
        if "shift" in each:
            return Growing(take(each["shift"]), each["states"], take(each["inputs"]))
        levels = []
        for level in each["levels"]:
            values, reading, states, size = level["sizes"]
            targets, emitted = take(level["targets"]), tuple(map(take, level["emitted"]))
            steps = array(level["steps"])
            levels.append(Step(values, reading, states, size, targets, emitted, steps))
        outputs = (tuple(map(take, level)) for level in each["outputs"])
        return Block(tuple(levels), tuple(map(take, each["inputs"])), tuple(outputs))

    slots, size, only, steps, branches = given["numbers"]
    return LayerPlan(
        tuple(block(each) for each in given["blocks"]),
        slots,
        size,
        only,
        steps,
        tuple((output, value) for output, value in given["begun"]),
        tuple(given["states"]),
        branches,
        frozenset(given["written"]),
        array(given["rows"]),
        given["has_values"],
    )
