# %% [markdown]
# # Strategies in Rift Valley
#
# In Rift Valley all players draw at once, on boards that go round the table. Three questions: how well do the agents
# play against each other, what do they score with, and are all seats worth the same?
#
# The shipped boards are original, not the published ones, so all results are results on these boards.

# %%
import os

QUICK = os.environ.get("VALLEY_NOTEBOOK_QUICK") == "1"  # the tests set it

DEALS = 10 if QUICK else 200  # of each comparison between agents
GAMES = 20 if QUICK else 2000  # of each agent on each board, and with each number of players
SEARCH = "mcts:5" if QUICK else "mcts:50"
PLAYERS = (2, 3) if QUICK else (2, 3, 4, 5)
SEED = 0

# %%
from pathlib import Path

import matplotlib as mpl
from IPython.display import Image, Markdown
from matplotlib import pyplot as plt

from training import cells, evaluate, fields, plots, strategies, tables
from training.seeds import Purpose, deal_seeds
from training.statistics import verdict

OUT = Path("results/rift_strategies")
OUT.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## Who beats whom
#
# Two players, with the same small board for each (`identical`) or with boards dealt from a set (`asymmetrical`). Each
# agent plays against `noisy`, which is `greedy` with some random decisions: `greedy` alone would play the same few
# games again and again. Each deal is played twice, with the agent in either seat.

# %%
AGENTS = ("random", "greedy", SEARCH)
plans = evaluate.plans_of(evaluate.Args("riftvalley", agents=AGENTS, opponent="noisy"))
rows = cells.compared(cells.play_all(plans, deal_seeds(SEED, DEALS, Purpose.NOTEBOOK)))
assert not any(row["illegal"] for row in rows)
plots.plot_wins(rows, f"Rift Valley, two players: won alone against noisy, {DEALS:,} deals", OUT / "wins.png")
Image(OUT / "wins.png", width=600)

# %%
for row in rows:
    for other in row["differences"]:
        difference = cells.interval_of(other)
        print(verdict(f"{row['setting']}, wins", row["agent"], other["to"], difference))

# %% [markdown]
# ## What they score with
#
# Mean points by kind: areas that Trails enter, animals beside them, Tents beside connected Stops, and the loss for
# Stops without a Trail, which lies below the line.


# %%
def kinds_axes(ax: plt.Axes, rows: list[dict]) -> None:
    """Draw the points by kind of each agent as a stack, gains above 0 and losses below, and their sum as a dot."""
    names = [row["agent"] for row in rows]
    above, below = [0.0] * len(rows), [0.0] * len(rows)
    for kind, color in zip(rows[0]["points"], plots.COLORS, strict=False):
        points = [row["points"][kind] for row in rows]
        base = [up if value >= 0 else down for value, up, down in zip(points, above, below, strict=True)]
        ax.bar(names, points, 0.6, bottom=base, color=color, label=kind)
        above = [up + max(value, 0) for value, up in zip(points, above, strict=True)]
        below = [down + min(value, 0) for value, down in zip(points, below, strict=True)]
    ax.plot(names, [row["score"] for row in rows], "D", color="#222222", label="score")
    ax.axhline(0, color="#222222", linewidth=1)


with mpl.rc_context(plots.STYLE):
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
    for ax, setting in zip(axes, dict.fromkeys(row["setting"] for row in rows), strict=True):
        kinds_axes(ax, [row for row in rows if row["setting"] == setting])
        ax.set_title(setting, loc="left")
    axes[0].set_ylabel("points of a player")
    axes[-1].legend(loc="upper left", bbox_to_anchor=(1, 1))
    figure.savefig(OUT / "kinds.png", dpi=100)
    plt.close(figure)
Image(OUT / "kinds.png", width=800)

# %% [markdown]
# ## Board by board, seat by seat
#
# Now the same agent sits in all seats. The upper plot has its score on each shipped board alone and on the two sets,
# for the fewest players; the lower ones have what each seat gets of the victories on the asymmetrical set, where the
# line is a fair share.

# %%
alone = strategies.fields_of(strategies.Args(agents=("random", "noisy"), players=PLAYERS))
played = [strategies.play(field, deal_seeds(SEED, GAMES, Purpose.NOTEBOOK), GAMES) for field in alone]
assert not any(row["illegal"] for row in played)
plots.plot_strategies(played, f"Rift Valley, the same agent in all seats, {GAMES:,} games", OUT / "boards.png")
Image(OUT / "boards.png", width=900)

# %% [markdown]
# Many seats are tested here, so some may look unequal by chance alone:

# %%
print(tables.fairness_sentence(played))
headings, lines = tables.strategy_table([row for row in played if row["seats"] == min(PLAYERS)])
Markdown(tables.markdown(headings, lines, text=2))

# %% [markdown]
# On a set of boards it might also matter which one a player starts with. For `noisy` in all seats: the share of the
# victories of whoever started with a board; the line is a fair share.

# %%
sets = [row for row in played if row["of_boards"] and row["agent"] == "noisy"]
with mpl.rc_context(plots.STYLE):
    figure, axes = plt.subplots(1, len(sets), figsize=(12, 4), sharey=True, layout="constrained")
    for ax, row in zip(axes, sets, strict=True):
        boards = [board["board"].replace(" ", "\n") for board in row["of_boards"]]
        shares = [board["share"] for board in row["of_boards"]]
        low, high = ([board[end] for board in row["of_boards"]] for end in ("share_low", "share_high"))
        ax.plot(boards, shares, "o", color=plots.COLORS[1])
        ax.vlines(boards, low, high, color=plots.COLORS[1])
        ax.axhline(row["fair"], color="#222222", linewidth=1)
        ax.set_title(f"{row['setting']}, {row['seats']} players", loc="left", fontsize=11)
        ax.tick_params("x", rotation=90)
    axes[0].set_ylim(0)
    axes[0].yaxis.set_major_formatter(plots.PercentFormatter(1))
    axes[0].set_ylabel("share of the victories, with 95 % interval")
    figure.savefig(OUT / "starts.png", dpi=100)
    plt.close(figure)
Image(OUT / "starts.png", width=900)

# %% [markdown]
# ## Three at a table
#
# A *field* seats any agents together and rotates the seats on the same deals. A fair share of the victories is the same
# for all; what an agent has above it, it takes from the others.

# %%
(field,) = evaluate.fields_of(
    evaluate.Args("riftvalley", field=("noisy", "random", SEARCH), settings=("asymmetrical",))
)
at_table = [
    row
    for row in fields.rows_of(fields.play_field(field, deal_seeds(SEED, DEALS, Purpose.NOTEBOOK)))
    if row["seat"] is None
]
assert not any(row["illegal"] for row in at_table)
with mpl.rc_context(plots.STYLE):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for x, row in enumerate(at_table):
        ends = [[row["share"] - row["share_low"]], [row["share_high"] - row["share"]]]
        left.errorbar(x, row["share"], yerr=ends, fmt="o", color=plots.COLORS[x], ms=6, capsize=3)
    left.axhline(at_table[0]["fair"], color="#222222", linewidth=1)
    left.set_xticks(range(len(at_table)), [row["agent"] for row in at_table])
    left.set_xlim(-0.5, len(at_table) - 0.5)
    left.set_ylim(0, 1)
    left.yaxis.set_major_formatter(plots.PercentFormatter(1))
    left.set_title("share of the victories, with 95 % interval", loc="left")
    kinds_axes(right, at_table)
    right.set_title("points by kind", loc="left")
    right.legend(loc="upper left", bbox_to_anchor=(1, 1))
    figure.savefig(OUT / "table.png", dpi=100)
    plt.close(figure)
Image(OUT / "table.png", width=800)

# %% [markdown]
# The commands for larger runs: `python -m training strategies`, `python -m training evaluate riftvalley --field …`, and
# `python -m training tournament` for ratings. Boards of your own take the place of the shipped ones: see
# `docs/boards.md`.
