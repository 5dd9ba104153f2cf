"""Tables: at every width of a window and in a pipe, whatever is in their cells."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest

from stationmaster.cli.printing import table
from stationmaster.cli.printing.table import Column
from tests.support import sessions
from tests.support.commands import command, succeed
from tests.support.processes import PROGRAM

COMMANDS = [
    ("analytics", "tokens"),
    ("analytics", "tools"),
    ("analytics", "activity"),
    ("analytics", "productivity"),
    ("analytics", "users"),
    ("analytics", "tokens", "--group-by", "user"),
    ("costs", "--group-by", "model"),
    ("coverage",),
    ("doctor",),
    ("limits", "list"),
    ("keys", "list"),
    ("members", "list"),
]


@pytest.fixture
def fed(made: dict[str, str], tmp_path: Path) -> dict[str, str]:
    sessions.a_session(tmp_path / "home")
    succeed("collect", "--home", tmp_path / "home", "--data-dir", made["data"])
    return made


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_no_line_of_a_command_is_wider_than_the_window(
    fed: dict[str, str], arguments: tuple[str, ...]
) -> None:
    wide = ("--wide",) if arguments != ("doctor",) else ()
    for width in (80, 100, 160):
        for more in ((), wide):
            env = {"COLUMNS": str(width)}
            done = command(*arguments, *more, "--data-dir", fed["data"], env=env)
            lines = done.stdout.decode().splitlines()
            assert done.code == 0
            assert max(map(len, lines)) <= width


def test_people_are_shown_by_their_address_and_not_by_an_id(fed: dict[str, str]) -> None:
    for arguments in COMMANDS:
        shown = command(*arguments, "--data-dir", fed["data"]).stdout.decode()
        assert "user_" not in shown


def test_a_terminal_gets_the_layout_of_its_width(fed: dict[str, str]) -> None:
    main, terminal = pty.openpty()
    try:
        subprocess.run(
            [*PROGRAM, "costs", "--data-dir", fed["data"]],
            stdout=terminal,
            env={**os.environ, "COLUMNS": "80"},
            check=True,
        )
        shown = os.read(main, 65536).decode()
    finally:
        os.close(main)
        os.close(terminal)

    assert "\x1b[1m" in shown
    assert "$0.0002" in shown


def lines(*arguments: object, width: int | None = None) -> list[str]:
    columns, rows = arguments
    return table.layout(columns, rows, width=width).lines  # type: ignore[arg-type]  # cells of any type


def test_numbers_stand_right_with_separators() -> None:
    shown = lines([Column("model"), Column("credits")], [["a", 1234567], ["bb", 5], ["c", None]])

    assert shown == ["model    credits", "a      1,234,567", "bb             5", "c"]


def test_text_wraps_before_numbers_are_touched() -> None:
    words = "one two three four five six"
    shown = lines([Column("what"), Column("n")], [[words, 1000]], width=25)

    assert shown == ["what                    n", "one two three four  1,000", "five six"]


def test_a_row_that_fits_no_window_becomes_a_block() -> None:
    columns = [Column(f"figure {n}") for n in range(9)]

    shown = lines(columns, [[10**9] * 9, [None] + [1] * 8], width=40)

    assert shown[:2] == ["figure 0  1,000,000,000", "figure 1  1,000,000,000"]
    assert shown[9:11] == ["", "figure 1  1"]
    assert len(shown) == 9 + 1 + 8


def test_a_cell_cannot_speak_to_the_terminal() -> None:
    [_, row] = lines([Column("name")], [["a\x1b[31mb\u202ec\nd\x9b"]])

    assert row == "a\\u001b[31mb\\u202ec d\\u009b"


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("1234.5", "$1,234.5000"),
        ("-0.5", "-$0.5000"),
        ("0.00000001", "<$0.0001"),
        ("0", "$0.0000"),
        (None, "unknown"),
    ],
)
def test_dollars_are_marked(amount: str | None, text: str) -> None:
    assert table.dollars_text(amount) == text


def test_a_text_of_columns_names_members_titles_and_kinds() -> None:
    columns = table.columns("name, at: seen (moment wide), kind: , cost: $ (dollars)")

    assert [(member, column.title) for member, column in columns.items()] == [
        *(("name", "name"), ("at", "seen"), ("kind", ""), ("cost", "$")),
    ]
    assert [column.is_wide for column in columns.values()] == [False, True, False, False]
    assert table.layout([*columns.values()], [["a", 0, "b", None]], width=None).lines[
        1
    ].split() == [
        *("a", "b", "unknown"),
    ]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("name", "a"),
        ("missing", None),
        ("usage.calls", 0),
        ("usage.calls.more", None),
        ("parts.id", ["x", None]),
        ("none|empty|name", "a"),
        ("none|usage.calls|name", 0),
        ("none|empty|'all'", "all"),
        ("empty", []),
    ],
)
def test_a_path_names_what_a_row_holds(path: str, value: object) -> None:
    row = {"name": "a", "usage": {"calls": 0}, "parts": [{"id": "x"}, {}], "none": None}

    assert table.value_of({**row, "empty": []}, path) == value
