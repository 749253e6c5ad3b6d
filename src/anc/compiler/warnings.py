"""What a compiler should mention although the program compiles."""

from __future__ import annotations

from anc import isa
from anc.compiler.flow import Flow
from anc.compiler.liveness import Liveness
from anc.compiler.names import Code
from anc.diagnostics import Diagnostic, warning


def find_warnings(code: Code, flow: Flow, alive: Liveness) -> tuple[Diagnostic, ...]:
    """No STOP reachable, unreachable lines, and variables that are of no use."""
    return (*_stop(code, flow), *_unreachable(code, flow), *_variables(code, alive))


def _stop(code: Code, flow: Flow):
    stops = [
        number
        for number, command in enumerate(code.commands)
        if command.instruction.effect is isa.Effect.STOP
    ]
    if not any(number in flow.reachable for number in stops):
        found = "no STOP can be reached" if stops else "the program has no STOP"
        yield warning(
            f"{found}: it never ends by itself",
            code.commands[stops[0] if stops else -1].span,
            help="let a line lead to this STOP()" if stops else "end the program with STOP()",
        )


def _unreachable(code: Code, flow: Flow):
    L = len(code.commands)
    number = 0
    while number < L:
        begin = number
        while number < L and number not in flow.reachable:
            number += 1
        if number - begin == 1:
            yield warning("this line is never reached", code.commands[begin].span)
        elif number > begin:
            last = code.commands[number - 1].span.line
            yield warning(
                f"these {number - begin} lines, down to line {last}, are never reached",
                code.commands[begin].span,
            )
        number += 1


def _variables(code: Code, alive: Liveness):
    for unit in code.declared:
        if unit.pinned is not None:
            continue
        if unit.reads == 0 and unit.writes:
            yield warning(f"variable '{unit.name}' is assigned but never read", unit.span)
        elif unit.reads == 0:
            yield warning(f"variable '{unit.name}' is never used", unit.span)
        elif unit.value is None and alive.at_start & alive.bit[unit]:
            yield warning(
                f"variable '{unit.name}' may be read before it has a value",
                unit.span,
                help=f"give it one: var {unit.name} = 0",
            )
