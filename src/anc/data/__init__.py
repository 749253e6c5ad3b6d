"""Loading of programs and cases, and the paper's programs and tasks.

Names, listings, JSON, Python functions and files of samples come in; a `Program` and its `Case`s come out.
`loading` loads programs, `tasks` holds cases and the paper's tasks, `programs` the shipped programs.
"""
