"""Identifiers for Python and C: derived from registers' names, and free of collisions."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import compress

from anc.codegen.signature import Signature
from anc.compiler.graph import Variable

_C = re.findall(
    r"\w+",
    """
    auto break case char const continue default do double else enum extern float for goto if inline
    int long register restrict return short signed sizeof static struct switch typedef union
    unsigned void volatile while _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary
    _Noreturn _Static_assert _Thread_local asm typeof assert bool false true main int64_t uint8_t
    uint16_t index class delete friend namespace new operator private protected public template this
    throw virtual unix linux assert static_assert NULL EOF FILE BUFSIZ NDEBUG
    stdin stdout stderr clearerr fclose feof ferror fflush fgetc fgetpos fgets fopen fprintf fputc
    fputs fread freopen fscanf fseek fsetpos ftell fwrite getc getchar gets perror printf putc putchar
    puts remove rename rewind scanf setbuf setvbuf snprintf sprintf sscanf tmpfile tmpnam ungetc
    vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf
    """,
)
# Macros, types and functions of C's headers, and macros of emitted headers.
_OF_HEADERS = re.compile(r"U?INT\w*|\w+_(MAX|MIN|C|H|SELF_TEST|t)|(SEEK|L)_\w+|(str|mem)[a-z]\w*")
RESERVED = frozenset((*_C, *keyword.kwlist, *keyword.softkwlist, *dir(builtins), "tape", "line"))


def identifier(text: str, taken: Collection[str] = ()) -> str:
    """The closest valid identifier to a text that is not taken.

    >>> identifier("p_out"), identifier("2 in"), identifier("while"), identifier("k", {"k", "k_2"})
    ('p_out', 'x2_in', 'while_', 'k_3')
    """
    name = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") or "x"
    name = f"x{name}" if name[0].isdigit() else name
    name = f"{name}_" if name in RESERVED or _OF_HEADERS.fullmatch(name) else name
    number, found = 2, name
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


def variable_names(variables: Iterable[Variable], taken: Iterable[str]) -> dict[Variable, str]:
    """A unique name for each variable."""
    used = set(taken)
    found: dict[Variable, str] = {}
    for variable in variables:
        found[variable] = identifier(variable.name, used)
        used.add(found[variable])
    return found


# -- collisions of argument names with names that the function's text uses


_WORD = re.compile(r'"[^"]*"|\b[^\W\d]\w*')  # also strings, which are skipped
_ENDING = "__"  # the suffix of no generated name


def words(lines: Iterable[str]) -> set[str]:
    """The names that occur in lines of code.

    >>> sorted(words(['if len(x) > 3:', '    raise ValueError("x is long")']))
    ['ValueError', 'if', 'len', 'raise', 'x']
    """
    return {word for line in lines for word in _WORD.findall(line) if word[0] != '"'}


def distinct_names(
    signature: Signature, lines_of: Callable[[Signature], Sequence[str]], names: Sequence[str]
) -> Signature:
    """The signature with these argument names, changed where the text uses them otherwise."""
    strange = signature.named(name + _ENDING for name in names)
    needed = words(lines_of(strange))
    made = [[name in needed for name in p.all_names[1:]] for p in strange.parameters]

    def used_by(place: int, name: str) -> set[str]:
        """An argument's name, and the derived names that the text uses."""
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
    """Imports of the builtins that other names shadow, and the lines that use the imports."""
    known = words(lines)
    names: dict[str, str] = {}
    for name in sorted(known.intersection(dir(builtins), hidden)):
        names[name] = identifier(name, {*known, *hidden, *names.values()})
    imports = [f"from builtins import {name} as {other}" for name, other in names.items()]
    renamed = [_WORD.sub(lambda word: names.get(word[0], word[0]), line) for line in lines]
    return [*imports, "", ""] if imports else [], renamed
