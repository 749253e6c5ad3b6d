"""Emitted files of Python and C: programs, guarded programs, and adapted Python functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from anc.codegen.c_text import c_function
from anc.codegen.names import identifier
from anc.codegen.python_text import python_function
from anc.codegen.self_tests import Example, call_test, examples_of, known_calls, tape_test
from anc.codegen.signature import Fallback, Parameter, Signature
from anc.codegen.tables import Table
from anc.program import Program
from anc.proof.facts import Fact
from anc.python.bool_inference import returns_truths
from anc.python.differences import written_cells
from anc.python.originals import changes_lists, names_at_top, original_text
from anc.support.diagnostics import AncError

if TYPE_CHECKING:
    from anc.python.function import Function


def to_python(program: Program, M: int | None = None, name: str = "program") -> str:
    """A program as a Python function that changes a tape in place.

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
    """A program as a header of C11; its self-test are the examples, random ones by default."""
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
    """Run the adapted program if all facts hold and the arguments fit; otherwise call the fallback.

    The default fallback is the generic program. Without a signature the function changes a tape in
    place, and does not check the tape itself, as the generic program does not.
    """
    size, name = _memory(generic, M), identifier(name)
    behind = fallback or Fallback(f"{name}_generic")
    about = [introduction(facts, signature), *says]
    lines = python_function(adapted, size, name, about, facts, behind, signature)
    is_checked = signature is not None and bool(signature.parameters)
    if facts or is_checked or behind.is_original:
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

    With a signature and no fallback, the function returns -1 if its guard fails.
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
    """The first sentence of an adapted function's documentation."""
    if not facts and signature is None:
        return "The adapted program, which is right on every tape."
    return "Runs the adapted program if its precondition holds; otherwise calls the original."


def _memory(program: Program, M: int | None) -> int:
    size = program.memory if M is None else M
    if size is None:
        raise AncError("the program does not say how many cells it runs on", help="give a memory")
    return size


def _says(M: int) -> list[str]:
    return [f"Change a tape of {M} cells, each from 0 to {M - 1}."]


def header(name: str, functions: Sequence[Sequence[str]], test: Sequence[str] = ()) -> str:
    """The text of a header; a macro enables the self-test."""
    lines = ["#include <assert.h>", "#include <stdint.h>"]
    for part in (*functions, test):
        lines += ["", *part] if part else []
    # names that differ in case only have guards of their own
    guard = f"{name.upper()}_H" if name == name.lower() else f"{name}_h_"
    return "\n".join([f"#ifndef {guard}", f"#define {guard}", "", *lines, "", "#endif", ""])


# -- adapted Python functions -----------------------------------------------------------


def function_in_python(
    function: Function,
    adapted: Program | Table,
    facts: Sequence[Fact],
    says: Sequence[str] = (),
    trusts_types: bool = False,
) -> str:
    """A file with the adapted function, or its table, which calls the original if its guard fails."""
    signature = signature_of(function, *([] if isinstance(adapted, Table) else [adapted]))
    fallback = _behind(function)
    lines = python_function(
        adapted,
        function.M,
        function.name,
        [introduction(facts, signature), *says, *([_TRUSTED] if trusts_types else [])],
        facts,
        fallback,
        signature,
        beside=names_at_top(function),
        trusts_types=trusts_types,
    )
    return "\n".join([*lines, "", "", fallback.text])


_TRUSTED = "The types of its arguments are not checked: they must be those of its annotations."


def name_behind(function: Function) -> str:
    """The name of the adapted function's fallback."""
    what = "generic" if function.wrap else "original"
    return identifier(f"{function.name}_{what}", {*function.names, *names_at_top(function)})


def _behind(function: Function) -> Fallback:
    """The original function; if arithmetic wraps around, the generic program instead."""
    name = name_behind(function)
    if not function.wrap:
        return Fallback(name, original_text(function, name), is_original=True)
    M, program = function.M, function.program
    says = [f"The generic program, on numbers modulo {M}."]
    signature = signature_of(function, program)
    lines = python_function(
        program, M, name, says, signature=signature, takes_any=True, beside=[function.name]
    )
    return Fallback(name, "\n".join(lines) + "\n", is_original=True)


def function_in_c(
    function: Function,
    adapted: Program | Table | None,
    facts: Sequence[Fact],
    says: Sequence[str] = (),
    tapes: Iterable[Sequence[int]] = (),
) -> str:
    """The same as a header of C11; the fallback is the exact program, without an adapted one it is all.

    Its self-test makes the calls that the tapes represent, and others outside of the precondition.
    """
    if not fits_in_c(function):
        raise AncError(
            f"'{function.name}' takes or returns something that has no form in C here",
            help="write adapted.py: numbers and lists of them, and one number as a result, are C",
        )
    name, M = identifier(function.name), function.M
    generic = function.program if function.wrap else function.exact
    programs = [adapted, generic] if isinstance(adapted, Program) else [generic]
    signature = signature_of(function, *programs) or _whole_tape(M)
    behind = Fallback(name if adapted is None else f"{name}_generic")
    words = ["The generic program; returns -1 where Python has another result, or none."]
    if function.wrap:
        words[0] = "The generic program; returns -1 if an argument does not fit."
    functions = [c_function(generic, M, behind.name, words, signature=signature, is_partial=True)]
    if adapted is not None:
        about = [introduction(facts, signature), *says]
        functions.append(c_function(adapted, M, name, about, facts, behind, signature))
    calls = known_calls(function, facts, tapes)
    return header(name, functions, call_test(name, function.name, signature, calls))


def signature_of(function: Function, *programs: Program) -> Signature | None:
    """The signature of a function that one of these programs computes; None: it takes the tape.

    If the function changes no list, nothing is written back, even if a program writes to its cells.
    """
    layout, changes = function.layout, changes_lists(function)
    if layout.tape is not None:
        return None
    written = {
        cell for program in programs for cell in written_cells(program, function.M) if changes
    }
    parameters = []
    for p in layout.parameters:
        is_written = p.is_list and not written.isdisjoint(p.cells)
        if is_written and p.kind == "bytearray":
            message = f"'{function.name}' changes the bytearray '{p.name}', which cannot be emitted"
            raise AncError(message, help="take a list of numbers")
        parameters.append(replace(p, written=is_written))
    is_truth = returns_truths(function.module, function.definition)
    return Signature(
        tuple(parameters),
        layout.result,
        is_truth,
        changes,
        several=layout.several,
        same=layout.same,
    )


def fits_in_c(function: Function) -> bool:
    """Whether a header can take its arguments and return its result: numbers and lists of them."""
    kinds = {p.kind for p in function.layout.parameters if p.size is not None}
    layout = function.layout
    return kinds <= {"list"} and layout.several is None and layout.same is None


def _whole_tape(M: int) -> Signature:
    return Signature((Parameter("cells", 0, M, written=True),))
