// The inside of Connect Four bots in C that are multilayer perceptrons; see `bot.c`.
//
// It must stay free of everything but C99 and its standard library.

#include <math.h>
#include <stdint.h>
#include <string.h>

// --- How the network decides --------------------------------------------------------------

static int32_t SEEN[WIDEST];

static void unpack_network(void) {
}

// Adds a row of the first layer to its sums: of whole numbers, of which 32 bits count.
static void add_row(int32_t *sums, const int32_t *row) {
    for (int unit = 0; unit < UNITS[0]; unit++)
        sums[unit] = (int32_t)((uint32_t)sums[unit] + (uint32_t)row[unit]);
}

// What a disc of owner adds to the first layer when mark is to move.
static const int32_t *disc_weights(int cell, int owner, int mark) {
    int kind = SEES_MOVER ? owner != mark : owner == 2;
    return FIRST_LAYER + (1 + COLUMNS * ROWS * kind + cell) * UNITS[0];
}

// Keeps the first layer's sums for this board: whole numbers, in units of 1/65536.
static void see(const int *board, int mark) {
    memset(SEEN, 0, sizeof SEEN);
    add_row(SEEN, FIRST_LAYER);
    for (int cell = 0; cell < COLUMNS * ROWS; cell++)
        if (board[cell])
            add_row(SEEN, disc_weights(cell, board[cell], mark));
}

// The first of the open columns with the largest output.
//
// The order of comparisons matters only if an output is not a number: as in the arena.
static int strongest(const float *outputs, const int *cells) {
    float tops[16];
    for (int place = 0; place < 16; place++)
        tops[place] = place < COLUMNS && cells[place] >= 0 ? outputs[place] : -INFINITY;
    for (int half = 8; half > 0; half /= 2)
        for (int place = 0; place < half; place++)
            tops[place] = tops[place] > tops[place + half] ? tops[place] : tops[place + half];
    int first = -1;
    for (int column = COLUMNS - 1; column >= 0; column--)
        if (cells[column] >= 0 && outputs[column] == tops[0])
            first = column;
    for (int column = 0; first < 0; column++)
        if (cells[column] >= 0)
            first = column;
    return first;
}

// One of the open columns; cells says on which cell a disc in each of them comes to lie.
static int decide(int mark, const int *cells) {
    float outputs[WIDEST], best_value = 0.0f;
    int best = -1;
    if (IS_POLICY) {
        evaluate(SEEN, outputs);
        return strongest(outputs, cells);
    }
    for (int column = 0; column < COLUMNS; column++) {
        int32_t sums[WIDEST];
        if (cells[column] < 0)
            continue;
        memcpy(sums, SEEN, sizeof sums);
        if (SCORES_MOVES)
            add_row(sums, FIRST_LAYER + (1 + 2 * COLUMNS * ROWS + column) * UNITS[0]);
        else
            add_row(sums, disc_weights(cells[column], mark, mark));
        evaluate(sums, outputs);
        if (best < 0 || outputs[0] > best_value) {
            best = column;
            best_value = outputs[0];
        }
    }
    return best;
}

