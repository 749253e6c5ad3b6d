"""Folders that commands leave, with a file of theirs damaged: pages, figures, and going on with a run."""

from __future__ import annotations

import json
import os
import shutil
from functools import cache
from pathlib import Path
from random import Random

from pages.folders import adapt_folder, table1_folder, training_folder, two_answers_folder

from anc.support.diagnostics import AncError
from fuzzing.entry import Entry, Parts, Wrong
from fuzzing.mutate import NUMBERS, mutated_bytes, mutated_json, mutated_text

FOLDER = Path("folder")


@cache
def intact(kind: str) -> dict[str, bytes]:
    """The files of a folder as anc leaves it."""
    make = {
        "adapt": adapt_folder,
        "answers": two_answers_folder,
        "table1": table1_folder,
        "train": lambda path: training_folder(path, seeds=2, iterations=40),
    }[kind]
    path = Path(f"intact-{kind}").absolute()
    make(path)
    found = {
        str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()
    }
    shutil.rmtree(path)
    if kind == "train":  # fewer cases, which are drawn again whenever the folder is read
        about = json.loads(found["run.json"])
        about["origin"] |= {"pool": 20, "test": 20}
        found["run.json"] = json.dumps(about).encode()
    return dict(sorted(found.items()))


def damaged(random: Random, name: str, data: bytes) -> str:
    """A file with something wrong in it, as latin-1."""
    if name.endswith(".safetensors"):
        return mutated_bytes(random, data.decode("latin-1"))
    if random.random() < 0.25:
        return (
            mutated_text(random, data.decode(), NUMBERS)
            .encode("utf-8", "replace")
            .decode("latin-1")
        )
    if name.endswith(".json"):
        return json.dumps(mutated_json(random, json.loads(data)))
    if name.endswith(".jsonl"):
        lines = [json.loads(line) for line in data.decode().splitlines()]
        found = [mutated_json(random, x, 1) if random.random() < 0.3 else x for x in lines]
        return "".join(json.dumps(line) + "\n" for line in found)
    return mutated_text(random, data.decode(), NUMBERS).encode("utf-8", "replace").decode("latin-1")


def make(kind: str, random: Random) -> Parts:
    """The kind of folder, and the files that are not as they were; one without a text is missing."""
    files = intact(kind)
    texts = [name for name in files if name.endswith((".json", ".jsonl"))]
    parts = {"kind": kind}
    for _ in range(random.choice((1, 1, 1, 2))):
        name = random.choice(texts if random.random() < 0.75 else list(files))
        parts[name] = damaged(random, name, files[name]) if random.random() < 0.95 else ""
    return parts


def folder(parts: Parts) -> Path:
    """The folder with the damaged files in it."""
    if parts["kind"] not in ("adapt", "answers", "table1", "train"):
        raise AncError("no such folder")
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name, data in intact(parts["kind"]).items():
        file = FOLDER / name
        file.parent.mkdir(parents=True, exist_ok=True)
        text = parts.get(name)
        if text is None:
            file.write_bytes(data)
        elif text:
            file.write_bytes(text.encode("latin-1", "replace"))
    return FOLDER


def make_report(random: Random) -> Parts:
    return make(random.choice(("adapt", "answers", "answers", "table1")), random)


def check_report(parts: Parts) -> bool:
    """A folder has a page, or it is said what is wrong with it."""
    from anc.pages.page import report_page

    page = report_page(folder(parts))
    if "<html" not in page:
        raise Wrong("a page that is none")
    return True


def make_run(random: Random) -> Parts:
    return make("train", random)


def check_resume(parts: Parts) -> bool:
    """All that `anc train --resume` reads before it goes on."""
    from anc.training import fused
    from anc.training.folder import RunFolder
    from anc.training.training import Training

    found = RunFolder(folder(parts))
    problem, members = found.problem(), found.members()
    if found.describe()["engine"] not in ("fused", "jax"):
        raise AncError("no such engine")
    if len(members.seeds) > 50 or problem.M > 100 or members.shared.registers > 100:
        raise AncError("too large to be tried here")
    found.restore(Training(problem, members, fused))
    return True


def make_figures(random: Random) -> Parts:
    return make(random.choice(("adapt", "answers", "table1", "train")), random)


def check_figures(parts: Parts) -> bool:
    from anc.pages.figures import save_figures
    from anc.pages.page import folder_figures

    figures = folder_figures(folder(parts))
    if not figures:
        return False
    name = sorted(figures)[len(parts[max(parts)]) % len(figures)]
    save_figures(figures, [name], Path("figures"), ["svg"])
    return True


def warm() -> None:
    os.environ.setdefault("MPLBACKEND", "Agg")
    for kind in ("adapt", "answers", "table1", "train"):
        intact(kind)


ENTRIES = (
    Entry("report-page", make_report, check_report, share=80),
    Entry("report-run", make_run, check_report, share=30, warm=warm, tested=0),
    Entry("train-resume", make_run, check_resume, share=50, warm=warm, tested=0),
    Entry("figure", make_figures, check_figures, share=2, seconds=30, warm=warm, tested=0),
)
