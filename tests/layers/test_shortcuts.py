"""Reasoning shortcuts: against brute force on small programs, and on programs of ten digits."""

import itertools
import math
import random
from typing import Annotated

import pytest

import anc
from anc.language import Source
from anc.layers.hitting import smallest_hitting
from anc.machine import exact
from anc.python.function import read
from anc.python.source import parse

CHOSEN = """
import anc
@anc.function(memory=100)
def chosen(a: int, b: int, which: int) -> int:
    return a if which == 0 else b
"""


@anc.function(memory=60)
def added_in_columns(
    a: Annotated[list[int], anc.Size(2)],
    b: Annotated[list[int], anc.Size(2)],
    total: Annotated[list[int], anc.Size(3)],
):
    carry = 0
    for k in range(2):
        s = a[1 - k] + b[1 - k] + carry
        carry = 0
        if s > 9:
            s -= 10
            carry = 1
        total[2 - k] = s
    total[0] = carry


def from_text(text):
    """The function of a text."""
    module = parse(Source(text, "text"))
    (name,) = module.functions
    return read(module, module.functions[name])


def result_of(layer, values):
    """The outputs for values of the inputs."""
    spec = layer.spec
    tape = list(spec.fixed)
    for cell, value in zip(spec.inputs, values, strict=True):
        tape[cell] = value
    run = exact.run(spec.program, tape, spec.max_steps)
    return tuple(run.tape[cell] for cell in spec.outputs)


def brute_force(layer, K, observed=None):
    """(maps, permutations) other than the right one, and what each value may be read as."""
    every = itertools.product(range(K), repeat=len(layer.spec.inputs))
    results = {values: result_of(layer, values) for values in every}
    seen = [v for v, result in results.items() if observed is None or result in observed]
    maps = permutations = 0
    can_be = [set() for _ in range(K)]
    for renaming in itertools.product(range(K), repeat=K):
        if all(results[tuple(renaming[v] for v in values)] == results[values] for values in seen):
            maps += 1
            permutations += len(set(renaming)) == K
            for value, read in enumerate(renaming):
                can_be[value].add(read)
    return maps - 1, permutations - 1, tuple(tuple(sorted(each)) for each in can_be)


def random_listing(random, inputs, outputs):
    """Arithmetic and branches on some inputs, at random."""
    lines = [f"var x{i} = READ({i})" for i in range(inputs)]
    names = [f"x{i}" for i in range(inputs)]
    for n in range(4):
        op = random.choice(["ADD", "SUB", "MIN", "MAX"])
        one, other = random.choice(names), random.choice([*names, "1", "2"])
        lines += [f"var y{n} = 0", f"y{n} = {op}({one}, {other})"]
        if random.random() < 0.4:
            lines += [
                f"JEZ({random.choice(names)}, l{n})",
                f"y{n} = ADD({random.choice(names)}, 0)",
                f"l{n}: y{n} = ADD(y{n}, 0)",
            ]
        names.append(f"y{n}")
    lines += [f"WRITE({inputs + k}, {random.choice(names[inputs:])})" for k in range(outputs)]
    return "\n".join([f"memory {random.choice([24, 40])}", *lines, "STOP()"])


@pytest.mark.parametrize("seed", range(40))
def test_they_are_those_of_brute_force(seed):
    draw = random.Random(seed)
    inputs, outputs = draw.choice([1, 2, 2, 3]), draw.choice([1, 1, 2])
    K = 4 if inputs < 3 else 3
    cells = range(inputs, inputs + outputs) if outputs > 1 else inputs
    layer = anc.layer(random_listing(draw, inputs, outputs), [range(inputs)], cells, values=K)
    found = layer.shortcuts()
    *counts, can_be = brute_force(layer, K)
    assert (found.maps, found.permutations, found.groups[0].can_be) == (*counts, can_be)
    assert found.unavoidable == tuple(counts) and found.are_all
    every = itertools.product(range(K), repeat=inputs)
    results = sorted({result_of(layer, values) for values in every})
    observed = draw.sample(results, min(2, len(results)))
    given = observed if outputs > 1 else [one for (one,) in observed]
    found = layer.shortcuts(observed=given)
    *seen, can_be = brute_force(layer, K, observed)
    assert (found.maps, found.permutations, found.groups[0].can_be) == (*seen, can_be)
    assert found.unavoidable == tuple(counts)
    if found.removed_by is not None:
        more = [r if outputs > 1 else (r,) for r in found.removed_by]
        assert brute_force(layer, K, [*observed, *more])[:2] == tuple(counts)
        if found.is_smallest and 0 < len(more) < 3:
            for fewer in itertools.combinations(results, len(more) - 1):
                assert brute_force(layer, K, [*observed, *fewer])[:2] != tuple(counts)


def of_two(text):
    """A layer of a function of two digits."""
    body = (
        f"import anc\n@anc.function(memory=100)\ndef f(a: int, b: int) -> int:\n    return {text}\n"
    )
    return anc.layer(from_text(body), values=10, outside="wrap")


@pytest.mark.parametrize(
    ("text", "observed", "counts", "through", "enough"),
    [
        ("a + b", None, (0, 0), None, 2),
        ("a + b", [18], (10**9 - 1, math.factorial(9) - 1), None, 2),
        ("int(a == b)", None, (math.factorial(10) - 1,) * 2, None, 1),
        ("int(a == b)", [1], (10**10 - 1, math.factorial(10) - 1), None, 1),
        ("int(a < b)", None, (0, 0), None, 1),
        ("int(a < b)", [0], (math.comb(19, 9) - 1, 0), None, 1),
        (
            "(a + b) % 2",
            None,
            (2 * 5**10 - 1, 2 * math.factorial(5) ** 2 - 1),
            "used only through value % 2",
            1,
        ),
        (
            "int(a < 5) + int(b < 5)",
            None,
            (5**10 - 1, math.factorial(5) ** 2 - 1),
            "used only through the comparison value < 5",
            2,
        ),
        (
            "int(a == 3 or a == 4) + int(b == 3 or b == 4)",
            None,
            (8**8 * 2**2 - 1, math.factorial(8) * 2 - 1),
            "used only through the question whether value is 3 or 4",
            2,
        ),
    ],
)
def test_ten_digits(text, observed, counts, through, enough):
    found = of_two(text).shortcuts(observed=observed)
    assert (found.maps, found.permutations) == counts
    assert found.groups[0].through == through
    assert found.is_smallest and len(found.removed_by) == enough
    assert found.to_dict()["maps"] == counts[0]
    assert ("no shortcut" in str(found)) == (counts[0] == 0)


def test_reasons_are_named():
    def reasons(text, observed=None):
        return " ".join(of_two(text).shortcuts(observed=observed).reasons)

    assert "only whether values are equal matters" in reasons("int(a == b)")
    assert "the order of the values can be reversed" in reasons("max(a - b, b - a)")
    assert "can be shifted by 1, modulo 10" in reasons("(a + 10 - b) % 10")
    assert "reading any value everywhere" in reasons("int(a < b)", [0])
    assert "do not determine 0, 1, 2" in reasons("a + b", [18])


def test_outputs_of_several_cells():
    layer = anc.layer(added_in_columns, ["a", "b"], "total", values=10)
    assert layer.shortcuts().maps == 0
    found = layer.shortcuts(observed=[[1, 9, 8]])  # 99 + 99
    assert (found.maps, found.permutations) == (10**9 - 1, math.factorial(9) - 1)
    assert not found.is_smallest and found.removed_by
    more = [[1, 9, 8], *map(list, found.removed_by)]
    assert layer.shortcuts(observed=more).maps == 0
    masked = layer.shortcuts(observed=[[1, 9, 8]], mask=[[False, True, True]])
    assert masked.maps < found.maps  # 98 was seen as well


def test_networks_of_their_own():
    layer = anc.layer(from_text(CHOSEN), values=[10, 10, 2])
    together, apart = layer.shortcuts(), layer.shortcuts(groups=[["a"], ["b"], ["which"]])
    assert (together.maps, len(together.groups)) == (0, 2)
    assert (apart.maps, len(apart.groups)) == (0, 3)


def test_what_is_refused():
    layer = anc.layer(from_text(CHOSEN))
    with pytest.raises(anc.AncError, match="how many values has 'a'"):
        layer.shortcuts()
    layer = anc.layer(from_text(CHOSEN), values=[10, 10, 2])
    with pytest.raises(anc.AncError, match="different numbers of values"):
        layer.shortcuts(groups=[["a", "which"]])
    with pytest.raises(anc.AncError, match="no input 'c'"):
        layer.shortcuts(groups=[["c"]])


def test_smallest_hitting_sets():
    draw = random.Random(0)
    for _ in range(50):
        sets = [set(draw.sample(range(7), draw.randint(1, 3))) for _ in range(draw.randint(1, 6))]
        found = smallest_hitting(sets)
        assert all(each & set(found) for each in sets)
        for fewer in itertools.combinations(range(7), len(found) - 1):
            assert any(not each & set(fewer) for each in sets)
