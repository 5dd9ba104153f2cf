"""What nobody reported is a dash with its reason, never a zero."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import httpx

from stationmaster import clock, days
from tests.aggregate.lakes import event, rolled_up
from tests.support.builders import a_key, a_member
from tests.web.conftest import Office


def silent(office: Office) -> str:
    """Yesterday an agent that reports no tokens made a commit; the text of an owner's key."""
    db, settings = office.server.services.db, office.server.settings
    ada = a_member(db, office.org, "ada@example.com", "owner")
    day = clock.today() - timedelta(days=1)
    of: dict[str, Any] = {
        "product": "cursor",
        "user_id": ada.user_id,
        "user_email": "ada@example.com",
        "ts": days.start_ms(day),
    }
    events = [event("git_commit", **of), event("tool_call", tool_raw="Shell", **of)]
    rolled_up(db, settings, office.org, events, day)
    return a_key(db, office.org, ada)


def rows(visitor: httpx.Client, address: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(visitor.get(address).text)))


def test_an_agent_without_reported_calls_has_no_dollars(office: Office, owner: str) -> None:
    key = silent(office)
    day = f"{clock.today() - timedelta(days=1)}"
    asked = {"startDate": day, "endDate": day, "group_by": "agent"}
    with office.server.client(key) as client:
        [row] = client.get("/api/platform/v1/analytics/spend", params=asked).json()["data"]
    with office.visitor(owner) as visitor:
        [agent] = rows(visitor, "/spend?csv=by-agent")
        [person] = [each for each in rows(visitor, "/people?csv=people") if "ada" in each["Person"]]
        page = visitor.get("/spend").text

    assert (row["git_commits"], row["cost_usd"], row["cost_per_commit"]) == (1, None, None)
    assert row["credits_per_commit"] is None
    assert (agent["Agent"], agent["Dollars"], agent["Credits"]) == ("cursor", "", "")
    assert (person["Dollars"], person["Credits"]) == ("", "")
    assert "Cursor reports no tokens here" in page


def test_a_day_without_prompts_has_no_calls_a_prompt(office: Office, owner: str) -> None:
    silent(office)
    with office.visitor(owner) as visitor:
        turns = rows(visitor, "/use?csv=turns")

    assert {(each["mean"], each["median"]) for each in turns} == {("", "")}


def test_an_agent_has_one_name_on_all_pages(office: Office, owner: str) -> None:
    silent(office)
    with office.visitor(owner) as visitor:
        pages = [visitor.get(path).text for path in ("/", "/spend", "/output", "/people")]

    for page in pages:
        assert "Cursor" in page
        assert ">cursor<" not in page
