"""`anc experiment`, which a package of its own offers."""

from anc_experiments.command import command

__all__ = ["command"]
