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
    "Memory size in cells, overriding the program's own.",
    limits.MEMORY,
    words="--memory -m",
    metavar="M",
    section="Input",
)
MEMORY_LIMIT = option(
    None,
    "Memory limit, such as 4GB  [default: half of what is free]",
    limits.MEMORY_LIMIT,
    section="Budget",
)
DATA = option(
    None,
    'Your cases as JSON lines: {"input": [...], "output": [...], "mask": [...]}; for a Python'
    " function, the arguments of a call in each: [[3, 9, 1], 2].",
    File(),
    words="--data",
    section="Input",
)
ASSUME = option(
    (),
    'A fact such as "tape[0] == 3"; may be repeated.',
    Texts("facts as texts", 'write ["tape[0] == 3"]'),
    metavar="FACT",
    section="Input",
    repeated=True,
)
FREEZE = option(
    (),
    "Program lines that stay unchanged, such as 3-7,12 (the first is 0).",
    LineNumbers(),
    section="Input",
)
COST = option(
    None,
    "What is minimised: steps, python, c, or what anc calibrate measured: mine, mine:c, FILE"
    "  [default: python for Python functions, else steps]",
    FileOr(),
    metavar="COST",
    section="Answer",
)
START = option(
    None,
    "Start from an earlier result.",
    FileOr(),
    words="--from",
    metavar="FOLDER",
    section="Input",
)
GENERIC = option(
    False,
    "Adapt a task to its generic distribution.",
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
BUDGET = option(60.0, "Time to spend.", Seconds(), shown="60s", section="Budget")
EVALUATIONS = option(
    None,
    "Budget in evaluations (about 100,000 per second); makes results reproducible.",
    limits.EVALUATIONS,
    section="Budget",
    excludes="budget",
)
SEEDS = option(100, "Number of random starts.", limits.SEEDS, section="Search")
SEED = option(0, "Seed of random choices.", limits.SEED, section="Search")
ENGINES = ("auto", "fused", "gpu", "jax")
ENGINE = option(
    "fused",
    "Training engine: fused on the CPU, gpu on a GPU, jax for comparison; auto is the fastest here.",
    OneOf(ENGINES),
    section="Search",
)
MAX_STEPS = option(1_000, "Give up after this many steps.", limits.MAX_STEPS, section="Search")
TRACED_STEPS = option(MAX_STEPS, kind=limits.TRACED_STEPS)
TAPE = option(
    None, 'The tape, such as "3 2 2 9 15"; zeros fill it up to M cells.', Tape(), words="--tape -t"
)
CALL = option(
    None,
    'For a Python function: its arguments instead of a tape, such as "[3, 9, 1], 2".',
    excludes="tape",
    metavar="ARGUMENTS",
)
MACHINE = option("exact", "Run on numbers, or on distributions.", OneOf(("exact", "soft")))
RUN_SHARPNESS = option(
    None,
    "Sharpness of the soft machine's weights  [default: 20, as good as exact]",
    limits.SHARPNESS,
    words="--sharpness -s",
)
JOBS = option(
    None,
    "Parallel training processes  [default: one per core, if worthwhile]",
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
    "Leave checks of types out of adapted.py: callers keep to its annotations.",
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
        f"Sharpness of {what}  [default: 5, room for gradient descent to move; 20 is as good as exact]",
        limits.SHARPNESS,
        words="--sharpness -s",
    )
