"""Export of any compiled board game's players as one file of C: its rules, and the network."""

from __future__ import annotations

import re
from pathlib import Path

from evolve_arena.core.compiled import replace_constants
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.kernel import constants_of
from evolve_arena.players.board.workspace import SETTING
from evolve_arena.players.evolved import EvolvedPlayer
from evolve_arena.runs.export import cut, read_template, wrap, write_name
from evolve_arena.runs.export.board import (
    board_game,
    check_search,
    describe_depth,
    find_facts,
    list_asked,
    list_told,
    write_search_help,
)
from evolve_arena.runs.export.c import arrange_c, assemble_c, describe_network, write_number_c
from evolve_arena.runs.export.c_rules import Array, Rules, Type, typeof, types
from evolve_arena.runs.export.javascript import TranslationError
from evolve_arena.runs.export.networks import NetworkSource

FACTS = (
    *("MOVES", "PLANES", "CELLS", "SEATS", "PIECES", "WORDS", "SIZE", "SEES_CELLS", "HAS_POINTS"),
    *("HAS_CHANCE", "NOTES", "KIND_COUNT", "CAN_SEARCH", "DEPTH", "HAS_QUIET", "UNIT", "FEATURES"),
    *("MOVE_FEATURES", "BINS", "IS_ACTION", "IS_KINDS", "PRUNES", "HIDES", "GUESSES"),
    *("REPETITION", "NO_PROGRESS", "HAS_KEY", "HAS_PROGRESS", "HAS_PAST", "LONGEST", "TURNS"),
    *("STAGES", "SPAN", "STAGE_PLANES", "TAKES_WINS"),
)
"""Names of the constants that are defined in C, in this order."""


def export_c(player: EvolvedPlayer) -> str:
    """Return the source of one file of C99 that plays as *player* does, move for move.

    Raises:
        BadValueError: The player makes random moves, searches a tree, or is of a game without rules
            in a file.
        TranslationError: The rules use something that can't be written as C; it names the line.
    """
    if not isinstance(player.game, BoardGame):
        raise BadValueError(f"{player.name} plays {player.game.name}, which can't be exported to c")
    check_search(player)
    inside = describe_network(player)
    bot = read_template("board.c")
    outer = cut(bot)
    try:
        rules = _write_rules(player)
    except TranslationError as error:
        raise TranslationError(f"{error}: export it with --to python") from None
    sections = {
        "Whole numbers": outer["Whole numbers"],
        "The game": f"{_write_facts(player)}\n{rules}",
        **arrange_c(inside),
        "How it plays": outer["How it plays"],
        "How it looks ahead": outer["How it looks ahead"],
        "How hosts ask": outer["How hosts ask"],
    }
    templates = [bot, *map(read_template, inside.templates)]
    return assemble_c(_write_comment(player, inside), templates, sections)


def _write_facts(player: EvolvedPlayer) -> str:
    """Write the definitions of the constants that the rest of the bot needs."""
    game = board_game(player)
    told, code, head = find_facts(player), game.code, player.decoder.head
    told |= {"NOTES": code.NOTES, "KIND_COUNT": code.KIND_COUNT, "HAS_PAST": code.HAS_PAST}
    told |= {"WORDS": (code.CELLS + 63) // 64, "PRUNES": "prune" in list_told(player)}
    told |= {"IS_ACTION": head == "action", "IS_KINDS": head == "kinds", "HIDES": _hides(player)}
    return "".join(f"#define {name} {int(told[name])}\n" for name in FACTS)


def _write_rules(player: EvolvedPlayer) -> str:
    """Write the rules with their options in C, and the functions by which the bot calls them."""
    game = board_game(player)
    code, bot = game.code, find_facts(player)
    text = replace_constants(game.source, constants_of(game.rules))
    rules = Rules(text, Path(game.file).name, vars(code))

    # The type of a state: an array or a tuple of numbers
    state: Type
    if code.IS_ARRAY:
        item = typeof(code.START).dtype
        state = Array(item, (len(code.START),))
        kind, given = f"struct {{ {item}_t numbers[SIZE]; }}", "state->numbers"
    else:
        state = typeof(code.START)
        kind, given = rules.name_type(state), "*state"

    # Functions that only read a state
    texts = []
    for name, (head, parameters, more_given, kinds) in _list_questions(player).items():
        place, _ = rules.call(name, [state, *kinds])
        cast = "return (int64_t)" if head.startswith("int64_t") else ""
        unused = set(re.findall(r"\w+(?=,|$)", parameters)) - set(re.findall(r"\w+", more_given))
        ignored = "".join(f"(void){parameter};\n    " for parameter in sorted(unused))
        call = f"{ignored}{cast}{place}({given}{more_given});"
        texts.append(f"static {head}(State *state{parameters}) {{\n    {call}\n}}\n")

    # Functions that change a state
    changing = [("follow", "play", "move")]
    if _hides(player):
        changing.append(("know", "view", "seat"))
    if bot["CAN_SEARCH"] and code.HAS_CHANCE:
        changing.append(("happen", "resolve", "outcome"))
    for called, name, given_name in changing:
        place, after = rules.call(name, [state, types.int64])
        if code.IS_ARRAY:
            body, cases = (
                f"    (void){place}({given}, {given_name});\n",
                _write_setting("state->numbers[place]", item),
            )
        else:
            names = ["m[{}]" if isinstance(k, types.UniTuple) else "m{}" for k in (state, after)]
            body = f"    {rules.name_type(after)} after = {place}({given}, {given_name});\n"
            cases = "switch (place) {\n"
            for number, part in enumerate(state):
                own, other = (name.format(number) for name in names)
                body += f"    state->{own} = ({rules.name_type(part)})after.{other};\n"
                cases += f"    case {number}: {_write_setting(f'state->{own}', part)}\n"
            cases += "    }\n    return 0;"
        texts.append(f"static void {called}(State *state, int64_t {given_name}) {{\n{body}}}\n")

    # Reading a state, and comparing two
    texts += [
        "// Sets a number, of which all 64 bits are given; returns whether it has room there.\n"
        "static int set_number(State *state, int place, uint64_t number, int negative) {\n"
        f"    {cases}\n}}\n",
    ]
    if code.HAS_PAST:
        texts.append(_write_same(state, bool(bot["HAS_KEY"])))
    head = "// How the bot asks the rules.\n\n"
    if code.NOTES:
        head += f"// What they note down.\nstatic int64_t notes[{int(code.NOTES)}];\n\n"
    return f"{rules.write()}\n{head}typedef {kind} State;\n\n" + "\n".join(texts) + "\n"


def _hides(player: EvolvedPlayer) -> bool:
    """Test if the bot itself removes from a state what its seat does not know."""
    game = board_game(player)
    uses = find_facts(player)["GUESSES"] or player.decoder.head == "kinds"
    return "view" in game.plain and bool(uses)


def _list_questions(player: EvolvedPlayer) -> dict[str, tuple[str, str, str, list[Type]]]:
    """Return wrappers of the file's functions that the bot calls without changing a state.

    By function: the head of the wrapper in C, its parameters after the state, the arguments that it
    passes on, and their types.
    """
    code = board_game(player).code
    bot = find_facts(player)
    moves, words = Array(types.int64, (code.MOVES,)), code.PLANES * ((code.CELLS + 63) // 64)
    planes = Array(types.uint64, (words,))
    asked: dict[str, tuple[str, str, str, list[Type]]] = {
        "to_move": ("int64_t ask_mover", "", "", []),
        "legal": ("int64_t ask_moves", ", int64_t *moves", ", moves", [moves]),
    }
    if code.HAS_POINTS:
        asked["is_over"] = ("int64_t ask_over", "", "", [])
        asked["points"] = ("int64_t ask_points", ", int64_t seat", ", seat", [types.int64])
    else:
        asked["result"] = ("int64_t ask_result", "", "", [])
    if bot["CAN_SEARCH"]:
        asked |= {
            name: (f"int64_t ask_{name}", "", "", [])
            for name, has in (("quiet", code.HAS_QUIET), ("chance", code.HAS_CHANCE))
            if has
        }
    asked |= _list_told_questions(player, moves)
    if bot["HAS_KEY"]:
        asked["key"] = ("int64_t ask_key", "", "", [])
    if bot["HAS_PROGRESS"]:
        asked["progress"] = ("int64_t ask_progress", ", int64_t move", ", move", [types.int64])
    if not code.SEES_CELLS and "features" not in asked:
        more = ", int64_t seat, uint64_t *planes", ", seat, planes"
        asked["see"] = ("void ask_view", *more, [types.int64, planes])
    return asked


def _list_told_questions(
    player: EvolvedPlayer, moves: Array
) -> dict[str, tuple[str, str, str, list[Type]]]:
    """Return such wrappers of the functions in :func:`list_told`, except ``view``."""
    game = board_game(player)
    bot = find_facts(player)
    heads = {
        "features": ("void ask_features", "seat", "out"),
        "describe_move": ("void ask_of_move", "move", "seat", "out"),
        "prune": ("int64_t ask_prune", "seat", "moves", "count"),
        "kinds": ("int64_t ask_kinds",),
    }
    script = ("int64_t ask_script", "moves", "count", "kind")
    setting = write_number_c(int(player.packed.seats[0, SETTING]))
    kinds: dict[str, Type] = {"moves": moves, "notes": Array(types.int64, (int(game.code.NOTES),))}
    texts = {"moves": "int64_t *moves", "out": "double *out"}
    own = {"setting": setting, "random": "draw_number()"}
    asked = {}
    for name in list_told(player):
        if name == "view":
            continue
        head, *names = heads.get(name, script)
        given = [*names, *game.asks.get(name, ())]
        if name in game.scripts:
            given = [*list_asked(game, name)[1:], *game.asks[name]]
        written = bot["FEATURES" if name == "features" else "MOVE_FEATURES"]
        kinds["out"] = Array(types.float64, (written,))
        asked[name] = (
            head,
            "".join(f", {texts.get(each, f'int64_t {each}')}" for each in names),
            "".join(f", {own.get(each, each)}" for each in given),
            [kinds.get(each, types.int64) for each in given],
        )
    return asked


def _write_same(state: Type, has_key: bool) -> str:
    """Write the function of C that compares two states of the type *state*."""
    same = "!memcmp(one, other, sizeof *one)"
    if has_key:
        same = "ask_key(one) == ask_key(other)"
    elif not isinstance(state, Array):
        form = "m[{}]" if isinstance(state, types.UniTuple) else "m{}"
        fields = [form.format(place) for place in range(len(state))]
        same = "\n        && ".join(f"one->{each} == other->{each}" for each in fields)
    return (
        "// Whether two states are the same position.\n"
        f"static int is_same(State *one, State *other) {{\n    return {same};\n}}\n"
    )


def _write_setting(field: str, kind: Type) -> str:
    """Write C statements that assign a number to *field* and return whether the number fits."""
    item = {types.uint64: "uint64_t", types.boolean: "uint8_t"}.get(kind, f"{kind}_t")
    signed = isinstance(kind, types.Integer) and kind.signed
    fits = f"({field} < 0) == negative" if signed else "!negative"
    return f"{field} = ({item})number; return (uint64_t){field} == number && {fits};"


def _write_comment(player: EvolvedPlayer, inside: NetworkSource) -> str:
    facts = [
        f"game: {player.game.name}, {player.game.describe()}",
        *inside.description,
        f"head: {player.decoder.head}",
        *describe_depth(player),
    ]
    usual = next(iter(find_game(player.game.name).dialects)) == "plain"
    use = (
        f"In Evolve Arena it is the player process:{'' if usual else 'dialect=plain,'}./bot."
        ' It reads lines "state NUMBERS" and "go",'
        ' and answers "move NUMBER"; the file of the game says what the numbers are.'
        + write_search_help(player, '"go depth 3"', '"go movetime 500"')
        + " In your own program call choose(state, DEPTH, -1.0), after unpack_network()."
    )
    name = write_name(player.name)
    return f"""The {player.game.name} player {name}, bred by Evolve Arena, in C.

Compile it, with any compiler of C99, without -ffast-math:

    gcc -O2 -o bot FILE -lm

{wrap(use)}

What it is:

{chr(10).join(wrap(f"- {fact}", "  ") for fact in facts)}

It chooses the very moves that the player chooses inside Evolve Arena. {inside.remark}
"""
