"""Arithmetic that the machine has no instruction for, written in the subset itself and inlined.

Numbers go from 0 to M-1; the names that begin with `_` are not for users.
"""


def times(a, b):
    """a * b: the smaller operand counts the additions."""
    result = 0
    count = min(a, b)
    other = max(a, b)
    while count != 0:
        result += other
        count -= 1
    return result


def quotient(a, b):
    """a // b, and 0 if b is 0."""
    result = 0
    if b != 0:
        while a >= b:
            a -= b
            result += 1
    return result


def remainder(a, b):
    """a % b, and a if b is 0."""
    if b != 0:
        while a >= b:
            a -= b
    return a


def doubled(a, count):
    """a << count."""
    while count != 0:
        a += a
        count -= 1
    return a


def halved(a, count):
    """a >> count."""
    while count != 0 and a != 0:
        half = 0
        while a > 1:
            a -= 2
            half += 1
        a = half
        count -= 1
    return a


def common_digits(a, b, top, count):
    """a & b if M is a power of two: doubling shifts out the first of `count` bits."""
    result = 0
    while count != 0:
        result += result
        if a >= top and b >= top:
            result += 1
        a += a
        b += b
        count -= 1
    return result


def common_bits(a, b, top):
    """a & b for any M; top is the largest power of two below it."""
    result = 0
    while top != 0:
        if a >= top:
            a -= top
            if b >= top:
                b -= top
                result += top
        elif b >= top:
            b -= top
        half = 0
        if top != 1:
            half = 1
            while half + half != top:
                half += half
        top = half
    return result


def power(base, exponent):
    """base ** exponent: no number beyond the result is computed."""
    result = 1
    while exponent != 0:
        result = result * base
        exponent -= 1
    return result


def power_modulo(base, exponent, modulus):
    """pow(base, exponent, modulus)."""
    result = 1 % modulus
    base %= modulus
    while exponent != 0:
        if exponent % 2 == 1:
            result = result * base % modulus
        exponent //= 2
        if exponent != 0:
            base = base * base % modulus
    return result


def sort(values):
    for i in range(1, len(values)):
        value = values[i]
        j = i
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value
    return 0


def turn(values):
    """Reverse a list in place."""
    i = 0
    j = len(values)
    while i + 1 < j:
        j -= 1
        value = values[i]
        values[i] = values[j]
        values[j] = value
        i += 1
    return 0
