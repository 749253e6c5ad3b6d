"""scikit-learn's handwritten digits: 1797 pictures of 8 by 8 points, part of the package."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from anc.support import extras
from anc.support.diagnostics import AncError

TRAINED_ON = 1437  # of 1797


class Pictures(NamedTuple):
    """Pictures (n, 64) from 0 to 1, and the digits on them."""

    train: np.ndarray
    train_digits: np.ndarray
    test: np.ndarray
    test_digits: np.ndarray


def load_pictures() -> Pictures:
    """The pictures in a fixed random order, the last fifth for tests."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        raise AncError(
            "this experiment needs scikit-learn, which holds the pictures",
            help=extras.install("digits"),
        ) from None
    pictures, digits = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(pictures))
    pictures, digits = (pictures[order] / 16).astype(np.float32), digits[order].astype(np.int32)
    cut = TRAINED_ON
    return Pictures(pictures[:cut], digits[:cut], pictures[cut:], digits[cut:])
