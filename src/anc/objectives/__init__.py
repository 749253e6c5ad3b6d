"""Objectives without answers: programs are judged by a score of what they leave on the tape."""

from anc.objectives.making import make_score
from anc.objectives.objective import Objective
from anc.objectives.scores import Score
