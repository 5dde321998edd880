"""``python -m training train``: a policy learns a game, and is written as a network that plays without torch.

Death Valley alone against its AI, in one setting or in all (`training.course`); else in a league against agents and
its own past selves (`training.opponents`). How it learns is in `training.ppo`.
"""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tyro.conf import Positional

from training.command import at_least, command_line, given, kept, line_of, out, progress_bar, run_command, writable

if TYPE_CHECKING:
    from rich.console import Console

    from agents.network import Metadata, Strength
    from training.course import Course
    from training.ppo import Training
    from training.seeds import Purpose
    from valley_core.game import Game

Row = dict[str, Any]

DEFAULT_STEPS = 2_000_000
AGENT = "policy"
"""What the policy is called in rows."""
LATEST, BEST, RUN = "latest.npz", "best.npz", "run.json"
SETTABLE_ON_RESUME = ("resume", "steps", "decay_steps", "minutes", "quiet", "json", "plot")


@dataclass(frozen=True)
class Args:
    """Train a policy by masked PPO on the native vector environment; the best network is written to RUN/best.npz.

    It is agent `network:RUN/best.npz` then. RUN also holds checkpoints, logs for TensorBoard, and run.json with the
    learning curve.
    """

    game: Positional[Literal["deathvalley", "riftvalley"]] = "deathvalley"
    """The game."""
    setting: str | None = None
    """Solo game: none (default), discard_points, must_outbust, both, or all for one policy that sees the setting.
    Rift Valley: identical (default) or asymmetrical."""
    variant: Literal["base", "backseat"] | None = None
    """Death Valley for two players: the variant."""
    players: int | None = None
    """Rift Valley: players, 2 to 5 (default 2)."""
    deck: str | None = None
    """Death Valley: a shipped deck (default highs_and_lows), or the path of a deck file."""
    drawn: int | None = None
    """Learn on so many decks drawn from the cards of all shipped ones, or on so many generated boards, side by side.
    With two and more, the network observes what the cards are, plays on any deck or board, and is tested on others
    than those it learns on."""
    drawn_seed: int = 0
    """Seed of the first of them; the next ones follow."""
    opponents: tuple[str, ...] = ()
    """Who sits in the other seats, each in as many games; self: past selves. Default: self self greedy rulebook in
    Death Valley, self self greedy noisy in Rift Valley."""
    steps: int | None = None
    """Decisions of the learner after which it ends (default 2,000,000)."""
    decay_steps: int | None = None
    """Decisions over which learning rate and weight of the entropy fall to 0 (default: the --steps of a new run)."""
    minutes: float | None = None
    """Minutes of learning after which it ends in any case."""
    envs: int = 256
    """Games side by side."""
    rollout: int = 32
    """Decisions in each game between two improvements."""
    minibatch: int = 1024
    """Decisions in each step of gradient descent."""
    epochs: int = 3
    """How often each decision is used."""
    learning_rate: float = 1e-3
    """Of Adam, at the beginning."""
    entropy: float = 0.01
    """Weight of the entropy of the policy at the beginning, which keeps it trying."""
    start: Path | None = None
    """A network to begin with, as of a shorter run or of another setting of the game; its hidden layers count."""
    hidden: tuple[int, ...] = ()
    """Sizes of the hidden layers, which policy and value share (default 128 128; the first is smaller where the
    observation is so long that the file would be too large)."""
    test_every: int = 200_000
    """Decisions between two tests on fixed deals; at each, a checkpoint is written."""
    test_games: int = 1000
    """Games of a test in each setting against each rival."""
    threads: int = 1
    """Threads of torch. More are faster only if no other process wants the processors."""
    seed: int = 0
    """Seed of deals, opponents and learning."""
    run: Path | None = None
    """Folder of the run (default runs/GAME_SETTING_SEED)."""
    resume: Path | None = None
    """Go on with the run in this folder, or from this checkpoint. --steps, --decay-steps and --minutes may be others,
    and count from its beginning; all else is that of the run."""
    quiet: bool = False
    """No progress bar."""

    @property
    def goal(self) -> int:
        """Decisions of the learner after which it ends."""
        return self.steps or DEFAULT_STEPS

    @property
    def decay(self) -> int:
        """Decisions over which learning rate and weight of the entropy fall to 0."""
        return self.decay_steps or self.goal


def checked(args: Args) -> None:
    """Refuse numbers that are out of range, or that do not go together.

    Raises:
        OptionError: Names the argument and the remedy.
    """
    from training.ranges import check_numbers
    from valley_core.errors import OptionError

    check_numbers(args)
    for name, least in (("rollout", 2), ("minibatch", 2), ("threads", 1)):
        at_least(name, getattr(args, name), least)
    if args.goal > args.decay:
        raise OptionError(
            f"--steps {args.goal:,} is more than the {args.decay:,} after which nothing is learnt any more; "
            f"give --decay-steps {args.goal} too"
        )
    if args.minutes is not None and not args.minutes > 0:
        raise OptionError(f"--minutes {args.minutes:g} must be more than 0")
    if not args.learning_rate > 0 or not args.entropy >= 0:
        raise OptionError("--learning-rate must be more than 0, and --entropy at least 0")
    if args.drawn is not None and args.drawn > args.envs:
        raise OptionError(f"--drawn {args.drawn:,} is more than the {args.envs:,} games side by side; give more --envs")
    if (args.envs * args.rollout) % args.minibatch:
        raise OptionError(
            f"--minibatch {args.minibatch} does not divide the {args.envs * args.rollout} decisions of a turn "
            "(--envs times --rollout); give a divisor"
        )


def bytes_of_decision(game: "Game") -> int:
    """Memory that a decision takes in the buffer from which a policy learns: observation, mask and some numbers."""
    return 4 * (game.fixed_from + game.num_actions) + 32


def check_memory(args: Args, game: "Game", widths: Sequence[int]) -> None:
    """Refuse what cannot be in memory, or what no file of a network holds, before anything is made.

    Raises:
        OptionError: Names the argument and how much fits.
    """
    from training.cells import check_memory
    from training.layers import check_widths
    from valley_core.options import fits_memory
    from valley_core.vector import bytes_of_game

    fits_memory("--envs", args.envs, bytes_of_game(game) + args.rollout * bytes_of_decision(game))
    check_memory("--test-games", args.test_games, [game])
    if widths:
        check_widths(game.fixed_from, widths, game.num_actions)


def resumed(args: Args, words: frozenset[str] | None = None) -> tuple[Args, dict[str, Any]]:
    """The arguments of the run that goes on, and its checkpoint.

    Args:
        args: Of the command.
        words: Names of the arguments that were given; None: those that are not as by default.

    Raises:
        CheckpointError: There is none, or it is damaged.
        OptionError: An argument that was given is not that of the run.
    """
    from training.checkpoints import load_checkpoint
    from valley_core.errors import OptionError

    assert args.resume is not None
    content = load_checkpoint(args.resume)
    old: Args = content["args"]
    folder = args.resume if args.resume.is_dir() else args.resume.parent
    if args.run is not None:
        raise OptionError(f"--resume {args.resume} says which run goes on, in {folder}; leave --run out")
    for field in dataclasses.fields(Args):
        here, there = getattr(args, field.name), getattr(old, field.name)
        is_given = here != field.default if words is None else field.name in words
        if field.name not in SETTABLE_ON_RESUME and is_given and here != there:
            option = f"--{field.name.replace('_', '-')}"
            raise OptionError(f"{option} is {here} here and {there} in the run; leave it out, or begin another run")
    more = {name: getattr(args, name) or getattr(old, name) for name in ("steps", "decay_steps", "minutes")}
    return dataclasses.replace(old, **more, run=folder, quiet=args.quiet), content


def content_of(args: Args, course: "Course") -> dict[str, str]:
    """What a run is played on and against, by its content: name → digest of each deck or board, and of opponents'
    files.
    """
    from agents.network import provenance_of
    from training.files import digests_of_files

    options = [*(part.options for part in course.parts), *(one for tested in course.tests.values() for one in tested)]
    found = {f"opponent {name}": mark for name, mark in digests_of_files(args.opponents).items()}
    seen: list[Any] = []
    for one in options:
        if one not in seen:
            seen.append(one)
            for name, mark in provenance_of(course.entry.make(**one)):
                own = name if found.get(name, mark) == mark else f"{name} {mark}"  # two boards of one name
                found[own] = mark
    return found


def check_same_content(folder: Path, there: dict[str, str], here: dict[str, str]) -> None:
    """Refuse to go on with a run whose deck, boards or opponents have changed since it began.

    Raises:
        OptionError: Names what has changed, and the remedy.
    """
    from valley_core.errors import OptionError

    changed = [name for name in dict.fromkeys([*there, *here]) if there.get(name) != here.get(name)]
    if changed:
        marks = "; ".join(
            f"{name}: digest {there.get(name, 'none')} then, {here.get(name, 'none')} now" for name in changed
        )
        raise OptionError(
            f"what the run in {folder} learns on has changed since it began ({marks}): bring the old content back, or "
            f"begin another run: {command_line('train', '--start', folder / BEST, '--run', f'{folder}_2')}"
        )


def folder_of(args: Args, course: "Course") -> Path:
    """Where a new run is written.

    Raises:
        OptionError: There is a run already.
    """
    from training.checkpoints import checkpoints_of
    from valley_core.errors import OptionError

    setting = args.setting or course.parts[0].setting
    players = f"_{args.players}" if args.players else ""
    drawn = f"_drawn_{args.drawn}" if args.drawn else ""
    folder = args.run or Path("runs") / f"{args.game}_{setting}{players}{drawn}_{args.seed}".replace(" ", "_")
    if checkpoints_of(folder):
        raise OptionError(f"there is a run in {folder} already; go on with --resume {folder}, or name another --run")
    return folder


def command_of(args: Args) -> str:
    """The command of a run in one line, without where it writes."""
    known = ("decay_steps",) if args.decay_steps == args.goal else ()
    return line_of("train", args, ("run", "resume", "quiet", *known))


class Log:
    """What a run writes beside its checkpoints: tests, the best network and the curve."""

    def __init__(
        self, args: Args, course: "Course", training: "Training", folder: Path, rows: list[Row], data: dict[str, str]
    ) -> None:
        self.args, self.course, self.training, self.folder, self.rows = args, course, training, folder, rows
        self.data = data

    def test(self) -> list[Row]:
        """Test the policy as it is written, keep it if it is the best so far, and write the curve."""
        from agents.network import save_network
        from training.report import config_of, write_json
        from training.seeds import Purpose

        file = self.folder / LATEST
        save_network(file, self.training.network, self.metadata())
        rows = self.course.test(f"network:{file}", self.args.test_games, self.args.seed)
        learnt = self.training.environment
        for row in rows:
            row |= {"agent": AGENT, "steps": self.training.steps, "seconds": self.training.seconds}
            row |= {"seconds_in_games": learnt.seconds, "illegal_in_training": learnt.illegal}
        before = max((score(own) for own in by_steps(self.rows)), default=-1.0)
        self.rows += rows
        if score(rows) > before:
            save_network(self.folder / BEST, self.training.network, self.metadata(rows, Purpose.TRAINING_TEST))
        write_json(self.folder / RUN, config_of(self.args, command=command_of(self.args)), self.args.seed, self.rows)
        self.training.log(**{f"test/{row['setting']}_against_{row['opponent']}": row["win"] for row in rows})
        return rows

    def confirm(self) -> list[Row]:
        """Measure the best network on deals that it was not chosen by, and write that strength into its file.

        What it won in the test that made it the best is too much in the mean: luck was part of why it was chosen.
        """
        from agents.network import load_network, save_network
        from training.seeds import Purpose

        file, purpose = self.folder / BEST, Purpose.TRAINING_RESULT
        rows = self.course.test(f"network:{file}", self.args.test_games, self.args.seed, purpose)
        network, metadata = load_network(file)
        save_network(file, network, dataclasses.replace(metadata, strength=self.strength(rows, purpose)))
        return rows

    def strength(self, rows: Sequence[Row], purpose: "Purpose") -> "tuple[Strength, ...]":
        """What these rows say, on deals of this purpose."""
        from agents.network import strength_of

        return tuple(strength_of(row, self.args.seed, purpose.name.lower()) for row in rows)

    def metadata(self, rows: Sequence[Row] = (), purpose: "Purpose | None" = None) -> "Metadata":
        """What is to be known of the network, with its strength in these rows, on deals of this purpose."""
        from agents.network import metadata_of
        from training.report import versions

        seed = self.args.seed
        strength = self.strength(rows, purpose) if purpose is not None else ()
        return metadata_of(
            self.course.game,
            inputs=self.training.network.inputs,
            command=command_of(self.args),
            seed=seed,
            versions=versions(),
            strength=strength,
            any_data=self.course.any_data,
        )

    def save(self) -> None:
        """Write a checkpoint."""
        from training.checkpoints import save_checkpoint

        content = self.training.content() | {"args": self.args, "rows": self.rows, "data": self.data}
        save_checkpoint(self.folder, self.training.steps, content)


def by_steps(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each test, in order."""
    return [[row for row in rows if row["steps"] == steps] for steps in dict.fromkeys(row["steps"] for row in rows)]


def score(rows: Sequence[Row]) -> float:
    """What makes a policy the best: its mean share of victories in a test."""
    return sum(row["win"] for row in rows) / len(rows)


def learn(args: Args, console: "Console | None" = None, words: frozenset[str] | None = None) -> list[Row]:
    """Train to the end; the rows of all tests.

    Args:
        args: Of the command.
        console: Where each test is told, and at the end what comes next; None: nowhere.
        words: Names of the arguments that were given, as of `resumed`.
    """
    from training.course import course_of
    from training.ppo import Training, start_of
    from valley_core.errors import OptionError

    content = None
    if args.resume is not None:
        args, content = resumed(args, words)
    args = dataclasses.replace(args, decay_steps=args.decay)  # that of a new run, though it goes on to other --steps
    checked(args)
    course = course_of(args)
    data = content_of(args, course)
    if args.start is not None and content is None:
        widths = start_of(args.start, course).widths
        if args.hidden not in ((), widths):
            raise OptionError(f"{args.start} has hidden layers of {widths}, not of {args.hidden}: leave out --hidden")
        args = dataclasses.replace(args, hidden=widths)
    folder = args.run if content is not None and args.run is not None else folder_of(args, course)
    if content is not None:
        check_same_content(folder, content["data"], data)
    check_memory(args, course.game, args.hidden)
    writable(folder / RUN)
    training = Training(args, course, content, folder)
    log = Log(args, course, training, folder, content["rows"] if content else [], data)

    def tell(rows: Sequence[Row]) -> None:
        if console is not None:
            console.print(test_line(rows), soft_wrap=True)

    with kept(lambda: kept_of(args, folder, training.steps)):
        work_on(args, log, tell)
        best = log.confirm() if (folder / BEST).is_file() else []
    if console is not None and best:
        console.print(f"the best network, on new deals: won {won_line(best)}", soft_wrap=True)
    if console is not None:
        console.print(next_of(args, course, folder, training.steps, training.seconds), soft_wrap=True)
    return log.rows


def work_on(args: Args, log: Log, tell: Callable[[Sequence[Row]], None]) -> None:
    """Learn until the decisions or the minutes are over; `tell` is told the rows of each test."""
    from training.statistics import wilson
    from training.tables import interval

    training, goal = log.training, args.goal
    if not log.rows:
        tell(log.test())
        log.save()
    with progress_bar(goal, args.quiet) as work:
        work("learning")(training.steps)
        while training.steps < goal and not (args.minutes and training.seconds >= 60 * args.minutes):
            before = training.steps
            training.turn()
            recent = training.environment.recent
            won = wilson(sum(recent), len(recent))
            rate = training.steps / training.seconds
            shares = interval(won.columns("win"), "win")
            work(f"won of the last {len(recent):,} games: {shares}, {rate:,.0f} decisions/s")(training.steps - before)
            inside = training.environment.seconds / training.seconds
            training.log(**{"games/win": won.value, "time/decisions_per_s": rate, "time/share_in_games": inside})
            if training.steps // args.test_every > before // args.test_every:
                tell(log.test())
                log.save()
    if log.rows[-1]["steps"] < training.steps:
        tell(log.test())
        log.save()


def kept_of(args: Args, folder: Path, steps: int) -> str:
    """What is kept of a run that is broken off, and how it goes on."""
    from training.checkpoints import checkpoints_of, steps_of

    found = checkpoints_of(folder)
    if not found:
        return f"nothing is kept of {steps:,} decisions: the first checkpoint had not been written"
    line = command_line("train", "--resume", folder)
    return f"{steps_of(found[-1]):,} of {steps:,} decisions are kept; go on with: {line}"


def next_of(args: Args, course: "Course", folder: Path, steps: int, seconds: float) -> str:
    """Where the best network is, how it is measured, and how the run goes on."""
    best = folder / BEST
    lines = [f"best network: {best}"]
    if (line := measure_line(args, course, best)) is not None:
        lines.append(f"measure it:   {line}")
    if steps < args.goal:
        more = 2 * max(args.minutes or 1, seconds / 60)
        lines.append(f"go on:        {command_line('train', '--resume', folder, '--minutes', f'{more:.3g}')}")
    else:
        first = ["--run", f"{folder.as_posix()}_2", "--start", best]
        lines.append(f"learn more:   {command_line('train', *same_game(args), *first)}")
    return "\n".join(lines)


def same_game(args: Args) -> list[object]:
    """The words of a command for the game and the setting that were learnt."""
    words: list[object] = [args.game]
    for name in ("setting", "variant", "players", "deck", "drawn"):
        if (value := getattr(args, name)) is not None:
            words += [f"--{name}", value]
    if args.drawn is not None and args.drawn_seed:
        words += ["--drawn-seed", args.drawn_seed]
    return words


def measure_line(args: Args, course: "Course", network: Path) -> str | None:
    """The command that measures a network in the game that it has learnt; None for a single drawn deck or board."""
    words: list[object] = [args.game]
    settings = list(dict.fromkeys(part.setting for part in course.parts))
    players = [] if args.players is None else ["--players", args.players]
    if args.drawn is not None:
        named = [] if settings[0] == course.entry.drawn.name else ["--setting", settings[0]]
        own = [*words, "--general", network, *named, *players]
        return command_line("generalise", *own) if course.any_data else None
    words += ["--agents", network]
    if course.parts[0].opponent is not None:
        words += ["--opponent", course.rivals[-1]]
    words += ["--settings", *settings] if args.variant is None else ["--variant", args.variant]
    words += players if args.deck is None else ["--deck", args.deck]
    return command_line("evaluate", *words)


def won_line(rows: Sequence[Row]) -> str:
    """What was won in each setting against each opponent."""
    from training.tables import interval

    return ", ".join(f"{row['setting']} against {row['opponent']} {interval(row, 'win')}" for row in rows)


def test_line(rows: Sequence[Row]) -> str:
    """A test in one line."""
    return f"{rows[0]['steps']:>12,} decisions, {rows[0]['seconds']:6.0f} s: won {won_line(rows)}"


def run(args: Args, words: frozenset[str] | None = None) -> int:
    """Train, and print each test; the exit code. `words`: names of the arguments that were given."""
    from training.cells import fault

    console = out()
    rows = learn(args, console, words)
    last = by_steps(rows)[-1][0]
    inside = last["seconds_in_games"] / max(last["seconds"], 1e-9)
    tested = sum(row["illegal"] for row in rows)
    console.print(
        f"{last['steps']:,} decisions in {last['seconds']:.0f} s, {100 * inside:.0f} % of it in the games; "
        f"illegal actions: {last['illegal_in_training']} in training, {tested} in tests",
        soft_wrap=True,
    )
    return fault(rows) or int(last["illegal_in_training"] > 0)


def main(argv: Sequence[str]) -> int:
    """The command."""
    return run_command("train", Args, lambda args: run(args, given("train", Args, argv)), argv)
