"""Training: gradient descent on the weights of populations of soft programs.

A problem (a program and its cases), settings and seeds come in; each seed's best weights, with the share of test
cases that they get right and their steps, go out. Three engines do the work: `fused` (CPU), `gpu` and JAX.
"""
