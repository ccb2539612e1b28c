// The inside of Connect Four bots in C that are tuple networks; see `bot.c`.
//
// It must stay free of everything but C99 and its standard library.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// --- How the network decides --------------------------------------------------------------

// A cell's state is 0: empty, below it is another empty one; 1 or 2: a disc; 3: empty, next to be
// filled. A tuple's entry says which states its cells are in, so far as they can occur; column by
// column. All tuples are read twice, as they stand and in the mirror. After a move of the first
// player the first half of the numbers counts, after one of the other the second half, in whole
// units of 1/65536: sums are exact, and the best move is the arena's.

// What can lie in a column: so many discs, and which of them, from below, are the second player's.
#define STATES ((2 << ROWS) - 1)

// For each reading of a tuple, and each state of each column, a part of its entry.
static int32_t PARTS[2 * TUPLE_COUNT][COLUMNS][STATES];
static int SEEN[COLUMNS];

// The state of a cell, if a state of the column says what lies in it.
static int cell_state(int state, int row) {
    int height = 0;
    while (state + 1 >= 2 << height)
        height++;
    return row > height ? 0 : row == height ? 3 : 1 + ((state + 1) >> row & 1);
}

// Numbers what can be seen of the cells of a tuple that lie in one column, from 0 on; returns how
// much there is.
static int number_states(const int *cells, int column, int32_t *numbers) {
    int codes[STATES], count = 0;
    for (int state = 0; state < STATES; state++) {
        int code = 0, number = 0;
        for (int row = 0; row < ROWS; row++)
            for (int place = 0; place < TUPLE_LENGTH; place++)
                if (cells[place] == column * ROWS + row)
                    code = 4 * code + cell_state(state, row);
        while (number < count && codes[number] != code)
            number++;
        if (number == count)
            codes[count++] = code;
        numbers[state] = number;
    }
    return count;
}

static void unpack_network(void) {
    int start = 0;
    unpack_numbers();
    for (int tuple = 0; tuple < TUPLE_COUNT; tuple++) {
        int size = 1, first = start;
        for (int column = 0; column < COLUMNS; column++) {
            int32_t *parts = PARTS[2 * tuple][column];
            int count = number_states(TUPLES[tuple], column, parts);
            for (int state = 0; state < STATES; state++)
                parts[state] = (count > 1 ? first : 0) + size * parts[state];
            memcpy(PARTS[2 * tuple + 1][COLUMNS - 1 - column], parts, sizeof PARTS[0][0]);
            first = count > 1 ? 0 : first;
            size *= count;
        }
        start += size;
    }
}

// Keeps the state of each column.
static void see(const int *board, int mark) {
    (void)mark;
    for (int column = 0; column < COLUMNS; column++) {
        int height = 0, discs = 0;
        for (int row = 0; row < ROWS && board[(ROWS - 1 - row) * COLUMNS + column]; row++) {
            discs |= (board[(ROWS - 1 - row) * COLUMNS + column] == 2) << row;
            height++;
        }
        SEEN[column] = (1 << height) - 1 + discs;
    }
}

// The first of the open columns whose position after the move has the largest sum.
static int decide(int mark, const int *cells) {
    const int32_t *table = ENTRIES + (mark == 1 ? 0 : NUMBER_COUNT / 2);
    int32_t entries[2 * TUPLE_COUNT] = {0};
    int64_t best_value = 0;
    int best = -1;
    for (int reading = 0; reading < 2 * TUPLE_COUNT; reading++)
        for (int column = 0; column < COLUMNS; column++)
            entries[reading] += PARTS[reading][column][SEEN[column]];
    for (int column = 0; column < COLUMNS; column++) {
        if (cells[column] < 0)
            continue;
        int height = ROWS - 1 - cells[column] / COLUMNS, discs = SEEN[column] + 1 - (1 << height);
        int after = (2 << height) - 1 + discs + ((mark - 1) << height);
        int64_t value = 0;
        for (int reading = 0; reading < 2 * TUPLE_COUNT; reading++) {
            const int32_t *parts = PARTS[reading][column];
            value += table[entries[reading] + parts[after] - parts[SEEN[column]]];
        }
        value = mark == 1 ? value : -value;
        if (best < 0 || value > best_value) {
            best = column;
            best_value = value;
        }
    }
    return best;
}

