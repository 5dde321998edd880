"""Board files: the format, every defect, and the command line."""

import dataclasses
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from riftvalley_env import env, generate_board, make_game, make_sb3_env, make_vec, parallel_env, raw_env, solo_env
from riftvalley_env.__main__ import main
from riftvalley_env.board import Board, BoardError, BoardWarning, board_from_text, load_board, shipped_boards
from riftvalley_env.board_file import MAX_FILE_BYTES

pytestmark = pytest.mark.plain

ROOT = Path(__file__).resolve().parents[2]

GOOD = """\
name: Test
kind: asymmetrical
source: original
notes: none

areas
AABBCC
AABBCC
DDEEFF
DDEEFF
GGHHII
GGHHII

squares
k.....
..t...
.rrr..
....w.
e.....
.....l
"""
HEADER_LINES, AREAS_LINE, SQUARES_LINE = 4, 6, 14


def defects(text: str) -> list[tuple[int | None, int | None, str, str]]:
    with pytest.raises(BoardError) as caught:
        board_from_text(text, "file.txt")
    assert len(caught.value.lines()) == len(caught.value.defects)
    for defect in caught.value.defects:
        assert defect.remedy
        assert defect.text("file.txt").startswith("file.txt:")
    return [(d.line, d.column, d.problem, d.remedy) for d in caught.value.defects]


def only(text: str) -> tuple[int | None, int | None, str, str]:
    found = defects(text)
    assert len(found) == 1, found
    return found[0]


def with_line(number: int, line: str | None) -> str:
    """The good file with another line at a number, or without it."""
    lines = GOOD.splitlines()
    lines[number - 1 : number] = [] if line is None else [line]
    return "\n".join(lines) + "\n"


def with_squares(rows: str) -> str:
    return GOOD[: GOOD.index("squares")] + "squares\n" + "\n".join(rows.split()) + "\n"


def with_areas(rows: str) -> str:
    return GOOD[: GOOD.index("areas")] + "areas\n" + "\n".join(rows.split()) + "\n\n" + GOOD[GOOD.index("squares") :]


def of_grids(text: str, change: Callable[[str, int], str]) -> str:
    """The text with each row of its grids changed, by the row and its number."""
    lines, number = [], 0
    for line in text.split("\n"):
        number = 0 if line in ("", "areas", "squares") else number + 1
        lines.append(change(line, number) if number and ":" not in line else line)
    return "\n".join(lines)


def spaced(text: str, blank: str) -> str:
    """The text with a blank between the letters of its grids."""
    return of_grids(text, lambda row, _: blank.join(row))


def numbered_rows(text: str) -> str:
    return of_grids(text, lambda row, number: f" {number}  {row}")


def test_a_good_file() -> None:
    board = board_from_text(GOOD)
    assert (board.name, board.kind, board.source, board.notes) == ("Test", "asymmetrical", "original", "none")
    assert (board.height, board.width) == (6, 6)
    assert board.areas[2] == "DDEEFF"
    assert board.squares[2] == ".rrr.."
    assert board_from_text(board.to_text()) == board
    assert pickle.loads(pickle.dumps(board)) == board


@pytest.mark.parametrize(
    "text",
    [
        GOOD.replace("\n", "\r\n"),
        "\ufeff" + GOOD,
        "# a comment\n\n" + GOOD,
        GOOD.replace("areas\n", "Areas:\n\n"),
        GOOD.replace("kind: ", "kind:"),
        "\n".join("  " + line for line in GOOD.splitlines()),
        GOOD.rstrip("\n"),
        GOOD.replace("k.....", "k.....   "),
        GOOD.replace("\n", "\r"),
        GOOD.replace("\n", "\r\n", 9),  # two kinds of line ends
        GOOD + " \t\n\n\n",
        spaced(GOOD, " "),
        spaced(GOOD, "\t"),
        spaced(GOOD, "\u3000"),
        spaced(GOOD, "\u00a0"),
        spaced(GOOD, "\u200b"),  # seen by nobody
        GOOD.replace("AABB", "aabb").replace("k..", "K..").replace("rrr", "RrR").replace("..t", "..T"),
        GOOD.replace("AABB", "\uff21\uff21\uff22\uff22").replace("k.....", "\uff4b\uff0e...."),
        GOOD.replace("name: Test", "Name\uff1a Test").replace("original", "Original").replace("kind: a", "KIND: A"),
        GOOD.replace(".....l", "\u2026..l"),  # an ellipsis is three dots
        numbered_rows(GOOD),
        GOOD.replace("areas\n", "areas\n123456\n").replace("squares\n", "squares:\n  1 2 3 4 5 6\n"),
    ],
)
def test_liberties(tmp_path: Path, text: str) -> None:
    path = tmp_path / "board.txt"
    path.write_bytes(text.encode())
    assert load_board(path) == load_board(str(path)) == board_from_text(GOOD)


# --- The form -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "line"), [("name", 1), ("kind", 2), ("source", 3), ("notes", 4)])
def test_missing_key(key: str, line: int) -> None:
    found = only(with_line(line, None))
    assert found[2] == f"the header has no {key}"
    assert f'"{key}: ' in found[3]


@pytest.mark.parametrize(
    ("line", "text", "problem", "remedy"),
    [
        (1, "name:", "name is empty", "give the board a name"),
        (2, "kind: equal", 'kind is "equal"', "write identical or asymmetrical"),
        (3, "source: mine", 'source is "mine"', "write original or transcribed"),
        (4, "nots: none", 'unknown key "nots"', 'write "notes"'),
        (4, "colour: red", 'unknown key "colour"', "the header has name, kind, source, notes"),
        (4, "name: again", "name is given twice", "the first is line 1"),
        (4, "no key", '"no key" is neither', '"areas"'),
    ],
)
def test_bad_header(line: int, text: str, problem: str, remedy: str) -> None:
    found = [d for d in defects(with_line(line, text)) if d[0] == line]
    assert len(found) == 1
    assert problem in found[0][2]
    assert remedy in found[0][3]


def test_missing_grids() -> None:
    assert "no grid of areas" in only(GOOD[: GOOD.index("areas")] + GOOD[GOOD.index("squares") :])[2]
    assert "no grid of squares" in only(GOOD[: GOOD.index("squares")])[2]
    assert "has no rows" in only(GOOD[: GOOD.index("squares")] + "squares\n")[2]
    assert {d[2] for d in defects("")} >= {"there is no grid of areas", "there is no grid of squares"}


def test_a_grid_given_twice() -> None:
    assert only(GOOD + "\nareas\nAA\n")[:3] == (22, 1, "a second grid of areas")


def test_unknown_letters() -> None:
    found = defects(GOOD.replace("..t...", "..-..x").replace("GGHHII\nGG", "GGHJII\nG."))
    assert [d[:3] for d in found] == [
        (11, 4, '"J" is no letter of the grid of areas'),
        (12, 2, '"." is no letter of the grid of areas'),
        (16, 3, '"-" is no letter of the grid of squares'),
        (16, 6, '"x" is no letter of the grid of squares'),
    ]
    assert found[2][3] == 'write "." for an empty square'
    assert "one of . k e l t w r" in found[3][3]
    assert "A to I" in found[0][3]


@pytest.mark.parametrize(
    ("sign", "name", "remedy"),
    [
        ("\u0410", "CYRILLIC CAPITAL LETTER A", "A"),
        ("\u0415", "CYRILLIC CAPITAL LETTER IE", "E"),
        ("\u0391", "GREEK CAPITAL LETTER ALPHA", "A"),
        ("\u0406", "CYRILLIC CAPITAL LETTER BYELORUSSIAN-UKRAINIAN I", "I"),
    ],
)
def test_letters_of_other_alphabets_are_named(sign: str, name: str, remedy: str) -> None:
    found = only(GOOD.replace("AABBCC\nAABBCC", f"AABBCC\nA{sign}BBCC"))
    assert found == (8, 2, f'"{sign}" ({name}) is no letter of the grid of areas', found[3])
    assert found[3] == f'write "{remedy}", the letter of the Latin alphabet'
    assert "LATIN" not in found[2]


def test_small_letters_of_other_alphabets_among_squares() -> None:
    for sign, letter in (("\u043a", "k"), ("\u0435", "e"), ("\u03ba", "k")):
        assert only(GOOD.replace("..t...", f"..{sign}..."))[3].startswith(f'write "{letter}"')
    for sign in "\u00b7\u2022\u2013-_0":
        assert only(GOOD.replace("..t...", f"..{sign}..."))[3] == 'write "." for an empty square'


def test_a_defect_that_is_repeated_is_one_line() -> None:
    with pytest.raises(BoardError) as caught:
        board_from_text(GOOD.replace(".", "x"), "file.txt")
    (defect,) = caught.value.defects
    assert len(defect.also) == GOOD.count(".") - 1 == 27
    (line,) = caught.value.lines()
    assert line.startswith(
        'file.txt:15:2: "x" is no letter of the grid of squares (also at 15:3, 15:4, 15:5, 15:6, 16:1'
    )
    assert " and 22 more places); " in line
    twice = GOOD.replace("DDEEFF\nDDEEFF", "DDEEF\nDDEEF")
    assert BoardError("f", pickle.loads(pickle.dumps(caught.value)).defects).lines() == [line.replace("file.txt", "f")]
    with pytest.raises(BoardError, match=r"9:6: the row has 5 squares, most rows have 6 \(also at 10:6\); make"):
        board_from_text(twice)


def test_ragged_rows() -> None:
    found = defects(GOOD.replace("..t...", "..t..").replace("....w.", "....w..."))
    assert [d[:2] for d in found] == [(16, 6), (18, 7)]
    assert "the row has 5 squares, most rows have 6" in found[0][2]
    assert "the row has 8 squares" in found[1][2]


def test_too_large() -> None:
    areas = "\n".join(["AAAAABBBBCCCC"] * 5 + ["DDDDDEEEEFFFF"] * 4 + ["GGGGGHHHHIIII"] * 4)
    squares = "\n".join(["............."] * 12 + ["rr..........."])
    found = defects(GOOD[: GOOD.index("areas")] + f"areas\n{areas}\nsquares\n{squares}\n")
    assert {(d[0], d[1]) for d in found} == {(7, 13), (19, 1), (21, 13), (33, 1)}
    assert all("at most 12" in d[3] for d in found)


def test_grids_of_different_sizes() -> None:
    found = only(GOOD.replace("\n.....l", ""))
    assert found[:2] == (15, 1)
    assert "5 rows of 6" in found[2]
    assert "6 rows of 6" in found[2]


def test_columns_of_defects_are_those_of_the_file() -> None:
    text = spaced(GOOD, " ").replace(". . t . . .", ". . x . . y").replace("D D E E F F", "1\tD D E E F")
    assert [d[:2] for d in defects(text)] == [(9, 1), (9, 12), (10, 1), (16, 5), (16, 11)]


def test_rows_numbered_wrongly() -> None:
    found = only(numbered_rows(GOOD).replace(" 3  .rrr..", " 4  .rrr.."))
    assert found[:2] == (17, 2)
    assert "this is row 3 of the grid of squares, and its number is 4" in found[2]
    assert defects(GOOD.replace("k.....", "9" * 5000 + " k....."))[0][0] == 15  # no number of a row


def test_digits_for_squares_are_no_numbers_of_columns() -> None:
    """Only 1 2 3 … above a grid are."""
    for row in ("000000", "111111", "1 2 3 4 5 7"):
        assert 15 in {d[0] for d in defects(GOOD.replace("k.....", row))}


def test_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_bytes(GOOD.encode().replace(b"none", b"n\xf6ne"))
    with pytest.raises(BoardError) as caught:
        load_board(path)
    (defect,) = caught.value.defects
    assert (defect.line, defect.column) == (4, 9)
    assert "0xf6 is not UTF-8" in defect.problem
    assert str(path) in str(caught.value)
    path.write_bytes(("\ufeff" + GOOD).replace("\n", "\r\n").encode().replace(b"none", b"n\xf6ne"))
    with pytest.raises(BoardError, match=":4:9: the byte 0xf6"):
        load_board(path)
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        path.write_bytes(GOOD.encode(encoding))
        with pytest.raises(BoardError, match=r"1 defect .*\n.*UTF-16.*save the file with encoding UTF-8"):
            load_board(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "none.txt", tmp_path, "", "identica", "a\0b"):
        with pytest.raises(BoardError):
            load_board(path)
    with pytest.raises(BoardError, match=f"{re.escape(str(tmp_path))}: it is a folder; name a board file in it"):
        load_board(tmp_path)
    with pytest.raises(BoardError, match='did you mean "identical"'):
        load_board("identica")
    (tmp_path / "large.txt").write_bytes(b"#" * (MAX_FILE_BYTES + 1))
    with pytest.raises(BoardError, match="too large"):
        load_board(tmp_path / "large.txt")
    with pytest.raises(TypeError, match="not int"):
        load_board(3)  # type: ignore[arg-type]


# --- The constraints ------------------------------------------------------------------------------------------------


def test_missing_area() -> None:
    found = only(with_areas("AABBCC AABBCC DDEEFF DDEEFF GGHHHH GGHHHH"))
    assert found[0] == 7
    assert found[2] == "there is no area I"


def test_area_in_two_parts() -> None:
    found = defects(with_areas("AABBCC AABBCC DDEEFF DDEEFF GGHHII GAHHII"))
    assert [d[:2] for d in found] == [(12, 2)]
    assert "1 of the 5 squares of area A are cut off" in found[0][2]
    diagonal = defects(with_areas("AABBCC AABBCC DDAEFF DDEEFF GGHHII GGHHII"))
    assert (9, 3) in [d[:2] for d in diagonal]  # diagonal neighbours do not join


@pytest.mark.parametrize(
    ("row", "place", "problem"),
    [
        ("......", (15, 1), "there is no Rift"),
        (".r....", (17, 2), "the Rift has one square"),
        (".rr.r.", (17, 5), "1 Rift squares are apart"),
    ],
)
def test_bad_rift(row: str, place: tuple[int, int], problem: str) -> None:
    found = only(GOOD.replace(".rrr..", row))
    assert found[:2] == place
    assert problem in found[2]


def test_rift_that_bends_or_is_wide() -> None:
    for rows in (".rr... .r....", ".rrr.. ...r..", ".rr... .rr..."):
        first, second = rows.split()
        found = only(GOOD.replace(".rrr..", first).replace("....w.", second))
        assert found[0] == 18
        assert "bends or is wider" in found[2]


def test_second_rift() -> None:
    assert "3 Rift squares are apart" in only(GOOD.replace(".....l", "..rrr."))[2]


def without_a_first_stop() -> str:
    """Each empty square is beside an animal, which matters in the first turn alone."""
    return with_squares("...... .k..e. .rrr.. ...... .l..k. ......").replace(".rrr..", ".rrrl.")


def test_no_place_for_a_first_stop() -> None:
    found = only(without_a_first_stop())
    assert found[:2] == (SQUARES_LINE + 1, 1)
    assert found[2:] == (
        "no square admits the first Stop of a game",
        "leave an empty square with no animal around it, in 8 directions",
    )
    # The published rule is about 8 directions: one animal less, and one square is free.
    board_from_text(without_a_first_stop().replace(".l..k.", ".....k"))
    assert "no square admits" in only(with_squares("tttttt tttttt trrttt tttttt tttttt tttttt"))[2]


def warned(text: str) -> list[tuple[int | None, int | None, str]]:
    warnings = board_from_text(text).warnings
    assert all(warning.remedy for warning in warnings)
    return [(one.line, one.column, one.problem) for one in warnings]


def test_no_warnings() -> None:
    assert warned(GOOD) == []
    for name in shipped_boards():
        assert load_board(name).warnings == ()


@pytest.mark.parametrize(
    ("squares", "bridged"),
    [
        ("k..... ..t... .rrr.. ..w.w. e..... .....l", True),  # at its left end and at its right one
        ("k..... .tt... .rrr.. ..w.w. e..... .....l", True),  # at its right end
        ("k..... .tt... .rrr.. ..www. e..... .....l", False),
        ("k..rr. ..t... ..t... ....w. e..... .....l", False),  # at the edge
        ("r..... r.t... rt.... ....w. e..... .....l", False),
        (".r.... .r.... ...... ....w. e..... .....l", True),
        ("tr.... tr.... ...... ....w. e..... .....l", False),
    ],
)
def test_a_rift_that_cannot_be_bridged(squares: str, bridged: bool) -> None:
    found = warned(with_squares(squares))
    assert (found == []) == bridged
    if not bridged:
        rows = squares.split()
        row = next(r for r in range(6) if "r" in rows[r])
        assert found == [(SQUARES_LINE + 1 + row, rows[row].index("r") + 1, "no Trail can bridge the Rift")]


@pytest.mark.parametrize(
    ("letters", "what"),
    [("t", ["trees"]), ("w", ["water"]), ("kel", ["animals"]), ("ktelw", ["trees", "water", "animals"])],
)
def test_a_transcribed_board_that_lacks_something(letters: str, what: list[str]) -> None:
    text = GOOD[: GOOD.index("squares\n")], GOOD[GOOD.index("squares\n") + 8 :]
    bare = text[0] + "squares\n" + "".join("." if letter in letters else letter for letter in text[1])
    transcribed = bare.replace("source: original", "source: transcribed")
    assert warned(bare) == []
    assert warned(transcribed) == [(15, 1, f"a transcribed asymmetrical board without {one}") for one in what]
    if set("tw") <= set(letters):  # trees and water are not for boards of kind identical
        assert warned(transcribed.replace("kind: asymmetrical", "kind: identical")) == []


def test_areas_of_one_square() -> None:
    nine = GOOD[: GOOD.index("areas")] + "areas\nABC\nDEF\nGHI\nsquares\nrrk\n...\nk..\n"
    board = board_from_text(nine)
    areas, bridge = board.warnings
    assert (areas.line, areas.column, areas.problem, len(areas.also)) == (7, 1, "an area of one square", 8)
    assert (bridge.line, bridge.problem) == (11, "no Trail can bridge the Rift")
    assert warned(with_areas("AABBCC AABBCC DDEEFF DDEEFF GGHHII GGHHHI")) == []
    assert [one[:2] for one in warned(with_areas("AABBCC AABBCC DDEEFF DDEEFF GGHHHI GGHHHH"))] == [(11, 6)]


def test_every_way_in_goes_through_the_check(tmp_path: Path) -> None:
    """Texts, files, boards made in Python, copies with other parts, and pickled ones."""
    bad = without_a_first_stop()
    (tmp_path / "bad.txt").write_text(bad)
    grid = bad.split("squares\n")[1].split()
    good = board_from_text(GOOD)
    pickled = pickle.dumps(good)
    was = b"..t..."
    assert was in pickled
    for make in (
        lambda: board_from_text(bad),
        lambda: load_board(tmp_path / "bad.txt"),
        lambda: make_game(boards=str(tmp_path / "bad.txt")),
        lambda: make_game(boards=["identical", tmp_path / "bad.txt"]),
        lambda: Board("Bad", good.kind, good.source, "", good.areas, tuple(grid)),
        lambda: dataclasses.replace(good, squares=tuple(grid)),
        lambda: pickle.loads(pickled.replace(was, b"..x...")),
    ):
        with pytest.raises(BoardError):
            make()


def test_making_a_game_warns_once(tmp_path: Path) -> None:
    text = with_squares("k..... .tt... .rrr.. ..www. e..... .....l")
    (tmp_path / "bad.txt").write_text(text)
    board = board_from_text(text)
    for boards in (board, str(tmp_path / "bad.txt"), [board, board], ["heron_marsh", board]):
        for make in (make_game, raw_env, env, parallel_env, solo_env, make_vec, make_sb3_env):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                make(boards=boards)
            (warning,) = [one for one in caught if one.category is BoardWarning]
            assert str(warning.message).startswith('board "Test": no Trail can bridge the Rift; leave empty squares')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_game(boards="identical")
        make_game()


def test_obstacles_on_an_identical_board() -> None:
    found = defects(GOOD.replace("asymmetrical", "identical"))
    assert [(d[0], d[1]) for d in found] == [(16, 3), (18, 5)]
    assert "tree on a board of kind identical" in found[0][2]
    assert "water" in found[1][2]


def test_trail_through_six_areas() -> None:
    rows = "ABCDEF ABCDEF ABCDEF GGGHHH GGGHHH IIIIII"
    found = defects(with_areas(rows))
    assert len(found) == 1
    assert "enters 7 areas" in found[0][2] or "enters 8 areas" in found[0][2]
    assert "5" in found[0][3]


def test_trail_through_six_areas_only_over_the_rift() -> None:
    """The owner may bridge it, which counts."""
    areas = "FABCDE FABCDE FABCDE FFGGHH FFGGHH IIIIII"
    text = with_areas(areas)
    text = text[: text.index("squares")] + "squares\n{}\n"
    rows = "..{}... tt{}ttt tttttt tttttt tttttt tttttt".replace(" ", "\n")
    assert "enters 6 areas" in only(text.format(rows.format("r", "r")))[2]
    board_from_text(text.format(rows.format("t", "r").replace("tttttt", "ttrttt", 1)))


def test_every_defect_at_once() -> None:
    """Defects of the header, of one grid's form, and of the other grid's constraints."""
    text = with_line(2, "kind: equal").replace("DDEEFF\nDDEEFF", "DDEEFF\nDDEJFF").replace(".rrr..", ".r.r..")
    assert [d[:2] for d in defects(text)] == [(2, 7), (10, 4), (17, 4)]


# --- Boards from Python ---------------------------------------------------------------------------------------------


def test_boards_made_in_python_are_checked() -> None:
    good = board_from_text(GOOD)
    parts: dict[str, Any] = {
        name: getattr(good, name) for name in ("name", "kind", "source", "notes", "areas", "squares")
    }
    assert Board(**parts) == good
    for wrong in (
        {"name": ""},
        {"kind": "x"},
        {"areas": good.areas[:-1]},
        {"squares": ("#.....", *good.squares[1:])},
        {"squares": ("", *good.squares)},
        {"notes": "two\nlines"},
        {"squares": ("......\n", *good.squares[1:])},
        {"squares": ("1 2 3 4 5 6", *good.squares)},
        {"squares": ("kind: identical", *good.squares)},
        {"squares": ("areas", *good.squares)},
    ):
        with pytest.raises(BoardError):
            Board(**{**parts, **wrong})
    with pytest.raises(TypeError):
        Board(**{**parts, "name": 3})
    liberal = {"squares": [" ".join(row).upper() for row in good.squares], "kind": "Asymmetrical", "name": " Test "}
    assert Board(**{**parts, **liberal}) == good


def test_digest_changes_with_the_grids_alone() -> None:
    good = board_from_text(GOOD)
    assert board_from_text(GOOD.replace("name: Test", "name: Other")).digest == good.digest
    assert board_from_text(GOOD.replace("..t...", "......")).digest != good.digest


# --- Shipped boards -------------------------------------------------------------------------------------------------


def test_shipped_boards() -> None:
    boards = {name: load_board(name) for name in shipped_boards()}
    assert shipped_boards("identical") == ("identical",)
    assert len(shipped_boards("asymmetrical")) == 5
    assert len({board.digest for board in boards.values()}) == len({board.name for board in boards.values()}) == 6
    for name, board in boards.items():
        assert board.source == "original"
        letters = "".join(board.squares)
        if board.kind == "asymmetrical":
            assert "t" in letters, name
            assert "w" in letters, name
            assert board.height * board.width > 49
        assert {"k", "e", "l"} <= set(letters)


# --- The command line -----------------------------------------------------------------------------------------------


def test_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "board.txt"
    path.write_text(GOOD)
    assert main(["board", "check", str(path)]) == 0
    assert "no defects (board Test, digest " in capsys.readouterr().out
    path.write_text(GOOD.replace("..t...", "..x...").replace("kind: asy", "kind: a"))
    assert main(["board", "check", str(path)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert [line.removeprefix(str(path)).split(": ")[0] for line in captured.err.splitlines()] == [":2:7", ":16:3"]


def test_check_shows_warnings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "board.txt"
    path.write_text(
        "# Mine\n" + with_squares("k..... .tt... .rrr.. ..www. e..... .....l").replace("original", "transcribed")
    )
    assert main(["board", "check", str(path)]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    first, last = captured.out.splitlines()
    assert first.startswith(f"warning: {path}:18:2: no Trail can bridge the Rift; leave")
    assert last.startswith(f"{path}: no defects, 1 warning (board Test, digest ")


def test_files_that_the_commands_cannot_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "latin.txt").write_bytes(GOOD.encode().replace(b"none", b"n\xf6ne"))
    (tmp_path / "utf16.txt").write_bytes(GOOD.encode("utf-16"))
    (tmp_path / "empty.txt").write_bytes(b"")
    for command in ("check", "show"):
        for name, lines in (("", 1), ("no.txt", 1), ("latin.txt", 1), ("utf16.txt", 1), ("empty.txt", 6)):
            assert main(["board", command, str(tmp_path / name)]) == 1
            captured = capsys.readouterr()
            assert captured.out == ""
            assert len(captured.err.splitlines()) == lines


SHOWN = [
    *shipped_boards(),
    *[(rows, columns) for rows in (5, 9, 10, 12) for columns in (5, 9, 10, 12)],
]


@pytest.mark.parametrize("which", SHOWN, ids=str)
def test_what_is_shown_is_a_board_file(
    which: str | tuple[int, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows and columns are numbered as in the names of actions; pasted into a file, it is the same board."""
    board = load_board(which) if isinstance(which, str) else generate_board(2, *which)
    path = tmp_path / "board.txt"
    path.write_text(board.to_text())
    assert main(["board", "show", str(path)]) == 0
    out = capsys.readouterr().out
    assert board_from_text(out) == board
    assert board_from_text(out.replace("\n", "\r\n")) == board
    assert max(map(len, out.splitlines()[5:6])) <= 80
    squares = out.split("\nsquares\n")[1].splitlines()
    columns = squares[0].split()
    assert columns == [str(column) for column in range(1, board.width + 1)]
    for number, line in enumerate(squares[1:], start=1):
        assert int(line.split()[0]) == number
        for column in range(board.width):  # each square stands below the number of its column
            at = squares[0].index(f" {column + 1}") + 1
            assert line[at] == board.squares[number - 1][column]


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "show", "heron_marsh"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# Heron Marsh: 9 x 9 squares, digest ")
    assert "6 kob, 2 elephant, 2 lion" in out


def test_template(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "template"]) == 0
    text = capsys.readouterr().out
    assert text.isascii()
    found = defects(text)
    assert [d[2] for d in found] == ["name is empty", "there is no Rift"]
    filled = text.replace("name:\n", "name: Mine\n").replace("squares\n.........", "squares\nrr.......")
    assert board_from_text(filled).source == "transcribed"


def test_generate(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "generate", "--seed", "4", "--rows", "8", "--rift-length", "2"]) == 0
    board = board_from_text(capsys.readouterr().out)
    assert (board.height, board.width) == (8, 9)
    assert main(["board", "generate", "--seed", "4", "--rows", "40"]) == 2
    assert "rows=40 must be from 5 to 12" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["board"], ["board", "check"], ["board", "generate"], ["cards"]])
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_the_command_line_compiles_nothing() -> None:
    script = "import sys; from riftvalley_env.__main__ import main; sys.exit(main(['board', 'show', 'identical']))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert "compiling" not in result.stderr
