"""Who sends what: told once a batch, bounded whatever is sent."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from stationmaster.lake import senders
from stationmaster.lake.rows import Delivery, Sender
from tests.lake.installation import NOON, Installation
from tests.support.builders import an_event

FRIDAY = NOON[date(2026, 11, 20)]
THURSDAY = NOON[date(2026, 11, 19)]
LAPTOP = Sender("user_ada", "machine_laptop")


def sent(place: Installation, *events: Any, machine: str = "", **drops: int) -> None:
    """Deliver events of ada's, and dropped OTLP records of Claude Code by reason."""
    tally = {("claude-code", "otlp_logs", reason): count for reason, count in drops.items()}
    place.fill(Delivery("org_a", list(events), tally, Sender("user_ada", machine)))
    place.mover().drain()


def an_event_of(user: str = "user_ada", **fields: Any) -> Any:
    return an_event(user_id=user, **fields)


def stored(place: Installation, columns: str) -> list[tuple[Any, ...]]:
    return sorted(place.state.rows(f"SELECT {columns} FROM senders WHERE org_id = ?", "org_a"))


def test_batches_add_up_and_times_are_those_of_the_events(place: Installation) -> None:
    sent(place, an_event_of(ts=FRIDAY, product_version="2.0"), an_event_of(ts=FRIDAY + 5))
    sent(place, an_event_of(ts=THURSDAY, product_version="1.9"), machine="machine_laptop")
    sent(place, an_event_of(ts=THURSDAY, product_version="1.9"))

    assert stored(place, "machine, product, source, version, first_at, last_at, events") == [
        ("machine_laptop", "claude-code", "otlp_logs", "1.9", THURSDAY, THURSDAY, 1),
        # The newest data says which version runs.
        (senders.UNNAMED, "claude-code", "otlp_logs", "2.0", THURSDAY, FRIDAY + 5, 3),
    ]


def test_an_installation_id_names_a_machine_without_being_stored(place: Installation) -> None:
    for org in ("org_a", "org_b"):
        place.fill(Delivery(org, [an_event_of(installation="abc")], {}))
    place.mover().drain()

    machines = {machine for (machine,) in place.state.rows("SELECT machine FROM senders")}
    assert len(machines) == 2  # It follows nobody into another organization.
    assert all(machine.startswith("machine_") and "abc" not in machine for machine in machines)


def test_unknown_records_are_those_of_the_newest_version(place: Installation) -> None:
    sent(place, an_event_of(product_version="1.0", ts=THURSDAY), redundant=3)
    sent(place, an_event_of(product_version="1.1", ts=FRIDAY), unknown_record=4, invalid=2)
    columns = "version, version_at, unknown, unknown_before, refused"
    assert stored(place, columns) == [("1.1", FRIDAY, 4, 0, 2)]

    sent(place, an_event_of(product_version="1.0", ts=THURSDAY))  # A late one changes nothing.
    sent(place, an_event_of(product_version="1.2", ts=FRIDAY + 1))
    assert stored(place, columns) == [("1.2", FRIDAY + 1, 0, 4, 2)]


def test_refused_records_are_no_data(place: Installation) -> None:
    columns = "first_at, last_at, events, refused, version"
    sent(place, invalid=1)
    sent(place, an_event_of(ts=THURSDAY, product_version="1.0"))
    assert stored(place, columns) == [(THURSDAY, THURSDAY, 1, 1, "1.0")]
    sent(place, invalid=1)
    assert stored(place, columns) == [(THURSDAY, THURSDAY, 1, 2, "1.0")]


def test_records_that_nobody_else_sent_are_their_senders(place: Installation) -> None:
    place.fill(
        Delivery(
            "org_a",
            [an_event_of("user_ben"), an_event_of("user_cy")],
            {("claude-code", "otlp_logs", "unknown_record"): 1},
            LAPTOP,
        ),
        Delivery("org_a", [], {("codex", "otlp_logs", "invalid"): 2}, LAPTOP),
    )
    place.mover().drain()

    assert stored(place, "user_id, machine, product, events, unknown, refused") == [
        ("user_ada", "machine_laptop", "claude-code", 0, 1, 0),
        ("user_ada", "machine_laptop", "codex", 0, 0, 2),
        ("user_ben", "machine_laptop", "claude-code", 1, 0, 0),
        ("user_cy", "machine_laptop", "claude-code", 1, 0, 0),
    ]


def test_machines_and_agents_that_somebody_invents_share_a_row(
    place: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(senders, "ROWS_OF_USER_MAX", 3)
    sent(place, *(an_event_of(installation=f"i{n}") for n in range(10)))
    sent(place, *(an_event_of(installation=f"j{n}", product=f"p{n}") for n in range(10)))
    sent(place, an_event_of("user_ben"))

    rows = stored(place, "user_id, machine, product, events")
    assert [row for row in rows if row[1] == senders.OTHERS] == [
        ("user_ada", senders.OTHERS, "claude-code", 7),
        ("user_ada", senders.OTHERS, senders.OTHERS, 10),
    ]
    assert len(rows) == 3 + 2 + 1
    sent(place, an_event_of(installation="i0"))  # Who has a row keeps it.
    assert sum(row[3] for row in stored(place, "user_id, machine, product, events")) == 22


def test_users_that_somebody_invents_share_a_row(
    place: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(senders, "ROWS_OF_ORG_MAX", 2)
    sent(place, *(an_event_of(f"user_{n}") for n in range(6)))

    assert [row[:3] for row in stored(place, "user_id, machine, events")] == [
        (senders.OTHERS, senders.OTHERS, 4),
        ("user_0", senders.UNNAMED, 1),
        ("user_1", senders.UNNAMED, 1),
    ]
