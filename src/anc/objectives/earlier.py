"""An earlier result for an objective: its program is where a new search begins."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from anc.diagnostics import AncError
from anc.folders import earlier_result
from anc.language import Source
from anc.loading import compiled
from anc.program import Program

if TYPE_CHECKING:
    from anc.objectives.adapt import Aimed


def read_earlier(folder: Path, aimed: Aimed) -> Program:
    """The program that `anc adapt --objective ... -o` left in a folder, if it was made of the same one."""
    data, name = earlier_result(folder, "anc adapt --objective ...")
    return earlier_program(data, aimed, name)


def earlier_program(data: Any, aimed: Aimed, name: str = "the earlier result") -> Program:
    """The program of a result as plain data."""
    known = data if isinstance(data, dict) else {}
    texts = [text for key in ("generic", "program") if isinstance(text := known.get(key), str)]
    if len(texts) < 2 or "comparison" not in known:
        raise AncError(f"{name} is not a result of anc adapt for an objective")
    M = aimed.instances.M
    try:
        generic, program = (_program(text, M) for text in texts)
    except AncError as problem:
        raise AncError(f"{name} is not a result for a memory of {M}: {problem.message}") from None
    if generic != _program(aimed.text, M):
        raise AncError(
            f"{name} is about another program than '{aimed.name}'",
            help="start from a result for the same generic program",
        )
    if not aimed.program.keeps(program):
        raise AncError(f"the program of {name} does not leave the frozen lines alone")
    return program


def _program(text: str, M: int) -> Program:
    return compiled(Source(text, "<an earlier result>"), M).program
