"""The user's views: self-contained HTML pages, figures, and notebook displays.

The input is a run, a program, weights, or the record in a result folder. The output is HTML or a
picture. Nothing is computed here beyond what the views need.
"""
