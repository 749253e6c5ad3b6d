"""Trainings cut into chunks that may run anywhere, whose results are kept as they come.

chunk      a population of members, what names it, and how it is trained
outcome    what came of it, as numbers and as JSON
store      a folder with a file for each part that is done
packing    parts that are trained side by side, as much as keeps a device busy for some seconds
on         who trains: what an executor does, and which there are
local      this process, or others on this machine
going      the whole way: what is missing, packed, trained, kept
"""
