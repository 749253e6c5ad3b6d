"""Experiments beyond the paper's: digits, paths in graphs, and a cache.

Each trains networks or programs through anc and compares them with the best that there can be. `anc experiment` and
`anc.experiment` find them here, by name with their options, and get a row for each training; nothing in anc needs them.
"""
