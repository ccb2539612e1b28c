// Exported bots in C of any compiled board game: whole numbers, how moves are chosen, how hosts ask.
//
// The rules of the game stand in the exported file, translated from its Python file, and count with
// the functions of this one. It must stay free of everything but C99 and its standard library.

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// --- Whole numbers ------------------------------------------------------------------------

// The rules count as they do in the arena: numbers of 64 bits wrap around, quotients are rounded
// down, and what is divided by 0, or has no room, is 0.

static inline int64_t add(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t sub(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static inline int64_t mul(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static inline int64_t mod(int64_t a, int64_t b) {
    if (b == 0 || b == -1)
        return 0;
    int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static inline int64_t floordiv(int64_t a, int64_t b) {
    if (b == 0 || (b == -1 && a == INT64_MIN))
        return 0;
    return b == -1 ? -a : a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

static inline uint64_t mod_word(uint64_t a, uint64_t b) {
    return b ? a % b : 0;
}

static inline uint64_t floordiv_word(uint64_t a, uint64_t b) {
    return b ? a / b : 0;
}

static inline int64_t shift_left(int64_t a, uint64_t count) {
    return (int64_t)((uint64_t)a << (count & 63));
}

static inline int64_t shift_right(int64_t a, uint64_t count) {
    return a >> (count & 63);
}

static inline int64_t power_of(int64_t a, int64_t exponent) {
    int64_t result = 1;
    while (exponent-- > 0)
        result = mul(result, a);
    return result;
}

// Less than 0, 0 or more, as the first is less than the second, equal or more.
static inline int compare(int64_t a, uint64_t b) {
    return a < 0 || (uint64_t)a < b ? -1 : (uint64_t)a > b;
}

static inline int64_t sign(int64_t a) {
    return (a > 0) - (a < 0);
}

static inline int64_t absolute(int64_t a) {
    return a < 0 ? sub(0, a) : a;
}

// What Python's min and max give: the first one, unless the second is smaller or larger.

static inline int64_t least(int64_t a, int64_t b) {
    return b < a ? b : a;
}

static inline int64_t most(int64_t a, int64_t b) {
    return b > a ? b : a;
}

static inline uint64_t least_word(uint64_t a, uint64_t b) {
    return b < a ? b : a;
}

static inline uint64_t most_word(uint64_t a, uint64_t b) {
    return b > a ? b : a;
}

static inline double least_number(double a, double b) {
    return b < a ? b : a;
}

static inline double most_number(double a, double b) {
    return b > a ? b : a;
}

// A whole number of what lies within its bounds; else the lowest one, as processors give.
static inline int64_t truncated(double number) {
    const double bound = 9223372036854775808.0;
    return number >= -bound && number < bound ? (int64_t)number : INT64_MIN;
}

static inline uint64_t truncated_word(double number) {
    const double bound = 9223372036854775808.0;
    return number >= bound && number < 2.0 * bound ? (uint64_t)number : (uint64_t)truncated(number);
}

// The place of an index that may count from the end.
static inline int64_t wrap(int64_t index, int64_t length) {
    return index < 0 ? index + length : index;
}

// A number below a limit. What is not below it comes from a state that the game does not have, and
// ends the program.
static inline int64_t checked(uint64_t number, uint64_t limit) {
    if (number >= limit) {
        fprintf(stderr, "the rules have no such state\n");
        exit(EXIT_FAILURE);
    }
    return (int64_t)number;
}

// How many bits are set.
static inline int64_t count_bits(uint64_t word) {
#ifdef __GNUC__
    return __builtin_popcountll(word);
#else
    int64_t count = 0;
    for (; word; word &= word - 1)
        count++;
    return count;
#endif
}

// The place of the lowest bit that is set; 64 if none is.
static inline int64_t lowest_bit(uint64_t word) {
    return word ? count_bits((word & (0 - word)) - 1) : 64;
}

// A random number from 0 to 2**62 - 1, by SplitMix64; always the same ones.
static inline int64_t draw_number(void) {
    static uint64_t stream = 0;
    uint64_t word = stream += UINT64_C(0x9E3779B97F4A7C15);
    word = (word ^ word >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ word >> 27) * UINT64_C(0x94D049BB133111EB);
    return (int64_t)((word ^ word >> 31) >> 2);
}

// --- How it plays -------------------------------------------------------------------------

// It looks ahead no farther, and so many plies farther where the rules say that a state is not quiet.
#define DEEPEST 60
#define MOST_EXTRA 8

// The states before another one, since the last move that made progress, oldest first: places of a
// list, of which the first are those that were told.
typedef struct {
    int64_t begin, end;
} Line;

#if HAS_PAST
static State earlier[LONGEST + 1];
static int64_t earlier_count = 0;

// The line of what comes after a state and a move. Behind the state that was told, where looking
// ahead leads, nothing is noted but how long the line is.
static Line extend_line(Line line, State *state, int64_t move) {
    if (line.end <= earlier_count)
        earlier[line.end] = *state;
    line.end++;
#if HAS_PROGRESS
    if (ask_progress(state, move))
        line.begin = line.end;
#else
    (void)move;
#endif
    return line;
}

// Whether a state ends the game after others, unless the rules end it anyway.
static int is_exhausted(State *state, Line line, int most) {
    int times = 1;
    int64_t known = line.end <= earlier_count ? line.end : earlier_count + 1;
    for (int64_t place = line.begin; REPETITION && place < known; place++)
        times += is_same(&earlier[place], state);
    return times >= most || (NO_PROGRESS && line.end - line.begin >= NO_PROGRESS);
}

static Line begin_line(void) {
    Line line = {0, earlier_count};
    return line;
}
#else
#define extend_line(line, state, move) (line)
#define is_exhausted(state, line, most) ((void)(line), 0)

static Line begin_line(void) {
    Line line = {0, 0};
    return line;
}
#endif

// What the rules note down begins anew when they are asked of another state.
static void turn_page(void) {
#if NOTES
    notes[0] = 0;
#endif
}

// Whether the game is over.
static int is_finished(State *state) {
#if HAS_POINTS
    return ask_over(state) != 0;
#else
    return ask_result(state) != 2;
#endif
}

// Whether a game that is over was won by who sits there.
static int has_won(State *state, int64_t seat) {
#if HAS_POINTS
    for (int64_t other = 0; other < SEATS; other++)
        if (other != seat && ask_points(state, other) >= ask_points(state, seat))
            return 0;
    return 1;
#else
    return ask_result(state) == 1 - 2 * seat;
#endif
}

#if !FEATURES
// What there is to see of a state: for each plane its bits.
static const uint64_t *list_planes(State *state, int64_t seat) {
    static uint64_t planes[PLANES * WORDS + 1];
    memset(planes, 0, sizeof planes);
#if SEES_CELLS
    const int owned = SEATS * PIECES;
    for (int cell = 0; cell < CELLS; cell++) {
        int64_t kind = (int64_t)state->numbers[cell];
        if (kind <= 0)
            continue;
        kind = checked((uint64_t)kind - 1, PLANES);
        if (kind < owned)
            kind = (kind + owned - seat * PIECES) % owned;
        planes[WORDS * kind + cell / 64] |= UINT64_C(1) << cell % 64;
    }
#else
    ask_view(state, seat, planes);
#endif
#if TURNS
    planes[PLANES * WORDS] = TURNS == 2 ? (uint64_t)seat : ask_mover(state) == seat;
#endif
#if STAGES > 1  // which table counts depends on the number of pieces, or on numbers, too
    uint64_t pieces = 0;
    for (int word = STAGE_PLANES * WORDS; word < PLANES * WORDS; word++)
        for (uint64_t bits = planes[word]; bits; bits &= bits - 1)
            pieces++;
    const uint64_t stage = pieces / SPAN;
    planes[PLANES * WORDS] = planes[PLANES * WORDS] * STAGES + (stage < STAGES ? stage : STAGES - 1);
#endif
    return planes;
}
#endif

#ifdef IS_DENSE
// What the network is shown of a state, then what it is told of a move, rounded to 32 bits.
static double shown[INPUTS];

static const double *look(State *state, int64_t seat) {
    memset(shown, 0, sizeof shown);
#if FEATURES
    turn_page();
    ask_features(state, seat, shown);
    for (int place = FEATURES - 1; place >= 0; place--) {
#if BINS
        double value = shown[place];
        shown[place] = 0;
        shown[BINS * place + (int)(value > 0 ? value < BINS - 1 ? value : BINS - 1 : 0)] = 1;
#else
        shown[place] = (double)(float)shown[place];
#endif
    }
#else
    const uint64_t *planes = list_planes(state, seat);
    for (int bit = 0; bit < PLANES * CELLS; bit++) {
        int cell = bit % CELLS;
        if (planes[bit / CELLS * WORDS + cell / 64] >> cell % 64 & 1)
            shown[BIT_INPUTS[bit]] += BIT_NUMBERS[bit];
    }
#endif
    return shown;
}

#if IS_ACTION
// The same, once it looked at the state, for a move.
static const double *look_at_move(State *state, int64_t move, int64_t seat) {
    double *told = shown + INPUTS - MOVE_FEATURES;
    memset(told, 0, MOVE_FEATURES * sizeof *told);
    ask_of_move(state, move, seat, told);
    for (int place = 0; place < MOVE_FEATURES; place++)
        told[place] = (double)(float)told[place];
    return shown;
}
#endif
#else
#define look list_planes
#endif
#if !IS_ACTION
#define look_at_move(state, move, seat) look(state, seat)
#endif

// Lists the moves in a state that is not over; returns how many there are.
static int64_t list_moves(State *state, int64_t *moves) {
    int64_t count = checked((uint64_t)ask_moves(state, moves), MOVES + 1);
    for (int64_t place = 0; place < count; place++)
        (void)checked((uint64_t)moves[place], MOVES);
    return count;
}

#if IS_KINDS
// What a scripted player chooses of the legal kind of moves whose output is the strongest.
static int64_t choose_by_kind(State *state, int64_t seat, const int64_t *moves, int64_t count) {
    uint64_t allowed = (uint64_t)ask_kinds(state);
    int64_t best = -1, room[MOVES];
    const OUTPUT *outputs = allowed & (allowed - 1) ? evaluate_planes(look(state, seat)) : NULL;
    for (int64_t kind = 0; kind < KIND_COUNT; kind++)
        if (allowed >> kind & 1 && (best < 0 || outputs[kind] > outputs[best]))
            best = kind;
    State known = *state;
#if HIDES
    know(&known, seat);
#endif
    memcpy(room, moves, sizeof room);
    int64_t chosen = ask_script(&known, room, count, best);
    for (int64_t place = 0; place < count; place++)
        if (moves[place] == chosen)
            return chosen;
    return moves[0];
}
#endif

#if CAN_SEARCH
// Looks ahead; see below.
static int64_t search(State *state, int64_t seat, const int64_t *moves, int64_t count, int depth,
                      double seconds);
#endif

// Returns the number of the move for a state that is not over. It looks so many plies ahead; with 0
// at its moves alone. With a limit of time, not below 0, it looks one ply ahead, then two, and so on
// up to depth, or as far as it can, and goes by the last look that it could complete.
static int64_t choose(State *state, int depth, double seconds) {
    int64_t moves[MOVES] = {0}, best = -1;
    int64_t seat = checked((uint64_t)ask_mover(state), SEATS);
#if HIDES && GUESSES
    State known = *state;
    know(&known, seat);
    state = &known;
#endif
    int64_t count = list_moves(state, moves);
    OUTPUT best_value = 0;
    (void)checked((uint64_t)count - 1, MOVES);
    if (count == 1 && !IS_KINDS)
        return moves[0];
    turn_page();
#if CAN_SEARCH
    if (depth > 0 || seconds >= 0.0)
        return search(state, seat, moves, count, depth, seconds);
#else
    (void)depth;
    (void)seconds;
#endif
#if IS_KINDS
    return choose_by_kind(state, seat, moves, count);
#endif
    if (IS_POLICY) {
        const OUTPUT *outputs = evaluate_planes(look(state, seat));
        best = moves[0];
        for (int64_t place = 1; place < count; place++)
            if (outputs[moves[place]] > outputs[best])
                best = moves[place];
        return best;
    }
    if (IS_ACTION)
        (void)look(state, seat);
#if PRUNES
    count = checked((uint64_t)ask_prune(state, seat, moves, count) - 1, (uint64_t)count) + 1;
#endif
    for (int64_t place = 0; place < count; place++) {
        State after = *state;
        if (!IS_ACTION)
            follow(&after, moves[place]);
        if (TAKES_WINS && is_finished(&after) && has_won(&after, seat))
            return moves[place];
        OUTPUT value = IS_ACTION ? evaluate_planes(look_at_move(state, moves[place], seat))[0]
                                 : evaluate_planes(look(&after, seat))[0];
        if (!IS_ACTION
            && is_exhausted(&after, extend_line(begin_line(), state, moves[place]), REPETITION)
            && !is_finished(&after))
            value = (OUTPUT)((has_won(&after, seat) - (SEATS == 2 && has_won(&after, 1 - seat)))
                             * (INT64_C(1) << 30));
        if (best < 0 || value > best_value) {
            best = moves[place];
            best_value = value;
        }
    }
    return best;
}

// --- How it looks ahead -------------------------------------------------------------------

// By alpha-beta: a value is what a state is worth to a seat, in the eyes of the one who looks.

#define WIN (INT64_C(1) << 40)
#define INFINITE (INT64_C(1) << 42)
#define LARGEST 1073741823.0

#if CAN_SEARCH
static struct {
    int64_t searcher;
    int timed, late;
    clock_t end;
    // How often each move of each seat was too good for the other to allow it.
    int64_t cuts[SEATS * MOVES];
} looking;

// Puts first, from a place on, the move that cut most.
static void bring_forward(int64_t *moves, int64_t place, int64_t count, int64_t mover) {
    const int64_t *cuts = looking.cuts + mover * MOVES;
    int64_t most = place, move;
    for (int64_t other = place + 1; other < count; other++)
        if (cuts[moves[other]] > cuts[moves[most]])
            most = other;
    move = moves[most];
    memmove(moves + place + 1, moves + place, (size_t)(most - place) * sizeof *moves);
    moves[place] = move;
}

#if HAS_CHANCE
// The result to expect of a leaf of so much value: nearly its tanh.
static int64_t expect(int64_t value) {
    double x = (double)(value < 0 ? -value : value) * (1.0 / 65536.0);
    double terms = 1.0 + x * (1.0 + x * (1.0 + x * (2.0 / 3.0 + x * (1.0 / 3.0))));
    int64_t expected = (int64_t)((1.0 - 1.0 / terms) * (double)(WIN - 128));
    return value < 0 ? -expected : expected;
}
#endif

// The network's value of a state for the side that has moved to it.
static int64_t value_leaf(State *state, int64_t side) {
    const int64_t seat = HAS_CHANCE ? side : looking.searcher;
    double value = UNIT * (double)evaluate_planes(look(state, seat))[0];
    if (!(value > -LARGEST))
        value = -LARGEST;
    int64_t whole = (int64_t)(value < LARGEST ? value : LARGEST);
#if HAS_CHANCE
    whole = expect(whole);
#endif
    return side == seat ? whole : -whole;
}

// What the state after a side's move is worth to it; a bound outside of low and high. A position that
// occurred in the game is a draw at once: it could be repeated again.
static int64_t value_state(State *state, int64_t side, int depth, int64_t low, int64_t high,
                           Line line) {
    int64_t moves[MOVES] = {0}, best = -INFINITE;
#if HAS_CHANCE
    int64_t outcomes = ask_chance(state), total = 0;
    if (outcomes && depth <= 0)
        return value_leaf(state, side);
    for (int64_t outcome = 0; outcome < outcomes; outcome++) {
        State after = *state;
        happen(&after, outcome);
        total += value_state(&after, side, depth, -INFINITE, INFINITE, line);
    }
    if (outcomes)
        return floordiv(total, outcomes);
#endif
    if (is_finished(state) || is_exhausted(state, line, 2))
        return (has_won(state, side) - has_won(state, 1 - side)) * (WIN + depth);
#if HAS_QUIET
    if (depth <= 0 && (depth <= -MOST_EXTRA || ask_quiet(state))) {
#else
    if (depth <= 0) {
#endif
        return value_leaf(state, side);
    }
    looking.late = looking.late || (looking.timed && clock() > looking.end);
    // From here on all is seen by the player to move.
    int64_t mover = checked((uint64_t)ask_mover(state), SEATS);
    int64_t sign_of_it = mover == side ? 1 : -1;
    if (sign_of_it < 0) {
        int64_t lowest = -high;
        high = -low;
        low = lowest;
    }
    int64_t count = list_moves(state, moves);
    if (!count || looking.late)
        return 0;
    for (int64_t place = 0; place < count && best < high; place++) {
        State after = *state;
        if (depth > 1)
            bring_forward(moves, place, count, mover);
        follow(&after, moves[place]);
        int64_t value = value_state(&after, mover, depth - 1, low > best ? low : best, high,
                                    extend_line(line, state, moves[place]));
        best = value > best ? value : best;
        if (best >= high)
            looking.cuts[mover * MOVES + moves[place]] += (int64_t)depth * depth;
    }
    return sign_of_it * best;
}

// The first of the best moves at this depth, or at the last one that it could complete.
static int64_t search(State *state, int64_t seat, const int64_t *moves, int64_t count, int depth,
                      double seconds) {
    static int64_t values[MOVES];
    int64_t order[MOVES] = {0}, chosen = moves[0];
    memset(&looking, 0, sizeof looking);
    looking.searcher = seat;
    looking.timed = seconds >= 0.0;
    if (looking.timed)
        looking.end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
    memcpy(order, moves, sizeof order);
    depth = depth > 0 && depth < DEEPEST ? depth : DEEPEST;
    for (int plies = looking.timed ? 1 : depth; plies <= depth; plies++) {
        int64_t best = -INFINITE, first = -1;
        for (int64_t place = 0; place < count; place++) {
            State after = *state;
            follow(&after, order[place]);
            // A window that begins below the best so far tells equals from worse.
            int64_t value = value_state(&after, seat, plies - 1, best - 1, INFINITE,
                                        extend_line(begin_line(), state, order[place]));
            values[order[place]] = value;
            best = value > best ? value : best;
        }
        if (looking.late)
            break;
        for (int64_t place = 0; place < count && first < 0; place++)
            if (values[moves[place]] == best)
                first = chosen = moves[place];
        // The best one is tried first the next time.
        for (int64_t place = 0, before = first; place < count; place++) {
            int64_t now = order[place];
            order[place] = before;
            if (now == first)
                break;
            before = now;
        }
        if (best >= WIN || best <= -WIN)
            break;
    }
    return chosen;
}
#endif

// --- How hosts ask ------------------------------------------------------------------------

// Reads the numbers of a state; returns whether they are as many as there must be, and have room.
static int read_state(char *text, State *state) {
    int count = 0;
    for (char *word = strtok(text, " \t\r\n"); word; word = strtok(NULL, " \t\r\n")) {
        const char *digits = word + (*word == '-');
        size_t length = strspn(digits, "0123456789");
        errno = 0;
        uint64_t number = strtoull(digits, NULL, 10);
        int negative = digits > word && number > 0;
        if (count == SIZE || !length || digits[length] || errno
            || !set_number(state, count++, negative ? 0 - number : number, negative))
            return 0;
    }
    return count == SIZE;
}

// The number behind a word of a line, or -1.
static int64_t read_number(const char *line, const char *word) {
    size_t length = strlen(word);
    char *end;
    if (strncmp(line, word, length) || line[length] < '0' || line[length] > '9')
        return -1;
    errno = 0;
    int64_t number = strtoll(line + length, &end, 10);
    return errno || end[strspn(end, " \t\r\n")] ? -1 : number;
}

static int fail(const char *reason) {
    fprintf(stderr, "%s\n", reason);
    return EXIT_FAILURE;
}

// Answers each line "go" with "move NUMBER", for the state that a line "state ..." gave. "go depth 3"
// lets it look three plies ahead, "go movetime 500" for so many milliseconds. Lines "past ..." before
// that of the state are the states since the last move that made progress, oldest first.
int main(void) {
    static char line[SIZE * 24 + 4096];
    State state;
    int known = 0;
#if HAS_PAST
    int64_t told = 0;
#endif
    unpack_network();
    while (fgets(line, sizeof line, stdin)) {
        if (!strchr(line, '\n') && !feof(stdin))
            return fail("a line is too long, or is no text");
        if (strncmp(line, "state ", 6) == 0) {
            known = read_state(line + 6, &state);
#if HAS_PAST
            earlier_count = told;
            told = 0;
        } else if (strncmp(line, "past ", 5) == 0) {
            if (told >= LONGEST || !read_state(line + 5, &earlier[told++]))
                return fail("expected an earlier state, all numbers of it, and not too many");
#endif
        } else if (strncmp(line, "go", 2) == 0) {
            if (!known)
                return fail("expected a state, all numbers of it, each as the game keeps it");
            if (is_finished(&state) || is_exhausted(&state, begin_line(), REPETITION))
                return fail("the game is over");
            int depth = DEPTH;
            double seconds = -1.0;
            int64_t number = read_number(line, "go depth ");
            if (number >= 0)
                depth = number < DEEPEST ? (int)number : DEEPEST;
            number = read_number(line, "go movetime ");
            if (number >= 0) {
                // A part is kept back for the way there and back.
                depth = DEEPEST;
                seconds = number > 5 ? (0.9 * (double)number - 5.0) / 1000.0 : 0.0;
            }
            if (!CAN_SEARCH && (depth || seconds >= 0.0))
                return fail("this bot can't look ahead");
            printf("move %lld\n", (long long)choose(&state, depth, seconds));
            fflush(stdout);
        }
    }
    return EXIT_SUCCESS;
}
