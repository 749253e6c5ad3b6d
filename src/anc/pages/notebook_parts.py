"""HTML parts of the notebook displays: tables, titles, listings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from anc.program import Program
from anc.support.diagnostics import counted

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
