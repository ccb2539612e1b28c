// How exported checkers bots in C make whole numbers of a network's outputs.
// It must stay free of everything but C99 and its standard library.

#include <math.h>
#include <stdint.h>

// --- Values of positions ------------------------------------------------------------------

// A network's output in units of 2**-20: 0 if it is no number, and never a win.
static int64_t count_units(double output) {
    const double largest = 549755813888.0;
    output *= 1048576.0;
    if (!(fabs(output) <= largest))
        output = output > 0.0 ? largest : output < 0.0 ? -largest : 0.0;
    return (int64_t)rint(output);
}
