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

// --- How it plays -------------------------------------------------------------------------

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

// What the network sees of a state: for each plane its bits.
static const uint64_t *look(State *state, int64_t seat) {
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
    planes[PLANES * WORDS] = ask_mover(state) == seat;
#endif
    return planes;
}

// Returns the number of the move for a state that is not over.
static int64_t choose(State *state) {
    int64_t moves[MOVES] = {0}, best = -1;
    int64_t seat = checked((uint64_t)ask_mover(state), SEATS);
    int64_t count = 1 + checked((uint64_t)ask_moves(state, moves) - 1, MOVES);
    OUTPUT best_value = 0;
    for (int64_t place = 0; place < count; place++)
        (void)checked((uint64_t)moves[place], MOVES);
    if (count == 1)
        return moves[0];
    if (IS_POLICY) {
        const OUTPUT *outputs = evaluate_planes(look(state, seat));
        best = moves[0];
        for (int64_t place = 1; place < count; place++)
            if (outputs[moves[place]] > outputs[best])
                best = moves[place];
        return best;
    }
    for (int64_t place = 0; place < count; place++) {
        State after = *state;
        follow(&after, moves[place]);
        if (TAKES_WINS && is_finished(&after) && has_won(&after, seat))
            return moves[place];
        OUTPUT value = evaluate_planes(look(&after, seat))[0];
        if (best < 0 || value > best_value) {
            best = moves[place];
            best_value = value;
        }
    }
    return best;
}

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

static int fail(const char *reason) {
    fprintf(stderr, "%s\n", reason);
    return EXIT_FAILURE;
}

// Answers each line "go" with "move NUMBER", for the state that a line "state ..." gave.
int main(void) {
    static char line[SIZE * 24 + 4096];
    State state;
    int known = 0;
    unpack_network();
    while (fgets(line, sizeof line, stdin)) {
        if (!strchr(line, '\n') && !feof(stdin))
            return fail("a line is too long, or is no text");
        if (strncmp(line, "state ", 6) == 0) {
            known = read_state(line + 6, &state);
        } else if (strncmp(line, "go", 2) == 0) {
            if (!known)
                return fail("expected a state, all numbers of it, each as the game keeps it");
            if (is_finished(&state))
                return fail("the game is over");
            printf("move %lld\n", (long long)choose(&state));
            fflush(stdout);
        }
    }
    return EXIT_SUCCESS;
}
