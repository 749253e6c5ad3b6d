"""The two arrangements behind one set of names: ``s.forward(...)`` is the lanes' or the rows' function."""

from __future__ import annotations

from anc.learning.fused import (
    lanes_backward,
    lanes_forward,
    lanes_pull,
    rows_backward,
    rows_forward,
    rows_pull,
)
from anc.learning.fused.layout import FUNCTIONS, LANES_PATH, ROWS_PATH


def _register(name: str, lanes, rows) -> None:
    FUNCTIONS[name] = {LANES_PATH: lanes, ROWS_PATH: rows}


_register("initial_state", lanes_forward.initial_state_lanes, rows_forward.initial_state_rows)
_register("begin", lanes_forward.begin_lanes, rows_forward.begin_rows)
_register("forward", lanes_forward.forward_lanes, rows_forward.forward_rows)
_register("begin_adjoint", lanes_backward.begin_adjoint_lanes, rows_backward.begin_adjoint_rows)
_register("backward", lanes_backward.backward_lanes, rows_backward.backward_rows)
_register(
    "keep_initial_adjoint",
    lanes_backward.keep_initial_adjoint_lanes,
    rows_backward.keep_initial_adjoint_rows,
)
_register(
    "initial_gradient", lanes_backward.initial_gradient_lanes, rows_backward.initial_gradient_rows
)
_register("softmax_of", lanes_pull.softmax_of_lanes, rows_pull.softmax_of_rows)
_register("pull_row", lanes_pull.pull_row_lanes, rows_pull.pull_row_rows)
