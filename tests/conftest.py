"""What all tests share."""

import os

# The tests compile many small programs with XLA and run each only a few times: optimising the
# machine code would take longer than it saves. What is computed stays the same.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")
