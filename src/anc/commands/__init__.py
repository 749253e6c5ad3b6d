"""What can be asked of anc, from the shell and from Python.

In comes what a person types or passes; it becomes a request, one frozen dataclass for each command, which
checks it. Both ways then run the request with a job; out comes a result, which the function returns and the
command prints.
"""
