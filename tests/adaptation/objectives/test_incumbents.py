"""The best candidates so far, whatever they are and whoever judges them."""

from hypothesis import given
from hypothesis import strategies as st

from anc.adaptation.objectives.incumbents import Incumbents
from anc.adaptation.objectives.objective import Standing
from anc.support.clock import Clock

standings = st.builds(
    Standing, st.integers(0, 2), st.sampled_from([1.0, 2.0, 3.0]), st.sampled_from([4.0, 5.0])
)


@given(st.dictionaries(st.integers(0, 30), standings, min_size=1))
def test_those_of_the_best_grade_are_kept_and_every_better_one_is_history(offered):
    incumbents: Incumbents[int, Standing] = Incumbents(Clock(10.0))
    for number, (candidate, standing) in enumerate([*offered.items(), *offered.items()]):
        incumbents.offer(candidate, standing, "chance", number)
    least = min(standing.grade for standing in offered.values())
    assert set(incumbents.good) == {c for c, standing in offered.items() if standing.grade == least}
    assert incumbents.best == min(offered, key=lambda c: (offered[c].rank, c))
    grades = [grade for _, grade in incumbents.history]
    assert grades == sorted(set(grades), reverse=True) and grades[-1] == incumbents.grade == least
    ranks = [each.standing.rank for each in incumbents.trail]
    assert ranks == sorted(ranks, reverse=True)
    assert all(offered[each.candidate] == each.standing for each in incumbents.trail)
