"""Programs inside models: a program as a layer between a network and its loss."""

from anc.layers.layer import Layer
from anc.layers.make import make_layer
from anc.layers.spec import Details
