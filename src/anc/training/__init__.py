"""Learning: gradient descent on the weights of populations of soft programs."""
