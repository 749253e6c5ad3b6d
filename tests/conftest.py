"""What all tests share."""

import os
import signal

# The tests compile many small programs with XLA and run each only a few times: optimising the
# machine code would take longer than it saves. What is computed stays the same.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")

# With `nohup`, or in the background of a script, all processes ignore these; some tests are about them.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)

# Files of few tests that take long: begun last, one of them would keep one process busy alone.
LONG = ("training", "experiments", "layers", "adaptation", "test_documents.py")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: not any(part in LONG for part in item.path.parts))
