"""What a policy is trained on and tested by: the settings, and who sits in the other seats."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from agents import make_agent
from training.cells import Plan, play, row_of
from training.games import Entry, entry_of
from training.match import deal_seeds
from training.opponents import SELF, League
from training.side_by_side import SideBySide
from valley_core.errors import OptionError
from valley_core.game import Game

if TYPE_CHECKING:
    from training.train import Args

ALL = "all"
"""In place of a setting: all of them side by side, for one policy that sees which one it plays."""
TEST_SALT = 0x7E57
"""Sets the deals of tests apart from those that are learnt on."""


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
    """

    entry: Entry
    parts: tuple[Part, ...]
    rivals: tuple[str | None, ...]

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
        for part in self.parts:
            seats = {} if part.opponent is None else {"opponents": league.opponent(part.opponent), "seat": "random"}
            # An illegal action loses the game and is counted, so that a run can say that there was none.
            made.append(make_sb3_env(each, illegal_action="lose", **part.options, **self.entry.learning, **seats))
        return SideBySide(made)

    def test(self, agent: str, games: int, seed: int) -> list[dict[str, Any]]:
        """Play fixed deals in each setting against each rival, in each seat: rows as of `training evaluate`.

        Args:
            agent: Name of the agent.
            games: In each setting against each rival, shared out among the seats.
            seed: Of the deals.
        """
        rows = []
        for setting, options in {part.setting: part.options for part in self.parts}.items():
            game = self.entry.make(**options)
            for rival in self.rivals:
                plan = Plan(self.entry, game, setting, agent, rival)
                rows.append(row_of(play(plan, test_deals(seed, max(1, games // len(plan.seats))))))
        return rows


def test_deals(seed: int, count: int) -> np.ndarray:
    """Seeds of the deals of tests, uint64 of shape (count,)."""
    return deal_seeds(seed + TEST_SALT, count)


def course_of(args: "Args") -> Course:
    """What the arguments of `training train` ask for.

    Raises:
        OptionError: They do not go together, or name what there is not.
    """
    entry = entry_of(args.game)
    given = {"deck": args.deck, "players": args.players}
    options = {}
    for name, value in given.items():
        if value is not None:
            if name not in entry.options:
                raise OptionError(f"--{name} is no option of {entry.title}")
            options[entry.options[name]] = value
    solo = bool(entry.solo) and args.variant is None
    known = entry.solo if solo else entry.settings
    setting = args.variant or args.setting or next(iter(known))
    if args.variant and args.setting:
        raise OptionError("--setting is the solo game's, --variant that of two players: give one of them")
    if setting not in known and not (solo and setting == ALL):
        raise OptionError(f"there is no setting {setting!r}; choose one of {', '.join([*known, *[ALL] * solo])}")
    chosen = {name: {**one, **options} for name, one in known.items() if setting in (name, ALL)}
    if solo:
        if args.opponents:
            raise OptionError("--opponents sit in two-player games: give --variant base or --variant backseat")
        return Course(entry, tuple(Part(name, one, None) for name, one in chosen.items()), (None,))
    opponents = args.opponents or tuple(entry.league)
    for name in opponents:
        if name != SELF:
            make_agent(name)
    parts = tuple(Part(setting, chosen[setting], name) for name in opponents)
    return Course(entry, parts, tuple(entry.rivals))
