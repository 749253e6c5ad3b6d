"""Files that anc reads back: settings, grids, weights."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from pathlib import Path
from random import Random

import numpy as np

from anc.machine.weights import Weights, harden, soften
from anc.support.diagnostics import AncError
from anc.training.settings import NAMES, TrainingSettings, changed, read_toml
from fuzzing.data import written
from fuzzing.entry import Entry, Parts, must, same
from fuzzing.machines_made import random_program
from fuzzing.mutate import VALUES, mutated_bytes, mutated_json, mutated_text

WORDS = (
    *NAMES,
    "=",
    '"',
    "[",
    "]",
    "{",
    "}",
    "low",
    "high",
    "scale",
    '"log"',
    "true",
    "nan",
    "inf",
    "rates",
)


# -- settings and grids -----------------------------------------------------------------------


def make_settings(random: Random) -> Parts:
    rows = TrainingSettings().to_toml().splitlines()
    text = "\n".join(random.sample(rows, random.randint(0, len(rows)))) + "\n"
    return {"toml": mutated_text(random, text, WORDS) if random.random() < 0.9 else text}


def check_settings(parts: Parts) -> bool:
    """Settings that are accepted are written and read again as they are, and each is a possible one."""
    settings = changed(TrainingSettings(), read_toml(written("settings.toml", parts["toml"])))
    possible(settings)
    with must("the written settings"):
        again = changed(TrainingSettings(), read_toml(written("again.toml", settings.to_toml())))
    same("settings", again, settings)
    return True


def possible(settings: TrainingSettings) -> None:
    for field in fields(settings):
        value = getattr(settings, field.name)
        same(f"the type of {field.name}", type(value).__name__, str(field.type))
        if isinstance(value, float):
            same(f"{field.name} is finite", math.isfinite(value), True)


def make_grid(random: Random) -> Parts:
    rows = [
        "rate = [0.03, 0.1, 0.3]",
        'efficiency = { low = 0.01, high = 1.0, scale = "log" }',
        "batch = 4",
        "sharpness = [3, 5.5]",
        "max_steps = { low = 5, high = 9 }",
        "confidence = { low = 0, high = 0.5 }",
    ]
    text = "\n".join(random.sample(rows, random.randint(0, len(rows))))
    return {"toml": mutated_text(random, text, WORDS) if random.random() < 0.9 else text}


def check_grid(parts: Parts) -> bool:
    from anc.training.distributed.sweep import grid_settings

    table = read_toml(written("grid.toml", parts["toml"]))
    plans = grid_settings(TrainingSettings(), table, 3, 0, "grid.toml")
    for plan in plans:
        possible(plan)
    return True


# -- weights ----------------------------------------------------------------------------------


def make_weights(random: Random) -> Parts:
    """The bytes of a file of weights: damaged as bytes, or made of the wrong arrays."""
    from safetensors.numpy import save

    M = random.choice((3, 5))
    weights = soften(random_program(random, M, 3), M)
    arrays = {name: np.ascontiguousarray(array) for name, array in weights.arrays().items()}
    about = {
        "version": 1,
        "M": M,
        "R": weights.R,
        "lines": weights.lines,
        "names": list(weights.names),
        "instructions": _instructions(),
    }
    metadata = {"format": "anc-weights"}
    kind = random.random()
    if kind < 0.35:
        about = mutated_json(random, about, 2)
    elif kind < 0.7:
        name = random.choice(list(arrays))
        arrays = _other_arrays(random, arrays, name)
    elif kind < 0.75:
        metadata = {"format": str(random.choice(VALUES)).encode("ascii", "replace").decode()}
    data = save(arrays, metadata | {"about": json.dumps(about)}).decode("latin-1")
    if random.random() < 0.4:
        data = mutated_bytes(random, data)
    return {"bytes": data}


def _instructions() -> list[str]:
    from anc import isa

    return list(isa.PAPER.names)


def _other_arrays(
    random: Random, arrays: dict[str, np.ndarray], name: str
) -> dict[str, np.ndarray]:
    array = arrays[name]
    if random.random() < 0.1:
        return {other: value for other, value in arrays.items() if other != name}
    with np.errstate(all="ignore"):
        others = [
            array[:-1],
            array[None],
            array.reshape(-1),
            np.zeros((0, *array.shape[1:]), np.float32),
            array.astype(random.choice((np.float64, np.int32, np.float16, np.bool_))),
            array * np.float32(random.choice((np.nan, np.inf, 1e38, -1e38, 0.0))),
            array.T,
        ]
    return arrays | {name: np.ascontiguousarray(random.choice(others))}


def check_weights(parts: Parts) -> bool:
    """Weights that are accepted are saved and loaded as they are, harden, and print."""
    from anc.machine.files import load_weights, save_weights
    from anc.machine.text import figure

    path = Path("found.safetensors")
    path.write_bytes(parts["bytes"].encode("latin-1", "replace"))
    weights = load_weights(path)
    save_weights(weights, "again.safetensors")
    with must("the saved weights"):
        again = load_weights("again.safetensors")
    same("weights", _listed(again), _listed(weights))
    text = figure(weights)
    same("figure", "nan" in text, False)
    try:
        program = harden(weights)
    except AncError as problem:
        same("why it does not harden", "most likely first line" in problem.message, True)
    else:
        same("lines", program.L, weights.lines)
    return True


def _listed(weights: Weights) -> list[object]:
    return [weights.lines, weights.names, *(array.tolist() for array in weights)]


ENTRIES = (
    Entry("settings-toml", make_settings, check_settings, share=200),
    Entry("sweep-grid", make_grid, check_grid, share=120),
    Entry("weights-file", make_weights, check_weights, share=160),
)
