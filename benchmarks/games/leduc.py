"""Leduc hold'em: poker with six cards, two suits of three ranks, and two rounds of bets.

Each of two players puts in an ante of 1 and gets a card. After a round of bets, of 2 each, a card
is laid open, and a second round follows, of 4 each. A round ends when a bet is called, or both
check; each has at most two bets or raises. Who folds loses what he has put in; else a pair with the
open card wins, or the higher rank, and equal ranks win nothing. Source: Southey et al., "Bayes'
Bluff: Opponent Modelling in Poker", UAI 2005. Of perfect players the first loses 0.0856 chips a
game.
"""

import numpy as np

MOVES, LONGEST, PLANES = 3, 8, 3
PLANE_NAMES = ("own rank, chips and turn", "the other's chips, moves", "open rank, raises, round")
STAKE = 13
ENDINGS = ("the pot", "a split pot")

FOLD, CALL, RAISE = range(3)
RANKS, MAX_RAISES = 3, 2
UNKNOWN, OUT = 0, 7
FIRST, SECOND, OPEN, ROUND, TURN, MADE, RAISES, PAID = range(8)
FOLDED, SIZE = 10, 11


def start():
    state = np.zeros(SIZE, np.int8)  # cards are 1 to 6, 0 is none yet; two cells hold what was paid
    state[PAID] = state[PAID + 1] = 1
    state[FOLDED] = -1
    return state


def to_move(state):
    return state[TURN]


def legal(state, moves):
    count = 0
    if state[PAID + state[TURN]] < state[PAID + 1 - state[TURN]]:
        moves[0] = FOLD
        count = 1
    moves[count] = CALL
    count += 1
    if state[RAISES] < MAX_RAISES:
        moves[count] = RAISE
        count += 1
    return count


def play(state, move):
    seat = state[TURN]
    if move == FOLD:
        state[FOLDED] = seat
        return
    state[PAID + seat] = state[PAID + 1 - seat]
    if move == RAISE:
        state[PAID + seat] += 2 + 2 * state[ROUND]
        state[RAISES] += 1
    state[MADE] += 1
    state[TURN] = 1 - seat
    if move == CALL and state[MADE] > 1:
        state[ROUND] += 1
        state[TURN] = state[MADE] = state[RAISES] = 0


def is_used(state, card):
    return card == state[FIRST] or card == state[SECOND] or card == state[OPEN]


def count_left(state):
    """Count the cards that are neither dealt nor public."""
    count = 0
    for card in range(1, 2 * RANKS + 1):
        count += not is_used(state, card)
    return count


def find_left(state, number):
    """Return the card of that *number* among those that are neither dealt nor public."""
    for card in range(1, 2 * RANKS + 1):
        if not is_used(state, card):
            if number == 0:
                return card
            number -= 1
    return 0


def chance(state):
    dealt = state[FIRST] != 0 and state[SECOND] != 0
    if dealt and (state[ROUND] == 0 or state[OPEN] != 0 or is_over(state)):
        return 0
    return count_left(state)


def resolve(state, outcome):
    place = OPEN
    if state[FIRST] == 0:
        place = FIRST
    elif state[SECOND] == 0:
        place = SECOND
    state[place] = find_left(state, outcome)


def is_over(state):
    return state[FOLDED] >= 0 or state[ROUND] > 1


def find_rank(card):
    return (card + 1) // 2


def find_strength(state, seat):
    rank = find_rank(state[FIRST + seat])
    return rank + RANKS * (rank == find_rank(state[OPEN]))


def points(state, seat):
    """Return the chips that a *seat* wins; 0 until the game is over."""
    if not is_over(state):
        return 0
    if state[FOLDED] >= 0:
        return -state[PAID + seat] if state[FOLDED] == seat else state[PAID + 1 - seat]
    own, other = find_strength(state, seat), find_strength(state, 1 - seat)
    if own == other:
        return 0
    return state[PAID + 1 - seat] if own > other else -state[PAID + seat]


def view(state, seat):
    state[SECOND - seat] = UNKNOWN


def guesses(state, seat):
    return count_left(state) if state[SECOND - seat] == UNKNOWN else 0


def guess(state, seat, number):
    state[SECOND - seat] = find_left(state, number)


def see(state, seat, planes):
    one = np.uint64(1)
    planes[0] = one << np.uint64(find_rank(state[FIRST + seat]))
    planes[0] |= one << np.uint64(3 + state[PAID + seat])
    planes[1] = one << np.uint64(3 + state[PAID + 1 - seat])
    planes[1] |= one << np.uint64(20 + state[MADE])
    planes[0] |= np.uint64(state[TURN] == seat) << np.uint64(30)
    planes[2] = one << np.uint64(find_rank(state[OPEN]))
    planes[2] |= one << np.uint64(10 + state[RAISES])
    planes[2] |= one << np.uint64(20 + state[ROUND])


def name_move(move):
    return ("fold", "call", "raise")[move]


def show(state):
    cards = " ".join("?JJQQKK"[card] for card in state[: OPEN + 1])
    return f"cards of both and the open one: {cards}; paid: {state[PAID]} and {state[PAID + 1]}"
