"""The page of a training run: how the population fared, and what became of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from anc.machine.weights import softmax
from anc.pages.packing import UNITS, pack
from anc.pages.page import page
from anc.pages.training_data import CURVE_NAMES, CURVES, LOSSES, MATRICES, QUANTILES, TrainingRun

if TYPE_CHECKING:
    from anc.machine.weights import Weights

LINES_OF_MEMBERS = 150  # single members drawn in the charts; the bands are of all
MEMBERS_TO_FOLLOW = 12  # members whose checkpoints the page carries
_TAPES_TO_FOLLOW = 10


def training_page(run: TrainingRun) -> str:
    """The HTML of the page."""
    done = "" if run.summary is not None else ", not finished"
    shared = run.members.shared
    return page(
        f"Training {run.name}",
        _data(run),
        (
            "unpack",
            "tiles",
            "charts",
            "population",
            "program_diff",
            "matrices",
            "checkpoints",
            "page_training",
        ),
        ("report",),
        subtitle=f"{run.S} members, {int(run.iterations[-1])} of {shared.iterations} iterations"
        f"{done}; engine {run.about['engine']}, {shared.optimiser}, rate {shared.rate}",
    )


def _data(run: TrainingRun) -> dict[str, Any]:
    best = run.order[0]
    before, after = run.begin(best), run.end(best)
    known = run.problem.program.instructions
    return {
        "name": run.name,
        "summary": run.summary,
        "generic_steps": run.generic_steps,
        "settings": run.about["settings"],
        "iterations": run.iterations.tolist(),
        "faster": run.faster.tolist(),
        "right_now": run.right_now.tolist(),
        "order": run.order,
        "seeds": run.about["seeds"],
        "curves": [_curve(run, name) for name in CURVES],
        "members": [
            {"seed": seed, "right": float(right), "steps": float(steps)}
            for seed, right, steps in zip(run.about["seeds"], *run.ends, strict=True)
        ],
        "best": best,
        "registers": [f"R{r + 1}" for r in range(after.R)],  # what they hold now is not in a name
        "register_names": list(after.names) or [""] * after.R,
        "ops": known.names,
        "operands": [row.operands for row in known.rows],
        "M": after.M,
        "before": _matrices(before),
        "after": _matrices(after),
        "visited": _visited(run, after),
        "checkpoints": _checkpoints(run),
    }


def _rounded(array: np.ndarray) -> Any:
    return [None if not np.isfinite(x) else float(f"{x:.4g}") for x in array]


def _curve(run: TrainingRun, name: str) -> dict[str, Any]:
    values = run.curves[name]
    shown = run.order[:LINES_OF_MEMBERS]
    return {
        "key": name,
        "name": CURVE_NAMES[name],
        "is_loss": name in LOSSES,
        "quantiles": [_rounded(row) for row in run.quantiles(name)],
        "levels": QUANTILES,
        "members": {str(i): _rounded(values[:, i]) for i in shown},
    }


def _matrices(weights: Weights) -> dict[str, Any]:
    names = (*MATRICES, "registers", "start")
    probabilities = {name: softmax(np.asarray(getattr(weights, name), float)) for name in names}
    return {name: np.atleast_2d(array).round(4).tolist() for name, array in probabilities.items()}


def _visited(run: TrainingRun, weights: Weights) -> tuple[int, ...]:
    """The lines that a few test cases visit, so that the others can be shown paler."""
    from anc.machine.interpretability import follow

    tapes = [case.input for case in run.problem.test[:_TAPES_TO_FOLLOW]]
    return follow(weights, tapes, run.members.shared.max_steps).lines


def _checkpoints(run: TrainingRun) -> dict[str, Any] | None:
    """The most likely choice of every row, and its probability, of some members over the checkpoints."""
    if not run.checkpoints:
        return None
    members = run.order[:MEMBERS_TO_FOLLOW]
    choices, units = [], []
    for member in members:
        for moment in (-1, *range(len(run.checkpoints))):
            weights = run.begin(member) if moment < 0 else run.at(moment, member)
            for name in (*MATRICES, "registers"):
                probabilities = softmax(np.asarray(getattr(weights, name), float))
                choices.append(probabilities.argmax(-1))
                units.append(np.rint(probabilities.max(-1) * UNITS))
    return {
        "members": members,
        "iterations": [0, *(int(path.stem) for path in run.checkpoints)],
        "packed": pack(
            choices=np.concatenate(choices).astype("<u2"),
            units=np.concatenate(units).astype("<u2"),
        ),
    }
