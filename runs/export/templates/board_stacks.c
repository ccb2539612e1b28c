// The inside of exported bots in C that are tuple networks on boards where pieces lie on one another;
// see `board.c`.

#include <stdint.h>

// --- How the network decides --------------------------------------------------------------

static void unpack_network(void) {
    unpack_numbers();
}

// The sum of all entries that tuples read from these planes of bits, in units of 1/65536.
static const int64_t *evaluate_planes(const uint64_t *planes) {
    static int64_t total;
    const int64_t table = TABLES > 1 ? NUMBER_COUNT / TABLES * (int64_t)planes[2 * WORDS] : 0;
    int contents[GRID_SIZE];
    for (int cell = 0; cell < GRID_SIZE; cell++) {
        const uint64_t *word = planes + GRID[cell] / 64;
        int bit = GRID[cell] % 64;
        contents[cell] = word[WORDS] >> bit & 1 ? 2 : (int)(word[0] >> bit & 1);
    }
    total = 0;
    for (int view = 0; view < VIEW_COUNT; view++)
        for (int tuple = 0, place = 0; tuple < TUPLE_COUNT; tuple++) {
            int64_t entry = table + TUPLES[tuple][0];
            for (; place < TUPLES[tuple][1]; place++)
                entry += TERMS[place][1 + contents[VIEWS[view][TERMS[place][0]]]];
            total += ENTRIES[checked((uint64_t)entry, NUMBER_COUNT)];
        }
    total += sum_counts(planes);
    return &total;
}

