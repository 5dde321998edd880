"""A slow, plain reference of Death Valley: Highs & Lows, written from the rules alone.

It shares no code with the engine that it checks. The whole game is one generator
(`Game._script`) that stops wherever a player must be asked; everything that can be
computed from the table without asking (selections, busts, scores, the look-ahead of
R8) is a plain method of `Table`.

Cards are the tables of a deck file, players are 0 and 1, and a card is named by its
index in the file.
"""

HAZARDS = ("paw", "drop", "mountain", "sun")

TRAVEL_FACE_UP = 0
TRAVEL_TOP = 1
TRAVEL_OTHER = 2
REST = 3
ABILITY = 4
CARD = 22
DONE = 40

MASK = (1 << 64) - 1

TURN_TIMINGS = ("start_of_turn", "instead_of_travel", "instead_of_rest")
"""The timings of abilities that are used in the decision TURN; a card has abilities of at most one of them."""


# --------------------------------------------------------------------------- the deck


class Selection:
    def __init__(self, table=None):
        table = table or {}
        self.row = table.get("row", "both")
        self.position = table.get("position", "any")
        self.hazard = table.get("hazard", "any")
        self.cards = table.get("cards", "visible")
        self.having = table.get("having", "any")
        self.other = table.get("other", False)


class Condition:
    def __init__(self, table):
        self.this_row = table.get("this_row", "both")
        self.this_position = table.get("this_position", "any")
        self.count = Selection(table["count"]) if "count" in table else None
        self.at_least = table.get("at_least", 1)
        self.at_most = table.get("at_most", 18)
        self.unless = table.get("unless", False)


class Ability:
    def __init__(self, table):
        self.timing = table["timing"]
        self.effect = table["effect"]
        self.mandatory = self.timing == "before_rest" or not table.get("optional", False)
        self.select = Selection(table.get("select"))
        self.condition = Condition(table["if"]) if "if" in table else None
        self.hazard = table.get("hazard")
        self.points = table.get("points")
        self.per = table.get("per", "once")
        self.every = table.get("every", 1)
        self.cap = table.get("cap")


class Card:
    def __init__(self, table):
        self.name = table["name"]
        self.hazard = table["hazard"]
        self.stars = table.get("stars", 0)
        self.skulls = table.get("skulls", 0)
        self.abilities = {}  # timing -> abilities in the order of the file
        for entry in table.get("ability", []):
            ability = Ability(entry)
            self.abilities.setdefault(ability.timing, []).append(ability)

    def at(self, timing):
        return self.abilities.get(timing, ())


# -------------------------------------------------------------------------- the table


class Table:
    """Where every card is, and which abilities were used this turn."""

    def __init__(self, cards):
        self.cards = cards
        self.deck = []  # bottom first
        self.face_up = None
        self.journey = [[], []]
        self.scrapbook = [[], []]
        self.under = {}  # visible card -> cards hidden under it, oldest first
        self.discard = [[], []]
        self.busts = [0, 0]
        self.used = set()  # (card, timing)
        self.kept = set()

    def copy(self):
        new = Table(self.cards)
        new.deck = list(self.deck)
        new.face_up = self.face_up
        new.journey = [list(row) for row in self.journey]
        new.scrapbook = [list(row) for row in self.scrapbook]
        new.under = {card: list(below) for card, below in self.under.items()}
        new.discard = [list(pile) for pile in self.discard]
        new.busts = list(self.busts)
        new.used = set(self.used)
        new.kept = set(self.kept)
        return new

    # ---- looking

    def visible(self, player):
        return self.journey[player] + self.scrapbook[player]

    def row_of(self, player, card):
        return "journey" if card in self.journey[player] else "scrapbook"

    def neighbours(self, player, card):
        """Direction -> neighbouring card, for those directions that have one."""
        found = {}
        journey, scrapbook = self.journey[player], self.scrapbook[player]
        if card in journey:
            own, across, direction = journey, scrapbook, "below"
        else:
            own, across, direction = scrapbook, journey, "above"
        column = own.index(card)
        if column > 0:
            found["left"] = own[column - 1]
        if column + 1 < len(own):
            found["right"] = own[column + 1]
        if column < len(across):
            found[direction] = across[column]
        return found

    def selected(self, player, me, selection):
        """The cards that a selection of card `me`, in the rows of `player`, picks."""
        row, position = selection.row, selection.position

        # Where to look.
        if selection.cards == "hidden_here":
            pool = list(self.under.get(me, ()))
        elif row == "own_discard":
            pool = list(self.discard[player])
        elif row == "other_discard":
            pool = list(self.discard[1 - player])
        elif row == "both_discards":
            pool = self.discard[player] + self.discard[1 - player]
        else:
            if row == "journey":
                pool = list(self.journey[player])
            elif row == "scrapbook":
                pool = list(self.scrapbook[player])
            else:
                pool = self.visible(player)
            if selection.cards == "hidden":
                pool = [low for card in pool for low in self.under.get(card, ())]

        # Where it lies, seen from this card.
        if position == "this":
            pool = [me]
        elif position not in ("any", "leftmost", "rightmost"):
            around = self.neighbours(player, me)
            if position in ("adjacent", "this_or_adjacent"):
                directions = ("left", "right", "above", "below")
            elif position == "vertical":
                directions = ("above", "below")
            else:
                directions = (position,)
            near = [around[way] for way in directions if way in around and around[way] in pool]
            if position == "this_or_adjacent":
                near.append(me)
            pool = near

        # What is printed on it.
        result = []
        for card in pool:
            facts = self.cards[card]
            if selection.hazard != "any" and facts.hazard != selection.hazard:
                continue
            if selection.having == "stars" and facts.stars == 0:
                continue
            if selection.having == "skulls" and facts.skulls == 0:
                continue
            if selection.other and card == me:
                continue
            result.append(card)

        if position == "leftmost":
            return result[:1]
        if position == "rightmost":
            return result[-1:]
        return result

    def holds(self, player, me, condition):
        if condition is None:
            return True
        row = self.row_of(player, me)
        result = condition.this_row in ("both", row)
        line = self.journey[player] if row == "journey" else self.scrapbook[player]
        if condition.this_position == "leftmost" and line[0] != me:
            result = False
        if condition.this_position == "rightmost" and line[-1] != me:
            result = False
        if condition.count is not None:
            number = len(self.selected(player, me, condition.count))
            if not condition.at_least <= number <= condition.at_most:
                result = False
        return result != condition.unless

    # ---- choices

    def firsts(self, player, me, ability):
        """The cards that can be chosen first for an ability whose condition holds."""
        effect = ability.effect
        journey = self.journey[player]
        if effect == "swap_face_up" and self.face_up is None:
            return []
        found = self.selected(player, me, ability.select)
        if effect in ("shuffle", "swap_cards", "swap_hidden"):
            pass
        elif effect == "to_journey":
            found = [card for card in found if card in self.scrapbook[player]]
        elif effect == "hide":
            found = [card for card in found if card in journey and card != me]
        elif effect == "keep":
            found = [card for card in found if card in journey and card not in self.kept]
        elif effect in ("to_scrapbook", "send", "swap_face_up"):
            found = [card for card in found if card in journey]
        else:
            raise AssertionError(effect)
        return found

    def seconds(self, player, me, ability, first):
        """The second cards of a swap; [None] for all that takes one card only."""
        if ability.effect == "swap_cards":
            return [c for c in self.selected(player, me, ability.select) if c != first]
        if ability.effect == "swap_hidden":
            above = self.above(first)
            return [c for c in self.journey[player] if c != me and c != above]
        return [None]

    def above(self, hidden):
        for card, below in self.under.items():
            if hidden in below:
                return card
        raise AssertionError(hidden)

    def choices(self, player, me, timing):
        """Every way to use a card in a window: a list of (ability, first, second).

        A first card belongs to the first alternative that admits it.
        """
        result = []
        if (me, timing) in self.used:
            return result
        taken = set()
        for ability in self.cards[me].at(timing):
            if not self.holds(player, me, ability.condition):
                continue
            if ability.effect == "travel_again":
                if self.face_up is not None or self.deck:
                    result.append((ability, None, None))
                continue
            now = set()
            for first in self.firsts(player, me, ability):
                if first in taken:
                    continue
                for second in self.seconds(player, me, ability, first):
                    result.append((ability, first, second))
                    now.add(first)
            taken |= now
        return result

    def window(self, player, timing, only=None):
        """Card -> its choices, for each card that has one in a window now."""
        result = {}
        for card in self.visible(player):
            if only is not None and card != only:
                continue
            if self.cards[card].at(timing):
                choices = self.choices(player, card, timing)
                if choices:
                    result[card] = choices
        return result

    # ---- moving

    def leave(self, player, card):
        """Take a visible card out of its row. What lies under it stays under it."""
        if card in self.journey[player]:
            self.journey[player].remove(card)
        else:
            self.scrapbook[player].remove(card)

    def replace(self, player, old, new):
        """Put a card where a visible card is, and on top of what lies under that one."""
        for row in (self.journey[player], self.scrapbook[player]):
            if old in row:
                row[row.index(old)] = new
                break
        else:
            raise AssertionError(old)
        if old in self.under:
            self.under[new] = self.under.pop(old)

    def put_into_deck(self, player, card):
        self.leave(player, card)
        self.deck.append(card)
        self.deck.extend(self.under.pop(card, []))

    def put_under(self, player, card, top):
        self.leave(player, card)
        below = self.under.pop(card, [])
        self.under.setdefault(top, []).extend([card] + below)

    def arrive(self, player, card):
        """To the right end of a Journey, the cards under it following."""
        self.journey[player].append(card)
        self.journey[player].extend(self.under.pop(card, []))

    def apply(self, player, me, ability, first, second):
        """Carry out a move or swap. True if the deck must be shuffled now."""
        effect = ability.effect
        if effect == "shuffle":
            self.put_into_deck(player, first)
            return True
        if effect == "hide":
            self.put_under(player, first, me)
        elif effect == "to_scrapbook":
            self.leave(player, first)
            self.scrapbook[player].append(first)
        elif effect == "to_journey":
            self.leave(player, first)
            self.arrive(player, first)
        elif effect == "send":
            self.leave(player, first)
            self.arrive(1 - player, first)
        elif effect == "swap_face_up":
            self.replace(player, first, self.face_up)
            self.face_up = first
        elif effect == "swap_cards":
            self.swap_visible(player, first, second)
        elif effect == "swap_hidden":
            below = self.under[self.above(first)]
            below[below.index(first)] = second
            self.replace(player, second, first)
        elif effect == "keep":
            self.kept.add(first)
        else:
            raise AssertionError(effect)
        return False

    def swap_visible(self, player, a, b):
        journey, scrapbook = self.journey[player], self.scrapbook[player]
        row_a = journey if a in journey else scrapbook
        row_b = journey if b in journey else scrapbook
        i, j = row_a.index(a), row_b.index(b)
        row_a[i], row_b[j] = b, a
        below_a, below_b = self.under.pop(a, None), self.under.pop(b, None)
        if below_a is not None:
            self.under[b] = below_a
        if below_b is not None:
            self.under[a] = below_b

    # ---- R8

    def key(self, player):
        """All that the rest of a before_rest window depends on."""
        return (
            self.face_up,
            tuple(self.journey[player]),
            tuple(self.scrapbook[player]),
            tuple(sorted((card, tuple(below)) for card, below in self.under.items())),
            frozenset(card for card, timing in self.used if timing == "before_rest"),
        )

    def can_rest(self, player, known):
        """Can the before_rest window be finished with a Journey card left?"""
        if not known and not any(self.cards[c].at("before_rest") for c in range(18)):
            return bool(self.journey[player])
        key = self.key(player)
        if key not in known:
            window = self.window(player, "before_rest")
            if not window:
                known[key] = bool(self.journey[player])
            else:
                known[key] = any(
                    self.can_rest_after(player, me, choice, known)
                    for me, choices in window.items()
                    for choice in choices
                )
        return known[key]

    def can_rest_after(self, player, me, choice, known):
        thought = self.copy()
        thought.used.add((me, "before_rest"))
        thought.apply(player, me, *choice)
        return thought.can_rest(player, known)

    def restful_window(self, player):
        """The before_rest window without the choices that would make Rest impossible."""
        known = {}
        result = {}
        for me, choices in self.window(player, "before_rest").items():
            good = [c for c in choices if self.can_rest_after(player, me, c, known)]
            if good:
                result[me] = good
        return result

    # ---- busts and scores

    def bust_hazards(self, player, abilities=True):
        """The hazards for which a player busts, in the order paw, drop, mountain, sun."""
        visible = self.visible(player)
        limit = dict.fromkeys(HAZARDS, 3)
        ignored = set()
        if abilities:
            for me in visible:
                for ability in self.cards[me].at("bust_check"):
                    if not self.holds(player, me, ability.condition):
                        continue
                    if ability.effect == "ignore":
                        ignored.update(self.selected(player, me, ability.select))
                    elif ability.effect == "raise_limit":
                        limit[ability.hazard] += 1
                    else:
                        raise AssertionError(ability.effect)
        number = dict.fromkeys(HAZARDS, 0)
        for card in visible:
            if card not in ignored:
                number[self.cards[card].hazard] += 1
        return [hazard for hazard in HAZARDS if number[hazard] >= limit[hazard]]

    def score(self, player):
        """The score of a player who is not the solo AI."""
        visible = self.visible(player)
        nothing = set()
        for me in visible:
            for ability in self.cards[me].at("scoring"):
                if ability.effect == "score_nothing" and self.holds(player, me, ability.condition):
                    nothing.update(self.selected(player, me, ability.select))
        total = 0
        for me in visible:
            total -= self.cards[me].skulls  # R17: these are never silenced
            if me in nothing:
                continue
            if me in self.journey[player]:
                total += self.cards[me].stars
            for ability in self.cards[me].at("scoring"):
                if ability.effect == "points" and self.holds(player, me, ability.condition):
                    total += self.points(player, me, ability)
        return total

    def points(self, player, me, ability):
        per = ability.per
        if per == "once":
            times = 1
        elif per == "row_without":
            rows = []
            if ability.select.row in ("both", "journey"):
                rows.append(self.journey[player])
            if ability.select.row in ("both", "scrapbook"):
                rows.append(self.scrapbook[player])
            times = 0
            for row in rows:
                if all(self.cards[card].hazard != ability.select.hazard for card in row):
                    times += 1
            times //= ability.every
        else:
            found = self.selected(player, me, ability.select)
            if per == "card":
                times = len(found)
            elif per == "star":
                times = sum(self.cards[card].stars for card in found)
            elif per == "skull":
                times = sum(self.cards[card].skulls for card in found)
            else:
                raise AssertionError(per)
            times //= ability.every
        value = ability.points * times
        if ability.cap is not None:
            value = max(-ability.cap, min(ability.cap, value))
        return value

    def robot_score(self, player, discard_points):
        """The score of the solo AI (R10)."""
        total = 0
        for card in self.journey[player]:
            total += self.cards[card].stars + self.cards[card].skulls
            for ability in self.cards[card].at("scoring"):
                if ability.effect == "points" and ability.points > 0:
                    total += ability.points
        if discard_points:
            total += len(self.discard[0]) + len(self.discard[1])
        return total


# --------------------------------------------------------------------------- the game


class Game:
    def __init__(
        self,
        cards,
        seed,
        *,
        backseat=False,
        solo=False,
        discard_points=False,
        must_outbust=False,
        first_player=None,
        ask_forced=False,
        max_turns=200,
        turn_limit="terminate",
        position=None,
    ):
        """A game dealt from a seed, or played on from a position in which a turn begins.

        A position has the keys of `snapshot` that its cards need: "deck" (bottom first), "face_up", "journey",
        "scrapbook", "under", "discard", "busts", "turn" and "active". What is left out is empty or 0.
        """
        assert len(cards) == 18
        assert turn_limit in ("terminate", "truncate")
        self.cards = [Card(table) for table in cards]
        self.solo = solo
        self.give = backseat or solo  # may a Travel go to the other player's Journey?
        self.discard_points = discard_points and solo
        self.must_outbust = must_outbust and solo
        self.ask_forced = ask_forced
        self.max_turns = max_turns
        self.turn_limit = turn_limit
        self.rng = seed & MASK
        self.table = Table(self.cards)
        self.turn = 0
        self.over = False
        self.at_limit = False  # ended by the limit of turns, terminated or truncated
        self.truncated = False
        self.decision = None
        self._legal = set()

        if position is None:
            self._set_up(first_player)
        else:
            self._put(position)
        self.player = self.active

        self._running = self._script()
        self._resume(None)

    def _set_up(self, first_player):
        self.table.deck = list(range(18))
        self._shuffle()
        if self.solo:
            self.active = 0
        elif first_player is not None:
            self.active = first_player
        else:
            self.active = self._below(2)
        self.table.face_up = self.table.deck.pop()

    def _put(self, position):
        table = self.table
        table.deck = list(position.get("deck", []))
        table.face_up = position.get("face_up")
        table.journey = [list(row) for row in position.get("journey", [[], []])]
        table.scrapbook = [list(row) for row in position.get("scrapbook", [[], []])]
        table.under = {card: list(below) for card, below in position.get("under", {}).items()}
        table.discard = [list(pile) for pile in position.get("discard", [[], []])]
        table.busts = list(position.get("busts", [0, 0]))
        self.turn = position.get("turn", 0)
        self.active = position.get("active", 0)

        places = [table.deck, *table.journey, *table.scrapbook, *table.discard, *table.under.values()]
        found = [card for place in places for card in place]
        if table.face_up is not None:
            found.append(table.face_up)
        assert sorted(found) == list(range(18)), sorted(found)

    # ---- chance

    def _draw(self):
        self.rng = (self.rng + 0x9E3779B97F4A7C15) & MASK
        z = self.rng
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def _below(self, n):
        return ((self._draw() >> 32) * n) >> 32

    def _shuffle(self):
        deck = self.table.deck
        for i in range(len(deck) - 1, 0, -1):
            j = self._below(i + 1)
            deck[i], deck[j] = deck[j], deck[i]

    # ---- from outside

    def legal(self):
        return set(self._legal)

    def step(self, action):
        if action not in self._legal:
            raise ValueError(f"{action!r} is not legal at {self.decision}: {sorted(self._legal)}")
        self._resume(action)

    def scores(self):
        if self.solo:
            return [self.table.score(0), self.table.robot_score(1, self.discard_points)]
        return [self.table.score(0), self.table.score(1)]

    def _result(self):
        if not self.over:
            return None, None
        if self.truncated:
            return None, "truncated"
        winner, rule = self._decide()
        return winner, "turn_limit" if self.at_limit else rule

    def _decide(self):
        """The winner as the table stands, and the rule that says so (R16)."""
        busts = self.table.busts
        if self.must_outbust and busts[1] <= busts[0]:
            return 1, "must_outbust"
        a, b = self.scores()
        if a != b:
            return (0 if a > b else 1), "score"
        if busts[0] != busts[1]:
            return (0 if busts[0] < busts[1] else 1), "fewer_busts"
        return None, "shared"

    def winner(self):
        return self._result()[0]

    def ending(self):
        return self._result()[1]

    def snapshot(self):
        table = self.table
        return {
            "deck": list(table.deck),
            "face_up": table.face_up,
            "journey": [list(row) for row in table.journey],
            "scrapbook": [list(row) for row in table.scrapbook],
            "under": {card: list(below) for card, below in table.under.items() if below},
            "discard": [sorted(pile) for pile in table.discard],
            "busts": list(table.busts),
            "turn": self.turn,
            "active": self.active,
            "player": self.player,
            "decision": self.decision,
            "rng": self.rng,
        }

    # ---- the flow

    def _resume(self, action):
        try:
            self._running.send(action)
        except StopIteration:
            self.over = True
            self.decision = "OVER"
            self.player = self.active
            self._legal = set()

    def _ask(self, player, decision, legal):
        """Ask a player, unless there is nothing to decide."""
        assert legal, decision
        if len(legal) == 1:
            only = next(iter(legal))
            if only == DONE or not self.ask_forced:
                return only
        self.player = player
        self.decision = decision
        self._legal = legal
        answer = yield
        return answer

    def _script(self):
        table = self.table
        while True:
            table.used = set()
            if self.solo and self.active == 1:
                self._robot_turn()
            else:
                yield from self._turn(self.active)

            yield from self._check_bust(self.active)
            if self.give:
                yield from self._check_bust(1 - self.active)

            if table.face_up is None and table.deck:
                table.face_up = table.deck.pop()

            self.turn += 1
            if len(table.deck) + (table.face_up is not None) <= 1:
                return
            if self.turn >= self.max_turns:
                self.at_limit = True
                self.truncated = self.turn_limit == "truncate"
                return
            self.active = 1 - self.active

    def _turn(self, player):
        table = self.table
        while True:
            window = table.window(player, "start_of_turn")
            legal = {ABILITY + card for card in window}
            if not self._must(window):
                legal |= self._actions(player)
            answer = yield from self._ask(player, "TURN", legal)
            if answer == REST:
                yield from self._rest(player)
                return
            if answer < ABILITY:
                yield from self._travel(player, answer)
                return
            me = answer - ABILITY
            if me in window:
                yield from self._use(player, me, "start_of_turn", window)
            else:  # R21, R22: nothing else of the action follows
                for timing in ("instead_of_travel", "instead_of_rest"):
                    window = table.window(player, timing)
                    if me in window:
                        yield from self._use(player, me, timing, window)
                        return

    def _actions(self, player):
        """Travel, Rest, and the abilities in the place of one of them, in which a mandatory one stands alone (R7)."""
        table = self.table
        travels, rests = self._travels(), {REST} if table.can_rest(player, {}) else set()
        for_travel = table.window(player, "instead_of_travel") if travels else {}
        for_rest = table.window(player, "instead_of_rest")
        if self._must(for_travel):
            travels = set()
        if self._must(for_rest):
            rests = set()
        return travels | rests | {ABILITY + card for card in [*for_travel, *for_rest]}

    def _travels(self):
        legal = set()
        if self.table.face_up is not None:
            legal.add(TRAVEL_FACE_UP)
            if self.give:
                legal.add(TRAVEL_OTHER)
        if self.table.deck:
            legal.add(TRAVEL_TOP)
        return legal

    def _travel(self, player, answer, granted_in=None):
        """One Travel, the action being chosen already, with all that follows from it.

        A Travel granted in a Travel shares the `after_travel` abilities with it: its caller goes on to them.
        """
        table = self.table
        yield from self._window(player, "before_travel")
        if answer == TRAVEL_TOP:
            card = table.deck.pop()
        else:
            card = table.face_up
            table.face_up = None
        if answer == TRAVEL_OTHER:
            table.journey[1 - player].append(card)
        else:
            table.journey[player].append(card)
            yield from self._window(player, "when_traveled", only=card)
        if granted_in in (None, "after_rest"):
            yield from self._window(player, "after_travel")

    def _rest(self, player):
        table = self.table
        yield from self._window(player, "before_rest")

        legal = {CARD + card for card in table.journey[player]}
        answer = yield from self._ask(player, "REST", legal)
        top = answer - CARD
        table.leave(player, top)
        table.scrapbook[player].append(top)

        while True:
            legal = {CARD + card for card in table.journey[player]} | {DONE}
            answer = yield from self._ask(player, "HIDE", legal)
            if answer == DONE:
                break
            table.put_under(player, answer - CARD, top)

        returned = False
        while True:
            legal = {CARD + card for card in table.journey[player]} | {DONE}
            answer = yield from self._ask(player, "RETURN", legal)
            if answer == DONE:
                break
            table.put_into_deck(player, answer - CARD)
            returned = True
        if returned:
            self._shuffle()

        yield from self._window(player, "after_rest")

    # ---- abilities

    @staticmethod
    def _must(window):
        return any(choice[0].mandatory for choices in window.values() for choice in choices)

    def _window(self, player, timing, only=None):
        """Let a player use abilities of one timing until they are done."""
        while True:
            window = self.table.window(player, timing, only)
            if not window:
                return
            must = self._must(window)
            if timing == "before_rest":
                window = self.table.restful_window(player)
            legal = {ABILITY + card for card in window}
            if not must:
                legal.add(DONE)
            answer = yield from self._ask(player, "ABILITY", legal)
            if answer == DONE:
                return
            yield from self._use(player, answer - ABILITY, timing, window)

    def _use(self, player, me, timing, window):
        """Use a card in a window, asking for the cards to choose."""
        choices = window[me]
        self.table.used.add((me, timing))

        if choices[0][0].effect == "travel_again":
            answer = yield from self._ask(player, "TRAVEL", self._travels())
            yield from self._travel(player, answer, granted_in=timing)
            return

        answer = yield from self._ask(player, "CARD", {CARD + choice[1] for choice in choices})
        choices = [choice for choice in choices if choice[1] == answer - CARD]
        if choices[0][2] is not None:
            legal = {CARD + choice[2] for choice in choices}
            answer = yield from self._ask(player, "SECOND_CARD", legal)
            choices = [choice for choice in choices if choice[2] == answer - CARD]
        assert len(choices) == 1
        ability, first, second = choices[0]
        if self.table.apply(player, me, ability, first, second):
            self._shuffle()

    # ---- busts

    def _check_bust(self, player):
        table = self.table
        robot = self.solo and player == 1
        hazards = table.bust_hazards(player, abilities=not robot)
        if not hazards:
            return
        table.busts[player] += 1
        size = len(table.deck)

        for hazard in hazards:
            matching = [c for c in table.journey[player] if table.cards[c].hazard == hazard]
            if matching:
                card = matching[-1]
                table.journey[player].remove(card)
                table.discard[player].append(card)
                table.deck.extend(table.under.pop(card, []))

        table.kept = set()
        if not robot:
            yield from self._window(player, "when_busting")

        for card in list(table.journey[player]):
            if card not in table.kept:
                table.put_into_deck(player, card)
        table.kept = set()
        if len(table.deck) > size:
            self._shuffle()

    # ---- the solo AI

    def _robot_turn(self):
        table = self.table
        card = table.face_up
        hazard = table.cards[card].hazard
        own = [table.cards[c].hazard for c in table.journey[1]]

        table.journey[0].append(card)
        learner_busts = bool(table.bust_hazards(0))
        table.journey[0].pop()
        table.journey[1].append(card)
        robot_busts = bool(table.bust_hazards(1, abilities=False))
        table.journey[1].pop()

        if learner_busts or robot_busts:
            table.face_up = None
            table.journey[0].append(card)
        elif hazard not in own:
            table.face_up = None
            table.journey[1].append(card)
        else:
            table.journey[1].append(table.deck.pop())


# ---------------------------------------------------------------------- random decks

POSITIONS = ("this", "left", "right", "above", "below", "vertical", "adjacent", "this_or_adjacent")
ANY_ROW = ("both", "journey", "scrapbook")
DISCARDS = ("own_discard", "other_discard", "both_discards")
MOVES = (
    "shuffle",
    "hide",
    "to_scrapbook",
    "to_journey",
    "send",
    "swap_face_up",
    "swap_cards",
    "swap_hidden",
)
DECISION_TIMINGS = (
    "start_of_turn",
    "instead_of_travel",
    "instead_of_rest",
    "before_travel",
    "when_traveled",
    "after_travel",
    "before_rest",
    "after_rest",
)


def _random_facts(rng, select):
    if rng.random() < 0.3:
        select["hazard"] = rng.choice(HAZARDS)
    if rng.random() < 0.2:
        select["having"] = rng.choice(("stars", "skulls"))
    if rng.random() < 0.25 and select.get("position") != "this":
        select["other"] = True


def _random_visible(rng, rows):
    """A selection of visible cards in one of the rows allowed."""
    select = {}
    row = rng.choice(rows)
    chance = rng.random()
    if chance < 0.35:
        select["position"] = rng.choice(POSITIONS)
    elif chance < 0.6 and (row != "both" or len(rows) > 1):
        select["position"] = rng.choice(("leftmost", "rightmost"))
        row = rng.choice([name for name in rows if name != "both"])
    if row != "both":
        select["row"] = row
    _random_facts(rng, select)
    return select


def _random_hidden(rng):
    select = {"cards": rng.choice(("hidden", "hidden_here"))}
    if select["cards"] == "hidden" and rng.random() < 0.5:
        select["row"] = rng.choice(("journey", "scrapbook"))
    if rng.random() < 0.3:
        select["hazard"] = rng.choice(HAZARDS)
    if rng.random() < 0.15:
        select["having"] = rng.choice(("stars", "skulls"))
    return select


def _random_count(rng):
    """A selection that is only counted."""
    chance = rng.random()
    if chance < 0.2:
        return _random_hidden(rng)
    if chance < 0.4:
        select = {"row": rng.choice(DISCARDS)}
        if rng.random() < 0.3:
            select["hazard"] = rng.choice(HAZARDS)
        if rng.random() < 0.2:
            select["having"] = rng.choice(("stars", "skulls"))
        return select
    return _random_visible(rng, ANY_ROW)


def _random_condition(rng):
    condition = {}
    while not condition:
        if rng.random() < 0.4:
            condition["this_row"] = rng.choice(("journey", "scrapbook"))
        if rng.random() < 0.3:
            condition["this_position"] = rng.choice(("leftmost", "rightmost"))
        if rng.random() < 0.5:
            condition["count"] = _random_count(rng)
            chance = rng.random()
            if chance < 0.3:
                condition["at_least"] = rng.randint(1, 3)
            elif chance < 0.6:
                condition["at_least"] = 0
                condition["at_most"] = rng.randint(0, 3)
            elif chance < 0.8:
                condition["at_least"] = rng.randint(0, 3)
                condition["at_most"] = condition["at_least"] + rng.randint(1, 2)
    if rng.random() < 0.3:
        condition["unless"] = True
    return condition


def _random_move(rng, timing):
    effect = rng.choice(MOVES)
    ability = {"timing": timing, "effect": effect}
    if effect == "swap_hidden":
        select = _random_hidden(rng)
    elif effect in ("shuffle", "swap_cards"):
        select = _random_visible(rng, ANY_ROW)
        if effect == "swap_cards" and rng.random() < 0.6:
            for field in ("position", "having"):
                select.pop(field, None)
    elif effect == "to_journey":
        select = _random_visible(rng, ("both", "scrapbook"))
    else:
        select = _random_visible(rng, ("both", "journey"))
    if select or rng.random() < 0.5:
        ability["select"] = select
    return ability


def _random_abilities(rng, timing, room):
    """One or more abilities of a timing, at most `room`."""
    result = []
    if timing in DECISION_TIMINGS:
        again = timing in ("when_traveled", "after_travel", "after_rest")
        if again and rng.random() < 0.25:
            result.append({"timing": timing, "effect": "travel_again"})
        else:
            number = rng.choice((1, 1, 2, 3))
            result = [_random_move(rng, timing) for _ in range(min(room, number))]
        optional = timing != "before_rest" and rng.random() < 0.6
        if optional:
            for ability in result:
                ability["optional"] = True
    elif timing == "when_busting":
        optional = rng.random() < 0.6
        for _ in range(min(room, rng.choice((1, 1, 2)))):
            ability = {"timing": timing, "effect": "keep"}
            ability["select"] = _random_visible(rng, ("both", "journey"))
            if optional:
                ability["optional"] = True
            result.append(ability)
    elif timing == "bust_check":
        if rng.random() < 0.35:
            result.append({"timing": timing, "effect": "raise_limit", "hazard": rng.choice(HAZARDS)})
        else:
            select = _random_visible(rng, ANY_ROW)
            result.append({"timing": timing, "effect": "ignore", "select": select})
    elif rng.random() < 0.2:
        select = _random_visible(rng, ANY_ROW)
        result.append({"timing": "scoring", "effect": "score_nothing", "select": select})
    else:
        number = rng.choice([n for n in range(-9, 10) if n != 0])
        ability = {"timing": "scoring", "effect": "points", "points": number}
        per = rng.choice(("once", "card", "card", "star", "skull", "row_without"))
        if per != "once" or rng.random() < 0.5:
            ability["per"] = per
        if per == "row_without":
            ability["select"] = {"hazard": rng.choice(HAZARDS)}
            if rng.random() < 0.6:
                ability["select"]["row"] = rng.choice(ANY_ROW)
        elif per != "once":
            ability["select"] = _random_count(rng)
        if per != "once" and rng.random() < 0.3:
            ability["every"] = rng.choice((1, 2, 2, 3, 4, 9))
        if per != "once" and rng.random() < 0.3:
            ability["cap"] = rng.choice((1, 2, 3, 4, 5, 7, 10, 99))
        result.append(ability)
    for ability in result:
        if rng.random() < 0.3:
            ability["if"] = _random_condition(rng)
    return result


def random_deck(rng):
    """A legal deck out of the whole vocabulary: 18 cards as a deck file holds them."""
    # Decks differ in how much of what they have, so that each thing is also seen alone.
    weights = {timing: rng.choice((1, 2, 4)) for timing in DECISION_TIMINGS}
    weights["before_rest"] = rng.choice((1, 3, 6))
    weights["when_busting"] = rng.choice((1, 2, 4))
    weights["bust_check"] = rng.choice((1, 2, 4))
    weights["scoring"] = rng.choice((2, 4, 6))
    timings = list(weights)
    full = rng.random()

    hazards = ["paw"] * 3 + ["drop"] * 4 + ["mountain"] * 5 + ["sun"] * 6
    cards = []
    for number, hazard in enumerate(hazards):
        card = {"name": f"{hazard} {number}", "hazard": hazard}
        if rng.random() < 0.7:
            card["stars"] = rng.choice((0, 1, 1, 2, 2, 3, 4, 9))
        if rng.random() < 0.4:
            card["skulls"] = rng.choice((0, 1, 1, 2, 3))
        abilities = []
        while len(abilities) < 3 and rng.random() < (0.9 if not abilities else 0.25 + full / 2):
            timing = rng.choices(timings, [weights[name] for name in timings])[0]
            present = [ability["timing"] for ability in abilities]
            if timing in present and timing not in ("bust_check", "scoring"):
                continue
            if timing in TURN_TIMINGS and any(other in TURN_TIMINGS for other in present):
                continue
            abilities += _random_abilities(rng, timing, 3 - len(abilities))
        rng.shuffle(abilities)
        if abilities:
            card["ability"] = abilities
        elif rng.random() < 0.3:
            card["ability"] = []
        cards.append(card)
    rng.shuffle(cards)
    return cards
