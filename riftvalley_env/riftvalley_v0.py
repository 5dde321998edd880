"""Rift Valley Reserve as environments: PettingZoo (`env`, `raw_env`, `parallel_env`), Gymnasium (`solo_env`,
`make_vec`) and Stable-Baselines3 (`make_sb3_env`).

The options of the game are those of `riftvalley_env.game.make_game`, by name; adapters have some of their own.
"""

from typing import TYPE_CHECKING, Any

from gymnasium.vector import AutoresetMode

from riftvalley_env.game import board_pool, make_game
from riftvalley_env.vocabulary import MAX_PLAYERS, MIN_PLAYERS
from valley_core.aec import AECAdapter
from valley_core.errors import OptionError
from valley_core.gym_env import GymAdapter
from valley_core.learners import RANDOM_OPPONENT, Opponents
from valley_core.options import whole_number
from valley_core.parallel import ParallelAdapter
from valley_core.public import check_names, defaults_of, wrapped
from valley_core.vector import VectorAdapter

if TYPE_CHECKING:
    from pettingzoo import AECEnv

    from valley_core.sb3 import SB3Adapter

NAME = "riftvalley_v0"
DEFAULTS = defaults_of(make_game)
"""The options of the game."""


def _options(options: dict[str, Any]) -> dict[str, Any]:
    """The options with the boards read: an adapter is pickled with its boards, not with names of files."""
    check_names(options, DEFAULTS)
    options = {**DEFAULTS, **options}
    players = whole_number("num_players", options["num_players"], MIN_PLAYERS, MAX_PLAYERS)
    return {**options, "boards": board_pool(options["boards"], players)}


def raw_env(*, illegal_action: str = "raise", render_mode: str | None = None, **options: Any) -> AECAdapter:
    """Two to five players, as a PettingZoo `AECEnv` without wrappers.

    All players draw at once. Each in turn of the seats is asked for its decisions of the turn, and what they decide is
    drawn, and seen by the others, when the last one has decided. Observations, actions, rewards and ends are those of
    `valley_core.aec.AECAdapter`; their layout is in ``docs/riftvalley.md``.

    >>> from riftvalley_env import riftvalley_v0
    >>> env = riftvalley_v0.raw_env(num_players=3, boards="identical")
    >>> env.reset(seed=1)
    >>> for agent in env.agent_iter():
    ...     observation, reward, terminated, truncated, info = env.last()
    ...     if terminated or truncated:
    ...         action = None
    ...     else:
    ...         action = env.action_space(agent).sample(observation["action_mask"])
    ...     env.step(action)
    >>> env.summary()["ending"] in ("score", "best_boards", "shared")
    True

    Args:
        illegal_action: ``"raise"`` (`IllegalActionError`, before anything changes), ``"lose"`` or ``"ignore"``.
        render_mode: None, ``"ansi"``, ``"human"`` or ``"rgb_array"``.
        options: Options of the game, as ``num_players``, ``boards``, ``actions``, ``reward``, ``max_turns``.

    Raises:
        UnknownOptionError: There is no option of that name; it is a TypeError, too.
        OptionError: An option is out of range.
        BoardError: A board has defects.
    """
    return AECAdapter(make_game, _options(options), name=NAME, illegal_action=illegal_action, render_mode=render_mode)


def env(*, illegal_action: str | None = None, render_mode: str | None = None, **options: Any) -> "AECEnv":
    """`raw_env` in PettingZoo's usual wrappers.

    An illegal action ends the game with reward -1 for the culprit and 0 for the others, with a warning in the log
    (`TerminateIllegalWrapper`), unless `illegal_action` says otherwise; one outside the action space is an
    AssertionError (`AssertOutOfBoundsWrapper`), and so is a step before the reset (`OrderEnforcingWrapper`).

    Args:
        illegal_action: As of `raw_env`, in place of `TerminateIllegalWrapper`.
        render_mode, options: As of `raw_env`.
    """
    return wrapped(raw_env, illegal_action, render_mode=render_mode, **options)


def parallel_env(*, illegal_action: str = "raise", render_mode: str | None = None, **options: Any) -> ParallelAdapter:
    """Two to five players, as a PettingZoo `ParallelEnv`: all act in each step.

    Whoever has begun a Trail takes a second step to end it, in which those who have decided wait.

    >>> from riftvalley_env import riftvalley_v0
    >>> env = riftvalley_v0.parallel_env(num_players=4)
    >>> observations, infos = env.reset(seed=1)
    >>> while env.agents:
    ...     actions = {
    ...         agent: env.action_space(agent).sample(observations[agent]["action_mask"]) for agent in env.agents
    ...     }
    ...     observations, rewards, terminations, truncations, infos = env.step(actions)
    >>> abs(sum(rewards.values())) < 1e-9
    True

    Args:
        illegal_action, render_mode, options: As of `raw_env`; see `valley_core.parallel.ParallelAdapter`.
    """
    return ParallelAdapter(
        make_game, _options(options), name=NAME, illegal_action=illegal_action, render_mode=render_mode
    )


def solo_env(
    *,
    opponents: Opponents = RANDOM_OPPONENT,
    seat: int | str = 0,
    illegal_action: str = "raise",
    render_mode: str | None = None,
    **options: Any,
) -> GymAdapter:
    """One learner as a Gymnasium `Env`, against opponents that play within its steps.

    Also ``gymnasium.make("RiftValleySolo-v0", ...)``.

    >>> from riftvalley_env import solo_env
    >>> env = solo_env(num_players=3, opponents=["random", "random"])
    >>> observation, info = env.reset(seed=1)
    >>> over = False
    >>> while not over:
    ...     action = env.action_space.sample(info["action_mask"])
    ...     observation, reward, terminated, truncated, info = env.step(action)
    ...     over = terminated or truncated
    >>> (reward > 0) == bool(info["winners"][env.seat])
    True

    Args:
        opponents: ``"random"`` or an agent, as ``agents.make_agent("greedy")``, for all other seats; or a list of one
            for each, beginning with the seat after the learner's.
        seat: The learner's seat: a number, or ``"random"``.
        illegal_action, render_mode, options: As of `raw_env`; see `valley_core.gym_env.GymAdapter`.
    """
    return GymAdapter(
        make_game,
        _options(options),
        seat=seat,
        opponents=_needed(opponents),
        illegal_action=illegal_action,
        render_mode=render_mode,
    )


def make_vec(
    num_envs: int = 1,
    *,
    opponents: Opponents = RANDOM_OPPONENT,
    seat: int | str = 0,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    illegal_action: str = "raise",
    copy: bool = True,
    summaries: bool = False,
    render_mode: str | None = None,
    **options: Any,
) -> VectorAdapter:
    """`num_envs` games of `solo_env` as a native Gymnasium `VectorEnv`.

    Also ``gymnasium.make_vec("RiftValleySolo-v0", num_envs=...)``.

    >>> from riftvalley_env import make_vec
    >>> envs = make_vec(4, boards="identical")
    >>> observations, infos = envs.reset(seed=1)
    >>> observations["action_mask"].shape
    (4, 247)
    >>> lowest = observations["action_mask"].argmax(1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(lowest)
    >>> bool(terminations.any())
    False

    Args:
        num_envs: How many games.
        autoreset_mode, copy, summaries: See `valley_core.vector.VectorAdapter`.
        opponents, seat, illegal_action, render_mode, options: As of `solo_env`.
    """
    return VectorAdapter(
        make_game,
        _options(options),
        num_envs=num_envs,
        seat=seat,
        opponents=_needed(opponents),
        autoreset_mode=autoreset_mode,
        illegal_action=illegal_action,
        copy=copy,
        summaries=summaries,
        render_mode=render_mode,
    )


def make_sb3_env(num_envs: int = 8, **options: Any) -> "SB3Adapter":
    """`num_envs` games of `solo_env` as a `VecEnv` of Stable-Baselines3, with masks for sb3-contrib's `MaskablePPO`.

    Needs ``pip install 'valley-envs[train]'``.

    >>> from riftvalley_env import make_sb3_env
    >>> envs = make_sb3_env(4)
    >>> envs.reset().shape[0]
    4

    Args:
        num_envs: How many games.
        options: As of `make_vec`, without `autoreset_mode` and `copy`.
    """
    from valley_core.sb3 import SB3Adapter

    return SB3Adapter(make_vec(num_envs, autoreset_mode=AutoresetMode.SAME_STEP, copy=True, **options))


def _needed(opponents: Opponents) -> Opponents:
    if opponents is None:
        raise OptionError("opponents=None: this game has no solo play; give 'random', an agent, or a list of them")
    return opponents
