"""What each privacy mode shows of people, in rows, their order, pages, tags and exports."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stationmaster import clock
from stationmaster.access import privacy as policies
from stationmaster.access.authenticate import authenticate
from stationmaster.access.model import Caller, PrivacyMode
from stationmaster.analytics import reports
from stationmaster.analytics.days.breakdowns import REST
from stationmaster.analytics.formats import export
from stationmaster.analytics.model import AnswerDocuments, DayRange, Question
from stationmaster.analytics.privacy import judged
from stationmaster.analytics.spending import costs
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Forbidden
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.limits import service as limits
from stationmaster.limits.model import period_of
from stationmaster.people import reads as people, service as merging
from stationmaster.pricing.credits import rates
from tests.aggregate.lakes import DAY, event, rolled_up, settings
from tests.support.builders import (
    a_caller,
    a_key,
    a_member,
    a_service_account,
    an_organization,
    audited,
)

TEAMS = {"ada": "Red", "ben": "Red", "cid": "Red", "dan": "Blue", "eve": "Blue", "fay": None}


@pytest.fixture(autouse=True)
def _now() -> None:
    clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))


@dataclass
class House:
    """A day of six people of two teams and of none, and of a program."""

    db: Database
    org: OrgId
    boss: Caller
    ids: dict[str, str]

    def set(self, mode: PrivacyMode, minimum: int = 2) -> None:
        policies.put(self.db, self.org, mode, minimum, by=self.boss)

    def question(self, report: str, **more: Any) -> Question:
        return Question(self.org, report, DayRange(DAY, DAY), **more)  # type: ignore[arg-type] # A report.

    def found(self, report: str, **more: Any) -> AnswerDocuments:
        return reports.find(self.db, judged(self.db, self.question(report, **more)))

    def rows(self, report: str, **more: Any) -> list[dict[str, Any]]:
        body = b"".join(reports.envelope(self.db, self.found(report, **more)))
        return list(msgspec.json.decode(body)["data"])

    def by_user(self) -> list[dict[str, Any]]:
        [row] = self.rows("tokens")
        return list(row["by_user"])


@pytest.fixture
def house(db: Database, tmp_path: Path) -> House:
    org = an_organization(db)
    boss = a_caller(db, org, a_member(db, org, "boss@example.com", "owner"))
    ids = {name: a_member(db, org, f"{name}@example.com").user_id for name in TEAMS}
    ids["robot"] = a_service_account(db, org).service_account_id
    rolled_up(db, settings(tmp_path), org, [_call(n, name, ids) for n, name in enumerate(ids)])
    return House(db, org, boss, dict(ids))


def _call(number: int, name: str, ids: Any) -> Event:
    return event(
        "model_call",
        user_id=ids[name],
        user_source="key" if name == "robot" else "email",
        user_email=None if name == "robot" else f"{name}@example.com",
        root_session_id=f"s-{name}",
        model="claude-opus-4-5",
        input_tokens=1000 * (number + 1),
        team=TEAMS.get(name),
        product="codex" if name == "ada" else "claude-code",
    )


def test_by_name_is_what_is_stored(house: House) -> None:
    assert {row["user_id"] for row in house.rows("users")} == set(house.ids.values())
    assert house.found("users").question.policy == policies.NAMED


def test_pseudonyms_are_the_same_everywhere_and_nobodys_name(house: House) -> None:
    house.set("pseudonymous")

    users, by_user = house.rows("users"), house.by_user()

    shown = [row["user_id"] for row in users]
    assert shown == sorted(shown)
    assert set(shown) == {row["user_id"] for row in by_user}
    assert {each for each in shown if not each.startswith("anon_")} == {house.ids["robot"]}
    assert {row["user_email"] for row in [*users, *by_user]} == {None}
    house.set("off")
    house.set("pseudonymous")
    assert [row["user_id"] for row in house.rows("users")] == shown


@pytest.mark.both_databases
def test_pages_of_pseudonyms_follow_what_is_shown(house: House) -> None:
    house.set("pseudonymous")
    every = [row["user_id"] for row in house.rows("users")]

    found: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = house.found("users", limit=2, cursor=cursor)
        bodies = reports.documents(house.db, page)
        found += [msgspec.json.decode(body)["user_id"] for body in bodies]
        assert page.next_cursor is None or page.next_cursor == found[-1]
        cursor = page.next_cursor

    assert found == every


def test_a_pseudonym_is_another_one_in_another_organization(house: House) -> None:
    house.set("pseudonymous")
    other = an_organization(house.db, "Other")
    policies.put(house.db, other, "pseudonymous", None, by=house.boss)
    user = house.ids["ada"]
    names = {policies.of(house.db, org).pseudonym(user) for org in (house.org, other)}
    assert len(names) == 2


@pytest.mark.parametrize("mode", ["pseudonymous", "team-only", "off"])
def test_no_mode_but_the_first_lets_an_id_or_an_address_out_anywhere(
    house: House, mode: PrivacyMode, tmp_path: Path
) -> None:
    house.set(mode)
    asked = ["tokens", "tools", "activity", "productivity"]
    asked += ["users"] if mode != "off" else []
    for report in asked:
        found = house.found(report)
        name, documents = found.question.name, [*reports.documents(house.db, found)]
        out = b"".join([*export.to_csv(name, documents), *export.to_ndjson(documents)])
        out += b"".join(reports.envelope(house.db, found)) + reports.etag(found, "json").encode()
        with (tmp_path / "out").open("wb") as file:
            export.to_parquet(name, documents, file)
        out += (tmp_path / "out").read_bytes()
        humans = [user for name, user in house.ids.items() if name != "robot"]
        assert [user for user in humans if user.encode() in out] == []
        assert b"@example.com" not in out


def test_totals_are_the_same_in_every_mode(house: House) -> None:
    [before] = house.rows("tokens")
    for mode in ("pseudonymous", "team-only", "off"):
        house.set(mode)
        [row] = house.rows("tokens")
        assert {**row, "by_user": 0} == {**before, "by_user": 0}


def test_teams_stand_for_their_people_and_small_ones_for_each_other(house: House) -> None:
    house.set("team-only", 3)

    assert {row["user_id"]: row["billable_tokens"] for row in house.by_user()} == {
        "team:Red": sum(_credits(house, *["ada", "ben", "cid"])),
        REST: sum(_credits(house, *["dan", "eve", "fay", "robot"])),
    }
    assert [row["user_id"] for row in house.rows("users")] == [REST, "team:Red"]
    assert {row["user_email"] for row in house.rows("users")} == {None}


def _credits(house: House, *names: str) -> list[int]:
    policies.put(house.db, house.org, "named", None, by=house.boss)
    known = {row["user_id"]: row["billable_tokens"] for row in house.by_user()}
    policies.put(house.db, house.org, "team-only", None, by=house.boss)
    return [known[house.ids[name]] for name in names]


def test_a_rest_that_is_too_small_takes_the_smallest_team_with_it(house: House) -> None:
    house.set("team-only", 2)
    # Fay alone is the rest; the total less both teams would be hers.
    assert {row["user_id"] for row in house.by_user()} == {"team:Red", REST}


def test_fewer_people_than_a_group_are_shown_not_at_all(house: House) -> None:
    house.set("team-only", 7)
    assert house.by_user() == []
    assert house.rows("users") == []


def test_off_shows_nobody(house: House) -> None:
    house.set("off")
    assert house.by_user() == []
    with pytest.raises(Forbidden) as refused:
        house.found("users")
    assert refused.value.code == "privacy_mode"


@pytest.mark.parametrize("mode", ["team-only", "off"])
@pytest.mark.parametrize("more", [{"group_by": "user"}, {"only": (("user", ("x",)),)}])
def test_nobody_is_asked_about_alone(house: House, mode: PrivacyMode, more: dict[str, Any]) -> None:
    house.set(mode)
    with pytest.raises(Forbidden) as refused:
        house.found("tokens", **more)
    assert refused.value.code == "privacy_mode"


def test_a_pseudonym_can_be_asked_about_and_an_id_or_address_is_nobodys(house: House) -> None:
    house.set("pseudonymous")
    shown = policies.of(house.db, house.org).pseudonym(house.ids["ada"])

    def credits(user: str) -> int:
        [row] = house.rows("tokens", only=(("user", (user,)),))
        return int(row["billable_tokens"])

    assert credits(shown) > 0
    assert credits(house.ids["ada"]) == credits("ada@example.com") == 0


@pytest.mark.parametrize("report", ["tokens", "activity", "tools"])
def test_a_filtered_answer_that_rests_on_too_few_is_withheld(house: House, report: str) -> None:
    house.set("team-only", 3)
    assert len(house.rows(report, only=(("team", ("Red",)),))) == 1
    assert house.rows(report, only=(("team", ("Blue",)),)) == []


def test_groups_of_too_few_have_no_row_of_their_own(house: House) -> None:
    house.set("team-only", 3)
    teams = house.rows("tokens", group_by="team")
    assert {row["group_key"] for row in teams} == {"Red", REST}
    agents = house.rows("tokens", group_by="agent")
    assert {row["group_key"] for row in agents} == {REST}


def _costs(house: House, group_by: costs.Grouping | None) -> tuple[list[str], str, object]:
    """Groups and addresses of a day's costs, as text, and their total."""
    asked = DayRange(DAY, DAY)
    found = costs.find(house.db, rates.card(), house.org, asked, group_by)
    body = b"".join(found.parts())
    keys = [str(row.group_key) for row in msgspec.json.decode(body, type=costs.Costs).data]
    return keys, body.decode(), found.meta.totals


def test_costs_go_by_the_same_names_and_groups(house: House) -> None:
    _, _, total = _costs(house, None)
    house.set("pseudonymous")
    keys, out, same = _costs(house, "user")
    assert keys == [row["user_id"] for row in house.rows("users")]
    assert same == total
    assert "@example.com" not in out

    house.set("team-only", 3)
    keys, _, same = _costs(house, "team")
    assert (set(keys), same) == ({"Red", REST}, total)
    house.set("team-only", 7)
    assert _costs(house, "agent")[0] == []
    with pytest.raises(Forbidden):
        _costs(house, "user")


@pytest.mark.both_databases
def test_days_of_which_there_are_no_slices_keep_their_totals(house: House) -> None:
    house.set("off")
    [before] = house.rows("tokens")
    house.db.write("DELETE FROM day_slices WHERE org_id = ?", [[house.org]])
    [after] = house.rows("tokens")
    [rest] = after.pop("by_model")
    [model] = before.pop("by_model")
    assert after == before
    assert rest == {**model, "model_id": REST}


@pytest.mark.both_databases
def test_what_each_used_of_a_limit_is_told_by_name_alone(house: House) -> None:
    def used() -> dict[str, int | None]:
        usage = limits.usage(house.db, house.org, period_of(DAY, 1), DAY, after="", count=20)
        assert usage.total_used > 0
        return {each.kind: each.used for each in usage.principals if each.used != 0}

    assert used()["human"]
    house.set("pseudonymous")
    assert used()["human"] is None
    assert used()["service"]


@pytest.mark.both_databases
def test_a_list_of_people_tells_no_activity_but_by_name(house: House) -> None:
    assert people.person(house.db, house.org, house.ids["ada"]).products == ["codex"]
    house.set("pseudonymous")
    ada = people.person(house.db, house.org, house.ids["ada"])
    assert (ada.products, ada.first_day, ada.team) == ([], None, None)


def test_only_owners_move_people_who_are_not_named(house: House) -> None:
    manager = a_caller(
        house.db, house.org, a_member(house.db, house.org, "m@example.com", "manager")
    )
    house.set("team-only")
    with pytest.raises(Forbidden):
        merging.set_team(house.db, house.org, house.ids["ada"], "Solo", by=manager)  # type: ignore[arg-type] # An id.
    merging.set_team(house.db, house.org, house.ids["ada"], "Solo", by=house.boss)  # type: ignore[arg-type] # An id.


@pytest.mark.both_databases
def test_a_change_is_audited_and_holds_at_once_in_every_process(
    house: House, database_url: str
) -> None:
    elsewhere = Database.open(database_url)
    try:
        assert policies.of(elsewhere, house.org).mode == "named"
        house.set("off", 9)
        assert policies.of(elsewhere, house.org)[:2] == ("off", 9)
    finally:
        elsewhere.close()
    house.set("off", 9)
    found = audited(house.db, house.org, "privacy_changed")
    assert found.payload == {"mode": "off", "minimum": 9, "previous_mode": "named"}


def test_a_key_tells_the_mode_of_this_moment_so_that_names_cost_no_read(house: House) -> None:
    key = a_key(house.db, house.org, a_member(house.db, house.org, "boss@example.com"))
    assert authenticate(house.db, key).privacy == "named"
    house.set("off")
    assert authenticate(house.db, key).privacy == "off"
    asked = house.question("tokens")
    assert judged(house.db, asked, "named").policy == policies.NAMED
    assert judged(house.db, asked, "off").policy == policies.of(house.db, house.org)


@pytest.mark.parametrize("minimum", [1, 0, -1, 1001])
def test_a_group_of_one_is_refused(house: House, minimum: int) -> None:
    with pytest.raises(BadRequest):
        house.set("team-only", minimum)
