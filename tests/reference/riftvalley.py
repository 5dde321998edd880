"""Slow, plain reference implementation of Rift Valley Reserve.

It exists only to check a fast engine, so it favours being obvious over being quick: sets and dicts of squares,
every legal set computed afresh, Trails found by walking over the board square by square.  Standard library only.

Run this file to self-test it:  python riftvalley.py [games per player count]
"""

AREA_LETTERS = "ABCDEFGHI"
ANIMAL_POINTS = {"k": 1, "e": 2, "l": 3}
SQUARE_LETTERS = ".keltwr"
MAX_TENTS = 5
MAX_AREAS = 5
FULL_BOARDS_TO_TRIGGER = {2: 2, 3: 2, 4: 3, 5: 4}

ROW, COLUMN = "row", "column"  # along which line a Trail leaves its lower-numbered end; straight Trails say ROW
HEADINGS = [(0, 1), (0, -1), (1, 0), (-1, 0)]
AROUND = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if (dr, dc) != (0, 0)]


# ---------------------------------------------------------------------------------------------------- boards


class Board:
    """The printed board: one area letter and one content letter for each square.  Positions are (row, column)."""

    def __init__(self, areas, squares):
        areas, squares = list(areas), list(squares)
        if not areas or not areas[0]:
            raise ValueError("a board needs at least one square")
        if len(areas) != len(squares):
            raise ValueError("the two grids differ in height")
        for row in areas + squares:
            if len(row) != len(areas[0]):
                raise ValueError("every row of both grids must be equally wide")
        for row in areas:
            for letter in row:
                if letter not in AREA_LETTERS:
                    raise ValueError(f"unknown area letter {letter!r}")
        for row in squares:
            for letter in row:
                if letter not in SQUARE_LETTERS:
                    raise ValueError(f"unknown square letter {letter!r}")
        self.areas = areas
        self.squares = squares
        self.rows = len(areas)
        self.cols = len(areas[0])
        # Headings that cross the Rift the short way.
        rift = self.positions("r")
        self.crossing_headings = []
        if rift:
            rift_rows = {r for r, c in rift}
            rift_cols = {c for r, c in rift}
            if len(rift) < 2 or (len(rift_rows) > 1 and len(rift_cols) > 1):
                raise ValueError("the Rift must be one straight strip of at least two squares")
            if max(max(rift_rows) - min(rift_rows), max(rift_cols) - min(rift_cols)) != len(rift) - 1:
                raise ValueError("the Rift has a gap")
            if len(rift_rows) == 1:
                self.crossing_headings = [(1, 0), (-1, 0)]
            else:
                self.crossing_headings = [(0, 1), (0, -1)]

    def on_board(self, pos):
        return 0 <= pos[0] < self.rows and 0 <= pos[1] < self.cols

    def letter(self, pos):
        return self.squares[pos[0]][pos[1]]

    def area(self, pos):
        return self.areas[pos[0]][pos[1]]

    def all_positions(self):
        return [(r, c) for r in range(self.rows) for c in range(self.cols)]

    def positions(self, letters):
        return [pos for pos in self.all_positions() if self.letter(pos) in letters]

    def neighbours4(self, pos):
        near = [(pos[0] + dr, pos[1] + dc) for dr, dc in HEADINGS]
        return [other for other in near if self.on_board(other)]

    def neighbours8(self, pos):
        near = [(pos[0] + dr, pos[1] + dc) for dr, dc in AROUND]
        return [other for other in near if self.on_board(other)]

    def problems(self):
        """What makes this board unfit for real play (an empty list: nothing)."""
        found = []
        if self.rows > 12 or self.cols > 12:
            found.append("larger than 12 x 12")
        for letter in AREA_LETTERS:
            members = {pos for pos in self.all_positions() if self.area(pos) == letter}
            if not members:
                found.append(f"area {letter} is missing")
            elif not _is_connected(members):
                found.append(f"area {letter} is not connected")
        if not self.positions("r"):
            found.append("no Rift")
        most = max_areas(self)
        if not 1 <= most <= MAX_AREAS:
            found.append(f"a Trail could enter {most} areas")
        return found


def _is_connected(members):
    todo = [next(iter(members))]
    reached = set(todo)
    while todo:
        r, c = todo.pop()
        for dr, dc in HEADINGS:
            pos = (r + dr, c + dc)
            if pos in members and pos not in reached:
                reached.add(pos)
                todo.append(pos)
    return reached == members


def walk_trails(board, start, free, bridges, is_end):
    """Walk from `start` and yield (end, first, covered positions in walking order) for each Trail found.

    free: set of positions that a Trail may cover in any way; bridges: set of Rift positions that may be crossed
    the short way; is_end(pos): may a Trail end there.  `first` is COLUMN only for an L that leaves along the column.
    """

    def advance(pos, heading, first, turned, covered):
        """We are about to leave `pos` in direction `heading`."""
        pos = (pos[0] + heading[0], pos[1] + heading[1])
        if not board.on_board(pos):
            return
        if is_end(pos):
            yield pos, (first if turned else ROW), covered
        if pos in free:
            further = covered + [pos]
            yield from advance(pos, heading, first, turned, further)
            if not turned:
                for other in HEADINGS:
                    if (other[0] == 0) != (heading[0] == 0):  # a right-angled turn
                        yield from advance(pos, other, first, True, further)
        elif pos in bridges and heading in board.crossing_headings:
            yield from advance(pos, heading, first, turned, covered + [pos])  # straight on: no corner here

    for heading in HEADINGS:
        yield from advance(start, heading, ROW if heading[0] == 0 else COLUMN, False, [])


def brute_force_paths(board, own_rift):
    """Every Trail possible before anything is drawn: (a, b, first, covered), a < b, covered a sorted list.

    Squares are numbered row * board.cols + column.  `first` is "row" or "column" (seen from a; straight: "row").
    Orthogonal neighbours cannot both be Stops, so no path joins them: every path covers at least one square.
    """
    free = set(board.positions("."))
    bridges = set(board.positions("r")) if own_rift else set()

    def number(pos):
        return pos[0] * board.cols + pos[1]

    for start in sorted(free):
        for end, first, covered in walk_trails(board, start, free, bridges, lambda pos: pos in free):
            if number(start) < number(end) and covered:
                yield number(start), number(end), first, sorted(number(pos) for pos in covered)


def max_areas(board):
    """The most areas that one Trail could enter, ends included, Rift bridged (0 if no Trail is possible)."""
    most = 0
    for a, b, _, covered in brute_force_paths(board, True):
        entered = {board.area(divmod(square, board.cols)) for square in [a, b] + covered}
        most = max(most, len(entered))
    return most


# ------------------------------------------------------------------------------------------------------ game


class _Sheet:
    """What has been drawn on one board."""

    def __init__(self):
        self.stops = {}  # position -> seat
        self.tents = {}  # position -> seat
        self.trails = []  # (seat, lower end, higher end, covered positions), in the order of drawing

    def drawn_on(self):
        taken = set(self.stops) | set(self.tents)
        for _, _, _, covered in self.trails:
            taken |= set(covered)
        return taken


_flat_numbers = {}


def flat_path_numbers(height, width):
    """{(a, b, first): position in the list of all paths of the grid}, and nothing about which of them are legal."""
    if (height, width) not in _flat_numbers:
        numbers = {}
        size = height * width
        for a in range(size):
            for b in range(a + 1, size):
                numbers[(a, b, ROW)] = len(numbers)
                if a // width != b // width and a % width != b % width:
                    numbers[(a, b, COLUMN)] = len(numbers)
        _flat_numbers[(height, width)] = numbers
    return _flat_numbers[(height, width)]


class Game:
    def __init__(self, boards, num_players, *, max_turns=None, actions="two_step"):
        if num_players not in FULL_BOARDS_TO_TRIGGER:
            raise ValueError("2 to 5 players")
        if len(boards) != num_players:
            raise ValueError("one board for each player")
        if actions not in ("two_step", "flat"):
            raise ValueError("actions must be 'two_step' or 'flat'")
        if max_turns is not None and max_turns < 1:
            raise ValueError("max_turns must be at least 1")
        self.boards = list(boards)
        self.num_players = num_players
        self.max_turns = max_turns
        self.actions = actions
        self.height = max(board.rows for board in boards)
        self.width = max(board.cols for board in boards)
        self.S = self.height * self.width
        if actions == "two_step":
            self.pass_action = 5 * self.S
        else:
            self._path_numbers = flat_path_numbers(self.height, self.width)
            self._path_names = {number: name for name, number in self._path_numbers.items()}
            self.pass_action = 2 * self.S + len(self._path_numbers)
        self.wait_action = self.pass_action + 1
        self.num_actions = self.wait_action + 1

        self.turn = 0  # turns completed = number of the turn in progress
        self.triggered = False
        self.over = False
        self.truncated = False
        self.idle_turns = 0
        self._sheets = [_Sheet() for _ in boards]
        self._pending = [None] * num_players  # square number of a chosen trail_from
        self._element = [None] * num_players  # the completed element of this turn

    # -- numbering

    def number(self, pos):
        return pos[0] * self.width + pos[1]

    def position(self, number):
        return divmod(number, self.width)

    # -- questions

    def board_of(self, seat):
        return (seat - self.turn) % self.num_players

    def pending(self, seat):
        return self._pending[seat]

    def finished(self):
        return self.over or self.truncated

    def _stop_positions(self, seat):
        index = self.board_of(seat)
        board, sheet = self.boards[index], self._sheets[index]
        taken = sheet.drawn_on()
        result = []
        for pos in board.positions("."):
            if pos in taken:
                continue
            if any(other in sheet.stops for other in board.neighbours4(pos)):
                continue
            if self.turn == 0 and any(board.letter(other) in ANIMAL_POINTS for other in board.neighbours8(pos)):
                continue
            result.append(pos)
        return result

    def _tent_positions(self, seat):
        index = self.board_of(seat)
        board, sheet = self.boards[index], self._sheets[index]
        if self.turn == 0 or len(sheet.tents) >= MAX_TENTS:
            return []
        taken = sheet.drawn_on()
        return [pos for pos in board.positions(".") if pos not in taken]

    def _trails(self, seat):
        """Every legal Trail of the seat this turn: {(a, b, first): covered positions}, a < b."""
        index = self.board_of(seat)
        board, sheet = self.boards[index], self._sheets[index]
        if self.turn == 0:
            return {}
        taken = sheet.drawn_on()
        free = {pos for pos in board.positions(".") if pos not in taken}
        bridges = {pos for pos in board.positions("r") if pos not in taken} if index == seat else set()
        result = {}
        for start, owner in sheet.stops.items():
            if owner != seat:
                continue
            for end, first, covered in walk_trails(
                board, start, free, bridges, lambda pos: sheet.stops.get(pos) == seat
            ):
                if self.number(start) < self.number(end):
                    result[(self.number(start), self.number(end), first)] = covered
        return result

    def legal(self, seat):
        if not 0 <= seat < self.num_players:
            raise ValueError(f"no seat {seat}")
        if self.finished() or self._element[seat] is not None:
            return {self.wait_action}
        S = self.S
        if self._pending[seat] is not None:
            result = set()
            for a, b, first in self._trails(seat):
                if a == self._pending[seat]:
                    result.add((3 * S if first == ROW else 4 * S) + b)
            return result
        result = {self.number(pos) for pos in self._stop_positions(seat)}
        result |= {S + self.number(pos) for pos in self._tent_positions(seat)}
        for a, b, first in self._trails(seat):
            if self.actions == "two_step":
                result.add(2 * S + a)
            else:
                result.add(2 * S + self._path_numbers[(a, b, first)])
        if self.triggered or not result:
            result.add(self.pass_action)
        return result

    # -- acting

    def step(self, seat, action):
        if action not in self.legal(seat):  # also refuses an unknown seat
            raise ValueError(f"action {action} is illegal for seat {seat}")
        if action == self.wait_action:
            return
        S = self.S
        if action == self.pass_action:
            element = ("pass",)
        elif action < S:
            element = ("stop", action)
        elif action < 2 * S:
            element = ("tent", action - S)
        elif self.actions == "flat":
            element = ("trail",) + self._path_names[action - 2 * S]
        elif action < 3 * S:
            self._pending[seat] = action - 2 * S
            return
        elif action < 4 * S:
            element = ("trail", self._pending[seat], action - 3 * S, ROW)
        else:
            element = ("trail", self._pending[seat], action - 4 * S, COLUMN)
        self._element[seat] = element
        if all(one is not None for one in self._element):
            self._end_turn()

    def _end_turn(self):
        for seat, element in enumerate(self._element):
            sheet = self._sheets[self.board_of(seat)]
            if element[0] == "stop":
                sheet.stops[self.position(element[1])] = seat
            elif element[0] == "tent":
                sheet.tents[self.position(element[1])] = seat
            elif element[0] == "trail":
                _, a, b, first = element
                covered = self._trails(seat)[(a, b, first)]
                sheet.trails.append((seat, self.position(a), self.position(b), covered))
        drew_nothing = all(element[0] == "pass" for element in self._element)
        self.idle_turns = self.idle_turns + 1 if drew_nothing else 0

        played = self.turn
        self._pending = [None] * self.num_players
        self._element = [None] * self.num_players
        self.turn += 1  # the boards pass to the left

        if self.triggered and played % self.num_players == 0:
            self.over = True  # everyone has just had their own board, in a turn that began after the trigger
        full = sum(1 for sheet in self._sheets if len(sheet.tents) >= MAX_TENTS)
        if full >= FULL_BOARDS_TO_TRIGGER[self.num_players] or self.idle_turns >= self.num_players:
            self.triggered = True
        if not self.over and self.max_turns is not None and self.turn >= self.max_turns:
            self.truncated = True

    def snapshot(self):
        boards = []
        for sheet in self._sheets:
            boards.append(
                {
                    "stops": {self.number(pos): seat for pos, seat in sheet.stops.items()},
                    "tents": {self.number(pos): seat for pos, seat in sheet.tents.items()},
                    "trails": [
                        (seat, self.number(a), self.number(b), sorted(self.number(pos) for pos in covered))
                        for seat, a, b, covered in sheet.trails
                    ],
                }
            )
        return {"turn": self.turn, "triggered": self.triggered, "boards": boards, "idle_turns": self.idle_turns}

    # -- scoring

    def board_score(self, index, seat):
        """The points of one seat on one board, by kind."""
        board, sheet = self.boards[index], self._sheets[index]
        area_points = 0
        connected = set()
        trail_squares = set()
        for owner, a, b, covered in sheet.trails:
            if owner == seat:
                squares = {a, b} | set(covered)
                area_points += len({board.area(pos) for pos in squares})
                connected |= {a, b}
                trail_squares |= squares
        animal_points = 0
        for pos in board.positions("kel"):
            if any(other in trail_squares for other in board.neighbours8(pos)):
                animal_points += ANIMAL_POINTS[board.letter(pos)]
        stop_points = 0
        for pos, owner in sheet.stops.items():
            if owner == seat and pos not in connected:
                stop_points -= 2
        tent_points = 0
        for pos, owner in sheet.tents.items():
            if owner == seat:
                tent_points += 2 * sum(1 for other in board.neighbours8(pos) if other in connected)
        return {
            "areas": area_points,
            "animals": animal_points,
            "stops": stop_points,
            "tents": tent_points,
            "total": area_points + animal_points + stop_points + tent_points,
        }

    def scores(self):
        """One dict for each seat: points by kind and in total, summed over the boards."""
        result = []
        for seat in range(self.num_players):
            summed = {"areas": 0, "animals": 0, "stops": 0, "tents": 0, "total": 0}
            for index in range(self.num_players):
                for kind, points in self.board_score(index, seat).items():
                    summed[kind] += points
            result.append(summed)
        return result

    def board_scores(self):
        """[board][seat] -> total points."""
        seats = range(self.num_players)
        return [[self.board_score(index, seat)["total"] for seat in seats] for index in seats]

    def ranking(self):
        """The winning seats, in seat order: more than one only where every tie-break is equal too."""
        table = self.board_scores()
        keys = []
        for seat in range(self.num_players):
            column = [row[seat] for row in table]
            keys.append([sum(column)] + sorted(column, reverse=True))
        best = max(keys)
        return [seat for seat in range(self.num_players) if keys[seat] == best]


# -------------------------------------------------------------------------------------------- random boards


def _most_areas_quickly(board):
    """max_areas by looking at corners with both arms as long as possible (used only while generating)."""
    free = set(board.positions("."))
    rift = set(board.positions("r"))
    arms = {}
    for start in free:
        for heading in HEADINGS:
            entered, pending, pos, length = set(), set(), start, 0
            steps = 0
            while True:
                pos = (pos[0] + heading[0], pos[1] + heading[1])
                steps += 1
                if pos in free:
                    entered |= pending | {board.area(pos)}
                    pending = set()
                    length = steps
                elif pos in rift and heading in board.crossing_headings:
                    pending.add(board.area(pos))
                else:
                    break
            arms[start, heading] = (length, entered)
    most = 0
    for start in free:
        here = {board.area(start)}
        for heading in HEADINGS:
            length, entered = arms[start, heading]
            if length >= 2:
                most = max(most, len(here | entered))
            for other in HEADINGS:
                if heading[0] == 0 and other[0] != 0 and length and arms[start, other][0]:
                    most = max(most, len(here | entered | arms[start, other][1]))
    return most


def _cut_in_three(rng, length):
    least = max(1, length // 4)
    while True:
        first, second = sorted(rng.sample(range(1, length), 2))
        if min(first, second - first, length - second) >= least:
            return [0] * first + [1] * (second - first) + [2] * (length - second)


def _random_areas(rng, rows, cols):
    """Three bands, each cut in three at its own places; perhaps transposed; letters in random order."""
    if rng.random() < 0.5:
        return [list(column) for column in zip(*_random_areas_banded(rng, cols, rows))]
    return _random_areas_banded(rng, rows, cols)


def _random_areas_banded(rng, rows, cols):
    letters = list(AREA_LETTERS)
    rng.shuffle(letters)
    bands = _cut_in_three(rng, rows)
    cuts = [_cut_in_three(rng, cols) for _ in range(3)]
    return [[letters[3 * bands[r] + cuts[bands[r]][c]] for c in range(cols)] for r in range(rows)]


def _random_squares(rng, rows, cols):
    grid = [["."] * cols for _ in range(rows)]
    flat_rift = rng.random() < 0.5
    along, across = (cols, rows) if flat_rift else (rows, cols)
    length = rng.randint(2, min(along, max(2, along // 2 + 1)))
    begin, line = rng.randrange(along - length + 1), rng.randrange(across)
    for i in range(begin, begin + length):
        if flat_rift:
            grid[line][i] = "r"
        else:
            grid[i][line] = "r"
    open_squares = [(r, c) for r in range(rows) for c in range(cols) if grid[r][c] == "."]
    rng.shuffle(open_squares)
    size = rows * cols
    for _ in range(rng.randint(size // 12, size // 6)):
        r, c = open_squares.pop()
        grid[r][c] = rng.choice("kkkeel")
    for _ in range(rng.randint(0, size // 10)):
        r, c = open_squares.pop()
        grid[r][c] = rng.choice("tw")
    return ["".join(row) for row in grid]


def random_board(rng, rows, cols):
    """A random valid board (rows and cols from 3 to 12; meant for 7 to 10) on which a first Stop can be drawn."""
    if not (3 <= rows <= 12 and 3 <= cols <= 12):
        raise ValueError("3 to 12 rows and columns")
    while True:
        squares = _random_squares(rng, rows, cols)
        areas = _random_areas(rng, rows, cols)
        # Ragged borders: move single squares to a neighbouring area as long as the board stays valid.
        for _ in range(rng.randint(0, rows * cols // 2)):
            r, c = rng.randrange(rows), rng.randrange(cols)
            dr, dc = rng.choice(HEADINGS)
            if not (0 <= r + dr < rows and 0 <= c + dc < cols):
                continue
            old, new = areas[r][c], areas[r + dr][c + dc]
            if old == new:
                continue
            areas[r][c] = new
            left = {(i, j) for i in range(rows) for j in range(cols) if areas[i][j] == old}
            if (
                not left
                or not _is_connected(left)
                or _most_areas_quickly(Board(["".join(row) for row in areas], squares)) > MAX_AREAS
            ):
                areas[r][c] = old
        board = Board(["".join(row) for row in areas], squares)
        calm = [
            pos
            for pos in board.positions(".")
            if not any(board.letter(other) in ANIMAL_POINTS for other in board.neighbours8(pos))
        ]
        if calm and not board.problems():
            return board


# ------------------------------------------------------------------------------------------------ self-test


def _check_sheet(game, index):
    """Nothing overlaps, and everything lies where the rules let it lie."""
    board = game.boards[index]
    drawn = game.snapshot()["boards"][index]
    everything = list(drawn["stops"]) + list(drawn["tents"])
    for seat, a, b, covered in drawn["trails"]:
        assert a < b and drawn["stops"][a] == seat == drawn["stops"][b]
        assert covered and covered == sorted(set(covered))
        everything += covered
        (ra, ca), (rb, cb) = game.position(a), game.position(b)
        assert len(covered) == abs(ra - rb) + abs(ca - cb) - 1
        for square in covered:
            pos = game.position(square)
            assert board.letter(pos) == "." or (board.letter(pos) == "r" and index == seat)
        assert 1 <= len({board.area(game.position(s)) for s in [a, b] + covered}) <= MAX_AREAS
    assert len(everything) == len(set(everything)), "overlap"
    for square in list(drawn["stops"]) + list(drawn["tents"]):
        assert board.letter(game.position(square)) == "."
    for square in drawn["stops"]:
        r, c = game.position(square)
        for dr, dc in HEADINGS:
            if 0 <= r + dr < game.height and 0 <= c + dc < game.width:
                assert game.number((r + dr, c + dc)) not in drawn["stops"]
    assert len(drawn["tents"]) <= MAX_TENTS


def _trails_by_formula(game, seat):
    """The legal Trails again, the other way round: lay out each conceivable path, then look at its squares."""
    index = game.board_of(seat)
    board, sheet = game.boards[index], game._sheets[index]
    if game.turn == 0:
        return set()
    own = sorted(pos for pos, owner in sheet.stops.items() if owner == seat)
    taken = sheet.drawn_on()
    result = set()
    for i, a in enumerate(own):
        for b in own[i + 1 :]:
            corners = {ROW: (a[0], b[1])}
            if a[0] != b[0] and a[1] != b[1]:
                corners[COLUMN] = (b[0], a[1])
            for first, corner in corners.items():
                level = {(corner[0], c) for p in (a, b) for c in range(min(p[1], corner[1]), max(p[1], corner[1]) + 1)
                         if p[0] == corner[0]}  # fmt: skip
                upright = {(r, corner[1]) for p in (a, b) for r in range(min(p[0], corner[0]), max(p[0], corner[0]) + 1)
                           if p[1] == corner[1]}  # fmt: skip
                fine = True
                for pos in (level | upright) - {a, b}:
                    if pos in taken:
                        fine = False
                    elif board.letter(pos) == "r":
                        upright_rift = (0, 1) in board.crossing_headings
                        blocked = upright if upright_rift else level
                        # Only the straight leg that runs across the strip may hold this square.
                        if index != seat or (pos in blocked and len(blocked) > 1):
                            fine = False
                    elif board.letter(pos) != ".":
                        fine = False
                if fine:
                    result.add((game.number(a), game.number(b), first))
    return result


def _choose(rng, game, legal):
    """A random legal action: first a random kind, with Tents rarer, so that the games have many Trails."""
    S = game.S
    kinds = {}
    for action in sorted(legal):
        if action >= game.pass_action:
            kind = "pass"
        elif action < 2 * S:
            kind = "stop" if action < S else "tent"
        else:
            kind = "trail"
        kinds.setdefault(kind, []).append(action)
    weights = {"stop": 4, "tent": rng.choice([0.05, 1, 3]), "trail": 6, "pass": 0.5}
    names = list(kinds)
    return rng.choice(kinds[rng.choices(names, [weights[name] for name in names])[0]])


def _play(rng, boards, mode, max_turns=None, careful=True):
    n = len(boards)
    game = Game(boards, n, actions=mode, max_turns=max_turns)
    trigger_turn, bridges, seen_pass_before = None, 0, 0
    while not game.finished():
        order = list(range(n))
        rng.shuffle(order)
        turn, was_triggered = game.turn, game.triggered
        assert {game.board_of(seat) for seat in range(n)} == set(range(n))
        for seat in order:
            while game.turn == turn and not game.legal(seat) == {game.wait_action}:
                legal = game.legal(seat)
                assert legal and game.wait_action not in legal
                if careful:
                    assert set(game._trails(seat)) == _trails_by_formula(game, seat)
                if game.pending(seat) is None:
                    elements = legal - {game.pass_action}
                    assert (game.pass_action in legal) == (was_triggered or not elements)
                    if not was_triggered and game.pass_action in legal:
                        seen_pass_before += 1
                before = game.snapshot()
                if careful and rng.random() < 0.1:
                    wrong = rng.randrange(game.num_actions)
                    if wrong not in legal:
                        pending = game.pending(seat)
                        try:
                            game.step(seat, wrong)
                        except ValueError:
                            assert game.snapshot() == before and game.legal(seat) == legal
                            assert game.pending(seat) == pending
                        else:
                            raise AssertionError("an illegal action was accepted")
                game.step(seat, _choose(rng, game, legal))
                if game.turn == turn:
                    assert game.snapshot() == before  # nothing shows before the turn is over
        assert game.turn == turn + 1
        if game.triggered and not was_triggered:
            trigger_turn = turn
        if careful:
            for index in range(n):
                _check_sheet(game, index)
    if game.over:
        last = trigger_turn + 1
        while last % n:
            last += 1
        assert game.turn == last + 1, (game.turn, trigger_turn, n)
    for seat in range(n):
        assert game.legal(seat) == {game.wait_action}
    scores, table = game.scores(), game.board_scores()
    for seat in range(n):
        assert scores[seat]["total"] == sum(row[seat] for row in table)
    assert game.ranking() and max(s["total"] for s in scores) == scores[game.ranking()[0]]["total"]
    for index, drawn in enumerate(game.snapshot()["boards"]):
        for _, _, _, covered in drawn["trails"]:
            bridges += any(boards[index].letter(game.position(s)) == "r" for s in covered)
    return game, trigger_turn, bridges, seen_pass_before


def _same_in_both_modes(rng, boards):
    """Play one game in both encodings at once: the legal elements and the states must agree."""
    n = len(boards)
    two, flat = Game(boards, n), Game(boards, n, actions="flat")
    S = two.S
    while not two.finished():
        choices = []
        for seat in range(n):
            legal = flat.legal(seat)
            assert {x for x in legal if x < 2 * S} == {x for x in two.legal(seat) if x < 2 * S}
            assert (flat.pass_action in legal) == (two.pass_action in two.legal(seat))
            names = {flat._path_names[x - 2 * S] for x in legal if 2 * S <= x < flat.pass_action}
            assert {a for a, _, _ in names} == {x - 2 * S for x in two.legal(seat) if 2 * S <= x < 3 * S}
            choices.append(_choose(rng, flat, legal))
        for seat in range(n):
            action = choices[seat]
            if 2 * S <= action < flat.pass_action:
                legal = flat.legal(seat)
                names = {flat._path_names[x - 2 * S] for x in legal if 2 * S <= x < flat.pass_action}
                a, b, first = flat._path_names[action - 2 * S]
                two.step(seat, 2 * S + a)
                assert two.pending(seat) == a
                ends = {(3 * S if f == ROW else 4 * S) + e for s, e, f in names if s == a}
                assert two.legal(seat) == ends
                two.step(seat, (3 * S if first == ROW else 4 * S) + b)
            else:
                two.step(seat, two.pass_action if action == flat.pass_action else action)
            flat.step(seat, action)
        assert two.snapshot() == flat.snapshot() and two.over == flat.over
    assert two.scores() == flat.scores() and two.ranking() == flat.ranking()


def _hand_checks():
    areas = ["AAABBBCC", "AAABBBCC", "DDDEEEFF", "DDDEEEFF", "GGGHHHII", "GGGHHHII"]
    squares = ["........", "..k.....", ".rrr....", "......l.", "...t....", "........"]
    board = Board(areas, squares)
    assert board.problems() == []
    plain = list(brute_force_paths(board, False))
    bridged = list(brute_force_paths(board, True))
    assert len({(a, b, f) for a, b, f, _ in bridged}) == len(bridged) > len(plain)
    assert all(path in bridged for path in plain)
    assert (9, 25, ROW, [17]) in bridged and (9, 25, ROW, [17]) not in plain
    assert not any({16, 20} == {a, b} for a, b, _, _ in bridged)  # lengthwise over the Rift
    assert (0, 9, ROW, [1]) in plain and (0, 9, COLUMN, [8]) in plain
    assert flat_path_numbers(2, 2) == {
        (0, 1, ROW): 0, (0, 2, ROW): 1, (0, 3, ROW): 2, (0, 3, COLUMN): 3,
        (1, 2, ROW): 4, (1, 2, COLUMN): 5, (1, 3, ROW): 6, (2, 3, ROW): 7,
    }  # fmt: skip

    # Two players.  Seat 0 bridges its own Rift on board 0; seat 1 may not.
    game = Game([board, board], 2)
    S = game.S
    assert 1 not in game.legal(0) and 0 in game.legal(0) and 9 not in game.legal(0)  # kob at (1, 2)
    assert 28 in game.legal(0) and 29 not in game.legal(0) and not any(x >= S for x in game.legal(0))
    game.step(0, 8)
    game.step(1, 47)
    assert game.board_of(0) == 1 and game.board_of(1) == 0
    assert 0 not in game.legal(1) and 9 not in game.legal(1) and 1 in game.legal(1)  # beside the Stop of seat 0
    game.step(0, 0)
    game.step(1, S + 40)
    game.step(0, 25)  # board 0: Stops of seat 0 at (1, 0) and (3, 1)
    game.step(1, 2)
    game.step(0, 45)  # board 1: Stop at (5, 5)
    game.step(1, 6)
    assert 2 * S + 8 in game.legal(0) and 2 * S + 25 not in game.legal(0)
    game.step(0, 2 * S + 8)
    assert game.pending(0) == 8 and game.legal(0) == {3 * S + 25, 4 * S + 25}
    game.step(0, 3 * S + 25)
    assert game.pending(0) == 8 and game.legal(0) == {game.wait_action}
    assert game.snapshot()["boards"][0]["trails"] == []
    game.step(1, S + 7)
    assert game.snapshot()["boards"][0]["trails"] == [(0, 8, 25, [9, 17])]
    assert game.board_score(0, 0) == {"areas": 2, "animals": 1, "stops": 0, "tents": 0, "total": 3}
    assert game.board_score(1, 0)["stops"] == -4

    # Tents: 2 for each own connected Stop around; others' Stops and unconnected ones count nothing.
    sheet = game._sheets[0]
    sheet.tents = {(2, 0): 0, (0, 0): 0, (4, 2): 0, (0, 1): 1}
    assert game.board_score(0, 0)["tents"] == 2 * (2 + 1 + 1)
    assert game.board_score(0, 1)["tents"] == 0
    # An animal beside a bridged square or an end counts once for each player, whatever the number of Trails.
    lion = Board(["ABC", "DEF", "GHI"], [".l.", "rr.", ".e."])
    game = Game([lion, lion], 2)
    game._sheets[0].stops = {(0, 0): 0, (2, 0): 0, (0, 2): 1, (2, 2): 1}
    game._sheets[0].trails = [(0, (0, 0), (2, 0), [(1, 0)]), (1, (0, 2), (2, 2), [(1, 2)])]
    for seat in (0, 1):
        assert game.board_score(0, seat) == {"areas": 3, "animals": 5, "stops": 0, "tents": 0, "total": 8}
    # Equal totals: the highest single board decides, then the next; equal throughout: shared.
    for table, winners in [
        ([[5, 4, 0], [3, 4, 0], [0, 0, 0]], [0]),
        ([[5, 0, 0], [1, 5, 0], [2, 3, 0]], [1]),
        ([[5, 0, 0], [0, 3, 0], [3, 5, 0]], [0, 1]),
        ([[0, 0, 0], [0, 0, 0], [0, 0, 0]], [0, 1, 2]),
    ]:
        game = Game([lion] * 3, 3)
        game.board_scores = lambda table=table: table
        assert game.ranking() == winners


def self_test(games_each=250, seed=1):
    import random
    import time

    _hand_checks()
    rng = random.Random(seed)

    begin = time.time()
    pool = [random_board(rng, rng.randint(7, 10), rng.randint(7, 10)) for _ in range(60)]
    print(f"random_board: {(time.time() - begin) / 60 * 1000:.0f} ms each")
    for board in pool + [random_board(rng, rng.randint(3, 6), rng.randint(3, 6)) for _ in range(20)]:
        assert max_areas(board) == _most_areas_quickly(board) <= MAX_AREAS
        paths = list(brute_force_paths(board, True))
        assert len({path[:3] for path in paths}) == len(paths)

    for n in range(2, 6):
        for mode in ("two_step", "flat"):
            begin, turns, bridges, trails, passes, ties, by_idle = time.time(), 0, 0, 0, 0, 0, 0
            phases = [0] * n
            for _ in range(games_each):
                small = rng.random() < 0.3
                boards = (
                    [random_board(rng, rng.randint(3, 5), rng.randint(3, 5)) for _ in range(n)]
                    if small
                    else rng.sample(pool, n)
                )
                game, trigger_turn, crossed, forced = _play(rng, boards, mode, careful=rng.random() < 0.3)
                assert game.over and not game.truncated
                turns += game.turn
                bridges += crossed
                passes += forced
                trails += sum(len(sheet.trails) for sheet in game._sheets)
                ties += len(game.ranking()) > 1
                full = sum(len(sheet.tents) == MAX_TENTS for sheet in game._sheets)
                by_idle += full < FULL_BOARDS_TO_TRIGGER[n]
                phases[trigger_turn % n] += 1
            spent = time.time() - begin
            print(
                f"{n} players {mode:8}: {games_each} games, {games_each / spent:.1f} games/s, "
                f"{turns / games_each:.1f} turns, {trails / games_each:.1f} Trails, {bridges} bridges, "
                f"{passes} forced pass offers, {by_idle} ended by R9, {ties} shared wins, trigger t mod N {phases}",
                flush=True,
            )
        for _ in range(max(1, games_each // 10)):
            _same_in_both_modes(rng, rng.sample(pool, n))
            limit = rng.randint(1, 12)
            game = _play(rng, rng.sample(pool, n), "two_step", max_turns=limit)[0]
            assert game.over != game.truncated and game.turn <= limit
    print("all well")


if __name__ == "__main__":
    import sys

    self_test(int(sys.argv[1]) if len(sys.argv) > 1 else 250)
