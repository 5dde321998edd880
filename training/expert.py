"""``python -m training expert``: a network that learns what search finds, and then guides it (expert iteration).

Each iteration: play games in which every decision is searched; fit a network to the policy that the search improved and
to how the games ended; measure the network alone on fixed deals. In the first iterations the search judges positions by
rules of thumb (leaf ``judge``), later by the network.

The improved policy is what the leaf said of the actions, tilted by the returns that the search found for them. Shares
of visits would hardly differ where actions are close, and say little after few simulations.

Source: Anthony, Tian, Barber: Thinking Fast and Slow with Deep Learning and Tree Search, NeurIPS 2017; Silver et al.:
Mastering the game of Go without human knowledge, Nature 550, 2017; Danihelka et al.: Policy improvement by planning
with Gumbel, ICLR 2022 (the improved policy).

A run lives in a folder: what it is (``run.json``), and for each iteration what was played (``games-3.npz``) and the
network (``network-3.npz``). The same command goes on with the first iteration that is not there; another is refused.
"""

import io
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from tyro.conf import Positional

from agents.mcts import Options, Searched, leaf_of, search
from agents.network import Network, load_network, metadata_of, network_for, save_network
from agents.network_kernels import rules_adder
from training import ranges
from training.cells import check_memory
from training.command import at_least, command_line, kept, line_of, out, progress_bar, run_command, writable
from training.files import digests_of_files, refuse_another_run, write_whole
from training.games import Entry, entry_of
from training.match import Table, agent_seeds
from training.report import config_of
from training.seeds import Purpose, deal_seeds
from training.side_by_side import LOST
from training.strength import measured
from valley_core.batch import CHANCE, in_threads, loops_of
from valley_core.errors import OptionError
from valley_core.game import Game, Status
from valley_core.options import fits_memory

if TYPE_CHECKING:
    from rich.console import Console

JUDGE = "judge"
"""The leaf that knows rules of thumb (`agents.mcts`)."""
SCALED_ON = 4096
"""Decisions that are looked at for the size of what is observed."""
MOST_SCALE = 20.0
LEAST_DECISIONS = 10
"""A game has more."""
ALL = "all"
"""Setting for the four of the solo game together: one network, which observes the modifiers."""


@dataclass(frozen=True)
class Args:
    """Train a network by expert iteration: it learns from a search that it then guides."""

    game: Positional[Literal["deathvalley", "riftvalley"]] = "deathvalley"
    """The game."""
    folder: Path = Path("runs/expert")
    """Of the run. If it holds iterations of the same command already, these are not played again."""
    setting: str = ALL
    """Solo game: none, discard_points, must_outbust, both, or all of them (`all`); for more players base, backseat,
    identical or asymmetrical."""
    players: int | None = None
    """Rift Valley: players, 2 to 5 (default 2)."""
    deck: str | None = None
    """Death Valley: a shipped deck (default highs_and_lows), or the path of a deck file."""
    start: Path | None = None
    """A network to begin with, as from `python -m training train`; its hidden layers are those of the run."""
    iterations: int = 6
    """Rounds of playing and fitting."""
    games: int = 2000
    """Games of an iteration."""
    simulations: int = 64
    """Of the search, for each decision."""
    window: int = 4
    """Iterations whose games the network is fitted to."""
    judge: int = 1
    """Iterations in which the search judges by rules of thumb; from then on by the network of the last iteration."""
    rules: float = 0.0
    """Weight of the rules of thumb beside a network that guides the search: from 0 to 1. They keep it from positions
    that the network judges wrongly as it has not seen the like."""
    rollouts: float = 0.0
    """Weight of greedy play to the end of the game in what guides the search: from 0 to 1. It is slow, and sees far."""
    exploration: float = 1.0
    """Of the search (c of PUCT)."""
    spread: float = 0.25
    """Part of the first tries of a search that all actions share equally, so that none is overlooked."""
    tilt: float = 10.0
    """How much more probable the improved policy makes an action that is sure to win than one of even chances: by this
    power of e."""
    explored: float = 0.25
    """Part of the decisions that are drawn from the improved policy, so that games differ; the rest is the best."""
    hidden: tuple[int, ...] = (256, 256)
    """Widths of the hidden layers; with --start, those of that network count."""
    residual: bool = False
    """Learn what has to be added to the rules of thumb, in place of all that there is to know; with --start, as that
    network does."""
    epochs: int = 8
    """Passes over the games of the window in an iteration."""
    minibatch: int = 1024
    """Decisions of one step of the fit."""
    learning_rate: float = 1e-3
    """Of AdamW at the start of a fit; falls to 0 along a cosine."""
    weight_decay: float = 1e-4
    """Of AdamW."""
    bootstrap: float = 0.5
    """How much of the target of the value is what the search expected; the rest is how the game ended."""
    evaluate: int = 1000
    """Games of a measurement, for each setting."""
    batch: int = 512
    """Games that are searched side by side."""
    threads: int = 2
    """Threads of the fit."""
    seed: int = 0
    """Seed of deals, search and fit."""
    quiet: bool = False
    """No progress bar."""


# --- Games ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Decided:
    """Searched decisions.

    Attributes:
        states: Records, of shape (n,).
        seats: Who was asked, int64 of shape (n,).
        policies: The improved policy, float16 of shape (n, num_actions).
        values: The targets of the values of all seats, from the one that was asked on, float32 of shape (n, seats).
    """

    states: np.ndarray
    seats: np.ndarray
    policies: np.ndarray
    values: np.ndarray

    def save(self, path: Path) -> None:
        """Write a file, whole or not at all."""
        buffer = io.BytesIO()
        np.savez(buffer, states=self.states, seats=self.seats, policies=self.policies, values=self.values)
        write_whole(path, buffer.getvalue())

    @classmethod
    def load(cls, path: Path) -> "Decided":
        """Read a file that `save` wrote."""
        with np.load(path) as file:
            return cls(file["states"], file["seats"], file["policies"], file["values"])

    @classmethod
    def joined(cls, parts: Sequence["Decided"]) -> "Decided":
        """All of several."""
        names = ("states", "seats", "policies", "values")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def improved(found: Searched, tilt: float) -> np.ndarray:
    """The policy that a search has improved, float64 of shape (n, num_actions).

    Each prior is multiplied by e to the power of `tilt` times the action's mean return. That return counts as one
    simulation more with the mean of all, so that what was tried once is not believed.
    """
    whole = (found.visits * found.means).sum(1, keepdims=True) / np.maximum(found.visits.sum(1, keepdims=True), 1)
    returns = (found.visits * found.means + whole) / (found.visits + 1)
    tilted = found.priors * np.exp(tilt * (returns - returns.max(1, keepdims=True)))
    policy: np.ndarray = tilted / tilted.sum(1, keepdims=True)
    return policy


def searched_games(
    game: Game,
    seeds: np.ndarray,
    options: Options,
    explored: float,
    bootstrap: float,
    tilt: float,
    progress: Callable[[int], None] | None = None,
) -> Decided:
    """Play a game for each seed, every seat by search; the decisions that had a choice."""
    table = Table(game, seeds)
    chances = np.zeros(len(seeds), CHANCE)
    chances["rng"] = agent_seeds(seeds, 0)
    rolls = np.random.default_rng(np.random.SeedSequence([int(seed) for seed in seeds[:1]]))
    totals = np.zeros((len(seeds), game.seats))
    expected = np.full((len(seeds), game.seats), np.nan)  # what its last search said, for each seat
    found: list[tuple[np.ndarray, ...]] = []
    while True:
        over = table.status != Status.RUNNING
        if over.any():
            broken_off = table.status[over] == Status.TRUNCATED  # lost, as in `training.side_by_side`
            totals[table.ids[over]] = np.where(broken_off[:, None], LOST, table.totals[over])
            table.keep(~over)
            if progress is not None:
                progress(int(over.sum()))
            if not len(table.ids):
                break
        ids, states, seats, own = table.ids, table.states, table.seats, chances[table.ids]
        result = search(game, states, seats, own, options)
        chances[ids] = own
        policy = improved(result, tilt)
        choice = (result.priors > 0).sum(1) > 1
        expected[ids, seats] = (policy * result.means).sum(1)
        policies = policy[choice].astype(np.float16)
        found.append((ids[choice], states[choice], seats[choice], policies, expected[ids[choice]]))
        drawn = (policy.cumsum(1) > rolls.random((len(states), 1)) * policy.sum(1, keepdims=True)).argmax(1)
        table.step(np.where(rolls.random(len(states)) < explored, drawn, policy.argmax(1)))
        table.look()
    owners, recorded, asked, improvements, means = (np.concatenate(part) for part in zip(*found, strict=True))
    ends = totals[owners]
    means = np.where(np.isnan(means), ends, means)  # a seat that had not searched yet
    values = (bootstrap * means + (1 - bootstrap) * ends).astype(np.float32)
    order = (asked[:, None] + np.arange(game.seats)) % game.seats
    return Decided(recorded, asked, improvements, np.take_along_axis(values, order, 1))


def inputs_of(game: Game) -> int:
    """What the network reads: the part of the observation that changes, if another part is constant."""
    return game.fixed_from if len(game.data) == 1 else game.layout.size


def observed(game: Game, decided: Decided, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Observations, float32 of shape (len(rows), inputs), and masks, bool of shape (len(rows), num_actions)."""
    states, seats = decided.states[rows], decided.seats[rows]
    observations = game.blank_observations(states)
    masks = np.zeros((len(rows), game.num_actions), np.uint8)
    observe_all = loops_of(game).observe_all
    in_threads(
        len(rows), lambda part: observe_all(states[part], game.data, seats[part], observations[part], masks[part])
    )
    return observations[:, : inputs_of(game)], masks.astype(np.bool_)


# --- Fitting ----------------------------------------------------------------------------------------------------------


def scale_of(game: Game, decided: Decided) -> np.ndarray:
    """By what each entry of the observation is multiplied in a fit, float32 of shape (inputs,).

    So that entries that are small where they are not 0, as scores are, count like those that are 0 or 1: all weights
    move at the same pace, and those of small entries would have to become great.
    """
    rows = np.linspace(0, len(decided.seats) - 1, min(SCALED_ON, len(decided.seats))).astype(np.int64)
    observations, _ = observed(game, decided, rows)
    squares = (observations.astype(np.float64) ** 2).sum(0) / np.maximum((observations != 0).sum(0), 1)
    return np.clip(1 / np.sqrt(np.where(squares > 0, squares, 1)), 1, MOST_SCALE).astype(np.float32)


def values_of(game: Game) -> int:
    """How many values a network has: one says it all where one of two seats loses what the other gains."""
    return game.seats if game.seats > 2 else 1


def build(inputs: int, hidden: Sequence[int], actions: int, values: int = 1, residual: bool = False) -> Any:
    """The network as a torch module: a trunk, and its two heads; a residual one corrects nothing yet."""
    from torch import nn

    from training.layers import hidden_layers

    heads = {"policy": nn.Linear(hidden[-1], actions), "value": nn.Linear(hidden[-1], values)}
    if residual:
        for head in heads.values():
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)
    return nn.ModuleDict({"trunk": hidden_layers([inputs, *hidden]), **heads})


def exported(module: Any, residual: bool = False) -> Network:
    """The module as plain arrays."""
    from dataclasses import replace

    from training.layers import plain

    return replace(plain(module["trunk"], module["policy"], module["value"]), residual=residual)


def base_of(game: Game, decided: Decided, rows: np.ndarray, masks: np.ndarray, adder: Any, values: int) -> np.ndarray:
    """What a residual network corrects, float32 of shape (len(rows), num_actions + values)."""
    base = np.zeros((len(rows), game.num_actions + values), np.float32)
    states, seats, legal = decided.states[rows], decided.seats[rows], masks.astype(np.uint8)
    in_threads(len(rows), lambda part: adder(states[part], seats[part], legal[part], base[part]))
    return base


def fit_seed(seed: int, iteration: int) -> int:
    """The seed of the fit of an iteration: another one for each, whatever the seed of the run."""
    return int(np.random.SeedSequence([seed, iteration]).generate_state(1)[0])


def fit(game: Game, decided: Decided, start: Network | None, args: Args, seed: int) -> tuple[Network, dict[str, float]]:
    """Fit a network to searched decisions; it, and the mean losses of the last pass."""
    import torch
    from torch.nn import functional

    from training.layers import take_over

    torch.set_num_threads(args.threads)
    torch.manual_seed(seed)
    hidden, values, residual = args.hidden, values_of(game), args.residual
    if start is not None:
        hidden, values, residual = start.widths, start.values, start.residual
    adder = rules_adder(game, leaf_of(game, JUDGE)) if residual else None
    module = build(inputs_of(game), hidden, game.num_actions, values, residual)
    if start is not None:
        take_over(start, module["trunk"], module["policy"], module["value"])
    scale = torch.from_numpy(scale_of(game, decided))
    first = module["trunk"][0].weight
    if start is not None:
        first.data /= scale
    optimizer = torch.optim.AdamW(module.parameters(), args.learning_rate, weight_decay=args.weight_decay)
    steps = max(1, args.epochs * (len(decided.seats) // args.minibatch))
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    order = np.random.default_rng(seed)
    losses = {"policy": 0.0, "value": 0.0}
    for _ in range(args.epochs):
        rows = order.permutation(len(decided.seats))
        sums, parts = np.zeros(2), 0
        for at in range(0, max(1, len(rows) - args.minibatch + 1), args.minibatch):
            some = np.sort(rows[at : at + args.minibatch])
            observations, masks = observed(game, decided, some)
            x = module["trunk"](torch.from_numpy(np.ascontiguousarray(observations)) * scale)
            logits, worth = module["policy"](x), module["value"](x)
            if adder is not None:
                base = torch.from_numpy(base_of(game, decided, some, masks, adder, values))
                logits, worth = logits + base[:, : game.num_actions], worth + base[:, game.num_actions :]
            logits = logits.masked_fill(~torch.from_numpy(masks), -1e9)
            targets = torch.from_numpy(decided.policies[some].astype(np.float32))
            policy = -(targets * functional.log_softmax(logits, 1)).sum(1).mean()
            value = functional.mse_loss(torch.tanh(worth), torch.from_numpy(decided.values[some][:, :values]))
            optimizer.zero_grad()
            (policy + value).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
            sums += (float(policy.detach()), float(value.detach()))
            parts += 1
        losses = {"policy": sums[0] / parts, "value": sums[1] / parts}
    first.data *= scale
    return exported(module, residual), losses


# --- The run ----------------------------------------------------------------------------------------------------------


def games_of(args: Args) -> tuple[Entry, dict[str, Game]]:
    """The games of the settings.

    Raises:
        OptionError: A setting or an option that is not known.
    """
    entry = entry_of(args.game)
    known = {**entry.solo, **entry.settings}
    names = list(entry.solo) if args.setting == ALL and entry.solo else [args.setting]
    options = entry.chosen(deck=args.deck, players=args.players)
    for name in names:
        if name not in known:
            raise OptionError(f"there is no setting {name!r}; choose among {', '.join(known)}")
    return entry, {name: entry.make(**known[name], **options) for name in names}


def play_iteration(args: Args, games: dict[str, Game], k: int, guide: str, work: Any) -> Decided:
    """The searched games of an iteration: as many of each setting."""
    rules = 0.0 if guide == JUDGE else args.rules
    options = Options(
        args.simulations,
        leaf=guide,
        exploration=args.exploration,
        spread=args.spread,
        rules=rules,
        rollouts=args.rollouts,
    )
    seeds = deal_seeds(args.seed, args.games, Purpose.EXPERT, first=k * args.games)
    parts = []
    for place, (setting, game) in enumerate(games.items()):
        own = seeds[place :: len(games)]
        for at in range(0, len(own), args.batch):
            some = own[at : at + args.batch]
            advance = work(f"iteration {k}, {setting}: games")
            parts.append(searched_games(game, some, options, args.explored, args.bootstrap, args.tilt, advance))
    return Decided.joined(parts)


NOT_THE_RUN = ("iterations", "evaluate", "threads", "quiet", "batch", "folder")
"""Arguments that a run may be taken up with other values of."""


def claim_folder(args: Args, game: Game) -> None:
    """Write what the run is into its folder, or compare it with what is there.

    Raises:
        OptionError: The folder holds another run; says in what it differs.
    """
    wanted = {name: value for name, value in config_of(args).items() if name not in NOT_THE_RUN}
    files = {} if args.start is None else digests_of_files([str(args.start)])
    wanted |= {"options": dict(game.options), "start_digest": next(iter(files.values()), None)}
    wanted = json.loads(json.dumps(wanted))
    file = args.folder / "run.json"
    if file.exists():
        try:
            found = dict(json.loads(file.read_text(encoding="utf-8")))
        except (ValueError, TypeError) as error:
            raise OptionError(f"{file} is damaged ({error}); name another --folder") from error
        found.setdefault("start_digest", wanted["start_digest"])  # of a run that was begun by an older version
        refuse_another_run(args.folder, found, wanted, "--folder")
        return
    write_whole(file, (json.dumps(wanted, indent=1) + "\n").encode())


def check_numbers(args: Args, game: Game) -> None:
    """Raise `OptionError` for a number that is out of range, or asks for more than there can be in memory."""
    ranges.check_numbers(args)
    at_least("threads", args.threads, 1)
    if not args.hidden:
        raise OptionError("--hidden names the width of one layer or more")
    from training.layers import check_widths

    size = game.template.dtype.itemsize + 2 * game.num_actions + 4 * game.seats
    fits_memory("--games", args.games, LEAST_DECISIONS * size)
    check_memory("--evaluate", args.evaluate, [game])
    if args.start is None:
        check_widths(inputs_of(game), args.hidden, game.num_actions)


def run(args: Args) -> int:
    """Play, fit and measure; the exit code."""
    entry, games = games_of(args)
    first = next(iter(games.values()))
    check_numbers(args, first)
    writable(args.folder / "run.json")
    network = None if args.start is None else network_for(first, args.start)
    claim_folder(args, first)
    console = out()
    with kept(lambda: kept_of(args)):
        iterate(args, entry, games, network, console)
    console.print(next_of(args, entry, games), soft_wrap=True)
    return 0


def networks_of(folder: Path) -> list[Path]:
    """The networks of a run, the newest last."""
    return sorted(folder.glob("network-*.npz"), key=lambda path: int(path.stem.rpartition("-")[2]))


def kept_of(args: Args) -> str:
    """What is kept of a run that is broken off, and how it goes on."""
    done = len(networks_of(args.folder))
    return f"{done} of {args.iterations} iterations are kept in {args.folder}: the same command goes on from there"


def next_of(args: Args, entry: Entry, games: Mapping[str, Game]) -> str:
    """Where the newest network is, how it is measured, and how the run goes on."""
    newest = networks_of(args.folder)[-1]
    words: list[object] = [args.game, "--agents", newest]
    if not any(setting in entry.solo for setting in games):
        words += ["--opponent", entry.rivals[-1]]
    words += ["--variant" if entry.solo and args.setting in entry.settings else "--settings", *games]
    for name in ("players", "deck"):
        if (value := getattr(args, name)) is not None:
            words += [f"--{name}", value]
    return (
        f"newest network: {newest}\nmeasure it:     {command_line('evaluate', *words)}\n"
        f"go on:          the same command with --iterations {args.iterations + 1} or more"
    )


def iterate(args: Args, entry: Entry, games: dict[str, Game], network: Network | None, console: "Console") -> None:
    """Play, fit and measure, iteration by iteration."""
    from dataclasses import replace

    from training.report import versions
    from training.tables import interval

    first = next(iter(games.values()))
    command = line_of("expert", args, ("folder", "quiet"))
    for k in range(args.iterations):
        path, played = args.folder / f"network-{k}.npz", args.folder / f"games-{k}.npz"
        if path.exists():
            network = load_network(path)[0].on(first)
            console.print(f"iteration {k}: there already ({path})")
            continue
        start = perf_counter()
        guide = JUDGE
        if k >= args.judge and network is not None:
            guide = str(args.folder / f"network-{k - 1}.npz" if k else args.start)
        if not played.exists():
            with progress_bar(args.games, args.quiet) as work:
                play_iteration(args, games, k, guide, work).save(played)
        window = [args.folder / f"games-{j}.npz" for j in range(max(0, k - args.window + 1), k + 1)]
        decided = Decided.joined([Decided.load(file) for file in window])
        between = perf_counter()
        network, losses = fit(first, decided, network, args, fit_seed(args.seed, k))
        fitted = perf_counter()
        metadata = metadata_of(first, inputs=inputs_of(first), command=command, seed=args.seed, versions=versions())
        partial = path.with_name(f"partial-{k}.npz")
        save_network(partial, network, metadata)
        strength = []
        for setting, game in games.items():
            rival = None if setting in entry.solo else entry.rivals[-1]
            agent = str(partial)
            tests = (args.evaluate, args.seed, Purpose.EXPERT_TEST)
            strength.append(measured(entry, game, setting, agent, rival, *tests))
        save_network(partial, network, replace(metadata, strength=tuple(strength)))
        os.replace(partial, path)
        # Its numbers are rounded: a run that is taken up goes on from the same.
        network = load_network(path)[0].on(first)
        rates = ", ".join(f"{one.setting} {interval(vars(one), 'win')}" for one in strength)
        console.print(
            f"iteration {k}: {len(decided.seats):,} decisions, loss of the policy {losses['policy']:.3f}, of the value "
            f"{losses['value']:.3f}; wins of the network alone: {rates}; played {between - start:.0f} s, fitted "
            f"{fitted - between:.0f} s",
            soft_wrap=True,
        )


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("expert", Args, run, argv)
