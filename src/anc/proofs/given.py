"""What a person gives to be proved: two programs, or a folder of `anc adapt`, with facts and cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from anc.diagnostics import AncError, quoted
from anc.loading import Loaded, is_folder
from anc.proofs.calls import same_memory
from anc.proofs.kept import Kept, read_kept
from anc.proofs.pair import Pair, paired
from anc.tasks.cases import Case
from anc.tasks.data import cases_from
from anc.tasks.recorded import read_samples

Load = Callable[[Any, int | None], Loaded]


def given_pair(
    generic: Any,
    adapted: Any,
    assume: Sequence[str],
    data: Any,
    counts: Sequence[int] | None,
    memory: int | None,
    load: Load,
) -> tuple[Pair, str]:
    """The pair, and what is to be said about the file that its cases are from.

    Of a folder of `anc adapt`, the adapted program, its facts and the cells that count; without a second
    name, the generic program as well. `load` loads what else is named.
    """
    if adapted is None:
        if not is_folder(generic):
            raise AncError(
                f"what should {_shown(generic)} be compared with?",
                help="name two programs, or a folder that anc adapt -o FOLDER wrote",
            )
        kept = _kept(Path(generic), memory)
        cases, note = _cases(data, kept.body, memory)
        counts = kept.told.counts if counts is None else counts
        pair = paired(kept.generic, kept.adapted, (*kept.told.precondition, *assume), cases, counts)
        bodies = kept.body.program, pair.adapted
        return replace(pair, bodies=bodies, strict=kept.is_exact, words=kept.words), note
    first = load(generic, memory)
    if is_folder(adapted):
        kept = _kept(Path(adapted), memory)
        second, assume = kept.adapted, (*kept.told.precondition, *assume)
        counts = kept.told.counts if counts is None else counts
    else:
        second = load(adapted, memory)
    if first.function is not None:
        first, second = same_memory(first, second)
    cases, note = _cases(data, first, memory or second.program.memory)
    return paired(first, second, assume, cases, counts), note


def _kept(folder: Path, memory: int | None) -> Kept:
    """What a folder holds, which is proved on the memory that it was found for."""
    kept = read_kept(folder)
    if memory not in (None, kept.told.memory):
        raise AncError(
            f"{folder} is for a memory of {kept.told.memory} cells, not {memory}",
            help=f"leave --memory out, or name its programs: anc verify {folder}/generic.anc {folder}/adapted.anc",
        )
    return kept


def _shown(what: Any) -> str:
    return quoted(str(what)) if isinstance(what, str | Path) else "this program"


def _cases(data: Any, loaded: Loaded, memory: int | None) -> tuple[Sequence[Case], str]:
    """The cases of a file, or those that Python code gives."""
    if data is None:
        return (), ""
    if isinstance(data, str | Path):
        return read_samples(data, loaded.program, memory, loaded.call, loaded.real_call)
    if not len(data):
        raise AncError("data is empty: there are no cases")
    each = iter(data)
    program, call = loaded.program, loaded.call
    return cases_from(lambda random: next(each), len(data), 0, program, memory, call=call), ""
