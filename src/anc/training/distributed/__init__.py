"""Distributed training: populations cut into chunks that may run anywhere, whose results are saved as they come.

Problems, settings and seeds come in; each member's numbers, the paper's table of them, and ranked settings go out.

chunk        a population of members, its key, how it is trained, and how parts are packed into chunks
scheduler    the folder of finished parts, and the training of missing ones
executor     where chunks are trained: on this machine, in threads or processes
ray_cluster  the same on a Ray cluster, with ray_connection and ray_worker
table1       the paper's Table 1
sweep        grids and random draws of settings, ranked; halving drops bad ones early
"""
