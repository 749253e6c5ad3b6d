"""What the demo adapts: a fare, as a company has it for everybody."""

import anc


@anc.function
def fare(distance: int, age: int, luggage: int) -> int:
    """The price of a ticket in tenths; children and pensioners pay less."""
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
