"""Heads of loops: lines of a program such that every loop goes through one of them."""

from __future__ import annotations

from anc.verify.flow import Flow


def heads(flow: Flow) -> frozenset[int]:
    """The lines that a way from the start comes back to while it is still under way from them."""
    found: set[int] = set()
    done: set[int] = set()
    under_way: set[int] = set()
    stack: list[tuple[int, bool]] = [(flow.program.start, False)]
    while stack:
        line, leaves = stack.pop()
        if leaves:
            under_way.discard(line)
            done.add(line)
        elif line in under_way:
            found.add(line)
        elif line not in done and line != flow.exit:
            under_way.add(line)
            stack.append((line, True))
            stack += [(following, False) for following in sorted(flow.after[line])]
    return frozenset(found)
