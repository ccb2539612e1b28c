// The inside of exported bots in C that are perceptrons over any numbers; see `board.c`.

#include <string.h>

// --- How the network decides --------------------------------------------------------------

static void unpack_network(void) {
}

// The outputs of the network for so many numbers as it has inputs.
static const float *evaluate_planes(const double *inputs) {
    static float outputs[WIDEST];
    float sums[WIDEST];
    memcpy(sums, FIRST_LAYER, (size_t)UNITS[0] * sizeof *sums);
    for (int input = 0; input < INPUTS; input++) {
        const float value = (float)inputs[input], *row = FIRST_LAYER + (1 + input) * UNITS[0];
        for (int unit = 0; unit < UNITS[0]; unit++)
            sums[unit] += value * row[unit];
    }
    evaluate_later(sums, outputs);
    return outputs;
}

