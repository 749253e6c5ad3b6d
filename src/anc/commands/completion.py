"""What a shell completes: `anc completion`, and what may stand for an argument.

Names come first, then files with a fitting suffix; where there are none, the shell's own files, so that
folders can be walked through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anc.commands.line import COMMANDS
from anc.data import programs as shipped

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

SHELLS = ("bash", "zsh", "fish")
PROGRAMS = (".anc", ".py", ".json", ".safetensors")
_AS_IT_IS = "COMPREPLY+=($value)"  # of bash alone: the other shells escape by themselves
_ESCAPED = """if [[ ${COMP_WORDS[COMP_CWORD]} == [\\"\\']* ]]; then
                COMPREPLY+=("$value")
            else
                COMPREPLY+=("$(printf %q "$value")")
            fi"""


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print what makes a shell complete the words of anc.

    \b
    bash: echo 'eval "$(anc completion bash)"' >> ~/.bashrc
    zsh:  echo 'eval "$(anc completion zsh)"' >> ~/.zshrc
    fish: anc completion fish > ~/.config/fish/completions/anc.fish
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None  # click knows all of them
    source = found(context.find_root().command, {}, "anc", "_ANC_COMPLETE").source()
    click.echo(source.replace(_AS_IT_IS, _ESCAPED) if shell == "bash" else source)


COMMANDS["completion"] = command


def _completer(
    names: Callable[[], Iterable[str]], suffixes: tuple[str, ...] = (), folders: bool = False
) -> Completer:
    """Completes these names, files with these suffixes and, if wanted, folders of results."""

    def complete(
        context: click.Context, parameter: click.Parameter, typed: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        found = [name for name in names() if name.startswith(typed)]
        found += [word for word, path in _beside(typed) if path.suffix in suffixes]
        found += [word for word, path in _beside(typed) if folders and _holds_result(path)]
        if not found:
            return [CompletionItem(typed, type="file")]
        return [CompletionItem(word) for word in found]

    return complete


def _beside(typed: str) -> list[tuple[str, Path]]:
    """What lies in the folder of what was typed and goes on like it."""
    folder = typed[: typed.rfind("/") + 1]
    try:
        paths = sorted(Path(folder or ".").iterdir())
    except OSError:
        return []
    words = [(folder + path.name, path) for path in paths]
    return [(word, path) for word, path in words if word.startswith(typed)]


def _holds_result(path: Path) -> bool:
    """Whether it is a folder that there is a page about."""
    from anc.support.folders import KINDS

    return any((path / kind.mark).is_file() for kind in KINDS if kind.page)


programs = _completer(shipped.names, PROGRAMS)  # thirteen programs, and a task for each
shipped_names = _completer(shipped.names)
results = _completer(shipped.names, PROGRAMS, folders=True)
sketches = _completer(tuple, (".anc", ".py"))
