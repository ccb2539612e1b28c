// How CheckerBoard asks exported checkers bots in C, which are its engines.
// It must stay free of everything but C99 and its standard library.

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// --- How CheckerBoard asks ----------------------------------------------------------------

#ifdef _WIN32
#define ENGINE __declspec(dllexport)
#else
#define ENGINE
#define __stdcall
#endif

enum { CB_WHITE = 1, CB_BLACK = 2, CB_MAN = 4, CB_KING = 8, CB_REPLY = 1024 };
enum { CB_DRAW, CB_WIN, CB_LOSS, CB_UNKNOWN };
enum { CB_EXACT = 2, CB_INCREMENT_SHIFT = 2 };

struct CBmove;

// The moves that were played, as CheckerBoard told them right before it asks for a move.
static Position told;
static int is_told, has_seed;

// Black moves first, from square 1; seen from its side, 1 lies on the right of the nearest row.
static int *find_cell(int cells[8][8], int square) {
    int row = (square - 1) / 4;
    return &cells[2 * (3 - (square - 1) % 4) + row % 2][row];
}

static void read_cells(int cells[8][8], int side, Board *board) {
    Board found = {0, 0, 0, side};
    for (int square = 1; square <= SQUARES; square++) {
        int piece = *find_cell(cells, square);
        int colour = piece & CB_WHITE ? LIGHT : DARK;
        if (!(piece & (CB_WHITE | CB_BLACK)))
            continue;
        if (colour == side)
            found.own |= bit_of(square);
        else
            found.other |= bit_of(square);
        if (piece & CB_KING)
            found.kings |= bit_of(square);
    }
    *board = found;
}

// Writes a board, whoever is to move, to the cells.
static void write_cells(int cells[8][8], const Board *board) {
    for (int square = 1; square <= SQUARES; square++) {
        Bits bit = bit_of(square);
        int own = board->side == DARK ? CB_BLACK : CB_WHITE;
        int colour = board->own & bit ? own : CB_WHITE + CB_BLACK - own;
        int piece = colour | (board->kings & bit ? CB_KING : CB_MAN);
        *find_cell(cells, square) = (board->own | board->other) & bit ? piece : 0;
    }
}

// The seconds for a move. A clock that gains time with each move tells what it gains, and what is
// left, of which some is kept back.
static double find_seconds(double most, int info, int more) {
    static const double units[4] = {0.0, 0.001, 0.01, 0.1};
    double unit = units[info >> CB_INCREMENT_SHIFT & 3];
    double gained = unit * ((unsigned)more & 0xFFFF), left = unit * ((unsigned)more >> 16);
    if (unit == 0.0)
        return most;
    if (gained < left / 40)
        gained = left / 40;
    return gained < 0.9 * left ? gained : 0.9 * left;
}

// Plays a move on the board, and gives what is known of the result to who played it.
ENGINE int __stdcall getmove(int cells[8][8], int color, double maxtime, char str[CB_REPLY],
                             int *playnow, int info, int moreinfo, struct CBmove *unused) {
    static Position position;
    double seconds = find_seconds(maxtime, info, moreinfo);
    // What it was bred to see it sees in any case, unless the time is to be kept.
    int kept = info & (CB_EXACT | 3 << CB_INCREMENT_SHIFT);
    Limits within = {DEEPEST, 1, seconds, kept ? 1 : DEPTH, playnow, str};
    Move move;
    int64_t worth;
    (void)unused;
    read_cells(cells, color & CB_WHITE ? LIGHT : DARK, &position.now);
    position.plies = 0;
    if (count_bits(position.now.own) > MOST_PIECES || count_bits(position.now.other) > MOST_PIECES) {
        snprintf(str, CB_REPLY, "a side has more than %d pieces", MOST_PIECES);
        return CB_UNKNOWN;
    }
    if (is_told && same_board(&told.now, &position.now))
        position = told;
    is_told = 0;
    if (!has_seed) {
        chance = (uint64_t)time(NULL) * 1000003 + (uint64_t)clock();
        has_seed = 1;
    }
    snprintf(str, CB_REPLY, "the only move");
    if (!can_move(position.now.own, position.now.other, position.now.kings, position.now.side)) {
        snprintf(str, CB_REPLY, "no move");
        return CB_LOSS;
    }
    worth = choose(&position, &within, &move);
    play(&position, move);
    write_cells(cells, &position.now);
    if (!can_move(position.now.own, position.now.other, position.now.kings, position.now.side))
        return CB_WIN;
    if (is_draw(&position))
        return CB_DRAW;
    return worth >= WIN ? CB_WIN : worth <= -WIN ? CB_LOSS : CB_UNKNOWN;
}

// Answers a command; 0 and a question mark if there is no such one.
ENGINE int __stdcall enginecommand(const char *command, char reply[CB_REPLY]) {
    static char text[1 << 14];
    unsigned long seed;
    if (!strcmp(command, "name")) {
        snprintf(reply, CB_REPLY, "%s", NAME);
    } else if (!strcmp(command, "about")) {
        snprintf(reply, CB_REPLY, "%s", ABOUT);
    } else if (!strcmp(command, "get protocolversion")) {
        snprintf(reply, CB_REPLY, "2");
    } else if (!strcmp(command, "get gametype")) {
        snprintf(reply, CB_REPLY, "21");
    } else if (!strncmp(command, "set gamehist ", 13) && strlen(command) + 8 < sizeof text) {
        // A position, and the moves behind it.
        size_t length = strcspn(command + 13, " ");
        snprintf(text, sizeof text, "%.*s moves%s", (int)length, command + 13,
                 command + 13 + length);
        is_told = set_up(text, &told);
        snprintf(reply, CB_REPLY, "%s", is_told ? "ok" : fault);
    } else if (sscanf(command, "set seed %lu", &seed) == 1) {
        chance = seed;
        has_seed = 1;
        snprintf(reply, CB_REPLY, "%lu", seed);
    } else {
        snprintf(reply, CB_REPLY, "?");
        return 0;
    }
    return 1;
}
