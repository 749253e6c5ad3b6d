"""Weights and runs as text: the paper's figures of weights, and traces of runs.

A figure shows the most likely value of each row and its probability, truncated to two decimals as in
the paper. A neutral token (``R-``, ``-``, ``NOP``) stands for a row without a value that is more likely
than all others together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from anc.machine import exact
from anc.machine.exact import Run
from anc.machine.weights import Array, Weights, softmax
from anc.program import Program

NEUTRAL = 0.5  # a choice must be likelier than this to be named


def figure(weights: Weights, only: set[int] | None = None) -> str:
    """The text of the figures in the paper's appendix; `only` selects lines."""
    rows = [
        f"R{register + 1} = {_choice(row, map(str, range(weights.M)), '-')}"
        for register, row in enumerate(weights.registers)
    ]
    start = _choice(weights.start, map(str, range(weights.M)), "-")
    text = [*rows, "", f"Initial State: {start}", ""]
    names = [f"R{register + 1}" for register in range(weights.R)]
    width = len(str(weights.M - 1)) + 1
    for line in range(weights.M):
        if only is not None and line not in only:
            continue
        out, first, second = (
            _choice(rows[line], names, "R-")
            for rows in (weights.out, weights.first, weights.second)
        )
        op = _choice(
            weights.op[line], (f"{name:<5}" for name in weights.instructions.names), "NOP  "
        )
        label = f"{line}:"
        text.append(f"{label:<{width}} {out:<10} = {op:<12} [ {first:<10}, {second:<10} ]")
    return "\n".join(text)


def _choice(logits: Array, names, neutral: str) -> str:
    best, probability = likeliest(logits)
    name = list(names)[best] if probability > NEUTRAL else neutral
    return f"{name} ({cut_off(probability)})"


def likeliest(logits: Array) -> tuple[int, float]:
    """The most likely value of a row of logits, and its probability."""
    probabilities = softmax(np.asarray(logits, np.float64))
    best = int(probabilities.argmax())
    return best, float(probabilities[best])


def cut_off(probability: float) -> str:
    """A probability truncated to two decimals.

    >>> cut_off(0.9368), cut_off(0.1), cut_off(1.0)
    ('0.93', '0.1', '1')
    """
    return f"{math.floor(probability * 100 + 1e-9) / 100:g}"


@dataclass(frozen=True)
class Trace:
    """The trace of a run: a row of words for each step, below a row of titles.

    On the exact machine `run.trace` has the steps as numbers. The trace prints as a table.
    """

    run: Run
    rows: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        """The number of steps."""
        return len(self.rows) - 1

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, for --json: the steps as numbers, or as words on the soft machine."""
        run = self.run
        steps: list[dict[str, Any]] = [
            {"step": number, **asdict(step)} for number, step in enumerate(run.trace, start=1)
        ]
        return {
            "tape": list(run.tape),
            "steps": run.steps,
            "stop": run.stop.value,
            "confidence": run.confidence,
            "trace": steps or [dict(zip(self.rows[0], row, strict=True)) for row in self.rows[1:]],
        }

    def __str__(self) -> str:
        widths = [max(map(len, column)) for column in zip(*self.rows, strict=True)]
        lines = (zip(row, widths, strict=True) for row in self.rows)
        return "\n".join("  ".join(f"{text:<{w}}" for text, w in line).rstrip() for line in lines)


def trace_exact(program: Program, tape: Sequence[int], max_steps: int) -> Trace:
    """The trace of a run on the exact machine."""
    result = exact.run(program, tape, max_steps, trace=True)
    rows = [("step", "line", "command", "register", "cell")]
    for number, step in enumerate(result.trace, start=1):
        line = program.lines[step.line]
        names = [program.name_of(operand) for operand in line.operands]
        command = f"{program.name_of(step.out)} = {step.op}({', '.join(names)})"
        read = [f"{value}" for value in (step.first, step.second) if value is not None]
        command += f"   # {step.op}({', '.join(read)})" if read else ""
        wrote = f"{program.name_of(step.out)} <- {step.value}"
        if step.jumped:
            cell = f"jump to line {step.second}"
        else:
            cell = "" if step.cell is None else f"tape[{step.cell}] <- {step.second}"
        rows.append((str(number), str(step.line), command, wrote, cell))
    return Trace(result, tuple(rows))


def trace_weights(weights: Weights, tape: Sequence[int], max_steps: int) -> Trace:
    """The trace of a run on the soft machine: the most likely values and their probabilities."""
    from anc.machine.softrun import trace_soft

    def most(choice, names) -> str:
        best = int(np.argmax(choice))
        return f"{names[best]} ({cut_off(float(choice[best]))})"

    registers = weights.register_names
    values = [str(value) for value in range(weights.M)]
    result = trace_soft(weights, tape, max_steps)
    before = result.initial_memory
    rows = [("step", "line", "command", "register", "cell", "stopped")]
    for number, step in enumerate(result.steps, start=1):
        row = weights.instructions[int(step.op.argmax())]
        operands = [most(c, registers) for c in (step.first, step.second)][: row.operands]
        command = f"{most(step.op, weights.instructions.names)} [{', '.join(operands)}]"
        out = int(step.out.argmax())
        wrote = f"{most(step.out, registers)} <- {most(step.registers[out], values)}"
        change = np.abs(step.memory - before).sum(-1)
        cell = int(change.argmax())
        shown = f"tape[{cell}] <- {most(step.memory[cell], values)}" if change[cell] > 0.01 else ""
        line = most(step.line, values)
        rows.append((str(number), line, command, wrote, shown, f"{step.stop:.3f}"))
        before = step.memory
    tape, confidence = tuple(before.argmax(-1).tolist()), float(before.max(-1).min())
    run = Run(tape, len(result.steps), result.stop, confidence=confidence)
    return Trace(run, tuple(rows))
