"""The machines that run programs: exact on numbers, soft on probability distributions.

The input is a program or weights, and a tape. The output is the final tape, the number of steps and a
trace, or an exact program read back from weights. Every machine derives its meaning from the
instruction set and is tested against `exact`.
"""
