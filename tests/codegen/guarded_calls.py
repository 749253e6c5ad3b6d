"""Random guards of functions, and which calls they must accept by the facts' own meaning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

import numpy as np
from proof.random_facts import random_fact

from anc.codegen import Fallback, Parameter, Signature
from anc.codegen.c import UNKNOWN
from anc.codegen.c_text import c_function
from anc.codegen.python_text import python_function
from anc.compiler import compile_source
from anc.language import Source
from anc.program import Program
from anc.proof import Fact, parse_fact

MEMORIES = (3, 4, 7, 12, 40, 300)
NAMES = ("a", "values", "limit", "i", "tape", "result", "more", "type", "len", "int")
ACCEPTED, ORIGINAL = 1, 2


class Whole(int):
    """A number that may compute in another way."""


class Row(list):
    """A list that may do so."""


STRANGE = (-1, True, False, 2.0, None, "1", np.int64(1), Whole(1), 2**31 - 1, -(2**31), [1])


def random_signature(random: Random, M: int, truths: bool = True) -> Signature:
    """Numbers, truths, and lists, some of which may be shorter, as many as fit; at times the tape."""
    if truths and random.random() < 0.1:
        return Signature((Parameter("tape", 0, M),))
    found: list[Parameter] = []
    place = 0
    for name in random.sample(NAMES, random.randint(1, 3)):
        p = Parameter(name, place, truths=truths and random.random() < 0.2)
        left = M - 2 - place  # a length, and the result
        if left > 1 and random.random() < 0.5:
            p = replace(p, size=random.randint(1, min(left, 6)))
            p = p if random.random() < 0.5 else replace(p, cell=place + 1, length=place)
        if p.cells.stop < M:
            found.append(p)
            place = p.cells.stop
    return Signature(tuple(found), result=place, apart=random.random() < 0.2)


def random_facts(random: Random, M: int, signature: Signature) -> list[str]:
    """Texts of facts; often bounds of numbers and one fact more, which is made of others."""
    size = min(M, 12 if signature.result is None else signature.result + 1)
    some = partial(random_fact, random, size, 1)
    made = [f"not ({some()})", f"({some()}) or ({some()})", f"({some()}) implies ({some()})"]
    bounds = [
        f"tape[{random.randrange(size)}] {random.choice(('<', '<=', '<=', '>=', '!='))} {number}"
        for number in random.choices(range(size + 2), k=random.randrange(3))
    ]
    others = [random_fact(random, size) for _ in range(random.choice((0, 0, 0, 1, 2)))]
    found = [*bounds, random.choice((*made, random_fact(random, size))), *others]
    return random.sample(found, len(found))


@dataclass(frozen=True)
class Guard:
    """Arguments and facts about them."""

    M: int
    signature: Signature
    facts: tuple[Fact, ...]

    @classmethod
    def random(cls, random: Random, truths: bool = True) -> Guard:
        M = random.choice(MEMORIES)
        signature = random_signature(random, M, truths)
        facts = tuple(parse_fact(text, M) for text in random_facts(random, M, signature))
        return cls(M, signature, facts)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.facts), f"M = {self.M}, {self.signature.parameters}"])

    def accepts(self, call: Sequence[Any]) -> bool:
        """Whether arguments are of the types and sizes they must be, and the facts hold of them."""
        tape, lists = [0] * self.M, []
        for p, argument in zip(self.signature.parameters, call, strict=True):
            numbers = [argument]
            if p.size is not None:
                if type(argument) is not list or len(argument) > p.size:
                    return False
                if p.length is None and len(argument) < p.size:
                    return False
                numbers = argument
                lists.append(id(argument))
            kind = bool if p.truths else int
            if any(type(number) is not kind or not 0 <= number < self.M for number in numbers):
                return False
            if p.length is not None:
                tape[p.length] = len(numbers)
            tape[p.cell : p.cell + len(numbers)] = map(int, numbers)
        if self.signature.apart and len(set(lists)) < len(lists):
            return False
        return all(fact.holds(tape) for fact in self.facts)


def random_program(random: Random, M: int, result: int | None) -> Program:
    """It accepts; with a computed address if there is room, so that it needs its tape."""
    text = f"WRITE({result or 0}, {ACCEPTED}); STOP()"
    if random.random() < 0.5 and M > 4:
        text = f"var a = READ(0); a = READ(a); WRITE({M - 1}, a); {text}"
    return compile_source(Source(text), memory=M).program


def random_calls(
    random: Random, signature: Signature, M: int, strange: Sequence[Any], n: int
) -> Iterator[list[Any]]:
    """Calls with small numbers and edges, many of them with one strange number or a strange list."""
    for _ in range(n):
        most = random.choice((1, 2, 4, M - 1))

        def number(p: Parameter, most: int = most) -> Any:
            if random.random() < 0.08:
                return random.choice((*strange, M))
            return bool(random.randrange(2)) if p.truths else random.randint(0, min(most, M - 1))

        call: list[Any] = []
        for p in signature.parameters:
            if p.size is None:
                call.append(number(p))
                continue
            length = p.size if p.length is None else random.randint(0, p.size + 1)
            if strange is STRANGE and random.random() < 0.08:
                length += random.choice((-1, 1))
            numbers = [number(p) for _ in range(length)]
            is_odd = strange is STRANGE and random.random() < 0.08
            call.append(random.choice((tuple, Row))(numbers) if is_odd else numbers)
            if strange is STRANGE and isinstance(call[0], list) and random.random() < 0.1:
                call[-1] = call[0]
        yield call


def wrong_in_python(random: Random, guard: Guard, n: int) -> tuple[str, int]:
    """What is wrong with one of n calls of a guarded function, and how many calls it accepts."""
    signature, M = guard.signature, guard.M
    fallback = Fallback("f_original", is_original=True)
    program = random_program(random, M, signature.result)
    of_tape = signature.result is None
    known = program, M, "f", ["-"], guard.facts, fallback, None if of_tape else signature
    text = "\n".join(python_function(*known))
    answers: list[int] = []

    def original(*call: Any) -> int:
        answers.append(ORIGINAL)
        return ORIGINAL

    space: dict[str, Any] = {"f_original": original}
    exec(text, space)
    accepted = 0
    for call in random_calls(random, signature, M, STRANGE, n):
        wanted = guard.accepts(call)
        accepted += wanted
        answers.clear()
        try:
            found = space["f"](*call)
            found = [*answers, ACCEPTED][0] if of_tape else found
        except Exception as problem:
            found = repr(problem)
        if found != (ACCEPTED if wanted else ORIGINAL):
            return f"{guard}\n{text}\nf{tuple(call)} is {found}", accepted
    return "", accepted


def c_guard(random: Random, name: str, guard: Guard, n: int) -> tuple[list[str], list[str]]:
    """A guarded function of C, and n calls of it that print its name where they are wrong."""
    signature, M, calls = guard.signature, guard.M, []
    program = random_program(random, M, signature.result)
    for call in random_calls(random, signature, M, [n for n in STRANGE if type(n) is int], n):
        wanted = ACCEPTED if guard.accepts(call) else UNKNOWN
        words = []
        for p, argument in zip(signature.parameters, call, strict=True):
            if p.size is None:
                words.append(_c_number(argument))
                continue
            words.append(f"(const int32_t[]){{{', '.join(map(_c_number, argument or [0]))}}}")
            words += [] if p.length is None else [str(len(argument))]
        calls.append(f'if ({name}({", ".join(words)}) != {wanted}) puts("{name}");')
    return c_function(program, M, name, ["-"], guard.facts, None, signature), calls


def _c_number(number: int) -> str:
    """The least one has no literal."""
    return f"({number + 1} - 1)" if number < -(2**31) + 1 else str(number)
