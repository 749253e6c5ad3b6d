#ifndef ACCESS_H
#define ACCESS_H

#include <assert.h>
#include <stdint.h>

/* Change a tape of 10 cells, each from 0 to 9. */
static inline void access_generic(uint8_t tape[10]) {
    tape[0] = tape[(tape[0] + 1) % 10];
}

/* The adapted program where its precondition holds, what was there before elsewhere.
 *
 * 3.00 steps instead of 5.00 on the machine.
 * proved: 10 tapes.
 * which held on 1000 of 1000 fresh cases: at least 99.6 % of such inputs at 95 % confidence
 * Of the result these cells count: 0.
 */
static inline void access(uint8_t tape[10]) {
    if (tape[0] == 3) {
        tape[0] = tape[4];
    } else {
        access_generic(tape);
    }
}

#ifdef ACCESS_SELF_TEST
/* cc -std=c11 -DACCESS_SELF_TEST -x c THIS_FILE && ./a.out */
#include <stdio.h>
#include <string.h>

int main(void) {
    /* tapes, what they are afterwards, and the cells that count */
    static const uint8_t examples[8][2][10] = {
        {{4, 7, 7, 9, 3, 0, 7, 5, 7, 5}, {0, 7, 7, 9, 3, 0, 7, 5, 7, 5}},
        {{3, 3, 4, 3, 9, 4, 9, 8, 5, 9}, {9, 3, 4, 3, 9, 4, 9, 8, 5, 9}},
        {{3, 2, 6, 7, 8, 2, 5, 9, 8, 0}, {8, 2, 6, 7, 8, 2, 5, 9, 8, 0}},
        {{3, 3, 2, 5, 2, 4, 6, 8, 3, 5}, {2, 3, 2, 5, 2, 4, 6, 8, 3, 5}},
        {{3, 3, 2, 9, 8, 8, 8, 4, 5, 0}, {8, 3, 2, 9, 8, 8, 8, 4, 5, 0}},
        {{3, 0, 0, 1, 1, 9, 9, 4, 9, 5}, {1, 0, 0, 1, 1, 9, 9, 4, 9, 5}},
        {{3, 0, 1, 5, 1, 3, 1, 7, 0, 3}, {1, 0, 1, 5, 1, 3, 1, 7, 0, 3}},
        {{3, 4, 1, 5, 0, 0, 2, 0, 1, 8}, {0, 4, 1, 5, 0, 0, 2, 0, 1, 8}},
    };
    static const uint8_t counts[10] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    int wrong = 0;
    for (int i = 0; i < 8; i++) {
        uint8_t tape[10];
        memcpy(tape, examples[i][0], sizeof tape);
        access(tape);
        int differs = 0;
        for (int cell = 0; cell < 10; cell++) {
            differs |= counts[cell] && tape[cell] != examples[i][1][cell];
        }
        wrong += differs;
    }
    printf("access: %d of 8 examples are wrong\n", wrong);
    return wrong != 0;
}
#endif

#endif
