"""The two training engines by name, and whether a population fits into memory."""

from __future__ import annotations

import os
from typing import cast

from anc import resources
from anc.diagnostics import AncError
from anc.learning.interface import Engine
from anc.learning.members import Members
from anc.learning.problem import Problem
from anc.machine.weights import parameter_count

NAMES = ("fused", "jax")


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
    kept += S * shared.batch * min(shared.validate_every, shared.iterations) * 12  # which cases
    state = 4 * (M * M + R * M + M + 1)
    if engine_name == "jax":
        return kept + 3 * S * shared.batch * (shared.max_steps + 1) * state
    from anc.learning.fused import scratch_bytes

    return kept + (os.cpu_count() or 1) * scratch_bytes(M, R, shared.max_steps)


def check_memory(problem: Problem, members: Members, engine_name: str) -> None:
    """Refuse a population that is too big, saying which option to lower."""
    resources.require(
        bytes_needed(problem, members, engine_name),
        f"training {len(members.seeds)} members with {members.shared.batch} cases each",
        "--seeds, --batch, --registers or --max-steps",
    )
