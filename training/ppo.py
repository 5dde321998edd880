"""Proximal policy optimization with masks (sb3-contrib's `MaskablePPO`), from deals to a network without torch.

One turn of the loop: past selves are drawn for the other seats, all games play `rollout` decisions of the learner,
and the policy is improved on them. Between two turns lies nothing but what `Training.content` holds, so that a run
that goes on from there is the run that was never broken off.
"""

import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.logger import Logger, configure
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecEnv
from torch import nn

from agents.item_network import AnyNetwork, ItemNetwork, facts_of_items, items_of
from agents.network import MOST_BYTES, Network, check_fit, load_network
from training.course import Course
from training.item_policy import (
    GAIN_OF_CHOICE,
    GAIN_OF_DESCRIPTION,
    ItemHead,
    ItemTrunk,
    Last,
    item_network_of,
    take_over_items,
)
from training.layers import hidden_layers, plain, take_over
from training.opponents import League
from valley_core.errors import OptionError
from valley_core.game import Game

if TYPE_CHECKING:
    from training.train import Args

DISCOUNT = 1.0
"""Games end, and a victory is worth the same however late it comes."""
ADVANTAGE_DECAY = 0.95
"""Lambda of generalized advantage estimation."""
TURNS_OF_A_SELF = 10
"""Turns of the loop after which the policy joins its past selves."""

HIDDEN = 128
"""Size of each of the two hidden layers."""
SHARE_OF_FIRST = 0.9
"""Of a network's file the first layer has no more."""
BYTES_OF_A_NUMBER = 2
UNIT = 16
"""Sizes are multiples of it."""


class Trunk(BaseFeaturesExtractor):
    """The hidden layers, shared by both heads."""

    def __init__(self, space: spaces.Box, hidden: tuple[int, ...]) -> None:
        super().__init__(space, hidden[-1])
        self.layers = hidden_layers([int(space.shape[0]), *hidden])

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """What both heads read."""
        out: torch.Tensor = self.layers(observations)
        return out


class Policy(MaskableActorCriticPolicy):
    """Logits and value on the trunk. The value is squashed by tanh, as in `agents.network`: victories are -1 to 1."""

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.value_net = nn.Sequential(self.value_net, nn.Tanh())  # type: ignore[assignment]


class ItemPolicy(MaskableActorCriticPolicy):
    """Logits and value on an `ItemTrunk`; the value squashed as in `Policy`."""

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        trunk: Any = self.features_extractor
        self.action_net = ItemHead(trunk, int(self.action_space.n))  # type: ignore[attr-defined]
        self.value_net = nn.Sequential(Last(trunk.width), nn.Linear(trunk.width, 1), nn.Tanh())  # type: ignore[assignment]
        gains = {trunk.describe: GAIN_OF_DESCRIPTION, trunk.choice: GAIN_OF_CHOICE, self.action_net: GAIN_OF_CHOICE}
        for part, gain in {**gains, self.value_net: 1.0}.items():
            part.apply(partial(self.init_weights, gain=gain))
        make_optimizer: Any = self.optimizer_class
        self.optimizer = make_optimizer(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


def hidden_for(environment: VecEnv) -> tuple[int, ...]:
    """Sizes of the hidden layers by default: the first is smaller where the file would be too large otherwise."""
    inputs = int(environment.observation_space.shape[0])  # type: ignore[index]
    most = int(MOST_BYTES * SHARE_OF_FIRST / (BYTES_OF_A_NUMBER * inputs))
    return min(HIDDEN, most // UNIT * UNIT), HIDDEN


def network_of(policy: Any) -> AnyNetwork:
    """The policy as plain arrays."""
    if isinstance(policy, ItemPolicy):
        return item_network_of(policy)
    return plain(policy.features_extractor.layers, policy.action_net, policy.value_net[0])


def make_model(args: "Args", environment: VecEnv, seed: int | None, games: Sequence[Game] = ()) -> MaskablePPO:
    """A policy that has learnt nothing yet; a seed also sets the global streams of random numbers, as SB3 does it.

    `games` are those whose numbers stand in observations for what is constant in them (`training.side_by_side`).
    """
    trunk: dict[str, Any] = {"hidden": args.hidden or hidden_for(environment)}
    if games:
        trunk |= {"items": items_of(games[0]), "facts": np.stack([facts_of_items(game) for game in games])}
    return MaskablePPO(
        ItemPolicy if games else Policy,
        environment,
        learning_rate=LinearSchedule(args.learning_rate, 0.0, 1.0),
        n_steps=args.rollout,
        batch_size=args.minibatch,
        n_epochs=args.epochs,
        gamma=DISCOUNT,
        gae_lambda=ADVANTAGE_DECAY,
        ent_coef=args.entropy,
        policy_kwargs={
            "features_extractor_class": ItemTrunk if games else Trunk,
            "features_extractor_kwargs": trunk,
            "net_arch": [],
        },
        seed=seed,
        device="cpu",
    )


def start_of(path: Path, course: Course) -> AnyNetwork:
    """The network that a policy begins as; one for any deck can also begin a policy for one.

    Raises:
        NetworkError: The file cannot be used.
        OptionError: The network does not fit the game.
    """
    network, metadata = load_network(path)
    game = course.game
    check_fit(str(path), network, metadata, game)
    if network.values != 1 or (isinstance(network, Network) and network.residual):
        raise OptionError(f"{path} has a value for each seat, or corrects rules of thumb, which PPO does not learn")
    if not course.any_data:
        return network.on(game)
    if items_of(game) is not None and not isinstance(network, ItemNetwork):
        raise OptionError(f"{path} learns one deck; begin with a network that was trained with --drawn, too")
    return network


def begin_with(network: AnyNetwork, policy: Any) -> None:
    """Give a policy the weights of a network of the same shape: the inverse of `network_of`."""
    if isinstance(network, ItemNetwork):
        take_over_items(network, policy)
    else:
        take_over(network, policy.features_extractor.layers, policy.action_net, policy.value_net[0])


class Training:
    """A policy that learns.

    Attributes:
        model: sb3-contrib's.
        environment: All games that are learnt on.
        league: The past selves.
        seconds: Time of learning so far.

    Args:
        args: Of the command.
        course: What is learnt on.
        content: What `content` gave, to go on from there; None to begin.
        logs: Folder for TensorBoard; None for no logs.
    """

    def __init__(
        self, args: "Args", course: Course, content: dict[str, Any] | None = None, logs: Path | None = None
    ) -> None:
        torch.set_num_threads(args.threads)
        self._decay, self._entropy = args.decay, args.entropy
        if content is None:
            self.league = League(args.seed)
            self.environment = course.environment(args.envs, self.league)
            self.seconds, self._turns = 0.0, 0
        else:
            self.league, self.environment = content["league"], content["environment"]
            self.seconds, self._turns = content["seconds"], content["turns"]
        numbered = self.environment.numbered
        self.model = make_model(args, self.environment, args.seed if content is None else None, numbered)
        self.model.set_logger(configure(str(logs), ["tensorboard"]) if logs else Logger(None, []))
        if content is None:
            if args.start is not None:
                begin_with(start_of(args.start, course), self.model.policy)
            self.league.remember(self.network)
            self.league.draw()
        else:
            self._restore(content)
        _, self._callback = self.model._setup_learn(0, None, reset_num_timesteps=content is None)

    @property
    def steps(self) -> int:
        """Decisions of the learner so far."""
        return int(self.model.num_timesteps)

    @property
    def network(self) -> AnyNetwork:
        """The policy as it is now."""
        return network_of(self.model.policy)

    def turn(self) -> None:
        """Play, and improve the policy on what was played."""
        start = perf_counter()
        self._turns += 1
        if self._turns % TURNS_OF_A_SELF == 0:
            self.league.remember(self.network)
        self.league.draw()
        self.model.collect_rollouts(
            self.environment, self._callback, self.model.rollout_buffer, n_rollout_steps=self.model.n_steps
        )
        left = max(0.0, 1 - self.steps / self._decay)
        self.model._current_progress_remaining, self.model.ent_coef = left, self._entropy * left
        self.model.train()
        self.seconds += perf_counter() - start

    def log(self, **numbers: float) -> None:
        """Write numbers, and those of the last turn, for TensorBoard."""
        for name, value in numbers.items():
            self.model.logger.record(name, value)
        self.model.logger.dump(self.steps)

    def content(self) -> dict[str, Any]:
        """All that the next turn depends on; pickled at once, since environment and league share the opponents."""
        return {
            "environment": self.environment,
            "league": self.league,
            "seconds": self.seconds,
            "turns": self._turns,
            "steps": self.steps,
            "updates": self.model._n_updates,
            "policy": self.model.policy.state_dict(),
            "optimizer": self.model.policy.optimizer.state_dict(),
            "seen": self.model._last_obs,
            "begun": self.model._last_episode_starts,
            "random": (random.getstate(), np.random.get_state(), torch.get_rng_state()),  # noqa: NPY002 - SB3's
        }

    def _restore(self, content: dict[str, Any]) -> None:
        model = self.model
        model.policy.load_state_dict(content["policy"])
        model.policy.optimizer.load_state_dict(content["optimizer"])
        model.num_timesteps, model._n_updates = content["steps"], content["updates"]
        model._last_obs, model._last_episode_starts = content["seen"], content["begun"]
        plain, numpy_state, torch_state = content["random"]
        random.setstate(plain)
        np.random.set_state(numpy_state)  # noqa: NPY002 - SB3 shuffles with the global stream
        torch.set_rng_state(torch_state)
