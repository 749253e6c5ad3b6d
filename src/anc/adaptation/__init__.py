"""Adaptation: gradient descent, exact search and proof under one budget; `adapt.py` is the method."""
