"""Names that both Python and C accept, after the names that a program's registers have."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Collection, Iterable

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
# Macros, types and functions that C's headers may have, and the macros of emitted ones.
_OF_HEADERS = re.compile(r"U?INT\w*|\w+_(MAX|MIN|C|H|SELF_TEST|t)|(SEEK|L)_\w+|(str|mem)[a-z]\w*")
RESERVED = frozenset((*_C, *keyword.kwlist, *keyword.softkwlist, *dir(builtins), "tape", "line"))


def identifier(text: str, taken: Collection[str] = ()) -> str:
    """The nearest name to a text that nothing else has.

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
    """A name of its own for each variable."""
    used = set(taken)
    found: dict[Variable, str] = {}
    for variable in variables:
        found[variable] = identifier(variable.name, used)
        used.add(found[variable])
    return found
