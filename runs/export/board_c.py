"""Export of any compiled board game's players as one file of C: its rules, and the network."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import numpy as np

from evolve_arena.core.compiled import replace_constants
from evolve_arena.core.errors import BadValueError
from evolve_arena.core.registry import find_game
from evolve_arena.players.board.game import BoardGame
from evolve_arena.players.board.kernel import constants_of
from evolve_arena.players.board.stacks import list_tuples
from evolve_arena.players.board.workspace import SETTING, TAKES_WINS
from evolve_arena.players.bred import BredPlayer, NeatPlayer, VectorPlayer
from evolve_arena.players.packed import INPUTS_AT
from evolve_arena.players.tuples import TuplePlayer
from evolve_arena.runs.export import NetworkSource, cut, read_template, wrap, write_name
from evolve_arena.runs.export.board import (
    check_search,
    count_numbers,
    describe_depth,
    describe_past,
    describe_search,
    find_turns,
    guesses,
    list_asked,
    list_bits,
    list_told,
    write_search_help,
)
from evolve_arena.runs.export.c import (
    LAYERS_C,
    TUPLES_C,
    arrange_c,
    assemble_c,
    describe_nodes_c,
    fill_lines,
    write_array_c,
    write_layers_c,
    write_number_c,
    write_sparse_c,
)
from evolve_arena.runs.export.c_rules import Array, Rules, typeof, types
from evolve_arena.runs.export.javascript import TranslationError

TEMPLATES = Path(__file__).with_name("templates")


def export_c(player: BredPlayer) -> str:
    """The source of one file of C99 that plays as *player* does, move for move.

    Raises:
        BadValueError: The player makes random moves, searches a tree, or is of a game without rules
            in a file.
        TranslationError: The rules need what can't be written as C; it names the line.
    """
    if not isinstance(player.game, BoardGame):
        raise BadValueError(f"{player.name} plays {player.game.name}, which can't be exported to c")
    check_search(player)
    if isinstance(player, TuplePlayer):
        inside = _describe_tuples(player)
    elif player.decoder.is_dense:
        inside = _describe_dense(player)
    elif isinstance(player, NeatPlayer):
        inside = _describe_graph(player)
    else:
        assert isinstance(player, VectorPlayer)
        inside = _describe_mlp(player)
    bot = read_template(TEMPLATES / "board.c")
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


def _write_facts(player: BredPlayer) -> str:
    """What the rest of the bot must know of the game."""
    game, decoder = cast(Any, player.game), cast(Any, player.decoder)
    code = game.code
    facts = {name: getattr(code, name) for name in ("MOVES", "PLANES", "CELLS", "SEATS", "PIECES")}
    facts |= {"WORDS": (code.CELLS + 63) // 64, "SIZE": len(code.START)}
    flags = ("SEES_CELLS", "HAS_POINTS", "HAS_CHANCE", "NOTES", "KIND_COUNT")
    facts |= {name: int(getattr(code, name)) for name in flags}
    facts |= {name: int(value) for name, value in describe_search(player).items()}
    names = ("FEATURES", "MOVE_FEATURES")
    facts |= dict(zip(names, count_numbers(player).values(), strict=True))
    facts["BINS"] = int(getattr(decoder, "bins", 0))
    facts["IS_ACTION"] = int(decoder.head == "action")
    facts["IS_KINDS"] = int(decoder.head == "kinds")
    asked = list_told(player)
    facts |= {"PRUNES": int("prune" in asked), "HIDES": int(_hides(player))}
    facts["GUESSES"] = int(guesses(player))
    facts |= {name: int(value) for name, value in describe_past(player).items()}
    facts |= {"HAS_PAST": int(code.HAS_PAST), "LONGEST": int(code.LONGEST)}
    facts["TURNS"] = find_turns(decoder)
    facts["TAKES_WINS"] = int(player.packed.seats[0, TAKES_WINS])
    return "".join(f"#define {name} {value}\n" for name, value in facts.items())


def _write_rules(player: BredPlayer) -> str:
    """The rules with these options in C, and how the bot asks them."""
    game: Any = player.game
    code, searches = game.code, describe_search(player)["CAN_SEARCH"]
    text = replace_constants(game.source, constants_of(game.rules))
    rules = Rules(text, Path(game.file).name, vars(code))
    if code.IS_ARRAY:
        item = typeof(code.START).dtype
        state: Any = Array(item, (len(code.START),))
        kind, given = f"struct {{ {item}_t numbers[SIZE]; }}", "state->numbers"
    else:
        state = typeof(code.START)
        kind, given = rules.name_type(state), "*state"
    texts = []
    for name, (head, parameters, more_given, kinds) in _list_questions(player).items():
        place, _ = rules.call(name, [state, *kinds])
        cast = "return (int64_t)" if head.startswith("int64_t") else ""
        unused = set(re.findall(r"\w+(?=,|$)", parameters)) - set(re.findall(r"\w+", more_given))
        ignored = "".join(f"(void){parameter};\n    " for parameter in sorted(unused))
        call = f"{ignored}{cast}{place}({given}{more_given});"
        texts.append(f"static {head}(State *state{parameters}) {{\n    {call}\n}}\n")
    changing = [("follow", "play", "move")]
    if _hides(player):
        changing.append(("know", "view", "seat"))
    if searches and code.HAS_CHANCE:
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
    texts += [
        "// Sets a number, of which all 64 bits are given; returns whether it has room there.\n"
        "static int set_number(State *state, int place, uint64_t number, int negative) {\n"
        f"    {cases}\n}}\n",
    ]
    if code.HAS_PAST:
        texts.append(_write_same(state, describe_past(player)["HAS_KEY"]))
    head = "// How the bot asks the rules.\n\n"
    if code.NOTES:
        head += f"// What they note down.\nstatic int64_t notes[{int(code.NOTES)}];\n\n"
    return f"{rules.write()}\n{head}typedef {kind} State;\n\n" + "\n".join(texts) + "\n"


def _hides(player: BredPlayer) -> bool:
    """Test if the bot itself takes from a state what a seat does not know."""
    game: Any = player.game
    return "view" in game.plain and (guesses(player) or player.decoder.head == "kinds")


def _list_questions(player: BredPlayer) -> dict[str, tuple[str, str, str, list[Any]]]:
    """The functions of the file that the bot asks, but for those that change states.

    Of each, how the function that asks begins, its parameters behind the state, those that it
    hands on, and their types.
    """
    code: Any = player.game.code  # type: ignore[attr-defined]
    moves, planes = Array(types.int64, (code.MOVES,)), Array(types.uint64, _plane_words(code))
    asked: dict[str, tuple[str, str, str, list[Any]]] = {
        "to_move": ("int64_t ask_mover", "", "", []),
        "legal": ("int64_t ask_moves", ", int64_t *moves", ", moves", [moves]),
    }
    if code.HAS_POINTS:
        asked["is_over"] = ("int64_t ask_over", "", "", [])
        asked["points"] = ("int64_t ask_points", ", int64_t seat", ", seat", [types.int64])
    else:
        asked["result"] = ("int64_t ask_result", "", "", [])
    if describe_search(player)["CAN_SEARCH"]:
        asked |= {
            name: (f"int64_t ask_{name}", "", "", [])
            for name, has in (("quiet", code.HAS_QUIET), ("chance", code.HAS_CHANCE))
            if has
        }
    asked |= _list_told_questions(player, moves)
    past = describe_past(player)
    if past["HAS_KEY"]:
        asked["key"] = ("int64_t ask_key", "", "", [])
    if past["HAS_PROGRESS"]:
        asked["progress"] = ("int64_t ask_progress", ", int64_t move", ", move", [types.int64])
    if not code.SEES_CELLS and "features" not in asked:
        more = ", int64_t seat, uint64_t *planes", ", seat, planes"
        asked["see"] = ("void ask_view", *more, [types.int64, planes])
    return asked


def _list_told_questions(
    player: BredPlayer, moves: Array
) -> dict[str, tuple[str, str, str, list[Any]]]:
    """Those of functions that may be told more, and for the heads ``action`` and ``kinds``."""
    game: Any = player.game
    features, told = count_numbers(player).values()
    heads = {
        "features": ("void ask_features", "seat", "out"),
        "describe_move": ("void ask_of_move", "move", "seat", "out"),
        "prune": ("int64_t ask_prune", "seat", "moves", "count"),
        "kinds": ("int64_t ask_kinds",),
    }
    script = ("int64_t ask_script", "moves", "count", "kind")
    setting = write_number_c(int(player.packed.seats[0, SETTING]))
    kinds: dict[str, Any] = {"moves": moves, "notes": Array(types.int64, (int(game.code.NOTES),))}
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
        kinds["out"] = Array(types.float64, (features if name == "features" else told,))
        asked[name] = (
            head,
            "".join(f", {texts.get(each, f'int64_t {each}')}" for each in names),
            "".join(f", {own.get(each, each)}" for each in given),
            [kinds.get(each, types.int64) for each in given],
        )
    return asked


def _write_same(state: Any, has_key: bool) -> str:
    """A function of C that compares two states, whose type is *state*."""
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


def _write_setting(field: str, kind: Any) -> str:
    """Statements that set a *field* and return whether it holds the number now."""
    item = {types.uint64: "uint64_t", types.boolean: "uint8_t"}.get(kind, f"{kind}_t")
    signed = isinstance(kind, types.Integer) and kind.signed
    fits = f"({field} < 0) == negative" if signed else "!negative"
    return f"{field} = ({item})number; return (uint64_t){field} == number && {fits};"


def _plane_words(code: Any) -> tuple[int]:
    return (code.PLANES * ((code.CELLS + 63) // 64),)


def _describe_mlp(player: VectorPlayer) -> NetworkSource:
    decoder: Any = player.decoder
    units = decoder.mlp.sizes[1]
    packed = player.packed.columns.reshape(1 + decoder.board.features, -1)[:, :units]
    rows = packed[[0, *(1 + bit for bit in list_bits(decoder.game.code))]]
    (genome,) = decoder.expand(np.asarray(player.genome, dtype=np.float32)[None])
    return NetworkSource(
        templates=(TEMPLATES / "board_mlp.c", LAYERS_C),
        constants=f"""\
#define OUTPUT float
// Biases, then what each bit that is seen adds: in units of 1/65536.
{write_array_c("FIRST_LAYER", "int32_t", rows.ravel().tolist())}\
{write_layers_c(decoder.head, decoder.mlp, genome)}""",
        description=(
            f"network: {'-'.join(map(str, decoder.mlp.sizes))} units, {decoder.activation}",
        ),
    )


def _describe_graph(player: NeatPlayer) -> NetworkSource:
    return describe_nodes_c(player, TEMPLATES / "board_graph.c", _write_graph_facts(player))


def _write_graph_facts(player: BredPlayer) -> str:
    is_policy = int(player.decoder.head in ("policy", "kinds"))
    bits = _write_bits(player)
    return f"#define OUTPUT double\n#define IS_POLICY {is_policy}\n{bits}"


def _write_bits(player: BredPlayer) -> str:
    """The constants that lead from planes to inputs, if bits are seen at all."""
    decoder: Any = player.decoder
    if decoder.encoding == "features":
        return ""
    board, bits = decoder.board, list_bits(decoder.game.code)
    return f"""\
// For each bit that is seen an input, and what it adds to it.
{write_array_c("BIT_INPUTS", "int", board.index[bits].clip(0).tolist())}\
{write_array_c("BIT_NUMBERS", "double", board.factor[bits].astype(float).tolist())}"""


def _describe_dense(player: BredPlayer) -> NetworkSource:
    """A perceptron or a graph that is given numbers which the file counts, perhaps behind bits."""
    decoder: Any = player.decoder
    if isinstance(player, NeatPlayer):
        constants = f"#define IS_DENSE\n{_write_graph_facts(player)}"
        return describe_nodes_c(player, TEMPLATES / "board_dense_graph.c", constants)
    assert isinstance(player, VectorPlayer)
    mlp, (genome,) = decoder.mlp, decoder.expand(np.asarray(player.genome, dtype=np.float32)[None])
    rows = genome[: mlp.sizes[1] * (1 + mlp.inputs)].reshape(-1, mlp.sizes[1])
    return NetworkSource(
        templates=(TEMPLATES / "board_dense.c", LAYERS_C),
        constants=f"""\
#define OUTPUT float
#define IS_DENSE
#define INPUTS {mlp.inputs}
{_write_bits(player)}\
// Biases, then what each input is multiplied by for each unit.
{write_array_c("FIRST_LAYER", "float", np.roll(rows, 1, axis=0).ravel())}\
{write_layers_c(decoder.head, mlp, genome)}""",
        description=(f"network: {'-'.join(map(str, mlp.sizes))} units, {decoder.activation}",),
    )


def _describe_tuples(player: TuplePlayer) -> NetworkSource:
    decoder: Any = player.decoder
    game, views, read = decoder.game, decoder.views, decoder.reading
    cells = player.genome.cells[0]
    numbers = player.packed.columns[int(player.packed.seats[0, INPUTS_AT]) :]
    size = read.cells
    if game.stacks:
        found, _ = list_tuples(cells, game.grid.shape)
        ends = np.cumsum([len(terms) for _, terms in found]).tolist()
        terms = [(cell, 0, *adds) for _, terms in found for cell, *adds in terms]
        pairs = [(first, end) for (first, _), end in zip(found, ends, strict=True)]
        template = "board_stacks.c"
        constants = f"""\
// The bit of each cell, row by row from the top.
#define GRID_SIZE {size}
{write_array_c("GRID", "int", game.grid.ravel().tolist())}\
// The cells that matter, tuple by tuple: what an empty one, an own and another piece adds. And for
// each tuple its first entry, and where its cells end.
static const int TERMS[][4] = {_write_rows(terms)};
static const int TUPLES[][2] = {_write_rows(pairs)};
"""
    else:
        template = "board_tuples.c"
        constants = f"""\
#define TUPLE_LENGTH {cells.shape[1]}
// How many cells tuples read, how many contents each can have, how many bits of each plane count,
// and what these do: how far a plane and a bit are from the next one, and what they add.
#define READ {read.cells}
#define CONTENTS {read.kinds}
#define BITS {read.bits}
#define TABLE_SIZE {read.kinds ** cells.shape[1]}
#define PLANE_STEP {read.plane_step}
#define BIT_STEP {read.bit_step}
#define KIND_STEP {read.kind_step}
static const int TUPLES[TUPLE_COUNT][TUPLE_LENGTH] = {_write_rows(cells.tolist())};
"""
    return NetworkSource(
        templates=(TEMPLATES / template, TUPLES_C),
        constants=f"""\
#define OUTPUT int64_t
#define IS_POLICY 0
#define VIEW_COUNT {len(views)}
#define TUPLE_COUNT {len(cells)}
// How many numbers each entry has, of which one counts by what is seen beside the planes.
#define TABLES {len(decoder.sides)}
// Where each cell lies in each view of the board.
static const int VIEWS[VIEW_COUNT][{size}] = {_write_rows(views.tolist())};
{constants}\
{write_sparse_c(numbers)}""",
        description=(
            f"network: {len(cells)} tuples of {len(cells[0])} cells, in {len(views)} views",
        ),
    )


def _write_rows(rows: Iterable[Iterable[int]]) -> str:
    """An array of arrays."""
    return "{\n" + fill_lines("{" + ", ".join(map(str, row)) + "}" for row in rows) + "}"


def _write_comment(player: BredPlayer, inside: NetworkSource) -> str:
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
