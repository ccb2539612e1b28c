// The numbers of tuple networks in exported bots: their tables, one after the other.
//
// The network that stands here only makes this file one that compilers can check. It must stay free
// of everything but C99 and its standard library.

#include <stdint.h>

// --- The network --------------------------------------------------------------------------
#define NUMBER_COUNT 1
static const int32_t NUMBERS[] = {0};
// --- How numbers are kept -----------------------------------------------------------------

static int32_t ENTRIES[NUMBER_COUNT];

// Fills the tables, of which most numbers are 0: pairs say how many of these come before another.
static void unpack_numbers(void) {
    int32_t *entry = ENTRIES;
    for (const int32_t *pair = NUMBERS; pair + 1 < NUMBERS + sizeof NUMBERS / 4; pair += 2) {
        entry += pair[0];
        *entry++ = pair[1];
    }
}

// The sum of the last numbers of a table, those for the number of bits in each plane.
static int64_t sum_counts(const uint64_t *planes) {
    int64_t total = 0;
#if COUNTS
    const uint64_t table = TABLES > 1 ? planes[PLANES * WORDS] : 0;
    uint64_t place = NUMBER_COUNT / TABLES * (table + 1) - PLANES * COUNTS;
    for (int plane = 0; plane < PLANES; plane++, place += COUNTS) {
        uint64_t pieces = 0;
        for (int word = WORDS * plane; word < WORDS * (plane + 1); word++)
            for (uint64_t bits = planes[word]; bits; bits &= bits - 1)
                pieces++;
        total += ENTRIES[checked(place + pieces, NUMBER_COUNT)];
    }
#else
    (void)planes;
#endif
    return total;
}
