"""The shipped programs: they compile cleanly, do what their examples say, and fit the paper."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anc.compiler import compile_source
from anc.data import programs
from anc.language.tree import Example
from anc.machine.exact import Stop, run
from anc.program import Program
from anc.support.diagnostics import AncError

MEMORY = {
    "access": 10,
    "copy": 15,
    "increment": 7,
    "reverse": 15,
    "permutation": 15,
    "swap": 10,
    "listsearch": 15,
    "listk": 20,
    "walkbst": 30,
    "merge": 30,
    "dijkstra": 100,
    "addition": 15,
    "sort": 21,
}
MOST_REGISTERS = {
    "access": 3,
    "increment": 6,
    "swap": 5,
    "listk": 7,
    "sort": 10,
    "addition": 6,
    "dijkstra": 23,
}


def compiled(name: str) -> Program:
    return compile_source(programs.source(name)).program


def padded(cells: tuple[int, ...], M: int) -> tuple[int, ...]:
    return cells + (0,) * (M - len(cells))


def examples() -> list[tuple[str, Example]]:
    found = []
    for name in programs.names():
        found += [(name, each) for each in compile_source(programs.source(name)).examples]
    return found


def test_names_are_the_papers_thirteen() -> None:
    assert programs.names() == tuple(MEMORY)


@pytest.mark.parametrize("name", programs.names())
def test_compiles_without_a_warning(name: str) -> None:
    compilation = compile_source(programs.source(name))
    assert compilation.rendered_warnings() == ""
    assert compilation.program.memory == MEMORY[name]
    assert MOST_REGISTERS.get(name, 13) >= compilation.program.R
    assert len(compilation.examples) >= 4


@pytest.mark.parametrize(
    ("name", "example"), examples(), ids=lambda part: part if isinstance(part, str) else ""
)
def test_example(name: str, example: Example) -> None:
    M = MEMORY[name]
    result = run(compiled(name), padded(example.input, M), max_steps=5_000)
    assert result.stop is Stop.STOPPED
    assert result.tape == padded(example.output, M)


def test_listk_has_the_registers_of_the_papers_figure() -> None:
    program = compiled("listk")
    assert program.registers == (0, 1, 2, 6, 0, 2, None)
    assert [(line.op, line.first, line.second, line.out) for line in program.lines] == [
        ("READ", 1, None, 1),
        ("READ", 2, None, 2),
        ("READ", 0, None, 0),
        ("DEC", 1, None, 1),
        ("JEZ", 1, 3, 6),
        ("JEZ", 4, 5, 6),
        ("INC", 0, None, 0),
        ("READ", 0, None, 0),
        ("WRITE", 2, 0, 6),
        ("STOP", None, None, 6),
    ]


def test_dijkstra_has_the_lines_of_the_papers_listing() -> None:
    assert compiled("dijkstra").L == 57


def test_unknown_program() -> None:
    with pytest.raises(AncError, match="did you mean 'sort'"):
        programs.source("sortt")
    with pytest.raises(AncError, match="the programs are access, copy"):
        programs.source("zzz")


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(1, 20), max_size=20), st.lists(st.integers(0, 20), max_size=20))
def test_sort_sorts_every_list_and_nothing_else(elements: list[int], behind: list[int]) -> None:
    tape = padded((*elements, 0, *behind)[:21], 21)
    result = run(compiled("sort"), tape, max_steps=5_000)
    assert result.stop is Stop.STOPPED
    assert result.tape == (*sorted(elements), *tape[len(elements) :])


@given(st.integers(0, 14), st.integers(0, 14))
def test_addition_adds_modulo_the_memory(a: int, b: int) -> None:
    assert run(compiled("addition"), padded((a, b), 15), 100).tape == padded(((a + b) % 15, b), 15)


@given(st.lists(st.integers(1, 29), max_size=4), st.lists(st.integers(1, 29), max_size=4))
def test_merge_never_looks_behind_the_lists(first: list[int], second: list[int]) -> None:
    """The cells between the lists are full, and so are those behind the result."""
    first, second = sorted(first, reverse=True), sorted(second, reverse=True)
    total = len(first) + len(second)
    lists = [*first, 0, 7, *second, 0, 7]
    p_second, p_out = 3 + len(first) + 2, 3 + len(lists)
    before = [3, p_second, p_out, *lists]
    after = [*before, *sorted(first + second, reverse=True), 0]
    full = (7,) * (30 - len(after))
    tape = (*before, *(0,) * (total + 1), *full)
    assert run(compiled("merge"), tape, max_steps=300).tape == (*after, *full)
