"""Options of Ticket to Ride's rule player, packed into bits: readings of Łabno's description.

His text (2018), its figures and his program differ in details, and leave some open. Each detail is
an option of two values; ``text`` is the reading of the text with its figures, ``code`` that of the
program in its final form. The last option is none of his: to block opponents. A *variant* is one
of these readings, with changes: ``text,long=6``.
"""

from __future__ import annotations

from dataclasses import dataclass

from evolve_arena.core.errors import BadValueError, UnknownNameError

# Compiled code takes these: "core.compiled import constants" in this line makes the cache heed
# changes.
(
    POSSIBLE_ROUTES,
    LONG,
    LONG_MATCH,
    LACKING_KEPT,
    PATH_LIMIT,
    GOAL_ROUTES,
    PATH_POINTS,
    SAME_COLOUR,
    OPPONENTS,
    CLAIM_IF,
    EARLY,
    LATE_CLAIM,
    TICKET_LIMIT,
    INFEASIBLE,
    COLOUR,
    NEEDED,
    OPEN_CARD,
    OTHERS,
    GOAL_COUNT,
    BLOCKS,
) = (1 << bit for bit in range(20))
"""Bit of each option, as in ``variant & LONG``; it is set for the second of its values."""


@dataclass(frozen=True)
class Option:
    """A detail of the rule player that can be read in two ways."""

    name: str
    values: tuple[str, str]
    """The value that the text describes, and the other one."""
    code: int
    """Index in ``values`` of the program's value."""
    meaning: str


OPTIONS = (
    Option(
        "possible",
        ("goal", "all"),
        1,
        "affordable routes that are possible: those of the goal, long ones, and all if the goal "
        "is empty (section 3.2.5), or all of them always (program)",
    ),
    Option(
        "long",
        ("5", "6"),
        1,
        "length from which a route is long: 5 (section 3.2.5), or 6 (program)",
    ),
    Option(
        "long_match",
        ("no", "yes"),
        1,
        "long possible routes are matching as well: no, only those of the goal (section "
        "3.2.5), or yes (program, in all its forms)",
    ),
    Option(
        "lacking",
        ("goal", "none"),
        1,
        "routes that are lacking: those of the goal that can be claimed but are not possible "
        "(section 3.2.5), or none ever, so that cards are always drawn blind (program)",
    ),
    Option(
        "path_limit",
        ("trains", "none"),
        1,
        "paths that belong to the goal: those that cost fewer trains than are left (section "
        "3.2.6), or all of them, even over blocked routes (program)",
    ),
    Option(
        "goal",
        ("whole", "open"),
        0,
        "part of a path that belongs to the goal: all its routes (section 3.2.5, program), or "
        "those still to be claimed, so that the goal is empty once all tickets are done",
    ),
    Option(
        "path_points",
        ("new", "all"),
        1,
        "points that tell equally cheap paths apart: those of routes still to be claimed, or of "
        "all routes (program); the text speaks of the points that the path guarantees",
    ),
    Option(
        "same_colour",
        ("5", "6"),
        1,
        "number of cards of one colour that suffice to claim: 5 (figure 3.1), or 6 (program)",
    ),
    Option(
        "opponents",
        ("6", "7"),
        1,
        "trains that each opponent must have left for tickets to be drawn: 6 (figure 3.1), "
        "or 7 (program)",
    ),
    Option(
        "claim_if",
        ("possible", "matching"),
        1,
        "condition to claim a route rather than draw cards: if any is possible (figure 3.1), or if "
        "any is matching (program)",
    ),
    Option(
        "early",
        ("draw", "always"),
        1,
        "condition for a player with no open ticket to draw cards: while a random number below 20 "
        "+ round is below 100 - 0.8 * round (from round 40 on below 100 - round), or always, as "
        "that number is below 1 in the program; the text says only: at the beginning",
    ),
    Option(
        "late_claim",
        ("no", "yes"),
        1,
        "a player that has no open ticket and does not draw cards claims any possible route: only "
        "by claim_if (figure 3.1), or yes (program)",
    ),
    Option(
        "ticket_limit",
        ("below", "equal"),
        0,
        "tickets that can be done: those whose routes cost fewer trains than are left (section "
        "3.2.6, program), or at most as many (figure 3.2)",
    ),
    Option(
        "infeasible",
        ("cost", "points"),
        1,
        "tickets that are kept if none can be done: those with the lowest cost (figure 3.2), or "
        "with the lowest points (program)",
    ),
    Option(
        "colour",
        ("held", "needs"),
        1,
        "line of a double route that is claimed: of whose colour more cards are held (section "
        "3.2.4), or of whose colour more are wanted, else the second (program)",
    ),
    Option(
        "needs",
        ("missing", "lengths"),
        1,
        "count of wanted cards: those missing to pay each lacking route (section 3.2.3), "
        "or the lengths of its lines, grey as a colour of its own (program)",
    ),
    Option(
        "open_card",
        ("random", "first"),
        1,
        "open card that is taken where chance decides: any (section 3.2.3), or the first, as the "
        "random number is below 1 in the program",
    ),
    Option(
        "players",
        ("others", "all"),
        1,
        "players whose trains and tickets the features summarize: the others (table 4.1), or all "
        "(program)",
    ),
    Option(
        "goal_count",
        ("goal", "last"),
        1,
        "number that the feature of the goal shows: its routes (table 4.1), or these if the last "
        "route of the program's map can be claimed, else 0 (program)",
    ),
    Option(
        "blocks",
        ("no", "yes"),
        0,
        "an affordable route that would join two parts of an opponent's routes, and that a claim "
        "closes to this opponent: claimed like any other (section 2.1, program), or, if nothing "
        "matches, before anything else; no reading of the text",
    ),
)
"""All options, by bit. Sections, figures and tables are those of Łabno (2018)."""

TEXT = 0
CODE = sum(option.code << bit for bit, option in enumerate(OPTIONS))
VARIANTS = {"text": TEXT, "code": CODE}


def parse_variant(text: str) -> int:
    """Return the bits of a variant like ``text``, ``code`` or ``text,long=6``.

    >>> describe_variant(parse_variant("text,long=6,early=always"))
    'text,long=6,early=always'

    Raises:
        UnknownNameError: There is no such variant or option.
        BadValueError: An option has no such value.
    """
    bits = TEXT
    for place, part in enumerate(text.split(",") if text else ()):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if equals:
            bits = _set_option(bits, name, value)
        elif place == 0 and name in VARIANTS:
            bits = VARIANTS[name]
        else:
            raise UnknownNameError("variant", name, VARIANTS)
    return bits


def describe_variant(bits: int) -> str:
    """Return the shortest text from which :func:`parse_variant` makes these *bits*."""
    texts = []
    for name, base in VARIANTS.items():
        changes = [
            f"{option.name}={option.values[bits >> bit & 1]}"
            for bit, option in enumerate(OPTIONS)
            if (bits ^ base) >> bit & 1
        ]
        texts.append([name, *changes])
    return ",".join(sorted(texts, key=len)[0])


def _set_option(bits: int, name: str, value: str) -> int:
    names = [option.name for option in OPTIONS]
    if name not in names:
        raise UnknownNameError("option", name, names)
    bit = names.index(name)
    values = OPTIONS[bit].values
    if value not in values:
        raise BadValueError(f"{name}={value}: expected {values[0]} or {values[1]}")
    return bits & ~(1 << bit) | values.index(value) << bit
