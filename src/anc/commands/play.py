"""The machine in a browser: a page to edit, run, blur and train programs on, and the server that adapts them."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anc.commands import fields, verbosity
from anc.commands.arguments import What, load
from anc.commands.function import function
from anc.commands.kinds import CheckedTape
from anc.commands.line import command
from anc.commands.play_job import MOST_CELLS, MOST_TEXT
from anc.commands.progress import job_of
from anc.commands.request import OfProgram, option, typed
from anc.commands.results import answer, wrote
from anc.support.diagnostics import AncError
from anc.support.files import check_writable, write_atomically
from anc.support.job import Job

if TYPE_CHECKING:
    from anc.data.loading import Loaded

FILE = Path("play.html")


@dataclass(frozen=True)
class Start:
    """What the page begins with: a shipped program by its name, or the text of another one."""

    program: str = "listk"
    text: str | None = None
    tape: tuple[int, ...] | None = None
    memory: int | None = None

    def html(self, has_server: bool = False) -> str:
        from anc.pages.play import play_page

        return play_page(self.program, self.text, self.tape, self.memory, has_server)


class Play(OfProgram[Path], name="play"):
    """Write a page on which a program is edited, run on both machines, blurred and trained.

    The page is one file that needs no network. Its path is returned: `output`, else play.html. It begins with
    the program and the tape, if given, and has the paper's thirteen programs.

    >>> import anc, tempfile
    >>> page = anc.play("access", [3, 1, 2, 3, 4], tempfile.mkdtemp() + "/play.html")
    >>> page.read_text().startswith("<!doctype html>")
    True
    """

    program: What | None = option(fields.PROGRAM, is_needed=False, metavar="[PROGRAM]")
    tape: Sequence[int] | None = option(fields.TAPE, kind=CheckedTape())
    output: str | Path | None = option(
        fields.OUTPUT, metavar="FILE", help="Only write the page to this file."
    )
    memory: int | None = fields.MEMORY
    no_server: bool = typed(
        False,
        "Write the page to play.html and open it, without a server.",
        excludes="output",
        section="Output",
    )
    no_browser: bool = typed(
        False, "Print the address only; open it yourself.", excludes="output", section="Output"
    )

    def start(self, job: Job) -> Start:
        """What the page begins with."""
        if self.program is None:
            self.refuse("memory", because="goes with a program, and none is given")
            return Start(tape=None if self.tape is None else tuple(self.tape))
        loaded = load(job, self.program, self.memory)
        M = _checked(loaded)
        tape = None if self.tape is None else loaded.filled(self.tape)
        from anc.data import programs

        name = str(self.program)
        if name in programs.names():
            return Start(name, None, tape, self.memory)
        if tape is None and loaded.examples:
            tape = loaded.filled(loaded.examples[0].input)
        return Start("", loaded.text, tape, M if self.memory else None)

    def run(self, job: Job) -> Path:
        file = FILE if self.output is None else Path(self.output)
        check_writable(file)
        write_atomically(file, self.start(job).html().encode())
        return file


def _checked(loaded: Loaded) -> int | None:
    """The memory of a program, if the page can show the program."""
    from anc.isa import NAMED

    program = loaded.program
    if program.instructions not in NAMED.values():
        raise AncError(
            "the page knows the instruction sets paper and wide, and this program has another one",
            help="step through a run of it: anc trace PROGRAM --tape ... --html FILE",
        )
    M = program.memory
    if (M or 0) > MOST_CELLS or len(loaded.text) > MOST_TEXT:
        raise AncError(
            f"the page shows at most {MOST_CELLS} cells and {MOST_TEXT:,} characters of a listing",
            help="step through a run of it: anc trace PROGRAM --tape ... --html FILE",
        )
    return M


play = function(Play)


@command(Play)
def show(request: Play) -> None:
    """Play with a program in the browser: edit it, blur it, train it.

    The page opens in your browser, from a small server on this computer that also adapts and proves the
    program if you ask it to. Ctrl-C ends it, and so does half an hour without use. With -o the page is only
    written: it is one file that needs no network and no server.

    Examples:
      anc play
      anc play listk --tape "3 2 2 5 4 7 5"
      anc play mine.anc -o mine.html
    """
    job = job_of(request)
    if request.output is not None:
        wrote(request, request.run(job))
        return
    if request.no_server:
        file = request.run(job)
        wrote(request, file)
        if not request.no_browser:
            webbrowser.open(file.resolve().as_uri())
        return
    from anc.commands.play_server import PlayServer

    server = PlayServer(request.start(job).html(has_server=True))
    answer(request, {"url": server.url}, f"playing at {server.url}")
    verbosity.note("Ctrl-C ends it")
    if not request.no_browser:
        webbrowser.open(server.url)
    with server:
        server.serve()
    verbosity.note("ended: nobody has used it for half an hour")
