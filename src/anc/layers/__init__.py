"""Programs inside models: a program as a differentiable layer between a network and its loss.

In come a program, the cells that are its inputs and outputs, and distributions over their values. Out
come distributions over the values of the outputs, and gradients. A diagram of the program's runs is
built once, turned into a plan, and executed in JAX or PyTorch.
"""

from anc.layers.layer import Layer
from anc.layers.make import make_layer
from anc.layers.spec import Details
