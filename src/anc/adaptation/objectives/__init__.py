"""Objectives without answers: programs are judged by a score of what they leave on the tape.

In come a program, inputs and a score (a program, or a function of Python or JAX); out comes the best program
found, compared with the generic one on inputs that nothing looked at before.
"""
