from __future__ import annotations

from hypothesis import given, settings, strategies as st

from stationmaster.analytics.formats.bodies import PART_BYTES, Bodies, parts_of

ROW = b'{"date":"2026-07-01","calls":1}'
ROWS = st.sampled_from([b"", ROW, b",".join([ROW] * 3), b",".join([ROW] * 30_000)])


@settings(max_examples=25)
@given(st.lists(ROWS, max_size=6))
def test_what_is_kept_is_what_was_given_together_and_one_by_one(documents: list[bytes]) -> None:
    kept = Bodies(documents)

    assert kept.read() == documents
    joined = b",".join(filter(None, documents))
    assert b"".join(kept.parts()) == b"".join(parts_of(documents)) == joined


def test_a_large_answer_takes_a_part_of_its_size_and_comes_in_parts() -> None:
    documents = [b"", b",".join([ROW] * 40_000), b"{}"]

    kept = Bodies(documents)

    assert kept.is_large
    assert kept.nbytes < len(documents[1]) / 5
    assert max(map(len, kept.parts())) == PART_BYTES
    # What was sent does not go: the next one is sent the same.
    assert [*kept.parts()] == [*kept.parts()]


def test_a_small_answer_is_one_part() -> None:
    assert [*Bodies([ROW, b"", ROW]).parts()] == [ROW + b"," + ROW]
    assert not Bodies([]).is_large
    assert [*Bodies([]).parts()] == [b""]
