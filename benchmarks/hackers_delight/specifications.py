"""What the programs of Hacker's Delight compute, at 8 bits: from the mathematical description, in plain Python.

A function is called for every input; it returns the number that the program leaves in cell 0. An argument is a number
from 0 to 255, or from the range that annotates it; where a function returns None, any answer will do.
"""

BITS, M = 8, 256


def signed(x):
    """The number that 8 bits stand for in two's complement."""
    return x - M if x >= M // 2 else x


def ones(x):
    """The positions of the bits that are 1."""
    return {i for i in range(BITS) if x >> i & 1}


def zeros(x):
    return set(range(BITS)) - ones(x)


def number(positions):
    return sum(1 << i for i in positions)


def leading_zeros(x):
    return BITS - x.bit_length()


def p01(x):
    """Turn off the rightmost 1."""
    return number(ones(x) - {min(ones(x), default=None)})


def p02(x):
    """Turn off the trailing 1s, which leaves 0 for numbers of the form 2^n - 1."""
    return number(i for i in ones(x) if any(j < i for j in zeros(x)))


def p03(x):
    """Isolate the rightmost 1."""
    return number(sorted(ones(x))[:1])


def p04(x):
    """A mask of the rightmost 1 and the trailing 0s; all ones if there is no 1."""
    return number(range(min(ones(x), default=BITS - 1) + 1))


def p05(x):
    """Propagate the rightmost 1 to the right; all ones if there is no 1."""
    return x | number(range(min(ones(x), default=BITS)))


def p06(x):
    """Turn on the rightmost 0."""
    return number(ones(x) | set(sorted(zeros(x))[:1]))


def p07(x):
    """Isolate the rightmost 0, as a 1."""
    return number(sorted(zeros(x))[:1])


def p08(x):
    """A mask of the trailing 0s."""
    return number(range(min(ones(x), default=BITS)))


def p09(x):
    """The absolute value."""
    return abs(signed(x)) % M


def p10(x, y):
    """Whether two numbers have as many leading zeros."""
    return leading_zeros(x) == leading_zeros(y)


def p11(x, y):
    """Whether the first has fewer leading zeros."""
    return leading_zeros(x) < leading_zeros(y)


def p12(x, y):
    """Whether the first has no more leading zeros."""
    return leading_zeros(x) <= leading_zeros(y)


def p13(x):
    """The sign: -1, 0 or 1."""
    value = signed(x)
    return (value > 0) - (value < 0) if value >= 0 else M - 1


def p14(x, y):
    """The mean, rounded down, without overflow."""
    return (x + y) // 2


def p15(x, y):
    """The mean, rounded up, without overflow."""
    return (x + y + 1) // 2


def p16(x, y):
    """The larger of two signed numbers."""
    return max(x, y, key=signed)


def p17(x):
    """Turn off the rightmost run of 1s."""
    run = set()
    for i in range(min(ones(x), default=BITS), BITS):
        if i not in ones(x):
            break
        run.add(i)
    return number(ones(x) - run)


def p18(x):
    """Whether a number is a power of two."""
    return len(ones(x)) == 1


def p19(x, m, k: range(1, 8)):
    """Exchange two fields: the bits of m with those k places to their left, if the two do not overlap."""
    low, high = ones(m), {i + k for i in ones(m)}
    if low & high or max(high, default=0) >= BITS:
        return None
    moved = {i + k for i in ones(x) & low} | {i - k for i in ones(x) & high}
    return number(ones(x) - low - high | moved)


def p20(x):
    """The next larger number with as many 1s, where there is one."""
    larger = range(x + 1, M)
    return next((n for n in larger if len(ones(n)) == len(ones(x))), None)


def p21(x, a: range(16), b: range(16), c: range(16)):
    """Cycle through three different values: b after a, c after b, a after c."""
    following = {a: b, b: c, c: a}
    return following.get(x) if len(following) == 3 else None


def p22(x):
    """The parity of the number of 1s."""
    return len(ones(x)) % 2


def p23(x):
    """The number of 1s."""
    return len(ones(x))


def p24(x):
    """Round up to a power of two; modulo 256, and 0 stays 0."""
    return number({(x - 1).bit_length()}) % M if x else 0
