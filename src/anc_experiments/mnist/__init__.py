"""MNIST: a network that reads digits, trained on sums of numbers of N digits, as its field measures it."""
