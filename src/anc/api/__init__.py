"""The functions that `import anc` offers; each loads what it needs when it is called."""

from anc.api.functions import function, hole, record
from anc.api.learning import adapt, fill, score, train
from anc.api.listings import fmt
from anc.api.models import layer
from anc.api.programs import compile, harden, load, run, save, soften, trace
from anc.api.proofs import guard, verify
