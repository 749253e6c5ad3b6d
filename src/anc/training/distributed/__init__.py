"""Trainings cut into chunks that may run anywhere, whose results are kept as they come.

What comes in are problems, settings and seeds; what goes out are the numbers of each member, the paper's table of
them, and settings ranked.

chunk      a population of members, what names it, and how it is trained
outcome    what came of it, as numbers and as JSON
store      a folder with a file for each part that is done
packing    parts that are trained side by side, as much as keeps a device busy for some seconds
on         who trains: what an executor does, and which there are
local      threads or processes of this machine; ray_cluster: the machines of a Ray cluster
going      the whole way: what is missing, packed, trained, kept
table1     the paper's Table 1; sweep, halving: settings that are tried, and dropped early
"""
