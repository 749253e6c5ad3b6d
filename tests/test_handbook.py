"""What the documentation site is made of comes from the project as it is."""

import re
from dataclasses import fields

import charts
import click
import pytest
from handbook import DOCS, ROOT
from handbook.api import api_reference, packages_reference, results_reference
from handbook.commands import all_commands, command_reference
from handbook.docstrings import as_markdown
from handbook.expand import expanded
from handbook.formulas import with_formulas
from handbook.loop import ADAPTED, TAPE, listing, loop_figure, recorded
from handbook.outside import with_links_inside
from handbook.settings import settings_reference
from handbook.source import definition, source

import anc
from anc.commands.main import app
from anc.proof import Claim, parse_fact, prove
from anc.training.settings import TrainingSettings


@pytest.fixture(scope="module")
def reference():
    return command_reference()


def test_every_command_and_option_is_in_the_reference(reference):
    sections = dict(re.findall(r"^## (.+)\n((?:(?!## ).*\n?)*)", reference, flags=re.MULTILINE))
    contexts = all_commands(click.Context(app, info_name="anc"))
    assert set(sections) == {context.command_path for context in contexts}
    for context in contexts:
        for option in context.command.params:
            if (
                isinstance(option, click.Option)
                and not option.hidden
                and "--help" not in option.opts
            ):
                assert option.opts[-1] in sections[context.command_path]


def test_every_command_has_an_example_on_a_page(reference):
    parts = re.split(r"^## ", reference, flags=re.MULTILINE)[1:]
    lonely = {part.split("\n")[0] for part in parts if "\n$ anc " not in part}
    assert lonely <= {"anc experiment"}  # a group of commands


def test_defaults_and_exit_statuses_are_said(reference):
    adapt = reference[reference.index("## anc adapt") :]
    assert "| Stop after this time, such as 20s or 5m. | default: 60s |" in adapt
    assert "1](../how-to/exit-codes.md) if nothing faster was found" in adapt


def test_everything_that_anc_offers_is_in_the_api_once():
    text = api_reference()
    names = re.findall(r'<a id="anc\.(\w+)">', text)
    assert sorted(names) == sorted(name for name in anc.__all__ if not name.startswith("_"))
    described = text + results_reference() + packages_reference()
    for path in re.findall(r"^::: (\S+)", described, flags=re.MULTILINE):
        assert definition(path)


def test_results_of_functions_are_described():
    assert "::: anc.machine.exact.Run" in results_reference()
    assert "::: anc.adaptation.result.Adapted" in results_reference()
    assert "::: anc.proof.claim.Claim" in packages_reference()


def test_the_animation_shows_what_the_exact_machine_does():
    for program in ("listk", ADAPTED):
        shown, loaded = recorded(program, "title"), anc.load(program)
        run = anc.run(loaded, TAPE, trace=True)
        assert [step["line"] for step in shown["steps"]] == [step.line for step in run.trace]
        assert shown["steps"][-1]["tape"] == run.tape[: len(TAPE)]
        assert len(shown["listing"]) == loaded.L
        for line, text in zip(loaded.lines, listing(loaded), strict=True):
            assert f"{line.op}(" in text


def test_the_loop_disappears():
    generic, adapted = recorded("listk", ""), recorded(ADAPTED, "")
    assert generic["jumps_back"]
    assert not adapted["jumps_back"]
    assert (len(generic["steps"]), len(adapted["steps"])) == (13, 6)
    assert "13 steps" in loop_figure()


def test_the_adapted_program_of_the_start_page_is_proved():
    stated = re.search(r"# right whenever\n((?:#   .+\n)+)", ADAPTED.read_text())[1]
    facts = [parse_fact(line.strip("# "), 20) for line in stated.splitlines()]
    assert all(fact.holds([*TAPE, *[0] * 9]) for fact in facts)
    mask = [cell == 2 for cell in range(20)]
    assert prove(Claim(anc.load("listk"), anc.load(ADAPTED), 20, mask, facts), 60).proved


def test_source_by_name():
    block = source("anc.machine.soft.execute from 'jumps =' to 'line ='")
    assert block.startswith('```python title="src/anc/machine/soft.py"\njumps = ')
    assert "def failure(self" in source("anc.proof.claim.Claim.failure")
    assert "THRESHOLD = 0.9" in source("anc.machine.soft.THRESHOLD")


@pytest.mark.parametrize(
    "wrong",
    ["anc.machine.soft.nothing", "anc.nowhere.x", "anc.machine.soft.step from 'x' to 'y'"],
)
def test_source_that_is_gone_is_an_error(wrong):
    with pytest.raises(LookupError):
        source(wrong)


def test_an_unknown_directive_is_an_error():
    with pytest.raises(ValueError, match="nonsense"):
        expanded("[[nonsense]]")


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.stem)
def test_all_that_a_page_asks_for_is_there(page):
    assert not re.search(r"^\[\[", expanded(page.read_text()), flags=re.MULTILINE)


def test_formulas_become_mathml():
    html = with_formulas('<p>so <span class="arithmatex">\\(a_i &lt; 2\\)</span></p>')
    assert re.search(r'<math[^>]* display="inline"><mrow><msub><mi>a</mi><mi>i</mi></msub>', html)
    assert "&#x0003C;" in html


def test_docstrings_become_markdown():
    text = as_markdown("What it is.\n\n>>> 1 + 1\n2\n\nMore::\n\n    code\n")
    assert text == "What it is.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nMore:\n\n    code"


def test_every_page_is_in_the_navigation():
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    named = re.findall(r"\S+\.md$", (ROOT / "mkdocs.yml").read_text(), flags=re.MULTILINE)
    assert {name for name in named if not name.startswith("files/")} == pages


def test_links_out_of_the_pages_stay_in_the_site():
    text = "[a](../CHANGELOG.md) [b](training.md#x) [c](../src/anc/isa.py) [d](https://example.org)"
    assert with_links_inside(text, "index.md") == (
        "[a](files/CHANGELOG.md) [b](training.md#x) [c](files/src/anc/isa.py.md) [d](https://example.org)"
    )
    there = with_links_inside("[a](docs/language.md) [b](CHANGELOG.md)", "files/CONTRIBUTING.md")
    assert there == "[a](../language.md) [b](CHANGELOG.md)"


def test_charts_show_what_their_tables_say():
    for name, chart in charts.CHARTS.items():
        assert (charts.ASSETS / name).read_text() == chart(), "run: python tools/charts.py"


def test_every_setting_of_training_is_in_the_reference():
    text = settings_reference()
    for each in fields(TrainingSettings):
        assert f"\n| `{each.name}` | {each.metadata['help']} |" in text
    access = text.index("## Published")
    assert "| setting | access | increment | swap | listk | addition | sort |" in text[access:]
    assert re.search(r"^\| `rate` \| 1 \| 0.1 ", text[access:], flags=re.MULTILINE)
