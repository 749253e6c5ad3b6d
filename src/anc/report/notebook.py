"""Rich displays in notebooks: programs, weights, runs, traces and results as HTML.

`install` tells a running IPython about them; nothing else of anc needs to know. Colours are mixed from
the notebook's own, so that light and dark notebooks both can show them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from anc.diagnostics import AncError
from anc.machine.exact import Run, Stop
from anc.program import Program

if TYPE_CHECKING:
    from anc.machine.weights import Weights
    from anc.report.recording import Recording

_MONO = "font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.92em"
_CELL = "padding: 1px 10px 1px 4px; text-align: left; white-space: nowrap"
_MOST_STEPS = 200


def install() -> bool:
    """Register the displays with the running IPython; False where there is none."""
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


def _program(program: Program) -> Markup:
    from anc.report.shown_lines import program_lines

    rows = [
        (str(line.number), " ".join(f"{label}:" for label in line.labels), line.text)
        for line in program_lines(program)
    ]
    registers = ", ".join(
        f"{program.name_of(r)} = {'–' if value is None else value}"
        for r, value in enumerate(program.registers)
    )
    head = f"Program: {program.L} lines, {program.R} registers"
    head += "" if program.memory is None else f", memory {program.memory}"
    return _titled(head, _table(("line", "", "command"), rows), registers)


def _run(run: Run) -> Markup:
    words = {Stop.STOPPED: "stopped", Stop.STEP_LIMIT: "did not stop", Stop.PAST_END: "past-end"}
    head = f"Run: {words[run.stop]} after {run.steps} steps"
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
    steps = _table(("step", "line", "command", "register", "cell"), rows) if rows else Markup("")
    return _titled(head, steps, "tape " + " ".join(map(str, run.tape)))


def _weights(weights: Weights) -> Markup:
    from anc.report.shown_lines import weights_lines

    rows = []
    for line in weights_lines(weights):
        cells = [_shaded(f"{name} {p:.2f}", p) for _, name, p in line.choices]
        rows.append((str(line.number), *cells))
    head = f"Weights: {weights.M} rows, {weights.R} registers; the likeliest choices"
    return _titled(head, _table(("line", "output", "instruction", "first", "second"), rows))


def _soft_trace(trace: Any) -> Markup:
    from anc import isa

    rows = []
    for number, step in enumerate(trace.steps[:_MOST_STEPS], start=1):
        line, op = int(step.line.argmax()), int(step.op.argmax())
        certainty = float(step.memory.max(-1).min())
        rows.append(
            (
                str(number),
                _shaded(f"{line} ({step.line[line]:.2f})", float(step.line[line])),
                _shaded(f"{isa.NAMES[op]} ({step.op[op]:.2f})", float(step.op[op])),
                _shaded(f"{step.stop:.3f}", step.stop),
                _shaded(f"{certainty:.3f}", certainty),
            )
        )
    head = f"Soft run: {trace.stop.value} after {len(trace.steps)} steps"
    names = ("step", "line", "instruction", "stop probability", "least certain cell")
    return _titled(head, _table(names, rows))


def _result(result: Any) -> Markup:
    rows = [(name.replace("_", " "), str(value)) for name, value in result.summary().items()]
    return _titled("Training", _table(("", ""), rows))


def _decompiled(best: Any) -> Markup:
    reading = best.reading
    head = f"Member {best.member}, type {reading.kind}: {reading.reason}"
    return _titled(head, Markup("<pre>{}</pre>").format(best.figure))


def _adapted(adapted: Any) -> Markup:
    return _adapted_facts(adapted.to_dict()) + _program(adapted.program)


def _adaptation(found: Any) -> Markup:
    adapted = found.programs.get("adapted")
    program = _program(adapted) if adapted is not None else Markup("")
    return _adapted_facts(found.result | {"problem": found.name}) + program


def _adapted_facts(result: dict[str, Any]) -> Markup:
    proof = result["proof"]
    rows = [
        ("steps", f"{result['steps_generic']} → {result['steps_adapted']}"),
        ("found by", str(result.get("method", "–"))),
        ("verdict", f"{result['verdict']}; {proof.get('reason') or proof.get('how') or ''}"),
        ("precondition", "; ".join(result.get("precondition") or ["none: every input"])),
    ]
    if proof.get("counterexample"):
        rows.append(("counter-example", " ".join(map(str, proof["counterexample"]))))
    return _titled(f"Adaptation of {result.get('problem')}", _table(("", ""), rows))


@dataclass(frozen=True)
class Stepper:
    """The stepper inside a notebook: the page in a frame of its own."""

    recordings: tuple[Recording, ...]
    height: int = 760

    def _repr_html_(self) -> str:
        from anc.report.stepper import stepper_page

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
) -> Stepper:
    """The stepper of a run (or of two on the same tape), to look at in a notebook.

    >>> import anc
    >>> step_through(anc.load("listk"), [3, 1, 2, 5, 4, 7, 5]).recordings[0].steps
    9
    """
    from anc.loading import load
    from anc.report.recording import record

    how = (machine, sharpness, max_steps)
    first = record(load(program), tape, title, *how)
    if compare is None:
        return Stepper((first,))
    other = record(load(compare, first.M), tape, f"{title}, the other", *how)
    return Stepper((first, other))


# by the names of the types, so that nothing is imported for a type that is not there
_RENDERERS: dict[tuple[str, str], Callable[[Any], Markup]] = {
    ("anc.program", "Program"): _program,
    ("anc.machine.weights", "Weights"): _weights,
    ("anc.machine.exact", "Run"): _run,
    ("anc.machine.softrun", "SoftTrace"): _soft_trace,
    ("anc.learning.training", "Result"): _result,
    ("anc.learning.decompiled", "Decompiled"): _decompiled,
    ("anc.adaptation.result", "Adapted"): _adapted,
    ("anc.report.adapt_data", "Adaptation"): _adaptation,
}


def _shaded(text: str, share: float) -> Markup:
    tint = round(55 * min(max(share, 0.0), 1.0))
    style = f"background: color-mix(in srgb, #0072b2 {tint}%, transparent)"
    return Markup('<span style="{}; padding: 0 5px; border-radius: 4px">{}</span>').format(
        style, text
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str | Markup]]) -> Markup:
    cell = Markup('<td style="{}">{}</td>')
    body = Markup("").join(
        Markup("<tr>{}</tr>").format(Markup("").join(cell.format(_CELL, text) for text in row))
        for row in rows
    )
    names = Markup("").join(Markup('<th style="{}">{}</th>').format(_CELL, name) for name in head)
    top = Markup("<thead><tr>{}</tr></thead>").format(names) if any(head) else Markup("")
    return Markup('<table style="{}">{}<tbody>{}</tbody></table>').format(_MONO, top, body)


def _titled(head: str, body: Markup, foot: str = "") -> Markup:
    note = Markup('<div style="{}; opacity: 0.75">{}</div>').format(_MONO, foot) if foot else ""
    return Markup("<div><b>{}</b>{}{}</div>").format(head, body, note)
