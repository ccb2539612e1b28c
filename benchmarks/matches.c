/* The match kernel once more, in C: Connect Four between networks of one hidden layer.
 *
 * Written to be as fast as its author could make it, as a yardstick for the compiled Python:
 * board, network and head are constants, sums stay in registers, TABLES matches are in hand at
 * once. It does the same arithmetic in the same order and so plays the same games.
 *
 * Compile with -DVALUE=0 (42-10-7 policies) or -DVALUE=1 (84-16-1 value networks), -DHIDDEN=n
 * for n up to 16, -DTABLES=n, and -ffp-contract=off. -DWITHOUT_ACTIVATION and
 * -DWITHOUT_OUTPUT leave a stage out, to see what it costs; they play other games.
 */
#include <stdint.h>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#ifndef VALUE
#define VALUE 0
#endif
#ifndef HIDDEN
#define HIDDEN (VALUE ? 16 : 10)
#endif
#ifndef TABLES
#define TABLES 3
#endif

enum { COLUMNS = 7, ROWS = 6, HEIGHT = ROWS + 1, CELLS = COLUMNS * ROWS, LANES = 16 };
enum { PLANE = 64 * LANES }; /* numbers in a first layer, per owner of discs */

typedef float floats __attribute__((vector_size(64), aligned(4)));
typedef int32_t ints __attribute__((vector_size(64), aligned(4)));

typedef struct {
    const int32_t *columns; /* the first layer: biases, then a column per disc */
    const float *weights;   /* the output layer */
    long discs[2];          /* where the columns for discs of who began, and of the other, begin */
} Player;

typedef struct {
    long match; /* -1: nobody plays here */
    int ply;
    unsigned full;
    uint64_t own, other, game;
    Player mover, waiter;
    ints mover_sums, waiter_sums;
} Table;

#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE(v, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
#else
#define SHUFFLE(v, ...) __builtin_shuffle(v, (ints){__VA_ARGS__})
#endif

static inline floats spread(float value) {
    return value - (floats){0};
}

static inline floats larger(floats left, floats right) {
#ifdef __AVX512F__
    return (floats)_mm512_max_ps((__m512)left, (__m512)right);
#else
    ints mask = left > right;
    return (floats)(((ints)left & mask) | ((ints)right & ~mask));
#endif
}

static inline floats smaller(floats left, floats right) {
#ifdef __AVX512F__
    return (floats)_mm512_min_ps((__m512)left, (__m512)right);
#else
    ints mask = left < right;
    return (floats)(((ints)left & mask) | ((ints)right & ~mask));
#endif
}

/* The sigmoid of sums in units of 1/65536, as in genomes/network.py. */
static inline floats activate(ints sums) {
    floats value = __builtin_convertvector(sums, floats) * spread(1.0f / 65536);
#ifdef WITHOUT_ACTIVATION
    return value;
#else
    floats power = value * spread((float)-1.4426950408889634);
    power = smaller(larger(power, spread(-126.0f)), spread(126.0f));
    floats shifted = power + spread(12582912.0f);
    floats rest = power - (shifted - spread(12582912.0f));
    floats result = spread(0.001327647129073739f) * rest + spread(0.009675540961325169f);
    result = result * rest + spread(0.05550713092088699f);
    result = result * rest + spread(0.24022120237350464f);
    result = result * rest + spread(0.6931469440460205f);
    result = result * rest + spread(1.0000001192092896f);
    result = (floats)((ints)result + ((ints)shifted << 23));
    return spread(1.0f) / (spread(1.0f) + result);
#endif
}

/* The first place of the largest of the allowed outputs. */
static inline int strongest(floats outputs, unsigned allowed) {
#ifdef __AVX512F__
    floats value = (floats)_mm512_mask_blend_ps(
        (__mmask16)allowed, _mm512_set1_ps(-__builtin_inff()), (__m512)outputs);
    floats top = larger(value, SHUFFLE(value, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3));
    top = larger(top, SHUFFLE(top, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    top = larger(top, SHUFFLE(top, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
    top = SHUFFLE(top, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    unsigned hits = _mm512_cmp_ps_mask((__m512)value, (__m512)top, _CMP_EQ_OQ) & allowed;
    return __builtin_ctz(hits ? hits : allowed);
#else
    int best = -1;
    for (int column = 0; column < COLUMNS; column++)
        if (allowed >> column & 1 && (best < 0 || outputs[column] > outputs[best])) best = column;
    return best;
#endif
}

/* Adds the upper half to the lower one until one number is left. */
static inline float halve_sum(floats v) {
    v = v + SHUFFLE(v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    v = v + SHUFFLE(v, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    v = v + SHUFFLE(v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    v = v + SHUFFLE(v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    return v[0];
}

static inline int has_line(uint64_t discs) {
    uint64_t across = discs & discs >> HEIGHT, up = discs & discs >> 1;
    uint64_t rising = discs & discs >> (HEIGHT + 1), falling = discs & discs >> (HEIGHT - 1);
    return ((across & across >> 2 * HEIGHT) | (up & up >> 2) |
            (rising & rising >> 2 * (HEIGHT + 1)) | (falling & falling >> 2 * (HEIGHT - 1))) != 0;
}

static inline uint64_t drop(uint64_t discs, int column) {
    int shift = column * HEIGHT;
    return (discs + (1ull << shift)) & (((1ull << HEIGHT) - 1) << shift);
}

#if VALUE
static inline int choose(const Table *table) {
    const Player *mover = &table->mover;
    const int32_t *discs = mover->columns + mover->discs[table->ply & 1];
    uint64_t all = table->own | table->other;
    int best = -1;
    float best_value = 0;
    for (int column = 0; column < COLUMNS; column++) {
        if (table->full >> column & 1) continue;
        uint64_t bit = drop(all, column);
        if (has_line(table->own | bit)) return column;
        const int32_t *extra = discs + LANES * __builtin_ctzll(bit);
        floats hidden = activate(table->mover_sums + *(const ints *)extra);
        float value = halve_sum(hidden * *(const floats *)(mover->weights + LANES));
        value += mover->weights[0];
        if (best < 0 || value > best_value) best = column, best_value = value;
    }
    return best;
}
#else
static inline int choose(const Table *table) {
    const float *weights = table->mover.weights;
    unsigned allowed = ~table->full & ((1u << COLUMNS) - 1);
    floats hidden = activate(table->mover_sums);
#ifdef WITHOUT_OUTPUT
    return strongest(hidden, allowed);
#else
    floats outputs = *(const floats *)weights;
    for (int unit = 0; unit < HIDDEN; unit++)
        outputs = outputs + spread(hidden[unit]) * *(const floats *)(weights + LANES * (unit + 1));
    return strongest(outputs, allowed);
#endif
}
#endif

/* One ply: 1, 0, -1 for the result of who began, or 2 while the match goes on. */
static inline int play_ply(Table *table) {
    int side = table->ply & 1, column = choose(table);
    uint64_t bit = drop(table->own | table->other, column);
    uint64_t own = table->own | bit;
    table->full |= (unsigned)(bit >> (column * HEIGHT + ROWS - 1) & 1) << column;
    table->game = (table->game ^ (uint64_t)(column + 1)) * 0x100000001B3ull;
    table->ply++;
    if (has_line(own)) return 1 - 2 * side;
    if (table->ply == CELLS) return 0;
    int at = LANES * __builtin_ctzll(bit);
    Player mover = table->mover, waiter = table->waiter;
    ints sums = table->mover_sums + *(const ints *)(mover.columns + mover.discs[side] + at);
    table->mover_sums = table->waiter_sums;
    table->mover_sums += *(const ints *)(waiter.columns + waiter.discs[side] + at);
    table->waiter_sums = sums;
    table->own = table->other, table->other = own;
    table->mover = waiter, table->waiter = mover;
    return 2;
}

static inline void start(Table *table, long match, const int64_t *players, const int32_t *columns,
                         const float *weights, const int32_t *pairing) {
    for (int side = 0; side < 2; side++) {
        const int64_t *row = players + 2 * pairing[side];
        Player *player = side ? &table->waiter : &table->mover;
        player->columns = columns + row[0];
        player->weights = weights + row[1];
        player->discs[0] = LANES + side * PLANE;
        player->discs[1] = LANES + (side ^ 1) * PLANE;
    }
    table->mover_sums = *(const ints *)table->mover.columns;
    table->waiter_sums = *(const ints *)table->waiter.columns;
    table->own = table->other = 0;
    table->game = 0xCBF29CE484222325ull;
    table->full = 0;
    table->ply = 0;
    table->match = match;
}

/* Plays all pairings. A row of players: where its columns begin, and where its weights begin. */
void play_matches(long count, const int64_t *players, const int32_t *columns, const float *weights,
                  const int32_t *pairings, int8_t *outcomes, int16_t *plies, uint64_t *games) {
    Table tables[TABLES];
    long started = 0, playing = 0;
    for (int k = 0; k < TABLES; k++) {
        tables[k].match = -1;
        if (started < count) {
            start(&tables[k], started, players, columns, weights, pairings + 2 * started);
            started++, playing++;
        }
    }
    while (playing) {
        for (int k = 0; k < TABLES; k++) {
            Table *table = &tables[k];
            if (table->match < 0) continue;
            int outcome = play_ply(table);
            if (outcome == 2) continue;
            outcomes[table->match] = (int8_t)outcome;
            plies[table->match] = (int16_t)table->ply;
            games[table->match] = table->game;
            table->match = -1;
            if (started < count) {
                start(table, started, players, columns, weights, pairings + 2 * started);
                started++;
            } else {
                playing--;
            }
        }
    }
}
