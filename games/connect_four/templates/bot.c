// The outside of every Connect Four bot in C: the board, its rules, and how hosts ask it.
//
// An exported file is made of the sections of this file and of one of its neighbours, in which
// the network is, with a board and a network of its own in the first ones. A section begins with
// a ruled line. Whatever is here must stay free of everything but C99 and its standard library.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- The board ----------------------------------------------------------------------------
#define COLUMNS 2
#define ROWS 1
#define CONNECT 2
#define TAKES_WINS 0
// --- How it plays -------------------------------------------------------------------------

// The cell on which a disc comes to lie in a column that has room; -1 if it has none.
static int landing_cell(const int *board, int column) {
    int cell = -1;
    for (int below = column; below < COLUMNS * ROWS && board[below] == 0; below += COLUMNS)
        cell = below;
    return cell;
}

// Whether a disc of mark on that empty cell makes a line.
static int wins(const int *board, int cell, int mark) {
    static const int directions[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    for (int direction = 0; direction < 4; direction++) {
        int length = 1;
        for (int sign = 1; sign >= -1; sign -= 2) {
            int down = sign * directions[direction][0], right = sign * directions[direction][1];
            int row = cell / COLUMNS + down, column = cell % COLUMNS + right;
            while (0 <= row && row < ROWS && 0 <= column && column < COLUMNS
                   && board[row * COLUMNS + column] == mark) {
                length++;
                row += down;
                column += right;
            }
        }
        if (length >= CONNECT)
            return 1;
    }
    return 0;
}

// Returns the column, from 0, into which to drop a disc; -1 if the board is full.
//
// board lists the cells row by row, the top row first: 0 is empty, 1 a disc of the player who
// began, 2 one of the other. mark is 1 or 2: whose turn it is.
static int choose(const int *board, int mark) {
    int cells[COLUMNS], open = 0;
    for (int column = 0; column < COLUMNS; column++) {
        cells[column] = landing_cell(board, column);
        open += cells[column] >= 0;
    }
    if (open == 0)
        return -1;
    see(board, mark);
    for (int column = 0; TAKES_WINS && column < COLUMNS; column++)
        if (cells[column] >= 0 && wins(board, cells[column], mark))
            return column;
    return decide(mark, cells);
}

// --- How hosts ask ------------------------------------------------------------------------

// Reads the cells of a field into a board; returns whether they are one: so many, each empty or a
// disc, and no disc above an empty cell.
static int read_field(const char *field, int shift, int *board) {
    int count = 0;
    for (const char *cell = field; *cell; cell++) {
        int mark = *cell == '.' ? 0 : *cell - '0' + shift;
        if (*cell == ',' || *cell == ';')
            continue;
        if (count == COLUMNS * ROWS || mark < 0 || mark > 2)
            return 0;
        if (count >= COLUMNS && board[count - COLUMNS] && !mark)
            return 0;
        board[count++] = mark;
    }
    return count == COLUMNS * ROWS;
}

static int fail(const char *reason) {
    fprintf(stderr, "%s\n", reason);
    return EXIT_FAILURE;
}

// Plays by the text protocol of The AI Games or of Riddles.io, until the input ends.
int main(void) {
    static char line[4096], word[4096], field[4096];
    int board[COLUMNS * ROWS], id = -1, shift = 0;
    unpack_network();
    while (fgets(line, sizeof line, stdin)) {
        if (!strchr(line, '\n') && !feof(stdin))
            return fail("a line is too long, or is no text");
        // Players are 1 and 2 where the host says field_columns (0 is an empty cell), but 0 and 1
        // where it says field_width (a dot is an empty cell).
        if (sscanf(line, " settings field_width %4095s", word) == 1)
            shift = 1;
        if (sscanf(line, " settings your_botid %4095s", word) == 1)
            id = strchr("012", *word) && !word[1] ? *word - '0' : -1;
        if (sscanf(line, " update game field %4095s", field) == 1 || !strstr(line, "action move"))
            continue;
        int mark = id + shift;
        if (id < 0 || mark < 1 || mark > 2 || !read_field(field, shift, board)) {
            fprintf(stderr, "expected a board of %d columns and %d rows, and player %d or %d\n",
                    COLUMNS, ROWS, 1 - shift, 2 - shift);
            return EXIT_FAILURE;
        }
        int column = choose(board, mark);
        if (column < 0)
            return fail("the board is full");
        printf("place_disc %d\n", column);
        fflush(stdout);
    }
    return EXIT_SUCCESS;
}
