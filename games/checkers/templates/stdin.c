/* --- How hosts ask ------------------------------------------------------------------------- */

/* Reads the one whole number in a text, so much at least; 0 if it is none. */
static int read_number(const char *text, uint64_t least, uint64_t *number)
{
    char *end;
    size_t digits = strspn(text, "0123456789");
    *number = strtoull(text, &end, 10);
    if (digits && digits <= 20 && !text[digits] && *number >= least)
        return 1;
    snprintf(fault, sizeof fault, "a whole number is wanted, %d or more", (int)least);
    return 0;
}

/* Writes the answer to "go" and what follows it; 0 if there is none. */
static int answer(const Position *position, const char *text, char move_text[TEXT])
{
    Limits within = {DEPTH, 0, 0.0, 1, NULL, NULL};
    Move moves[MOST_MOVES], move;
    const Board *now = &position->now;
    int count = list_moves(moves, now->own, now->other, now->kings, now->side);
    uint64_t number;
    if (!strncmp(text, "movetime ", 9)) {
        if (!read_number(text + 9, 0, &number))
            return 0;
        /* A part is kept back for the way there and back. */
        within.seconds = (0.9 * (double)number - 5.0) / 1000.0;
        within.timed = 1;
        within.depth = DEEPEST;
    } else if (!strncmp(text, "depth ", 6)) {
        if (!read_number(text + 6, 1, &number))
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

/* Reads a line, its words divided by single blanks; 0 at the end of the input. */
static int read_line(char *line, size_t size)
{
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

int main(void)
{
    static char line[1 << 16];
    static Position position;
    int there_is_one = 0, fine;
    uint64_t number;
    char text[TEXT], said[61];
    chance = (uint64_t)time(NULL) * 1000003 + (uint64_t)clock();
    while (read_line(line, sizeof line) && strcmp(line, "quit")) {
        char *rest = line + strcspn(line, " ");
        rest += *rest == ' ';
        snprintf(said, sizeof said, "%.60s", line);
        fine = 1;
        if (!strncmp(line, "position", 8) && (line[8] == ' ' || !line[8])) {
            fine = there_is_one = set_up(rest, &position);
        } else if (!strncmp(line, "seed", 4) && (line[4] == ' ' || !line[4])) {
            fine = read_number(rest, 0, &number);
            chance = fine ? number : chance;
        } else if (!strncmp(line, "go", 2) && (line[2] == ' ' || !line[2])) {
            if (!there_is_one) {
                snprintf(fault, sizeof fault, "there is no position");
                fine = 0;
            } else if ((fine = answer(&position, rest, text))) {
                printf("move %s\n", text);
                fflush(stdout);
            }
        }
        if (!fine)
            fprintf(stderr, "%s: %s\n", said, fault);
    }
    return 0;
}
