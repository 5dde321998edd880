"""Hidden layers in torch, and what `agents.network` makes of torch's layers: for everything that fits networks."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import nn

from agents.network import MOST_BYTES, Dense, Network
from valley_core.errors import OptionError


def hidden_layers(sizes: Sequence[int]) -> nn.Sequential:
    """A layer from each size to the next, with the activation behind it."""
    return nn.Sequential(*(part for a, b in pairwise(sizes) for part in (nn.Linear(a, b), nn.ReLU())))


def dense(layer: Any) -> Dense:
    """A layer as plain arrays, float32."""
    weights, bias = (part.detach().cpu().numpy().astype(np.float32) for part in (layer.weight.T, layer.bias))
    return np.ascontiguousarray(weights), bias.copy()


def plain(hidden: nn.Sequential, policy: nn.Linear, value: nn.Linear) -> Network:
    """Hidden layers and both heads as plain arrays, float32."""
    layers = tuple(dense(layer) for layer in hidden if isinstance(layer, nn.Linear))
    return Network(layers, dense(policy), dense(value))


def take_over(network: Network, hidden: nn.Sequential, policy: nn.Linear, value: nn.Linear) -> None:
    """Give hidden layers and both heads the weights of a network of the same shape: the inverse of `plain`."""
    copy_weights(
        network.layers().values(), [*(layer for layer in hidden if isinstance(layer, nn.Linear)), policy, value]
    )


def copy_weights(layers: Iterable[Dense], linear: Sequence[Any]) -> None:
    """Give layers of torch the weights of plain arrays, one after another."""
    with torch.no_grad():
        for layer, (weights, bias) in zip(linear, layers, strict=True):
            layer.weight.copy_(torch.from_numpy(weights.T.copy()))
            layer.bias.copy_(torch.from_numpy(bias))


def check_widths(inputs: int, widths: Sequence[int], actions: int) -> None:
    """Refuse hidden layers that no file of a network holds, before anything is made of them.

    Raises:
        OptionError: Says how large the file would be.
    """
    size = sum(2 * a * b for a, b in pairwise([inputs, *widths, actions]))  # two bytes a weight, before it is packed
    if size > MOST_BYTES:
        raise OptionError(
            f"--hidden {' '.join(map(str, widths))} would make a network of {size / 1e6:,.0f} MB, and a file has "
            f"at most {MOST_BYTES / 1e6:g} MB; give smaller layers"
        )
