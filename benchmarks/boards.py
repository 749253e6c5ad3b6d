"""The three boards of docs/boards.md: programs that games ask for, Hacker's Delight, sorting.

python benchmarks/boards.py                              # all of them: less than an hour on two cores
python benchmarks/boards.py --only hackers,sorting --write docs/boards.md
python benchmarks/boards.py --only hackers --z3 0        # without z3
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import hackers_delight
import sorting
from board_rows import Board, BoardRow, replaced

BOARDS = ("puzzles", "hackers", "sorting")


def puzzle_rows(budget: float, evaluations: int | None) -> tuple[Board, Iterator[BoardRow]]:
    """The board of puzzles, measured by `benchmarks/puzzles`."""
    import puzzles

    headings = ("steps", "proved", "wrong of covered", "proof", "not proved (wrong)", "seconds")
    board = Board("puzzles", headings, "benchmarks")

    def made() -> Iterator[BoardRow]:
        chosen = puzzles.puzzles()
        for row in puzzles.rows(chosen, budget, evaluations):
            name = f"{row.name} *" if row.held_out else row.name
            proved = "-" if row.proved is None else f"{row.proved:.1f}"
            wrong = f"{row.wrong_proved} of {row.covered}"
            other = "-" if row.unproved is None else f"{row.unproved:.1f} ({row.wrong_unproved})"
            seconds = f"{row.seconds:.1f}"
            cells = (f"{row.generic:.1f}", proved, wrong, row.verdict, other, seconds)
            work = f"--evaluations {evaluations}" if evaluations else f"--budget {budget:g}"
            command = f"python benchmarks/puzzles --only {row.name} {work}"
            yield BoardRow(name, row.sentence, cells, command, row.listing, row.seconds)

    return board, made()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default=",".join(BOARDS), help="boards, with commas between them")
    parser.add_argument("--z3", type=float, default=30.0, help="seconds of z3 for each problem")
    parser.add_argument("--budget", type=float, default=45.0, help="seconds for each puzzle")
    parser.add_argument("--evaluations", type=int, help="work for each puzzle, instead of seconds")
    parser.add_argument("--write", type=Path, help="put the tables into this page")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    names = options.only.split(",")
    if unknown := set(names) - set(BOARDS):
        parser.error(f"there is no board {', '.join(sorted(unknown))}: {', '.join(BOARDS)}")
    makers: dict[str, Callable[[], tuple[Board, Iterator[BoardRow]]]] = {
        "puzzles": lambda: puzzle_rows(options.budget, options.evaluations),
        "hackers": lambda: (hackers_delight.BOARD, hackers_delight.rows(options.z3)),
        "sorting": lambda: (sorting.BOARD, sorting.rows()),
    }
    for name in names:
        begin, done = time.monotonic(), []
        board, found = makers[name]()
        for row in found:
            done.append(row)
            print(f"{row.name:14} {' | '.join(row.cells)}", flush=True)
        seconds = time.monotonic() - begin
        when = f"Measured on {time.strftime('%Y-%m-%d')} at commit {commit()}, {machine()}: {seconds:.0f} s."
        if name == "hackers":
            from hackers_delight.board import totals

            when += f" {totals(done)}."
        print(when, flush=True)
        if options.write:
            text = options.write.read_text(encoding="utf-8")
            page = replaced(text, name, board.markdown(done, when))
            options.write.write_text(page, encoding="utf-8")


def commit() -> str:
    """The commit of this working tree, with a + if files differ from it."""
    told = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty=+"]
    return subprocess.run(told, capture_output=True, text=True, check=False).stdout.strip() or "-"


def machine() -> str:
    from anc.support.job import cores

    return f"Python {platform.python_version()}, {cores()} cores, load {os.getloadavg()[0]:.0f}"


if __name__ == "__main__":
    main()
