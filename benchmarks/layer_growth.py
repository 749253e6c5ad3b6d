"""How layers grow with N: processor seconds to build, to compile and for a step, against the size of the input.

    python benchmarks/layer_growth.py
    python benchmarks/layer_growth.py --only sum,Luhn --json growth.json --figure docs/layer-growth.svg
    python benchmarks/layer_growth.py --read growth.json --figure docs/layer-growth.svg   # draw it again

*Build* reads the function and grows the diagram of its likelihood, *compile* is JAX's share of the first call, and
*step* is value and gradient for a batch of 64. Each size is measured in a process of its own, so nothing is
compiled before. A program is given up at the first size that is refused or takes longer than --limit;
the message is kept. Exponents are the slopes of log(time) against log(N) over the upper half of its sizes.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

BATCH, ROUNDS = 64, 5
LONGEST = 2.0  # seconds of steps, at least one
TIMES = ("build", "compile", "step")
HEAD = "from typing import Annotated\nimport anc\nN = {N}\nR = range\n"


@dataclass(frozen=True)
class Program:
    """A function with N for its size. `lists` are its list arguments and how many outputs the last one is."""

    text: str
    sizes: tuple[int, ...]
    inputs: tuple[str, ...] = ("d",)
    output: str | None = None
    values: int = 10


PROGRAMS = {
    "sum": Program(
        """
@anc.function(memory=9 * N + 30)
def program(d: Annotated[list[int], anc.Size(N)]) -> int:
    s = 0
    for x in d:
        s += x
    return s
""",
        (4, 16, 64, 256, 1024),
    ),
    "addition": Program(
        """
@anc.function(memory=3 * N + 60)
def program(a: Annotated[list[int], anc.Size(N)], b: Annotated[list[int], anc.Size(N)],
            total: Annotated[list[int], anc.Size(N + 1)]):
    carry = 0
    for k in range(N):
        s = a[N - 1 - k] + b[N - 1 - k] + carry
        carry = 0
        if s > 9:
            s -= 10
            carry = 1
        total[N - k] = s
    total[0] = carry
""",
        (2, 4, 16, 64, 256, 512),
        ("a", "b"),
        "total",
    ),
    "addition of numbers": Program(
        """
@anc.function(memory=2 * 10**N + 60)
def program(a: Annotated[list[int], anc.Size(N)], b: Annotated[list[int], anc.Size(N)]) -> int:
    x = 0
    for digit in a:
        x = 10 * x + digit
    y = 0
    for digit in b:
        y = 10 * y + digit
    return x + y
""",
        (1, 2, 3, 4),
        ("a", "b"),
    ),
    "product": Program(
        """
@anc.function(memory=9**N + 40)
def program(d: Annotated[list[int], anc.Size(N)]) -> int:
    p = 1
    for x in d:
        p *= x
    return p
""",
        (1, 2, 3, 4, 5, 6, 7),
    ),
    "comparison": Program(
        """
@anc.function(memory=2 * N + 60)
def program(a: Annotated[list[int], anc.Size(N)], b: Annotated[list[int], anc.Size(N)]) -> bool:
    for k in range(N):
        if a[k] != b[k]:
            return a[k] < b[k]
    return False
""",
        (2, 4, 16, 64, 256, 512),
        ("a", "b"),
    ),
    "count": Program(
        """
@anc.function(memory=N + 60)
def program(d: Annotated[list[int], anc.Size(N)]) -> int:
    n = 0
    for x in d:
        if x == 3 or x == 4:
            n += 1
    return n
""",
        (4, 16, 64, 256, 1024),
    ),
    "Luhn": Program(
        """
@anc.function(memory=N + 60)
def program(d: Annotated[list[int], anc.Size(N)]) -> bool:
    s = 0
    for i in range(N // 2):
        x = 2 * d[2 * i]
        if x > 9:
            x -= 9
        s = (s + x + d[2 * i + 1]) % 10
    return s == 0
""",
        (4, 16, 64, 256, 1024),
    ),
    "sort": Program(
        """
@anc.function(memory=60)
def program(d: Annotated[list[int], anc.Size(N)]):
    for i in range(1, N):
        x = d[i]
        k = i
        while k > 0 and d[k - 1] > x:
            d[k] = d[k - 1]
            k -= 1
        d[k] = x
""",
        (2, 3, 4, 5, 6, 7, 8, 9),
        output="d",
    ),
    "formula": Program(
        """
@anc.function(memory=1000)
def program(d: Annotated[list[int], anc.Size(N)], sign: Annotated[list[int], anc.Size(N)]) -> int:
    total = 0
    term = d[0]
    for k in range(1, N):
        if sign[k] == 0:
            term = term * d[k] % 100
        else:
            total = (total + term) % 100
            term = d[k]
    return (total + term) % 100
""",
        (2, 4, 8, 16, 32, 64),
        ("d", "sign"),
    ),
    "sudoku rows": Program(
        """
@anc.function(memory=80)
def program(d: Annotated[list[int], anc.Size(4 * N)]) -> bool:
    for i in range(4 * N):
        for k in range(i):
            if d[i] == d[k]:
                if i // 4 == k // 4 or i % 4 == k % 4:
                    return False
                if i // 8 == k // 8 and i % 4 // 2 == k % 4 // 2:
                    return False
    return True
""",
        (1, 2, 3, 4),
        values=4,
    ),
}


def measured(name: str, N: int) -> dict[str, Any]:
    """The times of a program at one size, in this process."""
    import jax
    import jax.numpy as jnp

    import anc
    from anc.language import Source
    from anc.python.function import read
    from anc.python.source import parse
    from anc.support.diagnostics import AncError

    program = PROGRAMS[name]
    jax.block_until_ready(jax.jit(lambda x: x + 1)(jnp.zeros(3)))
    try:
        began = time.process_time()
        module = parse(Source(HEAD.format(N=N) + program.text, name))
        function = read(module, module.functions["program"])
        values = [2 if each == "sign" else program.values for each in program.inputs]
        layer = anc.layer(
            function, list(program.inputs), program.output, values=values, log=True, check=False
        )
        rows = [
            jnp.log(jnp.full((BATCH, len(place.cells), K), 1 / K))
            for place, K in zip(layer.inputs, values, strict=True)
        ]
        shape = (BATCH, len(layer.output.cells)) if layer.output.is_list else BATCH
        seen = np.zeros(shape, int)

        def value_and_slope(rows: list[jax.Array]) -> Any:
            of = lambda rows: layer.log_likelihood(*rows, observed=seen).sum()  # noqa: E731
            return jax.value_and_grad(of)(rows)

        lowered = jax.jit(value_and_slope).lower(rows)  # grows the diagram
        build = time.process_time() - began
        began = time.process_time()
        compiled = lowered.compile()
        compile = time.process_time() - began
    except AncError as error:
        return {"refused": str(error)}
    steps: list[float] = []
    while len(steps) < ROUNDS and sum(steps) < LONGEST:
        began = time.process_time()
        jax.block_until_ready(compiled(rows))
        steps.append(time.process_time() - began)
    return {"build": build, "compile": compile, "step": min(steps)}


def grown(name: str, limit: int) -> list[dict[str, Any]]:
    """The sizes of a program one after the other, each in a new process, until one is given up."""
    found: list[dict[str, Any]] = []
    for N in PROGRAMS[name].sizes:
        words = [sys.executable, __file__, "--limit", str(limit), "--one", name, str(N)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            row = {"refused": f"not done after {limit} s"}
        else:
            row = json.loads(done.stdout.strip().splitlines()[-1])
        found.append({"N": N, **row})
        print(f"{name:<20} {N:<5} {_line(found[-1])}", flush=True)
        if "refused" in row:
            break
    return found


def _line(row: dict[str, Any]) -> str:
    if "refused" in row:
        return "given up: " + " ".join(row["refused"].split())
    return "  ".join(f"{row[each]:8.4f}" for each in TIMES)


def exponent(rows: Iterable[dict[str, Any]], which: str) -> float:
    """The slope of log(time) against log(N) over the upper half of the sizes that were measured."""
    done = [row for row in rows if which in row]
    upper = done[len(done) // 2 - (len(done) > 2) :]
    if len(upper) < 2:
        return math.nan
    x, y = (np.log([row[each] for row in upper]) for each in ("N", which))
    return float(np.polyfit(x, y, 1)[0])


def table(found: dict[str, list[dict[str, Any]]]) -> str:
    lines = [
        "| program | largest N | build | compile | step | exponents | given up |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, rows in found.items():
        done = [row for row in rows if "build" in row]
        lost = [
            f"N = {row['N']}: {row['refused'].split(chr(10))[0]}"
            for row in rows
            if "refused" in row
        ]
        last = done[-1] if done else {"N": "-"}
        times = [f"{last[each]:.3g}" if each in last else "-" for each in TIMES]
        slopes = ", ".join(f"{exponent(rows, each):.1f}" for each in TIMES)
        cells = [name, str(last["N"]), *times, slopes, *(lost or ["-"])]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def draw(found: dict[str, list[dict[str, Any]]], path: Path) -> None:
    """Time against N, one panel for the first call (build and compile) and one for a step."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams |= {"svg.hashsalt": "anc", "svg.fonttype": "none"}
    from matplotlib import pyplot

    figure, (first, step) = pyplot.subplots(1, 2, figsize=(9.5, 4.2))
    for number, (name, rows) in enumerate(found.items()):
        done = [row for row in rows if "build" in row]
        sizes = [row["N"] for row in done]
        style = {"marker": "osD^v<>pXh"[number % 10], "markersize": 4, "label": name}
        first.plot(sizes, [row["build"] + row["compile"] for row in done], **style)
        step.plot(sizes, [1e3 * row["step"] for row in done], **style)
    titles = ("build and compile, s", f"a step, batch of {BATCH}, ms")
    for axes, title in zip((first, step), titles, strict=True):
        axes.set(xscale="log", yscale="log", xlabel="N", title=title)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    figure.legend(*first.get_legend_handles_labels(), loc="outside right", frameon=False)
    figure.tight_layout(rect=(0, 0, 0.8, 1))
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="names with commas", default=",".join(PROGRAMS))
    parser.add_argument("--limit", type=int, default=120, help="processor seconds for one size")
    parser.add_argument("--json", type=Path, help="keep the numbers here")
    parser.add_argument("--read", type=Path, help="numbers that were kept, instead of measuring")
    parser.add_argument("--figure", type=Path, help="draw the picture here")
    parser.add_argument("--one", nargs=2, metavar=("NAME", "N"), help="one size, in this process")
    given = parser.parse_args()
    if given.one:
        resource.setrlimit(resource.RLIMIT_CPU, (given.limit, given.limit))
        print(json.dumps(measured(given.one[0], int(given.one[1]))))
        return
    if given.read:
        found = json.loads(given.read.read_text())
    else:
        print(f"{'program':<20} N     {'  '.join(f'{each:>8}' for each in TIMES)}")
        names = given.only.split(",")
        if unknown := set(names) - set(PROGRAMS):
            parser.error(f"no program {', '.join(unknown)}; there are: {', '.join(PROGRAMS)}")
        found = {name: grown(name, given.limit) for name in names}
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")
    if given.figure:
        draw(found, given.figure)
    print(table(found))


if __name__ == "__main__":
    main()
