# %% [markdown]
# # How hard are the two difficulty modifiers?
#
# Alone, you play Death Valley against an AI that follows a few fixed rules. Two modifiers, each on or off, make it
# harder to beat:
#
# - `discard_points`: the AI also scores each card in the two discard piles, which fill with every bust;
# - `must_outbust`: the AI wins, whatever the score, unless it has busted more often than you.
#
# Here several agents play the same deals under all four combinations. How much a modifier costs an agent is then a
# difference on the same deals, with an interval of its own.
# `python -m training difficulty` does the same from the command line.

# %%
import os

QUICK = os.environ.get("VALLEY_NOTEBOOK_QUICK") == "1"  # the tests set it

AGENTS = ("random", "greedy", "mcts:5") if QUICK else ("random", "greedy", "mcts:50", "trained")
DEALS = 20 if QUICK else 2000
SEED = 0

# %% [markdown]
# ## Play
#
# A *plan* says which agent plays which game; a *cell* is a plan that has been played. `effects` makes rows of plain
# numbers of the cells: shares of games won with their intervals, and the paired effect of each modifier.

# %%
from pathlib import Path

import matplotlib as mpl
from IPython.display import Image, Markdown
from matplotlib import pyplot as plt

from training import cells, evaluate, plots, tables
from training.seeds import Purpose, deal_seeds
from training.statistics import verdict

OUT = Path("results")
OUT.mkdir(exist_ok=True)

plans = evaluate.plans_of(evaluate.Args(agents=AGENTS))
seeds = deal_seeds(SEED, DEALS, Purpose.NOTEBOOK)
rows = cells.effects(cells.play_all(plans, seeds), baseline="none")
assert not any(row["illegal"] for row in rows)
sorted({row["setting"] for row in rows}), rows[0]["games"]

# %% [markdown]
# ## Who wins
#
# Bars are shares of games won, with 95 % Wilson intervals; the points on the right are the changes that a modifier
# makes to them, with paired intervals. An interval that reaches across the line at 0 leaves
# open whether there is an effect.

# %%
title = f"Death Valley against the solo AI, {DEALS:,} deals"
plots.plot_difficulty(rows, title, OUT / "difficulty.png")
Image(OUT / "difficulty.png", width=900)

# %% [markdown]
# The same in words, each with the interval that it rests on:

# %%
for row in rows:
    if row["effect"]:
        print(verdict(f"{row['agent']}, wins", row["setting"], "none", cells.interval_of(row["effect"])))

# %% [markdown]
# ## By which rule
#
# `must_outbust` adds a way to lose that has nothing to do with the score: avoiding busts does not pay if the AI avoids
# them as well. For each agent and setting: which rule decided the games, with those that the agent won in the darker
# shade.

# %%
endings = list(dict.fromkeys(name for row in rows for name in row["endings"]))
with mpl.rc_context(plots.STYLE):
    figure, axes = plt.subplots(1, len(AGENTS), figsize=(12, 4), sharey=True, layout="constrained")
    for ax, agent in zip(axes, AGENTS, strict=True):
        own = [row for row in rows if row["agent"] == agent]
        settings = [row["setting"].replace("_", "\n") for row in own]
        base = [0.0] * len(own)
        for name, color in zip(endings, plots.COLORS, strict=False):
            won = [row["won_by"].get(name, 0.0) for row in own]
            all_games = [row["endings"].get(name, 0.0) for row in own]
            ax.bar(settings, all_games, bottom=base, color=color, alpha=0.35, label=name.replace("_", " "))
            ax.bar(settings, won, bottom=base, color=color)
            base = [low + share for low, share in zip(base, all_games, strict=True)]
        ax.set_title(agent, loc="left")
        ax.yaxis.set_major_formatter(plots.PercentFormatter(1))
    axes[0].set_ylabel("games decided by (dark: won)")
    axes[-1].legend(loc="upper left", bbox_to_anchor=(1, 1))
    figure.savefig(OUT / "endings.png", dpi=100)
    plt.close(figure)
Image(OUT / "endings.png", width=900)

# %% [markdown]
# ## Where the points come from
#
# Mean points by kind, the agent's / the AI's. Points for `discards` exist only with `discard_points`.

# %%
headings, lines = tables.points_table(rows)
Markdown(tables.markdown(headings, lines, text=2))

# %% [markdown]
# These are results on the shipped deck, which is not wholly the published one. `evaluate.Args(deck="mine.toml")` gives
# them for the cards of your copy: see `docs/decks.md`.
