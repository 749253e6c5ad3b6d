"""Runs the notebooks of examples/ and keeps in them what they show: `python tools/notebooks.py`.

A page inside an output runs nowhere until its reader trusts the notebook, and on no website. So the stepper
is kept as a picture of one of its steps, for which chromium is needed; running the cell shows the page again.
"""

from __future__ import annotations

import base64
import html
import io
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[1] / "examples"
STEP = 8  # shown in the pictures
_FRAME = re.compile(r'<iframe srcdoc="([^"]*)"')

Picture = Callable[[str], str]  # of a page, as PNG in base64


def executed(path: Path) -> Any:
    """A notebook after all of its cells were run, without standard error: it depends on what is cached."""
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=240, kernel_name="python3", record_timing=False
    ).execute()
    for cell in notebook.cells:
        if "outputs" in cell:
            cell.outputs = [each for each in cell.outputs if each.get("name") != "stderr"]
    return notebook


def keep(notebook: Any, picture: Picture | None = None) -> None:
    """Leave of the outputs what a reader sees: tables without their texts, pictures for pages."""
    for output in outputs(notebook):
        data = output.get("data", {})
        frame = _FRAME.match(data.get("text/html", ""))
        if frame is not None:
            del data["text/html"]
            if picture is not None:
                data["image/png"] = picture(html.unescape(frame[1]))
        elif "text/html" in data:
            del data["text/plain"]
    notebook.metadata["language_info"] = {"name": "python"}


def outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def texts(notebook: Any) -> list[str]:
    """What the outputs say, pictures aside."""
    return [
        output.get("text") or data.get("text/html") or data["text/plain"]
        for output in outputs(notebook)
        for data in [output.get("data", {})]
    ]


def screenshot(page: str) -> str:
    """The page at one of its steps, in few colours."""
    from PIL import Image

    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("error: chromium is needed to draw the stepper")
    with tempfile.TemporaryDirectory() as folder:
        file, drawn = Path(folder, "page.html"), Path(folder, "page.png")
        file.write_text(page)
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", "--virtual-time-budget=3000"]
        size, where = "--window-size=1000,760", f"--screenshot={drawn}"
        subprocess.run(
            [browser, *options, size, where, f"{file.as_uri()}#step={STEP}"],
            check=True,
            capture_output=True,
        )
        small = Image.open(drawn).convert("RGB").quantize(96, dither=Image.Dither.NONE)
    buffer = io.BytesIO()
    small.save(buffer, "PNG", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode()


def main() -> None:
    import nbformat

    for path in sorted(EXAMPLES.glob("*.ipynb")):
        notebook = executed(path)
        keep(notebook, screenshot)
        nbformat.write(notebook, path)
        print(f"wrote {path} ({path.stat().st_size // 1000} kB)")


if __name__ == "__main__":
    main()
