from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from stationmaster import clock
from stationmaster.access import audit
from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Conflict, NotFound, TooLarge
from stationmaster.ids import KeyId, OrgId
from stationmaster.readiness import service
from stationmaster.readiness.model import Content, Evaluation, Report, effort_of
from stationmaster.repos import addresses
from tests.support.builders import a_member, a_readiness_report, an_organization

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SHOP, BLOG = "https://git.example/acme/shop", "https://git.example/acme/blog"
OWN = "0192f0c1-2d3e-7abc-8def-0123456789ab"


@pytest.fixture(autouse=True)
def _frozen_clock() -> None:
    clock.freeze(NOW)


def ada_of(db: Database, org: OrgId) -> Caller:
    ada = a_member(db, org)
    return Caller(org, "human", ada.user_id, ada.email, "member", KeyId("key"), "full")


@pytest.fixture
def ada(db: Database) -> Caller:
    return ada_of(db, an_organization(db))


def a_report(url: str = SHOP, **changes: object) -> Content:
    return msgspec.convert(a_readiness_report(repoUrl=url, **changes), Content)


def put(db: Database, caller: Caller, content: Content, own: str | None = None) -> Report:
    body, _ = service.upload(db, caller, content, own)
    return msgspec.json.decode(body, type=Report)


def listed(db: Database, caller: Caller, **asked: object) -> list[str]:
    bodies = service.reports(
        db,
        caller.org_id,
        **{"repository": None, "start_after": None, "count": 100, **asked},  # type: ignore[arg-type] # Tests give what fits.
    )
    return [msgspec.json.decode(body, type=Report).report_id for body in bodies]


def later(hours: int) -> None:
    clock.freeze(NOW + timedelta(hours=hours))


def test_a_report_is_stored_as_it_was_told_with_an_id_and_a_time(db: Database, ada: Caller) -> None:
    stored = put(db, ada, a_report("git@Git.Example:acme/shop.git", branch="main"))

    assert stored.repo_url == SHOP
    assert (stored.branch, stored.commit_hash) == ("main", None)
    assert stored.created_at == int(NOW.timestamp() * 1000)
    assert (
        service.get(db, ada.org_id, stored.report_id)
        == service.reports(db, ada.org_id, repository=None, start_after=None, count=1)[0]
    )


def test_what_is_not_known_is_left_out_of_the_bytes(db: Database, ada: Caller) -> None:
    body, _ = service.upload(db, ada, a_report(), None)

    assert set(msgspec.json.decode(body)) == {"reportId", "createdAt", "repoUrl", "apps", "report"}


def test_an_id_of_the_clients_own_makes_an_upload_repeatable(db: Database, ada: Caller) -> None:
    first, is_new = service.upload(db, ada, a_report(), OWN)
    later(1)
    backwards = dict(reversed(a_readiness_report()["report"].items()))
    again, is_new_again = service.upload(db, ada, a_report(SHOP + ".git", report=backwards), OWN)

    assert (is_new, is_new_again, again) == (True, False, first)
    with pytest.raises(Conflict):
        service.upload(db, ada, a_report(branch="other"), OWN)
    assert listed(db, ada) == [OWN]
    recorded = [event.event_type for event in audit.page(db, ada.org_id, limit=10)]
    assert recorded.count(service.UPLOADED) == 1


def test_two_organizations_may_use_the_same_id(db: Database, ada: Caller) -> None:
    other = ada_of(db, an_organization(db, "Other"))
    put(db, ada, a_report(), OWN)
    put(db, other, a_report(BLOG), OWN)

    service.delete(db, other, OWN)

    assert (listed(db, ada), listed(db, other)) == ([OWN], [])


def test_reports_are_listed_newest_first_and_page_by_page(db: Database, ada: Caller) -> None:
    made = []
    for n in range(5):
        later(n // 2)  # Two of each time: the id decides.
        made.append(put(db, ada, a_report(BLOG if n % 2 else SHOP)))
    expected = [
        report.report_id
        for report in sorted(
            made, key=lambda report: (report.created_at, report.report_id), reverse=True
        )
    ]

    assert listed(db, ada) == expected
    assert listed(db, ada, count=2) == expected[:2]
    assert listed(db, ada, count=2, start_after=expected[1]) == expected[2:4]
    assert listed(db, ada, start_after=expected[-1]) == []


def test_reports_of_one_repository_are_found_by_id_and_by_any_spelling(
    db: Database, ada: Caller
) -> None:
    shop = put(db, ada, a_report(SHOP)).report_id
    blog = put(db, ada, a_report(BLOG)).report_id
    repo = addresses.id_of(ada.org_id, SHOP)

    for spelling in (repo, SHOP, "ssh://git@git.example/acme/shop.git", "git.example:acme/shop"):
        assert listed(db, ada, repository=spelling) == [shop]
    for unknown in ("repo_aaaaaaaaaaaaaaaa", SHOP + "s", "7", "", "repo_\0", "not an address"):
        assert listed(db, ada, repository=unknown) == []
    assert listed(db, ada, repository=BLOG) == [blog]


def test_a_page_starts_after_a_report_of_the_organization_only(db: Database, ada: Caller) -> None:
    other = ada_of(db, an_organization(db, "Other"))
    theirs = put(db, other, a_report()).report_id

    for unknown in (theirs, OWN):
        with pytest.raises(BadRequest) as refused:
            listed(db, ada, start_after=unknown)
        assert refused.value.code == "invalid_start_after"


def test_a_deleted_report_is_gone_and_the_one_before_is_the_newest_again(
    db: Database, ada: Caller
) -> None:
    first = put(db, ada, a_report())
    later(1)
    second = put(db, ada, a_report())

    def newest() -> list[str]:
        rows = service.repositories(db, ada.org_id, after="", count=10)
        return [row.report_id for row in rows]

    assert newest() == [second.report_id]
    service.delete(db, ada, second.report_id)
    assert newest() == listed(db, ada) == [first.report_id]
    service.delete(db, ada, first.report_id)
    assert newest() == listed(db, ada) == []
    for gone in (first.report_id, OWN):
        with pytest.raises(NotFound):
            service.delete(db, ada, gone)
        with pytest.raises(NotFound):
            service.get(db, ada.org_id, gone)
        with pytest.raises(NotFound):
            service.standing(db, ada.org_id, gone)


def test_an_organizations_level_comes_from_the_newest_report_of_each_repository(
    db: Database, ada: Caller
) -> None:
    passed = Evaluation(1, 1, "There.")
    bad, good = a_report(), msgspec.structs.replace(a_report(), report={"readme": passed})
    assert service.summary(db, ada.org_id) == (None, {})

    put(db, ada, good)
    put(db, ada, msgspec.structs.replace(bad, repo_url=BLOG))
    assert service.summary(db, ada.org_id) == (1, {2: 1, 1: 1})
    later(1)
    put(db, ada, msgspec.structs.replace(good, repo_url=BLOG))

    assert service.summary(db, ada.org_id) == (2, {2: 2})
    by_id = sorted((SHOP, BLOG), key=lambda url: addresses.id_of(ada.org_id, url))
    assert [e.repo_url for e in service.repositories(db, ada.org_id, after="", count=9)] == by_id


def test_uploads_and_deletions_are_audited(db: Database, ada: Caller) -> None:
    later(1)
    stored = put(db, ada, a_report())
    later(2)
    service.delete(db, ada, stored.report_id)

    deleted, uploaded = audit.page(db, ada.org_id, limit=2)

    repo = {"repo_id": addresses.id_of(ada.org_id, SHOP)}
    for record, event in ((uploaded, service.UPLOADED), (deleted, service.DELETED)):
        assert (record.event_type, record.payload) == (event, repo)
        assert record.target == ("readiness_report", stored.report_id)
        assert record.actor
        assert record.actor.id == ada.principal_id


def test_what_cannot_be_stored_leaves_nothing_behind(db: Database, ada: Caller) -> None:
    long = {f"c{n}": Evaluation(1, 1, "x" * 4000) for n in range(100)}

    with pytest.raises(TooLarge):
        put(db, ada, msgspec.structs.replace(a_report(), report=long))
    with pytest.raises(BadRequest):
        put(db, ada, a_report("nowhere"))

    assert listed(db, ada) == []


@pytest.mark.parametrize(
    ("word", "stored"),
    [("low", "low"), ("medium", "medium"), ("high", "high"), ("off", "off"), ("none", "off"),
     ("minimal", "low"), ("dynamic", "medium"), ("xhigh", "high"), ("max", "high")],
)  # fmt: skip
def test_efforts_become_the_nearest_published_word(word: str, stored: str) -> None:
    assert effort_of(word) == stored


def test_an_effort_of_no_agent_is_refused() -> None:
    with pytest.raises(BadRequest):
        effort_of("heroic")
