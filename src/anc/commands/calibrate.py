"""Calibration of the cost tables on the user's own machine."""

from __future__ import annotations

import json
from dataclasses import KW_ONLY
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anc.commands import verbosity
from anc.commands.function import function
from anc.commands.kinds import File, Seconds
from anc.commands.line import command
from anc.commands.request import Request, option, typed
from anc.support.job import Job

if TYPE_CHECKING:
    from anc.adaptation.calibration import Calibration


class Calibrate(Request["Calibration"], name="calibrate"):
    """Measure what instructions cost on this machine, in emitted Python and C.

    The tables are kept for `cost="mine"` and `cost="mine:c"` of `anc.adapt`, or written to the file
    `output`, for `cost=output`. Nothing else uses them: `cost="python"` is the shipped table, with which a
    result is the same on every machine.

    >>> import anc, tempfile, pathlib
    >>> found = anc.calibrate(1.0, output=pathlib.Path(tempfile.mkdtemp()) / "costs.json")
    >>> dict(found.tables["python"].weights)["MIN"] > 0
    True
    """

    budget: float = option(
        10.0, "Measure for this long, such as 10s.", Seconds(), shown="10s", section="Budget"
    )
    _: KW_ONLY
    output: Path | None = option(
        None,
        "Write the tables to this file instead of the cache.",
        File(),
        words="-o --output",
        section="Output",
    )
    show: bool = typed(
        False, "Print the tables measured earlier.", excludes="reset", section="Output"
    )
    reset: bool = typed(False, "Delete the measured tables.", excludes="output", section="Output")

    def run(self, job: Job) -> Calibration:
        from dataclasses import replace

        from anc.adaptation.calibration import Calibration, calibrated
        from anc.data.costs import measured_file, read_tables
        from anc.support.files import write_atomically

        file = self.output or measured_file()
        if self.reset or self.show:
            tables = read_tables(file) if file.is_file() else {}
            none = "" if tables else f"nothing was measured: there is no {file}"
            if self.reset:
                file.unlink(missing_ok=True)
            return Calibration(tables, none, str(file))
        found = replace(calibrated(self.budget), file=str(file))
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, (json.dumps(found.content, indent=1) + "\n").encode())
        return found


calibrate = function(Calibrate)


@command(Calibrate)
def show(request: Calibrate) -> None:
    """Measure what instructions cost on this machine.

    In ten seconds, small programs are emitted as Python and C and timed. `anc adapt --cost mine` and
    `--cost mine:c` minimise what was measured; `--cost python` and `--cost c` remain the shipped tables,
    which give the same results on every machine.

    Examples:
      anc calibrate
      anc calibrate --show
      anc calibrate -o fast-machine.json
      anc adapt fares.py:fare --data calls.jsonl --cost mine
    """
    found = request.run(Job())
    if request.as_json:
        click.echo(json.dumps(found.to_dict()))
        return
    if request.reset:
        verbosity.say(found.missing or f"deleted {found.file}")
        return
    click.echo(str(found))
    if not request.show:
        verbosity.say(f"wrote {found.file}")
