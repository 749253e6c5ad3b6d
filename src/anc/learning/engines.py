"""The two training engines by name, and whether a population fits into memory."""

from __future__ import annotations

import os
from typing import cast

from anc.diagnostics import AncError
from anc.learning.interface import Engine
from anc.learning.members import Members
from anc.learning.problem import Problem
from anc.machine.weights import parameter_count

NAMES = ("fused", "jax")
_SHARE = 0.8  # of the memory that is free


def engine(name: str) -> Engine:
    """The engine of that name; loading one takes a second, so it happens only here."""
    if name == "fused":
        from anc.learning import fused

        return cast(Engine, fused)
    if name == "jax":
        from anc.learning import jax_engine

        return cast(Engine, jax_engine)
    raise AncError(f"there is no engine '{name}'", help="use fused or jax")


def bytes_needed(problem: Problem, members: Members, engine_name: str) -> int:
    """About how much memory training this population takes."""
    shared = members.shared
    M, R = problem.M, max(shared.registers, problem.program.R)
    S, n = len(members.seeds), parameter_count(M, R)
    kept = S * n * 4 * 8  # weights, moments, best checkpoints, copies
    state = 4 * (M * M + R * M + M + 1)
    if engine_name == "jax":
        return kept + 3 * S * shared.batch * (shared.max_steps + 1) * state
    from anc.learning.fused import scratch_bytes

    return kept + (os.cpu_count() or 1) * scratch_bytes(M, R, shared.max_steps)


def check_memory(problem: Problem, members: Members, engine_name: str) -> None:
    """Refuse a population that is too big, saying which option to lower."""
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return  # a system that does not say
    needed = bytes_needed(problem, members, engine_name)
    if needed > _SHARE * free:
        lower = (
            "--seeds, --batch or --max-steps" if engine_name == "jax" else "--seeds or --max-steps"
        )
        raise AncError(
            f"training {len(members.seeds)} members needs about {needed / 2**30:.1f} GiB of memory,"
            f" but only {free / 2**30:.1f} GiB are free",
            help=f"lower {lower}",
        )
