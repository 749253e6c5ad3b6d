"""An adaptation's result as a folder: result.json, listings and weights."""

from __future__ import annotations

import json
from pathlib import Path

from anc.adaptation.result import Adapted, Answer
from anc.compiler import to_text
from anc.files import write_atomically
from anc.machine.files import save_weights

OPTIONAL = ("guarded.anc", "unproved.anc", "proved.anc", "weights.safetensors", "soft.safetensors")


def save(result: Adapted, folder: Path) -> None:
    """Write result.json, generic.anc, adapted.anc and, where there are any, the others.

    Files that an earlier result left there and this one does not have are removed.
    """
    for name in OPTIONAL:
        (folder / name).unlink(missing_ok=True)
    texts = {"generic.anc": result.problem.text, "adapted.anc": _listing(result, result.answer)}
    if result.unproved is not None:
        other = result.proved if result.answer is result.unproved else result.unproved
        name = "proved.anc" if other is result.proved else "unproved.anc"
        texts[name] = _listing(result, other)
    if result.guarded.program is not None:
        texts["guarded.anc"] = to_text(result.guarded.program)
    for name, text in texts.items():
        write_atomically(folder / name, text.encode())
    if result.weights is not None:
        save_weights(result.weights, folder / "weights.safetensors")
    if result.soft is not None:
        save_weights(result.soft.weights, folder / "soft.safetensors")
    text = json.dumps(result.to_dict(), indent=1) + "\n"
    write_atomically(folder / "result.json", text.encode())


def _listing(result: Adapted, answer: Answer) -> str:
    head = [
        f"# {result.problem.name}, adapted: {answer.steps:.2f} steps instead of"
        f" {result.steps_generic:.2f} (means over {len(result.problem.test)} cases)",
        f"# {str(answer.verdict).splitlines()[0]}",
        f"# {answer.tested}",
    ]
    if answer.facts:
        head += ["# right whenever"] + [f"#   {text}" for text in answer.precondition]
        head.append(f"# {answer.support}")
    return "\n".join(head) + "\n" + to_text(answer.program)
