# %% [markdown]
# # Train a solo agent in five minutes
#
# A policy learns Death Valley against its solo AI by masked PPO, on the native vector environment. Then it is measured
# beside agents that learn nothing, and serves as the leaf of a tree search.

# %%
import os

QUICK = os.environ.get("VALLEY_NOTEBOOK_QUICK") == "1"  # the tests set it

STEPS = 20_000 if QUICK else 2_000_000  # decisions of the learner
MINUTES = 5  # it ends in any case
TEST_EVERY = 10_000 if QUICK else 100_000
TEST_DEALS = 50 if QUICK else 1000
DEALS = 20 if QUICK else 1000  # of the comparison at the end
SIMULATIONS = 5 if QUICK else 50
SEED = 0

# %% [markdown]
# ## Learn
#
# `Args` has a field for each option of `python -m training train`; what is not given is as there. `learn` returns the
# rows of its tests, and writes to the run's folder: checkpoints, logs for TensorBoard, the latest network and the best.

# %%
import shutil
from pathlib import Path

import matplotlib as mpl
import numpy as np
from IPython.display import Image, Markdown
from matplotlib import pyplot as plt

from training import cells, evaluate, plots, tables, train
from training.seeds import Purpose, deal_seeds
from training.statistics import verdict

OUT = Path("results/train_solo")
shutil.rmtree(OUT, ignore_errors=True)  # a new run in the place of the last one of this notebook

learnt = train.learn(
    train.Args(
        "deathvalley",
        setting="none",
        steps=STEPS,
        minutes=MINUTES,
        test_every=TEST_EVERY,
        test_games=TEST_DEALS,
        seed=SEED,
        run=OUT,
        quiet=True,
    )
)
last = learnt[-1]
print(f"{last['steps']:,} decisions in {last['seconds']:.0f} s; illegal actions: {last['illegal_in_training']}")

# %% [markdown]
# ## The learning curve
#
# Each test plays the same deals, apart from those of the training. The band is the 95 % Wilson interval of each test;
# it tells how well this one policy is known, not how much other seeds would differ (`python -m training curves` does
# that). The dashed lines are agents that learn nothing, on the same deals.


# %%
def play(agents: list[str], seeds: np.ndarray) -> list[dict]:
    """The rows of agents against the solo AI without modifiers, on deals from these seeds."""
    plans = evaluate.plans_of(evaluate.Args(agents=tuple(agents), settings=("none",)))
    rows = cells.compared(cells.play_all(plans, seeds))
    assert not any(row["illegal"] for row in rows)
    return rows


steps = [row["steps"] for row in learnt]
with mpl.rc_context(plots.STYLE):
    figure, ax = plt.subplots(figsize=(9, 4.5), layout="constrained")
    ax.plot(steps, [row["win"] for row in learnt], color=plots.COLORS[0], label="policy")
    ends = ([row[end] for row in learnt] for end in ("win_low", "win_high"))
    ax.fill_between(steps, *ends, color=plots.COLORS[0], alpha=0.2, linewidth=0)
    for row, color in zip(
        play(["random", "greedy"], deal_seeds(SEED, TEST_DEALS, Purpose.TRAINING_TEST)), plots.COLORS[1:], strict=False
    ):
        ax.axhline(row["win"], color=color, linestyle="--", label=row["agent"])
    ax.set_xlabel("decisions")
    ax.set_ylabel("games won, with 95 % interval")
    ax.set_ylim(0, 1)
    ax.yaxis.set_major_formatter(plots.PercentFormatter(1))
    ax.legend(loc="center right")
    figure.savefig(OUT / "curve.png", dpi=100)
    plt.close(figure)
Image(OUT / "curve.png", width=700)

# %% [markdown]
# ## The network as an agent
#
# `best.npz` holds the network with what it was trained for; to play it needs no torch. Its name as an agent is
# `network:PATH`, and with `mcts:N,leaf=PATH` a search of N simulations a decision asks it for priors and values where
# it would play at random to the end otherwise. Any command of `python -m training` takes these names.
#
# The deals are others than those of the tests, which have chosen the best network.

# %%
BEST = OUT / "best.npz"
names = {
    "random": "random",
    "greedy": "greedy",
    f"network:{BEST}": "network",
    f"mcts:{SIMULATIONS}": f"mcts:{SIMULATIONS}",
    f"mcts:{SIMULATIONS},leaf={BEST}": f"network in mcts:{SIMULATIONS}",
}
compared = play(list(names), deal_seeds(SEED, DEALS, Purpose.NOTEBOOK))
plots.plot_wins(
    [row | {"agent": names[row["agent"]]} for row in compared],
    f"Won against the solo AI, {DEALS:,} deals",
    OUT / "wins.png",
)
Image(OUT / "wins.png", width=600)

# %% [markdown]
# The deals are the same for all, so that two agents are compared deal by deal. With its interval, how the network does
# beside agents that learn nothing, and the search that asks it beside the network and the search alone:

# %%
_, _, network, _, guided = compared
for row, others in ((network, network["differences"]), (guided, guided["differences"][-2:])):
    for other in others:
        print(verdict("wins", names[row["agent"]], names[other["to"]], cells.interval_of(other)))

# %%
headings, lines = tables.outcome_table([row | {"agent": names[row["agent"]]} for row in compared])
Markdown(tables.markdown(headings[:-1], [line[:-1] for line in lines], text=3))

# %% [markdown]
# ## Watch it play
#
# As the agent of one game: `start` gives it a seed for its random numbers, `act` asks it for an action in each of many
# games at once, here one.

# %%
import deathvalley_env
from agents import Decisions, make_agent

env = deathvalley_env.solo_env(render_mode="ansi")
observation, info = env.reset(seed=SEED)
game = env.unwrapped.game
player = make_agent(f"network:{BEST}")
player.start(game, np.array([SEED], np.uint64))
over, done = False, []
while not over:
    states = np.array([env.unwrapped.state_record()])
    action = int(player.act(Decisions(game, states, np.array([0]), np.array([0])))[0])
    done.append(game.action_names[action])
    observation, reward, terminated, truncated, info = env.step(action)
    over = terminated or truncated
print(*done[:20], sep=", ")
print(env.render())

# %% [markdown]
# To go on from here: another `setting`, or `"all"` for one policy under all modifiers; `variant="backseat"` for a
# league against past selves; `python -m training expert` to learn from the search that the network guides.
