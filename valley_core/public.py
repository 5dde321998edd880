"""What the public modules of all games share: names of options, PettingZoo's wrappers, names in the registries."""

import inspect
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import gymnasium
from pettingzoo.utils import wrappers

from valley_core.adapter import as_number
from valley_core.aec import AECAdapter
from valley_core.errors import UnknownOptionError

if TYPE_CHECKING:
    from pettingzoo import AECEnv

ILLEGAL_REWARD = -1
"""Of the culprit, in PettingZoo's wrappers; the others have 0."""


def defaults_of(make_game: Callable[..., Any]) -> dict[str, Any]:
    """The options of a game with their defaults, from the function that makes it."""
    return {name: option.default for name, option in inspect.signature(make_game).parameters.items()}


def check_names(options: Iterable[str], known: Iterable[str]) -> None:
    """`UnknownOptionError` for the first option, in alphabetical order, that the game does not know."""
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise UnknownOptionError(
            f"got an unexpected keyword argument {unknown[0]!r}; the game's options are {', '.join(known)}"
        )


class NumberWrapper(wrappers.BaseWrapper):
    """Hands on an action in an array or tensor as a number, since PettingZoo's wrappers take no other."""

    def step(self, action: Any) -> None:
        """Carry out an action of the selected agent."""
        number = as_number(action)
        super().step(action if number is None else number)

    def __str__(self) -> str:
        return str(self.env)


def wrapped(make_raw: Callable[..., AECAdapter], illegal_action: str | None, **options: Any) -> "AECEnv":
    """A game's `raw_env` in PettingZoo's usual wrappers: `TerminateIllegalWrapper`, unless `illegal_action` is given,
    `AssertOutOfBoundsWrapper` and `OrderEnforcingWrapper`.
    """
    env: AECEnv = make_raw(illegal_action=illegal_action or "raise", **options)
    if illegal_action is None:
        env = wrappers.TerminateIllegalWrapper(env, illegal_reward=ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(NumberWrapper(wrappers.AssertOutOfBoundsWrapper(env)))


def register_names(module: str, solo_id: str, zoo_id: str) -> None:
    """Put a public module's environments into the registries of Gymnasium and PettingZoo, once."""
    if solo_id not in gymnasium.registry:
        gymnasium.register(solo_id, entry_point=f"{module}:solo_env", vector_entry_point=f"{module}:make_vec")
    try:
        from pettingzoo import env_registry
    except ImportError:  # PettingZoo 1.26 and older have no registry
        return
    for kind, registry, maker in (
        ("aec", env_registry.registration.aec_registry, "env"),
        ("parallel", env_registry.registration.parallel_registry, "parallel_env"),
    ):
        if all(name.replace("-", "_") != zoo_id for name in registry):
            env_registry.register(kind, zoo_id, entry_point=f"{module}:{maker}")
