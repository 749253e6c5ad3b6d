"""Functions of a subset of Python, read from their source: another way to write programs."""
