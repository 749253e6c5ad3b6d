"""Holes: programs with places left open, filled from cases by exact search and gradient descent."""
