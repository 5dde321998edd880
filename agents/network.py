"""Neural networks as plain arrays: what they are, their files, and which games they fit. No torch.

A file is one ``.npz`` without pickled objects: the arrays as float16, and ``metadata``, a JSON object with the fields
of `Metadata` and how the network is built.
"""

import dataclasses
import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from valley_core.errors import OptionError, ValleyError
from valley_core.files import write_whole
from valley_core.game import Game

if TYPE_CHECKING:
    from agents.item_network import AnyNetwork

FORMAT = 1
"""Version of the files."""
MOST_BYTES = 2_000_000
"""No file is larger."""
SUFFIX = ".npz"
ACTIVATIONS = ("relu", "tanh")

Dense = tuple[np.ndarray, np.ndarray]
"""A layer: weights float32 (in, out) and bias float32 (out,)."""

Provenance = tuple[tuple[str, str], ...]
"""Name and digest of decks or boards, in their order."""


class NetworkError(ValleyError, ValueError):
    """A network, or its file, that cannot be used."""


@dataclass(frozen=True, eq=False)
class Network:
    """A multilayer perceptron on the flat observation, with a policy head and a value head.

    Attributes:
        hidden: The layers in order, each (weights (in, out), bias (out,)), float32.
        policy: The layer whose outputs are the logits of all actions.
        value: The layer whose outputs, squashed by tanh, are the expected returns (`valley_core.game.Reward.WIN`): one,
            of the seat that is asked, or one of each seat from that on.
        activation: Of the hidden layers: ``relu`` or ``tanh``.
        residual: The outputs are not these logits and values, but what has to be added to those of the game's rules of
            thumb (`agents.network_kernels.add_rules`).

    Source:
        Silver, Allen, Tenenbaum, Kaelbling: Residual Policy Learning, 2018.

    Raises:
        NetworkError: Arrays that do not fit together, or numbers that are not finite.
    """

    hidden: tuple[Dense, ...]
    policy: Dense
    value: Dense
    activation: str = "relu"
    residual: bool = False

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise NetworkError(f"the activation is {' or '.join(ACTIVATIONS)}, not {self.activation!r}")
        for name, (weights, bias) in self.layers().items():
            if weights.dtype != np.float32 or bias.dtype != np.float32:
                raise NetworkError(f"the layer {name!r} must be float32, not {weights.dtype} and {bias.dtype}")
            if weights.ndim != 2 or 0 in weights.shape or bias.shape != weights.shape[1:]:
                raise NetworkError(
                    f"the layer {name!r} needs weights (in, out) and bias (out,), not {weights.shape} and {bias.shape}"
                )
            if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
                raise NetworkError(f"the layer {name!r} holds numbers that are not finite: the training has diverged")
        chain = list(self.hidden)
        for head in (self.policy, self.value):
            for (before, _), (after, _) in pairwise([*chain, head]):
                if before.shape[1] != after.shape[0]:
                    raise NetworkError(f"a layer of shape {after.shape} cannot follow one of shape {before.shape}")
        if self.policy[0].shape[0] != self.value[0].shape[0]:
            raise NetworkError(f"the value head has shape {self.value[0].shape}; it must be ({self.last}, values)")

    def layers(self) -> dict[str, Dense]:
        """All layers by name."""
        return {f"hidden_{k}": layer for k, layer in enumerate(self.hidden)} | {
            "policy": self.policy,
            "value": self.value,
        }

    @property
    def inputs(self) -> int:
        """How many entries of the observation it reads, from the first on."""
        return int((*self.hidden, self.policy)[0][0].shape[0])

    @property
    def widths(self) -> tuple[int, ...]:
        """Sizes of the hidden layers."""
        return tuple(len(bias) for _, bias in self.hidden)

    @property
    def last(self) -> int:
        """Length of what both heads read."""
        return int(self.policy[0].shape[0])

    @property
    def actions(self) -> int:
        """How many actions have a logit."""
        return int(self.policy[0].shape[1])

    @property
    def values(self) -> int:
        """How many values it has: 1, or one for each seat."""
        return int(self.value[0].shape[1])

    def outputs(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What both heads say of observations, float32 of shape (n, `inputs` or more); the rest is ignored.

        Returns:
            Logits of all actions, legal or not, float32 of shape (n, actions); the values before tanh, float32 of
            shape (n, values). Of a residual network, what has to be added to those.
        """
        x = observations[:, : self.inputs]
        for weights, bias in self.hidden:
            x = x @ weights + bias
            x = np.maximum(x, 0) if self.activation == "relu" else np.tanh(x)
        return x @ self.policy[0] + self.policy[1], x @ self.value[0] + self.value[1]

    def on(self, game: Game) -> "Network":
        """Itself: it is the same on any game that it fits (`agents.item_network.ItemNetwork` is not)."""
        return self

    @cached_property
    def flat(self) -> tuple[np.ndarray, np.ndarray]:
        """For the kernels (`agents.network_kernels`): the shape, and all numbers in one array, float32.

        The shape is int64: whether the activation is tanh, then the length of the input, of each hidden layer, and of
        both heads together. The numbers are weights and bias of each, the values behind the logits.
        """
        heads = [np.concatenate([logits, value], -1) for logits, value in zip(self.policy, self.value, strict=True)]
        sizes = [self.inputs, *(len(bias) for _, bias in self.hidden), self.actions + self.values]
        shape = np.array([self.activation == "tanh", *sizes], np.int64)
        return shape, np.concatenate([part.reshape(-1) for layer in (*self.hidden, heads) for part in layer])


@dataclass(frozen=True)
class Strength:
    """A measured strength.

    Attributes:
        setting: The setting of the game, as `training evaluate` names it.
        opponent: The agent in all other seats, or the name of the game's own AI.
        games: Games that were played.
        win: Share of them that was won.
        win_low, win_high: Its 95 % interval.
        seed: Seed of the deals.
        stream: Name of the stream that they are from (`training.seeds.Purpose`, in lower case): ``strength`` and
            ``training_result`` are deals that nothing was chosen on. Empty in files of versions without streams.
    """

    setting: str
    opponent: str
    games: int
    win: float
    win_low: float
    win_high: float
    seed: int
    stream: str = ""


def strength_of(row: Mapping[str, Any], seed: int, stream: str) -> Strength:
    """What a row of ``training evaluate`` says of its agent, on deals of this seed and stream."""
    names = ("setting", "opponent", "games", "win", "win_low", "win_high")
    return Strength(**{name: row[name] for name in names}, seed=seed, stream=stream)


@dataclass(frozen=True)
class Metadata:
    """What a network was trained for, how, and how strong it is. `metadata_of` makes it for a game.

    Attributes:
        game: Name of the game.
        seats: Its seats.
        inputs: How many entries of the observation the network reads.
        encoding: `encoding_of` those entries and the actions.
        data: Name and digest of each deck or board that it may be played on, in their order; None: any, since it
            observes what they are.
        settings: Options of the game in training.
        command: The command that trained it.
        seed: Seed of the training.
        versions: Of what trained it (`training.report.versions`).
        strength: What was measured.
    """

    game: str
    seats: int
    inputs: int
    encoding: str
    data: Provenance | None
    settings: Mapping[str, Any]
    command: str
    seed: int
    versions: Mapping[str, Any]
    strength: tuple[Strength, ...] = ()

    def misfit(self, game: Game) -> str | None:
        """Why the network cannot play this game, as the end of a sentence; None if it can."""
        if (game.name, game.seats) != (self.game, self.seats):
            return f"was trained for {self.game!r} with {self.seats} seats, and this is {game.name!r} with {game.seats}"
        if self.inputs not in (game.layout.size, game.fixed_from):  # a kernel writes all that changes
            remedy = "make it with card_facts=True" if game.options.get("card_facts") is False else "its options differ"
            return (
                f"reads {self.inputs:,} numbers of an observation, and this game gives {game.layout.size:,}: {remedy}"
            )
        if (encoding := encoding_of(game, self.inputs)) != self.encoding:
            return (
                f"was trained on another encoding of observations and actions (digest {self.encoding}, and this is "
                f"{encoding}): the options of the game differ, or its version"
            )
        if self.data is not None:
            for name, digest in provenance_of(game):
                if digest not in {mark for _, mark in self.data}:
                    known = ", ".join(f"{trained!r} (digest {mark})" for trained, mark in self.data)
                    return f"was trained on {known}, and this is {name!r} (digest {digest})"
        return None


def provenance_of(game: Game) -> Provenance:
    """Name and digest of the deck, or of each board in the order of the pool, that a game is played on.

    Two of them may have the same name, and where the deal is fixed their order matters.
    """
    if "deck_digest" in game.options:
        return ((game.options["deck"], game.options["deck_digest"]),)
    return tuple(game.options.get("boards", ()))


def provenance_from(value: Any) -> Provenance | None:
    """The provenance in the metadata of a file; the first files held an object of name and digest.

    Raises:
        NetworkError: It is none.
    """
    if value is None:
        return None
    pairs = list(value.items()) if isinstance(value, dict) else value
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
        for pair in pairs
    ):
        raise NetworkError(f"data is a list of names and digests, or null, not {value!r}")
    return tuple((name, digest) for name, digest in pairs)


def encoding_of(game: Game, inputs: int) -> str:
    """12 hexadecimal digits that change with what the first `inputs` entries of the observation and the actions are.

    Fields count by name, shape and bounds; actions by number, order and the first word of their names: what follows
    may be the name of a card, which changes nothing.
    """
    fields = [(f.name, f.shape, f.low, f.high) for f, where in game.layout.slices() if where.start < inputs]
    kinds = [(kind, len(list(names))) for kind, names in groupby(name.split()[0] for name in game.action_names)]
    return hashlib.sha256(json.dumps([inputs, fields, kinds]).encode()).hexdigest()[:12]


def metadata_of(
    game: Game,
    *,
    inputs: int,
    command: str,
    seed: int,
    versions: Mapping[str, Any],
    strength: tuple[Strength, ...] = (),
    any_data: bool = False,
) -> Metadata:
    """The metadata of a network trained on this game.

    Args:
        game: The game, with the options of the training.
        inputs: How many entries of the observation the network reads: all, or those that change (`Game.fixed_from`).
        command: The command that trained it.
        seed: Seed of the training.
        versions: `training.report.versions()`.
        strength: What was measured; `dataclasses.replace` sets it later.
        any_data: The network can be played on any deck or board: it was trained on many and observes what they are.

    Raises:
        OptionError: `inputs` is another number.
    """
    if inputs not in (game.layout.size, game.fixed_from):
        raise OptionError(
            f"a network reads all {game.layout.size} entries of this observation or the first {game.fixed_from}, "
            f"not {inputs}"
        )
    data = None if any_data else provenance_of(game)
    encoding = encoding_of(game, inputs)
    return Metadata(
        game.name, game.seats, inputs, encoding, data, dict(game.options), command, seed, dict(versions), strength
    )


def check_fit(name: str, network: "AnyNetwork", metadata: Metadata, game: Game) -> None:
    """Refuse a game that a network cannot play.

    Raises:
        OptionError: With the reason.
    """
    reason = metadata.misfit(game)
    if reason is None and network.actions != game.num_actions:
        reason = f"has {network.actions} actions, and this game {game.num_actions}"
    if reason is None and network.values not in (1, game.seats):
        reason = f"has {network.values} values, and this game {game.seats} seats"
    if reason is not None:
        raise OptionError(f"the network {name} {reason}")


# --- Files ------------------------------------------------------------------------------------------------------------


def save_network(path: str | Path, network: "AnyNetwork", metadata: Metadata) -> None:
    """Write a network, whole or not at all.

    Its numbers are rounded to float16 (measure the strength of what `load_network` reads).

    Raises:
        NetworkError: The file would be too large, a number too large for float16, or `metadata` is of another network.
    """
    if metadata.inputs != network.inputs:
        raise NetworkError(f"the metadata is of {metadata.inputs} inputs, but the network has {network.inputs}")
    arrays: dict[str, np.ndarray] = {}
    for name, (weights, bias) in network.layers().items():
        with np.errstate(over="ignore"):
            arrays[f"{name}_weights"], arrays[f"{name}_bias"] = weights.astype(np.float16), bias.astype(np.float16)
        if not all(np.isfinite(arrays[f"{name}_{part}"]).all() for part in ("weights", "bias")):
            raise NetworkError(f"the layer {name!r} of {path} has numbers too large for float16: the training diverged")
    built: dict[str, Any] = {"format": FORMAT, "hidden": len(network.hidden)}
    if isinstance(network, Network):
        built |= {"activation": network.activation, "residual": network.residual}
    else:
        built["items"] = dataclasses.asdict(network.items)
    arrays["metadata"] = np.array(json.dumps(built | dataclasses.asdict(metadata), allow_nan=False))
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    size = buffer.tell()
    if size > MOST_BYTES:
        raise NetworkError(
            f"{path} would have {size:,} bytes, and {MOST_BYTES:,} are allowed: train smaller hidden layers"
        )
    write_whole(Path(path), buffer.getvalue())


def load_network(path: str | Path) -> "tuple[AnyNetwork, Metadata]":
    """Read a network.

    Raises:
        NetworkError: There is no such file, or it is not a network of this version; names the file and the remedy.
    """
    try:
        status = Path(path).stat()
    except OSError as error:
        raise NetworkError(f"cannot read the network {path}: {error.strerror}; name a file of weights (.npz)") from None
    return _load(str(path), status.st_mtime_ns, status.st_size)


def network_for(game: Game, path: str | Path) -> Network:
    """The network of a file, on a game that it fits.

    Raises:
        NetworkError: The file cannot be used.
        OptionError: The network does not fit the game.
    """
    network, metadata = load_network(path)
    check_fit(str(path), network, metadata, game)
    return network.on(game)


@lru_cache(maxsize=16)
def _load(path: str, changed: int, size: int) -> "tuple[AnyNetwork, Metadata]":
    """`load_network`, once for each version of a file."""
    remedy = "train it again, or copy the file again"
    if size > MOST_BYTES:
        raise NetworkError(f"{path} has {size:,} bytes, and networks at most {MOST_BYTES:,}: it is none")
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        built = json.loads(str(arrays.pop("metadata")))
        version = built.pop("format")
    except Exception as error:  # zipfile, zlib, NumPy and json raise nearly anything for damaged bytes
        raise NetworkError(f"{path} is no file of a network, or is damaged ({error}): {remedy}") from error
    if version != FORMAT:
        raise NetworkError(
            f"{path} has format {version}, and this version of the project reads {FORMAT}: train it again, "
            "or use the version that wrote it"
        )
    try:
        items, activation, count = built.pop("items", None), built.pop("activation", None), int(built.pop("hidden"))
        residual = built.pop("residual", False)
        if not isinstance(residual, bool):
            raise NetworkError(f"residual is true or false, not {residual!r}")
        strength = tuple(Strength(**row) for row in built.pop("strength"))
        built["data"] = provenance_from(built["data"])
        metadata = Metadata(**built, strength=strength)

        def layer(name: str) -> Dense:
            weights, bias = arrays[f"{name}_weights"], arrays[f"{name}_bias"]
            return np.ascontiguousarray(weights, np.float32), np.ascontiguousarray(bias, np.float32)

        hidden = tuple(layer(f"hidden_{k}") for k in range(count))
        network: AnyNetwork
        if items is None:
            network = Network(hidden, layer("policy"), layer("value"), activation, residual)
        else:
            from agents.item_network import ItemNetwork, Items

            described = Items(**{**items, "choices": tuple(items["choices"])})
            heads = (layer(name) for name in ("policy", "choice", "value"))
            network = ItemNetwork(described, layer("describe"), hidden, *heads)
        if network.inputs != metadata.inputs:
            raise NetworkError(f"the metadata is of {metadata.inputs} inputs, the arrays of {network.inputs}")
    except (KeyError, TypeError, ValueError) as error:
        raise NetworkError(f"{path} is incomplete or damaged ({error}): {remedy}") from error
    return network, metadata
