"""Proofs: two programs compared, and guarded programs that are proved first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anc import limits
from anc.api.arguments import checked
from anc.api.given import checked_cells, checked_facts, load_given
from anc.diagnostics import AncError

if TYPE_CHECKING:
    from anc.api.given import What
    from anc.proofs import Guard, Verified
    from anc.proofs.pair import Pair


@checked()
def verify(
    generic: What,
    adapted: What | None = None,
    assume: Sequence[str] = (),
    data: Sequence[Any] | str | Path | None = None,
    counts: Sequence[int] | None = None,
    budget: float = 60.0,
    memory: int | None = None,
    memory_limit: int | str | None = None,
) -> Verified:
    """Prove, or refute with a counter-example, that a program does what the generic one does.

    They must agree wherever the facts of `assume` hold. `data` are cases (a file, or as `anc.adapt`
    takes them): the programs are compared on them first, no fact may contradict one, and their masks say
    which cells count; `counts` names these cells instead. Of a Python function, right is what Python
    computes, and a counter-example is a call. `adapted` may be a folder that `anc adapt` wrote, whose
    facts are assumed; such a folder alone is proved again. A proof that would take more memory than
    `memory_limit` (such as "4GB"; half of what is free, by default) ends undecided.

    >>> import anc
    >>> quick = "memory 10; var k = READ(4); WRITE(0, k); STOP()"
    >>> anc.verify("access", quick, ["tape[0] == 3"]).proved
    True
    >>> found = anc.verify("access", quick).counterexample
    >>> anc.run("access", found.tape).tape == anc.run(quick, found.tape).tape
    False
    """
    from anc.proofs import verify_pair

    return verify_pair(_pair(generic, adapted, assume, data, counts, memory), budget)


@checked()
def guard(
    generic: What,
    adapted: What | None = None,
    assume: Sequence[str] = (),
    data: Sequence[Any] | str | Path | None = None,
    counts: Sequence[int] | None = None,
    budget: float = 60.0,
    memory: int | None = None,
    allow_unknown: bool = False,
    memory_limit: int | str | None = None,
) -> Guard:
    """One program that checks the facts and falls back to the generic program where one fails.

    It is proved first that the adapted program is right where the check passes, with the arguments of
    `anc.verify`. If that is refuted there is no guarded program; if it stays unknown, only with
    `allow_unknown`. The result can be saved as a listing (.anc) or as a function (.py, .h).

    >>> import anc
    >>> quick = "memory 10; var k = READ(4); WRITE(0, k); STOP()"
    >>> guarded = anc.guard("access", quick, ["tape[0] == 3"])
    >>> guarded.program.L, anc.run(guarded.program, [1, 7, 8, 9]).tape[:4]
    (10, (8, 7, 8, 9))
    >>> print(anc.guard("access", quick, ["tape[0] == 4"]))
    no guarded program: the adapted program is wrong where the check passes
    """
    from anc.proofs import guard_pair

    pair = _pair(generic, adapted, assume, data, counts, memory)
    return guard_pair(pair, budget, allow_unknown)


def _pair(
    generic: What, adapted: What | None, assume: Any, data: Any, counts: Any, memory: Any
) -> Pair:
    from anc.proofs import given_pair

    facts = checked_facts(assume)
    cells = None if counts is None else checked_cells("counts", counts)
    is_file = isinstance(data, str | Path)
    if not (data is None or is_file or limits.has_length(data)):
        raise AncError("data is a list of cases, or the name of a file of them")
    return given_pair(generic, adapted, facts, data, cells, memory, load_given)[0]
