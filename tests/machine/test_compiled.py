"""Machine code that several processes kept is put together by the functions' names."""

from anc.machine.compiled import lean_inner, one_of


def one(x):
    return 1


def two(x):
    return 2


def three(x):
    return 3


def test_choices_have_names_of_their_own():
    """Else one of two choices could stand for both where the code of two processes meets."""
    choices = [[one, two, three], [two, three], [three], [three, two], [two]]
    names = [one_of(list(map(lean_inner, each))).py_func.__qualname__ for each in choices]
    assert len(set(names)) == len(choices)
    again = one_of([lean_inner(one), lean_inner(two), lean_inner(three)])
    assert again.py_func.__qualname__ == names[0]
