"""Objectives: programs are judged by a score of their final tapes instead of right answers.

In come a program, inputs and a score (a program, or a function of Python or JAX); out comes the best program
found, compared with the generic one on held-out inputs.
"""
