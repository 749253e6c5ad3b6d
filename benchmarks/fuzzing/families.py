"""All entry points, by family."""

from __future__ import annotations

from fuzzing import (
    adapting,
    claims,
    commands,
    data,
    facts,
    files,
    folders,
    functions,
    listings,
    machines,
    proofs,
    python_api,
    recordings,
    sequences,
)
from fuzzing.entry import Entry

FAMILIES: dict[str, tuple[Entry, ...]] = {
    "listings": listings.ENTRIES,
    "machines": machines.ENTRIES,
    "data": (*data.ENTRIES, *recordings.ENTRIES),
    "facts": facts.ENTRIES,
    "proofs": (*proofs.ENTRIES, *adapting.ENTRIES),
    "claims": claims.ENTRIES,
    "files": files.ENTRIES,
    "folders": folders.ENTRIES,
    "functions": (*functions.ENTRIES, *sequences.ENTRIES),
    "api": python_api.ENTRIES,
    "commands": commands.ENTRIES,
}


def chosen_entries(names: str) -> list[Entry]:
    """The entries of these names or families, all if there are none."""
    every = [entry for entries in FAMILIES.values() for entry in entries]
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [n for n in wanted if n not in FAMILIES and all(n != e.name for e in every)]
    if unknown:
        raise SystemExit(f"there is no entry {unknown[0]}; see --list")
    families = {e.name for n in wanted for e in FAMILIES.get(n, ())}
    return [e for e in every if not wanted or e.name in wanted or e.name in families]
