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

from anc.commands.proofs import UNKNOWN
from anc.data import programs
from anc.machine.exact import run
from anc.machine.tapes import fill, parse_tape
from anc.support.diagnostics import AncError
from fuzzing.commands_made import SEARCHING, SOFT, make
from fuzzing.data import FUNCTION
from fuzzing.entry import Entry, Parts, Wrong, same
from fuzzing.examine import fault_of_message


@cache
def weights_bytes() -> bytes:
    import anc

    anc.save(anc.soften("access"), "w.safetensors")
    return Path("w.safetensors").read_bytes()


def prepared(parts: Parts) -> None:
    """An empty folder with the files of an input in it, to work in.

    It stays the same folder: processes that were started in it may still be there.
    """
    work = Path("work")
    work.mkdir(exist_ok=True)
    for each in work.iterdir():
        shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()
    folder = work / "result"
    folder.mkdir()
    from fuzzing.folders import intact

    for name, data in intact("answers").items():
        (folder / name).write_bytes(data)
    texts = {
        "good.anc": programs.source("access").text,
        "follow.anc": "memory 10; var x = READ(0); x = INC(x); x = INC(x); WRITE(0, x); STOP()",
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
    """A command ends as it should, says why, and shows no traceback; JSON is JSON."""
    try:
        words = [str(word) for word in json.loads(parts["words"])]
    except (ValueError, TypeError):
        raise AncError("no words") from None
    prepared(parts)
    code, out, err = called(words, parts["cases.jsonl"])
    if code not in (0, 1, 2) and not (code == UNKNOWN and words[0] in ("verify", "guard")):
        raise Wrong(f"exit status {code} of anc {words[0]}: {err[-1500:]}")
    if code == 2 and not err.strip():
        raise Wrong(f"anc {words[0]} refuses without a word")
    fault = fault_of_message(err or "none")
    if fault and "too long" not in fault:
        raise Wrong(f"{fault} of anc {words[0]}: {err[:1500]!r}")
    if "--json" in words and code == 0 and not {"--help", "-h", "--version"} & set(words):
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
        from anc.data.loading import load

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
    from anc.commands.main import main

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
