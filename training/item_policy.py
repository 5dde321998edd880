"""`agents.item_network` in torch, as a policy of sb3-contrib: for training on many decks side by side.

In place of what is constant in an observation, its last entry is the number of the deck (`training.side_by_side`): the
cards of a deck are described once for each step of learning, not once for each decision.
"""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn
from torch.nn.functional import embedding

from agents.item_network import ItemNetwork, Items
from training.layers import copy_weights, dense, hidden_layers

DESCRIPTION = 32
"""Numbers that describe an item."""
GAIN_OF_DESCRIPTION = 5.0
"""Of the first weights: of the facts of an item only a few are not 0."""
GAIN_OF_CHOICE = 0.01
"""All legal actions are about equally likely at first, as SB3 begins."""


class ItemTrunk(BaseFeaturesExtractor):
    """The hidden layers, which both heads read; behind them the logits of all actions that name items.

    Args:
        space: Of the observations.
        hidden: Sizes of the layers.
        items: Of the game.
        facts: What the items of each deck are, float32 of shape (decks, items, facts).
    """

    facts: torch.Tensor

    def __init__(self, space: spaces.Box, hidden: tuple[int, ...], items: Items, facts: np.ndarray) -> None:
        super().__init__(space, hidden[-1] + len(items.choices) * items.count)
        self.items, self.width = items, hidden[-1]
        self.of_items = items.planes * items.count
        others = int(space.shape[0]) - 1 - self.of_items
        self.describe = nn.Sequential(nn.Linear(items.facts, DESCRIPTION), nn.ReLU())
        self.layers = hidden_layers([(items.planes + 1) * DESCRIPTION + others, *hidden])
        self.choice = nn.Linear(hidden[-1], len(items.choices) * DESCRIPTION)
        self.register_buffer("facts", torch.as_tensor(facts), persistent=False)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """What both heads read."""
        count, items = len(observations), self.items
        described = embedding(observations[:, -1].long(), self.describe(self.facts).flatten(1))
        described = described.view(count, items.count, DESCRIPTION)
        planes = observations[:, : self.of_items].view(count, items.planes, items.count)
        sums = torch.bmm(planes, described).flatten(1)
        last = self.layers(torch.cat([sums, observations[:, self.of_items : -1], described.mean(1)], 1))
        wanted = self.choice(last).view(count, len(items.choices), DESCRIPTION)
        return torch.cat([last, torch.bmm(wanted, described.transpose(1, 2)).flatten(1)], 1)


class ItemHead(nn.Module):
    """Logits of all actions from what the trunk gives."""

    order: torch.Tensor

    def __init__(self, trunk: ItemTrunk, actions: int) -> None:
        super().__init__()
        items, plain = trunk.items, trunk.items.plain_actions(actions)
        self.width = trunk.width
        self.linear = nn.Linear(trunk.width, len(plain))
        named = [first + k for first in items.choices for k in range(items.count)]
        self.register_buffer("order", torch.as_tensor(np.argsort([*plain, *named])), persistent=False)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Logits in the order of the actions."""
        plain = self.linear(features[:, : self.width])
        return torch.cat([plain, features[:, self.width :]], 1)[:, self.order]


class Last(nn.Module):
    """Of what the trunk gives the last hidden layer."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Without the logits."""
        return features[:, : self.width]


def item_network_of(policy: Any) -> ItemNetwork:
    """The policy as plain arrays."""
    describe, *hidden, head, choice, value = (dense(layer) for layer in linear_of(policy))
    return ItemNetwork(policy.features_extractor.items, describe, tuple(hidden), head, choice, value)


def take_over_items(network: ItemNetwork, policy: Any) -> None:
    """Give a policy the weights of a network of the same shape: the inverse of `item_network_of`."""
    copy_weights(network.layers().values(), linear_of(policy))


def linear_of(policy: Any) -> list[Any]:
    """The layers of a policy in the order of `ItemNetwork.layers`."""
    trunk: ItemTrunk = policy.features_extractor
    hidden = [layer for layer in trunk.layers if isinstance(layer, nn.Linear)]
    return [trunk.describe[0], *hidden, policy.action_net.linear, trunk.choice, policy.value_net[1]]
