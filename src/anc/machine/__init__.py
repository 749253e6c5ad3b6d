"""The machines that run programs: exact on numbers, soft on probability distributions.

In come programs, weights and tapes. Out come final tapes, numbers of steps and traces, and exact
programs read back from weights. Every machine derives its meaning from the instruction set and is
tested against `exact`.
"""
