"""The interface of games: rules in Python, and everything that the framework needs of a game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Generic, Literal, TypeAlias, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.types import Array, Json, JsonObject, Move, Position, Settings, State

RulesType: TypeAlias = type[Any]
"""A ``NamedTuple`` of whole numbers with defaults, each ``Annotated`` with an :class:`Option`."""
RulesTuple: TypeAlias = Any
"""The options of a game as compiled code takes them: an instance of its :data:`RulesType`."""
Packed: TypeAlias = Any
"""Packed players: a tuple of arrays, whose layout the game's kernel chooses."""
Room: TypeAlias = Any
"""A kernel's workspace: arrays that it writes to, such as positions, random streams,
activations."""
Counts: TypeAlias = dict[str, Any]
"""Statistics that a game reports beside places, by column: one number, or one for each seat."""


@dataclass(frozen=True)
class Outcome:
    """The end of a game by its rules."""

    places: tuple[int, ...]
    """The rank of each seat, in order of moving: 1 is the best; ties share the better rank."""
    reason: str
    """A phrase: "four in a row", "the board is full"."""
    points: tuple[int, ...] | None = None
    """The points of each seat, in games with points."""

    @property
    def winner(self) -> int | None:
        """The only seat in first place; None if several share it."""
        return self.places.index(1) if self.places.count(1) == 1 else None

    @property
    def scores(self) -> tuple[float, ...]:
        """Each seat's share of the win: 1 / k for the k seats that are first together, else 0."""
        share = 1.0 / self.places.count(1)
        return tuple(share if place == 1 else 0.0 for place in self.places)


@dataclass(frozen=True)
class Option:
    """A whole number on which the rules depend; annotates a field of a game's ``rules_type``."""

    lowest: int = 0
    highest: int = 1
    values: tuple[int, ...] = ()
    """The allowed values, if these are not all from :attr:`lowest` to :attr:`highest`."""

    def check(self, name: str, value: int) -> None:
        """Make sure that *value* is allowed for the option called *name*.

        Raises:
            BadValueError: The value is not allowed.
        """
        allowed = self.values or range(self.lowest, self.highest + 1)
        if value not in allowed:
            few = " or ".join(map(str, allowed)) if len(allowed) <= 2 else ""
            raise BadValueError(
                f"{name} is {value!r}: it must be {few or f'from {self.lowest} to {self.highest}'}"
            )


def options_of(rules_type: RulesType) -> dict[str, Option]:
    """Return the ranges of a game's options, by name; 0 to 2**31 - 1 where none is declared."""
    hints = get_type_hints(rules_type, include_extras=True)
    said = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    return {
        name: next((each for each in found if isinstance(each, Option)), Option(0, 2**31 - 1))
        for name, found in said.items()
    }


class Game(ABC, Generic[State, Move]):
    """Rules of a game. States are values: no method changes one in place.

    Args:
        options: Values of fields of :attr:`rules_type`, by name; the others have their defaults.

    Raises:
        BadValueError: An option is out of range.
    """

    name: ClassVar[str]
    """The name in recipes and on the command line."""
    rules_type: ClassVar[RulesType]
    """The type of the game's options; see :data:`RulesType`."""
    seats: int = 2
    """Number of players."""

    def __init__(self, **options: int) -> None:
        for name, option in options_of(self.rules_type).items():
            option.check(name, options.get(name, self.rules_type._field_defaults[name]))
        self.rules: RulesTuple = self.make_rules(
            **{name: int(value) for name, value in options.items()}
        )
        """The options, as compiled code takes them."""

    @classmethod
    def make_rules(cls, *numbers: int, **options: int) -> RulesTuple:
        """Return the options as :attr:`rules_type`, or as a subclass with its own compiled code."""
        return cls.rules_type(*numbers, **options)

    @property
    def options(self) -> dict[str, int]:
        """The options by name."""
        return dict(self.rules._asdict())

    @abstractmethod
    def describe(self) -> str:
        """Describe the board, with its options: "a board of 7 by 6, 4 in a row"."""

    @abstractmethod
    def initial(self, seed: int = 0) -> State:
        """Return the state before the first move; *seed* decides all events of chance."""

    @abstractmethod
    def to_move(self, state: State) -> int:
        """Return the seat of the player to move, from 0."""

    @abstractmethod
    def legal_moves(self, state: State) -> list[Move]:
        """Return the legal moves in a fixed order; none once the game is over."""

    @abstractmethod
    def play(self, state: State, move: Move) -> State:
        """Return the state after *move*.

        Raises:
            IllegalMoveError: The rules do not allow it.
            GameOverError: The game has ended.
        """

    @abstractmethod
    def outcome(self, state: State) -> Outcome | None:
        """Return the outcome of a game that is over, or None."""

    def tally(self, state: State) -> tuple[tuple[int, ...], Counts]:
        """Return the places if the game ended in *state*, and its counts (`GameSpec.columns`).

        The end may be one by the rules, or a forfeit.
        """
        outcome = self.outcome(state)
        return outcome.places if outcome else (1,) * self.seats, {}

    def stream_seed(self, seed: int) -> int:
        """Return the seed of the players' random stream in a match with this *seed* of 64 bits.

        Games of chance return a seed that differs from that of their chance events.
        """
        return seed

    def view(self, state: State, seat: int) -> State:
        """Return the information of *seat* as a state; *state* itself if the game hides nothing."""
        return state

    @abstractmethod
    def observe(self, state: State, seat: int) -> Array:
        """Return the observation of *seat*, an array of the game's own shape."""

    @abstractmethod
    def parse_move(self, text: str) -> Move:
        """Return the move that *text* names.

        Raises:
            IllegalMoveError: The text names no move.
        """

    @abstractmethod
    def format_move(self, move: Move) -> str:
        """Return the text of a move, as :meth:`parse_move` reads it."""

    def number_of(self, move: Move) -> int:
        """Return the number of a *move* in compiled code, at least 0."""
        return int(move)  # type: ignore[call-overload, no-any-return]

    def move_of(self, number: int) -> Move:
        """Return the move of a *number*: the inverse of :meth:`number_of`."""
        return number  # type: ignore[return-value]

    @abstractmethod
    def parse_position(self, text: str) -> State:
        """Return the state that *text* describes.

        Raises:
            PositionError: The text describes no state.
        """


MAX_SEATS = 5
"""Most players of any game."""

AnyGame: TypeAlias = Game[Any, Any]
"""A game of any states and moves."""
FromGame: TypeAlias = Callable[[Any], Any]
"""A function that makes something for a game."""
AnyPosition: TypeAlias = Any
"""A state of any game."""
AnyMove: TypeAlias = Any
"""A move of any game."""


@dataclass(frozen=True)
class PlayerKind:
    """A kind of player that a specification can name, such as ``minimax:depth=4``."""

    form: str
    """The form of its specification, such as ``file:PATH``."""
    summary: str
    """Its description, in one sentence."""
    make: Callable[[str, Any], Any]
    """Makes such a player: takes the text after the colon, and the game."""
    optional: bool = False
    """True if the text after the colon may be left out."""
    runs_code: bool = False
    """True if it runs code that the user names: a program, or a file of Python code."""
    takes_values: bool = False
    """True for a search whose leaves an evaluator can value: ``values=run:PATH``."""


@dataclass(frozen=True)
class KernelSpec:
    """The compiled code that plays matches of a game."""

    modules: tuple[str, ...]
    """Modules of compiled code that depend on the kinds of players, in an order in which each
    imports only from those before; the last one plays matches. They are compiled anew for the kinds
    that occur."""
    flags: tuple[str, ...]
    """Names of constants of these modules, all True; a copy has False for those that it does not
    need."""
    needs: Callable[[Packed], set[str]]
    """Returns the :attr:`flags` that some packed players need."""
    decide: Callable[[Mapping[str, ModuleType], RulesTuple, Packed, Position, Room], int]
    """Returns the number of the move that a single packed player chooses, or a number below 0 for a
    move that is never allowed. Takes copies of :attr:`modules` by name without packages, the rules,
    the packed player, the position and the workspace, whose first random stream serves chance."""
    play: Callable[..., None]
    """Plays matches. Takes the last of these copies, the rules, the packed players, the seat order
    of each match, its seed, its opening, the workspace, and the arrays of
    `evolve_arena.arena.batch.Results` to fill in."""
    make_workspace: Callable[[RulesTuple, Packed], Room]
    """Makes the workspace for matches of some packed players, which is reused; one of its arrays is
    called ``streams``."""
    constants: Callable[[RulesTuple], Settings] = lambda rules: {}
    """Returns values of constants in these modules that depend on the rules."""
    instead: Mapping[str, str] = field(default_factory=dict)
    """Modules that the copies import instead of those that :attr:`modules` import, by name."""
    draw_openings: Callable[..., None] | None = None
    """Fills the rows of an array with random openings; None if games begin at random anyway."""
    longest_opening: Callable[[RulesTuple], int] = lambda rules: 0
    """Returns the most plies of an opening by the rules."""
    fewest_matches: int = 256
    """Fewest matches in a task for another process; with fewer, sending it takes longer than
    playing."""


@dataclass(frozen=True)
class GameSpec:
    """Everything that the framework knows of a game. A game's package has one, called ``GAME``."""

    game: type[AnyGame]
    """The rules in Python; its ``rules_type`` defines the options."""
    kernel: KernelSpec
    networks: Mapping[str, type[Any]]
    """Evaluators that can be evolved or learned, by name: classes of players (see
    `evolve_arena.players.evolved.EvolvedPlayer`). The first one of each kind of genome is the
    default of the methods that evolve this kind."""
    players: Mapping[str, PlayerKind] = field(default_factory=dict)
    """Players of this game alone, by name."""
    opponents: tuple[str, ...] = ("random",)
    """Default opponents of champions in checks; the first one also plays against people as long as
    there is no champion."""
    ladder: tuple[str, ...] = ("random",)
    """Opponents of a player in ``evolve evaluate``, from weak to strong."""
    most_seats: int = 2
    """Most players of the game."""
    seats_option: str | None = None
    """The option that sets the number of players; the same players can play with any number."""
    has_chance: bool = False
    """True if there are chance events, such as cards that are dealt. Players of such games are
    compared in matches of the same seeds instead of the same openings."""
    columns: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    """Numbers that matches count beside places, by name: their type, and True if each seat has its
    own. Players try to get many of those that are called ``points``."""
    limits: Sequence[int] = ()
    """Thresholds of points: tables give the share of results above each."""
    make_text_ui: FromGame | None = None
    """Makes the game's `evolve_arena.players.text_ui.TextUI` for terminals: takes a game."""
    make_board: FromGame | None = None
    """Makes the game's `evolve_arena.players.page_board.PageBoard` for the page: takes a game. If
    None, the page shows the text for terminals."""
    dialects: Settings = field(default_factory=dict)
    """Protocols of programs that play the game: a `evolve_arena.players.dialects.Dialect` for each
    kind of host, by name, the default first."""
    positions: Sequence[Path] = ()
    """Files of positions with known answers, which ``evolve evaluate`` asks a player to solve if
    they are for the options of its game; see `evolve_arena.runs.positions`."""

    @property
    def name(self) -> str:
        """The name in recipes and on the command line."""
        return self.game.name

    def make(self, /, **options: int) -> Any:
        """Return the game with these *options*.

        Raises:
            UnknownNameError: The game has no such option.
            BadValueError: An option is out of range.
        """
        known = self.game.rules_type._fields
        if unknown := options.keys() - set(known):
            raise UnknownNameError(f"option of {self.name}", min(unknown), known)
        options = {**self.game.rules_type._field_defaults, **options}
        return make_once(self.game, {name: options[name] for name in known})


def make_once(game: type[AnyGame], options: Settings) -> Any:
    """Return the *game* with all its *options*, in order: the same object for the same options.

    Raises:
        BadValueError: An option is out of range.
    """
    if all(type(value) is int for value in options.values()):
        return _make(game, tuple(options.items()))
    return game(**options)  # which checks them


@lru_cache(maxsize=64)
def _make(game: type[AnyGame], options: tuple[tuple[str, int], ...]) -> AnyGame:
    return game(**dict(options))


class Config(BaseModel):
    """Base of all sections of a recipe: immutable, and unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    described_in: ClassVar[type | None] = None
    """The class whose source has the help texts, if a section is made from another class."""
    old_keys: ClassVar[Mapping[str, str]] = {}
    """Keys of older versions of a section ``[method]``, each with today's, such as
    ``{"rate_scale": "learning_rates.scale"}``; recipes may have either."""

    @model_validator(mode="before")
    @classmethod
    def _accept_single(cls, content: Json) -> Json:
        """Accept one value for a list of one: ``hidden = 32``."""
        if not isinstance(content, Mapping):
            return content
        single = {
            key: (value,)
            for key, value in content.items()
            if isinstance(value, int | float | str)
            and key in cls.model_fields
            and get_args(cls.model_fields[key].annotation)[1:] == (...,)
        }
        return {**content, **single} if single else content


@cache
def section_of_rules(name: str, rules: RulesType) -> type[Config]:
    """Make the section ``[game]`` of the game called *name*, with the fields of *rules* as keys."""
    chosen: JsonObject = {"name": (Literal[name], name)}
    chosen |= {key: (int, value) for key, value in rules._field_defaults.items()}
    return create_model("GameConfig", __base__=Config, **chosen)


@cache
def section_of_decoder(decoder: type[Any], left_out: Collection[str], kind: str) -> type[Config]:
    """Make the section ``[network]`` of a *decoder*, with its fields as keys.

    Args:
        decoder: A dataclass whose fields all have defaults.
        left_out: Fields that are set elsewhere, such as the options of the game.
        kind: The name of the decoder for the key ``kind``; empty if the game has only this one.
    """
    hints = get_type_hints(decoder)
    chosen: JsonObject = {}
    if kind:
        chosen["kind"] = (Literal[kind], Field(default=kind, description="Which network it is."))
    for entry in fields(decoder):
        if entry.name not in left_out:
            assert entry.default is not MISSING, f"{decoder.__name__}.{entry.name} has no default"
            chosen[entry.name] = (hints[entry.name], entry.default)
    section = create_model("NetworkConfig", __base__=Config, **chosen)
    section.described_in = decoder
    return section
