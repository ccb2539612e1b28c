// The inside of exported bots in C that are tuple networks; see `board.c`.

#include <stdint.h>

// --- How the network decides --------------------------------------------------------------

static void unpack_network(void) {
    unpack_numbers();
}

// The sum of all entries that tuples read from these planes of bits, in units of 1/65536.
static const int64_t *evaluate_planes(const uint64_t *planes) {
    static int64_t total;
    int contents[READ] = {0};
    for (int plane = 0; plane < READ_PLANES; plane++)
        for (int place = 0; place < BIT_COUNT; place++) {
            const int bit = BITS[place];
            if (planes[plane * WORDS + bit / 64] >> bit % 64 & 1)
                contents[PLANE_STEP * plane + BIT_STEP * bit] += 1 + KIND_STEP * plane;
        }
    for (int cell = 0; cell < READ; cell++)  // a host's state may be none of the game
        if (contents[cell] >= CONTENTS)
            contents[cell] = CONTENTS - 1;
    total = 0;
    for (int view = 0; view < VIEW_COUNT; view++) {
        const int32_t *table = ENTRIES;
        if (TABLES > 1)
            table += NUMBER_COUNT / TABLES * (int)planes[PLANES * WORDS];
        for (int tuple = 0; tuple < TUPLE_COUNT; tuple++, table += TABLE_SIZE) {
            int entry = 0;
            for (int place = TUPLE_LENGTH - 1; place >= 0; place--)
                entry = CONTENTS * entry + contents[VIEWS[view][TUPLES[tuple][place]]];
            total += table[entry];
        }
    }
    total += sum_counts(planes);
    return &total;
}

