"""Random facts of every kind, as texts."""

from __future__ import annotations

from random import Random

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


def random_cell(random: Random, M: int) -> str:
    place = random.randrange(M)
    if random.random() < 0.75:
        return f"tape[{place}]"
    plus = random.choice(["", "", f" + {random.randrange(M)}", f" - {random.randrange(M)}"])
    inner = random.choice([f"tape[{place}]"] * 3 + [f"2 * tape[{place}] - tape[0]"])
    address = f"tape[{inner}{plus}]"
    return address if random.random() < 0.85 else f"tape[{address}]"


def random_term(random: Random, M: int) -> str:
    """A sum of up to three cells, or a number."""
    parts = [random_cell(random, M) for _ in range(random.choice([0, 1, 1, 1, 2, 3]))]
    parts = [f"{random.choice([2, 2, 3])} * {p}" if random.random() < 0.15 else p for p in parts]
    if not parts or random.random() < 0.4:
        parts.append(str(random.randrange(M + 2)))
    text = random.choice(["", "", "", "-"]) + parts[0]
    return text + "".join(f" {random.choice('++-')} {part}" for part in parts[1:])


def random_numbers(random: Random, M: int, count: int) -> str:
    numbers = (random.randrange(-1, M) for _ in range(count))
    return f"({', '.join(map(str, numbers))},)"


def random_list(random: Random, M: int) -> str:
    """What a function says along a list."""
    begin, step = random.randrange(M), random.choice([1, 1, 1, 2, 3])
    record = random.randint(1, step)  # cells of each element
    end = random.randint(begin, M - record) + 1 if begin + record <= M else begin + 1
    record = min(record, M - (end - 1))

    def term() -> str:
        here = random.choice(["tape[i]"] * 4 + [f"tape[i + {random.randrange(record)}]", "i"])
        return random.choice([here] * 4 + [f"2 * {here}", f"tape[{here}]", f"{here} - tape[0]"])

    def relation() -> str:
        other = random.choice([term(), random_term(random, M), str(random.randrange(M))])
        return random.choice(
            [
                *[f"{term()} {random.choice(COMPARISONS)} {other}"] * 5,
                f"({term()}) % {random.randint(1, M)} == {random.randrange(2)}",
                f"{term()} in {random_numbers(random, M, 2)}",
                f"different({term()}, {other})",
            ]
        )

    function = random.choice(["sorted", "different", "all", "all", "all", "sum", "sum"])
    going = random.choice(["", *[f" while {relation()}"] * 2, *[" while tape[i] != 0"] * 3])
    element = relation() if function in ("all", "sum") else term()
    text = f"{function}({element} for i in range({begin}, {end}, {step}){going})"
    return random_count(random, text) if function == "sum" else text


def random_count(random: Random, counted: str) -> str:
    """How many there are, compared with a number on either side."""
    number, op = random.choice([0, 1, 1, 1, 2, 3, -1]), random.choice(COMPARISONS)
    return f"{counted} {op} {number}" if random.random() < 0.8 else f"{number} {op} {counted}"


def random_relation(random: Random, M: int) -> str:
    kind = random.choice(["compare", "compare", "chain", "rest", "in", "words", "function", "list"])
    if kind == "list":
        return random_list(random, M)
    if kind in ("compare", "chain"):
        terms = [random_term(random, M) for _ in range(2 + (kind == "chain"))]
        return "".join(f"{t} {random.choice(COMPARISONS)} " for t in terms[:-1]) + terms[-1]
    if kind == "rest":
        divisor = random.choice([str(random.randint(1, M)), "-2", random_cell(random, M)])
        if random.random() < 0.2:
            divisor = f"({random_term(random, M)} + tape[0])"
        op = random.choice(["==", "==", "!="])
        return f"({random_term(random, M)}) % {divisor} {op} {random.choice([0, 0, 1, 2, -1])}"
    negative = random.choice(["", "", "not "])
    if kind == "in":
        numbers = random_numbers(random, M, random.randint(1, 4))
        return f"{random_term(random, M)} {negative}in {numbers}"
    count = random.randint(2, 4)
    begin = random.randrange(M)
    if random.random() < 0.4 and M - begin > 1:
        count = min(count, M - begin)
        terms = f"tape[{begin}:{begin + count}]"
        if kind == "function" and random.random() < 0.5:
            return random_count(random, f"{terms}.count({random_term(random, M)})")
    else:
        terms = ", ".join(random_term(random, M) for _ in range(count))
    if kind == "words":
        words = "".join(
            f"{random_numbers(random, M, count)}, " for _ in range(random.randint(1, 4))
        )
        left = terms if terms.endswith(f":{begin + count}]") else f"({terms})"
        return f"{left} {negative}in ({words})"
    return f"{random.choice(['sorted', 'different'])}({terms})"


def random_fact(random: Random, M: int, depth: int = 2) -> str:
    """The text of a fact, anything that the grammar allows."""
    if depth == 0 or random.random() < 0.6:
        return random_relation(random, M)
    if random.random() < 0.2:
        return f"not ({random_fact(random, M, depth - 1)})"
    word = random.choice(["and", "or", "implies"])
    left, right = (random_fact(random, M, depth - 1) for _ in range(2))
    return f"({left}) {word} ({right})"


def checkable_fact(random: Random, M: int) -> str:
    """The text of a fact that a guarded program can check."""

    def atom() -> str:
        i, j, c, d = (random.randrange(M) for _ in range(4))
        op = random.choice(COMPARISONS)
        return random.choice(
            [
                f"tape[{i}] {op} {c}",
                f"{min(c, d)} <= tape[{i}] <= {max(c, d)}",
                f"tape[{i}] {op} tape[{j}]",
                f"tape[{i}] {op} tape[{j}] {random.choice('+-')} {c}",
            ]
        )

    return random.choice(
        [atom(), f"{atom()} implies {atom()}", f"{atom()} or {atom()}", f"not ({atom()})"]
    )
