"""Figures are readable: named axes, text that stays text, the same file for the same data."""

import pytest
from click.testing import CliRunner
from handbook import DOCS
from matplotlib.container import BarContainer
from pages.folders import adapt_folder, table1_folder, two_answers_folder

from anc.commands.main import app
from anc.pages.figures.results import aim_figures
from anc.pages.page import folder_figures
from anc.pages.table1 import read_table1, table1_figures
from anc.support.diagnostics import AncError


def figures(*arguments):
    done = CliRunner().invoke(app, ["figure", *map(str, arguments)], catch_exceptions=True)
    if done.exception is not None:
        raise done.exception
    return [line.removeprefix("wrote ") for line in done.output.splitlines()]


def test_all_figures_of_a_training(training, tmp_path):
    names = ("loss", "right", "steps", "successes", "members", "weights")
    files = figures(training, "-o", tmp_path, "--format", "svg")
    assert files == [str(tmp_path / f"{name}.svg") for name in names]
    for name in names:
        text = (tmp_path / f"{name}.svg").read_text()
        axis = {"members": "mean steps", "weights": "program line"}.get(name, "iteration")
        assert axis in text


def test_figures_of_the_other_folders(tmp_path):
    figures(adapt_folder(tmp_path / "a"), "-o", tmp_path, "--format", "svg")
    assert "seconds" in (tmp_path / "found.svg").read_text()
    assert "proved: 9 steps" in (tmp_path / "path.svg").read_text()
    figures(two_answers_folder(tmp_path / "two"), "--name", "path", "-o", tmp_path / "2")
    shown = (tmp_path / "2" / "path.svg").read_text()
    assert all(f"{text} steps" in shown for text in ("generic: 17", "proved: 6", "unproved: 3"))
    figures(table1_folder(tmp_path / "t"), "-o", tmp_path, "--format", "svg")
    assert "success rate (%)" in (tmp_path / "success.svg").read_text()
    assert "iterations (steps + 1)" in (tmp_path / "iterations.svg").read_text()


def test_the_page_about_figures_names_all_of_them(training, tmp_path):
    page = (DOCS / "pages.md").read_text()
    for folder in (training, adapt_folder(tmp_path / "a"), table1_folder(tmp_path / "t")):
        assert all(f"`{name}`" in page for name in folder_figures(folder))
    assert all(f"`{name}`" in page for name in aim_figures(None))


def test_figures_of_a_program(tmp_path):
    figures("listk", "--tape", "3 1 2 5 4 7 5", "-o", tmp_path)
    assert "JEZ" in (tmp_path / "weights.svg").read_text()
    assert (tmp_path / "weights.png").read_bytes().startswith(b"\x89PNG")
    assert "stop probability" in (tmp_path / "run.svg").read_text()


def test_the_same_data_gives_the_same_file(tmp_path):
    folder = table1_folder(tmp_path / "t")
    for place in ("one", "two"):
        figures(folder, "--name", "success", "-o", tmp_path / place, "--format", "svg,png,pdf")
    for form in ("svg", "png", "pdf"):
        one, two = ((tmp_path / at / f"success.{form}").read_bytes() for at in ("one", "two"))
        assert one == two
        assert b"<dc:date>" not in one  # however soon the second was drawn
        assert b"CreationDate" not in one


@pytest.mark.parametrize(("attempts", "first"), [(True, [30] * 6), (False, [])])
def test_the_table_is_drawn_with_one_attempt_and_with_restarts(tmp_path, attempts, first):
    table = read_table1(table1_folder(tmp_path, attempts))
    figure = table1_figures(table)["success"]()
    groups = [each for each in figure.axes[0].containers if isinstance(each, BarContainer)]
    heights = [[bar.get_height() for bar in group if bar.get_height() > 0] for group in groups]
    assert heights == [first, [50] * 5]


def test_unknown_names_and_formats_are_refused(tmp_path):
    with pytest.raises(AncError, match="no figure 'wieghts'"):
        figures("listk", "--name", "wieghts", "-o", tmp_path)
    with pytest.raises(AncError, match="no figure format"):
        figures("listk", "--format", "gif", "-o", tmp_path)
