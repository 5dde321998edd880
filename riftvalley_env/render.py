"""The table as text."""

from typing import Any

from riftvalley_env import rules
from riftvalley_env.numbered import ROW_DIGITS, heading, row_length, row_of
from riftvalley_env.scoring import score_of
from riftvalley_env.trails import mark_at
from riftvalley_env.vocabulary import AREA_LETTERS, NO_AREA, SQUARE_LETTERS, TENTS_OF_BOARD, Mark, Square

PRINTED = {square: letter for letter, square in SQUARE_LETTERS.items()} | {Square.OUTSIDE: " "}
SIGNS = {
    Mark.STOP: "o",
    Mark.CONNECTED: "@",
    Mark.TENT: "^",
    Mark.HORIZONTAL: "─",
    Mark.VERTICAL: "│",
    Mark.RIGHT_DOWN: "┌",
    Mark.LEFT_DOWN: "┐",
    Mark.RIGHT_UP: "└",
    Mark.LEFT_UP: "┘",
}
LEGEND = (
    "o Stop, @ connected Stop, ^ Tent, lines: Trails, each with the seat's number; "
    "k kob, e elephant, l lion, t tree, w water, r Rift; to the right the areas"
)
CELL = 2
"""Characters of a square."""
GAP = "   "
"""Between the squares and the areas."""


def square_sign(state: Any, data: Any, board: int, square: int) -> str:
    """A square in two characters: the sign of what is drawn with the number of its seat, or what is printed."""
    drawn = mark_at(state, board, square)
    if drawn is None:
        return PRINTED[Square(int(data["board"][state["start"][board]]["square"][square]))] + " "
    return f"{SIGNS[drawn[1]]}{drawn[0]}"


def draw_board(state: Any, data: Any, board: int) -> list[str]:
    """A board as lines of text: its squares, and its areas to the right, with rows and columns numbered."""
    width = int(data["width"])
    areas = data["board"][state["start"][board]]["area"][: int(data["squares"])].reshape(-1, width)
    there = areas != NO_AREA  # the board may be smaller than the grid
    rows, columns = int(there.any(1).sum()), int(there.any(0).sum())
    lines = [f"{'':{ROW_DIGITS}}  {heading(columns, CELL):{row_length(columns, CELL)}}{GAP}{heading(columns)}"]
    for row in range(rows):
        signs = row_of([square_sign(state, data, board, row * width + c) for c in range(columns)], CELL)
        letters = row_of([AREA_LETTERS[area] for area in areas[row, :columns]])
        lines.append(f"{row + 1:{ROW_DIGITS}}  {signs}{GAP}{letters}".rstrip())
    return lines


def describe(state: Any, data: Any, names: list[str]) -> str:
    """The table with all that is public, as lines of text; what seats have decided in this turn is left out."""
    players = int(state["num_players"])
    turn, last = int(state["turn"]), int(state["last_turn"])
    lines = [f"Turn {turn}" + (f", the last is {last}" if last >= 0 else "") + f"   ({LEGEND})"]
    lines.append("   ".join(f"player_{seat}: {int(score_of(state, seat))} points" for seat in range(players)))
    for seat in range(players):
        board = int(rules.held_board(state, seat))
        name, tents = names[state["start"][board]], int(state["tents"][board])
        lines.append(
            f"Board in front of player_{seat}: {name}, Rift of player_{board}, {tents} of {TENTS_OF_BOARD} Tents"
        )
        lines += draw_board(state, data, board)
    if state["over"]:
        lines.append("Truncated." if state["truncated"] else "The game is over.")
    else:
        lines.append(f"player_{int(rules.to_act(state))} decides")
    return "\n".join(lines)
