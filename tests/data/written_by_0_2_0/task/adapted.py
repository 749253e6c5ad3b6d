def access(tape: list[int]) -> None:
    """The adapted program where its precondition holds, what was there before elsewhere.

    3.00 steps instead of 5.00 on the machine.
    proved: 10 tapes.
    which held on 1000 of 1000 fresh cases: at least 99.6 % of such inputs at 95 % confidence
    Of the result these cells count: 0.
    """
    if tape[0] == 3:
        tape[0] = tape[4]
    else:
        access_generic(tape)


def access_generic(tape: list[int]) -> None:
    """Change a tape of 10 cells, each from 0 to 9."""
    tape[0] = tape[(tape[0] + 1) % 10]
