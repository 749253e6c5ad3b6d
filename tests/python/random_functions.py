"""Random functions of the Python subset, as source texts."""

from __future__ import annotations

from random import Random

ARITHMETIC = ("+", "-", "+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
NUMBERS = "STEP = 3\nWEIGHTS = (2, 7, 1)\n"
HELPERS = """
def smaller(a, b):
    if a < b:
        return a
    return b


def raised(values, place):
    values[place] += STEP
    return values[place]


def found(values, x):
    for i, v in enumerate(values):
        if v == x:
            return i
    return 9


def ordered(values, t):
    t += found(values, t)
    for i in range(len(values) - 1):
        if values[i] > values[i + 1]:
            values[i], values[i + 1] = values[i + 1], values[i]
            t -= 1
    else:
        t = smaller(t, 7)
    return t
"""


class Writer:
    """Writes one function; every loop ends by itself."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.fuels = 0
        self.depth = 0
        self.loops = 0
        self.is_tape = random.random() < 0.25

    def text(self) -> str:
        random = self.random
        if self.is_tape:
            self.lists, self.names = ["tape"], []
            head = "def f(tape):"
        else:
            size = random.choice(["3", "up_to=4", "1"])
            self.lists, self.names = ["values", "more"], ["a", "b"]
            head = (
                f"def f(values: Annotated[list[int], anc.Size({size})], a: int, b: int,"
                " more: Annotated[list[int], anc.Size(4)]) -> int:"
            )
        self.write(f"x = {self.number() if self.names else random.randint(0, 9)}")
        self.names.append("x")
        if random.random() < 0.5:
            self.write(f"y = t = {self.number()}")
            self.names += ["y", "t"]
        self.block(random.randint(1, 4))
        if not self.is_tape:
            self.write(f"return {self.number()}")
        else:
            self.write(f"tape[{self.number()}] = {self.number()}")
        body = "\n".join(f"    {line}" for line in self.lines)
        return f"{NUMBERS}{HELPERS}\n\n{head}\n{body}\n"

    def write(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    # -- statements --------------------------------------------------------------

    def block(self, count: int) -> None:
        for _ in range(count):
            self.statement()

    def inner(self, count: int = 2) -> None:
        self.depth += 1
        self.block(self.random.randint(1, count))
        self.depth -= 1

    def statement(self) -> None:
        random = self.random
        kinds = [self.assign, self.assign, self.change, self.element, self.swap]
        if self.depth < 3:
            kinds += [self.condition, self.condition, self.for_loop, self.while_loop]
        if self.loops:
            kinds.append(self.jump)
        if not self.is_tape:
            kinds += [self.leave, self.unpack]
        random.choice(kinds)()

    def assign(self) -> None:
        self.write(f"{self.random.choice(self.names)} = {self.number()}")

    def change(self) -> None:
        op = self.random.choice(("+", "-", "*", "%", "//", "+", "-"))
        self.write(f"{self.random.choice(self.names)} {op}= {self.number(1)}")

    def element(self) -> None:
        op = self.random.choice(("", "+", "-"))
        self.write(f"{self.place()} {op}= {self.number()}")

    def swap(self) -> None:
        one, two = self.random.choice(self.names), self.random.choice([*self.names, self.place()])
        self.write(f"{one}, {two} = {two}, {one}")

    def condition(self) -> None:
        self.write(f"if {self.test()}:")
        self.inner()
        if self.random.random() < 0.3:
            self.write(f"elif {self.test()}:")
            self.inner()
        if self.random.random() < 0.4:
            self.write("else:")
            self.inner()

    def jump(self) -> None:
        self.write(f"if {self.test()}:")
        self.depth += 1
        self.write(self.random.choice(("break", "continue", "pass")))
        self.depth -= 1

    def leave(self) -> None:
        self.write(f"if {self.test()}:")
        self.depth += 1
        self.write(f"return {self.number()}")
        self.depth -= 1

    def unpack(self) -> None:
        self.write(f"a, x, b, {self.name()} = {self.random.choice(('more', '(b, a, x, 4)'))}")

    def for_loop(self) -> None:
        random = self.random
        one = random.choice(["i", "v", random.choice(self.names)])
        few = self.few
        kinds = [
            (one, f"range({few()})"),
            (one, f"range({few()}, {few()})"),
            (one, f"range({few()}, {few()}, {random.choice((-1, 2, -2, 3))})"),
            (one, f"range({few()}, -1, -1)"),
            (one, random.choice(self.lists)),
            (one, f"reversed({random.choice(self.lists)})"),
            (one, f"reversed(range({few()}))"),
            (one, random.choice(("WEIGHTS", "(x, 2, x)"))),
            ("i, " + one, f"enumerate({random.choice(self.lists)})"),
            ("i, " + one, f"enumerate({random.choice(self.lists)}, {few()})"),
            ("v, " + one, f"zip({random.choice(self.lists)}, range({few()}))"),
            ("v, " + one, f"zip({random.choice(self.lists)}, WEIGHTS)"),
            ("v, " + one, f"zip({self.lists[0]}, reversed({self.lists[-1]}))"),
            (f"v, (i, {one})", f"zip(range(9, {few()}, -2), enumerate({self.lists[0]}))"),
        ]
        if self.is_tape or self.loops:
            kinds = [kind for kind in kinds if "tape" not in kind[1]]
        target, items = random.choice(kinds)
        self.write(f"for {target} in {items}:")
        names = target.replace("(", "").replace(")", "").split(", ")
        self.loop([name for name in dict.fromkeys(names) if name not in self.names])

    def while_loop(self) -> None:
        self.fuels += 1
        fuel = f"fuel{self.fuels}"
        self.lines.append("    " * self.depth + f"{fuel} = {self.random.randint(1, 5)}")
        self.write(f"while {fuel} != 0 and {self.test()}:")
        self.depth += 1
        self.write(f"{fuel} -= 1")
        self.depth -= 1
        self.loop([])

    def loop(self, names: list[str]) -> None:
        self.loops += 1
        self.names += names
        self.inner(3)
        self.names = self.names[: len(self.names) - len(names)]
        self.loops -= 1
        if self.random.random() < 0.2:
            self.write("else:")
            self.inner(1)

    # -- expressions -------------------------------------------------------------------

    def few(self) -> str:
        return self.random.choice((str(self.random.randint(0, 4)), f"{self.name()} % 4", "2"))

    def name(self) -> str:
        return self.random.choice(self.names)

    def place(self) -> str:
        chosen = self.random.choice(self.lists)
        index = self.random.choice(
            (self.name(), "0", "-1", f"{self.name()} + 1", f"({self.number(2)} + {self.name()})")
        )
        return f"{chosen}[{index}]"

    def number(self, depth: int = 0) -> str:
        random = self.random
        kind = random.random() + 0.12 * depth
        if kind < 0.3:
            op = random.choice(ARITHMETIC[:4] if random.random() < 0.7 else ARITHMETIC)
            return f"({self.number(depth + 1)} {op} {self.number(depth + 1)})"
        if kind < 0.42:
            return self.rare(depth)
        if kind < 0.6:
            return self.place() if depth < 3 else self.name()
        return random.choice((self.name(), self.name(), str(random.randint(0, 20)), "STEP"))

    def rare(self, depth: int) -> str:
        random, number = self.random, self.number
        one, two = number(depth + 2), number(depth + 2)
        values, name = random.choice(self.lists), self.name()
        kinds = [
            f"min({one}, {two})",
            f"max({one}, {two}, 3)",
            f"abs({one} - {two})",
            f"({one} if {self.test(depth + 2)} else {two})",
            f"({self.test(depth + 2)})",
            f"-{name}",
            f"~{name}",
            f"(not {name})",
            f"({one} or {two})",
            f"({one} and {two})",
            f"{name} ** {random.randint(0, 3)}",
            f"smaller({one}, {two})",
            f"raised({values}, {name})",
            f"WEIGHTS[{name}]",
            f"int({one} {random.choice(COMPARISONS)} {two})",
            f"{name} // {random.randint(0, 9)}",
            f"{name} % {random.choice((1, 2, 5, 8))}",
            f"{name} & {random.randint(0, 15)}",
            f"{name} << {random.randint(0, 3)}",
            f"{name} >> {random.randint(0, 3)}",
            f"sum({self.lists[-1]})",
            f"min({values})",
            f"max({values})",
            f"len({values})",
            f"found({values}, {name})",
            f"sum(e * 2 for e in {values} if e > {name})",
            f"sum(x * {name} for x in {values} if x < 5)",
            f"max(x + i for i, x in enumerate({values}))",
            f"ordered({self.lists[-1]}, {one})" if not self.is_tape else one,
            f"min((e for e in {values} if e != {name}))",
            f"sum(e + g for e in {values} for g in range(2))",
        ]
        if self.is_tape:
            kinds = [kind for kind in kinds if "in tape" not in kind or not self.loops]
        return random.choice(kinds)

    def test(self, depth: int = 0) -> str:
        random = self.random
        kind = random.random() + 0.15 * depth
        if kind < 0.12:
            return f"({self.test(depth + 1)} {random.choice(('and', 'or'))} {self.test(depth + 1)})"
        if kind < 0.2:
            return f"not {self.test(depth + 1)}"
        if kind < 0.26:
            quantity, op = random.choice(("any", "all")), random.choice(COMPARISONS)
            each = random.choice(("e", "x", "t"))
            return (
                f"{quantity}({each} {op} {self.name()} for {each} in {random.choice(self.lists)})"
            )
        if kind < 0.32:
            one, two = random.choice(COMPARISONS), random.choice(COMPARISONS)
            return f"{self.number(2)} {one} {self.name()} {two} {self.number(2)}"
        if kind < 0.4:
            return self.number(depth + 1)
        one, op = self.number(depth + 1), random.choice(COMPARISONS)
        return f"{one} {op} {random.choice((self.number(depth + 1), '0', '1', '5'))}"


def random_function(random: Random, M: int) -> str:
    """A text with one random function that is marked for a memory of M cells."""
    text = Writer(random).text()
    head = "from typing import Annotated\nimport anc\n"
    return head + text.replace("\ndef f(", f"\n@anc.function(memory={M})\ndef f(")
