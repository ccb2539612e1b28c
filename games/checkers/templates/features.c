// What exported checkers bots in C count on the board, be they sums of features or graphs.
// It must stay free of everything but C99 and its standard library.

// --- The network --------------------------------------------------------------------------
#define FEATURES 4
// --- What it counts ----------------------------------------------------------------------

// Features are counted for the player who looks ahead, and for the opponent. What a side can do is
// what it could do if it were its turn, whoever is to move. To step is to move without a capture,
// also where a capture would be compulsory.

static const Bits CENTRE = 0x0198CC00;

// All squares where a piece that steps there could be captured, and perhaps some more.
//
// Most are found to be safe here, all together.
static Bits find_danger(Bits own, Bits other, Bits kings, int side, Bits ups, Bits downs,
                        Bits empty) {
    Bits up = going_up(other, kings, 1 - side), down = going_down(other, kings, 1 - side);
    // The first jump may end where the piece came from.
    Bits danger = (up << 4 & (empty | downs) >> 4) | (up << 5 & (empty | downs) >> 5)
                  | (down >> 4 & (empty | ups) << 4) | (down >> 5 & (empty | ups) << 5);
    // Later jumps begin where one over another piece ended, and end anywhere.
    Bits landing = empty | own;
    for (;;) {
        Bits ends = (up << 4 & own) << 4 | (up << 5 & own) << 5;
        ends = (ends | (down >> 4 & own) >> 4 | (down >> 5 & own) >> 5) & landing;
        if (!ends)
            return danger;
        up = up ? ends : 0;
        down = down ? ends : 0;
        danger |= up << 4 | up << 5 | down >> 4 | down >> 5;
        landing &= ~ends;
    }
}

// Whether a piece can be captured so that nothing can be captured back.
static int is_lost(Bits piece, Bits own, Bits other, Bits kings, int side) {
    static Move captures[MOST_MOVES];
    Bits empty = BOARD & ~(own | other);
    Bits jumpers = can_capture(other, own, kings, 1 - side);
    int count = list_captures(captures, jumpers, own, kings, 1 - side, empty);
    for (int number = 0; number < count; number++)
        if (captured_by(captures[number]) & piece) {
            Board after = move_piece(other, own, kings, 1 - side, captures[number]);
            if (!can_capture(after.own, after.other, kings, side))
                return 1;
        }
    return 0;
}

// How many of the targets every piece that can step there would be lost on.
static int count_denied(Bits own, Bits other, Bits kings, int side, Bits ups, Bits downs,
                        Bits targets) {
    int denied = 0;
    for (; targets; targets &= targets - 1) {
        Bits target = targets & (0 - targets);
        int safe = 0;
        for (int way = 0; way < 4 && !safe; way++) {
            Bits origin = shift(target, -STEPS[way]) & (way < 2 ? ups : downs);
            safe = origin && !is_lost(target, own ^ origin ^ target, other, kings, side);
        }
        denied += !safe;
    }
    return denied;
}

// Writes what is counted for one side, two places apart: captures, centre, threats, mobility.
static void count_terms(int *counts, Bits own, Bits other, Bits kings, int side) {
    static Move captures[MOST_MOVES];
    Bits ups = going_up(own, kings, side), downs = going_down(own, kings, side);
    Bits empty = BOARD & ~(own | other), crowned = own & kings, men = own ^ crowned;
    Bits by_men = (side ? men >> 4 | men >> 5 : men << 4 | men << 5) & empty;
    Bits by_kings = (crowned << 4 | crowned << 5 | crowned >> 4 | crowned >> 5) & empty;
    Bits reached = by_men | by_kings, going = by_kings | (by_men & FAR_ROWS);
    Bits jumpers = find_jumpers(ups, downs, other, empty);
    Bits threats = find_jumpers(side ? going : reached, side ? reached : going, other, empty);
    counts[0] = list_captures(captures, jumpers, other, kings, side, empty);
    counts[2] = count_bits(men & CENTRE);
    counts[4] = count_bits(crowned & CENTRE);
    counts[6] = count_bits((own | reached) & CENTRE);
    counts[8] = count_bits(threats);
    if (FEATURES > 14) {
        Bits danger = find_danger(own, other, kings, side, ups, downs, empty);
        int mobility = count_bits(reached);
        int denied = count_denied(own, other, kings, side, ups, downs, reached & danger);
        counts[10] = mobility;
        counts[12] = denied;
        counts[14] = mobility - denied;
    }
}

// Counts the features of a position; side is the colour of the active side.
static void count_features(int counts[20], Bits active, Bits passive, Bits kings, int side) {
    counts[0] = count_bits(active & ~kings);
    counts[1] = count_bits(active & kings);
    counts[2] = count_bits(passive & ~kings);
    counts[3] = count_bits(passive & kings);
    if (FEATURES > 4) {
        count_terms(counts + 4, active, passive, kings, side);
        count_terms(counts + 5, passive, active, kings, 1 - side);
    }
}

// What is kept while looking ahead: nothing.
typedef char Sums[1];

static void start_sums(Sums sums, Bits own, Bits other, Bits kings, int side) {
    (void)sums, (void)own, (void)other, (void)kings, (void)side;
}

static void follow_sums(Sums after, const Sums before, Bits kings, int side, int searcher,
                        Move move) {
    (void)after, (void)before, (void)kings, (void)side, (void)searcher, (void)move;
}
