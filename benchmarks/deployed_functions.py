"""How long calls of functions take before and after they are adapted, and by other means, in ns.

Python: the function as it was written, `adapted.py` as `anc adapt -o` writes it, if it does, on calls
that its guard accepts and on others, and the rivals. C: the program that the function was compiled
to, `adapted.h`, and the function as somebody writes it by hand. All of a row are called with the same
arguments in the same run. Times are of whole calls, so that those of an empty function are in them.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

from rivals import Call, Measured

from anc.adaptation.result import Adapted
from anc.codegen import Parameter
from anc.codegen.c_text import c_function
from anc.codegen.functions import fits_in_c, signature_of
from anc.machine import exact
from anc.machine.exact import Stop

ROUNDS = 35  # many and short: on a busy machine few are undisturbed
CALLS = 800  # in a round of Python
DRAWN = 200
TRIED = 4000  # to find calls that the guard does not accept
BY_HAND = Path(__file__).parent / "by_hand.c"

Times = dict[str, float]


@dataclass(frozen=True)
class Calls:
    """Calls that are adapted to and that the guard accepts, their share, and calls that it does not."""

    accepted: list[Call]
    share: float
    others: list[Call]


def calls_of(function: Any, draw: Callable[[Random], Call], result: Adapted) -> Calls:
    """Held-out calls; the others differ in one number, and the original has an answer to them."""
    random = Random("calls")
    facts = () if result.deployed is None else result.deployed.answer.facts

    def accepts(call: Call) -> bool:
        return all(fact.holds(function.tape(*call)) for fact in facts)

    def fits(call: Call) -> bool:
        """Whether C has an answer: every number of the run fits."""
        problem = result.problem
        if problem.exact is None or problem.function is None:
            return True
        return exact.run(problem.exact, problem.function.tape(*call), 10_000).stop is Stop.STOPPED

    drawn = [call for call in (draw(random) for _ in range(DRAWN)) if fits(call)]
    accepted = [call for call in drawn if accepts(call)]
    others: list[Call] = []
    for _ in range(TRIED if facts else 0):
        changed = _changed(random, random.choice(drawn), function.M)
        if len(others) < DRAWN and not accepts(changed) and _answers(function, changed):
            others.append(changed)
    return Calls(accepted, len(accepted) / len(drawn), others)


def _changed(random: Random, call: Call, M: int) -> Call:
    """The call with any other number in one place."""
    place, number = random.randrange(len(call)), random.randrange(M)
    new: Any = number
    if isinstance(call[place], str):
        new = chr(random.randrange(32, 127))
    if isinstance(call[place], list):
        new = list(call[place])
        new[random.randrange(len(new))] = number
    return (*call[:place], new, *call[place + 1 :])


def _answers(function: Any, call: Call) -> bool:
    try:
        function.python(*call)
    except (ArithmeticError, ValueError):
        return False
    return True


def python_times(
    function: Any, result: Adapted, calls: Calls, others: dict[str, Measured]
) -> Times:
    """Nanoseconds for a call of each kind."""
    space: dict[str, Any] = {}
    exec(f"def empty({', '.join(function.names)}): pass", space)
    kinds: dict[str, Measured] = {
        "empty": (space["empty"], calls.accepted),
        "original": (function.python, calls.accepted),
        **others,
    }
    if result.python is not None and not result.is_withheld:
        exec(result.python, space)
        guarded = space[function.name]
        kinds["guarded"] = guarded, calls.accepted
        if calls.others:
            kinds["original, others"] = function.python, calls.others
            kinds["guarded, others"] = guarded, calls.others
    for kind, (call, given) in kinds.items():
        known = calls.others if "others" in kind else calls.accepted
        for arguments, plain in zip(given, known, strict=True):
            same = kind == "empty" or call(*arguments) == function.python(*plain)
            assert same, (kind, function.name, plain)
    found: Times = {}
    for _ in range(ROUNDS):
        for kind, (call, given) in kinds.items():
            rounds = max(1, CALLS // len(given))
            begin = perf_counter()
            for _ in range(rounds):
                for arguments in given:
                    call(*arguments)
            took = (perf_counter() - begin) / rounds / len(given) * 1e9
            found[kind] = min(found.get(kind, took), took)
    return found


MAIN = """
static double now(void) {{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}}
static int32_t call_empty(const int32_t *row) {{ return row[0]; }}
{wrappers}
typedef int32_t function(const int32_t *);
int main(void) {{
    function *volatile calls[] = {{{called}}};
    enum {{ KINDS = sizeof calls / sizeof *calls }};
    double least[KINDS] = {{0}};
    volatile int32_t sink = 0;
    for (int i = 0; i < {n}; i++) {{
        for (int kind = 2; kind < KINDS; kind++) {{
            if (calls[1](rows[i]) != calls[kind](rows[i])) return kind;
        }}
    }}
    for (int round = 0; round < {rounds}; round++) {{
        for (int kind = 0; kind < KINDS; kind++) {{
            function *call = calls[kind];
            double begin = now();
            for (int again = 0; again < 200; again++) {{
                for (int i = 0; i < {n}; i++) sink = call(rows[i]);
            }}
            double took = (now() - begin) / 200 / {n};
            if (round == 0 || took < least[kind]) least[kind] = took;
        }}
    }}
    (void)sink;
    for (int kind = 0; kind < KINDS; kind++) printf("%f\\n", least[kind]);
    return 0;
}}
"""


def c_times(function: Any, result: Adapted, calls: Calls) -> Times:
    """The same in C, called through pointers that the compiler cannot see through; {} without one."""
    compiler = shutil.which("cc")
    if compiler is None or not fits_in_c(function):
        return {}
    signature, M = signature_of(function, function.program, result.program), function.M
    assert signature is not None  # the functions have arguments
    unit = ["#define _POSIX_C_SOURCE 200809L", "#include <stdio.h>", "#include <time.h>"]
    kinds = {"C: empty": "empty", "C: before": "generic", "C: by hand": f"{function.name}_by_hand"}
    if result.c is not None:
        unit.append(result.c)
        kinds["C: guarded"] = function.name
    unit.append(BY_HAND.read_text())
    unit += c_function(function.program, M, "generic", ["-"], (), None, signature)
    cells = function.layout.cells
    rows = [function.tape(*arguments)[:cells] for arguments in calls.accepted]
    text = ",".join("{" + ",".join(map(str, row)) + "}" for row in rows)
    unit.append(f"static const int32_t rows[{len(rows)}][{cells}] = {{{text}}};")
    passed = ", ".join(word for p in signature.parameters for word in _passed(p))
    wrappers = [
        f"static int32_t call_{name}(const int32_t *row) {{ return {name}({passed}); }}"
        for name in list(kinds.values())[1:]
    ]
    called = ", ".join(f"call_{name}" for name in kinds.values())
    lines = "\n".join(wrappers)
    unit.append(MAIN.format(n=len(rows), rounds=ROUNDS, wrappers=lines, called=called))
    with tempfile.TemporaryDirectory() as place:
        source, binary = Path(place) / "unit.c", Path(place) / "unit"
        source.write_text("\n".join(unit))
        command = [compiler, "-std=gnu11", "-O2", "-DNDEBUG", str(source), "-o", str(binary)]
        subprocess.run(command, check=True)
        output = subprocess.run([str(binary)], check=True, capture_output=True, text=True).stdout
    return dict(zip(kinds, map(float, output.split()), strict=True))


def _passed(p: Parameter) -> list[str]:
    if p.size is None:
        return [f"row[{p.cell}]"]
    return [f"row + {p.cell}"] + ([] if p.length is None else [f"row[{p.length}]"])
