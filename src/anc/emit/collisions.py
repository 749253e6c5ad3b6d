"""Names that users chose, apart from those that the text of a function needs itself.

Which ones it needs is read from the text, written first with arguments whose names nothing else has.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import compress

from anc.emit.names import identifier
from anc.emit.signature import Signature

_WORD = re.compile(r'"[^"]*"|\b[^\W\d]\w*')  # also texts, which are passed over
_ENDING = "__"  # no name that is made has it


def words(lines: Iterable[str]) -> set[str]:
    """The names in some lines.

    >>> sorted(words(['if len(x) > 3:', '    raise ValueError("x is long")']))
    ['ValueError', 'if', 'len', 'raise', 'x']
    """
    return {word for line in lines for word in _WORD.findall(line) if word[0] != '"'}


def apart(
    signature: Signature, lines_of: Callable[[Signature], Sequence[str]], names: Sequence[str]
) -> Signature:
    """The signature with these names, or others where the text needs them for something else."""
    strange = signature.named(name + _ENDING for name in names)
    needed = words(lines_of(strange))
    made = [[name in needed for name in p.all_names[1:]] for p in strange.parameters]

    def used_by(place: int, name: str) -> set[str]:
        """An argument's name, and those made of it that the text has."""
        own, *others = signature.parameters[place].named(name).all_names
        return {own, *compress(others, made[place])}

    found = list(names)
    for place, name in enumerate(names):
        others = (used_by(other, n) for other, n in enumerate(found) if other != place)
        taken = needed.union(*others)
        while not taken.isdisjoint(used_by(place, found[place])):
            taken.add(found[place])
            found[place] = identifier(name, taken)
    return signature.named(found)


def with_python_itself(
    lines: Sequence[str], hidden: Collection[str]
) -> tuple[list[str], list[str]]:
    """Imports for what the lines need of Python's own but something else hides, and the lines with them."""
    known = words(lines)
    names: dict[str, str] = {}
    for name in sorted(known.intersection(dir(builtins), hidden)):
        names[name] = identifier(name, {*known, *hidden, *names.values()})
    imports = [f"from builtins import {name} as {other}" for name, other in names.items()]
    renamed = [_WORD.sub(lambda word: names.get(word[0], word[0]), line) for line in lines]
    return [*imports, "", ""] if imports else [], renamed
