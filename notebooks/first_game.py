# %% [markdown]
# # A first game by hand
#
# One game of Death Valley through PettingZoo's AEC interface, where one player decides at a time, and one of Rift
# Valley through the Parallel interface, where all do: what an agent sees, what it may do, and how a game is reported
# when it is over. Nobody learns anything here.

# %%
import os

QUICK = os.environ.get("VALLEY_NOTEBOOK_QUICK") == "1"  # the tests set it; this notebook is quick anyway

SEED = 7
MOVES_SHOWN = 5 if QUICK else 20

# %%
from pathlib import Path

import matplotlib as mpl
import numpy as np
from IPython.display import Image, Markdown
from matplotlib import pyplot as plt

import deathvalley_env
import riftvalley_env
from training import plots
from training.tables import markdown
from valley_core.errors import IllegalActionError

OUT = Path("results/first_game")
OUT.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## Death Valley
#
# Each player lays out a *Journey* of cards and saves some of them in a *Scrapbook*. A card has one of four hazards
# (`p`aw, `d`rop, `m`ountain, `s`un), stars that score (`*`) and skulls that cost (`x`), and often an ability. Three
# visible cards of one hazard are a bust. So each turn asks: *travel* on, with the face-up card or an unknown one, or
# *rest* and make what you have safe?

# %%
env = deathvalley_env.raw_env(variant="backseat", render_mode="ansi")
env.reset(seed=SEED)
print(env.render())

# %% [markdown]
# ### What a player sees
#
# An observation is a flat vector with a mask of the legal actions. `game.layout` gives named views on it, without
# copying; `docs/deathvalley.md` has the meaning of each.

# %%
game = env.game
observation, reward, terminated, truncated, info = env.last()
views = game.layout.views(observation["observation"])
print(env.agent_selection, "sees", observation["observation"].shape, "with the mask", observation["action_mask"].shape)
for name in ("decision", "hazards", "unseen", "busts", "scores"):
    print(f"{name:9}", views[name].astype(float).round(2).tolist())


# %% [markdown]
# ### Choosing by name
#
# Actions are numbers; `game.action_names` says what they are.


# %%
def legal(mask: np.ndarray) -> list[str]:
    """The names of the legal actions."""
    return [game.action_names[action] for action in np.flatnonzero(mask)]


def act(name: str) -> None:
    """Carry out the action of this name for the player who is asked."""
    print(f"{env.agent_selection}: {name}")
    env.step(game.action_names.index(name))


print(legal(observation["action_mask"]))
act("travel top")
act("travel top")
print(legal(env.last()[0]["action_mask"]))
print(env.render())

# %% [markdown]
# An illegal action is refused before anything changes, and the error lists what would be legal:

# %%
try:
    act("done")
except IllegalActionError as error:
    print(error)

# %% [markdown]
# ### To the end
#
# `player_0` follows a simple rule: rest as soon as two visible cards share a hazard, else take an unknown card.
# `player_1` plays at random. A player who rests, or uses an ability, is asked several times in a row: `agent_selection`
# stays on that player. The record of the state is kept on the way, to come back to it.

# %%
MOST_OF_A_HAZARD = 6  # the view `hazards` is a count divided by it


def careful(observation: dict[str, np.ndarray]) -> str:
    """The name of an action: rest at two of a hazard, else travel; in all else as little as possible."""
    names = legal(observation["action_mask"])
    own = game.layout.views(observation["observation"])["hazards"][0]
    if "rest" in names and (MOST_OF_A_HAZARD * own).max() >= 2:
        return "rest"
    return next((name for name in ("done", "travel top") if name in names), names[0])


env.action_space("player_1").seed(SEED)
moves = []
for agent in env.agent_iter():
    observation, reward, terminated, truncated, info = env.last()
    if terminated or truncated:
        env.step(None)
        continue
    if agent == "player_0":
        action = game.action_names.index(careful(observation))
    else:
        action = int(env.action_space(agent).sample(observation["action_mask"]))
    moves.append((agent, action))
    if len(moves) == MOVES_SHOWN:
        middle = env.state_record()
    env.step(action)

for agent, action in moves[:MOVES_SHOWN]:
    print(f"{agent}: {game.action_names[action]}")
print("…", len(moves), "decisions in all\n")
print(env.render())

# %% [markdown]
# ### The summary
#
# `info` holds numbers; `summary()` says in words how the game came out: scores by kind and by card, busts, the winner
# (None if the victory is shared) and the rule that decided.

# %%
summary = env.summary()
for name in ("scores", "busts", "turns", "winner", "ending"):
    print(f"{name:7}", summary[name])
kinds = list(summary["by_kind"][0])
lines = [[agent, *map(str, kind.values())] for agent, kind in zip(game.agents, summary["by_kind"], strict=True)]
Markdown(markdown(["points", *kinds], lines))

# %%
with mpl.rc_context(plots.STYLE | {"axes.grid.axis": "x"}):
    figure, axes = plt.subplots(1, 2, figsize=(10, 3), sharex=True, layout="constrained")
    for ax, agent, points, color in zip(axes, game.agents, summary["by_card"], plots.COLORS, strict=False):
        ax.barh(list(points), list(points.values()), color=color)
        ax.axvline(0, color="#222222", linewidth=1)
        ax.set_title(f"{agent}: {sum(points.values())} points, card by card", loc="left")
    figure.savefig(OUT / "cards.png", dpi=100)
    plt.close(figure)
Image(OUT / "cards.png", width=800)

# %% [markdown]
# ### The same game again
#
# A seed fixes the deal and all later shuffles, so the same actions from the same seed are the same game. And a record
# of the state is all there is to know of a position: play goes on from it just as it did.


# %%
def finish(actions: list[tuple[str, int]]) -> dict:
    """Carry out actions; the summary after the last one."""
    for agent, action in actions:
        assert env.agent_selection == agent
        env.step(action)
    return env.summary()


env.reset(seed=SEED)
env.step(game.action_names.index("travel top"))
env.step(game.action_names.index("travel top"))
assert finish(moves) == summary

env.reset(options={"state": middle})
assert finish(moves[MOVES_SHOWN - 1 :]) == summary
print("the same, from the seed and from the middle")

# %% [markdown]
# ## Rift Valley
#
# Boards go round the table. In each turn every player draws one element on the board in front of them, in their own
# colour: a *Stop*, a *Trail* between two of their Stops, or a *Tent*. Trails score the areas that they enter and the
# animals (`k`ob, `e`lephant, `l`ion) beside them, Tents score the connected Stops around them, and a Stop without a
# Trail costs points.

# %%
rift = riftvalley_env.parallel_env(num_players=2, boards="identical", render_mode="ansi")
observations, infos = rift.reset(seed=SEED)
rift_game = rift.game
print(rift.render())

# %% [markdown]
# The observation is made of planes of the board, as for a convolutional network. Drawn from nothing but these planes,
# this is what a player sees: areas by shade, circles for Stops, triangles for Tents, squares where a Trail passes; blue
# is the player's own colour.

# %%
MARKERS = {"stops": "o", "tents": "^"}


def draw(ax: plt.Axes, views: dict[str, np.ndarray], board: int) -> None:
    """Draw a board from the views of an observation: 0 is the board in front of the player, colour 0 the own one."""
    ax.imshow(views["areas"][board].argmax(0), cmap="Pastel1", vmin=0, vmax=8)
    letters = {"k": views["animals"][board, 0], "e": views["animals"][board, 1], "l": views["animals"][board, 2]}
    letters |= {"t": views["trees"][board], "w": views["water"][board], "r": views["rift"][board].sum(0)}
    for letter, plane in letters.items():
        for row, column in np.argwhere(plane):
            ax.text(column, row, letter, ha="center", va="center")
    for colour in range(rift_game.seats):
        for row, column in np.argwhere(views["trails"][board, colour]):
            ax.plot(column, row, "s", color=plots.COLORS[colour], ms=14, alpha=0.6)
        for name, marker in MARKERS.items():
            rows, columns = np.nonzero(views[name][board, colour])
            ax.plot(columns, rows, marker, color=plots.COLORS[colour], ms=12, markeredgecolor="#222222")
    ax.set_xticks(range(7), [f"c{k}" for k in range(1, 8)])
    ax.set_yticks(range(7), [f"r{k}" for k in range(1, 8)])
    ax.tick_params(length=0)


def picture(observations: dict, name: str) -> Image:
    """Both boards as `player_0` sees them."""
    views = rift_game.layout.views(observations["player_0"]["observation"])
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.5), layout="constrained")
    for board, ax in enumerate(axes):
        draw(ax, views, board)
        ax.set_title("in front of player_0" if board == 0 else "in front of player_1", loc="left")
    figure.savefig(OUT / name, dpi=80)
    plt.close(figure)
    return Image(OUT / name, width=700)


picture(observations, "before.png")

# %% [markdown]
# All players choose in one step. Who begins a Trail is asked a second time, for its end; the others then have `wait`
# alone. So the names of the legal actions begin with:

# %%
for agent in rift.agents:
    names = [rift_game.action_names[action] for action in np.flatnonzero(observations[agent]["action_mask"])]
    print(agent, len(names), "actions:", ", ".join(names[:4]), "…")

# %% [markdown]
# Here both players draw a Trail whenever they can, and a Stop or a Tent at random otherwise.

# %%
WISHES = (("row-first", "column-first"), ("trail-from",), ("stop", "tent"), ("pass",), ("wait",))


def eager(mask: np.ndarray, rng: np.random.Generator) -> int:
    """An action of the first kind of the wishes that is legal, at random."""
    actions = np.flatnonzero(mask)
    kinds = [rift_game.action_names[action].split()[0] for action in actions]
    wish = next(wish for wish in WISHES if set(wish) & set(kinds))
    return int(rng.choice([action for action, kind in zip(actions, kinds, strict=True) if kind in wish]))


def play(seed: int) -> tuple[list[str], dict, dict, dict]:
    """A whole game: the names of the actions, and observations, rewards and infos of the last step."""
    rng = np.random.default_rng(seed)
    observations, infos = rift.reset(seed=seed)
    done = []
    while rift.agents:
        actions = {agent: eager(observations[agent]["action_mask"], rng) for agent in rift.agents}
        done.append(", ".join(f"{agent}: {rift_game.action_names[action]}" for agent, action in actions.items()))
        observations, rewards, _, _, infos = rift.step(actions)
    return done, observations, rewards, infos


done, observations, rewards, infos = play(SEED)
print(*done[:MOVES_SHOWN], "…", sep="\n")
picture(observations, "after.png")

# %% [markdown]
# The summary of this game: points by kind, on each board, ranks and winners. Rewards are zero-sum.

# %%
end = rift.summary()
for name in ("scores", "by_board", "ranks", "winners", "ending", "turns"):
    print(f"{name:8}", end[name])
print("rewards ", rewards)
kinds = list(end["by_kind"][0])
lines = [[agent, *map(str, kind.values())] for agent, kind in zip(rift_game.agents, end["by_kind"], strict=True)]
Markdown(markdown(["points", *kinds], lines))

# %%
assert play(SEED)[0] == done
print("the same game again, from its seed")

# %% [markdown]
# Next: `train_solo` lets an agent learn, `modifiers` asks how hard the solo AI is, `rift_strategies` how Rift Valley is
# played.
