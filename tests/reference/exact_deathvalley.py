"""The probability to win solo Death Valley, by trying everything: every answer, every card that may be on top.

Written over the reference implementation alone. No position is remembered: each is played through anew. One turn is
played by a script of numbers, the answers and the cards drawn in the order in which they are asked for; where the
script ends, all its continuations are tried.
"""

from tests.reference.deathvalley import Game, Table

MOST_AHEAD = 30
"""Turns in a row that are looked ahead: a game can go on for ever."""


class TooLargeError(Exception):
    """More turns than allowed would be played through."""


class OpenDrawError(Exception):
    """The script has ended before a draw among so many cards."""

    def __init__(self, size):
        self.size = size


class Unseen(list):
    """A deck of which nobody knows the order: the top is whatever the script says."""

    def __init__(self, cards, script):
        super().__init__(cards)
        self.script = script

    def pop(self):
        self.sort()
        if not self.script:
            raise OpenDrawError(len(self))
        return super().pop(self.script.pop(0))


class OneTurn(Game):
    """A game that is played for one turn from a position."""

    def __init__(self, table, options):
        self.cards = table.cards
        self.table = table
        self.solo = self.give = True
        self.ask_forced = False
        self.discard_points = options["discard_points"]
        self.must_outbust = options["must_outbust"]
        self.over = self.at_limit = self.truncated = False

    def _shuffle(self):
        """The order is unknown before and after."""

    def flow(self, active):
        """One turn, as the script of the reference has it."""
        table = self.table
        table.used = set()
        if active == 1:
            self._robot_turn()
        else:
            yield from self._turn(active)
        yield from self._check_bust(active)
        yield from self._check_bust(1 - active)
        if table.face_up is None and table.deck:
            table.face_up = table.deck.pop()


class Search:
    """Values of positions with these options, playing through at most `budget` turns."""

    def __init__(self, options, budget):
        self.options = options
        self.budget = budget

    def value(self, table, active, turns):
        """The greatest probability to win with so many turns left; the turn of `active` begins."""
        return self.after(table, active, turns, [])

    def action_values(self, table, turns):
        """Action -> the probability to win after it; the learner's turn begins."""
        self.least_turns = turns - MOST_AHEAD
        kind, answers = self.play(table, 0, [])[:2]
        assert kind == "ask"
        return {answer: self.after(table, 0, turns, [answer]) for answer in answers}

    def after(self, table, active, turns, script):
        """The value where a script has led."""
        kind, found, game = self.play(table, active, script)
        if kind == "draw":
            return sum(self.after(table, active, turns, script + [k]) for k in range(found)) / found
        if kind == "ask":
            return max(self.after(table, active, turns, script + [answer]) for answer in found)
        if len(game.table.deck) + (game.table.face_up is not None) <= 1:
            game.over = True
            return 1.0 if game.winner() == 0 else 0.0
        if turns == 1:
            game.over = game.at_limit = True  # R11: scored as it stands
            return 1.0 if game.winner() == 0 else 0.0
        if turns <= self.least_turns:
            raise TooLargeError
        return self.value(game.table, 1 - active, turns - 1)

    def play(self, table, active, script):
        """Play a turn by a script: ("ask", answers), ("draw", number of cards) or ("done", None); and the game."""
        self.budget -= 1
        if self.budget < 0:
            raise TooLargeError
        rest = list(script)
        thought = table.copy()
        thought.deck = Unseen(table.deck, rest)
        game = OneTurn(thought, self.options)
        flow = game.flow(active)
        answer = None
        try:
            while True:
                flow.send(answer)
                if not rest:
                    return "ask", sorted(game.legal()), game
                answer = rest.pop(0)
                assert answer in game.legal()
        except OpenDrawError as found:
            return "draw", found.size, game
        except StopIteration:
            assert not rest
            return "done", None, game


__all__ = ["Search", "Table", "TooLargeError"]
