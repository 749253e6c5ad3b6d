"""The memory in one pass: READ outputs A1 @ m, WRITE blends A2 into the cells that A1 selects.

A run stores only every second memory, and one more. The backward pass recomputes the others from the preceding ones
(`written`) with the same operations and therefore the same bits. Memories are most of a run's data, and recomputing
them is faster than loading them from main memory.
"""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.access import advance, load, load_apart, store, store_apart
from anc.training.fused.choices import add_chosen_adjoint, chosen
from anc.training.fused.vectors import dot, fma, total, zeros


@inner
def memory(s, q, now, m, m_after):
    """Add READ's weighted output, and compute the memory after the step."""
    V = s.vector
    for v in range(s.M):
        store(q, s.read + v, zeros(V))
    for i in range(0, s.whole, s.T):
        _cells(s, s.tile, q, now, m, m_after, i)
    if s.whole < s.M:
        _cells(s, s.rest, q, now, m, m_after, s.whole)
    e_read = chosen(s, now, s.READ)
    for v in range(s.M):
        out = fma(e_read, load(V, q, s.read + v), load(V, now, s.out + v))
        store(now, s.out + v, out)


@inner
def _cells(s, tile, q, now, m, m_after, i):
    V, M = s.vector, s.M
    a1 = load(tile, now, s.a1 + i)
    share = chosen(s, now, s.WRITE) * a1
    for v in range(M):
        at = i * M + v
        cell = load_apart(tile, m, at, M)
        store(q, s.read + v, dot(a1, cell, load(V, q, s.read + v)))
        store_apart(m_after, at, M, fma(share, load(V, now, s.a2 + v) - cell, cell))


@inner
def memory_of(s, q, memories, t):
    """The address of the memory before step t."""
    if t % 2 == 0:
        return advance(memories, t // 2 * s.M * s.M)
    return advance(q, s.odd)


@inner
def written(s, now, m, m_after):
    """Recompute the memory after a step."""
    V, M = s.vector, s.M
    for i in range(M):
        share = chosen(s, now, s.WRITE) * load(V, now, s.a1 + i)
        for v in range(M):
            cell = load(V, m, i * M + v)
            store(m_after, i * M + v, fma(share, load(V, now, s.a2 + v) - cell, cell))


@inner
def memory_adjoint(s, q, now, m):
    """Replace the memory's adjoints; set those of A1; add to those of A2."""
    d_e_write = zeros(s.vector)
    d_e_read = zeros(s.vector)
    for i in range(0, s.whole, s.T):
        write, read = _cells_adjoint(s, s.tile, q, now, m, i)
        d_e_write = d_e_write + write
        d_e_read = d_e_read + read
    if s.whole < s.M:
        write, read = _cells_adjoint(s, s.rest, q, now, m, s.whole)
        d_e_write = d_e_write + write
        d_e_read = d_e_read + read
    add_chosen_adjoint(s, q, s.WRITE, d_e_write)
    add_chosen_adjoint(s, q, s.READ, d_e_read)


@inner
def _cells_adjoint(s, tile, q, now, m, i):
    V, M = s.vector, s.M
    e_write, e_read = chosen(s, now, s.WRITE), chosen(s, now, s.READ)
    a1 = load(tile, now, s.a1 + i)
    share = e_write * a1
    read_share = e_read * a1
    d_write = zeros(tile)
    read = zeros(tile)
    for v in range(M):
        at = i * M + v
        d = load_apart(tile, q, s.d_m + at, M)
        cell = load_apart(tile, m, at, M)
        d_out = load(V, q, s.d_out + v)
        d_write = fma(d, load(V, now, s.a2 + v) - cell, d_write)
        read = fma(d_out, cell, read)
        blended = share * d
        store(q, s.d_a2 + v, load(V, q, s.d_a2 + v) + total(blended))
        store_apart(q, s.d_m + at, M, fma(read_share, d_out, d - blended))
    store(q, s.d_a1 + i, fma(e_write, d_write, e_read * read))
    return total(a1 * d_write), total(a1 * read)
