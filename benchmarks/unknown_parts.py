"""Parts of a program learnt from pictures and results: an operator, a constant, a comparison.

    python benchmarks/unknown_parts.py --seeds 20

A network that has seen no label reads two of scikit-learn's handwritten digits (8 by 8 pixels); a function with a
hole, of which nobody has said how it is filled, computes a result from them. Only pictures and results are given.
Network and hole are learnt together, by the likelihood of the results. A seed is a network, a hole and the
groups of pictures that it sees; all seeds of a task are trained side by side. Printed are how many seeds end with the
right program, the doubt that is left, and how many digits of pictures that were kept back are then read right.
"""

from __future__ import annotations

import argparse
import time

import jax
import jax.numpy as jnp
import numpy as np

import anc
from anc.layers import Layer
from anc_experiments.digits.methods import load_pictures
from anc_experiments.digits.network import Descent, begin, scores


@anc.function(memory=100)
def operator(a: int, b: int) -> int:
    return anc.hole((a + b, a * b, a - b, b - a, max(a, b), min(a, b)))


@anc.function(memory=100)
def constant(a: int, b: int) -> int:
    return a + b * anc.hole((1, 2, 3, 4, 5, 6, 7, 8, 9))


@anc.function(memory=100)
def comparison(a: int, b: int) -> int:
    if anc.hole((a < b, a <= b, a == b, a != b, a > b, a >= b)):
        return a + b
    return 30


TRUTHS = {  # the filling that makes the results
    "operator": (operator, "(max(a, b))", np.maximum),
    "operator *": (operator, "(a * b)", np.multiply),
    "constant": (constant, "7", lambda a, b: a + 7 * b),
    "comparison": (comparison, "(a <= b)", lambda a, b: np.where(a <= b, a + b, 30)),
}


def faster(holes):
    """The logits, which learn this much faster than the network."""
    return [20 * logits for logits in holes]


def learnt(layer: Layer, wanted: str, result, seeds: int, arguments) -> tuple[list[float], ...]:
    """For each seed: whether the program is right, the doubt, and the share of digits read right."""
    pictures = load_pictures()
    shown = jnp.asarray(pictures.train)
    random = np.random.default_rng(0)
    shape = (seeds, arguments.steps, arguments.batch, 2)
    groups = random.integers(0, len(pictures.train), shape)
    seen = result(*np.moveaxis(pictures.train_digits[groups], -1, 0))

    def loss(parameters, group, seen):
        network, holes = parameters[0], faster(parameters[1])
        rows = jax.nn.log_softmax(scores(network, shown[group]))
        each = layer.log_likelihood(rows[:, 0], rows[:, 1], observed=seen, holes=holes)
        return -jnp.where(jnp.isfinite(each), each, 0).mean()

    descent = Descent(loss, arguments.rate, arguments.steps)

    def one(key, group, seen):
        starts = jax.random.split(key, arguments.starts)

        def of_start(key):
            return descent.begin((begin(key, (64, 128, 10)), layer.logits()))

        cut = arguments.trial if arguments.starts > 1 else 0
        states, losses = jax.vmap(lambda key: descent.run(of_start(key), group[:cut], seen[:cut]))(
            starts
        )
        best = jnp.argmin(losses[:, -max(cut // 4, 1) :].mean(-1)) if cut else 0
        state = jax.tree.map(lambda part: part[best], states)
        return descent.parameters(descent.run(state, group[cut:], seen[cut:])[0])

    keys = jax.random.split(jax.random.key(1), seeds)
    network, holes = jax.jit(jax.vmap(one))(keys, jnp.asarray(groups), jnp.asarray(seen))
    read = np.asarray(jax.vmap(lambda network: scores(network, pictures.test))(network)).argmax(-1)
    right, doubts = [], []
    for seed in range(seeds):
        filled = layer.program([logits[seed] for logits in faster(holes)])
        right.append(float(filled.choices == (wanted,)))
        doubts.append(filled.doubt)
    return right, doubts, (read == pictures.test_digits).mean(-1).tolist()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=5e-3)
    parser.add_argument("--starts", type=int, default=4)
    parser.add_argument("--trial", type=int, default=100)
    parser.add_argument("--tasks", default=",".join(TRUTHS))
    arguments = parser.parse_args()
    print("unknown     choices  right program  largest doubt of these  digits read  seconds")
    for name in arguments.tasks.split(","):
        function, wanted, result = TRUTHS[name]
        layer = anc.layer(function, values=10, log=True, outside="drop", check=False)
        began = time.perf_counter()
        right, doubts, digits = learnt(layer, wanted, result, arguments.seeds, arguments)
        found = [i for i, is_right in enumerate(right) if is_right]
        doubt = max((doubts[i] for i in found), default=float("nan"))
        share = np.mean([digits[i] for i in found]) if found else float("nan")
        (size,) = layer.holes.sizes
        print(
            f"{name:<11} {size:<8} {len(found)} of {len(right):<9} {doubt:<23.4f}"
            f" {share:<12.1%} {time.perf_counter() - began:.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
