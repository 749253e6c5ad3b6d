"""The fused training engine on a graphics card: whole training runs of a population inside one launch.

One block of threads trains one member through all iterations between two validations; groups of its threads run
a sample each, forwards to its own halting step and back. ``source`` has the kernels, in plain C but for the words of
``card.h``: in other words they run without a card, and so are compared with the other engines.
"""

from anc.training.gpu.engine import check_room, evaluate, gradient, prepare, train

name = "gpu"
