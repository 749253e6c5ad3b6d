"""Holes in layers: exact marginals over fillings, gradients of logits, and the program that is read back."""

import itertools
import pickle
from typing import Annotated

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from layers.subjects import rows_of

import anc


@anc.function(memory=60)
def combined(a: int, b: int) -> int:
    c = anc.hole((a + b, a * b, a))
    if c > anc.hole((3, 5, 7)):
        c = c + anc.hole((1, 2))
    return c


@anc.function(memory=60)
def looped(digits: Annotated[list[int], anc.Size(6)]) -> int:
    n = 0
    for digit in digits:
        if digit == anc.hole((1, 2, 3)):
            n += anc.hole((1, 2))
    return n


def every_filling(layer, complete, rows, logits):
    """The distribution of the output, from complete functions; its fillings are in order."""
    each = [np.asarray(jax.nn.softmax(one)) for one in logits]
    found = np.zeros(layer.spec.M)
    for choices in itertools.product(*(range(len(one)) for one in each)):
        mass = np.prod([one[choice] for one, choice in zip(each, choices, strict=True)])
        found += mass * np.asarray(complete(choices)(*rows))
    return found


def filled(choices):
    """`combined` with these choices, as a layer."""
    words = (("a + b", "a * b", "a"), ("3", "5", "7"), ("1", "2"))
    c, limit, more = (each[i] for each, i in zip(words, choices, strict=True))
    listing = f"""
import anc
@anc.function(memory=60)
def f(a: int, b: int) -> int:
    c = {c}
    if c > {limit}:
        c = c + {more}
    return c
"""
    return anc.layer(function_of(listing), values=5)


def function_of(text):
    from anc.language import Source
    from anc.python.function import read
    from anc.python.source import parse

    module = parse(Source(text, "text"))
    return read(module, module.functions["f"])


LOGITS = [jnp.array([0.3, -1.0, 0.5]), jnp.array([1.0, 0.0, -0.5]), jnp.array([0.0, 2.0])]


def test_the_marginal_is_that_of_every_filling():
    layer, rows = anc.layer(combined, values=5), rows_of(0, 2, 5)
    wanted = every_filling(layer, filled, rows, LOGITS)
    np.testing.assert_allclose(layer(*rows, holes=LOGITS), wanted, atol=1e-6)
    seen = np.flatnonzero(wanted)
    likelihood = layer.log_likelihood(*rows[:, None], observed=seen, holes=LOGITS)
    np.testing.assert_allclose(np.exp(likelihood), wanted[seen], rtol=1e-5)
    uniform = every_filling(layer, filled, rows, layer.logits())
    np.testing.assert_allclose(layer(*rows), uniform, atol=1e-6)


def test_gradients_of_logits_are_those_of_numbers():
    layer, rows = anc.layer(combined, values=5, log=True), np.log(rows_of(1, 2, 5))

    def loss(logits):
        return layer.log_likelihood(*rows, observed=9, holes=logits)

    slopes = jax.grad(loss)(LOGITS)
    for number, one in enumerate(LOGITS):
        for place in range(len(one)):

            def moved(by, number=number, one=one, place=place):
                return loss([*LOGITS[:number], one.at[place].add(by), *LOGITS[number + 1 :]])

            wanted = float(moved(1e-2) - moved(-1e-2)) / 2e-2
            assert slopes[number][place] == pytest.approx(wanted, abs=2e-3)


def test_posterior_and_the_most_likely_filling():
    layer = anc.layer(combined, values=6)
    *_, operator, _, more = layer.posterior(3, 4, observed=14, holes=layer.logits())
    assert operator.tolist() == [0, 1, 0] and more.tolist() == [0, 1]
    found = layer.most_likely(3, 4, observed=14)
    assert [int(one) for one in found.values] == [3, 4, 1, 0, 1]
    drawn = layer.sample(3, 4, observed=14, key=0)
    assert [int(drawn[i]) for i in (0, 1, 2, 4)] == [3, 4, 1, 1]
    assert float(layer.expectation(lambda total: total == 14, 3, 4)) == pytest.approx(1 / 6)


def test_a_hole_in_a_loop_is_grown_once():
    layer = anc.layer(looped, values=5, log=True)
    plan = layer.spec.likelihood((5,) * 6 + (3, 2))
    assert plan.branches < 6 * 5 * 6 * 13  # fillings times counts
    logits = [jnp.array([0.0, 30.0, 0.0]), jnp.array([0.0, 30.0])]
    digits = np.array([2, 0, 2, 1, 3, 2])
    assert float(layer.log_likelihood(digits, observed=6, holes=logits)) == pytest.approx(
        0, abs=1e-4
    )


def test_the_program_is_read_back():
    layer = anc.layer(combined, values=5)
    found = layer.program([jnp.array([0.0, 9, 0]), jnp.array([0.0, 0, 9]), jnp.array([9.0, 0])])
    assert found.choices == ("(a * b)", "7", "1") and found.is_certain
    assert found.doubt == pytest.approx(
        1 - (1 / (1 + 2 * np.exp(-9))) ** 2 / (1 + np.exp(-9)), rel=1e-3
    )
    assert found.text.startswith("@anc.function(memory=60)\ndef combined(")
    assert "c = (a * b)\n    if c > 7:\n        c = c + 1" in found.text
    assert anc.run(found.program, [4, 2]).tape[2] == 9
    assert found.to_dict()["choices"] == ["(a * b)", "7", "1"]
    open_one = layer.program(layer.logits())
    assert not open_one.is_certain and "not certain yet" in str(open_one)
    kept = pickle.loads(pickle.dumps(layer))
    assert kept.program(layer.logits()).text == open_one.text
    with pytest.raises(anc.AncError, match="was saved"):
        _ = kept.program(layer.logits()).program


def test_it_is_learnt_from_results():
    random = np.random.default_rng(0)
    layer = anc.layer(combined, values=5, log=True)
    given = random.integers(0, 5, (200, 2))
    c = given[:, 0] * given[:, 1]
    seen = np.where(c > 5, c + 2, c)

    @jax.jit
    def step(logits):
        def loss(logits):
            return -layer.log_likelihood(*given.T, observed=seen, holes=logits).mean()

        slopes = jax.grad(loss)(logits)
        return [one - 2.0 * slope for one, slope in zip(logits, slopes, strict=True)]

    logits = list(layer.logits())
    for _ in range(200):
        logits = step(logits)
    found = layer.program(logits)
    assert found.choices == ("(a * b)", "5", "2") and found.doubt < 0.05


def test_a_file_with_holes(tmp_path):
    path = tmp_path / "unknown.py"
    path.write_text(
        "import anc\n@anc.function(memory=40)\ndef f(a: int, b: int = 2) -> int:\n"
        "    return a + anc.hole((b, 1))\n"
    )
    layer = anc.layer(f"{path}:f", values=[4, 3])
    assert float(layer(3, 2)[5]) == 0.5


def test_what_is_refused():
    layer = anc.layer(combined, values=5)
    with pytest.raises(anc.AncError, match=r"'holes' has the shapes \[\(2,\)\]"):
        layer(1, 2, holes=[jnp.zeros(2)])
    with pytest.raises(anc.AncError, match=r"combined\(8, 8, 1, 0, 0\)") as problem:
        anc.layer(combined, values=9)
    assert "the last 3 numbers are choices of a hole" in problem.value.help
    with pytest.raises(anc.AncError, match="has no holes"):
        anc.layer(filled((0, 0, 0)).spec.program, [0, 1], 2, memory=60).logits()
    with pytest.raises(anc.AncError, match="a soft layer cannot learn holes"):
        anc.layer(combined, mode="soft")
    with pytest.raises(anc.AncError, match="shortcuts are those of a complete program"):
        layer.shortcuts()


def test_pytorch_has_the_same_values_and_gradients():
    torch = pytest.importorskip("torch")
    layer = anc.layer(combined, values=5, log=True)
    rows = np.log(rows_of(3, 2, 7, 5))
    seen = np.array([3, 4, 9, 2, 6, 5, 1])
    module = layer.module()
    with torch.no_grad():
        for own, logits in zip(module.holes, LOGITS, strict=True):
            own.copy_(torch.tensor(np.asarray(logits)))
    given = [torch.tensor(row) for row in rows]
    found = module.log_likelihood(*given, observed=torch.tensor(seen))
    wanted = layer.log_likelihood(*rows, observed=seen, holes=LOGITS)
    np.testing.assert_allclose(found.detach(), wanted, rtol=1e-4, atol=1e-5)
    found[torch.isfinite(found)].sum().backward()
    slopes = jax.grad(
        lambda h: jnp.where(
            jnp.isfinite(wanted), layer.log_likelihood(*rows, observed=seen, holes=h), 0
        ).sum()
    )(LOGITS)
    for own, slope in zip(module.holes, slopes, strict=True):
        np.testing.assert_allclose(own.grad, slope, rtol=1e-3, atol=1e-5)
    assert module.program().choices == layer.program(LOGITS).choices
    assert len(list(module.parameters())) == 3
