"""What the page of `anc play` is given: its engine as one function of JavaScript, the programs and the tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from importlib import resources
from typing import Any

from anc import isa
from anc.data import programs, tasks
from anc.pages.play_javascript import sets_script
from anc.training.settings import load_settings

TASKS = ("access", "increment", "swap", "listk", "addition", "sort")  # of the paper's Table 1
ENGINE = (
    "play_machine_sets",
    "play_machine_exact",
    "play_listing_words",
    "play_listing_parse",
    "play_listing_resolve",
    "play_listing_registers",
    "play_listing_print",
    "play_machine_weights",
    "play_machine_outputs",
    "play_machine_soft",
    "play_train_gradient",
    "play_train_cases",
    "play_train_member",
    "play_train_worker",
)
SETS = (("paper", isa.PAPER), ("wide", isa.WIDE))


def engine_script(sets: Sequence[tuple[str, isa.InstructionSet]] = SETS) -> str:
    """A script that declares one function, `playEngine`; a page calls it, and so does its worker."""
    folder = resources.files("anc.pages").joinpath("static")
    texts = [folder.joinpath(f"{name}.js").read_text(encoding="utf-8") for name in ENGINE]
    exported = folder.joinpath("play_machine.js").read_text(encoding="utf-8")
    body = "\n".join([*texts, sets_script(sets), exported])
    return f'function playEngine() {{\n"use strict";\n{body}}}\n'


def play_data() -> dict[str, Any]:
    """The thirteen programs, and the six tasks that can be trained, as plain data."""
    return {
        "programs": [_program(task) for task in tasks.all_tasks()],
        "tasks": {name: _task(tasks.get(name)) for name in TASKS},
    }


def _program(task: tasks.Task) -> dict[str, Any]:
    return {
        "name": task.name,
        "summary": task.summary,
        "text": task.source.text,
        "memory": task.M,
        "lines": task.program.L,
        "registers": task.program.R,
        "tape": list(_first_example(task)),
    }


def _first_example(task: tasks.Task) -> tuple[int, ...]:
    """The tape of the paper's example, which stands first in every listing."""
    from anc.compiler import compile_source

    return compile_source(programs.source(task.name)).examples[0].input


def _task(task: tasks.Task) -> dict[str, Any]:
    return {
        "memory": task.M,
        "bias": task.bias,
        "ideal": task.ideal,
        "text": task.source.text,
        "settings": asdict(load_settings(task.name, "ours")),
    }
