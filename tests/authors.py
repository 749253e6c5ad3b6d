"""The numbers of the authors' own implementation, in this project's shapes and order."""

import json
from pathlib import Path

import numpy as np

from anc import isa
from anc.machine.encoded import ALL_BITS, Cases
from anc.machine.weights import Weights
from anc.training.interface import TrainingObjective

FOLDER = Path(__file__).parent / "training" / "fixtures"
NAMES = ("access", "increment", "listk")
ORDER = ["STOP", "ZERO", "INC", "ADD", "SUB", "DEC", "MIN", "MAX", "READ", "WRITE", "JEZ"]
_ROWS = [ORDER.index(op) for op in isa.PAPER.names]


def stored(name: str) -> dict:
    return json.loads((FOLDER / f"{name}.json").read_text())


def as_population(arrays: dict) -> Weights:
    """Weights (or gradients) as a population of one member."""
    a = {key: np.array(value, np.float32) for key, value in arrays.items()}
    parts = (a["init"][0], a["init"][1:], a["instr"].T[:, _ROWS], a["arg1"].T, a["arg2"].T)
    return Weights(*(part[None] for part in (*parts, a["out"].T)), lines=a["init"].shape[1])


def as_cases(sample: dict) -> Cases:
    tapes = [np.argmax(sample[key], -1)[None].astype(np.uint16) for key in ("input", "target")]
    mask = np.array(sample["mask"]).max(-1)[None] != 0
    return Cases(*tapes, mask * ALL_BITS, np.ones(1))


def objective(data: dict) -> TrainingObjective:
    return TrainingObjective(
        max_steps=data["max_rec"],
        correctness=data["alpha"],
        confidence=data["beta"],
        efficiency=data["gamma"],
        halting=data["delta"],
    )
