// The inside of Connect Four bots in C that are NEAT graphs; see `bot.c`.
//
// It must stay free of everything but C99 and its standard library.

#include <math.h>
#include <string.h>

// --- How the network decides --------------------------------------------------------------

static double SEEN[SLOTS];
// For each mark the board on which it chose last, and the values of all nodes then.
static int BOARDS[2][COLUMNS * ROWS], KNOWN[2];
static double PLANES[2][SLOTS];

static void unpack_network(void) {
}

// The value; what is not a number is worse than any.
static double comparable(double value) {
    return isnan(value) ? -INFINITY : value;
}

// Sets the input for a disc of owner when mark is to move.
static void show_disc(double *plane, int cell, int owner, int mark) {
    int kind = SEES_MOVER ? owner != mark : owner == 2;
    plane[FIRST_INPUTS[kind] + cell] = DISC_NUMBERS[kind];
}

// Whether the game goes on in which it last chose for this mark: if all discs still lie where they
// lay then, and each player has put one more. Any other board begins another game.
static int goes_on(const int *board, int mark) {
    int changes[3] = {0};
    for (int cell = 0; cell < COLUMNS * ROWS; cell++)
        if (board[cell] != BOARDS[mark - 1][cell])
            changes[BOARDS[mark - 1][cell] ? 0 : board[cell]]++;
    return KNOWN[mark - 1] && changes[0] == 0 && changes[1] == 1 && changes[2] == 1;
}

// Keeps the plane that the network starts from: the board, and what a recurrent one remembers of
// its own moves.
static void see(const int *board, int mark) {
    memset(SEEN, 0, sizeof SEEN);
    if (IS_RECURRENT && goes_on(board, mark))
        memcpy(SEEN + INPUTS, PLANES[mark - 1] + INPUTS, sizeof SEEN - INPUTS * sizeof *SEEN);
    memcpy(PLANES[mark - 1], SEEN, sizeof SEEN);
    memcpy(BOARDS[mark - 1], board, sizeof BOARDS[0]);
    KNOWN[mark - 1] = 1;
    for (int cell = 0; cell < COLUMNS * ROWS; cell++)
        if (board[cell])
            show_disc(SEEN, cell, board[cell], mark);
}

// One of the open columns; cells says on which cell a disc in each of them comes to lie.
static int decide(int mark, const int *cells) {
    double plane[SLOTS], best_value = 0.0;
    int best = -1;
    for (int column = 0; column < COLUMNS; column++) {
        if (cells[column] < 0)
            continue;
        if (!IS_POLICY || best < 0) {
            memcpy(plane, SEEN, sizeof plane);
            if (!IS_POLICY)
                show_disc(plane, cells[column], mark, mark);
            activate(plane);
        }
        double value = comparable(plane[IS_POLICY ? INPUTS + column : INPUTS]);
        if (best < 0 || value > best_value) {
            best = column;
            best_value = value;
            memcpy(PLANES[mark - 1], plane, sizeof plane);
        }
    }
    return best;
}

