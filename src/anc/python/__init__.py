"""The Python front end: functions in a subset of Python become programs.

It takes a function's source text, a memory size and an instruction set. It returns a `Function`:
its `program` computes the function on a tape, and its `exact` program stops only if its result is
Python's. Python's own result of a call is found by running the function's text.
"""
