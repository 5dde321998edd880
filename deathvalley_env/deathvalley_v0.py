"""Death Valley: Highs & Lows as environments: PettingZoo (`env`, `raw_env`, `parallel_env`), Gymnasium (`solo_env`,
`make_vec`) and Stable-Baselines3 (`make_sb3_env`).

The options of the game are those of `deathvalley_env.game.make_game`, by name; adapters have some of their own.
"""

from typing import TYPE_CHECKING, Any

from gymnasium.vector import AutoresetMode

from deathvalley_env.deck import load_deck
from deathvalley_env.game import make_game
from valley_core.aec import AECAdapter
from valley_core.errors import OptionError
from valley_core.gym_env import GymAdapter
from valley_core.learners import Opponents
from valley_core.parallel import ParallelAdapter
from valley_core.public import check_names, defaults_of, wrapped
from valley_core.vector import VectorAdapter

if TYPE_CHECKING:
    from pettingzoo import AECEnv

    from valley_core.sb3 import SB3Adapter

NAME = "deathvalley_v0"
DEFAULTS = defaults_of(make_game)
"""The options of the game."""


def _options(options: dict[str, Any]) -> dict[str, Any]:
    """The options with the deck read: an adapter is pickled with its cards, not with the name of a file."""
    check_names(options, DEFAULTS)
    return {**options, "deck": load_deck(options.get("deck", DEFAULTS["deck"]))}


def _two_players(options: dict[str, Any]) -> dict[str, Any]:
    if options.get("solo"):
        raise OptionError("solo=True has one player to choose actions; use solo_env(), make_vec() or make_sb3_env()")
    return _options(options)


def _learner(options: dict[str, Any], opponents: Opponents) -> dict[str, Any]:
    """Options of a game with one learner: solo unless there are opponents."""
    solo = opponents is None
    if bool(options.get("solo", solo)) != solo:
        raise OptionError("solo play is against the rulebook's AI, and takes no opponents; without it, give opponents")
    if solo and options.get("variant", "backseat") == "base":
        raise OptionError(
            "variant='base' is not possible in solo play, which is the Backseat variant (rulebook, Solo Play): leave "
            "variant out, or give opponents: the base game is for two players"
        )
    return _options({**options, "solo": solo})


def raw_env(*, illegal_action: str = "raise", render_mode: str | None = None, **options: Any) -> AECAdapter:
    """Two players, as a PettingZoo `AECEnv` without wrappers.

    Observations, actions, rewards and ends are those of `valley_core.aec.AECAdapter`; their layout is in
    ``docs/deathvalley.md``.

    >>> from deathvalley_env import deathvalley_v0
    >>> env = deathvalley_v0.raw_env(variant="backseat")
    >>> env.reset(seed=1)
    >>> for agent in env.agent_iter():
    ...     observation, reward, terminated, truncated, info = env.last()
    ...     if terminated or truncated:
    ...         action = None
    ...     else:
    ...         action = env.action_space(agent).sample(observation["action_mask"])
    ...     env.step(action)
    >>> env.summary()["ending"] in ("score", "fewer_busts", "shared")
    True

    Args:
        illegal_action: ``"raise"`` (`IllegalActionError`, before anything changes), ``"lose"`` or ``"ignore"``.
        render_mode: None, ``"ansi"``, ``"human"`` or ``"rgb_array"``.
        options: Options of the game, as ``deck``, ``variant``, ``reward``, ``max_turns``.

    Raises:
        UnknownOptionError: There is no option of that name; it is a TypeError, too.
        OptionError: An option is out of range.
        DeckError: The deck has defects.
    """
    return AECAdapter(
        make_game, _two_players(options), name=NAME, illegal_action=illegal_action, render_mode=render_mode
    )


def env(*, illegal_action: str | None = None, render_mode: str | None = None, **options: Any) -> "AECEnv":
    """`raw_env` in PettingZoo's usual wrappers.

    An illegal action ends the game with reward -1 for the culprit and 0 for the other, with a warning in the log
    (`TerminateIllegalWrapper`), unless `illegal_action` says otherwise; one outside the action space is an
    AssertionError (`AssertOutOfBoundsWrapper`), and so is a step before the reset (`OrderEnforcingWrapper`).

    Args:
        illegal_action: As of `raw_env`, in place of `TerminateIllegalWrapper`.
        render_mode, options: As of `raw_env`.
    """
    return wrapped(raw_env, illegal_action, render_mode=render_mode, **options)


def parallel_env(*, illegal_action: str = "raise", render_mode: str | None = None, **options: Any) -> ParallelAdapter:
    """Two players, as a PettingZoo `ParallelEnv`: both act in each step, the one who is not asked by waiting.

    >>> from deathvalley_env import deathvalley_v0
    >>> env = deathvalley_v0.parallel_env()
    >>> observations, infos = env.reset(seed=1)
    >>> while env.agents:
    ...     actions = {
    ...         agent: env.action_space(agent).sample(observations[agent]["action_mask"]) for agent in env.agents
    ...     }
    ...     observations, rewards, terminations, truncations, infos = env.step(actions)
    >>> sum(rewards.values())
    0.0

    Args:
        illegal_action, render_mode, options: As of `raw_env`; see `valley_core.parallel.ParallelAdapter`.
    """
    return ParallelAdapter(
        make_game, _two_players(options), name=NAME, illegal_action=illegal_action, render_mode=render_mode
    )


def solo_env(
    *,
    opponents: Opponents = None,
    seat: int | str = 0,
    illegal_action: str = "raise",
    render_mode: str | None = None,
    **options: Any,
) -> GymAdapter:
    """One learner as a Gymnasium `Env`: against the rulebook's AI, or against opponents that play within its steps.

    Also ``gymnasium.make("DeathValleySolo-v0", ...)``.

    >>> from deathvalley_env import solo_env
    >>> env = solo_env(discard_points=True)
    >>> observation, info = env.reset(seed=1)
    >>> over = False
    >>> while not over:
    ...     action = env.action_space.sample(info["action_mask"])
    ...     observation, reward, terminated, truncated, info = env.step(action)
    ...     over = terminated or truncated
    >>> reward == {0: 1.0, 1: -1.0, -1: 0.0}[info["winner"]]
    True

    Args:
        opponents: None: the rulebook's AI (rulebook, Solo Play), which plays the Backseat variant alone. Else the
            two-player game against ``"random"`` or an agent, as ``agents.make_agent("greedy")``.
        seat: The learner's seat against an opponent: 0, 1 or ``"random"``. Who plays first is drawn apart
            (`first_player`).
        illegal_action, render_mode, options: As of `raw_env`; see `valley_core.gym_env.GymAdapter`.
    """
    _check_seat(opponents, seat)
    return GymAdapter(
        make_game,
        _learner(options, opponents),
        seat=seat,
        opponents=opponents,
        illegal_action=illegal_action,
        render_mode=render_mode,
    )


def make_vec(
    num_envs: int = 1,
    *,
    opponents: Opponents = None,
    seat: int | str = 0,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    illegal_action: str = "raise",
    copy: bool = True,
    summaries: bool = False,
    render_mode: str | None = None,
    **options: Any,
) -> VectorAdapter:
    """`num_envs` games of `solo_env` as a native Gymnasium `VectorEnv`.

    Also ``gymnasium.make_vec("DeathValleySolo-v0", num_envs=...)``.

    >>> import numpy as np
    >>> from deathvalley_env import make_vec
    >>> envs = make_vec(4)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations["action_mask"].shape
    (4, 42)
    >>> lowest = observations["action_mask"].argmax(1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(lowest)
    >>> bool(terminations.any())
    False

    Args:
        num_envs: How many games.
        autoreset_mode, copy, summaries: See `valley_core.vector.VectorAdapter`.
        opponents, seat, illegal_action, render_mode, options: As of `solo_env`.
    """
    _check_seat(opponents, seat)
    return VectorAdapter(
        make_game,
        _learner(options, opponents),
        num_envs=num_envs,
        seat=seat,
        opponents=opponents,
        autoreset_mode=autoreset_mode,
        illegal_action=illegal_action,
        copy=copy,
        summaries=summaries,
        render_mode=render_mode,
    )


def make_sb3_env(num_envs: int = 8, **options: Any) -> "SB3Adapter":
    """`num_envs` games of `solo_env` as a `VecEnv` of Stable-Baselines3, with masks for sb3-contrib's `MaskablePPO`.

    Needs ``pip install 'valley-envs[train]'``.

    >>> from deathvalley_env import make_sb3_env
    >>> envs = make_sb3_env(4)
    >>> envs.reset().shape[0]
    4

    Args:
        num_envs: How many games.
        options: As of `make_vec`, without `autoreset_mode` and `copy`.
    """
    from valley_core.sb3 import SB3Adapter

    return SB3Adapter(make_vec(num_envs, autoreset_mode=AutoresetMode.SAME_STEP, copy=True, **options))


def _check_seat(opponents: Opponents, seat: int | str) -> None:
    if opponents is None and seat != 0:
        raise OptionError(f"seat={seat!r} is not possible in solo play: you are seat 0, and play first")
