"""The display of an adaptation: the generic program and the answers, side by side."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from markupsafe import Markup

from anc.adaptation.saved import SavedAdaptation, SavedAnswer
from anc.pages.adapt_data import why_rejected
from anc.pages.notebook_parts import beside, program_table, shaded, table, titled
from anc.program import Program

_FEW_ZEROS = 4
_MARK = 0.6  # the shade of what breaks a precondition


def adaptation(name: str, result: SavedAdaptation, programs: Mapping[str, Program]) -> Markup:
    """What a result tells, and its programs once more."""
    answers = result.answers
    told = [_told(answer, result.steps_generic) for answer in answers]
    rows: list[tuple[str | Markup, ...]] = [
        ("steps", _number(result.steps_generic), *(each.pop("steps") for each in told))
    ]
    if result.weights:
        costs = (result.cost_generic, *(answer.compared_by for answer in answers))
        rows.append(("cost", *map(_number, costs)))
    for what in dict.fromkeys(what for each in told for what in each):
        rows.append((what, "", *(each.get(what, "") for each in told)))
    worth, text = result.worth, result.python
    head = ("", "generic", *(answer.which for answer in answers))
    shown = {"generic", *(answer.which for answer in answers if not answer.is_generic)}
    listings = [program_table(each, which) for which, each in programs.items() if which in shown]
    title = f"Adaptation of {name}"
    shown_first = Markup("")
    if worth is not None and text is not None:
        body = Markup("<div>{}</div><pre>{}</pre>").format(_lines(worth.rows), text)
        shown_first = titled(f"{title}: {worth}", body)
        title = "On the machine"
    return shown_first + titled(title, table(head, rows, wrapped=True)) + beside(listings)


def _told(answer: SavedAnswer, generic: float) -> dict[str, str | Markup]:
    """What there is to say of an answer, by name."""
    if answer.is_generic:
        return {"steps": _number(generic), "verdict": "this is the generic program"}
    reasons = [text for text in (answer.grounds, answer.reason) if text]
    told: dict[str, str | Markup] = {
        "steps": _number(answer.steps),
        "found by": answer.method,
        "verdict": "; ".join([answer.verdict, *reasons]),
        "tested": answer.tested,
    }
    if answer.verdict == "proved":
        told["right whenever"] = _facts(answer)
    if answer.support is not None:
        told["which"] = str(answer.support)
        support = answer.support
        broken = why_rejected(answer.precondition, support.rejects)
        told["accepts"] = support.accepts_call or _tape(support.accepts)
        told["rejects"] = support.rejects_call or _tape(support.rejects, broken.cells)
    if answer.counterexample is not None:
        told["counter-example"] = answer.counterexample_call or _tape(answer.counterexample)
    return {name: text for name, text in told.items() if text}


def _facts(answer: SavedAnswer) -> Markup:
    return _lines(list(answer.conditions.values()) or ["always"])


def _lines(rows: Sequence[str]) -> Markup:
    return Markup("<br>").join(rows)


def _number(steps: float | None) -> str:
    return "–" if steps is None else f"{round(steps, 2):.10g}"


def _tape(cells: Sequence[int] | None, marked: Collection[int] = ()) -> Markup:
    """A tape, without the zeros at its end where they are many and nothing marks them."""
    if cells is None:
        return Markup("")
    telling = [cell for cell, value in enumerate(cells) if value or cell in marked]
    rest = len(cells) - 1 - max(telling, default=0)
    shown = cells[: len(cells) - rest] if rest > _FEW_ZEROS else cells
    words = [
        shaded(str(value), _MARK) if cell in marked else str(value)
        for cell, value in enumerate(shown)
    ]
    more = f" ({rest} times 0)" if rest > _FEW_ZEROS else ""
    return Markup(" ").join(words) + more
