"""The benchmarks of layers: what they compare is the same, and what they fit and draw is right."""

import layer_growth as growth
import numpy as np
import pytest


def test_the_layer_by_hand_has_the_loss_and_gradients_of_the_layer():
    torch = pytest.importorskip("torch")
    import layer_peers as peers

    from anc_experiments.mnist.tasks import addition

    torch.manual_seed(0)
    shown, which = torch.rand(12, 1, 28, 28), np.arange(12).reshape(2, 6)
    results = addition(3).program.results(np.array([[9, 9, 9, 0, 0, 1], [4, 0, 7, 1, 2, 3]]))
    found, network = [], peers.lenet()
    for name in ("anc", "by hand"):
        network.zero_grad()
        loss = peers.LOSSES[name](3, network)(shown, which, results)
        loss.backward()
        found.append([loss.item(), *(float(p.grad.norm()) for p in network.parameters())])
    np.testing.assert_allclose(*found, rtol=1e-4)


def test_growth_is_measured_fitted_and_drawn(tmp_path):
    row = growth.measured("count", 4)
    assert set(row) == set(growth.TIMES) and min(row.values()) >= 0
    rows = [{"N": N, "build": 1.0, "compile": N, "step": N**2} for N in (2, 4, 8)]
    assert [round(growth.exponent(rows, each), 6) for each in growth.TIMES] == [0, 1, 2]
    found = {"count": [*rows, {"N": 16, "refused": "too many\nhelp: less"}]}
    assert "| count | 8 | 1 | 8 | 64 | 0.0, 1.0, 2.0 | N = 16: too many |" in growth.table(found)
    growth.draw(found, tmp_path / "growth.svg")
    assert b"count" in (tmp_path / "growth.svg").read_bytes()
