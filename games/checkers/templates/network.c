// The inside of exported checkers bots in C that are value networks.
// It must stay free of everything but C99 and its standard library.

#include <stdint.h>
#include <string.h>

// --- How it values positions --------------------------------------------------------------

// The first layer is kept while looking ahead: for each unit a sum, in units of 1/65536, of what
// all pieces add. Light's board is turned round: whoever looks ahead sees its own men going to
// higher squares.
typedef uint32_t Sums[KEPT];

// What a piece of a side on a bit adds in the eyes of the searcher.
static const int32_t *find_column(int side, int king, int place, int searcher) {
    int square = square_of(place), plane = 2 * (side != searcher) + king;
    int seen = searcher == DARK ? square - 1 : SQUARES - square;
    return FIRST_LAYER + (1 + SQUARES * plane + seen) * KEPT;
}

// Sums may go round beyond 32 bits, as in the arena.
static void add_column(Sums sums, const int32_t *column) {
    for (int unit = 0; unit < KEPT; unit++)
        sums[unit] += (uint32_t)column[unit];
}

static void take_column(Sums sums, const int32_t *column) {
    for (int unit = 0; unit < KEPT; unit++)
        sums[unit] -= (uint32_t)column[unit];
}

// The sums of a position in the eyes of the player to move.
static void start_sums(Sums sums, Bits own, Bits other, Bits kings, int side) {
    memset(sums, 0, sizeof(Sums));
    add_column(sums, FIRST_LAYER);
    for (Bits left = own | other; left; left &= left - 1) {
        int place = lowest_bit(left), mover = own >> place & 1 ? side : 1 - side;
        add_column(sums, find_column(mover, kings >> place & 1, place, side));
    }
}

// The sums after a move of side; the kings are those before it.
static void follow_sums(Sums after, const Sums before, Bits kings, int side, int searcher,
                        Move move) {
    int start = start_of(move), end = end_of(move), king = kings >> start & 1;
    memcpy(after, before, sizeof(Sums));
    take_column(after, find_column(side, king, start, searcher));
    add_column(after, find_column(side, king || FAR_ROWS >> end & 1, end, searcher));
    for (Bits left = captured_by(move); left; left &= left - 1) {
        int place = lowest_bit(left);
        take_column(after, find_column(1 - side, kings >> place & 1, place, searcher));
    }
}

// What the position is worth to the player to move, in units of 2**-20; the searcher, DARK or
// LIGHT, is the player who looks ahead and in whose eyes it is worth that.
static int64_t value_board(Bits own, Bits other, Bits kings, int side, int searcher,
                           const Sums sums) {
    float output;
    (void)own, (void)other, (void)kings;
    evaluate((const int32_t *)sums, &output);
    return side == searcher ? count_units(output) : -count_units(output);
}
