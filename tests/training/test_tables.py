"""All engines with another set of instructions, beside the paper's in the same process."""

from dataclasses import replace

import jax
import numpy as np
import pytest
from host_device import HostDevice

from anc.isa import PAPER, Effect, Instruction, InstructionSet, add
from anc.machine.encoded import ALL_BITS, Cases
from anc.machine.weights import Weights, parameter_count
from anc.training import fused, gpu, jax_engine
from anc.training.interface import TrainingObjective


def again(meaning):
    return lambda a, b, M: meaning(a, b, M)


COPIES = tuple(
    replace(row, name=row.name + "_AGAIN", output=again(row.output))
    for row in PAPER
    if row.effect is Effect.NONE
)  # the same meaning, but no machine knows that: it is derived from the row
SET = InstructionSet(
    (
        *PAPER[:4],
        Instruction("MUL", 2, lambda a, b, M: a * b % M),
        *PAPER[4:],
        Instruction("PLUS", 2, add),
        Instruction("TWICE", 1, lambda a, b, M: 2 * a % M),
        Instruction("ONE", 0, lambda a, b, M: 1),
        *COPIES,
    )
)
M, R, S, C = 5, 3, 3, 4


def distance(one: Weights, two: Weights) -> float:
    first, second = one.flat("float64"), two.flat("float64")
    return float(np.abs(first - second).max() / np.abs(second).max())


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> dict:
    random = np.random.default_rng(3)
    flat = 1.5 * random.normal(size=(S, parameter_count(M, R, SET.N)))
    weights = Weights.of_flat(flat, M, R, instructions=SET)
    tapes = random.integers(0, M, (2, C, M), np.uint16)
    cases = Cases(*tapes, np.full((C, M), ALL_BITS), np.ones(C))
    objective = TrainingObjective(9, 2.0, 1.0, 0.5, 0.1)

    with jax.enable_x64(True):
        wanted, judge = jax_engine.gradient(weights, cases, objective, "float64")
    report, slopes = fused.gradient(weights, cases, objective, dtype="float64")
    device = HostDevice(tmp_path_factory.mktemp("gpu"), group=32, warp=16, groups=2)
    _, on_threads = gpu.gradient(weights, cases, objective, dtype="float64", device=device)

    def partner(name: str) -> str:
        other = name.removesuffix("_AGAIN") if name.endswith("_AGAIN") else name + "_AGAIN"
        return other if other in SET else name

    order = [SET.code[partner(name)] for name in SET.names]
    exchanged = replace(weights, op=weights.op[..., order])
    report_exchanged, slopes_exchanged = fused.gradient(
        exchanged, cases, objective, dtype="float64"
    )
    restored = replace(slopes_exchanged, op=slopes_exchanged.op[..., order])
    return {
        "rows exchanged": sum(at != i for i, at in enumerate(order)),
        "totals": [report.total, wanted.total, report_exchanged.total],
        "engines differ by": max(distance(slopes, judge), distance(on_threads, judge)),
        "fast paths differ by": distance(restored, slopes),
        "columns": {
            name: float(np.abs(slopes.op[..., i]).max()) for i, name in enumerate(SET.names)
        },
    }


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
