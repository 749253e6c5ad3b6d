"""The fused engine's soft machine, losses and gradients: against recorded numbers and a plain re-implementation."""

from __future__ import annotations

import authors
import numpy as np
import pytest

from anc.machine.encoded import ALL_BITS, Cases
from anc.machine.weights import Weights, parameter_count
from anc.training.fused import evaluate, gradient, scratch_bytes
from anc.training.interface import TrainingObjective

ORDER = ["STOP", "ZERO", "INC", "DEC", "ADD", "SUB", "MIN", "MAX", "READ", "WRITE", "JEZ"]


# ------------------------------------------------------------------ a plain re-implementation


def softmax(z: np.ndarray) -> np.ndarray:
    y = np.exp(z - z.max(axis=-1, keepdims=True))
    return y / y.sum(axis=-1, keepdims=True)


def instruction_outputs(A1: np.ndarray, A2: np.ndarray, m: np.ndarray) -> np.ndarray:
    """(N, M): the distribution that each instruction outputs, by summing over all pairs of values."""
    M = len(A1)
    x, y = np.indices((M, M))
    zero = 0 * x
    results = {"ZERO": zero, "STOP": zero, "WRITE": zero, "JEZ": zero, "INC": x + 1, "DEC": x - 1}
    results |= {"ADD": x + y, "SUB": x - y, "MIN": np.minimum(x, y), "MAX": np.maximum(x, y)}
    out = np.zeros((len(ORDER), M))
    for name, values in results.items():
        np.add.at(out[ORDER.index(name)], values % M, np.outer(A1, A2))
    out[ORDER.index("READ")] = A1 @ m
    return out


def plain_loss(parts, case, weights, max_steps, threshold=0.9, remaining=None):
    """(total, terms, steps, stop probabilities, remaining masses, final memory) of one member on one case.

    With ``remaining`` given, the factors (1 - p) of the stop probability are these constants: the cut gradient.
    """
    start, registers, op, first, second, out_choice = parts
    tape, target, mask = case
    M = len(tape)
    m, T = np.eye(M)[tape], np.eye(M)[target]
    r, ir, p = softmax(registers), softmax(start), 0.0
    stops, masses = [0.0], []
    confidence, efficiency = 0.0, 1.0
    for t in range(max_steps):
        e, a, b, o = (softmax(ir @ w) for w in (op, first, second, out_choice))
        A1, A2 = a @ r, b @ r
        out = e @ instruction_outputs(A1, A2, m)
        jump, write = e[ORDER.index("JEZ")] * A1[0], e[ORDER.index("WRITE")] * A1
        r = (1 - o[:, None]) * r + o[:, None] * out
        m = (1 - write[:, None]) * m + np.outer(write, A2)
        ir = (1 - jump) * np.roll(ir, 1) + jump * A2
        masses.append(1 - p)
        gain = e[ORDER.index("STOP")] * (1 - p if remaining is None else remaining[t])
        p = p + gain
        stops.append(p)
        confidence += gain * (mask[:, None] * (m - T) ** 2).sum()
        efficiency += 1 - p
        if p > threshold:
            break
    correctness = (mask[:, None] * (m - T) ** 2).sum()
    halting = 0.0 if p > threshold else 1 - p
    terms = np.array([correctness, halting, confidence, efficiency])
    return weights @ terms, terms, len(masses), np.array(stops), masses, m


# ------------------------------------------------------------------ material


def random_weights(S: int, M: int, R: int, seed: int, scale: float = 1.5) -> Weights:
    flat = np.random.default_rng(seed).normal(size=(S, parameter_count(M, R))) * scale
    return Weights.of_flat(flat, M, R)


def random_cases(C: int, M: int, seed: int) -> Cases:
    rng = np.random.default_rng(seed)
    masks = rng.integers(0, 2, (C, M), np.uint16)
    masks[:, 0] = 1
    return Cases(*rng.integers(0, M, (2, C, M), np.uint16), masks * ALL_BITS, np.ones(C))


def case(cases: Cases, c: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return cases.inputs[c], cases.outputs[c], cases.masks[c] != 0


def member(weights: Weights, k: int) -> list[np.ndarray]:
    return [np.array(x[k]) for x in weights]


# ------------------------------------------------------------------ the recorded numbers


# `increment` has a size of its own, which takes long to compile: its numbers are the other engine's to meet,
# and the engines are compared on all tasks.
@pytest.mark.parametrize("name", [name for name in authors.NAMES if name != "increment"])
def test_losses_and_gradients_are_the_recorded_ones(name):
    data = authors.stored(name)
    weights = authors.as_population(data["weights"])
    for sample in data["samples"]:
        cases = authors.as_cases(sample)
        report, gradients = gradient(weights, cases, authors.objective(data))
        response = data["alpha"] * report.correctness
        time = report.total - response
        assert response == pytest.approx(sample["loss_response"], rel=1e-5)
        assert time == pytest.approx(sample["loss_time"], rel=1e-5)
        assert report.steps == sample["n_outputs"] - 1
        for mine, recorded in zip(gradients, authors.as_population(sample["grads"]), strict=True):
            np.testing.assert_allclose(
                mine, recorded, rtol=1e-5, atol=5e-5 * np.abs(recorded).max()
            )
        for step, stop in list(enumerate(sample["stop"]))[1:]:
            seen = evaluate(weights, cases, step)
            assert seen.stop == pytest.approx(stop, rel=1e-5)
        assert seen.steps == sample["n_outputs"] - 1
        memory, target = np.array(sample["final_memory"]), cases.outputs[0]
        cells = np.flatnonzero(cases.masks[0])
        assert seen.certainty == pytest.approx(memory[cells, target[cells]].min(), rel=1e-4)
        assert seen.right == (memory[cells].argmax(axis=1) == target[cells]).all()


# ------------------------------------------------------------------ gradients

LOSSES = [(3.0, 2.0, 0.7, 0.3), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 2.0, 0.0), (0.0, 1.0, 0.0, 1.0)]


@pytest.mark.parametrize("M, R", [(10, 3), (9, 2)])  # several tiles, without and with a rest
@pytest.mark.parametrize("stop_gradient", ["cut", "full"])
def test_gradients_are_the_slopes_of_the_plain_loss(M, R, stop_gradient):
    S, max_steps, h = len(LOSSES), 5, 1e-5
    weights = random_weights(S, M, R, seed=M)
    weights.op[1:3, :, 0] += 3.0  # two members halt before the limit
    cases = random_cases(2, M, seed=R)
    factors = np.array(LOSSES)
    settings = TrainingObjective(max_steps, *factors.T, stop_gradient=stop_gradient)
    report, gradients = gradient(weights, cases, settings, dtype="float64")
    rng = np.random.default_rng(0)
    for k in range(S):
        parts = member(weights, k)
        bases = []
        for c in range(2):
            one = case(cases, c)
            bases.append((one, plain_loss(parts, one, factors[k], max_steps)))
        assert report.total[k] == pytest.approx(np.mean([b[1][0] for b in bases]), rel=1e-12)
        terms = np.mean([b[1][1] for b in bases], axis=0)
        mine = [report.correctness, report.halting, report.confidence, report.efficiency]
        np.testing.assert_allclose([x[k] for x in mine], terms, rtol=1e-10, atol=1e-12)
        assert report.steps[k] == np.mean([b[1][2] for b in bases])
        largest = max(np.abs(g[k]).max() for g in gradients)
        for part, found in zip(parts, gradients, strict=True):
            for _ in range(8):
                where = tuple(rng.integers(0, n) for n in part.shape)
                kept, slope = part[where], 0.0
                for one, base in bases:
                    masses = base[4] if stop_gradient == "cut" else None
                    values = []
                    for step in (h, -h):
                        part[where] = kept + step
                        loss = plain_loss(parts, one, factors[k], max_steps, remaining=masses)
                        values.append(loss[0])
                    slope += (values[0] - values[1]) / (2 * h)
                part[where] = kept
                assert found[k][where] == pytest.approx(slope, rel=1e-5, abs=1e-8 * largest)


def test_single_precision_follows_double_precision():
    weights, cases = random_weights(3, 10, 3, seed=1, scale=3.0), random_cases(4, 10, seed=2)
    settings = TrainingObjective(30, 2.0, 1.0, 0.5, 0.1)
    _, double = gradient(weights, cases, settings, dtype="float64")
    _, single = gradient(weights, cases, settings, dtype="float32")
    for k in range(3):
        size = max(np.abs(g[k]).max() for g in double)
        for a, b in zip(single, double, strict=True):
            np.testing.assert_allclose(a[k], b[k], rtol=0, atol=1e-4 * size)


# ------------------------------------------------------------------ evaluation


def test_evaluation_agrees_with_the_plain_machine():
    weights, cases = random_weights(3, 10, 3, seed=5, scale=3.0), random_cases(11, 10, seed=6)
    weights.op[:2, :, 0] += 3.0
    seen = evaluate(weights, cases, 9)
    for k in range(3):
        for c in range(11):
            _, _, steps, stops, _, m = plain_loss(
                member(weights, k), case(cases, c), np.zeros(4), 9
            )
            assert seen.steps[k, c] == steps
            assert seen.stop[k, c] == pytest.approx(stops[-1], rel=1e-5)
            assert seen.halted[k, c] == (stops[-1] > 0.9)
            cells = np.flatnonzero(cases.masks[c])
            wanted = cases.outputs[c][cells]
            assert seen.certainty[k, c] == pytest.approx(m[cells, wanted].min(), rel=1e-4, abs=1e-6)
            assert seen.right[k, c] == (m[cells].argmax(axis=1) == wanted).all()


# ------------------------------------------------------------------ refusals


def test_the_memory_needed_is_known_beforehand():
    steps, a_memory, the_rest = 600, 100 * 100, 23 * 100 + 100 + 80 + 3 * 100
    least = 4 * 8 * steps * (a_memory / 2 + the_rest)  # bytes, members, every other memory
    assert least < scratch_bytes(100, 23, steps) < 1.1 * least


def test_wrong_cases_are_refused():
    weights, cases = random_weights(1, 5, 3, seed=0), random_cases(2, 5, seed=0)
    with pytest.raises(ValueError, match=r"outputs: expected values 0\.\.4"):
        evaluate(weights, cases._replace(outputs=cases.outputs + np.uint16(5)), 3)
    with pytest.raises(ValueError, match="inputs: expected"):
        evaluate(weights, cases._replace(inputs=cases.inputs[:, :4]), 3)
    with pytest.raises(ValueError, match="numbers of cases"):
        gradient(weights, cases, TrainingObjective(3), np.array([[2]]))
    with pytest.raises(ValueError, match="step limit"):
        evaluate(weights, cases, 0)
