"""Layers as modules of PyTorch: the same values and gradients as in JAX."""

import os
from functools import partial

import jax
import numpy as np
import pytest
from layers.subjects import ADD, count_three, less, rows_of

import anc

if os.environ.get("ANC_NEEDS_TORCH"):
    import torch
else:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test TORCH=torch")


@pytest.mark.parametrize(
    "settings",
    [{}, {"log": True}, {"prune": 200}, {"prune": 200, "log": True}],
    ids=lambda settings: " ".join(settings) or "exact",
)
def test_values_and_gradients_are_those_of_jax(settings):
    compare(anc.layer(count_three, **settings), log="log" in settings)


def test_soft_layers_share_memory_with_jax():
    rows = [torch.tensor(row, requires_grad=True) for row in rows_of(3, 2, 4, 6)]
    found = []
    for mode in ("exact", "soft"):  # which agree here, values and gradients
        output = anc.layer(ADD, [0, 1], 2, mode, memory=12).module()(*rows)
        found.append([output, *torch.autograd.grad(output[:, 5].log().sum(), rows)])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)


def test_levels_that_are_too_large_for_a_matrix(monkeypatch):
    monkeypatch.setattr("anc.layers.plan.DENSE", 0)
    compare(anc.layer(count_three))


def compare(layer, log=False):
    rows, weights = rows_of(0, 2, 3, 10), rows_of(1, 2, 4)
    rows = np.log(rows) if log else rows
    tensor = torch.tensor(rows, requires_grad=True)
    found = layer.module()(tensor)
    (found[..., :4] * torch.tensor(weights)).sum().backward()

    @jax.jit
    @partial(jax.grad, has_aux=True)
    def slope(rows):
        output = layer(rows)
        return (output[..., :4] * weights).sum(), output

    of_rows, wanted = slope(rows)
    np.testing.assert_allclose(found.detach().numpy(), wanted, atol=1e-5)
    np.testing.assert_allclose(tensor.grad.numpy(), of_rows, atol=1e-5)


def test_a_module_stands_between_modules():
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(4, 10), torch.nn.Softmax(-1))
    module = anc.layer(ADD, [0, 1], 2, memory=20, output_values=19).module()
    rate = torch.optim.Adam(network.parameters(), 0.1)
    pictures, wanted = torch.eye(4), torch.tensor([[0, 2, 5, 9]])
    losses = []
    for _ in range(60):
        rows = network(pictures)
        sums = module(rows.unsqueeze(0), rows.unsqueeze(1))
        targets = wanted + wanted.T
        loss = -sums.gather(-1, targets.unsqueeze(-1)).clamp_min(1e-9).log().mean()
        rate.zero_grad()
        loss.backward()
        rate.step()
        losses.append(loss.item())
    assert losses[-1] < 0.1 * losses[0]
    assert network(pictures).argmax(-1).tolist() == [0, 2, 5, 9]


def test_integers_and_bad_rows():
    module = anc.layer(ADD, [0, 1], 2, memory=20).module()
    assert module(torch.tensor(3), torch.tensor(4)).argmax() == 7
    row = torch.tensor(rows_of(2, 10))
    with pytest.raises(anc.AncError, match="cell 1 holds NaN"):
        module(row, row * float("nan"))
    with pytest.raises(anc.AncError, match="takes 2 inputs"):
        module(row)


@pytest.mark.parametrize("settings", [{}, {"log": True}, {"prune": 30}], ids=str)
def test_inputs_on_which_python_does_something_else_are_dropped_as_in_jax(settings):
    layer = anc.layer(less, outside="drop", **settings)
    rows = rows_of(2, 2, 3, 5)
    rows = np.log(rows) if "log" in settings else rows
    found = layer.module()(*map(torch.tensor, rows))
    np.testing.assert_allclose(found, layer(*rows), atol=1e-6)
    none = layer.module()(torch.tensor(0), torch.tensor(1))  # -1 in Python
    assert (none.exp() if "log" in settings else none).sum() == 0
