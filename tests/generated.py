"""Hypothesis strategies for programs and tapes."""

from hypothesis import strategies as st

from anc import isa
from anc.program import Line, Program


@st.composite
def programs(draw, M=None, full=False, initial=None, max_registers=5):
    """A random well-formed program that fits in M cells; `full` programs have M lines.

    `initial` False leaves some registers without a first value, True gives all of them one.
    """
    M = draw(st.integers(2, 9)) if M is None else M
    L = M if full else draw(st.integers(1, M))
    R = draw(st.integers(1, max_registers))
    register = st.integers(0, R - 1)
    value = st.integers(0, M - 1)
    if initial is not True:
        value = st.one_of(st.none(), value)
    lines = []
    for _ in range(L):
        row = draw(st.sampled_from(isa.PAPER.rows))
        operands = [draw(register) if i < row.operands else None for i in range(2)]
        lines.append(Line(row.name, *operands, draw(register)))
    values = tuple(draw(value) for _ in range(R))
    return Program(tuple(lines), values, draw(st.integers(0, L - 1)), memory=M)


def tapes(M):
    return st.lists(st.integers(0, M - 1), min_size=M, max_size=M).map(tuple)
