"""What the tests cannot look at here: the bridge to PyTorch, where that is not installed."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("torch") else ["src/anc/layers/torch.py"]
