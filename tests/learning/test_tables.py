"""All engines with another table of instructions: in a process of its own, which has that table."""

import json
import os
import subprocess
import sys

import pytest

TABLE = """
from dataclasses import replace

from anc.isa import PAPER, Effect, Instruction, add


def again(meaning):
    return lambda a, b, M: meaning(a, b, M)


COPIES = tuple(
    replace(row, name=row.name + "_AGAIN", output=again(row.output))
    for row in PAPER
    if row.effect is Effect.NONE
)  # the same meaning, but no machine knows that: it is derived from the row
INSTRUCTIONS = (
    *PAPER[:4],
    Instruction("MUL", 2, lambda a, b, M: a * b % M),
    *PAPER[4:],
    Instruction("PLUS", 2, add),
    Instruction("TWICE", 1, lambda a, b, M: 2 * a % M),
    Instruction("ONE", 0, lambda a, b, M: 1),
    *COPIES,
)
"""
GRADIENTS = """
import json, tempfile
from dataclasses import replace
from pathlib import Path
import jax, numpy as np
from anc import isa
from anc.learning import fused, gpu, jax_engine
from anc.learning.interface import Objective
from anc.machine.cases import ALL_BITS, Cases
from anc.machine.weights import Weights, parameter_count
from host_card import HostCard

M, R, S, C = 5, 3, 3, 4
random = np.random.default_rng(3)
weights = Weights.of_flat(1.5 * random.normal(size=(S, parameter_count(M, R))), M, R)
tapes = random.integers(0, M, (2, C, M), np.uint16)
cases = Cases(*tapes, np.full((C, M), ALL_BITS), np.ones(C))
objective = Objective(9, 2.0, 1.0, 0.5, 0.1)

with jax.enable_x64(True):
    wanted, judge = jax_engine.gradient(weights, cases, objective, "float64")
report, slopes = fused.gradient(weights, cases, objective, dtype="float64")
with tempfile.TemporaryDirectory() as folder:
    card = HostCard(Path(folder), group=32, warp=16, groups=2)
    _, on_threads = gpu.gradient(weights, cases, objective, dtype="float64", card=card)

partners = {name: name.removesuffix("_AGAIN") if name.endswith("_AGAIN") else name + "_AGAIN"
            for name in isa.NAMES}
order = [isa.NAMES.index(partners[name] if partners[name] in isa.NAMES else name)
         for name in isa.NAMES]
exchanged = replace(weights, op=weights.op[..., order])
report_exchanged, found = fused.gradient(exchanged, cases, objective, dtype="float64")
restored = replace(found, op=found.op[..., order])


def distance(one, two):
    one, two = one.flat("float64"), two.flat("float64")
    return float(np.abs(one - two).max() / np.abs(two).max())


print(json.dumps({
    "rows exchanged": sum(at != i for i, at in enumerate(order)),
    "totals": [report.total.tolist(), wanted.total.tolist(), report_exchanged.total.tolist()],
    "engines differ by": max(distance(slopes, judge), distance(on_threads, judge)),
    "fast paths differ by": distance(restored, slopes),
    "columns": {name: float(np.abs(slopes.op[..., i]).max()) for i, name in enumerate(isa.NAMES)},
}))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> dict:
    table = tmp_path_factory.mktemp("table") / "table.py"
    table.write_text(TABLE)
    env = os.environ | {
        "ANC_INSTRUCTIONS": str(table),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    command = [sys.executable, "-c", GRADIENTS]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_engines_agree(found):
    fused, jax, _ = found["totals"]
    assert fused == pytest.approx(jax, rel=1e-10)
    assert found["engines differ by"] < 1e-9


def test_every_row_has_a_gradient(found):
    assert {"MUL", "PLUS", "TWICE", "ONE", "ADD_AGAIN"} <= set(found["columns"])
    assert min(found["columns"].values()) > 1e-9


def test_fast_paths_equal_what_is_derived_from_the_row(found):
    """An instruction and its copy without a fast path may exchange their weights."""
    assert found["rows exchanged"] == 14
    fused, _, exchanged = found["totals"]
    assert exchanged == pytest.approx(fused, rel=1e-12)
    assert found["fast paths differ by"] < 1e-11
