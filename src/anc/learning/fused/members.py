"""What the update needs to treat both arrangements alike: one number per member against a block of parameters."""

from __future__ import annotations

from anc.learning.fused import vectors
from anc.learning.fused.layout import LANES_PATH
from anc.learning.fused.vectors import intrinsic


@intrinsic
def per_member(typingctx, s, p, offset):
    """The members' numbers at ``p[offset]`` as a block: one per lane, or one for the whole block."""
    cls = s.vector_classes()["block"]
    operation = vectors.load if s.layout.path == LANES_PATH else vectors.spread
    sig, lower_block = operation._defn(typingctx, cls, p, offset)

    def lower(context, builder, sig_, args):
        return lower_block(context, builder, sig, [None, args[1], args[2]])

    return sig.return_type(s, p, offset), lower


def _folding(operation):
    """A block in which each member's elements are combined: nothing to do for lanes."""

    @intrinsic
    def fold(typingctx, s, v):
        cls = s.vector_classes()["block"]

        def lower(context, builder, sig, args):
            if s.layout.path == LANES_PATH:
                return args[1]
            scalar_sig, reduce = operation._defn(typingctx, v)
            scalar = reduce(context, builder, scalar_sig, [args[1]])
            splat_sig, spread = vectors.splat._defn(typingctx, cls, v.dtype)
            return spread(context, builder, splat_sig, [None, scalar])

        return v(s, v), lower

    return fold


fold_sum = _folding(vectors.total)
fold_largest = _folding(vectors.largest)
