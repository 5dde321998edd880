"""A game together with the call that makes it, so that adapters can be copied and pickled."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from valley_core.batch import Loops, loops_of
from valley_core.game import Game
from valley_core.jit import bind
from valley_core.records import KnownStates


class Recipe:
    """A game that is pickled as the call that made it, since a `Game` holds compiled functions.

    Nothing in it changes after it was made, so that deep copies share it.

    Args:
        make_game: A function that can be imported by name, and gives the same game for the same options.
        options: Its keyword arguments; they must be picklable, and hold data rather than names of files, which may
            mean something else where the adapter is unpickled.
    """

    def __init__(self, make_game: Callable[..., Game], options: Mapping[str, Any] | None = None) -> None:
        self.make_game = make_game
        self.options = dict(options or {})
        self.game = make_game(**self.options)

    @cached_property
    def loops(self) -> Loops:
        """The loops of `valley_core.batch`, bound to the game."""
        return loops_of(self.game)

    @cached_property
    def known(self) -> KnownStates:
        """The check of records, and those that need none."""
        return KnownStates(self.game.check_state, self.game.template)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Recipe":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Recipe, (self.make_game, self.options)


def bind_to(game: Game, template: Any, names: Mapping[str, Any]) -> Any:
    """A template bound to a game's kernels (`valley_core.jit.bind`)."""
    return bind(template, names, package=game.package, name=game.package)
