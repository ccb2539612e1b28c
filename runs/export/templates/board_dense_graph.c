// The inside of exported bots in C that are NEAT graphs over any numbers; see `board.c`.

#include <string.h>

// --- How the network decides --------------------------------------------------------------

static void unpack_network(void) {
}

// The outputs of the graph for so many numbers as it has inputs.
static const double *evaluate_planes(const double *inputs) {
    static double values[SLOTS];
    memset(values, 0, sizeof values);
    memcpy(values, inputs, INPUTS * sizeof *values);
    activate(values);
    return values + INPUTS;
}

