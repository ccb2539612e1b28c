"""What every game offers: its rules as Python sees them, and all that the framework asks of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, TypeAlias, get_args, get_type_hints

from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from evolve_arena.core.errors import BadValueError, UnknownNameError
from evolve_arena.core.types import Move, State


@dataclass(frozen=True)
class Outcome:
    """How a game ended by its rules."""

    places: tuple[int, ...]
    """The place of each seat, in order of moving: 1 is the best; equals share the better place."""
    reason: str
    """Half a sentence: "four in a row", "the board is full"."""
    points: tuple[int, ...] | None = None
    """The points of each seat, in games that count some."""

    @property
    def winner(self) -> int | None:
        """The seat that won alone, or None."""
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
    """The only values allowed, if these are not all between the two."""

    def check(self, name: str, value: int) -> None:
        """Makes sure that *value* is allowed for the option called *name*.

        Raises:
            BadValueError: It is not.
        """
        allowed = self.values or range(self.lowest, self.highest + 1)
        if value not in allowed:
            few = " or ".join(map(str, allowed)) if len(allowed) <= 2 else ""
            raise BadValueError(
                f"{name} is {value!r}: it must be {few or f'from {self.lowest} to {self.highest}'}"
            )


def options_of(rules_type: type[Any]) -> dict[str, Option]:
    """What the fields of a game's ``rules_type`` may be, by name; any whole number if none says."""
    hints = get_type_hints(rules_type, include_extras=True)
    said = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    return {
        name: next((each for each in found if isinstance(each, Option)), Option(0, 2**31 - 1))
        for name, found in said.items()
    }


class Game(ABC, Generic[State, Move]):
    """Rules over states that are values: nothing is changed in place.

    Args:
        options: The fields of :attr:`rules_type`, by name; what is missing has its default.

    Raises:
        BadValueError: An option is out of range.
    """

    name: ClassVar[str]
    """As the command line and recipes call it."""
    rules_type: ClassVar[type[Any]]
    """A ``NamedTuple`` of whole numbers with defaults, each ``Annotated`` with an `Option`."""
    seats: int = 2
    """How many play."""

    def __init__(self, **options: int) -> None:
        for name, option in options_of(self.rules_type).items():
            option.check(name, options.get(name, self.rules_type._field_defaults[name]))
        self.rules: Any = self.make_rules(**{name: int(value) for name, value in options.items()})
        """The options as numbers: what compiled code takes."""

    @classmethod
    def make_rules(cls, *numbers: int, **options: int) -> Any:
        """The :attr:`rules_type` of these options, or a subclass that is compiled otherwise."""
        return cls.rules_type(*numbers, **options)

    @property
    def options(self) -> dict[str, Any]:
        """The options by name."""
        return dict(self.rules._asdict())

    @abstractmethod
    def describe(self) -> str:
        """The board, with its options: "a board of 7 by 6, 4 in a row"."""

    @abstractmethod
    def initial(self, seed: int = 0) -> State:
        """The state before the first move; in games of chance everything follows from *seed*."""

    @abstractmethod
    def to_move(self, state: State) -> int:
        """The seat whose turn it is, from 0."""

    @abstractmethod
    def legal_moves(self, state: State) -> list[Move]:
        """The moves that may be played, in a fixed order; none once the game is over."""

    @abstractmethod
    def play(self, state: State, move: Move) -> State:
        """The state after *move*.

        Raises:
            IllegalMoveError: The rules do not allow it.
            GameOverError: The game has ended.
        """

    @abstractmethod
    def outcome(self, state: State) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    def tally(self, state: State) -> tuple[tuple[int, ...], dict[str, Any]]:
        """The places if the game ended now, and what it counts beside (`GameSpec.columns`).

        It may have ended by the rules, or because somebody forfeited.
        """
        outcome = self.outcome(state)
        return outcome.places if outcome else (1,) * self.seats, {}

    def stream_seed(self, seed: int) -> int:
        """What the players' stream of a match starts from; *seed* is the match's, of 64 bits.

        Games of chance make it differ from what they use of *seed* themselves.
        """
        return seed

    def view(self, state: State, seat: int) -> State:
        """What *seat* may know, as a state; where nothing is hidden it is *state* itself."""
        return state

    @abstractmethod
    def observe(self, state: State, seat: int) -> NDArray[Any]:
        """What *seat* may know, as an array."""

    @abstractmethod
    def parse_move(self, text: str) -> Move:
        """The move that *text* names.

        Raises:
            IllegalMoveError: It names none.
        """

    @abstractmethod
    def format_move(self, move: Move) -> str:
        """The text that :meth:`parse_move` reads."""

    def number_of(self, move: Move) -> int:
        """The number, at least 0, by which compiled code knows a *move*."""
        return int(move)  # type: ignore[call-overload, no-any-return]

    def move_of(self, number: int) -> Move:
        """The move that :meth:`number_of` gives that *number*."""
        return number  # type: ignore[return-value]

    @abstractmethod
    def parse_position(self, text: str) -> State:
        """The state that *text* describes.

        Raises:
            PositionError: It describes none.
        """


MOST_SEATS = 5
"""How many play any game, at most."""

AnyGame: TypeAlias = Game[Any, Any]
"""A game of whatever states and moves."""


@dataclass(frozen=True)
class PlayerKind:
    """A kind of player that a specification can name, such as ``minimax:depth=4``."""

    form: str
    """How it is written, such as ``file:PATH``."""
    summary: str
    """What it does, in one sentence."""
    make: Callable[[str, Any], Any]
    """Makes one from what stands after the colon, for a game."""
    optional: bool = False
    """Whether the name alone will do, for what is written after the colon."""
    runs_code: bool = False
    """Whether what stands after the colon is run: a program, or a file of Python code."""
    takes_values: bool = False
    """True for a search whose leaves ``values=run:PATH`` can value."""


@dataclass(frozen=True)
class KernelSpec:
    """How the matches of a game are played by compiled code."""

    modules: tuple[str, ...]
    """The files of compiled code that know what kinds of players there are, in an order in which
    each imports only from those before; the last one plays matches. They are compiled anew for
    the kinds that occur."""
    flags: tuple[str, ...]
    """Names in these files that are True; a copy has False for what it need not know."""
    needs: Callable[[Any], set[str]]
    """Which :attr:`flags` some packed players need."""
    decide: Callable[[Mapping[str, Any], Any, Any, Any, Any], int]
    """The number of the move that the only one of some packed players chooses, or less than 0 if
    it wants what is never allowed: takes copies of :attr:`modules` by their last names, the rules,
    the packed players, the position and the workspace, from whose first stream chance comes."""
    play: Callable[..., None]
    """Plays matches: takes the last of these copies, the rules, the packed players, the seat order
    of each match, its seed, its opening, the workspace, and the arrays of
    `evolve_arena.arena.batch.Results` to fill in."""
    make_workspace: Callable[[Any, Any], Any]
    """Arrays for matches by some rules of some packed players, used again and again; one is
    ``streams``."""
    constants: Callable[[Any], Mapping[str, Any]] = lambda rules: {}
    """What names in these files are by some rules, if a copy for them knows them beforehand."""
    instead: Mapping[str, str] = field(default_factory=dict)
    """Other modules that the copies import, by what :attr:`modules` import."""
    draw_openings: Callable[..., None] | None = None
    """Fills rows with random moves; None if games begin at random anyway."""
    longest_opening: Callable[[Any], int] = lambda rules: 0
    """How many plies an opening may have, by the rules."""
    fewest_matches: int = 256
    """How many matches at least are handed to a process together, so that they are worth it."""


@dataclass(frozen=True)
class GameSpec:
    """All that the framework knows of a game. A game's package has one, called ``GAME``."""

    game: type[AnyGame]
    """The rules for Python; its ``rules_type`` defines the options."""
    kernel: KernelSpec
    networks: Mapping[str, type[Any]]
    """What can be bred or learned, by name: classes of players (see
    `evolve_arena.players.bred.BredPlayer`). The first one of a kind of genome is what methods breed
    if a recipe does not say."""
    players: Mapping[str, PlayerKind] = field(default_factory=dict)
    """Its own players by name, beside those of every game."""
    opponents: tuple[str, ...] = ("random",)
    """Whom champions meet in checks if a recipe does not say; the first one also people, if nothing
    was bred yet."""
    ladder: tuple[str, ...] = ("random",)
    """Whom ``evolve evaluate`` lets a player meet."""
    most_seats: int = 2
    seats_option: str | None = None
    """The option that says how many play; the same players can play with any number."""
    has_chance: bool = False
    """Whether chance decides beside the players, as where cards are dealt. Such games are compared
    by matches of the same seeds instead of the same openings."""
    columns: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    """What matches count beside places, by name: the type of its numbers, and whether each seat has
    one. What is called ``points`` is what players try to have many of."""
    limits: Sequence[int] = ()
    """Points of which tables tell how often somebody had more."""
    make_text_ui: Callable[[Any], Any] | None = None
    """How people at a terminal talk about a game: takes it, gives a
    `evolve_arena.players.text_ui.TextUI`."""
    make_board: Callable[[Any], Any] | None = None
    """How a page draws a game: takes it, gives a `evolve_arena.players.board_view.BoardView`; the
    text for terminals if None."""
    dialects: Mapping[str, Any] = field(default_factory=dict)
    """How programs that play are spoken to: a `evolve_arena.players.dialects.Dialect` for each kind
    of host, by name, the usual one first."""
    positions: Path | None = None
    """A file of positions with known answers, for the usual options, which ``evolve evaluate``
    lets a player solve; see `evolve_arena.runs.positions`."""

    @property
    def name(self) -> str:
        """As the command line and recipes call it."""
        return self.game.name

    def make(self, /, **options: int) -> Any:
        """The game with these *options*.

        Raises:
            UnknownNameError: It has no such option.
            BadValueError: One is out of range.
        """
        known = self.game.rules_type._fields
        if unknown := options.keys() - set(known):
            raise UnknownNameError(f"option of {self.name}", min(unknown), known)
        options = {**self.game.rules_type._field_defaults, **options}
        return make_once(self.game, {name: options[name] for name in known})


def make_once(game: type[AnyGame], options: Mapping[str, Any]) -> Any:
    """Return the *game* with all its *options*, in their order: one object for the same options.

    Raises:
        BadValueError: One is out of range.
    """
    if all(type(value) is int for value in options.values()):
        return _make(game, tuple(options.items()))
    return game(**options)  # which checks them


@lru_cache(maxsize=64)
def _make(game: type[AnyGame], options: tuple[tuple[str, int], ...]) -> AnyGame:
    return game(**dict(options))


class Config(BaseModel):
    """Base of all sections: unknown keys are errors, and values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    described_in: ClassVar[type[Any] | None] = None
    """The class whose source says what the keys mean, if a section is made of another class."""

    @model_validator(mode="before")
    @classmethod
    def _accept_single(cls, content: Any) -> Any:
        """Takes one value for a list of one: ``hidden = 32``."""
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
def section_of_rules(name: str, rules: Any) -> type[Config]:
    """The section ``[game]`` of the game called *name*, whose options are the fields of *rules*."""
    chosen: dict[str, Any] = {"name": (Literal[name], name)}
    chosen |= {key: (int, value) for key, value in rules._field_defaults.items()}
    return create_model("GameConfig", __base__=Config, **chosen)


@cache
def section_of_decoder(decoder: Any, left_out: Collection[str], kind: str) -> type[Config]:
    """The section ``[network]`` of a *decoder*: its fields, but for some.

    Args:
        decoder: A dataclass, all fields of which have defaults.
        left_out: Fields that are said elsewhere, such as the options of the game.
        kind: The name of the decoder, if there are others too; the first key then.
    """
    hints = get_type_hints(decoder)
    chosen: dict[str, Any] = {}
    if kind:
        chosen["kind"] = (Literal[kind], Field(default=kind, description="Which network it is."))
    for entry in fields(decoder):
        if entry.name not in left_out:
            assert entry.default is not MISSING, f"{decoder.__name__}.{entry.name} has no default"
            chosen[entry.name] = (hints[entry.name], entry.default)
    section = create_model("NetworkConfig", __base__=Config, **chosen)
    section.described_in = decoder
    return section
