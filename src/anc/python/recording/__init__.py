"""Real calls of a function, kept as a sample to adapt to.

recorded    the function, with some of its calls written down: what `anc.record` does
read_calls  the sample, from all processes that wrote one
was_recorded  whether there is one

reservoir   which calls are kept, so that each is as likely as any other
store       the file with the sample, and the journals of processes that are merged into it
"""

from __future__ import annotations

from anc.python.recording.recorder import recorded
from anc.python.recording.store import Sample, read_calls, was_recorded

__all__ = ["Sample", "read_calls", "recorded", "was_recorded"]
