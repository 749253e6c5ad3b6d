"""What a layer costs beside the network in front of it, and how it grows with the values of its inputs and with M.

    python benchmarks/layer_speed.py

Times are of one run: forward and backward of a batch of 256 through the sum of two digits (1, 10 and 19
states), against a network (64, 128, 10) that reads the 512 pictures. Then the
same program with more values and more memory. Then what it costs to build the layers of the digits' functions,
with the question whether Python does the same, and without (outside="wrap").
"""

from __future__ import annotations

import time

import jax
import jax.numpy as jnp
import numpy as np

import anc
from anc_experiments.digits.network import begin, scores
from anc_experiments.digits.tasks import DIGITS, TASKS

BATCH, ROUNDS = 256, 200
ADD = "var x = READ(0); var y = READ(1); x = ADD(x, y); WRITE(2, x); STOP()"


def milliseconds(function, *arguments) -> float:
    """The median of many calls, compiled before."""
    jax.block_until_ready(function(*arguments))
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        jax.block_until_ready(function(*arguments))
        taken.append(1e3 * (time.perf_counter() - began))
    return float(np.median(taken))


def rows(K: int) -> jax.Array:
    return jax.nn.softmax(jax.random.normal(jax.random.key(0), (2, BATCH, K)))


def compiled_bytes(function, *arguments) -> int:
    """What XLA sets aside for intermediate results."""
    return jax.jit(function).lower(*arguments).compile().memory_analysis().temp_size_in_bytes


def main() -> None:
    layer = anc.layer(ADD, [0, 1], 2, memory=20, values=10, output_values=19, check=False)
    parameters = begin(jax.random.key(1), (64, 128, 10))
    pictures = jax.random.uniform(jax.random.key(2), (2, BATCH, 64))
    wanted = jax.random.randint(jax.random.key(3), (BATCH, 1), 0, 19)

    def read(parameters):
        return jax.nn.log_softmax(scores(parameters, pictures))[..., 0].sum()

    def added(given):
        return jnp.log(jnp.take_along_axis(layer(given[0], given[1]), wanted, -1) + 1e-7).sum()

    network = milliseconds(jax.jit(jax.value_and_grad(read)), parameters)
    sums = milliseconds(jax.jit(jax.value_and_grad(added)), rows(10))
    print(f"forward and backward, batch of {BATCH}: network {network:.3f} ms, layer {sums:.3f} ms")
    print("values  M     states         branches  ms     temporary kB")
    for K, M in ((10, 20), (10, 80), (10, 200), (30, 60), (100, 200)):
        layer = anc.layer(ADD, [0, 1], 2, memory=M, values=K, check=False)
        plan = layer.spec.plan((K, K), 2)

        def slope(given, layer=layer):
            return jax.grad(lambda given: jnp.log(layer(*given)[:, 1]).sum())(given)

        taken = milliseconds(jax.jit(slope), rows(K))
        size = compiled_bytes(slope, rows(K)) // 1024
        branches = sum(len(level.targets) for level in plan.levels)
        states = " ".join(map(str, plan.states))
        print(f"{K:<7} {M:<5} {states:<14} {branches:<9} {taken:<6.2f} {size}")
    print("building  asked ms  not asked ms  compiling the question, once, ms")
    for name, task in TASKS.items():
        asked, unasked = (building(task, outside) for outside in ("error", "wrap"))
        vars(task.function).pop("exact", None)
        began = time.process_time()
        _ = task.function.exact
        once = 1e3 * (time.process_time() - began)
        print(f"{name:<11} {asked:<8.1f} {unasked:<13.1f} {once:.1f}")


def building(task, outside: str) -> float:
    """Milliseconds of the processor that making a layer takes, the least of five."""
    taken = []
    for _ in range(5):
        began = time.process_time()
        anc.layer(
            task.function, task.inputs, task.output, values=DIGITS, check=False, outside=outside
        )
        taken.append(1e3 * (time.process_time() - began))
    return min(taken)


if __name__ == "__main__":
    main()
