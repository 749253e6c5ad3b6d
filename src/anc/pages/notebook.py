"""Rich notebook displays of programs, weights, runs, traces and results as HTML.

`install` registers them with a running IPython; the rest of anc does not know of them. Colours are
mixed from the notebook's own, so that they suit light and dark themes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from anc.machine.exact import Run, Stop
from anc.machine.tapes import short_tape
from anc.program import Program
from anc.support.diagnostics import AncError, counted

if TYPE_CHECKING:
    from anc.adaptation.saved import SavedAdaptation, SavedAnswer
    from anc.machine.weights import Weights
    from anc.pages.recording import Recording


_MONO = "font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.92em"
_CELL = "padding: 1px 10px 1px 4px; text-align: left; vertical-align: top"
_ONE_LINE, _WRAPPED = "white-space: nowrap", "white-space: normal; max-width: 36em"
_BESIDE = "display: flex; flex-wrap: wrap; gap: 4px 32px; align-items: flex-start"


def program_table(program: Program, title: str = "Program") -> Markup:
    """The listing of a program, with the initial values of its registers."""
    from anc.pages.shown_lines import program_lines

    rows = [
        (str(line.number), " ".join(f"{label}:" for label in line.labels), line.text)
        for line in program_lines(program)
    ]
    registers = ", ".join(
        f"{program.name_of(r)} = {'–' if value is None else value}"
        for r, value in enumerate(program.registers)
    )
    head = f"{title}: {counted(program.L, 'line')}, {counted(program.R, 'register')}"
    head += "" if program.memory is None else f", memory {program.memory}"
    return titled(head, table(("line", "", "command"), rows), registers)


def shaded(text: str, share: float) -> Markup:
    """A shaded text; the greater the share, the darker."""
    tint = round(55 * min(max(share, 0.0), 1.0))
    style = f"background: color-mix(in srgb, #0072b2 {tint}%, transparent)"
    return Markup('<span style="{}; padding: 0 5px; border-radius: 4px">{}</span>').format(
        style, text
    )


def table(
    head: Sequence[str], rows: Iterable[Sequence[str | Markup]], wrapped: bool = False
) -> Markup:
    """A table; long texts are wrapped on request."""
    one_line = f"{_CELL}; {_ONE_LINE}"
    style = f"{_CELL}; {_WRAPPED}" if wrapped else one_line
    cell = Markup('<td style="{}">{}</td>')
    body = Markup("").join(
        Markup("<tr>{}</tr>").format(
            Markup("").join(
                cell.format(style if column else one_line, text) for column, text in enumerate(row)
            )
        )
        for row in rows
    )
    names = Markup("").join(
        Markup('<th style="{}">{}</th>').format(one_line, name) for name in head
    )
    top = Markup("<thead><tr>{}</tr></thead>").format(names) if any(head) else Markup("")
    return Markup('<table style="{}">{}<tbody>{}</tbody></table>').format(_MONO, top, body)


def beside(parts: Iterable[Markup]) -> Markup:
    """Parts side by side, where there is room."""
    column = Markup('<div style="max-width: 28em; overflow-x: auto">{}</div>')
    return Markup('<div style="{}">{}</div>').format(
        _BESIDE, Markup("").join(column.format(part) for part in parts)
    )


def titled(head: str, body: Markup, foot: str = "") -> Markup:
    """A part with a title above and a remark below."""
    note = Markup('<div style="{}; opacity: 0.75">{}</div>').format(_MONO, foot) if foot else ""
    return Markup("<div><b>{}</b>{}{}</div>").format(head, body, note)


_MOST_STEPS = 200
_BROKEN = 0.6  # the shade of cells that violate a precondition


def install() -> bool:
    """Register the displays with the running IPython; False if there is none."""
    try:
        from IPython import get_ipython  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return False
    shell = get_ipython()
    if shell is None or shell.display_formatter is None:
        return False
    formatter = shell.display_formatter.formatters["text/html"]
    for module, name in _RENDERERS:
        formatter.for_type_by_name(module, name, html_of)
    return True


def html_of(thing: Any) -> str:
    """The HTML of a program, weights, a run, a trace or a result.

    >>> import anc
    >>> "READ(k)" in html_of(anc.load("listk"))
    True
    """
    kind = type(thing)
    render = _RENDERERS.get((kind.__module__, kind.__qualname__))
    if render is None:
        raise AncError(f"there is no display for a {kind.__name__}")
    return str(render(thing))


def _run(run: Run) -> Markup:
    words = {Stop.STOPPED: "stopped", Stop.STEP_LIMIT: "did not stop", Stop.PAST_END: "past-end"}
    head = f"Run: {words[run.stop]} after {counted(run.steps, 'step')}"
    head += "" if run.confidence == 1 else f", confidence {run.confidence:.4f}"
    rows = [
        (
            str(number),
            str(step.line),
            f"{step.op}({', '.join(str(v) for v in (step.first, step.second) if v is not None)})",
            f"R{step.out + 1} ← {step.value}",
            "" if step.cell is None else f"tape[{step.cell}] ← {step.second}",
        )
        for number, step in enumerate(run.trace[:_MOST_STEPS], start=1)
    ]
    steps = table(("step", "line", "command", "register", "cell"), rows) if rows else Markup("")
    return titled(head, steps, "tape " + " ".join(map(str, run.tape)))


def _weights(weights: Weights) -> Markup:
    from anc.pages.shown_lines import weights_lines

    rows = []
    for line in weights_lines(weights):
        cells = [shaded(f"{name} {p:.2f}", p) for _, name, p in line.choices]
        rows.append((str(line.number), *cells))
    head = f"Weights: {weights.M} rows, {weights.R} registers; the likeliest choices"
    return titled(head, table(("line", "output", "instruction", "first", "second"), rows))


def _soft_trace(trace: Any) -> Markup:
    rows = []
    for number, step in enumerate(trace.steps[:_MOST_STEPS], start=1):
        line, op = int(step.line.argmax()), int(step.op.argmax())
        certainty = float(step.memory.max(-1).min())
        rows.append(
            (
                str(number),
                shaded(f"{line} ({step.line[line]:.2f})", float(step.line[line])),
                shaded(f"{trace.instructions.names[op]} ({step.op[op]:.2f})", float(step.op[op])),
                shaded(f"{step.stop:.3f}", step.stop),
                shaded(f"{certainty:.3f}", certainty),
            )
        )
    head = f"Soft run: {trace.stop.value} after {counted(len(trace.steps), 'step')}"
    names = ("step", "line", "instruction", "stop probability", "least certain cell")
    return titled(head, table(names, rows))


def _result(result: Any) -> Markup:
    rows = [(name.replace("_", " "), str(value)) for name, value in result.summary().items()]
    return titled("Training", table(("", ""), rows))


def _decompiled(best: Any) -> Markup:
    reading = best.reading
    head = f"Member {best.member}, type {reading.kind}: {reading.reason}"
    return titled(head, Markup("<pre>{}</pre>").format(best.figure))


def _adapted(adapted: Any) -> Markup:
    from anc.adaptation.saved import PROVED, UNPROVED

    programs = {"generic": adapted.problem.program}
    for which, answer in ((PROVED, adapted.proved), (UNPROVED, adapted.unproved)):
        if answer is not None:
            programs[which] = answer.program
    return _answers(adapted.problem.name, adapted.saved, programs)


def _adaptation(found: Any) -> Markup:
    return _answers(found.name, found.result, found.compared)


def _answers(name: str, result: SavedAdaptation, programs: Mapping[str, Program]) -> Markup:
    """The display of an adaptation: its result, and its programs side by side."""
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
    """The evidence for an answer, by name."""
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
        from anc.pages.adaptation import why_rejected

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
    """A tape; cells that violate a precondition are shaded."""
    return Markup(short_tape(cells, marked, lambda text: shaded(text, _BROKEN)))


@dataclass(frozen=True, repr=False)
class StepperFrame:
    """The stepper inside a notebook: the page in a frame."""

    recordings: tuple[Recording, ...]
    height: int = 760

    def __repr__(self) -> str:
        return f"<stepper: {'; '.join(recording.ending for recording in self.recordings)}>"

    def _repr_html_(self) -> str:
        from anc.pages.page import stepper_page

        frame = Markup(
            '<iframe srcdoc="{}" style="width: 100%; height: {}px; border: 0; border-radius: 8px"'
            ' title="{}"></iframe>'
        )
        page = stepper_page(self.recordings)
        return str(frame.format(page, self.height, self.recordings[0].title))


def step_through(
    program: Program | Weights,
    tape: Sequence[int],
    compare: Program | Weights | None = None,
    machine: str = "exact",
    sharpness: float | None = None,
    max_steps: int = 1_000,
    title: str = "program",
) -> StepperFrame:
    """The stepper of one run, or of two on the same tape, for a notebook.

    A soft run of a program has sharpness 20, which is as good as exact, unless another is given.

    >>> import anc
    >>> step_through(anc.load("listk"), [3, 1, 2, 5, 4, 7, 5]).recordings[0].steps
    9
    """
    from anc.data.loading import load
    from anc.pages.recording import record

    how = (machine, sharpness, max_steps)
    first = record(load(program), tape, title, *how)
    if compare is None:
        return StepperFrame((first,))
    other = record(load(compare, first.M), tape, f"{title}, the other", *how)
    return StepperFrame((first, other))


def _as_printed(found: object) -> Markup:
    """The printed table."""
    return Markup("<pre>{}</pre>").format(str(found))


# by type name, so that no module is imported for it
_RENDERERS: dict[tuple[str, str], Callable[[Any], Markup]] = {
    ("anc.program", "Program"): program_table,
    ("anc.machine.weights", "Weights"): _weights,
    ("anc.machine.exact", "Run"): _run,
    ("anc.machine.softrun", "SoftTrace"): _soft_trace,
    ("anc.machine.text", "Trace"): _as_printed,
    ("anc.commands.decompile", "DecompiledWeights"): _as_printed,
    ("anc.training.result", "TrainingResult"): _result,
    ("anc.training.result", "DecompiledMember"): _decompiled,
    ("anc.adaptation.result", "Adapted"): _adapted,
    ("anc.pages.adaptation", "Adaptation"): _adaptation,
}
