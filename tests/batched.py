"""One run on the batched machine, as `anc.machine.exact.run` describes it."""

from collections.abc import Sequence

import numpy as np

from anc.machine.batch import PAST_END, STEP_LIMIT, STOPPED, Rules, run_tape
from anc.machine.encoded import encode
from anc.machine.exact import Run, Stop
from anc.program import Program

_STOPS = {STOPPED: Stop.STOPPED, STEP_LIMIT: Stop.STEP_LIMIT, PAST_END: Stop.PAST_END}


def run(program: Program, tape: Sequence[int], max_steps: int) -> Run:
    M = len(tape)
    program.check_fits(M)
    encoded = encode(program)
    cells = np.array([*tape, 0], np.uint16)
    rules = Rules.of(program.instructions, M, max_steps)
    steps, _, stop = run_tape(encoded, program.start, encoded.values.copy(), cells, rules, np.inf)
    return Run(tuple(cells[:M].tolist()), int(steps), _STOPS[int(stop)])
