"""Reading weights back: the paper's figures, its three types of interpretability, programs."""
