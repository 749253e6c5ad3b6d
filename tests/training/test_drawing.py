"""Cases are drawn for a whole population at once, with the numbers of numpy's generators."""

import numpy as np
import pytest

from anc.training.drawing import draw_indices


@pytest.mark.parametrize("pool", [1, 2, 3, 7, 256, 4096, 3_000_000_000 % 2**31, 2**31 - 1])
@pytest.mark.parametrize("begin", [0, 50, 2**32 - 1, 2**33])
def test_the_numbers_are_those_of_numpy(pool, begin):
    seeds = np.array([0, 1, 99, 2**32 - 1, 2**32, 2**33 + 5], np.uint64)
    attempts = np.array([0, 3, 0, 1, 2**20, 0])
    found = draw_indices(seeds, attempts, begin, pool, 9, 5)
    for member, (seed, attempt) in enumerate(zip(seeds, attempts, strict=True)):
        random = np.random.default_rng([int(seed), int(attempt), begin])
        assert np.array_equal(found[:, member], random.integers(pool, size=(9, 5)))
