"""What a layer costs beside the network in front of it, and how it grows with the values of its inputs and with M.

    python benchmarks/layer_speed.py

Times are of one run: forward and backward of a batch of 256 through the sum of two digits (1, 10 and 19
states), against a network (64, 128, 10) that reads the 512 pictures. Then the
same program with more values and more memory. Then the likelihood of loops over N digits. Then what it costs to
build the layers of the digits' functions, with the question whether Python does the same, and without
(outside="wrap").
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

import anc
from anc.language import Source
from anc.python.function import read
from anc.python.source import parse
from anc_experiments.digits.network import begin, scores
from anc_experiments.digits.tasks import DIGITS, TASKS

BATCH, ROUNDS = 256, 200
LOOPS = {
    "addition": (15, 100, 500),
    "total": (16, 64, 256),
    "count": (16, 128, 1024),
    "luhn": (16, 128, 1024),
}
TEXTS = {
    "addition": """
@anc.function(memory=3 * $ + 60)
def addition(a: Annotated[list[int], anc.Size($)], b: Annotated[list[int], anc.Size($)],
             total: Annotated[list[int], anc.Size($ + 1)]):
    carry = 0
    for k in range($):
        s = a[$ - 1 - k] + b[$ - 1 - k] + carry
        carry = 0
        if s > 9:
            s -= 10
            carry = 1
        total[$ - k] = s
    total[0] = carry
""",
    "total": """
@anc.function(memory=9 * $ + 20)
def total(digits: Annotated[list[int], anc.Size($)]) -> int:
    s = 0
    for digit in digits:
        s += digit
    return s
""",
    "count": """
@anc.function(memory=$ + 40)
def count(digits: Annotated[list[int], anc.Size($)]) -> int:
    n = 0
    for digit in digits:
        if digit == 3 or digit == 4:
            n += 1
    return n
""",
    "luhn": """
@anc.function(memory=$ + 60)
def luhn(digits: Annotated[list[int], anc.Size($)]) -> int:
    s = 0
    for i in range($ // 2):
        d = 2 * digits[2 * i]
        if d > 9:
            d -= 9
        s = (s + d + digits[2 * i + 1]) % 10
    return s
""",
}
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
        states = " ".join(map(str, plan.states))
        print(f"{K:<7} {M:<5} {states:<14} {plan.branches:<9} {taken:<6.2f} {size}")
    print("likelihood of   N     build  compile  step, a batch of 64; processor seconds")
    for name, sizes in LOOPS.items():
        for N in sizes:
            print(f"{name:<15} {N:<5} " + "  ".join(f"{each:.3f}" for each in looped(name, N)))
    print("building  asked ms  not asked ms  compiling the question, once, ms")
    for name, task in TASKS.items():
        asked, unasked = (building(task, outside) for outside in ("error", "wrap"))
        vars(task.function).pop("exact", None)
        began = time.process_time()
        _ = task.function.exact
        once = 1e3 * (time.process_time() - began)
        print(f"{name:<11} {asked:<8.1f} {unasked:<13.1f} {once:.1f}")


def looped(name: str, N: int) -> Iterator[float]:
    """Processor seconds to build the layer of a loop over N digits, to compile its gradient, and of a step."""
    began = time.process_time()
    text = "import anc\nfrom typing import Annotated\n" + TEXTS[name].replace("$", str(N))
    module = parse(Source(text, name))
    function = read(module, module.functions[name])
    inputs, output = (["a", "b"], "total") if name == "addition" else (["digits"], None)
    layer = anc.layer(function, inputs, output, values=10, log=True, check=False)
    rows = [jnp.log(jnp.full((64, N, 10), 0.1))] * len(inputs)
    seen = np.ones((64, N + 1) if output else 64, int)

    def slope(rows):
        return jax.grad(lambda rows: layer.log_likelihood(*rows, observed=seen).sum())(rows)

    lowered = jax.jit(slope).lower(rows)  # which grows the diagram
    yield time.process_time() - began
    began = time.process_time()
    compiled = lowered.compile()
    yield time.process_time() - began
    jax.block_until_ready(compiled(rows))
    began = time.process_time()
    for _ in range(5):
        jax.block_until_ready(compiled(rows))
    yield (time.process_time() - began) / 5


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
