"""Board files: the format, every defect, and the command line."""

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from riftvalley_env.__main__ import main
from riftvalley_env.board import Board, BoardError, board_from_text, load_board, shipped_boards
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
    found = defects(GOOD.replace("..t...", "..T..x").replace("GGHHII\nGG", "GGHJII\ng."))
    assert [d[:3] for d in found] == [
        (11, 4, '"J" is no letter of the grid of areas'),
        (12, 1, '"g" is no letter of the grid of areas'),
        (12, 2, '"." is no letter of the grid of areas'),
        (16, 3, '"T" is no letter of the grid of squares'),
        (16, 6, '"x" is no letter of the grid of squares'),
    ]
    assert found[1][3] == 'write "G"'
    assert found[3][3] == 'write "t"'
    assert "one of . k e l t w r" in found[4][3]
    assert "A to I" in found[0][3]


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


def test_not_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_bytes(GOOD.encode().replace(b"none", b"n\xf6ne"))
    with pytest.raises(BoardError) as caught:
        load_board(path)
    (defect,) = caught.value.defects
    assert (defect.line, defect.column) == (4, 9)
    assert "0xf6 is not UTF-8" in defect.problem
    assert str(path) in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "none.txt", tmp_path, "", "identica", "a\0b"):
        with pytest.raises(BoardError):
            load_board(path)
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
    ):
        with pytest.raises(BoardError):
            Board(**{**parts, **wrong})
    with pytest.raises(TypeError):
        Board(**{**parts, "name": 3})


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


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "show", "heron_marsh"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Heron Marsh (asymmetrical, original, 9 x 9, digest ")
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
