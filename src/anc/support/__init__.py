"""The foundation: diagnostics, files and result folders, budgets, worker processes, records.

The inputs are what the machine offers: a clock, memory, a file system, signals. The outputs are values
that the rest of anc passes on, such as a `Job` and a `Record`. Nothing here knows what a program is.
"""
