"""Networks that play, alone and in the search; and what is shipped."""

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents.trained as trained
from agents import Agent, make_agent
from agents.mcts import Options, leaf_of, search
from agents.network import (
    SUFFIX,
    Network,
    NetworkError,
    Strength,
    load_network,
    metadata_of,
    save_network,
    strength_of,
)
from agents.network_kernels import LEAST_PRIOR, MOST_VALUE, think_all
from agents.trained import SHIPPED, Shipped, trained_file
from deathvalley_env.game import make_game
from riftvalley_env.game import make_game as rift_valley
from tests.agents.networks import plan_of, random_network, write_network, wrong_strength
from tests.agents.tables import (
    act_all,
    deal,
    decisions_of,
    game_of,
    in_mid_play,
    leaf_says,
    play,
    seats_of,
    with_other_luck,
)
from training.cells import play as play_plan
from training.cells import row_of
from training.seeds import Purpose, deal_seeds
from valley_core.batch import new_chances, num_threads, set_num_threads
from valley_core.decisions import Decisions
from valley_core.errors import OptionError
from valley_core.game import Game

death_valley = functools.partial(make_game, card_facts=True)
CLOSE = 2e-4
"""Between two ways to sum up float32: a hundred times what is found, since every processor has its own order."""


def started(name: str, game: Game, count: int) -> Agent:
    agent = make_agent(name)
    agent.start(game, np.arange(count, dtype=np.uint64))
    return agent


def positions(game: Game, count: int = 40) -> np.ndarray:
    """Some decisions of a game."""
    if game.name == "deathvalley":
        return in_mid_play(game, count)
    return deal(game, np.arange(count, dtype=np.uint64))


GAMES = {
    "with facts": lambda: (game_of("backseat"), None),
    "the part that changes": lambda: (game_of("backseat"), game_of("backseat").fixed_from),
    "without facts": lambda: (death_valley(variant="backseat", card_facts=False), None),
    "three players": lambda: (rift_valley(num_players=3), None),
}


@pytest.fixture(params=GAMES)
def table(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Game, str]:
    """A game, and the path of a network for it."""
    game, inputs = GAMES[request.param]()
    return game, write_network(tmp_path / "a.npz", game, inputs)


# --- Kernels ----------------------------------------------------------------------------------------------------------


@pytest.mark.plain
@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("hidden", [(), (7,), (33, 5, 18)])
def test_the_kernel_agrees_with_numpy(activation: str, hidden: tuple[int, ...]) -> None:
    network = random_network(50, 11, hidden, activation, values=3)
    rng = np.random.default_rng(3)
    observations = (rng.normal(size=(200, 60)) * (rng.random((200, 60)) < 0.2)).astype(np.float32)
    observations[0] = 0
    heads = np.zeros((200, 14), np.float32)
    think_all(observations, *network.flat, heads)
    assert np.abs(heads - np.hstack(network.outputs(observations))).max() < CLOSE


def softmax(logits: np.ndarray, masks: np.ndarray) -> np.ndarray:
    allowed = np.where(masks, logits.astype(float), -np.inf)
    weights = np.exp(allowed - allowed.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True)


def test_the_leaf_agrees_with_numpy(table: tuple[Game, str]) -> None:
    game, path = table
    decisions = decisions_of(game, positions(game))
    logits, worth = load_network(path)[0].outputs(decisions.observations)
    priors, values = leaf_says(game, leaf_of(game, path), decisions)
    assert priors == pytest.approx(softmax(logits, decisions.masks), abs=CLOSE)
    for seat, own, value in zip(decisions.seats, values, np.tanh(worth[:, 0]), strict=True):
        assert own[seat] == pytest.approx(value, abs=CLOSE)
        assert np.delete(own, seat) == pytest.approx(-value / (game.seats - 1), abs=CLOSE)


@pytest.mark.parametrize("name", ["with facts", "three players"])
def test_a_network_may_have_a_value_for_each_seat(name: str, tmp_path: Path) -> None:
    game, _ = GAMES[name]()
    path = write_network(tmp_path / "a.npz", game, values=game.seats)
    decisions = decisions_of(game, positions(game))
    _, worth = load_network(path)[0].outputs(decisions.observations)
    _, values = leaf_says(game, leaf_of(game, path), decisions)
    for seat, own, outputs in zip(decisions.seats, values, worth, strict=True):
        assert np.roll(own, -seat) == pytest.approx(np.tanh(outputs), abs=CLOSE)  # from the asked seat on


@pytest.mark.parametrize(("name", "values"), [("with facts", 1), ("with facts", 2), ("three players", 3)])
def test_a_residual_network_corrects_rules_of_thumb(name: str, values: int, tmp_path: Path) -> None:
    game, _ = GAMES[name]()
    path = write_network(tmp_path / "a.npz", game, values=values, residual=True)
    decisions = decisions_of(game, positions(game, 200))
    logits, worth = load_network(path)[0].outputs(decisions.observations)
    rule_priors, rule_values = leaf_says(game, leaf_of(game, "judge"), decisions)
    said = np.maximum(rule_priors / rule_priors.max(1, keepdims=True), LEAST_PRIOR)
    whole = logits + np.log(said)
    priors, found = leaf_says(game, leaf_of(game, path), decisions)
    assert priors == pytest.approx(softmax(whole, decisions.masks), abs=CLOSE)
    for i, seat in enumerate(decisions.seats):
        rules = np.roll(rule_values[i], -seat)[:values].clip(-MOST_VALUE, MOST_VALUE)
        expected = np.tanh(worth[i] + np.arctanh(rules))
        assert np.roll(found[i], -seat)[:values] == pytest.approx(expected, abs=CLOSE)
    # Alone it plays the best of the same sums.
    actions = act_all(started(path, game, 200), decisions)
    best = np.where(decisions.masks, whole, -np.inf)
    assert (best[np.arange(len(best)), actions] >= best.max(1) - CLOSE).all()


def test_a_residual_network_that_corrects_nothing_searches_like_the_rules(tmp_path: Path) -> None:
    game = rift_valley(num_players=3)
    zeros = np.zeros((game.layout.size, game.num_actions), np.float32), np.zeros(game.num_actions, np.float32)
    worth = np.zeros((game.layout.size, 3), np.float32), np.zeros(3, np.float32)
    path = tmp_path / "a.npz"
    about = metadata_of(game, inputs=game.layout.size, command="nothing", seed=0, versions={})
    save_network(path, Network((), zeros, worth, residual=True), about)
    states = deal(game, np.arange(30, dtype=np.uint64))
    found = [
        search(game, states, seats_of(game, states), new_chances(1, 30), Options(40, leaf=leaf, noise=0))
        for leaf in ("judge", str(path))
    ]
    assert np.abs(found[0].priors - found[1].priors).max() < 2 * LEAST_PRIOR * game.num_actions
    assert (found[0].visits == found[1].visits).mean() > 0.99


def test_as_many_values_as_seats(tmp_path: Path) -> None:
    game = rift_valley(num_players=3)
    path = write_network(tmp_path / "a.npz", game, values=2)
    with pytest.raises(OptionError, match="has 2 values, and this game 3 seats"):
        leaf_of(game, path)


# --- The agents -------------------------------------------------------------------------------------------------------


def test_plays_the_legal_action_with_the_greatest_logit(table: tuple[Game, str]) -> None:
    game, path = table
    decisions = decisions_of(game, positions(game, 400))
    logits, _ = load_network(path)[0].outputs(decisions.observations)
    actions = act_all(started(path, game, 400), decisions)
    rows = np.arange(len(decisions))
    assert (logits[rows, actions] >= np.where(decisions.masks, logits, -np.inf).max(1) - CLOSE).all()
    assert (actions == act_all(started(f"network:{path}", game, 400), decisions)).all()


def test_one_network_plays_the_game_with_and_without_the_constant_part(tmp_path: Path) -> None:
    short, long = death_valley(card_facts=False), death_valley()
    path = write_network(tmp_path / "a.npz", short)
    assert load_network(path)[1].inputs == long.fixed_from < long.layout.size
    seeds = np.arange(200, dtype=np.uint64)
    ended = [play(game, (make_agent(path), make_agent("random")), seeds) for game in (short, long)]
    assert ended[0].tobytes() == ended[1].tobytes()
    visits = []
    for game in (short, long):
        states = deal(game, seeds[:20])
        options = Options(30, leaf=path)
        visits.append(search(game, states, seats_of(game, states), new_chances(1, 20), options)[0])
    assert (visits[0] == visits[1]).all()


def test_samples_by_the_softmax(tmp_path: Path) -> None:
    game, count = game_of("base"), 20_000
    path = write_network(tmp_path / "a.npz", game)
    states = deal(game, np.zeros(1, np.uint64)).repeat(count)
    decisions = decisions_of(game, states)
    agent = started(f"network:{path},sample", game, count)
    logits, _ = load_network(path)[0].outputs(decisions.observations[:1])
    chances = np.exp(logits[0].astype(float)) * decisions.masks[0]
    chances /= chances.sum()
    shares = np.bincount(act_all(agent, decisions), minlength=game.num_actions) / count
    assert (np.abs(shares - chances) <= 4.5 * np.sqrt(chances * (1 - chances) / count)).all()
    assert ((shares > 0) & (chances < 0.99)).sum() >= 2
    again, first = agent.act(decisions), started(f"network:{path},sample", game, count).act(decisions)
    assert (again != first).any()


@pytest.fixture(params=["{}", "network:{},sample", "mcts:20,leaf={}"])
def named(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A name of an agent with a network for Death Valley."""
    return str(request.param.format(write_network(tmp_path / "a.npz", game_of("base"))))


@pytest.mark.parametrize("variant", ["base", "backseat", "solo both"])
def test_legal_and_blind_to_what_is_hidden(named: str, variant: str) -> None:
    game = game_of(variant)
    states = in_mid_play(game, 300)
    chosen = [
        act_all(started(named, game, len(seen)), decisions_of(game, seen)) for seen in (states, with_other_luck(states))
    ]
    assert (chosen[0] == chosen[1]).all()


def test_same_games_in_any_batch_and_number_of_threads(named: str) -> None:
    games = 30 if named.startswith("mcts") else 150
    game, seeds, before = game_of("base"), np.arange(games, dtype=np.uint64), num_threads()
    ended = []
    for batch, count in ((games, 1), (games, 3), (games // 4 + 2, 2), (1, 1)):
        set_num_threads(count)
        ended.append(play(game, (make_agent(named), make_agent(named)), seeds if batch > 1 else seeds[:10], batch))
    set_num_threads(before)
    for other in ended[1:]:
        assert other.tobytes() == ended[0][: len(other)].tobytes()


def test_order_and_number_of_decisions_do_not_matter(named: str) -> None:
    game = game_of("backseat")
    states = in_mid_play(game, 700)  # more than are observed at a time
    order = np.random.default_rng(3).permutation(len(states))
    chosen = [
        started(named, game, len(states)).act(decisions_of(game, states[taken], taken))
        for taken in (np.arange(len(states)), order)
    ]
    assert (chosen[0][order] == chosen[1]).all()
    nobody = np.zeros(0, np.int64)
    assert started(named, game, 0).act(Decisions(game, game.new_states(0), nobody, nobody)).shape == (0,)


# --- In the search ----------------------------------------------------------------------------------------------------


def test_the_search_counts_every_simulation_and_follows_the_network(table: tuple[Game, str]) -> None:
    game, path = table
    states = positions(game, 30)
    decisions = decisions_of(game, states)
    visits, means, _ = search(game, states, decisions.seats, new_chances(1, len(states)), Options(40, leaf=path))
    assert (visits[decisions.masks == 0] == 0).all()
    assert (np.abs(means) <= 1).all()
    assert (visits.sum(1)[decisions.masks.sum(1) > 1] == 40).all()
    # The first simulation takes the action with the greatest prior.
    once, _, _ = search(game, states, decisions.seats, new_chances(1, len(states)), Options(1, leaf=path, noise=0.0))
    assert (once.argmax(1) == started(path, game, len(states)).act(decisions)).all()


def test_rules_of_thumb_join_a_network(table: tuple[Game, str]) -> None:
    game, path = table
    states = positions(game, 30)
    seats = decisions_of(game, states).seats

    def look(options: Options) -> Any:
        return search(game, states, seats, new_chances(1, len(states)), options)

    network, both, rules = (look(Options(1, leaf=path, noise=0.0, rules=share)) for share in (0.0, 0.25, 1.0))
    judged = look(Options(1, noise=0.0))
    np.testing.assert_allclose(rules.priors, judged.priors, atol=1e-12)
    np.testing.assert_allclose(both.priors, 0.75 * network.priors + 0.25 * judged.priors, atol=1e-9)
    # The priors agree but for rounding, which may turn a visit to one of two equal actions.
    again = look(Options(40, leaf=path, noise=0.0, rules=1.0))
    assert (again.visits == look(Options(40, noise=0.0)).visits).mean() > 0.99
    assert (look(Options(40, leaf=path, noise=0.0, rules=0.5)).visits != again.visits).any()


def test_two_networks_in_one_process_are_two_leaves(tmp_path: Path) -> None:
    game = game_of("base")
    states = in_mid_play(game, 100)
    chosen = [
        started(f"mcts:10,leaf={write_network(tmp_path / f'{seed}.npz', game, seed=seed)}", game, len(states)).act(
            decisions_of(game, states)
        )
        for seed in (1, 2)
    ]
    assert (chosen[0] != chosen[1]).any()


# --- Names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["{}", "network:{}", "network:{},sample", "mcts:5,leaf={}"])
def test_names_and_files_that_cannot_be_used(name: str, tmp_path: Path) -> None:
    path = write_network(tmp_path / "a.npz", death_valley())
    agent = make_agent(name.format(path))
    assert agent.name == (name if ":" in name else "network:{}").format(path)
    assert agent.deterministic == (name in ("{}", "network:{}"))
    with pytest.raises(OptionError, match=r"was trained for 'deathvalley'"):
        agent.start(rift_valley(), np.zeros(1, np.uint64))
    with pytest.raises(OptionError, match=r"trained on 'Highs & Lows' \(digest"):
        agent.start(death_valley(deck="death_valley"), np.zeros(1, np.uint64))
    with pytest.raises(NetworkError, match="cannot read the network"):
        make_agent(name.format(tmp_path / "none.npz"))
    (tmp_path / "b.npz").write_bytes(Path(path).read_bytes()[:1000])
    with pytest.raises(NetworkError, match="damaged"):
        make_agent(name.format(tmp_path / "b.npz"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("network", "is written network:PATH"),
        ("network:a.npz,sample=2", "is written network:PATH"),
        ("trained:x", "takes no argument"),
        ("weights.pt", r"known kinds: .*network.*, or a file \*\.npz"),
        ("mcts:5,leaf=weights.pt", r"judge, random, greedy, trained and files \*\.npz"),
    ],
)
def test_wrong_names(name: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make_agent(name)


# --- Shipped networks -------------------------------------------------------------------------------------------------


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the place of the shipped networks."""
    monkeypatch.setattr(trained, "WEIGHTS", tmp_path)
    return tmp_path


def test_trained_is_the_network_of_the_setting(shelf: Path) -> None:
    games: dict[str, Any] = {
        "deathvalley_base": game_of("base"),
        "deathvalley_backseat": game_of("backseat"),
        "deathvalley_solo": game_of("solo both"),
        "riftvalley_identical_2": rift_valley(boards="identical"),
        "riftvalley_asymmetrical_2": rift_valley(),
        "riftvalley_asymmetrical_3": rift_valley(num_players=3),
    }
    for k, (name, game) in enumerate(games.items()):
        write_network(shelf / f"{name}{SUFFIX}", game, seed=k)
    for name, game in games.items():
        path = trained_file(game)
        assert path.name == f"{name}{SUFFIX}"
        decisions = decisions_of(game, positions(game, 20))
        for one, other in (("trained", str(path)), ("mcts:5,leaf=trained", f"mcts:5,leaf={path}")):
            assert (started(one, game, 20).act(decisions) == started(other, game, 20).act(decisions)).all()


def test_no_network_for_a_game(shelf: Path) -> None:
    for name in ("trained", "mcts:5,leaf=trained"):
        with pytest.raises(OptionError, match=r"for 'deathvalley' .*Shipped are: none; train one with"):
            make_agent(name).start(game_of("base"), np.zeros(1, np.uint64))
    write_network(shelf / "deathvalley_base.npz", game_of("base"))
    with pytest.raises(OptionError, match=r"for 'riftvalley' .*Shipped are: deathvalley_base\.npz"):
        trained_file(rift_valley())
    with pytest.raises(OptionError, match=r"deathvalley_base\.npz was trained on .* and this is"):
        trained_file(death_valley(deck="death_valley"))


SHIPPED_FILES = sorted(path.name for path in trained.WEIGHTS.glob(f"*{SUFFIX}"))


@pytest.mark.parametrize("name", SHIPPED_FILES)
def test_every_shipped_file_is_in_the_table_and_states_its_strength(name: str) -> None:
    assert name in {shipped.file for shipped in SHIPPED}
    path = str(trained.WEIGHTS / name)
    strength = load_network(path)[1].strength
    assert strength, f"{name} states no strength"
    assert trained_file(plan_of(path, strength[0].setting, strength[0].opponent).game).name == name


def replayed(searches: bool) -> list[tuple[str, Strength]]:
    """The strengths that shipped files state, against opponents that search or that do not."""
    stated = [(name, one) for name in SHIPPED_FILES for one in load_network(trained.WEIGHTS / name)[1].strength]
    return [(name, one) for name, one in stated if one.opponent.startswith("mcts") == searches]


@pytest.mark.parametrize(("name", "stated"), replayed(False))
def test_a_shipped_network_is_as_strong_as_its_file_says(name: str, stated: Strength) -> None:
    assert wrong_strength(str(trained.WEIGHTS / name), stated, deals=100) is None


@pytest.mark.long
@pytest.mark.parametrize(("name", "stated"), replayed(True))
def test_a_shipped_network_is_as_strong_against_searches(name: str, stated: Strength) -> None:
    assert wrong_strength(str(trained.WEIGHTS / name), stated, deals=100) is None


@pytest.mark.parametrize(
    ("game", "setting", "opponent"),
    [(game_of("solo"), "none", None), (rift_valley(boards="identical", num_players=3), "identical", "random")],
)
def test_a_false_strength_is_found(game: Game, setting: str, opponent: str | None, tmp_path: Path) -> None:
    path, seed = write_network(tmp_path / "a.npz", game), 11
    plan = plan_of(path, setting, opponent or "solo AI")
    assert plan.opponent == opponent
    true = strength_of(row_of(play_plan(plan, deal_seeds(seed, 300, Purpose.EXPERT_TEST))), seed, "expert_test")
    assert true.games == 300 * len(plan.seats)
    assert wrong_strength(path, true, 100) is None
    boast = Strength(setting, true.opponent, 300, true.win + 0.3, true.win + 0.2, true.win + 0.4, seed)
    assert "won" in str(wrong_strength(path, boast, 100))
    odd = Strength(setting, true.opponent, 300, true.win, true.win + 0.1, true.win + 0.2, seed)
    assert "is not between" in str(wrong_strength(path, odd, 100))


def test_the_table_names_each_file_once() -> None:
    assert len({shipped.file for shipped in SHIPPED}) == len(SHIPPED)
    assert Shipped("a.npz", "deathvalley", {"solo": True}).is_for(game_of("solo"))
    assert not Shipped("a.npz", "deathvalley", {"solo": True}).is_for(game_of("base"))
    assert not Shipped("a.npz", "deathvalley", {"num_players": 2}).is_for(game_of("base"))
