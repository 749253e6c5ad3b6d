"""The instruction table of the paper and a product."""

from anc.isa import PAPER, Instruction

INSTRUCTIONS = (*PAPER, Instruction("MUL", 2, lambda a, b, M: a * b % M))
