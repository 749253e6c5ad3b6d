"""Claims about programs with the operations of `isa.WIDE`: what functions of whole numbers do.

Inputs are in the first cells, the result is in cell 9.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from proof_entry import Entry, entry

LEAP = """
y = READ(0); d = MOD(y, 4); JEZ(d, l_four); JEZ(0, l_no)
l_four: d = MOD(y, 100); JEZ(d, l_century); JEZ(0, l_yes)
l_century: d = MOD(y, 400); JEZ(d, l_yes)
l_no: WRITE(9, 0); STOP()
l_yes: WRITE(9, 1); STOP()
"""
LEAP_BY_BITS = "y = READ(0); d = AND(y, 3); d = EQ(d, 0); WRITE(9, d); STOP()"
FEE = """
m = READ(0); r = READ(1); e = LE(m, 30); JEZ(e, l_pay); WRITE(9, 0); STOP()
l_pay: m = SUB(m, 30); m = ADD(m, 19); m = DIV(m, 20); m = MUL(m, r); m = MIN(m, 300); WRITE(9, m); STOP()
"""
FEE_BY_REMAINDER = """
m = READ(0); r = READ(1); e = LT(30, m); q = SUB(m, 11); d = MOD(q, 20); q = SUB(q, d); q = SHR(q, 2)
q = DIV(q, 5); q = MUL(r, q); q = MUL(q, e); q = MIN(300, q); WRITE(9, q); STOP()
"""
GCD = """
a = READ(0); b = READ(1)
l_loop: JEZ(b, l_end); c = MOD(a, b); a = ADD(b, 0); b = ADD(c, 0); JEZ(0, l_loop)
l_end: WRITE(9, a); STOP()
"""
GCD_STEP = "JEZ({b}, l_{a}); {a} = MOD({a}, {b}); "
BITS = """
x = READ(0); y = READ(1); x = XOR(x, y); n = ZERO()
l_loop: JEZ(x, l_end); y = SUB(x, 1); x = AND(x, y); n = ADD(n, 1); JEZ(0, l_loop)
l_end: WRITE(9, n); STOP()
"""
BITS_AT_ONCE = """
x = READ(0); y = READ(1); x = XOR(x, y); y = SHR(x, 1); y = AND(y, 85); x = SUB(x, y)
y = SHR(x, 2); y = AND(y, 51); x = AND(x, 51); x = ADD(x, y); y = SHR(x, 4); x = ADD(x, y); x = AND(x, 15)
WRITE(9, x); STOP()
"""
LUHN = """
s = ZERO(); i = ZERO()
l_loop: e = LT(i, 8); JEZ(e, l_end); d = READ(i); e = AND(i, 1); JEZ(e, l_double); JEZ(0, l_add)
l_double: d = MUL(d, 2); e = LT(9, d); JEZ(e, l_add); d = SUB(d, 9)
l_add: s = ADD(s, d); i = ADD(i, 1); JEZ(0, l_loop)
l_end: s = MOD(s, 10); s = EQ(s, 0); WRITE(9, s); STOP()
"""
HASH = """
var p = 10; var h = 7
l_loop: v = READ(p); JEZ(v, l_end); h = MUL(h, 31); h = ADD(h, v); h = MOD(h, 251); p = ADD(p, 1); JEZ(0, l_loop)
l_end: WRITE(9, h); STOP()
"""
SCALE = """
var p = 10
l_loop: v = READ(p); JEZ(v, l_end); v = DIV(v, 4); v = MUL(v, 4); WRITE(p, v); p = ADD(p, 1); JEZ(0, l_loop)
l_end: STOP()
"""
DAY = """
y = READ(0); m = READ(1); d = READ(2); e = LT(m, 3); y = SUB(y, e); s = ADD(m, 19); t = READ(s); s = ADD(y, t)
t = DIV(y, 4); s = ADD(s, t); t = DIV(y, 100); s = SUB(s, t); t = DIV(y, 400); s = ADD(s, t); s = ADD(s, d)
s = MOD(s, 7); WRITE(9, s); STOP()
"""
DAY_OF_A_CENTURY = """
y = READ(0); m = READ(1); d = READ(2); e = LT(m, 3); y = SUB(y, e); s = ADD(m, 19); t = READ(s); s = ADD(d, t)
t = SHR(y, 2); s = ADD(s, t); s = ADD(s, y); s = SUB(s, {less}); s = MOD(s, 7); WRITE(9, s); STOP()
"""
MONTHS = (0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4)
DIGITS = """
n = READ(0); k = READ(1); n = ADD(n, k); s = ZERO()
l_loop: JEZ(n, l_end); d = MOD(n, 10); s = ADD(s, d); n = DIV(n, 10); JEZ(0, l_loop)
l_end: WRITE(9, s); STOP()
"""
DIGITS_AT_ONCE = """
n = READ(0); k = READ(1); n = ADD(k, n); t = DIV(n, 10); u = DIV(n, 100); n = ADD(n, 0); t = ADD(t, u); t = MUL(t, 9)
n = SUB(n, t); WRITE(9, n); STOP()
"""


def operation_entries() -> list[Entry]:
    date = [*between(1, 1, 12), *between(2, 1, 31)]
    table = [f"tape[{20 + place}] == {number}" for place, number in enumerate(MONTHS)]
    steps = "".join(GCD_STEP.format(a=a, b=b) for a, b in ("ab", "ba") * 3)
    gcd = f"a = READ(0); b = READ(1); {steps} l_a: WRITE(9, a); STOP(); l_b: WRITE(9, b); STOP()"
    digits = [fact for cell in range(8) for fact in between(cell, 0, 9)]
    century = DAY_OF_A_CENTURY.format(less=15)
    crc8, crc16 = ([_crc(8, poly, jumps) for jumps in (True, False)] for poly in (0x8C, 0xA001))
    rest = (
        "x = READ(0); x = MOD(x, 7); WRITE(9, x); STOP()",
        "x = READ(0); q = DIV(x, 7); q = MUL(q, 7); x = SUB(x, q); WRITE(9, x); STOP()",
    )
    scaled = SCALE.replace("v = DIV(v, 4); v = MUL(v, 4)", "e = AND(v, 3); v = SUB(v, e)")
    words = ["tape[230] == 0"]
    since_1900, since_1901 = between(0, 1900, 2099), between(0, 1901, 2099)
    fees, small = [*between(0, 0, 600), *between(1, 1, 100)], between(1, 0, 12)
    halves = [*between(0, 0, 499), *between(1, 0, 499)]
    return [
        _entry("leap year", 4096, "proved", LEAP, LEAP_BY_BITS, since_1901),
        _entry("leap year since 1900", 4096, "refuted", LEAP, LEAP_BY_BITS, since_1900),
        _entry("parking fee", 4096, "proved", FEE, FEE_BY_REMAINDER, fees),
        _entry("parking fee, any", 1000, "proved", FEE, FEE_BY_REMAINDER),
        _entry("gcd by remainders", 256, "proved", GCD, gcd, [*between(0, 1, 255), *small]),
        _entry("different bits", 256, "proved", BITS, BITS_AT_ONCE),
        _entry("check digit", 128, "proved", LUHN, _luhn(), digits),
        _entry("check digit, wrong for 9 and 8", 128, "refuted", LUHN, _luhn(True), digits),
        _entry("CRC-8", 256, "proved", *crc8),
        _entry("CRC-16", 65536, "proved", *crc16, between(1, 0, 255)),
        _entry("day of the week", 10000, "proved", DAY, century, [*since_1901, *date, *table]),
        _entry("day since 1900", 10000, "refuted", DAY, century, [*since_1900, *date, *table]),
        _entry("sum of digits", 1000, "proved", DIGITS, DIGITS_AT_ONCE, halves),
        _entry("remainder", 65536, "proved", *rest),
        _entry("hash of a list", 256, "proved", HASH, _twice(HASH), words),
        _entry("multiples in a list", 256, "proved", SCALE, scaled, words),
    ]


def between(cell: int, low: int, high: int) -> list[str]:
    return [f"tape[{cell}] >= {low}", f"tape[{cell}] <= {high}"]


def _entry(
    name: str, M: int, expected: str, generic: str, adapted: str, facts: Iterable[str] = ()
) -> Entry:
    both = (f"instructions wide\n{_declared(text)}" for text in (generic, adapted))
    mask = [9] if "WRITE(9" in generic else None
    return entry(name, M, expected, *both, facts, mask)


def _declared(text: str) -> str:
    """The listing with a declaration of each variable of one letter that has none."""
    names = dict.fromkeys(re.findall(r"\b([a-z]) = (?=[A-Z])", text))
    return "; ".join([*(f"var {name}" for name in names if f"var {name} " not in text), text])


def _luhn(wrong: bool = False) -> str:
    """Eight digits without a loop; a number plus 9 digits is the number that is doubled, if it is not 9."""
    lines = ["s = READ(1)", *(f"d = READ({cell}); s = ADD(s, d)" for cell in (3, 5, 7))]
    for cell in (0, 2, 4, 6):
        lines.append(f"d = READ({cell}); d = MUL(d, 2); e = DIV(d, 10); s = ADD(s, e)")
        lines.append("d = MOD(d, 10); s = ADD(s, d)")
    if wrong:
        lines.append(
            "d = READ(0); d = EQ(d, 9); e = READ(2); e = EQ(e, 8); d = AND(d, e); s = ADD(s, d)"
        )
    return "; ".join([*lines, "s = MOD(s, 10); s = EQ(s, 0); WRITE(9, s); STOP()"])


def _crc(bits: int, polynomial: int, jumps: bool) -> str:
    """A byte (cell 1) into a checksum (cell 0), with a jump for each bit or by multiplying with it."""
    if jumps:
        return (
            f"c = READ(0); b = READ(1); c = XOR(c, b); i = ADD({bits}, 0)\n"
            "l_loop: e = AND(c, 1); c = SHR(c, 1); JEZ(e, l_next)\n"
            f"c = XOR(c, {polynomial}); l_next: i = SUB(i, 1); JEZ(i, l_end); JEZ(0, l_loop)\n"
            "l_end: WRITE(9, c); STOP()"
        )
    step = f"e = AND(c, 1); e = MUL(e, {polynomial}); c = SHR(c, 1); c = XOR(c, e); "
    return f"c = READ(1); b = READ(0); c = XOR(c, b); {step * bits} WRITE(9, c); STOP()"


def _twice(text: str) -> str:
    """Two rounds of a loop at once."""
    first, second = text.index("v = READ"), text.index("JEZ(0, l_loop)")
    return text[:second] + text[first:second] + text[second:]
