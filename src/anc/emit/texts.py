"""Files of Python and C: any program, and adapted ones with a guard."""

from __future__ import annotations

from collections.abc import Sequence

from anc.diagnostics import AncError
from anc.emit.c_text import c_function
from anc.emit.examples import Example, examples_of
from anc.emit.header import header
from anc.emit.names import identifier
from anc.emit.python_text import python_function
from anc.emit.self_tests import tape_test
from anc.emit.signature import Fallback, Signature
from anc.program import Program
from anc.verify.facts import Fact


def to_python(program: Program, M: int | None = None, name: str = "program") -> str:
    """A program as a function of Python that changes a tape in place.

    >>> import anc
    >>> print(to_python(anc.load("access"), name="access"))
    def access(tape: list[int]) -> None:
        \"\"\"Change a tape of 10 cells, each from 0 to 9.\"\"\"
        tape[0] = tape[(tape[0] + 1) % 10]
    <BLANKLINE>
    """
    size, name = _memory(program, M), identifier(name)
    return "\n".join(python_function(program, size, name, _says(size))) + "\n"


def to_c(
    program: Program,
    M: int | None = None,
    name: str = "program",
    examples: Sequence[Example] | None = None,
) -> str:
    """A program as a header of C11; the examples (drawn at random if none are given) are its self-test."""
    size, name = _memory(program, M), identifier(name)
    function = c_function(program, size, name, _says(size))
    shown = examples_of(program, size) if examples is None else examples
    return header(name, [function], tape_test(name, size, shown))


def guarded_python(
    generic: Program,
    adapted: Program,
    facts: Sequence[Fact],
    M: int | None = None,
    name: str = "program",
    says: Sequence[str] = (),
    signature: Signature | None = None,
    fallback: Fallback | None = None,
) -> str:
    """The adapted program where all facts hold and the arguments fit, what was there before elsewhere.

    That is the fallback, or the generic program if there is none. Without a signature the function
    changes a tape in place; then there is no check of the tape itself, as there is none in the generic
    program.
    """
    size, name = _memory(generic, M), identifier(name)
    behind = fallback or Fallback(f"{name}_generic")
    about = [introduction(facts, signature), *says]
    lines = python_function(adapted, size, name, about, facts, behind, signature)
    if f"{behind.name}(" in "\n".join(lines):
        text = behind.text.rstrip("\n").splitlines()
        if fallback is None:
            text = python_function(generic, size, behind.name, _says(size), signature=signature)
        lines += ["", "", *text] if text else []
    return "\n".join(lines) + "\n"


def guarded_c(
    generic: Program,
    adapted: Program,
    facts: Sequence[Fact],
    M: int | None = None,
    name: str = "program",
    says: Sequence[str] = (),
    signature: Signature | None = None,
    fallback: Fallback | None = None,
    examples: Sequence[Example] = (),
    counts: Sequence[bool] | None = None,
) -> str:
    """The same as a header of C11; its self-test compares the cells that count.

    With a signature and no fallback, the function returns -1 where it does not know.
    """
    size, name = _memory(generic, M), identifier(name)
    about, functions = [introduction(facts, signature), *says], []
    if fallback is not None:
        functions += [fallback.text.rstrip("\n").splitlines()] if fallback.text else []
    elif signature is None and facts:
        fallback = Fallback(f"{name}_generic")
        functions.append(c_function(generic, size, fallback.name, _says(size)))
    functions.append(c_function(adapted, size, name, about, facts, fallback, signature))
    test = [] if signature else tape_test(name, size, examples, counts)
    return header(name, functions, test)


def introduction(facts: Sequence[Fact], signature: Signature | None) -> str:
    """What an adapted function is, in a sentence."""
    if not facts and signature is None:
        return "The adapted program, which is right on every tape."
    return "The adapted program where its precondition holds, what was there before elsewhere."


def _memory(program: Program, M: int | None) -> int:
    size = program.memory if M is None else M
    if size is None:
        raise AncError("the program does not say how many cells it runs on", help="give a memory")
    return size


def _says(M: int) -> list[str]:
    return [f"Change a tape of {M} cells, each from 0 to {M - 1}."]
