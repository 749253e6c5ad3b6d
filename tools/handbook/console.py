"""How console blocks are coloured: only ``$`` begins a command; ``#`` is a comment in what is printed."""

import re

from pygments.lexers.shell import BashSessionLexer


def begin_commands_with_dollar() -> None:
    """Pygments' lexer takes a ``#`` for the prompt of an administrator: in our listings it never is."""
    BashSessionLexer._ps1rgx = re.compile(r"^(\$ )(.*\n?)")
