"""Program synthesis from sketches: programs with holes, filled by exact search and gradient descent.

In come a sketch (a listing or a Python function with holes) and cases, or inputs and a score; out comes the best
filling found, with the choices of each hole that the cases leave open.
"""
