"""Pictures of results, as PNG and without a display."""

import io
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import colormaps
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import PercentFormatter

from valley_core.files import write_whole

Row = Mapping[str, Any]

SCORE_ENDS = ((-1, "score_low"), (1, "score_high"))
"""Which way each end of a score's interval lies."""

COLORS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb")
"""Paul Tol's bright scheme, which the colour-blind can tell apart."""

STYLE: Any = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#e5e5e5",
    "legend.frameon": False,
}


def _names(rows: Sequence[Row], key: str) -> list[str]:
    return list(dict.fromkeys(str(row[key]) for row in rows))


def _label(setting: str) -> str:
    return setting.replace("_", "\n")


def win_axes(ax: Axes, rows: Sequence[Row]) -> None:
    """Draw the win rate of each agent with its interval, grouped by setting."""
    settings, agents = _names(rows, "setting"), _names(rows, "agent")
    width = 0.8 / len(agents)
    for k, agent in enumerate(agents):
        own = {row["setting"]: row for row in rows if row["agent"] == agent}
        for x, setting in enumerate(settings):
            if setting not in own:
                continue
            row = own[setting]
            at = x + (k - (len(agents) - 1) / 2) * width
            error = [[row["win"] - row["win_low"]], [row["win_high"] - row["win"]]]
            ax.bar(at, row["win"], 0.9 * width, color=COLORS[k % len(COLORS)], label=agent if x == 0 else None)
            ax.errorbar(at, row["win"], yerr=error, fmt="none", ecolor="#222222", elinewidth=1.2, capsize=3)
            if len(agents) * len(settings) <= 24:
                ax.annotate(
                    f"{100 * row['win']:.1f}",
                    (at, row["win_high"]),
                    (0, 3),
                    textcoords="offset points",
                    ha="center",
                    size=8,
                )
    ax.set_xticks(range(len(settings)), [_label(setting) for setting in settings])
    top = max(float(row["win_high"]) for row in rows)
    ax.set_ylim(0, min(1.08, 1.15 * top + 0.01))
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set_ylabel("games won, with 95 % Wilson interval")


def effect_axes(ax: Axes, rows: Sequence[Row], baseline: str) -> None:
    """Draw the paired effect of each setting on the win rate of each agent."""
    shown = [row for row in rows if row["setting"] != baseline]
    settings, agents = _names(shown, "setting"), _names(shown, "agent")
    width = 0.6 / len(agents)
    for k, agent in enumerate(agents):
        own = [row for row in shown if row["agent"] == agent]
        at = [settings.index(row["setting"]) + (k - (len(agents) - 1) / 2) * width for row in own]
        values = [100 * row["effect"]["win"] for row in own]
        low = [100 * max(0.0, row["effect"]["win"] - row["effect"]["win_low"]) for row in own]
        high = [100 * max(0.0, row["effect"]["win_high"] - row["effect"]["win"]) for row in own]
        ax.errorbar(at, values, yerr=[low, high], fmt="o", color=COLORS[k % len(COLORS)], ms=6, capsize=3, label=agent)
    ax.axhline(0, color="#222222", linewidth=1)
    ax.set_xticks(range(len(settings)), [_label(setting) for setting in settings])
    ax.margins(x=0.25)
    ax.set_ylabel("change of the win rate, in percentage points")
    ax.set_title(f"Effect of each modifier (to “{baseline}”, same deals)", loc="left", fontsize=11)


def _save(figure: Any, path: Path) -> None:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=150, metadata={"Software": None})
    plt.close(figure)
    write_whole(path, buffer.getvalue())


def plot_wins(rows: Sequence[Row], title: str, path: Path) -> None:
    """Write the win rates of all agents and settings as a PNG."""
    groups = len(_names(rows, "setting"))
    with mpl.rc_context(STYLE):
        figure, ax = plt.subplots(figsize=(max(6.0, 1.0 + 1.9 * groups), 4.5), layout="constrained")
        win_axes(ax, rows)
        figure.suptitle(title, x=0.01, ha="left", fontsize=12)
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
        _save(figure, path)


def plot_difficulty(rows: Sequence[Row], title: str, path: Path, baseline: str = "none") -> None:
    """Write win rates, and the effect of each modifier, as a PNG."""
    with mpl.rc_context(STYLE):
        figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.8), width_ratios=(3, 2), layout="constrained")
        figure.suptitle(title, x=0.01, ha="left", fontsize=12)
        win_axes(left, rows)
        left.set_title("Win rate", loc="left", fontsize=11)
        effect_axes(right, rows, baseline)
        right.legend(loc="upper left", bbox_to_anchor=(1, 1))
        _save(figure, path)


def rating_axes(ax: Axes, rows: Sequence[Row]) -> None:
    """Draw the rating of each agent with its interval, the best at the top."""
    for y, row in enumerate(rows):
        low, high = (
            end if end is not None and isfinite(end) else None for end in (row["rating_low"], row["rating_high"])
        )
        if low is not None and high is not None:
            error = [[max(0.0, row["rating"] - low)], [max(0.0, high - row["rating"])]]
            ax.errorbar(row["rating"], y, xerr=error, fmt="o", color=COLORS[0], ms=6, capsize=3)
        elif high is not None:  # a bound: an arrow to all that is possible
            ax.plot(high, y, "<", color=COLORS[0], ms=9)
        elif low is not None:
            ax.plot(low, y, ">", color=COLORS[0], ms=9)
    ax.axvline(0, color="#222222", linewidth=1)
    ax.set_yticks(range(len(rows)), [row["agent"] for row in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlabel("rating, with 95 % interval or bound (arrow); 400 points are ten wins for each loss")


def against_axes(ax: Axes, rows: Sequence[Row]) -> None:
    """Draw the share of comparisons that each agent won against each other, a draw being half of a win."""
    names = [row["agent"] for row in rows]
    for y, row in enumerate(rows):
        for name, counts in row["against"].items():
            if not any(counts.values()):
                continue
            share = (counts["ahead"] + counts["drawn"] / 2) / sum(counts.values())
            x = names.index(name)
            ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, color=colormaps["RdBu"](0.15 + 0.7 * share)))
            ax.annotate(f"{100 * share:.1f}", (x, y), ha="center", va="center")
    ax.set_xticks(range(len(names)), names, rotation=45, ha="right")
    ax.set_yticks(range(len(names)), names)
    ax.set_xlim(-0.5, len(names) - 0.5)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(False)
    ax.set_aspect("equal")


def plot_ratings(rows: Sequence[Row], title: str, path: Path) -> None:
    """Write the ratings of a tournament, and who is ahead of whom, as a PNG."""
    height = 2.5 + 0.6 * len(rows)
    with mpl.rc_context(STYLE):
        figure, (left, right) = plt.subplots(1, 2, figsize=(12, height), width_ratios=(3, 2), layout="constrained")
        figure.suptitle(title, x=0.01, ha="left", fontsize=12)
        rating_axes(left, rows)
        left.set_title("Rating", loc="left", fontsize=11)
        against_axes(right, rows)
        right.set_title("Row against column: won, %, a draw as half", loc="left", fontsize=11)
        _save(figure, path)


def score_axes(ax: Axes, rows: Sequence[Row]) -> None:
    """Draw the mean score of each agent on each board, with its interval."""
    settings, agents = _names(rows, "setting"), _names(rows, "agent")
    for k, agent in enumerate(agents):
        own = [row for row in rows if row["agent"] == agent]
        at = [settings.index(row["setting"]) + (k - (len(agents) - 1) / 2) * 0.2 for row in own]
        ends = [[max(0.0, way * (row[end] - row["score"])) for row in own] for way, end in SCORE_ENDS]
        shown = [[length if isfinite(length) else 0 for length in lengths] for lengths in ends]
        values = [row["score"] for row in own]
        ax.errorbar(at, values, yerr=shown, fmt="o", color=COLORS[k % len(COLORS)], ms=5, capsize=3, label=agent)
    ax.axhline(0, color="#222222", linewidth=1)
    ax.set_xticks(range(len(settings)), [_label(setting) for setting in settings])
    ax.set_ylabel("score of a player")


def share_axes(ax: Axes, rows: Sequence[Row]) -> None:
    """Draw what each seat has of the victories, with its interval; the line is a fair share."""
    agents = _names(rows, "agent")
    for k, row in enumerate(rows):
        seats = row["of_seats"]
        at = [seat["seat"] + (k - (len(agents) - 1) / 2) * 0.2 for seat in seats]
        ends = [
            [seat["share"] - seat["share_low"] for seat in seats],
            [seat["share_high"] - seat["share"] for seat in seats],
        ]
        values = [seat["share"] for seat in seats]
        ax.errorbar(at, values, yerr=ends, fmt="o", color=COLORS[k % len(COLORS)], ms=5, capsize=3, label=row["agent"])
    ax.axhline(rows[0]["fair"], color="#222222", linewidth=1)
    ax.set_xticks(range(rows[0]["seats"]))
    ax.set_xlabel("seat")
    ax.set_ylim(0)
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set_title(f"{rows[0]['setting']}, {rows[0]['seats']} players", loc="left", fontsize=11)


def plot_strategies(rows: Sequence[Row], title: str, path: Path) -> None:
    """Write scores with the fewest players, and what the seats of the last boards have of the victories, as a PNG."""
    fewest, last = min(row["seats"] for row in rows), rows[-1]["setting"]
    shown = [row for row in rows if row["setting"] == last]
    groups = [[row for row in shown if row["seats"] == seats] for seats in dict.fromkeys(row["seats"] for row in shown)]
    with mpl.rc_context(STYLE):
        figure = plt.figure(figsize=(12, 8), layout="constrained")
        figure.suptitle(title, x=0.01, ha="left", fontsize=12)
        grid = figure.add_gridspec(2, len(groups))
        above = figure.add_subplot(grid[0, :])
        score_axes(above, [row for row in rows if row["seats"] == fewest])
        above.set_title(f"Scores, {fewest} players", loc="left", fontsize=11)
        above.legend(loc="upper left", bbox_to_anchor=(1, 1))
        for k, group in enumerate(groups):
            share_axes(below := figure.add_subplot(grid[1, k]), group)
            if k == 0:
                below.set_ylabel("share of the victories, with 95 % interval")
        _save(figure, path)


def plot_curves(rows: Sequence[Row], title: str, path: Path) -> None:
    """Write learning curves, by decisions and by time, as a PNG: means over seeds with their intervals."""
    lines = dict.fromkeys((row["setting"], row["opponent"]) for row in rows)
    with mpl.rc_context(STYLE):
        figure, axes = plt.subplots(1, 2, figsize=(12, 4.8), sharey=True, layout="constrained")
        figure.suptitle(title, x=0.01, ha="left", fontsize=12)
        for ax, column, label in zip(axes, ("steps", "seconds"), ("decisions", "seconds of learning"), strict=True):
            for k, line in enumerate(lines):
                own = [row for row in rows if (row["setting"], row["opponent"]) == line]
                at, color = [row[column] for row in own], COLORS[k % len(COLORS)]
                ax.plot(at, [row["win"] for row in own], color=color, label=f"{line[0]} against {line[1]}")
                low, high = [row["win_low"] for row in own], [row["win_high"] for row in own]
                ax.fill_between(at, low, high, color=color, alpha=0.2, linewidth=0)
            ax.set_xlabel(label)
            ax.set_ylim(0, 1)
            ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        axes[0].set_ylabel("games won in tests, with 95 % interval over seeds")
        axes[1].legend(loc="lower right")
        _save(figure, path)
