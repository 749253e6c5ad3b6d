"""What every package stands on: messages, files and folders, budgets, processes, records.

In comes what the machine offers (a clock, memory, a file system, signals); out come values that the
rest of anc passes on, such as a `Job` and a `Record`. Nothing here knows what a program is.
"""
