"""Identifiers: random, sorted by time, or derived."""

from __future__ import annotations

import re
import threading
import uuid
from datetime import UTC, datetime, timedelta

from stationmaster import clock, ids
from stationmaster.ids import OrgId

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
NOW_MS = 1_795_262_400_000


def test_a_fresh_identifier_has_80_random_bits_behind_its_prefix() -> None:
    made = {ids.new("req") for _ in range(1000)}
    assert len(made) == 1000
    assert all(re.fullmatch("req_[a-z2-7]{16}", text) for text in made)


def test_a_sortable_identifier_begins_with_its_millisecond() -> None:
    clock.freeze(NOW)
    assert re.fullmatch(rf"aud_{NOW_MS:012x}[0-9a-f]{{12}}", ids.new_sortable("aud"))


def test_sortable_identifiers_sort_as_they_were_made() -> None:
    made = []
    for second in range(3):
        clock.freeze(NOW + timedelta(seconds=second))
        made += [ids.new_sortable("aud") for _ in range(100)]
    assert made == sorted(made)


def test_sortable_identifiers_of_threads_differ() -> None:
    clock.freeze(NOW)
    made: list[str] = []
    threads = [
        threading.Thread(target=lambda: made.extend(ids.new_sortable("aud") for _ in range(500)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 2000


def test_a_uuid_is_of_version_7_and_begins_with_its_millisecond() -> None:
    clock.freeze(NOW)
    made = [uuid.UUID(ids.new_uuid()) for _ in range(200)]
    assert len(set(made)) == 200
    assert {each.int >> 80 for each in made} == {NOW_MS}
    assert {(each.version, each.variant) for each in made} == {(7, uuid.RFC_4122)}


def test_uuids_of_later_milliseconds_are_later_in_text() -> None:
    made = []
    for milliseconds in range(50):
        clock.freeze(NOW + timedelta(milliseconds=milliseconds))
        made.append(ids.new_uuid())
    assert made == sorted(made)


def test_a_user_follows_from_the_address_and_the_organization() -> None:
    ours, theirs = OrgId("org_a"), OrgId("org_b")
    ada = ids.user_of_email(ours, "ada@example.com")
    assert ada == ids.user_of_email(ours, " Ada@Example.com ")
    assert ada != ids.user_of_email(theirs, "ada@example.com")
    assert re.fullmatch("user_[a-z2-7]{16}", ada)


def test_parts_of_a_derived_identifier_do_not_run_into_one_another() -> None:
    org = OrgId("org_a")
    assert ids.user_of_installation(org, "ab", "c") != ids.user_of_installation(org, "a", "bc")
    assert ids.repository_of_url(org, "x") != ids.repository_of_url(OrgId("org_"), "ax")
