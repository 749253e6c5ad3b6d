"""The GPU training engine: whole training runs of a population in one kernel launch.

One block of threads trains one member through all iterations between two validations. Groups of its threads run one
sample each, forward to its halting step and back. ``source`` contains the kernels in plain C, except for the macros of
``card.h``. With other macros they run on a CPU, where tests compare them with the other engines.
"""

from anc.training.gpu.engine import check_room, evaluate, gradient, prepare, train

name = "gpu"
