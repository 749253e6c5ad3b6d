"""Programs and weights: compiled, run, traced, softened, hardened, loaded and saved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, overload

from anc import limits
from anc.api.arguments import checked
from anc.api.given import checked_path, load_given, warned
from anc.diagnostics import AncError, quoted
from anc.program import Program

if TYPE_CHECKING:
    from anc.api.given import What
    from anc.decompiler.trace import Trace
    from anc.loading import Loaded
    from anc.machine.exact import Run
    from anc.machine.weights import Weights
    from anc.tasks import Case

MACHINES = ("exact", "soft")


@checked()
def compile(text: str, memory: int | None = None, spare: int = 0) -> Program:
    """Compile a listing to a Program; `spare` adds registers for learning.

    >>> import anc
    >>> program = anc.compile("var k = 0; k = READ(0); k = INC(k); k = READ(k); WRITE(0, k); STOP()")
    >>> program.L, program.R
    (5, 3)
    """
    from anc.language import Source
    from anc.loading import compiled

    if not isinstance(text, str):
        raise AncError(f"expected the text of a listing, found {quoted(text)}")
    return warned(compiled(Source(text), memory)).program.with_spare(spare)


@checked()
def run(
    program: What,
    tape: Sequence[int],
    memory: int | None = None,
    machine: str = "exact",
    sharpness: float | None = None,
    max_steps: int = 10_000,
    trace: bool = False,
) -> Run:
    """Run a program on a tape, on the exact or the soft machine; weights always run softly.

    The program is a Program, a Function, weights, or what names one: a file, a shipped program, a
    listing.
    The tape is filled up with zeros to M cells: `memory`, else what the program asks for, else the
    tape's own length. A soft run of a program has sharpness 20, as good as exact, unless another is given.

    >>> import anc
    >>> anc.run("swap", [1, 3, 7, 6, 7, 5, 2]).tape
    (1, 3, 7, 5, 7, 6, 2, 0, 0, 0)
    >>> anc.run("swap", [1, 3, 7, 6, 7, 5, 2], machine="soft").steps
    9
    """
    from anc.machine import exact

    if trace:
        limits.TRACED_STEPS.check(max_steps)
    limits.check_word("machine", machine, MACHINES)
    loaded = load_given(program, memory)
    cells = loaded.filled(tape)
    if _is_exact(loaded, machine, sharpness):
        return exact.run(loaded.program, cells, max_steps, trace)
    if trace:
        raise AncError("'trace' is for exact runs", help="anc.trace shows every step of a soft one")
    from anc.machine.softrun import run_soft

    return run_soft(loaded.softened(len(cells), sharpness), [cells], max_steps)[0]


@checked(max_steps=limits.TRACED_STEPS)
def trace(
    program: What,
    tape: Sequence[int],
    memory: int | None = None,
    machine: str = "exact",
    sharpness: float | None = None,
    max_steps: int = 1_000,
) -> Trace:
    """Every step of a run, with the arguments of `run`: print it, or look at its `run`.

    >>> import anc
    >>> found = anc.trace("access", [3, 1, 2, 3, 4])
    >>> print(found)
    step  line  command                             register   cell
    1     0     k = READ(0)   # READ(0)             k <- 3
    2     1     k = INC(k)   # INC(3)               k <- 4
    3     2     k = READ(k)   # READ(4)             k <- 4
    4     3     sink = WRITE(0, k)   # WRITE(0, 4)  sink <- 0  tape[0] <- 4
    5     4     sink = STOP()                       sink <- 0
    >>> found.run.steps, found.run.trace[3].cell
    (5, 0)
    """
    from anc.decompiler.trace import trace_exact, trace_weights

    limits.check_word("machine", machine, MACHINES)
    loaded = load_given(program, memory)
    cells = loaded.filled(tape)
    if _is_exact(loaded, machine, sharpness):
        return trace_exact(loaded.program, cells, max_steps)
    return trace_weights(loaded.softened(len(cells), sharpness), cells, max_steps)


def _is_exact(loaded: Loaded, machine: str, sharpness: float | None) -> bool:
    """Whether a run is exact; a sharpness that nothing is softened with is refused."""
    has_weights = loaded.weights is not None
    is_exact = machine == "exact" and not has_weights
    if sharpness is not None and (is_exact or has_weights):
        found = "this run is exact" if is_exact else "these are weights already"
        raise AncError(f"'sharpness' is for programs that are softened, and {found}")
    return is_exact


@checked()
def soften(
    program: What, M: int | None = None, sharpness: float = limits.SOFT, seed: int = 0
) -> Weights:
    """Compile a program exactly into weights: 0/1 choices times the sharpness.

    Sharpness 5 leaves gradient descent room to move; 20 is as good as exact, and what soft runs have.

    >>> import anc
    >>> anc.soften("listk", sharpness=5).op.shape
    (20, 11)
    """
    from anc.machine.weights import soften

    return soften(load_given(program).program, M, sharpness, seed)


def harden(weights: Weights) -> Program:
    """The most likely program of some weights.

    >>> import anc
    >>> listk = anc.load("listk")
    >>> anc.harden(anc.soften(listk)) == listk
    True
    """
    from anc.machine.weights import Weights, harden

    if not isinstance(weights, Weights):
        raise AncError(f"expected weights, found {quoted(weights)}")
    return harden(weights)


def load(where: str | Path) -> Program | Weights:
    """A program or weights: a shipped program's name, or a .anc, .json or .safetensors file.

    >>> import anc
    >>> anc.load("access").L
    5
    """
    return load_given(where).thing


@overload
def save(thing: Program, path: str | Path) -> None: ...
@overload
def save(thing: Weights, path: str | Path) -> None: ...
def save(thing, path):
    """Write a program (.anc or .json) or weights (.safetensors) to a file.

    >>> import anc, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "listk.safetensors"
    >>> anc.save(anc.soften(anc.load("listk")), path)
    >>> anc.harden(anc.load(path)) == anc.load("listk")
    True
    """
    from anc.compiler import to_text
    from anc.files import write_atomically

    path = checked_path(path)
    if not isinstance(thing, Program):
        from anc.machine.files import save_weights
        from anc.machine.weights import Weights

        if not isinstance(thing, Weights):
            raise AncError(f"expected a program or weights to save, found {quoted(thing)}")
        if path.suffix != ".safetensors":
            raise AncError(f"weights are saved as .safetensors files, not as {path.name!r}")
        save_weights(thing, path)
    elif path.suffix == ".json":
        write_atomically(path, thing.to_json().encode())
    elif path.suffix == ".anc":
        write_atomically(path, to_text(thing).encode())
    else:
        raise AncError(f"programs are saved as .anc or .json files, not as {path.name!r}")


@checked(n=limits.COUNT)
def sample(task: str, n: int = 10, biased: bool = False, seed: int = 0) -> list[Case]:
    """Cases of a task: input tape, expected tape, and the mask of the cells that count.

    >>> import anc
    >>> case, = anc.sample("access", n=1, biased=True)
    >>> case.input[0], case.output[0] == case.input[4]
    (3, True)
    """
    from anc import tasks

    return tasks.get(task).draw(biased, n, seed)
