"""Numbers of 64 bits in JAX for a while, under the name that old and new versions have for it."""

from contextlib import AbstractContextManager

import jax
import jax.experimental


def enable_x64(wanted: bool) -> AbstractContextManager:
    return (jax if hasattr(jax, "enable_x64") else jax.experimental).enable_x64(wanted)
