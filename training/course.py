"""What a policy is trained on and tested by: the settings, who sits in the other seats, and which decks or boards.

A policy that is to play on any deck learns on many drawn ones side by side, and observes what the cards are. Those of
the seeds 0, 1, 2 … are learnt on; such a training is tested on a few from `TESTED_FROM` on, so that the best network is
the one that generalises best, and strength is reported on those from `UNSEEN_FROM` on (`training generalise`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from agents import make_agent
from training.cells import Plan, play, pooled, row_of
from training.games import Entry, Options, entry_of
from training.opponents import SELF, League
from training.seeds import Purpose, deal_seeds
from training.side_by_side import SideBySide
from valley_core.errors import OptionError
from valley_core.game import Game

if TYPE_CHECKING:
    from training.train import Args

ALL = "all"
"""In place of a setting: all of them side by side, for one policy that sees which one it plays."""
TESTED_FROM, UNSEEN_FROM = 1_000_000, 2_000_000
"""First seeds of the decks or boards that are drawn for the tests of a training, and for reports."""
TESTED = 8
"""Decks or boards of a test."""


@dataclass(frozen=True)
class Part:
    """Games of one kind among those that are learnt on.

    Attributes:
        setting: Its name.
        options: Of the game.
        opponent: Name of who sits in all other seats; None where the game plays them itself.
    """

    setting: str
    options: Mapping[str, Any]
    opponent: str | None


@dataclass(frozen=True)
class Course:
    """What a policy is trained on, and tested by.

    Attributes:
        entry: Of the game.
        parts: Learnt on side by side, with equally many games each.
        rivals: Opponents in tests; None alone where the game plays itself.
        tests: Setting → options of each game of a test, which shares its deals out among them.
        any_data: Whether the policy learns to play on any deck or board.
    """

    entry: Entry
    parts: tuple[Part, ...]
    rivals: tuple[str | None, ...]
    tests: Mapping[str, Sequence[Mapping[str, Any]]]
    any_data: bool = False

    @property
    def game(self) -> Game:
        """The game in the first setting, with all that can be observed."""
        return self.entry.make(**self.parts[0].options)

    def environment(self, count: int, league: League) -> SideBySide:
        """`count` games, shared out among the parts; the learner's seat is drawn for each game, if there are several.

        Raises:
            OptionError: `count` is no multiple of the parts.
        """
        make_sb3_env = import_module(f"{self.entry.name}_env").make_sb3_env
        each, rest = divmod(count, len(self.parts))
        if rest or not each:
            raise OptionError(
                f"--envs {count} cannot be shared out among {len(self.parts)} kinds of games; give a multiple"
            )
        made = []
        learning = self.entry.knowing if self.any_data else self.entry.learning
        for part in self.parts:
            seats = {} if part.opponent is None else {"opponents": league.opponent(part.opponent), "seat": "random"}
            # An illegal action loses the game and is counted, so that a run can say that there was none.
            made.append(make_sb3_env(each, illegal_action="lose", **part.options, **learning, **seats))
        return SideBySide(made)

    def test(self, agent: str, games: int, seed: int, purpose: Purpose = Purpose.TRAINING_TEST) -> list[dict[str, Any]]:
        """Play fixed deals in each setting against each rival, in each seat: rows as of `training evaluate`.

        Args:
            agent: Name of the agent.
            games: In each setting against each rival, shared out among the seats.
            seed: Of the deals.
            purpose: Whose deals they are.
        """
        rows = []
        for setting, tested in self.tests.items():
            made = [self.entry.make(**options) for options in tested]
            for rival in self.rivals:
                plans = [Plan(self.entry, game, setting, agent, rival) for game in made]
                deals = max(1, games // len(plans[0].seats) // len(plans))
                seeds = deal_seeds(seed, deals * len(plans), purpose).reshape(len(plans), deals)
                rows.append(row_of(pooled([play(plan, own) for plan, own in zip(plans, seeds, strict=True)])))
        return rows


def course_of(args: "Args") -> Course:
    """What the arguments of `training train` ask for.

    Raises:
        OptionError: They do not go together, or name what there is not.
    """
    entry = entry_of(args.game)
    drawn = drawn_options(args, entry)
    options = entry.chosen(deck=args.deck, players=args.players)
    solo = bool(entry.solo) and args.variant is None
    known = known_settings(entry, solo, bool(drawn))
    setting = args.variant or args.setting or next(iter(known))
    if args.variant and args.setting:
        raise OptionError("--setting is the solo game's, --variant that of two players: give one of them")
    if setting not in known and not (solo and setting == ALL):
        raise OptionError(f"there is no setting {setting!r}; choose one of {', '.join([*known, *[ALL] * solo])}")
    chosen = {name: {**one, **options} for name, one in known.items() if setting in (name, ALL)}
    if solo and args.opponents:
        raise OptionError("--opponents sit in two-player games: give --variant base or --variant backseat")
    opponents: Sequence[str | None] = [None] if solo else args.opponents or entry.league
    for opponent in opponents:
        if opponent not in (None, SELF):
            make_agent(opponent)
    kinds = [Part(name, one, opponent) for name, one in chosen.items() for opponent in opponents]
    rivals = (None,) if solo else tuple(entry.rivals)
    if not drawn:
        return Course(entry, tuple(kinds), rivals, {name: (one,) for name, one in chosen.items()})
    # Each deck in one of the kinds, in turn; a single one in all of them.
    turns = range(max(len(kinds), len(drawn)))
    pairs = [(kinds[turn % len(kinds)], drawn[turn % len(drawn)]) for turn in turns]
    parts = tuple(replace(kind, options={**kind.options, **one}) for kind, one in pairs)
    tested = drawn if len(drawn) == 1 else drawn_from(entry, TESTED_FROM, TESTED)
    tests = {name: tuple({**one, **other} for other in tested) for name, one in chosen.items()}
    return Course(entry, parts, rivals, tests, any_data=len(drawn) > 1)


def known_settings(entry: Entry, solo: bool, drawn: bool) -> Mapping[str, Options]:
    """The settings, by name; of drawn boards there is one, since boards are all that the settings differ in."""
    known = entry.solo if solo else entry.settings
    if drawn and any(entry.drawn.option in one for one in known.values()):
        return {entry.drawn.name: {}}
    return known


def drawn_options(args: "Args", entry: Entry) -> list[dict[str, Any]]:
    """Options for each of the decks or boards that are to be drawn for learning; none if none are.

    Raises:
        OptionError: Seeds of those that are kept for tests; or a deck is named, too.
    """
    if args.drawn is None:
        return []
    if args.deck is not None:
        raise OptionError("--deck names a deck, --drawn draws some: give one of them")
    if args.drawn > 1 and args.drawn_seed + args.drawn > TESTED_FROM:
        raise OptionError(
            f"{entry.drawn.name} from seed {TESTED_FROM:,} on are kept for tests: --drawn-seed and --drawn lead there"
        )
    return drawn_from(entry, args.drawn_seed, args.drawn)


def drawn_from(entry: Entry, seed: int, count: int) -> list[dict[str, Any]]:
    """Options for decks or boards that are drawn from this seed and those after it."""
    return [{entry.drawn.option: entry.drawn.draw(seed + k)} for k in range(count)]
