"""Rows made of whole columns have the bytes of rows that are encoded one at a time."""

from __future__ import annotations

import msgspec
import pyarrow as pa

from stationmaster.analytics.formats import json_columns

_VALUES: dict[str, list[object]] = {
    "text": ["", 'a "quoted" \\ name\n', "Zoë 🚂\u2028", None, ",{}[]\x00\x7f", "plain"],
    "count": [0, -1, 2**63 - 1, None, 10, 7],
    "share": [0.0, 1.0, 0.0001, None, 1e22, 12345.6789],
    "name": ["", "Zoë 🚂\u2028\x7f", None, ",{}[]/", "plain", "'"],
    "ratio": [0.0, 1.0, 0.0001, None, 999999999.9999, -12345.5],
    "flag": [True, False, None, True, True, False],
}


def test_objects_are_those_of_single_rows() -> None:
    columns = {name: pa.chunked_array([pa.array(values)]) for name, values in _VALUES.items()}
    texts = {name: json_columns.values(column) for name, column in columns.items()}
    rows = [dict(zip(_VALUES, row, strict=True)) for row in zip(*_VALUES.values(), strict=True)]

    assert json_columns.objects(texts).to_pylist() == [
        msgspec.json.encode(r).decode() for r in rows
    ]


def test_rows_are_cut_into_runs_without_a_comma_at_an_end() -> None:
    rows = json_columns.values(pa.array(["é", "b", "c"]))

    assert [*json_columns.bodies(rows, [0, 2, 0, 1])] == [b"", '"é","b"'.encode(), b"", b'"c"']
    assert [*json_columns.bodies(rows.slice(1), [2])] == [b'"b","c"']
    assert [*json_columns.bodies(rows.slice(3), [0])] == [b""]


def test_lists_hold_so_many_values_each() -> None:
    values = json_columns.values(pa.array([1, 2, 3]))

    assert json_columns.lists(values, pa.array([2, 0, 1])).to_pylist() == ["[1,2]", "[]", "[3]"]
