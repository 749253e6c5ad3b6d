"""Functions of a subset of Python, read from their source: another way to write programs.

A function's text comes in, with its memory and its instruction set; a `Function` goes out, whose
`program` computes it on a tape and whose `exact` program stops only where it does what Python does.
What Python itself makes of a call is found by running the function's own text.
"""
