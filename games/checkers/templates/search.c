// The search of every exported checkers bot in C.
// 
// A file is made of the sections of `rules`, of an inside that values positions (`linear`, `network`
// or `graph`), of this one, and of one that hosts ask (`stdin` or `checkerboard`).
// It must stay free of everything but C99 and its standard library.

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// --- How it chooses ----------------------------------------------------------------------

// It looks ahead by alpha-beta. A value is what a position is worth to the player to move, in the
// eyes of the one who looks. Draws are only looked for right after the first move.

#define WIN ((int64_t)1 << 40)
#define BEYOND (2 * WIN)

enum { DEEPEST = 99, MOST_PLIES = DEEPEST + 2 * MOST_PIECES + 2, TABLE_BITS = 17, PLACES = 64 };

// How far to look: so many plies, and with a limit of time one ply, then two, and so on.
typedef struct {
    int depth;
    int timed;
    double seconds;
    int least;                    // so many plies are looked ahead whatever the time is
    const volatile int *play_now; // once it is not 0 there is no more time; or NULL
    char *report;                 // where it tells what it sees, 1024 bytes; or NULL
} Limits;

// What a search gave: at least and at most how much the position is worth, and the best move.
typedef struct {
    Bits first, second;
    int64_t least, most;
    Move move;
    int depth;
} Known;

static Known known[1 << TABLE_BITS];
static int64_t cuts[2][PLACES][PLACES]; // what moves cut off, by side, start and end
static Move lists[MOST_PLIES][MOST_MOVES];
static Sums sums[MOST_PLIES];
static uint64_t chance, number_of_search, visited;
static const Limits *limits;
static double deadline;
static int searcher, plies_ahead, stopped;

// A whole number from 0 to count - 1: SplitMix64, as the arena's.
static int below(int count) {
    uint64_t word = chance += 0x9E3779B97F4A7C15;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
    word = (word ^ word >> 27) * 0x94D049BB133111EB;
    return (int)(((word ^ word >> 31) >> 32) * (uint64_t)count >> 32);
}

// The seconds that have passed since some moment.
static double clock_now(void) {
#ifdef _WIN32
    return (double)clock() / CLOCKS_PER_SEC; // there it tells of time, not of work
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

// Looks whether there is time left; one ply ahead it always looks.
static void look_at_clock(void) {
    if (!stopped && limits->timed && plies_ahead > 1)
        stopped = (limits->play_now && *limits->play_now)
                  || (plies_ahead > limits->least && clock_now() > deadline);
}

// Where the table keeps a position. The two words tell it apart from all others.
static Known *find_place(Bits own, Bits other, Bits kings, int side, Bits *first, Bits *second) {
    *first = own | kings << 35;
    *second = other | kings >> 29 << 35 | number_of_search << 41 | (Bits)side << 63;
    Bits hash = *first * 0x9E3779B97F4A7C15 ^ *second * 0xC2B2AE3D27D4EB4F;
    hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93;
    return &known[hash >> (64 - TABLE_BITS)];
}

// Brings what to try next to the front: the hint, else what cut off most searches before.
static void bring_forward(Move *moves, int count, int side, Move hint) {
    int best = 0;
    int64_t most = -1;
    for (int place = 0; place < count; place++) {
        int64_t worth = cuts[side][start_of(moves[place])][end_of(moves[place])];
        if (moves[place] == hint)
            worth = BEYOND;
        if (worth > most) {
            most = worth;
            best = place;
        }
    }
    Move move = moves[best];
    moves[best] = moves[0];
    moves[0] = move;
}

// What the position is worth; a bound if that is not between low and high.
static int64_t value_position(Board at, int depth, int64_t low, int64_t high, int ply) {
    Bits first = 0, second = 0;
    Known *place = NULL;
    Move hint = 0, *moves = lists[ply];
    int64_t best = -BEYOND, edge = low;
    if (depth == 0 && !(QUIET && can_capture(at.own, at.other, at.kings, at.side))) {
        if (!can_move(at.own, at.other, at.kings, at.side))
            return -1 - WIN;
        return value_board(at.own, at.other, at.kings, at.side, searcher, sums[ply]);
    }
    if (++visited % 256 == 0)
        look_at_clock();
    if (stopped)
        return 0;
    if (depth > 1) {
        place = find_place(at.own, at.other, at.kings, at.side, &first, &second);
        if (place->first == first && place->second == second) {
            if (place->depth == depth
                && (place->least == place->most || place->least >= high || place->most <= low))
                return place->least >= high ? place->least : place->most;
            hint = place->move;
        }
    }
    int count = list_moves(moves, at.own, at.other, at.kings, at.side);
    if (count == 0)
        return -1 - WIN - depth;
    for (int number = 0; number < count; number++) {
        if (depth > 1)
            bring_forward(moves + number, count - number, at.side, hint);
        Move move = moves[number];
        Board after = move_piece(at.own, at.other, at.kings, at.side, move);
        follow_sums(sums[ply + 1], sums[ply], at.kings, at.side, searcher, move);
        int64_t value = -value_position(after, depth > 0 ? depth - 1 : 0, -high, -edge, ply + 1);
        if (stopped)
            return 0;
        if (value > best) {
            best = value;
            hint = move;
            edge = best > edge ? best : edge;
            if (best >= high) {
                cuts[at.side][start_of(move)][end_of(move)] += depth * depth;
                break;
            }
        }
    }
    if (place) {
        Known found = {first, second, best <= low ? -BEYOND : best, best >= high ? BEYOND : best,
                       hint, depth};
        *place = found;
    }
    return best;
}

// Marks all moves that are worth most, looking so many plies ahead, and gives what they are worth.
// Those that are marked already are tried first.
static int64_t find_best(const Position *position, const Move *moves, int count, char *marks,
                         int depth) {
    const Board *now = &position->now;
    int64_t most = -BEYOND;
    char best[MOST_MOVES] = {0};
    start_sums(sums[0], now->own, now->other, now->kings, now->side);
    for (int number = 0; number < 2 * count; number++) {
        int place = number % count;
        if (marks[place] == number / count)
            continue;
        Position after = *position;
        int64_t value = 0;
        play(&after, moves[place]);
        if (!can_move(after.now.own, after.now.other, after.now.kings, after.now.side)) {
            value = WIN + depth;
        } else if (!is_draw(&after)) {
            follow_sums(sums[1], sums[0], now->kings, now->side, searcher, moves[place]);
            // A window that begins below the best so far tells equals from worse.
            value = -value_position(after.now, depth - 1, -BEYOND, 1 - most, 1);
        }
        if (stopped)
            return 0;
        if (value > most) {
            memset(best, 0, sizeof best);
            most = value;
        }
        best[place] = value == most;
    }
    memcpy(marks, best, sizeof best);
    return most;
}

static void report(int depth, int64_t value) {
    double pieces = (double)value / (1 << 20);
    if (!limits->report)
        return;
    if (value >= WIN || value <= -WIN)
        snprintf(limits->report, 1024, "%s, %d plies ahead", value > 0 ? "wins" : "loses", depth);
    else
        snprintf(limits->report, 1024, "%+.3f, %d plies ahead, %.1f s", pieces, depth,
                 clock_now() - deadline + limits->seconds);
}

// Chooses one of the moves that are best, and gives what it is worth. There must be a move.
static int64_t choose(const Position *position, const Limits *within, Move *move) {
    static Move moves[MOST_MOVES];
    const Board *now = &position->now;
    int count = list_moves(moves, now->own, now->other, now->kings, now->side), found = 0;
    char marks[MOST_MOVES] = {0};
    int64_t worth = 0;
    limits = within;
    deadline = clock_now() + limits->seconds;
    searcher = now->side;
    stopped = 0;
    memset(cuts, 0, sizeof cuts);
    number_of_search = (number_of_search + 1) % (1 << 22);
    if (number_of_search == 0) { // old positions can't be told from new ones any more
        memset(known, 0, sizeof known);
        number_of_search = 1;
    }
    if (count > 1)
        for (plies_ahead = limits->timed ? 1 : limits->depth; plies_ahead <= limits->depth;
             plies_ahead++) {
            look_at_clock();
            int64_t value = find_best(position, moves, count, marks, plies_ahead);
            if (stopped)
                break;
            worth = value;
            report(plies_ahead, worth);
            if (plies_ahead >= limits->least && (worth >= WIN || worth <= -WIN))
                break;
        }
    for (int place = 0; place < count; place++)
        if (count == 1 || marks[place])
            moves[found++] = moves[place];
    *move = moves[found > 1 ? below(found) : 0];
    return worth;
}
