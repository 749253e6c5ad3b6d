"""Command lines: every command, in this process, with values that nobody should give."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import shutil
import sys
from functools import cache
from pathlib import Path
from random import Random
from unittest import mock

import click

from anc import programs
from anc.diagnostics import AncError
from anc.machine.exact import run
from anc.machine.tapes import fill, parse_tape
from fuzzing.data import FUNCTION
from fuzzing.entry import Entry, Parts, Wrong, same
from fuzzing.examine import fault_of_message
from fuzzing.listings_made import any_listing, listing
from fuzzing.mutate import NUMBERS, mutated_text

# Options that bound the work of commands that search or train.
TINY = {
    "adapt": ["--budget", "0.05s"],
    "fill": ["--budget", "0.05s", "--seeds", "2"],
    "train": ["--iterations", "3", "--seeds", "2", "--max-steps", "8"],
    "sweep": ["--seeds", "1", "--samples", "1", "--settings", "tiny.toml"],
}
TEST = ["--machines", "exact,hardened"]  # the soft one is compiled anew for every size
SEARCHING = tuple(TINY)
SOFT = ("figure", "decompile", "test")  # draw, or run the soft machine
NEVER = ("table1", "experiment")  # a single run takes minutes whatever the options say
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
    from anc.cli.main import app

    return {name: each for name, each in app.commands.items() if name not in NEVER}


@cache
def weights_bytes() -> bytes:
    from anc import api

    api.save(api.soften("access"), "w.safetensors")
    return Path("w.safetensors").read_bytes()


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
    for option in random.sample(options, random.randint(0, min(3, len(options)))):
        words += _option(random, option)
    if name in ("run", "trace", "figure", "decompile") and random.random() < 0.8:
        words += ["--tape", random.choice(("3 2 1 4", "3 1 2 5 4 7 5", random.choice(WORDS)))]
    if name in SEARCHING and random.random() < 0.9:
        words += ["--data", "cases.jsonl"] if random.random() < 0.7 else []
        words += ["--grid", "grid.toml"] if name == "sweep" else []
    words = [word.replace("\x00", "") for word in words]  # no command line has one
    words += TINY.get(name, TEST if name == "test" and not names else [])
    if random.random() < 0.05:
        words.insert(random.randint(0, len(words)), random.choice((*WORDS, "--help", "--version")))
    text = mutated_text(random, listing(random, 10), WORDS)
    cases = "\n".join(
        json.dumps({"input": [random.randrange(5) for _ in range(5)]}) for _ in range(6)
    )
    bad = mutated_text(random, cases, NUMBERS)
    return {"words": json.dumps(words), "mutated.anc": text, "cases.jsonl": cases, "bad.jsonl": bad}


def _target(random: Random, name: str) -> str:
    """What stands for PROGRAM, TASK or FOLDER."""
    kind = random.random()
    if name == "report" and kind < 0.5:
        return "result"
    if name == "fill" and kind < 0.7:
        return "sketch.anc"
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


def prepared(parts: Parts) -> None:
    """An empty folder with the files of an input in it, to work in."""
    shutil.rmtree("work", ignore_errors=True)
    folder = Path("work/result")
    folder.mkdir(parents=True)
    from fuzzing.folders import intact

    for name, data in intact("answers").items():
        (folder / name).write_bytes(data)
    texts = {
        "good.anc": programs.source("access").text,
        "sketch.anc": "memory 10; var x = READ(0); x = ?(x, ? in (1, 2)); WRITE(0, x); STOP()",
        "f.py": FUNCTION,
        "tiny.toml": "iterations = 3\nmax_steps = 6\n",
        "grid.toml": "rate = [0.1, 0.2]\n",
        **{name: text for name, text in parts.items() if name != "words"},
    }
    for name, text in texts.items():
        Path("work", name).write_bytes(text.encode("utf-8", "surrogatepass"))
    Path("work/weights.safetensors").write_bytes(weights_bytes())


def check(parts: Parts) -> bool:
    """A command ends with 0, 1 or 2, says why, and shows no traceback; JSON is JSON."""
    try:
        words = [str(word) for word in json.loads(parts["words"])]
    except (ValueError, TypeError):
        raise AncError("no words") from None
    prepared(parts)
    code, out, err = called(words, parts["cases.jsonl"])
    if code not in (0, 1, 2):
        raise Wrong(f"exit status {code} of anc {words[0]}: {err[-1500:]}")
    if code == 2 and not err.strip():
        raise Wrong(f"anc {words[0]} refuses without a word")
    fault = fault_of_message(err or "none")
    if fault and "too long" not in fault:
        raise Wrong(f"{fault} of anc {words[0]}: {err[:1500]!r}")
    if "--json" in words and code == 0 and "--help" not in words and "-h" not in words:
        _is_json(out, words)
    return code != 2


def _is_json(out: str, words: list[str]) -> None:
    try:
        found = json.loads(out)
    except ValueError:
        raise Wrong(f"anc {shlex.join(words)} --json prints no JSON: {out[:500]!r}") from None
    if (
        words[:1] == ["run"]
        and words[1] in programs.names()
        and "--memory" not in words
        and "-m" not in words
    ):
        from anc.loading import load

        if (
            words.count("--tape") + words.count("-t") == 1
            and "soft" not in words
            and "--call" not in words
        ):
            program = load(words[1]).program
            place = words.index("--tape" if "--tape" in words else "-t")
            tape = fill(parse_tape(words[place + 1]), program.memory)
            wanted = run(program, tape, found["steps"])
            same("tape of anc run", found["tape"], list(wanted.tape))


def called(words: list[str], stdin: str) -> tuple[object, str, str]:
    """Exit status, output and errors of the command in this process."""
    from anc.cli.main import main

    out, err = io.StringIO(), io.StringIO()
    typed = io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8", "replace")))
    before = os.getcwd()
    code: object = 0
    with (
        mock.patch.object(sys, "argv", ["anc", *words]),
        mock.patch.object(sys, "stdin", typed),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        os.chdir("work")
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        finally:
            os.chdir(before)
    return code, out.getvalue(), err.getvalue()


def make_soft(random: Random) -> Parts:
    return make(random, SOFT)


def make_search(random: Random) -> Parts:
    return make(random, SEARCHING)


def warm() -> None:
    weights_bytes()
    for number in range(12):
        with contextlib.suppress(Exception):
            check(make(Random(f"warm/{number}")))


def warm_search() -> None:
    warm()
    for words in (
        ["adapt", "good.anc", "--budget", "1s"],
        ["train", "good.anc", "--iterations", "3"],
    ):
        parts = make_search(Random(0))
        with contextlib.suppress(Exception):
            check(parts | {"words": json.dumps([*words, "--data", "cases.jsonl"])})


ENTRIES = (
    Entry("command", make, check, share=160, seconds=20, warm=warm),
    Entry("command-soft", make_soft, check, share=4, seconds=60, warm=warm, tested=0),
    Entry("command-search", make_search, check, share=3, seconds=60, warm=warm_search, tested=0),
)
