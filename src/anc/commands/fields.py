"""Fields that several requests have."""

from __future__ import annotations

from typing import Any, TypeVar

from anc.commands.kinds import File, FileOr, Lines, Seconds, Tape, Texts, Word, Words
from anc.commands.request import Idle, Option
from anc.support import limits

R = TypeVar("R", covariant=True)

PROGRAM: Any = Option(metavar="PROGRAM", is_argument=True, is_needed=True, completes="programs")
TARGET: Any = PROGRAM.but(metavar="TASK or PROGRAM")
MEMORY: Any = Option(
    kind=limits.MEMORY,
    words=("--memory", "-m"),
    metavar="M",
    help="Cells of memory, whatever the program says.",
    section="Input",
)
MEMORY_LIMIT: Any = Option(
    kind=limits.MEMORY_LIMIT,
    metavar="SIZE",
    help="Memory that all of it may take, such as 4GB  [default: half of what is free]",
    section="Budget",
)
DATA: Any = Option(
    kind=File(),
    words=("--data",),
    help='Your cases as JSON lines: {"input": [...], "output": [...], "mask": [...]}; for a Python'
    " function, the arguments of a call in each: [[3, 9, 1], 2].",
    section="Input",
)
ASSUME: Any = Option(
    (),
    kind=Texts("facts as texts", 'write ["tape[0] == 3"]'),
    metavar="FACT",
    help='A fact such as "tape[0] == 3"; may be repeated.',
    section="Input",
    repeated=True,
)
FREEZE: Any = Option(
    (),
    kind=Lines(),
    metavar="LINES",
    help="Program lines that stay as they are, such as 3-7,12 (the first is 0).",
    section="Input",
)
START: Any = Option(
    kind=FileOr(),
    words=("--from",),
    metavar="FOLDER",
    help="Begin with what an earlier result found.",
    section="Input",
)
GENERIC: Any = Option(False, help="Adapt a task to its generic distribution.", section="Input")
BUDGET: Any = Option(60.0, kind=Seconds(), shown="60s", help="Time to spend.", section="Budget")
EVALUATIONS: Any = Option(
    kind=limits.EVALUATIONS,
    metavar="N",
    help="Work to spend instead of time: about 100,000 in a second, and always the same result.",
    section="Budget",
    excludes="budget",
)
SEEDS: Any = Option(
    100,
    kind=limits.SEEDS,
    metavar="S",
    shown=True,
    help="How many random starts.",
    section="Search",
)
SEED: Any = Option(
    0, kind=limits.SEED, shown=True, help="Where random choices begin.", section="Search"
)
ENGINES = ("auto", "fused", "gpu", "jax")
ENGINE: Any = Option(
    "fused",
    kind=Words(ENGINES),
    shown=True,
    help="What trains: fused on the CPU, gpu on a graphics card, jax to compare; auto is the fastest here.",
    section="Search",
)
MAX_STEPS: Any = Option(
    1_000,
    kind=limits.MAX_STEPS,
    metavar="N",
    shown=True,
    help="Give up after so many steps.",
    section="Search",
)
TRACED_STEPS: Any = MAX_STEPS.but(kind=limits.TRACED_STEPS)
TAPE: Any = Option(
    kind=Tape(),
    words=("--tape", "-t"),
    help='The tape, such as "3 2 2 9 15"; zeros fill it up to M cells.',
)
CALL: Any = Option(
    excludes="tape",
    metavar="ARGUMENTS",
    help='Of a Python function: its arguments instead of a tape, such as "[3, 9, 1], 2".',
)
MACHINE: Any = Option(
    "exact", kind=Words(("exact", "soft")), shown=True, help="Run on numbers, or on distributions."
)
RUN_SHARPNESS: Any = Option(
    kind=limits.SHARPNESS,
    words=("--sharpness", "-s"),
    help="Sharpness of the soft machine's weights  [default: 20, as good as exact]",
)
JOBS: Any = Option(
    kind=limits.JOBS,
    metavar="N",
    help="Processes that train at the same time  [default: one for each core, if it is worth it]",
    section="Budget",
)
ON: Any = Option(
    "local",
    kind=Word(),
    shown=True,
    metavar="local|ray|ray://HOST:PORT",
    help="Train on this machine, on its Ray cluster, or on one elsewhere.",
    section="Search",
)
OUTPUT: Any = Option(kind=File(), words=("-o", "--output"), section="Output")
FORCE: Any = Option(
    False,
    help="Replace whatever result is in the folder; other files stay.",
    section="Output",
    idle=(
        Idle("output", None, "replaces the result in a folder, and none is named", "add -o FOLDER"),
    ),
)


def sharpness_of(what: str) -> Any:
    """How sharp weights become that are looked at, or saved to be trained."""
    return Option(
        limits.SOFT,
        kind=limits.SHARPNESS,
        words=("--sharpness", "-s"),
        help=f"Sharpness of {what}  [default: 5, room for gradient descent to move; 20 is as good as exact]",
    )
