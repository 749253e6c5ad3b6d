def fare(distance: int, age: int, luggage: int) -> int:
    """The adapted program where its precondition holds, what was there before elsewhere.

    12.70 steps instead of 61.40 on the machine.
    proved: 9 paths.
    which held on 72 of 72 fresh cases: at least 95 % of such inputs at 95 % confidence
    """
    if (
        type(distance) is int
        and 1 <= distance <= 9
        and type(age) is int
        and 6 <= age <= 14
        and type(luggage) is int
        and 0 <= luggage <= 12
    ):
        return (8, 12, 16, 20, 24, 28, 32, 36, 40)[distance - 1]
    return fare_original(distance, age, luggage)


def fare_original(distance: int, age: int, luggage: int) -> int:
    """The price of a ticket in tenths; children and pensioners pay less.

    >>> fare(12, 30, 5)
    54
    >>> fare(3, 30, 25)
    27
    >>> fare(12, 8, 5)
    48
    """
    price = 10
    for km in range(distance):
        price += 4 if km < 10 else 2
    if luggage > 20:
        price += luggage - 20
    if age < 6:
        return 0
    if age < 15 or age >= 65:
        return price - 6
    return price
