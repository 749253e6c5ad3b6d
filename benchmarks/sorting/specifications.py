"""What sorting means: on zeros and ones, which decides for programs of MIN and MAX (the 0-1 principle)."""

BIT = range(2)


def three(a: BIT, b: BIT, c: BIT):
    return sorted((a, b, c))


def four(a: BIT, b: BIT, c: BIT, d: BIT):
    return sorted((a, b, c, d))


def five(a: BIT, b: BIT, c: BIT, d: BIT, e: BIT):
    return sorted((a, b, c, d, e))


def six(a: BIT, b: BIT, c: BIT, d: BIT, e: BIT, f: BIT):
    return sorted((a, b, c, d, e, f))
