"""Programs and the cases that they are tried on.

In come names, listings, JSON, Python functions and files of samples; out come a `Program` and its `Case`s.
`loading` is the one way in, `tasks` holds the paper's tasks, `programs` the programs that come with anc.
"""
