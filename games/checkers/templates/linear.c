// The inside of exported checkers bots in C that add up features.
// It must stay free of everything but C99 and its standard library.

#include <stdint.h>

// --- How it values positions -------------------------------------------------------------

// What the position is worth to the player to move, in units of 2**-20; the searcher, DARK or
// LIGHT, is the player who looks ahead and in whose eyes it is worth that.
static int64_t value_board(Bits own, Bits other, Bits kings, int side, int searcher,
                           const Sums sums) {
    int mine = side == searcher, counts[20];
    int64_t total = 0;
    (void)sums;
    count_features(counts, mine ? own : other, mine ? other : own, kings, searcher);
    for (int feature = 0; feature < FEATURES; feature++) {
        int number = counts[feature] < VALUES ? counts[feature] : VALUES - 1;
        total += WORTH[VALUES * feature + number];
    }
    return mine ? total : -total;
}
