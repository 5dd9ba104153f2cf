"""Tables that Diesel's command line writes."""

from __future__ import annotations

import pytest

from stationmaster.reading.code.schemas import diesel

USERS = "diesel::table! {\n    users (id) {\n        id -> Integer,\n    }\n}\n"


@pytest.mark.parametrize("text", ["", "pub struct Schema;\n", "table! of what\n"])
def test_a_file_of_that_name_without_tables_has_none(text: str) -> None:
    assert diesel.read(text) == ()


def test_each_table_begins_at_its_line() -> None:
    tables = diesel.read("// made\n" + USERS + "\n" + USERS.replace("users", "pets"))
    assert [(table.name, table.line) for table in tables] == [("users", 3), ("pets", 9)]
