"""Python functions of lists, tuples and text: a program that stops has Python's result, deployed or not."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

from anc.codegen.functions import function_in_python
from anc.machine.exact import Stop, run
from anc.support.diagnostics import AncError
from fuzzing.entry import Entry, Parts, Wrong, same
from fuzzing.functions import function_of

STEPS = 20_000
CALLS = 8
LISTS = "Annotated[list[int], anc.Size(up_to={})]"
TEXT = "Annotated[str, anc.Size(up_to={})]"
RESULTS = {
    "int": "number",
    LISTS.format(12): "fresh",
    TEXT.format(12): "text_value",
    "tuple[int, int]": "pair",
}
HEAD = """from typing import Annotated
import anc
TABLE = (3, 1, 4, 1, 5, 9, 2, 6)
ROWS = [[1, 2, 3], [4, 5, 6], [7, 8]]
LETTERS = "ab12c"

def helped(v, k=2):
    return [e + k for e in v]

def counted(s, c):
    n = 0
    for e in s:
        if e == c:
            n += 1
    return n

def first(v, n):
    if n == 0 or len(v) == 0:
        return 0
    return v[0] if n == 1 else first(v[1:], n - 1)

"""
ARGUMENTS = f"v: {LISTS.format(5)}, s: {TEXT.format(5)}, n: int, m: int = 3"


class Writer:
    """Writes one function; every loop ends by itself."""

    def __init__(self, random: Random) -> None:
        self.random, self.lines, self.depth = random, [], 1
        self.numbers, self.lists, self.texts = ["n", "m"], ["v"], ["s"]
        self.own: list[str] = []  # lists that may become longer
        self.busy: list[str] = []  # lists that are gone through

    def text(self) -> str:
        random = self.random
        for place in range(random.randint(1, 3)):
            self.new(place)
        for _ in range(random.randint(1, 4)):
            self.statement()
        result, kind = random.choice(list(RESULTS.items()))
        self.write(f"return {getattr(self, kind)()}")
        return f"{HEAD}@anc.function(memory=1024)\ndef f({ARGUMENTS}) -> {result}:\n" + "\n".join(
            self.lines
        )

    def write(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def new(self, place: int) -> None:
        kind = self.random.randrange(3)
        if kind == 0:
            self.write(f"x{place}: {LISTS.format(12)} = {self.fresh()}")
            self.lists.append(f"x{place}")
            self.own.append(f"x{place}")
        elif kind == 1:
            self.write(f"t{place}: {TEXT.format(12)} = {self.text_value()}")
            self.texts.append(f"t{place}")
        else:
            self.write(f"a{place}, b{place} = {self.pair()}")
            self.numbers += [f"a{place}", f"b{place}"]

    def statement(self) -> None:
        random = self.random
        own = [name for name in self.own if name not in self.busy]
        kinds = [self.change]
        if self.depth < 3:
            kinds += [self.condition, self.loop, self.loop]
        if own:
            kinds += [lambda: self.grow(random.choice(own))] * 3
        random.choice(kinds)()

    def change(self) -> None:
        random = self.random
        kind = random.randrange(4)
        own = [name for name in self.own if name not in self.busy]
        if kind == 0:
            self.write(f"{random.choice(self.numbers)} = {self.number()}")
        elif kind == 1 and own:
            self.write(f"{random.choice(own)}[{self.number(2)}] = {self.number()}")
        elif kind == 2 and len(self.texts) > 1:
            name = random.choice(self.texts[1:])
            self.write(f"{name} {random.choice(('', '+'))}= {self.text_value()}")
        elif own:
            name = random.choice(own)
            self.write(f"{name} = {self.fresh()}")
        else:
            self.write("pass")

    def grow(self, name: str) -> None:
        number = self.number()
        self.write(
            self.random.choice(
                (
                    f"{name}.append({number})",
                    f"{name}.append({number})",
                    f"{name}.extend({self.values()})",
                    f"{name}.insert({self.number(2)}, {number})",
                    f"{name}.pop()",
                    f"{name} += [{number}]",
                    f"{name}.sort()",
                    f"{name}.reverse()",
                    f"n = {name}.pop(0)",
                )
            )
        )

    def condition(self) -> None:
        self.write(f"if {self.test()}:")
        self.inner()
        if self.random.random() < 0.4:
            self.write("else:")
            self.inner()

    def inner(self) -> None:
        self.depth += 1
        for _ in range(self.random.randint(1, 2)):
            self.statement()
        self.depth -= 1

    def loop(self) -> None:
        random = self.random
        number, letter = f"i{self.depth}", f"c{self.depth}"
        kind = random.randrange(5)
        busy = list(self.busy)
        if kind == 0:
            name = random.choice(self.lists)
            self.busy.append(name)
            self.write(f"for {number} in {name}{random.choice(('', '[1:]', '[::-1]'))}:")
            self.numbers.append(number)
        elif kind == 1:
            self.write(f"for {letter} in {random.choice(self.texts[:1])}:")
            self.texts.append(letter)
        elif kind == 2:
            self.write(f"for {number}, {letter} in enumerate(reversed(s)):")
            self.numbers.append(number)
            self.texts.append(letter)
        elif kind == 3:
            self.write(f"for {number} in range(min(n, 4)):")
            self.numbers.append(number)
        else:
            self.write(f"for {number}, {letter} in zip(v, s):")
            self.numbers.append(number)
            self.texts.append(letter)
        numbers, texts = list(self.numbers), list(self.texts)
        kept = [name for name in self.texts if name != letter]
        self.texts = kept  # characters are read, never assigned
        self.letters = letter if letter in texts else None
        self.inner()
        self.numbers = [name for name in numbers if name != number]
        self.texts, self.busy = kept, busy

    # -- values --------------------------------------------------------------------------

    def number(self, depth: int = 0) -> str:
        random = self.random
        if depth > 1 or random.random() < 0.35:
            return random.choice((*self.numbers, str(random.randint(0, 6)), "1"))
        one, two = self.number(depth + 1), self.number(depth + 1)
        values, text = self.values(depth + 1), self.text_value(depth + 1)
        return random.choice(
            (
                f"({one} + {two})", f"({one} - {two})", f"({one} * {two})", f"({one} - {two}) % 7",
                f"{values}[{one}]", f"{values}[-1]", f"sum({values})", f"max({values})", f"len({values})",
                f"len({text})", f"ord({text}[{one}])", f"int({text})", f"TABLE[{one}]", f"ROWS[{one}][{two}]",
                f"min({one}, {two})", f"divmod({one}, 5)[1]", f"pow({one}, 2, 9)", f"2 ** ({one} % 5)",
                f"{values}.count({one})", f"{values}.index({one})", f"counted({text}, '1')",
                f"first({values}, {one})", f"sum(e * 2 for e in {values} if e > {one})",
                f"sum(map(int, str({one})))", f"({one} if {self.test(depth + 1)} else {two})",
                f"LETTERS.index({text}[0])", f"len(str({one}))", f"{one} % 1024", f"(-{one}) % 5",
            )
        )  # fmt: skip

    def test(self, depth: int = 0) -> str:
        random = self.random
        one, two = self.number(depth + 1), self.number(depth + 1)
        values, text = self.values(depth + 1), self.text_value(depth + 1)
        return random.choice(
            (
                f"{one} < {two}", f"{one} == {two}", f"{one} in {values}", f"{one} not in (1, 2, 3, {two})",
                f"{values} == {self.values(depth + 1)}", f"{text} == {self.text_value(depth + 1)}", f"{text}",
                f"{text}[0] in '0123'", f"{text}.isdigit()", f"{values}", f"not {text}", f"'a' in {text}",
                f"any(e > {one} for e in {values})", f"{text}.startswith('1')", f"{text}[-1] == 'b'",
                f"isinstance(n, int) and {one} > 1",
            )
        )  # fmt: skip

    def values(self, depth: int = 0) -> str:
        random = self.random
        name = random.choice(self.lists)
        if depth > 1 or random.random() < 0.4:
            return name
        return random.choice((*self.slices(name, depth), f"sorted({name})", f"list({name})"))

    def slices(self, name: str, depth: int) -> list[str]:
        one = self.number(depth + 2)
        ends = ("1:", ":-1", "::2", "::-1", f"{one}:", f":{one}", "1:3", f"{one}:4", "-2:", "::-2")
        return [f"{name}[{each}]" for each in ends]

    def fresh(self) -> str:
        """A list that nothing else names."""
        random, one = self.random, self.number(2)
        return random.choice(
            (
                "[]", f"[{one}, 2, {self.number(2)}]", f"[{one}] * 3", f"list({self.values(1)})",
                f"[e + 1 for e in {self.values(1)}]", f"[e for e in v if e > {one}]", "list(range(4))",
                f"{self.values(1)} + [{one}]", f"sorted({self.values(1)})", "v.copy()", f"helped({self.values(1)})",
                f"helped(v, k={one})", "[ord(c) for c in s]", f"[0] * {one}", "list(map(int, str(n)))",
            )
        )  # fmt: skip

    def text_value(self, depth: int = 0) -> str:
        random = self.random
        name = random.choice(self.texts)
        if depth > 0 or random.random() < 0.3:
            return name
        other = random.choice(self.texts)
        return random.choice(
            (
                *self.slices(name, depth), f"{name} + {other}", f"{name} + 'x'", f"str({self.number(2)})",
                f"{name}.upper()", "'ab'", "''", f"chr(97 + {self.number(2)})", f"{name} or 'z'",
                f"bin({self.number(2)})", f"{name}.replace('1', '')", f"{name}.replace('a', 'q')",
                f"''.join(c for c in {name} if c != '0')", f"'-'.join(reversed({name}))",
                f"''.join(map(str, {self.values(1)}))", f"({name} if {self.test(2)} else '0')",
            )
        )  # fmt: skip

    def pair(self) -> str:
        return self.random.choice(
            (f"{self.number()}, {self.number(1)}", f"divmod({self.number()}, {self.number(1)})")
        )


def make(random: Random) -> Parts:
    return {"source": Writer(random).text(), "seed": str(random.randrange(10**6))}


def calls_of(seed: str) -> list[list[Any]]:
    random = Random(seed)
    return [
        [
            [random.randrange(random.choice((3, 12))) for _ in range(random.randint(0, 5))],
            "".join(random.choice("0123ab") for _ in range(random.randint(0, 5))),
            random.choice((0, 1, 2, 3, 7, 40, -1, 5_000)),
            random.randint(0, 4),
        ]
        for _ in range(CALLS)
    ]


def check(parts: Parts) -> bool:
    """The exact program stops only where it does what Python does, and so does what is emitted of it."""
    function = function_of(parts["source"])
    names: dict[str, Any] = {}
    exec(parts["source"].replace("@anc.function(memory=1024)", ""), names)
    try:
        program = function.exact
    except AncError:  # it takes more lines than there are
        return False
    emitted: dict[str, Any] = {}
    exec(function_in_python(function, program, ()), emitted)
    for call in calls_of(parts["seed"]):
        try:
            tape = function.tape(*call)
        except AncError:
            continue
        done = run(program, tape, STEPS)
        if done.stop is not Stop.STOPPED:
            continue
        given, again = deepcopy(call), deepcopy(call)
        try:
            wanted = names["f"](*given)
        except Exception as problem:
            raise Wrong(
                f"the exact program stops on {call}, where Python raises {problem!r}"
            ) from None
        wanted = int(wanted) if isinstance(wanted, bool) else wanted
        found = function.layout.result_of(done.tape)
        same(f"result of f{tuple(call)}", (found, type(found)), (wanted, type(wanted)))
        same("lists", function.layout.changed(done.tape)[1], [given[0]])
        found = emitted["f"](*again)
        same(f"emitted f{tuple(call)}", (found, type(found), again), (wanted, type(wanted), given))
    return True


ENTRIES = (Entry("function-sequences", make, check, share=30, seconds=20, tested=8),)
