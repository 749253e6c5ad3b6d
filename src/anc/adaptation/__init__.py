"""Adaptation: finds faster programs for the inputs at hand, and proves where they are right.

In come a problem (a program with cases, or a sketch with holes) and a job (the budget); out comes a typed result
that prints, saves and reloads itself. `adapt` judges programs by cases and proofs, `objectives` by a score,
`holes` fills sketches by either, and `verification` proves and guards programs without any search.
"""
