"""What is refused must be refused before any work is done."""

import pytest


class WorkBegan(BaseException):
    """A hostile value came through."""


@pytest.fixture
def nothing_begins(monkeypatch):
    """No search and no training may begin."""

    def begin(*args, **kwargs):
        raise WorkBegan

    for place in (
        "anc.training.training.Training.__init__",
        "anc.search.search.Search.__init__",
        "anc.adaptation.objectives.adapt.improve",
        "anc.adaptation.holes.fill.FillingWork.offer",
        "anc_experiments.digits.methods.Experiment.learn",
    ):
        monkeypatch.setattr(place, begin)
