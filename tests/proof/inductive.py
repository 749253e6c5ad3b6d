"""What tests of induction share."""

from __future__ import annotations

from anc.compiler import compile_source
from anc.language import Source
from anc.program import Program
from anc.proof.claim import Claim, Inquiry
from anc.proof.induction import by_induction
from anc.proof.verdict import Undecided
from anc.support.clock import Clock

M = 64


def program(text: str) -> Program:
    return compile_source(Source(text), memory=M).program


def is_proved(claim: Claim) -> bool:
    try:
        return by_induction(Inquiry(claim, Clock(60.0)), Clock(60.0)).proved
    except Undecided:
        return False
