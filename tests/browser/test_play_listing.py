"""The page's parser, compiler and printer do what Python's do: the same programs, messages and texts."""

import itertools
import random
import re
from dataclasses import asdict

import pytest
from browser.playing import Engine, page_with_engine
from generated import programs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anc import isa
from anc.compiler import compile_source, to_text
from anc.data import programs as shipped
from anc.language import Source
from anc.pages.play_javascript import in_javascript
from anc.program import Program
from anc.support.diagnostics import SourceError, render_all

FIXTURES = [HealthCheck.function_scoped_fixture]
COMPILED = (
    "const c = engine.compile(row); return {...c, text: c.program && engine.listing(c.program)}"
)
WORDS = [
    "READ",
    "JEZ",
    "k",
    "x",
    "l_loop",
    "var",
    "memory",
    "start",
    "(",
    ")",
    ",",
    ":",
    "=",
    ";",
    "@",
    "?",
    "-",
]
WORDS += [
    "instructions wide",
    "0",
    "7",
    "99",
    "12345678901",
    "REED",
    "@frozen",
    "# run: 1 -> 2",
    "# run: 1",
    "§",
    "𝄞",
    "in",
]


def in_python(text):
    """What Python makes of a text, in the form of the page."""
    try:
        found = compile_source(Source(text))
    except SourceError as problem:
        return {
            "program": None,
            "mistakes": list(map(message, problem.diagnostics)),
            "warnings": [],
        }
    return {
        "program": plain_program(found.program),
        "mistakes": [],
        "warnings": list(map(message, found.warnings)),
        "examples": [[list(e.input), list(e.output)] for e in found.examples],
        "text": to_text(found.program),
    }


def message(diagnostic):
    span = (
        asdict(diagnostic.span) if diagnostic.span else dict.fromkeys(("line", "column", "width"))
    )
    about = {"severity": diagnostic.severity.value, "message": diagnostic.message}
    return about | span | {"help": diagnostic.help}


def plain_program(program: Program):
    lines = [
        {
            "op": x.op,
            "first": x.first,
            "second": x.second,
            "out": x.out,
            "sourceLine": x.source_line,
        }
        for x in program.lines
    ]
    return {
        "lines": lines,
        "registers": list(program.registers),
        "start": program.start,
        "names": list(program.names),
        "memory": program.memory,
        "frozen": list(program.frozen),
        "set": "paper" if program.instructions == isa.PAPER else "wide",
    }


def same(texts, found):
    for text, here in zip(texts, found, strict=True):
        wanted = in_python(text)
        for name, value in wanted.items():
            if name == "examples":
                here[name] = [[each["input"], each["output"]] for each in here[name]]
            assert here[name] == value, text


def test_the_shipped_programs_compile_to_the_same(engine):
    texts = [shipped.source(name).text for name in shipped.names()]
    same(texts, engine.each(COMPILED, texts))


@given(
    st.lists(
        st.one_of(programs(), programs(full=True), programs(max_registers=9)),
        min_size=1,
        max_size=20,
    )
)
@settings(max_examples=15, deadline=None, suppress_health_check=FIXTURES)
def test_generated_programs_compile_to_the_same(engine, made):
    texts = list(map(to_text, made))
    same(texts, engine.each(COMPILED, texts))


def mutated(random, text):
    """A text with one to three mistakes that people make."""
    for _ in range(random.randint(1, 3)):
        found = list(re.finditer(r"\w+|[^\w\s]|\n", text)) or [re.match("", text)]
        begin, end = random.choice(found).span()
        other = random.choice([random.choice(WORDS), random.choice(found).group(), ""])
        place = random.choice([(begin, end), (begin, begin), (end, end)])
        space = random.choice(["", " "])
        text = text[: place[0]] + space + other + space + text[place[1] :]
    return text


@pytest.mark.parametrize("seed", range(4))
def test_listings_with_mistakes_get_the_same_messages(engine, seed):
    source = random.Random(seed)
    texts = [
        mutated(source, shipped.source(source.choice(shipped.names())).text) for _ in range(250)
    ]
    texts = [text for text in texts if not re.search(r"instructions\s+(?!wide)\S", text)]
    same(texts, engine.each(COMPILED, texts))
    assert sum(in_python(text)["program"] is None for text in texts) > 100


def test_messages_are_printed_as_the_command_line_does(engine):
    text = (
        "var k = 1\nk = REED(k)\n\tJEZ(k, l_stp)  \x07 # a\nl_stop: STOP()"
        + " " * 90
        + "STOP(k, 1)"
    )
    try:
        compile_source(Source(text, "typo.anc"))
    except SourceError as problem:
        wanted = render_all(problem.diagnostics, text, "typo.anc")
    script = "return engine.compile(row).mistakes.map((m) => engine.render(m, row, 'typo.anc')).join('\\n\\n')"
    assert engine.each(script, [text]) == [wanted]


def test_long_listings_compile_to_the_same_quickly_and_longer_ones_are_refused(engine):
    names = [f"v{i}" for i in range(300)]
    lines = [
        f"{a} = ADD({b}, {names[i * 7 % 300]})"
        for i, (a, b) in enumerate(itertools.pairwise(names))
    ]
    text = "\n".join([*(f"var {name}" for name in names), *lines, "JEZ(v1, v2)", "STOP()"])
    same([text], engine.each(COMPILED, [text]))
    (found,) = engine.each("return engine.compile(row)", ["STOP();" * 10_000])
    assert found["mistakes"][0]["message"].startswith("the listing has 70000 characters")


def test_unknown_instruction_sets_are_refused(engine):
    (found,) = engine.each("return engine.compile(row)", ["instructions mul.py\nSTOP()"])
    (mistake,) = found["mistakes"]
    assert mistake["message"] == "this page does not know the instructions 'mul.py'"
    assert mistake["help"] == "it knows paper and wide"


@pytest.mark.parametrize("M", [1, 2, 7, 20, 33])
def test_every_instruction_outputs_the_same(engine, M):
    script = (
        "return engine.sets[row].rows.map((r) => { const all = [];"
        f" for (let a = 0; a < {M}; a++) for (let b = 0; b < {M}; b++) all.push(r.output(a, b, {M}));"
        " return all })"
    )
    for name, found in zip(("paper", "wide"), engine.each(script, ["paper", "wide"]), strict=True):
        for row, numbers in zip(isa.NAMED[name], found, strict=True):
            assert numbers == [row.output(a, b, M) for a in range(M) for b in range(M)], row.name


def test_large_numbers_are_exact(engine):
    M, source = 65_536, random.Random(1)
    pairs = [(source.randrange(M), source.randrange(M)) for _ in range(200)]
    script = f"return engine.sets.wide.rows.map((r) => r.output(row[0], row[1], {M}))"
    wanted = [[row.output(a, b, M) for row in isa.WIDE] for a, b in pairs]
    assert engine.each(script, pairs) == wanted


def test_outputs_that_are_more_than_arithmetic_are_tabulated(browser, tmp_path):
    powers = isa.Instruction("POW", 2, lambda a, b, M: pow(a, b, M))
    halves = isa.Instruction(
        "HALF", 1, lambda a, b, M: (a >> 1) if 0 < a < M else abs(-a) * (not b)
    )
    assert in_javascript(powers.output) is None and in_javascript(halves.output) is not None
    mine = isa.InstructionSet((*isa.PAPER, powers, halves))
    (tmp_path / "engine.html").write_text(page_with_engine((("paper", isa.PAPER), ("mine", mine))))
    engine = Engine(browser, tmp_path / "engine.html")
    script = "return [11, 12].map((i) => engine.sets.mine.rows[i].output(...row))"
    asked = [(a, b, M) for M in (2, 9, 32) for a in range(M) for b in range(M)]
    assert engine.each(script, asked) == [[powers.output(*x), halves.output(*x)] for x in asked]
    text = "instructions mine\nmemory 33\nSTOP()"
    (found,) = engine.each("return engine.compile(row).mistakes", [text])
    assert found[0]["help"] == "use a size from 1 to 32"
