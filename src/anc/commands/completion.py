"""Shell completion: `anc completion`, and the completers of arguments.

Names come first, then files with a matching suffix. If nothing matches, the shell completes any file, so
that folders can be traversed.
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
_AS_IT_IS = "COMPREPLY+=($value)"  # for bash only: the other shells escape values themselves
_ESCAPED = """if [[ ${COMP_WORDS[COMP_CWORD]} == [\\"\\']* ]]; then
                COMPREPLY+=("$value")
            else
                COMPREPLY+=("$(printf %q "$value")")
            fi"""


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the script that makes a shell complete the words of anc.

    \b
    Examples:
      echo 'eval "$(anc completion bash)"' >> ~/.bashrc
      echo 'eval "$(anc completion zsh)"' >> ~/.zshrc
      anc completion fish > ~/.config/fish/completions/anc.fish
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None  # click supports all three
    source = found(context.find_root().command, {}, "anc", "_ANC_COMPLETE").source()
    click.echo(source.replace(_AS_IT_IS, _ESCAPED) if shell == "bash" else source)


COMMANDS["completion"] = command


def _completer(
    names: Callable[[], Iterable[str]], suffixes: tuple[str, ...] = (), folders: bool = False
) -> Completer:
    """Complete these names, files with these suffixes and, optionally, result folders."""

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
    """The paths that begin with what was typed."""
    folder = typed[: typed.rfind("/") + 1]
    try:
        paths = sorted(Path(folder or ".").iterdir())
    except OSError:
        return []
    words = [(folder + path.name, path) for path in paths]
    return [(word, path) for word, path in words if word.startswith(typed)]


def _holds_result(path: Path) -> bool:
    """Whether a folder holds a result that `anc report` can show."""
    from anc.support.folders import KINDS

    return any((path / kind.mark).is_file() for kind in KINDS if kind.page)


programs = _completer(shipped.names, PROGRAMS)  # thirteen programs, each with a task
shipped_names = _completer(shipped.names)
results = _completer(shipped.names, PROGRAMS, folders=True)
sketches = _completer(tuple, (".anc", ".py"))
