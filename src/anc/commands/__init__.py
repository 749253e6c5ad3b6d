"""The `anc` command and the functions of `import anc`, one request for each.

Command-line words or Python arguments come in and become a request, a frozen dataclass that validates them.
Running the request with a job yields a result, which the function returns and the command prints.
"""
