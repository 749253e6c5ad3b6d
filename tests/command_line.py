"""The command `anc` in this process: a new one takes a second before it does anything.

What belongs to the process itself (how it starts, what it imports, signals, pipes) is tested with
real ones.
"""

import contextlib
import io
import os
import sys
from pathlib import Path
from subprocess import CompletedProcess
from unittest import mock

from anc.commands.main import main


def anc(*words: object, stdin: str = "", cwd: Path | None = None) -> CompletedProcess[str]:
    """Run the command; errors of ours are failures."""
    argv = ["anc", *map(str, words)]
    out, err = io.StringIO(), io.StringIO()
    typed = io.TextIOWrapper(io.BytesIO(stdin.encode()))
    environment = {key: value for key, value in os.environ.items() if key != "ANC_DEBUG"}
    code: object = 0
    with (
        mock.patch.object(sys, "argv", argv),
        mock.patch.object(sys, "stdin", typed),
        mock.patch.dict(os.environ, environment, clear=True),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        contextlib.chdir(cwd) if cwd is not None else contextlib.nullcontext(),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
    assert isinstance(code, int)
    assert code != 3, err.getvalue()
    return CompletedProcess(argv, code, out.getvalue(), err.getvalue())
