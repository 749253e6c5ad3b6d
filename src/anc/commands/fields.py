"""Fields shared by several requests."""

from __future__ import annotations

from typing import Any

from anc.commands.kinds import File, FileOr, LineNumbers, OneOf, Seconds, Tape, Texts
from anc.commands.request import GIVEN, Idle, option
from anc.support import limits

PROGRAM = option(metavar="PROGRAM", is_argument=True, is_needed=True, completes="programs")
TARGET = option(PROGRAM, metavar="TASK or PROGRAM")
MEMORY = option(
    None,
    "Use a memory of M cells instead of the program's own.",
    limits.MEMORY,
    words="--memory -m",
    metavar="M",
    section="Input",
)
MEMORY_LIMIT = option(
    None,
    "Limit the memory of all processes together, such as 4GB.  [default: half of what is free]",
    limits.MEMORY_LIMIT,
    section="Budget",
)
DATA = option(
    None,
    'Read your cases from this file of JSON lines: {"input": [...], "output": [...], "mask": [...]};'
    " for a Python function, the arguments of a call in each: [[3, 9, 1], 2].",
    File(),
    words="--data",
    section="Input",
)
ASSUME = option(
    (),
    'Assume this fact about the input tape, such as "tape[0] == 3"; may be repeated.',
    Texts("facts as texts", 'write ["tape[0] == 3"]'),
    metavar="FACT",
    section="Input",
    repeated=True,
)
FREEZE = option(
    (),
    "Keep these program lines unchanged, such as 3-7,12; the first is 0.",
    LineNumbers(),
    section="Input",
)
COST = option(
    None,
    "Minimise this cost: steps, python, c, or a table of anc calibrate (mine, mine:c, FILE)."
    "  [default: python for Python functions, else steps]",
    FileOr(),
    metavar="COST",
    section="Answer",
)
START = option(
    None,
    "Start from the earlier result in this folder.",
    FileOr(),
    words="--from",
    metavar="FOLDER",
    section="Input",
)
GENERIC = option(
    False,
    "Adapt a task to its generic distribution instead of its biased one.",
    section="Input",
    idle=(
        Idle(
            "samples",
            GIVEN,
            "is about the cases of a task, and {} gives others",
            "give one of them",
        ),
    ),
)
BUDGET = option(
    60.0, "Stop after this time, such as 20s or 5m.", Seconds(), shown="60s", section="Budget"
)
EVALUATIONS = option(
    None,
    "Stop after this much work (about 100,000 evaluations per second), for the same result on every"
    " machine.",
    limits.EVALUATIONS,
    section="Budget",
    excludes="budget",
)
SEEDS = option(100, "Use this many random seeds.", limits.SEEDS, section="Search")
SEED = option(0, "Use this seed for random choices.", limits.SEED, section="Search")
ENGINES = ("auto", "fused", "gpu", "jax")
ENGINE = option(
    "fused",
    "Train with this engine: fused on the CPU, gpu on a GPU, jax for comparison, auto for the fastest"
    " here.",
    OneOf(ENGINES),
    section="Search",
)
MAX_STEPS = option(1_000, "Stop a run after this many steps.", limits.MAX_STEPS, section="Machine")
TRACED_STEPS = option(MAX_STEPS, kind=limits.TRACED_STEPS)
TAPE = option(
    None,
    'Run on this tape, such as "3 2 2 9 15"; missing cells are 0.',
    Tape(),
    words="--tape -t",
    section="Input",
)
CALL = option(
    None,
    'Call a Python function with these arguments, such as "[3, 9, 1], 2".',
    excludes="tape",
    section="Input",
    metavar="ARGUMENTS",
)
MACHINE = option(
    "exact",
    "Run on the exact machine (numbers) or on the soft one (distributions).",
    OneOf(("exact", "soft")),
    section="Machine",
)
RUN_SHARPNESS = option(
    None,
    "Soften the program with this sharpness.  [default: 20, as good as exact]",
    limits.SHARPNESS,
    words="--sharpness -s",
    section="Machine",
)
JOBS = option(
    None,
    "Train in this many processes.  [default: one per core, if worthwhile]",
    limits.JOBS,
    section="Budget",
)
ON = option(
    "local",
    "Train on this machine, on its Ray cluster, or on one elsewhere.",
    metavar="local|ray|ray://HOST:PORT",
    section="Search",
)
OUTPUT = option(None, kind=File(), words="-o --output", section="Output")
TRUST_TYPES = option(
    False,
    "Leave type checks out of adapted.py, because callers keep to its annotations.",
    section="Output",
)
FORCE = option(
    False,
    "Replace an existing result in the folder; other files stay.",
    section="Output",
    idle=(
        Idle("output", None, "replaces the result in a folder, and none is named", "add -o FOLDER"),
    ),
)


def sharpness_of(what: str) -> Any:
    """The sharpness of weights that are displayed, or saved for training."""
    return option(
        limits.SOFT,
        f"Soften {what} with this sharpness.  [default: 5, room for gradient descent to move; 20 is as"
        " good as exact]",
        limits.SHARPNESS,
        words="--sharpness -s",
        section="Weights",
    )
