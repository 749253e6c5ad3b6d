"""The parts that `anc.adapt` joins: time, gradient descent as a guide, evidence, the result."""
