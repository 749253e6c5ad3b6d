"""The functions that `import anc` offers; each loads what it needs when it is called."""

from anc.api.decompiling import decompile
from anc.api.examples import test
from anc.api.experiments import experiment, sweep, table1
from anc.api.filling import fill
from anc.api.functions import function, hole, record
from anc.api.learning import adapt, train
from anc.api.listings import fmt
from anc.api.models import layer
from anc.api.objectives import score
from anc.api.pages import figure, report
from anc.api.programs import compile, harden, load, run, sample, save, soften, trace
from anc.api.proofs import guard, verify
