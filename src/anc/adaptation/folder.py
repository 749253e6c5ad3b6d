"""An adaptation's result as a folder: result.json, listings and weights."""

from __future__ import annotations

import json
from pathlib import Path

from anc.adaptation.answer import Answer
from anc.adaptation.pasted import in_c
from anc.adaptation.result import Adapted
from anc.compiler import to_text
from anc.diagnostics import counted
from anc.files import write_atomically
from anc.machine.files import save_weights


def write(result: Adapted, folder: Path, write_anyway: bool = False) -> None:
    """Write result.json, generic.anc, adapted.anc and, where there are any, the others.

    A function of Python that is slower than what was there before is written if that is asked for.
    """
    texts = {"generic.anc": result.problem.text, "adapted.anc": _listing(result, result.answer)}
    if result.unproved is not None:
        other = result.proved if result.answer is result.unproved else result.unproved
        name = "proved.anc" if other is result.proved else "unproved.anc"
        texts[name] = _listing(result, other)
    if result.problem.exact is not None:
        texts["exact.anc"] = to_text(result.problem.exact)
    if result.guarded.program is not None:
        texts["guarded.anc"] = to_text(result.guarded.program)
    if result.python is not None:
        texts["adapted.h"] = in_c(result)
        if write_anyway or not result.is_withheld:
            texts["adapted.py"] = result.python
    for name, text in texts.items():
        write_atomically(folder / name, text.encode())
    if result.weights is not None:
        save_weights(result.weights, folder / "weights.safetensors")
    if result.soft is not None:
        save_weights(result.soft.weights, folder / "soft.safetensors")
    text = json.dumps(result.to_dict(), indent=1) + "\n"
    write_atomically(folder / "result.json", text.encode())


def _listing(result: Adapted, answer: Answer) -> str:
    cost = f"cost {answer.cost:.2f} instead of {result.cost_generic:.2f}, "
    head = [
        f"# {result.problem.name}, adapted: {cost if result.weighed_generic is not None else ''}"
        f"{answer.steps:.2f} steps instead of {result.steps_generic:.2f}"
        f" (means over {counted(len(result.problem.test), 'case')})",
        f"# {answer.verdict.statement}",
        f"# {answer.tested}",
    ]
    if answer.facts:
        head += ["# right whenever"] + [f"#   {text}" for text in answer.precondition]
        head.append(f"# {answer.support}")
    return "\n".join(head) + "\n" + to_text(answer.program)
