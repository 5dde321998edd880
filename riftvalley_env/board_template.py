"""A board file to fill in, with the format in its comments."""

from riftvalley_env.vocabulary import MAX_AREAS_OF_TRAIL, MAX_SIDE, MIN_RIFT, SQUARE_LETTERS

TEXT = """\
# A board to fill in: type in a board of your copy of the game, or one of your own, then run
#
#     python -m riftvalley_env board check FILE
#
# The check tells every defect with its line and column. Lines that begin with # are comments; blank lines count for
# nothing. Save the file with encoding UTF-8.
#
# kind: identical (no trees, no water) or asymmetrical. source: transcribed (from the published game) or original.
#
# Both grids have a line for each row and a letter for each square: at most {side} rows of {side}.
# areas: the nine regions with thick borders, A to I, each in one piece.
# squares: {letters}.
# The Rift is one straight strip, {rift} squares or longer. No Trail may be able to enter more than {most} areas.

name:
kind: asymmetrical
source: transcribed
notes:

areas
AAABBBCCC
AAABBBCCC
AAABBBCCC
DDDEEEFFF
DDDEEEFFF
DDDEEEFFF
GGGHHHIII
GGGHHHIII
GGGHHHIII

squares
.........
.........
.........
.........
.........
.........
.........
.........
.........
"""


def template() -> str:
    """The text of the file, in ASCII; the check reports the empty name and the missing Rift."""
    letters = ", ".join(f"{letter} {square.name.lower()}" for letter, square in SQUARE_LETTERS.items())
    return TEXT.format(side=MAX_SIDE, letters=letters, rift=MIN_RIFT, most=MAX_AREAS_OF_TRAIL)
