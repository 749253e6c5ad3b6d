"""Programs inside models: a program as a differentiable layer between a network and its loss.

The input is a program, the cells that are its inputs and outputs, and distributions over their values.
The output is the distributions over the values of the output cells, with gradients. A diagram of the
program's runs is built once, turned into a plan, and executed in JAX or PyTorch.
"""

from anc.layers.layer import Layer
from anc.layers.make import make_layer
from anc.layers.spec import Details
