"""Experiments beyond the paper: digits, paths in graphs, and a cache.

Each trains networks or programs through anc and compares them with the optimum or an upper bound. `anc experiment` and
`anc.experiment` take a name and options and return a row for each training. Nothing in anc depends on this package.
"""
