"""Recording of a function's real calls, as a uniform sample to adapt to.

A function comes in; out goes a wrapper that records its calls to a file, from any number of threads and
processes. `read_calls` returns the sample in the file.

reservoir   which calls are sampled, each with the same probability
store       the file with the sample, and the journals of processes, which are merged into it
recorder    the wrapper around a function
"""

from __future__ import annotations

from anc.python.recording.recorder import recorded
from anc.python.recording.store import Sample, read_calls, was_recorded

__all__ = ["Sample", "read_calls", "recorded", "was_recorded"]
