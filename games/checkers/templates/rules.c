// The rules of checkers and its notation, for exported bots in C; see `search`.
// It must stay free of everything but C99 and its standard library.

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// --- The rules ---------------------------------------------------------------------------

// A set of squares is a whole number: square s, 1 to 32, is the bit s - 1 + (s - 1) / 8. The bits
// 8, 17 and 26 stay empty, so that a step to a neighbour is always a shift by 4 or 5 and one over
// the edge hits no square. A move is a whole number, too: in bits 0 to 5 the bit from which the
// piece starts, in bits 6 to 11 the one on which it ends, from bit 12 on the captured pieces (the
// bits 4 to 30 of the board, for no other can be jumped over), and from bit 39 on two bits for each
// jump.

typedef uint64_t Bits;
typedef uint64_t Move;

static const Bits BOARD = 0x7FBFDFEFF, FAR_ROWS = 0x78000000F;
static const int STEPS[4] = {4, 5, -4, -5};
enum { DARK, LIGHT, SQUARES = 32, MOST_PIECES = 12, MOST_MOVES = 192, DRAW_PLIES = 80, JUMPS = 39 };

// A board: the pieces of the player to move, those of the opponent, which of all of them are kings,
// and who is to move: DARK, whose men go to higher squares, or LIGHT.
typedef struct {
    Bits own, other, kings;
    int side;
} Board;

// A board, and those before it, back to the last capture or move of a man.
typedef struct {
    Board now, past[DRAW_PLIES];
    int plies;
} Position;

static int count_bits(Bits bits) {
#ifdef __GNUC__
    return __builtin_popcountll(bits);
#else
    int count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
#endif
}

// The number of the lowest bit; there must be one.
static int lowest_bit(Bits bits) {
#ifdef __GNUC__
    return __builtin_ctzll(bits);
#else
    return count_bits((bits & (0 - bits)) - 1);
#endif
}

static Bits shift(Bits bits, int step) {
    return step > 0 ? bits << step : bits >> -step;
}

static int start_of(Move move) {
    return move & 63;
}

static int end_of(Move move) {
    return move >> 6 & 63;
}

static Bits captured_by(Move move) {
    return (move >> 12 & 0x7FFFFFF) << 4;
}

// The pieces among some that may go up, to higher squares, and those that may go down.
static Bits going_up(Bits own, Bits kings, int side) {
    return side == LIGHT ? own & kings : own;
}

static Bits going_down(Bits own, Bits kings, int side) {
    return side == LIGHT ? own : own & kings;
}

// The pieces that can capture, among those that may go up or down.
static Bits find_jumpers(Bits ups, Bits downs, Bits other, Bits empty) {
    Bits up = (empty >> 4 & other) >> 4 | (empty >> 5 & other) >> 5;
    Bits down = (empty << 4 & other) << 4 | (empty << 5 & other) << 5;
    return (ups & up) | (downs & down);
}

// The pieces that can capture; if there is one, nothing else may be played.
static Bits can_capture(Bits own, Bits other, Bits kings, int side) {
    Bits ups = going_up(own, kings, side), downs = going_down(own, kings, side);
    return find_jumpers(ups, downs, other, BOARD & ~(own | other));
}

// Not 0 if there is any move.
static Bits can_move(Bits own, Bits other, Bits kings, int side) {
    Bits ups = going_up(own, kings, side), downs = going_down(own, kings, side);
    Bits empty = BOARD & ~(own | other);
    Bits steps = (ups & (empty >> 4 | empty >> 5)) | (downs & (empty << 4 | empty << 5));
    return steps ? steps : find_jumpers(ups, downs, other, empty);
}

// Writes all complete captures that begin with this move, and gives how many there are then.
//
// The piece stands on one bit now, other are the pieces that are not captured yet, first to last
// the ways that it may go, jump is the place of its next jump in the move. A man that is crowned
// stops by itself: as a man it could only jump on over the edge.
static int follow_jumps(Move *moves, int count, Bits piece, Bits other, Bits empty, int first,
                        int last, Move move, int jump) {
    int complete = 1;
    for (int way = first; way < last; way++) {
        Bits over = shift(piece, STEPS[way]) & other;
        Bits target = shift(over, STEPS[way]) & empty;
        if (target) {
            Move longer = move | over << 8 | (Move)way << jump;
            complete = 0;
            count = follow_jumps(moves, count, target, other ^ over, empty, first, last, longer,
                                 jump + 2);
        }
    }
    if (complete)
        moves[count++] = move | (Move)lowest_bit(piece) << 6;
    return count;
}

// Writes all captures of these pieces, and gives how many there are.
static int list_captures(Move *moves, Bits jumpers, Bits other, Bits kings, int side, Bits empty) {
    int count = 0;
    for (; jumpers; jumpers &= jumpers - 1) {
        Bits piece = jumpers & (0 - jumpers);
        int king = (piece & kings) != 0;
        count = follow_jumps(moves, count, piece, other, empty | piece, king ? 0 : 2 * side,
                             king ? 4 : 2 * side + 2, (Move)lowest_bit(piece), JUMPS);
    }
    return count;
}

// Writes all legal moves, and gives how many there are; 0 means that the player has lost.
static int list_moves(Move *moves, Bits own, Bits other, Bits kings, int side) {
    Bits ups = going_up(own, kings, side), downs = going_down(own, kings, side);
    Bits empty = BOARD & ~(own | other);
    Bits jumpers = find_jumpers(ups, downs, other, empty);
    int count = 0;
    if (jumpers)
        return list_captures(moves, jumpers, other, kings, side, empty);
    for (int way = 0; way < 4; way++) {
        Bits starts = (way < 2 ? ups : downs) & shift(empty, -STEPS[way]);
        for (; starts; starts &= starts - 1) {
            int start = lowest_bit(starts);
            moves[count++] = (Move)start | (Move)(start + STEPS[way]) << 6;
        }
    }
    return count;
}

// The board after a move: the opponent is to move.
static Board move_piece(Bits own, Bits other, Bits kings, int side, Move move) {
    Bits start = (Bits)1 << start_of(move), end = (Bits)1 << end_of(move);
    Bits captured = captured_by(move);
    Bits crowned = kings & start || end & FAR_ROWS ? end : 0;
    Board after = {other ^ captured, own ^ start ^ end, (kings & ~(captured | start)) | crowned,
                   1 - side};
    return after;
}

static int same_board(const Board *one, const Board *two) {
    return one->own == two->own && one->other == two->other && one->kings == two->kings
           && one->side == two->side;
}

// Plays a legal move.
static void play(Position *position, Move move) {
    Board now = position->now;
    int reversible = !captured_by(move) && now.kings >> start_of(move) & 1;
    if (!reversible)
        position->plies = 0;
    else if (position->plies < DRAW_PLIES)
        position->past[position->plies++] = now;
    position->now = move_piece(now.own, now.other, now.kings, now.side, move);
}

// Whether the position stands for the third time, or 40 moves each changed nothing.
static int is_draw(const Position *position) {
    int seen = 0;
    for (int ply = 0; ply < position->plies; ply++)
        seen += same_board(&position->past[ply], &position->now);
    return position->plies >= DRAW_PLIES || seen >= 2;
}

static void start_position(Position *position, int side) {
    Bits dark = 0x1EFF, light = 0x7FBC00000;
    Board begin = {side ? light : dark, side ? dark : light, 0, side};
    position->now = begin;
    position->plies = 0;
}

// --- How it reads and writes -------------------------------------------------------------

enum { LONGEST = 10, TEXT = 256 };

// What is wrong with a text that could not be read.
static char fault[TEXT];

static Bits bit_of(int square) {
    return (Bits)1 << (square - 1 + (square - 1) / 8);
}

static int square_of(int place) {
    return place + 1 - place / 9;
}

// The squares, 1 to 32, on which the piece stands in turn, and how many they are.
static int path_of(Move move, int path[LONGEST]) {
    int place = start_of(move), count = 0, jumps = count_bits(captured_by(move));
    path[count++] = square_of(place);
    for (int jump = 0; jump < jumps; jump++) {
        place += 2 * STEPS[move >> (JUMPS + 2 * jump) & 3];
        path[count++] = square_of(place);
    }
    if (!jumps)
        path[count++] = square_of(end_of(move));
    return count;
}

// Whether the squares, of which the ends fit, all lie on a path in this order.
static int is_along(const int *squares, int length, const int *path, int whole) {
    int at = 0;
    for (int place = 0; place < whole && at < length; place++)
        at += path[place] == squares[at];
    return at == length && path[0] == squares[0] && path[whole - 1] == squares[length - 1];
}

// Finds the legal move that a text such as 11-15, 18x11 or 1x10x19 stands for; 0 if none.
static int read_move(const char *text, const Board *board, Move *move) {
    Move moves[MOST_MOVES];
    int count = list_moves(moves, board->own, board->other, board->kings, board->side);
    int squares[LONGEST], length = 0, fitting = 0;
    const char *at = text;
    Board result = {0, 0, 0, 0};
    while (isdigit((unsigned char)*at) && length < LONGEST) {
        squares[length] = *at++ - '0';
        if (isdigit((unsigned char)*at))
            squares[length] = 10 * squares[length] + *at++ - '0';
        length++;
        if (!*at || !strchr("-x:", *at) || !isdigit((unsigned char)at[1]))
            break;
        at++;
    }
    if (*at || length < 2) {
        snprintf(fault, sizeof fault, "'%.20s' is no move", text);
        return 0;
    }
    for (int number = 0; number < count; number++) {
        int path[LONGEST], whole = path_of(moves[number], path);
        Board after;
        if (!is_along(squares, length, path, whole))
            continue;
        if (whole == length) {
            *move = moves[number];
            return 1;
        }
        after = move_piece(board->own, board->other, board->kings, board->side, moves[number]);
        if (fitting == 0 || !same_board(&after, &result)) {
            fitting += 1;
            result = after;
            *move = moves[number];
        }
    }
    if (fitting != 1)
        snprintf(fault, sizeof fault, "'%.40s' %s", text,
                 fitting ? "can be several moves" : "is not legal here");
    return fitting == 1;
}

// Reads what a text such as K3 or 21-24 names, up to a comma or its end; 0 if it is no such text.
static int read_squares(const char *text, Bits *squares, int *king) {
    int ends[2], count = 0;
    const char *at = text + (*text == 'K');
    *king = *text == 'K';
    for (; count < 2 && isdigit((unsigned char)*at); count++) {
        ends[count] = *at++ - '0';
        if (isdigit((unsigned char)*at))
            ends[count] = 10 * ends[count] + *at++ - '0';
        if (count == 0 && *at == '-' && at[1] != ',' && at[1])
            at++;
        else if (count == 0)
            ends[++count] = ends[0];
    }
    *squares = 0;
    if (count == 2 && (!*at || *at == ',') && ends[0] >= 1 && ends[1] <= SQUARES)
        for (int square = ends[0]; square <= ends[1]; square++)
            *squares |= bit_of(square);
    if (!*squares) {
        int length = (int)strcspn(text, ",");
        snprintf(fault, sizeof fault, "'%.*s' names no squares", length < 20 ? length : 20, text);
    }
    return *squares != 0;
}

// Reads the pieces of a section such as WK3,21-24 and adds them to those of its colour; 0 if it
// can't.
static int read_section(const char *text, Bits sides[2], Bits *kings) {
    int colour = *text++ == 'W' ? LIGHT : DARK, king;
    Bits squares;
    for (text += strspn(text, ","); *text; text += strspn(text, ",")) {
        const char *wrong = NULL;
        int length = (int)strcspn(text, ",");
        if (!read_squares(text, &squares, &king))
            return 0;
        if ((sides[0] | sides[1]) & squares)
            wrong = "two pieces stand on one square";
        else if (!king && squares & FAR_ROWS & (colour ? 0xF : ~(Bits)0xF))
            wrong = "a man stands where it would be a king";
        if (wrong) {
            snprintf(fault, sizeof fault, "'%.*s': %s", length, text, wrong);
            return 0;
        }
        sides[colour] |= squares;
        *kings |= king ? squares : 0;
        text += length;
    }
    return 1;
}

// Reads a position such as W:WK3,21-24:B1,2 in capitals and without blanks; 0 if it is none. The
// text is changed.
static int read_position(char *text, const char *shown, Position *position) {
    Bits sides[2] = {0, 0}, kings = 0;
    char *first = strchr(text, ':'), *second = first ? strchr(first + 1, ':') : NULL;
    int side = *text == 'W' ? LIGHT : DARK;
    if (first != text + 1 || !strchr("BW", *text) || !second || strchr(second + 1, ':')
        || !((first[1] == 'B' && second[1] == 'W') || (first[1] == 'W' && second[1] == 'B'))) {
        snprintf(fault, sizeof fault, "'%s' is no position such as W:WK3,21-24:B1,2", shown);
        return 0;
    }
    *second = '\0';
    if (!read_section(first + 1, sides, &kings) || !read_section(second + 1, sides, &kings))
        return 0;
    if (count_bits(sides[0]) > MOST_PIECES || count_bits(sides[1]) > MOST_PIECES) {
        snprintf(fault, sizeof fault, "a side has more than %d pieces", MOST_PIECES);
        return 0;
    }
    Board now = {sides[side], sides[1 - side], kings, side};
    position->now = now;
    position->plies = 0;
    return 1;
}

// Sets up "start" or a position, and plays the moves behind "moves"; 0 if it can't. The text is
// changed.
static int set_up(char *text, Position *position) {
    char shown[61] = "", *word = strtok(text, " ");
    size_t length = 0;
    Move move;
    for (; word && strcmp(word, "moves"); word = strtok(NULL, " ")) {
        size_t known = strlen(shown);
        snprintf(shown + known, sizeof shown - known, "%s%s", known ? " " : "", word);
        for (; *word; word++)
            text[length++] = (char)toupper((unsigned char)*word);
    }
    while (length && text[length - 1] == '.')
        length--;
    text[length] = '\0';
    if (!strcmp(shown, "start"))
        start_position(position, TURNED);
    else if (!read_position(text, shown, position))
        return 0;
    while (word && (word = strtok(NULL, " ")) != NULL) {
        for (char *at = word; *at; at++)
            *at = (char)tolower((unsigned char)*at);
        if (!read_move(word, &position->now, &move))
            return 0;
        play(position, move);
    }
    return 1;
}
