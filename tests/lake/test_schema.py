from __future__ import annotations

from typing import Any

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from stationmaster.events.model import FIELDS, Event
from stationmaster.lake.schema import SCHEMA, event_id, to_table
from tests.support.builders import an_event


def test_every_field_of_an_event_has_a_column_in_order() -> None:
    assert SCHEMA.names == ["event_id_hi", "event_id_lo", *FIELDS[1:]]
    assert SCHEMA.field("ts").type == pa.int64()
    assert SCHEMA.field("source_rank").type == pa.int8()
    assert SCHEMA.field("is_subagent").type == pa.bool_()
    assert SCHEMA.field("success").type == pa.bool_()
    assert SCHEMA.field("cost_usd").type == pa.float64()
    assert SCHEMA.field("kind").type == pa.string()
    assert SCHEMA.field("model_tier").type == pa.string()


def test_no_events_make_an_empty_table() -> None:
    assert to_table([]).schema == SCHEMA
    assert to_table([]).num_rows == 0


def test_more_events_than_one_chunk_keep_their_order() -> None:
    events = [an_event(ts=n) for n in range(2_500)]
    assert to_table(events)["ts"].to_pylist() == list(range(2_500))


@pytest.mark.parametrize(
    "digits",
    [
        "0" * 32,
        "f" * 32,
        "8" + "0" * 31,
        "7fffffffffffffff8000000000000000",
        "0123456789abcdef" * 2,
    ],
)
def test_an_event_id_comes_back_from_its_two_columns(digits: str) -> None:
    row = to_table([an_event(event_id=digits)]).to_pylist()[0]
    assert event_id(row["event_id_hi"], row["event_id_lo"]) == digits


def test_halves_of_an_event_id_are_signed_big_endian_integers() -> None:
    row = to_table([an_event(event_id="ffffffffffffffff0000000000000001")]).to_pylist()[0]
    assert (row["event_id_hi"], row["event_id_lo"]) == (-1, 1)


def test_an_event_id_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="32 hex digits"):
        to_table([an_event(event_id="00" * 8)])


def test_a_number_beyond_64_bits_is_refused() -> None:
    with pytest.raises((OverflowError, pa.ArrowException)):
        to_table([an_event(input_tokens=2**63)])


_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_VALUES: dict[Any, st.SearchStrategy[Any]] = {
    str | None: st.none() | _TEXT,
    int | None: st.none() | st.integers(-(2**63), 2**63 - 1),
    bool | None: st.none() | st.booleans(),
    float | None: st.none() | st.floats(allow_nan=False),
}
_OPTIONAL = {
    field.name: _VALUES[field.type]
    for field in msgspec.structs.fields(Event)
    if field.type in _VALUES
}


@given(st.lists(st.fixed_dictionaries({}, optional=_OPTIONAL), max_size=5))
def test_every_value_comes_back_as_it_was(rows: list[dict[str, Any]]) -> None:
    events = [an_event(**row) for row in rows]
    back = to_table(events).to_pylist()
    assert [{name: row[name] for name in FIELDS if name != "event_id"} for row in back] == [
        {name: getattr(event, name) for name in FIELDS if name != "event_id"} for event in events
    ]
