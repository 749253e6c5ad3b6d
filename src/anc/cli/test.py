"""`anc test`: a program's own `# run:` examples, on every machine."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from anc.cli import completion, inputs, talk
from anc.diagnostics import plain
from anc.loading import Loaded

if TYPE_CHECKING:
    from anc.api.examples import Tested


@click.command("test")
@click.argument(
    "programs",
    metavar="PROGRAM...",
    nargs=-1,
    required=True,
    shell_complete=completion.programs,
)
@click.option(
    "--machines",
    help="The machines to run them on: some of exact, soft, hardened  [default: all, without soft above"
    " 512 cells]",
)
@inputs.json_option
def command(programs: tuple[str, ...], machines: str | None, as_json: bool) -> None:
    """Run the examples in programs on every machine.

    An example is a line such as `# run: 6 9 1 -> 1 9 1`: the tape before and after; in a Python
    function also a call in its documentation, and its asserts must hold in all of them. Of a Python
    file (file.py) all functions with the decorator are tested.
    """
    from anc.api.examples import tested
    from anc.python.files import marked_functions

    chosen = None if machines is None else [name.strip() for name in machines.split(",")]
    found: list[tuple[str, Tested]] = []
    for where in (each for program in programs for each in marked_functions(program)):
        loaded = inputs.load_argument(where)
        found.append((where, tested(loaded, chosen)))
        if not as_json:
            _show(where, loaded, found[-1][1])
    passed, failed = (sum(getattr(one, name) for _, one in found) for name in ("passed", "failed"))
    if as_json:
        each = [one.to_dict() | {"program": where} for where, one in found]
        click.echo(json.dumps({"passed": passed, "failed": failed, "programs": each}))
    else:
        click.echo(f"{passed} passed, {failed} failed")
    if failed:
        sys.exit(1)


def _show(where: str, loaded: Loaded, found: Tested) -> None:
    from anc.api.examples import SOFT_CELLS

    if not found.examples:
        talk.say(f"{where}: no examples (write one as: {_how(loaded)})")
    for broken in found.asserts:
        click.echo(f"{plain(where)}: line {broken.line}: {broken.message}")
    for machine, wrong in found.machines.items():
        if found.examples:
            talk.say(f"{where}: {machine}: {found.examples - len(wrong)} of {found.examples} right")
        for each in wrong:
            click.echo(f"  {plain(loaded.name)}:{each.line}: {each.message}")
    for machine in found.left_out:
        talk.say(
            f"{where}: {machine}: left out, for it takes long in more than {SOFT_CELLS} cells"
            f" (run it with --machines {machine})"
        )


def _how(loaded: Loaded) -> str:
    if loaded.function is None or loaded.function.layout.tape is not None:
        return "# run: 6 9 1 -> 1 9 1"
    return f">>> {loaded.function.name}(...) in its documentation"
