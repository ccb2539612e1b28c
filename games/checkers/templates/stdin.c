// How hosts ask exported checkers bots in C that are programs.
// It must stay free of everything but C99 and its standard library.

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// --- How hosts ask -----------------------------------------------------------------------

// Reads the one whole number in a text, so much at least; 0 if it is none.
static int read_number(const char *text, uint64_t least, uint64_t *number) {
    char *end;
    size_t digits = strspn(text, "0123456789");
    *number = strtoull(text, &end, 10);
    if (digits && digits <= 20 && !text[digits] && *number >= least)
        return 1;
    snprintf(fault, sizeof fault, "a whole number is wanted, %d or more", (int)least);
    return 0;
}

// Writes the move as 11-15 or 18x11; with all its squares if another one has the same ends.
static void write_move(char text[TEXT], Move move, const Move *moves, int count) {
    int path[LONGEST], length = path_of(move, path), alike = 0, at = 0;
    for (int number = 0; number < count; number++)
        alike += (moves[number] & 0xFFF) == (move & 0xFFF);
    for (int place = 0; place < length; place++)
        if (alike != 1 || place == 0 || place == length - 1)
            at += snprintf(text + at, (size_t)(TEXT - at), "%s%d",
                           place ? captured_by(move) ? "x" : "-" : "", path[place]);
}

// What stands behind the first word if that is this one; else NULL.
static char *read_word(char *text, const char *word) {
    size_t length = strlen(word);
    if (strncmp(text, word, length) || (text[length] && text[length] != ' '))
        return NULL;
    return text + length + (text[length] == ' ');
}

// Writes the answer to "go" and what follows it; 0 if there is none.
static int answer(const Position *position, char *text, char move_text[TEXT]) {
    Limits within = {DEPTH, 0, 0.0, 1, NULL, NULL};
    Move moves[MOST_MOVES], move;
    const Board *now = &position->now;
    int count = list_moves(moves, now->own, now->other, now->kings, now->side);
    uint64_t number;
    char *rest;
    if ((rest = read_word(text, "movetime")) != NULL) {
        if (!read_number(rest, 0, &number))
            return 0;
        // A part is kept back for the way there and back.
        within.seconds = (0.9 * (double)number - 5.0) / 1000.0;
        within.timed = 1;
        within.depth = DEEPEST;
    } else if ((rest = read_word(text, "depth")) != NULL) {
        if (!read_number(rest, 1, &number))
            return 0;
        within.depth = number < DEEPEST ? (int)number : DEEPEST;
    } else if (*text) {
        snprintf(fault, sizeof fault, "write go, go depth PLIES or go movetime MILLISECONDS");
        return 0;
    }
    if (count == 0) {
        snprintf(fault, sizeof fault, "there is no move: the game is over");
        return 0;
    }
    choose(position, &within, &move);
    write_move(move_text, move, moves, count);
    return 1;
}

// Reads a line, its words divided by single blanks; 0 at the end of the input.
static int read_line(char *line, size_t size) {
    size_t length = 0;
    int letter;
    while ((letter = getchar()) != EOF && letter != '\n') {
        if (isspace(letter))
            letter = ' ';
        if (length + 1 < size && (letter != ' ' || (length && line[length - 1] != ' ')))
            line[length++] = (char)letter;
    }
    if (length && line[length - 1] == ' ')
        length--;
    line[length] = '\0';
    return length || letter != EOF;
}

int main(void) {
    static char line[1 << 16];
    static Position position;
    int there_is_one = 0;
    uint64_t number;
    char text[TEXT], said[61], *rest;
    chance = (uint64_t)time(NULL) * 1000003 + (uint64_t)clock();
    while (read_line(line, sizeof line) && !read_word(line, "quit")) {
        int fine = 1;
        snprintf(said, sizeof said, "%.60s", line);
        if ((rest = read_word(line, "position")) != NULL) {
            fine = there_is_one = set_up(rest, &position);
        } else if ((rest = read_word(line, "seed")) != NULL) {
            fine = read_number(rest, 0, &number);
            chance = fine ? number : chance;
        } else if ((rest = read_word(line, "go")) != NULL && !there_is_one) {
            snprintf(fault, sizeof fault, "there is no position");
            fine = 0;
        } else if (rest) {
            fine = answer(&position, rest, text);
            if (fine)
                printf("move %s\n", text);
            fflush(stdout);
        }
        if (!fine)
            fprintf(stderr, "%s: %s\n", said, fault);
    }
    return 0;
}
