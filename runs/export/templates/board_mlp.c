// The inside of exported bots in C that are multilayer perceptrons; see `board.c`.

#include <stdint.h>
#include <string.h>

// --- How the network decides --------------------------------------------------------------

static void unpack_network(void) {
}

// The outputs of the network that sees these planes of bits.
static const float *evaluate_planes(const uint64_t *planes) {
    static float outputs[WIDEST];
    int32_t sums[WIDEST];
    memcpy(sums, FIRST_LAYER, (size_t)UNITS[0] * sizeof *sums);
    for (int word = 0; word < PLANES * WORDS; word++) {
        for (uint64_t left = planes[word]; left; left &= left - 1) {
            int cell = word % WORDS * 64 + (int)lowest_bit(left);
            if (cell >= CELLS)
                break;
            const int32_t *row = FIRST_LAYER + (1 + word / WORDS * CELLS + cell) * UNITS[0];
            for (int unit = 0; unit < UNITS[0]; unit++)
                sums[unit] = (int32_t)((uint32_t)sums[unit] + (uint32_t)row[unit]);
        }
    }
    evaluate(sums, outputs);
    return outputs;
}

