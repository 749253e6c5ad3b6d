"""What the README and the documentation show is what happens: every block is run."""

import doctest
import linecache
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import click
import pytest
from command_line import anc
from handbook import DOCS, ROOT
from handbook.blocks import blocks as fenced
from handbook.blocks import documents, run_by_tests, too_long_to_run
from handbook.expand import expanded
from handbook.live import PLACE as LIVE
from handbook.sections import headings

import anc as anc_package

DOCUMENTS = documents()
NUMBER = r"\d(?:,|\d|\\\.\d)*"  # in an escaped text
MEASURED = re.compile(  # times, which differ from machine to machine
    rf"(?<![\w.]){NUMBER}(?=\\ (?:ns|ms|s|min|times)\b)|(?<=ns\\ instead\\ of\\ ){NUMBER}"
)
STORIES = ("README", "deploy", "objectives", "ten-minutes", "tutorial")
FILES = {
    "mul.py": "from anc.isa import PAPER, Instruction\n\n"
    'INSTRUCTIONS = (*PAPER, Instruction("MUL", 2, lambda a, b, M: a * b % M))\n',
    "counting.py": "from typing import Annotated\n\nimport anc\n\n\n@anc.function(memory=64)\n"
    "def count_above(values: Annotated[list[int], anc.Size(8)], limit: int) -> int:\n"
    '    """How many values are above the limit.\n\n'
    '    >>> count_above([3, 9, 1, 7, 0, 0, 2, 8], 2)\n    4\n    """\n'
    "    assert limit < 20\n    n = 0\n    for v in values:\n        if v > limit:\n"
    "            n += 1\n    return n\n",
    "twice.anc": "memory 10\nvar x = READ(0)\nx = ADD(x, x)    # wraps around at 10\nWRITE(1, x)\nSTOP()\n"
    "# run: 7 -> 7 4\n",
    "wrong.py": "import anc\n\n@anc.function(memory=64)\ndef half(x: int) -> int:\n"
    "    y = x / 2\n    del x\n    return y\n",
    "parking.py": "def fee(minutes: int, rate: int) -> int:\n"
    '    """The fee, for each 20 minutes that have begun."""\n'
    "    return (minutes + 19) // 20 * rate\n",
    "calls.jsonl": "".join(
        f"[{random.randint(1, 9)}, {random.randint(6, 14)}, {random.randint(0, 12)}]\n"
        for random in [Random(1)]
        for _ in range(600)
    ),
    "judge.py": (ROOT / "tests" / "adaptation" / "objectives" / "judge.py").read_text(),
    "jobs.jsonl": "".join(
        f"[{n % 5 + 1}, {n % 4 + 1}, {n % 3 + 1}, {n // 9 % 5 + 1}, {n // 7 % 4 + 1}, {n // 5 % 7 + 8}]\n"
        for n in range(600)
    ),
    "rule.anc": (ROOT / "tests" / "adaptation" / "holes" / "rule.anc").read_text(),
    "square.anc": "memory 10\nvar x = READ(0)\nx = MUL(x, x)\nWRITE(1, x)\nSTOP()\n# run: 7 -> 7 9\n",
    "largest.anc": "memory 20\nvar p = ? in (0, 1, 2)   # where does the list begin?\n"
    "var largest = 0\nvar x\n\nl_loop: x = READ(p)\nJEZ(x, ?)                # and where does this go?\n"
    "largest = ?(largest, x)\np = ? in (INC, DEC)(p)\nJEZ(0, l_loop)\n"
    "l_end: WRITE(0, ? in (largest, x))\nSTOP()\n",
    "lists.jsonl": '{"input": [0, 3, 7, 2], "output": [7, 3, 7, 2]}\n'
    '{"input": [0, 9, 4], "output": [9, 9, 4]}\n{"input": [0, 1, 5, 6], "output": [6, 1, 5, 6]}\n',
}


def name_of(document: Path) -> str:
    return document.relative_to(DOCS if document.is_relative_to(DOCS) else ROOT).as_posix()


def is_story(document: Path) -> bool:
    """Whether the blocks of a document go on where the one before ended, in a folder of their own."""
    return document.parent.name == "how-to" or document.stem in STORIES


def blocks(document: Path, kind: str) -> list[str]:
    found = fenced(document, kind)
    return ["".join(found)] if found and is_story(document) else found


def shown_files(block: str) -> dict[str, str]:
    """The files that a story shows; those in folders are made by its commands."""
    shown = [
        (re.fullmatch(r"cat ([\w-]+\.\w+)", command), text) for command, text in run_by_tests(block)
    ]
    return {found[1]: text for found, text in shown if found}


def sessions() -> list:
    return [
        pytest.param(document, number, id=f"{name_of(document)}-{number}")
        for document in DOCUMENTS
        for number, _ in enumerate(blocks(document, "console"))
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that the documents speak of, shared by the blocks of this module.

    A story has an empty one to begin with, in which there is only what it shows.
    """
    place = tmp_path_factory.mktemp("tour")
    for name, text in FILES.items():
        (place / name).write_text(text)
    return place


def typed(command: str, folder: Path, status: int) -> subprocess.CompletedProcess:
    """What a command does: `anc` in this process, perhaps into a file, everything else in a shell."""
    first, *words = shlex.split(command)
    if command == "echo $?":
        return subprocess.CompletedProcess(command, 0, f"{status}\n", "")
    if first == "anc" and ">" in words:
        *words, _, place = words
        done = anc(*words, cwd=folder)
        (folder / place).write_text(done.stdout)
        return subprocess.CompletedProcess(command, done.returncode, "", done.stderr)
    if first == "anc":
        return anc(*words, cwd=folder)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(("document", "number"), sessions())
def test_commands_print_what_the_document_shows(document, number, folder):
    block = blocks(document, "console")[number]
    if "listk.safetensors" in block:
        assert "-o listk.safetensors" in block  # a block makes the files that it uses
    if is_story(document):
        folder = folder / document.stem
        folder.mkdir()
        if document.stem == "README":
            (folder / "calls.jsonl").write_text(FILES["calls.jsonl"])
    status = 0
    for command, wanted in run_by_tests(block):
        if is_story(document):  # its reader writes a file when it is shown
            for name, text in shown_files(f"$ {command}\n{wanted}").items():
                if not (folder / name).exists():
                    (folder / name).write_text(text)
        done = typed(command, folder, status)
        status = done.returncode
        found = done.stdout + done.stderr
        orders = (found, done.stderr + done.stdout)  # notes come before or after the result
        pattern = MEASURED.sub(r"[\\d.,]+", re.escape(wanted.rstrip()).replace(r"\.\.\.", ".*"))
        assert any(re.fullmatch(pattern, each.rstrip(), flags=re.DOTALL) for each in orders), (
            f"$ {command}\n{found}"
        )


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_commands_that_take_long_are_commands(document):
    from anc.commands.main import app, commands_of

    for block in blocks(document, "sh"):
        for command, _ in too_long_to_run(block):
            first, *words = shlex.split(command)
            if first != "anc":
                continue
            group = app
            while isinstance(group, click.Group):
                group = commands_of(group)[words.pop(0)]
            context = click.Context(group)
            values, rest, _ = group.make_parser(context).parse_args(args=words)
            assert not rest, command
            for option in group.params:
                if isinstance(values.get(option.name), str) and isinstance(
                    option.type, click.Choice
                ):
                    option.type.convert(values[option.name], option, context)


def test_the_readme_names_no_file_that_its_reader_does_not_have():
    text = (ROOT / "README.md").read_text()
    known = {*shown_files("".join(blocks(ROOT / "README.md", "console"))), "calls.jsonl"}
    for command in re.findall(r"`(anc [^`]+)`", text):
        files = re.findall(r"\b[a-z]\w*\.(?:anc|py|jsonl|toml|html)\b", command)
        assert {*files} <= known, command


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_python_examples(document):
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    for block in blocks(document, "python"):
        parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=flags)
        runner.run(parser.get_doctest(block, {}, document.name, str(document), 0))
        assert runner.summarize(verbose=False).failed == 0


def test_the_readme_s_model_learns_from_sums():
    pytest.importorskip("torch")
    (script,) = (block for block in blocks(ROOT / "README.md", "python") if "torch" in block)
    defined: dict[str, Any] = {"__name__": "readme"}
    source = compile(script, "README.md", "exec")
    linecache.cache["README.md"] = (
        len(script),
        None,
        script.splitlines(keepends=True),
        "README.md",
    )
    exec(source, defined)
    assert defined["loss"].exp().item() == pytest.approx(50)
    more = defined["scores"].grad < 0
    assert more.nonzero()[:, 1].tolist() == [8, 9, 8, 9]


def test_anchors_are_those_of_the_site():
    from markdown.extensions.toc import slugify

    for document in DOCUMENTS:
        for _, _, title, anchor in headings(document.read_text()):
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).replace("`", "").replace("*", "")
            assert anchor == slugify(text, "-"), title


@pytest.mark.parametrize("document", [*DOCUMENTS, ROOT / "CONTRIBUTING.md"], ids=name_of)
def test_links_lead_somewhere(document):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", document.read_text(), flags=re.DOTALL)
    for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]+))?\)", text):
        if (
            target == LIVE
        ):  # made with the site; tests/browser/test_play_lesson.py opens these links
            continue
        place = (document.parent / target) if target else document
        assert place.exists(), target
        if anchor.startswith("anc."):  # of the Python API
            assert anchor.removeprefix("anc.") in anc_package.__all__, anchor
        elif anchor:
            assert anchor in [found[3] for found in headings(expanded(place.read_text()))], anchor


@pytest.mark.filterwarnings("ignore::anc.CompilerWarning")
def test_the_statements_of_the_language_page_are_a_program():
    (statements,) = (block for block in fenced(DOCS / "language.md", "") if "memory" in block)
    assert anc_package.compile(statements).memory == 20


def test_the_language_page_lists_the_instruction_table():
    from anc import isa

    M = 7
    text = (ROOT / "docs" / "language.md").read_text()
    for row in isa.PAPER.rows:
        call = re.escape(f"{row.name}({', '.join(('first', 'second')[: row.operands])})")
        found = re.search(rf"^\| `{call}` \| (.+) \| (.+) \|$", text, flags=re.MULTILINE)
        assert found, row.name
        reads = row.effect is isa.Effect.READ
        assert found[2] == ("-" if reads else row.effect.value)
        if reads:
            assert found[1] == "tape[first]"
            continue
        for first in range(M):
            for second in range(M):
                names = {"first": first, "second": second, "min": min, "max": max}
                assert eval(found[1], names) % M == row.output(first, second, M)
