"""Command lines of every command, from its own options and values that nobody should give."""

from __future__ import annotations

import json
from functools import cache
from random import Random

import click

from anc.data import programs
from fuzzing.entry import Parts
from fuzzing.listings_made import any_listing, listing
from fuzzing.mutate import NUMBERS, mutated_text

# Options that bound the work of commands that search or train.
TINY = {
    "adapt": ["--budget", "0.05s"],
    "fill": ["--budget", "0.05s", "--seeds", "2"],
    "train": ["--iterations", "3", "--seeds", "2", "--max-steps", "8"],
    "sweep": ["--seeds", "1", "--settings", "tiny.toml"],
}
TEST = ["--machines", "exact,hardened"]  # the soft one is compiled anew for every size
SEARCHING = tuple(TINY)
SOFT = ("figure", "decompile", "test")  # draw, or run the soft machine
NEVER = (
    "table1",
    "experiment",
    "play",
)  # a single run takes minutes, or serves until it is interrupted
FILES = (
    "good.anc", "mutated.anc", "sketch.anc", "f.py", "f.py:chosen", "f.py:nothing", "cases.jsonl", "bad.jsonl",
    "weights.safetensors", "result", "tiny.toml", "grid.toml", "nowhere.anc", "nowhere/x", ".", "..", "-", "",
    "/dev/null", "a" * 300, "good.anc/x", "x\udcff.anc",
)  # fmt: skip
WORDS = (
    "tape[0] == 3", "tape[0] <", "READ=3", "READ=nan", "lines=-1", "x", "exact", "soft", "0-3,5", "3-1", "listing",
    "json", "python", "c", "svg", "all", "search", "specialise", "gradient", "proof", "samples", "fused", "jax", "ours",
    "published", "0.05s", "1h", "-1s", "nan", "1e400", "", " ", "\x1b[31m", "é", "--", "-x", "3 2 2", "1 2 3 4 5",
)  # fmt: skip


@cache
def commands() -> dict[str, click.Command]:
    from anc.commands.main import app, commands_of

    return {name: each for name, each in commands_of(app).items() if name not in NEVER}


def make(random: Random, names: tuple[str, ...] = ()) -> Parts:
    """A command line, and the files that it may name."""
    quick = [name for name in commands() if name not in SEARCHING and name not in SOFT]
    name = random.choice(names or (*quick, "test"))
    words = [name]
    for parameter in commands()[name].params:
        if isinstance(parameter, click.Argument):
            many = random.choice((1, 1, 1, 1, 1, 2)) if parameter.nargs == -1 else 1
            words += [_target(random, name) for _ in range(many if random.random() < 0.97 else 0)]
    options = [p for p in commands()[name].params if isinstance(p, click.Option)]
    most = 1 if name in SEARCHING else 3  # or nothing would ever be searched for
    for option in random.sample(options, random.randint(0, min(most, len(options)))):
        words += _option(random, option)
    if name in ("run", "trace", "figure", "decompile") and random.random() < 0.8:
        words += ["--tape", random.choice(("3 2 1 4", "3 1 2 5 4 7 5", random.choice(WORDS)))]
    if name in SEARCHING and random.random() < 0.95:
        answers = "answers.jsonl" if name == "fill" else "cases.jsonl"
        words += ["--data", answers] if name == "fill" or random.random() < 0.7 else []
        words += ["--grid", "grid.toml"] if name == "sweep" else []
    words = [word.replace("\x00", "") for word in words]  # no command line has one
    if name in SEARCHING:  # with 256 seeds it is 256 searches
        words = ["3" if word in ("255", "256") else word for word in words]
    words += TINY.get(name, TEST if name == "test" and not names else [])
    if name not in TINY and any("--budget" in option.opts for option in options):
        words += ["--budget", "0.3s"]
    if random.random() < 0.05:
        words.insert(random.randint(0, len(words)), random.choice((*WORDS, "--help", "--version")))
    text = mutated_text(random, listing(random, 10), WORDS)
    cases = "\n".join(
        json.dumps({"input": [random.randrange(5) for _ in range(5)]}) for _ in range(6)
    )
    files = {
        "mutated.anc": text,
        "cases.jsonl": cases,
        "bad.jsonl": mutated_text(random, cases, NUMBERS),
    }
    files["answers.jsonl"] = "\n".join(
        json.dumps({"input": [k, 2, 3], "output": [value, 2, 3], "mask": [1, 0, 0]})
        for k, value in ((0, 2), (1, 3), (2, 4), (4, random.choice((5, 6, 2))))
    )
    return {"words": json.dumps(words), **files}


def _target(random: Random, name: str) -> str:
    """What stands for PROGRAM, TASK or FOLDER."""
    kind = random.random()
    if name == "report" and kind < 0.5:
        return "result"
    if name == "fill" and kind < 0.8:
        return "sketch.anc"
    if name in SEARCHING and kind < 0.8:
        return random.choice(("access", "follow.anc", "follow.anc", "swap", "f.py:chosen"))
    if kind < 0.4:
        return random.choice(programs.names())
    if kind < 0.7:
        return random.choice(
            ("good.anc", "good.anc", "mutated.anc", "f.py:chosen", "weights.safetensors")
        )
    if kind < 0.75:
        return any_listing(random)
    return random.choice((*FILES, *WORDS))


def _option(random: Random, option: click.Option) -> list[str]:
    word = random.choice(option.opts + option.secondary_opts)
    if option.is_flag:
        return [word]
    kind = option.type
    if isinstance(kind, click.Choice) and random.random() < 0.8:
        return [word, str(random.choice(kind.choices))]
    if isinstance(kind, click.Path) and random.random() < 0.9:
        return [
            word,
            random.choice(
                (
                    *FILES,
                    "out",
                    "out.anc",
                    "out.safetensors",
                    "out.json",
                    "out.py",
                    "out.h",
                    "x.html",
                )
            ),
        ]
    if (
        isinstance(kind, click.types.IntParamType | click.types.FloatParamType)
        and random.random() < 0.8
    ):
        return [word, random.choice(NUMBERS)]
    return [word, random.choice((*NUMBERS, *WORDS))]
