"""Networks for any deck: what a card is decides the weights with which it counts.

An observation says the same of each item, as of each card, in planes: whether it lies here, or there, and so on; its
constant part says what the items are. A plain network has weights of its own for each item, and so learns one deck. An
`ItemNetwork` first describes each item by a few numbers, found from its facts; where it lies counts by its description,
and so does an action that names it. So it plays alike however the items are ordered, and knows them in any company. On
a given deck it is a plain network that reads what changes (`ItemNetwork.on`).
"""

from dataclasses import dataclass
from itertools import groupby, takewhile

import numpy as np

from agents.network import Dense, Network, NetworkError
from valley_core.game import Game


@dataclass(frozen=True)
class Items:
    """What a game's observations and actions say of each item.

    Attributes:
        count: How many items there are.
        planes: So many numbers of each item change: the first entries of an observation, plane by plane.
        facts: So many are constant (`facts_of_items`).
        choices: The first action of each group that names all items in their order.
    """

    count: int
    planes: int
    facts: int
    choices: tuple[int, ...]

    def plain_actions(self, actions: int) -> list[int]:
        """Those of so many actions that name no item."""
        named = {first + k for first in self.choices for k in range(self.count)}
        return [action for action in range(actions) if action not in named]


def items_of(game: Game) -> Items | None:
    """The items of a game whose observations say what they are; None if they do not."""
    constant = [field for field, where in game.layout.slices() if where.start >= game.fixed_from]
    if not constant:
        return None
    count = constant[0].shape[0]
    planes = takewhile(lambda field: field.shape[-1] == count, game.layout.fields)
    kinds = [list(group) for _, group in groupby(enumerate(game.action_names), key=lambda one: one[1].split()[0])]
    return Items(
        count,
        sum(field.size for field in planes) // count,
        sum(field.size for field in constant) // count,
        tuple(kind[0][0] for kind in kinds if len(kind) == count),
    )


def facts_of_items(game: Game) -> np.ndarray:
    """What each item of a game is, float32 of shape (count, facts)."""
    parts, start = [], 0
    for field, where in game.layout.slices():
        if where.start >= game.fixed_from:
            parts.append(game.fixed[0, start : start + field.size].reshape(field.shape[0], -1))
            start += field.size
    return np.hstack(parts)


@dataclass(frozen=True, eq=False)
class ItemNetwork:
    """A network that describes each item, and so can be played on any.

    Attributes:
        items: Of the game.
        describe: The layer from the facts of an item to its description, with relu behind it.
        hidden: The hidden layers. The first reads, of each plane, the sum of the descriptions of the items in it,
            weighted as the plane says; then the entries of the observation that are of no item; then the mean of all
            descriptions.
        policy: The layer whose outputs are the logits of the actions that name no item.
        choice: The layer whose outputs are, for each group of actions that name items, what an item is to be like: the
            logit is the product with its description.
        value: As of `Network`.

    Raises:
        NetworkError: Arrays that do not fit together.
    """

    items: Items
    describe: Dense
    hidden: tuple[Dense, ...]
    policy: Dense
    choice: Dense
    value: Dense

    def __post_init__(self) -> None:
        Network(self.hidden, self.policy, self.value)  # says what is wrong with these
        width, last = self.width, self.policy[0].shape[0]
        fits = (
            bool(self.hidden)
            and self.describe[0].shape[0] == self.items.facts
            and self.hidden[0][0].shape[0] >= (self.items.planes + 1) * width
            and self.choice[0].shape == (last, len(self.items.choices) * width)
        )
        if not fits:
            raise NetworkError(f"the layers of this network do not fit its items, {self.items}")

    def layers(self) -> dict[str, Dense]:
        """All layers by name."""
        hidden = {f"hidden_{k}": layer for k, layer in enumerate(self.hidden)}
        return {"describe": self.describe, **hidden, "policy": self.policy, "choice": self.choice, "value": self.value}

    @property
    def width(self) -> int:
        """Numbers in the description of an item."""
        return len(self.describe[1])

    @property
    def widths(self) -> tuple[int, ...]:
        """Sizes of the hidden layers."""
        return tuple(len(bias) for _, bias in self.hidden)

    @property
    def inputs(self) -> int:
        """How many entries of the observation it reads: all."""
        items = self.items
        others = self.hidden[0][0].shape[0] - (items.planes + 1) * self.width
        return items.count * (items.planes + items.facts) + others

    @property
    def actions(self) -> int:
        """How many actions have a logit."""
        return int(self.policy[0].shape[1]) + len(self.items.choices) * self.items.count

    @property
    def values(self) -> int:
        """How many values it has, as of `Network`."""
        return int(self.value[0].shape[1])

    def on(self, game: Game) -> Network:
        """The plain network that this one is on the items of a game; it reads what changes in an observation."""
        items, width = self.items, self.width
        described = np.maximum(facts_of_items(game) @ self.describe[0] + self.describe[1], 0)
        weights, bias = self.hidden[0]
        planes = weights[: items.planes * width].reshape(items.planes, width, -1)
        of_items = np.einsum("id,pdh->pih", described, planes).reshape(items.planes * items.count, -1)
        first = np.vstack([of_items, weights[items.planes * width : -width]])
        first_bias = bias + described.mean(0) @ weights[-width:]
        plain = items.plain_actions(self.actions)
        heads = []
        for own, choice in zip(self.policy, self.choice, strict=True):  # weights, then bias
            head = np.zeros((*own.shape[:-1], self.actions), np.float32)
            head[..., plain] = own
            for k, start in enumerate(items.choices):
                wanted = choice[..., k * width : (k + 1) * width]
                head[..., start : start + items.count] = wanted @ described.T
            heads.append(head)
        return Network(((first, first_bias), *self.hidden[1:]), (heads[0], heads[1]), self.value)


AnyNetwork = Network | ItemNetwork
