"""Findings from scan to scan: open, dismissed, fixed, and back again."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from stationmaster.access import audit, operator
from stationmaster.access.model import Caller
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict, NotFound
from stationmaster.ids import RepoId
from stationmaster.pipelines.scanning import finding_store, findings
from stationmaster.pipelines.scanning.finding_store import State
from stationmaster.pipelines.scanning.findings import FindingFilter
from stationmaster.repos import service as repos
from tests.support.builders import a_member, an_organization
from tests.support.scans import a_finding, store_scan

ONE, TWO = a_finding("one"), a_finding("two", severity="low")


@pytest.fixture
def owner(db: Database) -> Caller:
    org = an_organization(db)
    a_member(db, org, role="owner")
    return operator.owner(db, org)


@pytest.fixture
def repo(db: Database, owner: Caller) -> RepoId:
    made, _ = repos.register(db, Vault(bytes(32)), owner, "https://git.example/acme/shop")
    return made.repo_id


def states(db: Database, owner: Caller) -> dict[str, State]:
    rows = finding_store.rows(db, owner.org_id, (*findings.PRESENT, "fixed"))
    return {row.finding.rule: row.state for row in rows}


def test_what_a_later_scan_does_not_have_is_fixed_and_may_come_back(
    db: Database, owner: Caller, repo: RepoId
) -> None:
    store_scan(db, owner.org_id, repo, ONE, TWO, commit="a" * 40)
    store_scan(db, owner.org_id, repo, TWO, commit="b" * 40)
    fixed = states(db, owner)
    [place] = findings.page(db, owner.org_id, FindingFilter(state="fixed"), limit=5, after=None)
    store_scan(db, owner.org_id, repo, ONE, TWO, commit="c" * 40)

    assert fixed == {"one": "fixed", "two": "open"}
    assert place.commit == "a" * 40
    assert place.row.fixed_at is not None
    assert states(db, owner) == {"one": "open", "two": "open"}
    assert finding_store.counts(db, owner.org_id) == {repo: {"high": 1, "low": 1}}


def test_other_rules_fix_nothing(db: Database, owner: Caller, repo: RepoId) -> None:
    store_scan(db, owner.org_id, repo, ONE, TWO, revision=1)
    store_scan(db, owner.org_id, repo, TWO)
    assert states(db, owner) == {"two": "open"}


def test_a_dismissal_stays_while_lines_move_and_when_the_finding_comes_back(
    db: Database, owner: Caller, repo: RepoId
) -> None:
    org = owner.org_id
    store_scan(db, org, repo, ONE)
    finding_store.dismiss(db, owner, repo, "f-one", "accepted_risk", "Only on loopback.")
    moved = a_finding("one", line=9)
    store_scan(db, org, repo, moved, commit="d" * 40)
    [place] = findings.page(db, org, FindingFilter(state="dismissed"), limit=5, after=None)
    store_scan(db, org, repo, commit="e" * 40)
    with pytest.raises(Conflict):
        finding_store.reopen(db, owner, repo, "f-one")
    store_scan(db, org, repo, ONE, commit="f" * 40)

    assert place.finding.line == 9
    assert place.row.dismissal is not None
    assert place.row.dismissal.by == owner.principal_id
    assert place.row.dismissal.comment == "Only on loopback."
    assert states(db, owner) == {"one": "dismissed"}
    assert finding_store.counts(db, org) == {}
    finding_store.reopen(db, owner, repo, "f-one")
    assert states(db, owner) == {"one": "open"}
    events = [record.event_type for record in audit.page(db, org, limit=2)]
    assert events == ["ci_finding_reopened", "ci_finding_dismissed"]


def test_a_finding_of_nowhere_cannot_be_dismissed(
    db: Database, owner: Caller, repo: RepoId
) -> None:
    with pytest.raises(NotFound):
        finding_store.dismiss(db, owner, repo, "f-none", "false_positive", None)


def test_old_fixed_findings_are_forgotten(
    db: Database, owner: Caller, repo: RepoId, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding_store, "FIXED_KEPT_MAX", 1)
    store_scan(db, owner.org_id, repo, ONE, TWO)
    store_scan(db, owner.org_id, repo, TWO)
    store_scan(db, owner.org_id, repo)
    assert len(states(db, owner)) == 1


def test_an_upgrade_takes_the_findings_of_stored_scans(
    db: Database, owner: Caller, repo: RepoId
) -> None:
    store_scan(db, owner.org_id, repo, ONE, a_finding("three", suppressed="a comment"))
    with db.transaction() as connection:
        connection.execute(text("DROP TABLE ci_findings"))
        connection.execute(text("UPDATE alembic_version SET version_num = '0028'"))
    db.migrate()

    assert states(db, owner) == {"one": "open", "three": "suppressed"}
