"""Soft layers in PyTorch: their weights are parameters, trained as in JAX, kept and copied as all others."""

import copy
import io
import os
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from layers.subjects import ADD, count_three, rows_of

import anc

if os.environ.get("ANC_NEEDS_TORCH"):
    import torch
else:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test TORCH=torch")

M = 8
WRONG = "var x = READ(0); var y = READ(1); x = MAX(x, y); WRITE(2, x); STOP()"  # to become a sum
LEARNT = np.array([3, 5, 2, 6])


@pytest.fixture(scope="module")
def layer():
    return anc.layer(WRONG, [0, 1], 2, "soft", memory=M, sharpness=4, max_steps=6)


@pytest.fixture(scope="module")
def rows():
    return rows_of(2, 2, 4, 5)


def losses_in_torch(module, optimiser, rows, steps):
    found = []
    for _ in range(steps):
        output = module(*map(torch.tensor, rows))
        loss = -output.gather(-1, torch.tensor(LEARNT)[:, None]).log().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        found.append(loss.item())
    return found


def test_weights_are_trained_as_in_jax_step_by_step(layer, rows):
    rate, momentum, steps = 0.3, 0.9, 12
    module = layer.module()
    assert [name for name, _ in module.named_parameters()] == list(layer.softened.weights.arrays())
    optimiser = torch.optim.SGD(module.parameters(), rate, momentum=momentum)
    found = losses_in_torch(module, optimiser, rows, steps)

    @jax.jit
    @jax.value_and_grad
    def loss(weights):
        output = layer(*rows, weights=weights)
        return -jnp.log(output[jnp.arange(len(LEARNT)), LEARNT]).mean()

    weights = layer.softened.weights.nameless().map(jnp.asarray)
    speed = jax.tree.map(jnp.zeros_like, weights)
    wanted = []
    for _ in range(steps):
        value, slope = loss(weights)
        speed = jax.tree.map(lambda v, s: momentum * v + s, speed, slope)
        weights = jax.tree.map(lambda w, v: w - rate * v, weights, speed)
        wanted.append(float(value))
    np.testing.assert_allclose(found, wanted, rtol=1e-3)
    assert found[-1] < 0.8 * found[0]
    for one, other in zip(module.weights, weights, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-2)
    assert anc.harden(module.weights).R == layer.spec.program.R


def test_weights_go_wherever_other_parameters_go(layer, rows, tmp_path):
    module, tensors = layer.module(), [torch.tensor(row) for row in rows]
    losses_in_torch(module, torch.optim.Adam(module.parameters(), 0.1), rows, 2)
    wanted = module(*tensors).detach()
    fresh = layer.module()
    assert not torch.allclose(fresh(*tensors), wanted)
    kept = io.BytesIO()
    torch.save(module.state_dict(), kept)
    kept.seek(0)
    fresh.load_state_dict(torch.load(kept))
    torch.save(torch.nn.Sequential(module), tmp_path / "model.pt")
    copies = [
        fresh,
        torch.load(tmp_path / "model.pt", weights_only=False)[0],
        pickle.loads(pickle.dumps(module)),
        copy.deepcopy(module),
    ]
    for other in copies:
        torch.testing.assert_close(other(*tensors).detach(), wanted)
        losses_in_torch(other, torch.optim.SGD(other.parameters(), 1.0), rows, 1)
        assert not torch.equal(other.op, module.op)


def test_other_number_types(layer, rows):
    module = layer.module()
    wanted = module(*map(torch.tensor, rows))
    double = copy.deepcopy(module).to(torch.float64)
    output = double(*(torch.tensor(row, dtype=torch.float64) for row in rows))
    output[:, 3].sum().backward()
    assert output.dtype == double.op.grad.dtype == torch.float64
    torch.testing.assert_close(output.float(), wanted, atol=1e-5, rtol=1e-5)
    half = copy.deepcopy(module).bfloat16()
    softened = half(*(torch.tensor(row).float() for row in rows))
    torch.testing.assert_close(softened, wanted, atol=0.05, rtol=0.05)


def test_weights_that_are_left_alone_and_weights_as_an_argument(layer, rows):
    module, tensors = layer.module(), [torch.tensor(row, requires_grad=True) for row in rows]
    module.requires_grad_(False)
    module(*tensors)[:, 3].sum().backward()
    assert module.op.grad is None and tensors[0].grad.abs().max() > 1e-3
    right = anc.soften(anc.compile(ADD, memory=M), sharpness=20)
    given = module(torch.tensor(3), torch.tensor(4), weights=right)
    assert given[7] > 0.99 and module(torch.tensor(3), torch.tensor(4))[7] < 0.1
    with pytest.raises(anc.AncError, match="takes no weights"):
        anc.layer(ADD, [0, 1], 2, memory=M).module()(*tensors, weights=right)
    with pytest.raises(anc.AncError, match="an exact layer has no weights"):
        _ = anc.layer(ADD, [0, 1], 2, memory=M).module().weights


@pytest.mark.parametrize("settings", [{}, {"prune": 50}], ids=["exact", "pruned"])
def test_exact_modules_are_kept_and_copied_after_use(settings):
    module, rows = anc.layer(count_three, **settings).module(), torch.tensor(rows_of(0, 3, 10))
    wanted = module(rows)
    module.layer(rows.numpy())
    for other in (pickle.loads(pickle.dumps(module)), copy.deepcopy(module)):
        torch.testing.assert_close(other(rows), wanted)
    assert list(module.parameters()) == []
