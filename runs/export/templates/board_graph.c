// The inside of exported bots in C that are NEAT graphs; see `board.c`.

#include <stdint.h>
#include <string.h>

// --- How the network decides --------------------------------------------------------------

static void unpack_network(void) {
}

// The outputs of the graph that sees these planes of bits.
static const double *evaluate_planes(const uint64_t *planes) {
    static double values[SLOTS];
    memset(values, 0, sizeof values);
    for (int bit = 0; bit < PLANES * CELLS; bit++) {
        int cell = bit % CELLS;
        if (planes[bit / CELLS * WORDS + cell / 64] >> cell % 64 & 1)
            values[BIT_INPUTS[bit]] += BIT_NUMBERS[bit];
    }
    activate(values);
    return values + INPUTS;
}

