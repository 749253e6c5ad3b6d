"""Facts about the tape in the words of a function: its arguments, their elements, parts of lists."""

from __future__ import annotations

import re

from anc.python.layout import Layout, Parameter

_ALONG = re.compile(r"for i in range\((\d+), (\d+)(?:, (\d+))?\)")
_AT_I = re.compile(r"tape\[i(?: ([+-]) (\d+))?\]")


def in_words_of(layout: Layout, fact: str) -> str:
    """The same fact with names.

    >>> from anc.python.layout import Size
    >>> layout = Layout((Parameter("n", 0), Parameter("values", 1, Size(3))))
    >>> in_words_of(layout, "sorted(tape[1:4])"), in_words_of(layout, "tape[0] < tape[2]")
    ('sorted(values)', 'n < values[1]')
    >>> in_words_of(layout, "all(tape[i] < 3 for i in range(2, 4))")
    'all(values[i - 1] < 3 for i in range(2, 4))'
    """
    words: dict[int, str] = {}
    for p in layout.parameters:
        for i, cell in enumerate(p.elements):
            words[cell] = p.name if p.size is None else f"{p.name}[{i}]"
        if p.size is not None and p.size.up_to is not None:
            words[p.cell] = f"len({p.name})"
    fact = _along(layout, fact)
    fact = re.sub(r"tape\[(\d+):(\d+)\]", lambda m: _part(layout, m, words), fact)
    return re.sub(r"tape\[(\d+)\]", lambda m: words.get(int(m[1]), m[0]), fact)


def _list_with(layout: Layout, first: int, last: int) -> Parameter | None:
    """The list that has both cells."""
    lists = (p for p in layout.parameters if p.size is not None)
    return next((p for p in lists if first in p.elements and last in p.elements), None)


def _part(layout: Layout, found: re.Match[str], words: dict[int, str]) -> str:
    """Some cells in a row: a list, a part of one, or all their names."""
    begin, end = int(found[1]), int(found[2])
    p = _list_with(layout, begin, end - 1)
    if p is not None:
        first = p.elements.start
        whole = range(begin, end) == p.elements
        return p.name if whole else f"{p.name}[{begin - first}:{end - first}]"
    if all(cell in words for cell in range(begin, end)):
        return f"[{', '.join(words[cell] for cell in range(begin, end))}]"
    return found[0]


def _along(layout: Layout, fact: str) -> str:
    """What is said of the elements of one list, one after the other."""
    numbers = [range(*(int(n or 1) for n in found)) for found in _ALONG.findall(fact)]
    more = [int(f"{sign or '+'}{number or 0}") for sign, number in _AT_I.findall(fact)]
    if len(numbers) != 1 or not numbers[0] or not more:
        return fact
    p = _list_with(layout, numbers[0][0] + min(more), numbers[0][-1] + max(more))
    if p is None:
        return fact

    def element(found: re.Match[str]) -> str:
        place = int(f"{found[1] or '+'}{found[2] or 0}") - p.elements.start
        behind = f" {'-' if place < 0 else '+'} {abs(place)}" if place else ""
        return f"{p.name}[i{behind}]"

    return _AT_I.sub(element, fact)
