from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from stationmaster import clock
from stationmaster.access import audit
from stationmaster.access.model import Caller, Role
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Forbidden, NotFound
from stationmaster.ids import OrgId
from stationmaster.wiki import service
from stationmaster.wiki.model import Run
from stationmaster.wiki.searching import asking
from stationmaster.wiki.transfer import layout
from tests.support.builders import an_organization
from tests.wiki.wikis import FILES, PNG, REPO, a_caller, a_run, an_upload, zipped

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _frozen_clock() -> None:
    clock.freeze(NOW)


@pytest.fixture
def org(db: Database) -> OrgId:
    return an_organization(db)


@pytest.fixture
def ada(db: Database, org: OrgId) -> Caller:
    return a_caller(db, org)


def later(minutes: int) -> None:
    clock.freeze(NOW + timedelta(minutes=minutes))


def rows(db: Database, table: str, org: OrgId) -> int:
    return int(db.rows(f"SELECT count(*) FROM {table} WHERE org_id = ?", org)[0][0])


def noted(db: Database, caller: Caller) -> list[audit.AuditRecord]:
    """What the audit log says of wikis, newest first."""
    found = audit.page(db, caller.org_id, limit=10)
    return [record for record in found if record.event_type.startswith("wiki_")]


class TestUploads:
    def test_become_a_run_that_is_read_back(self, db: Database, ada: Caller) -> None:
        told: dict[str, Any] = {
            "commit_hash": "abcdef1",
            "branch": "main",
            "has_local_changes": True,
        }
        run = service.create(db, ada, an_upload(assets={"images/flow.png": PNG}, **told))

        found, nodes = service.get(db, ada, run.run_id)

        assert found == run
        assert (run.created_at, run.created_by) == (clock.now_ms(), ada.principal_id)
        assert (run.page_count, run.privacy_level) == (4, "organization")
        assert run.origin.has_local_changes is True
        assert run.origin.has_non_remote_commits is None
        assert [(n.path, n.title, len(n.children)) for n in nodes] == [
            ("index", "Engine", 0),
            ("overview", "Overview", 1),
            ("guides", "Guides", 1),
        ]
        page, content = service.page(db, ada, run.run_id, nodes[1].children[0].page_id or "")
        assert (page.path, page.title, page.order) == (
            "overview/architecture",
            "Architecture",
            2,
        )
        assert content.encode() == FILES["overview/architecture.md"]

    def test_that_are_refused_leave_nothing(self, db: Database, ada: Caller) -> None:
        with pytest.raises(BadRequest):
            service.create(db, ada, an_upload({"a.md": "# A", "b.md": "no heading"}))

        tables = ("wiki_runs", "wiki_pages", "wiki_bodies", "wiki_search")
        assert [rows(db, table, ada.org_id) for table in tables] == [0] * 4
        assert noted(db, ada) == []

    def test_of_the_same_pages_share_their_bodies(self, db: Database, ada: Caller) -> None:
        pages = {"a.md": "# A", "b.md": "# B", "copy.md": "# A"}
        a_run(db, ada, pages)
        a_run(db, ada, pages | {"b.md": "# B changed"})

        assert rows(db, "wiki_bodies", ada.org_id) == 3

    def test_keep_the_ids_of_pages_from_run_to_run(self, db: Database, ada: Caller) -> None:
        first, second = (service.get(db, ada, a_run(db, ada).run_id)[1] for _ in range(2))

        assert first == second

    def test_of_two_people_at_once_are_both_kept(self, db: Database, ada: Caller) -> None:
        bob = a_caller(db, ada.org_id, "bob")
        start = threading.Barrier(2)

        def upload(caller: Caller) -> None:
            start.wait()
            a_run(db, caller)

        threads = [threading.Thread(target=upload, args=(caller,)) for caller in (ada, bob)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert len(service.history(db, ada, REPO, limit=10)) == 2


class TestHistory:
    def test_is_newest_first_and_goes_on_from_a_run(self, db: Database, ada: Caller) -> None:
        runs = []
        for minute in range(4):
            later(minute)
            runs.append(a_run(db, ada))
        runs.reverse()

        assert service.history(db, ada, REPO, limit=10) == runs
        assert service.history(db, ada, REPO, limit=2) == runs[:2]
        assert service.history(db, ada, REPO, limit=2, before=runs[1].run_id) == runs[2:]

    @pytest.mark.parametrize(
        "spelling",
        [
            "https://git.example.com/acme/engine.git",
            "https://GIT.example.com:443/acme/engine/",
            "git@git.example.com:acme/engine.git",
            "ssh://git@git.example.com:2222/acme/engine",
            "https://ada:secret@git.example.com/acme/engine",
        ],
    )
    def test_is_the_same_however_the_address_is_spelled(
        self, db: Database, ada: Caller, spelling: str
    ) -> None:
        run = a_run(db, ada)

        assert service.history(db, ada, spelling, limit=10) == [run]
        assert "secret" not in a_run(db, ada, repo_url=spelling).origin.repo_url

    def test_of_a_repository_without_runs_is_empty(self, db: Database, ada: Caller) -> None:
        a_run(db, ada)

        assert service.history(db, ada, REPO + "2", limit=10) == []

    def test_has_the_newest_run_of_each_repository_in_front(
        self, db: Database, ada: Caller
    ) -> None:
        bob = a_caller(db, ada.org_id, "bob")
        newest: dict[str, Run] = {}
        for minute in range(9):
            later(minute)
            repo = f"{REPO}{minute % 3}"
            newest[repo] = a_run(db, ada, repo_url=repo)
        later(10)
        hidden = a_run(db, bob, repo_url=f"{REPO}0", privacy_level="private")

        assert service.newest(db, ada) == list(newest.values())[::-1]
        assert service.newest(db, bob) == [hidden, newest[f"{REPO}2"], newest[f"{REPO}1"]]
        assert service.newest(db, a_caller(db, an_organization(db, "Other"))) == []


def reach(db: Database, caller: Caller, run: Run) -> list[bool]:
    """Which ways to a run are open to a caller; each must tell nothing where it is not."""
    page_id = service.get(db, _creator(run, caller), run.run_id)[1][0].page_id or ""
    found = []
    for ask in (
        lambda: service.get(db, caller, run.run_id),
        lambda: service.page(db, caller, run.run_id, page_id),
        lambda: asking.find(db, caller, run.run_id, "engine", 10),
        lambda: service.export(db, caller, run.run_id),
    ):
        try:
            ask()
            found.append(True)
        except NotFound:
            found.append(False)
    found.append(run in service.history(db, caller, run.origin.repo_url, limit=10))
    found.append(run in service.newest(db, caller))
    return found


def _creator(run: Run, like: Caller) -> Caller:
    return Caller(like.org_id, "human", run.created_by, None, "member", like.key_id, "full")


class TestPrivacy:
    @pytest.mark.parametrize("role", ["owner", "manager", "member"])
    def test_hides_a_run_from_everyone_but_its_creator(
        self, db: Database, ada: Caller, role: Role
    ) -> None:
        other = a_caller(db, ada.org_id, "bob", role)
        run = a_run(db, ada, privacy_level="private")

        assert reach(db, ada, run) == [True] * 6
        assert reach(db, other, run) == [False] * 6

        opened = service.set_privacy(db, ada, run.run_id, "organization")
        assert reach(db, other, opened) == [True] * 6

    @pytest.mark.parametrize(
        ("role", "may"), [("owner", True), ("manager", True), ("member", False)]
    )
    def test_of_a_visible_run_is_changed_by_its_creator_owners_and_managers(
        self, db: Database, ada: Caller, role: Role, may: bool
    ) -> None:
        other = a_caller(db, ada.org_id, "bob", role)
        run = a_run(db, ada)

        assert service.may_change(other, run) == may
        if not may:
            with pytest.raises(Forbidden):
                service.set_privacy(db, other, run.run_id, "private")
            return
        assert service.set_privacy(db, other, run.run_id, "private").privacy_level == "private"
        with pytest.raises(NotFound):
            service.set_privacy(db, other, run.run_id, "organization")

    def test_that_stays_the_same_is_no_change(self, db: Database, ada: Caller) -> None:
        run = a_run(db, ada)

        assert service.set_privacy(db, ada, run.run_id, "organization") == run
        assert len(noted(db, ada)) == 1


class TestDeletion:
    def test_takes_everything_that_only_the_run_consists_of(
        self, db: Database, ada: Caller
    ) -> None:
        kept = service.create(db, ada, an_upload({"a.md": "# A"}, {"a.png": PNG}))
        gone = service.create(db, ada, an_upload({"a.md": "# A", "b.md": "# B"}, {"b.png": PNG}))

        service.remove(db, ada, gone.run_id)

        with pytest.raises(NotFound):
            service.get(db, ada, gone.run_id)
        tables = ("wiki_runs", "wiki_pages", "wiki_assets", "wiki_bodies", "wiki_search")
        assert [rows(db, table, ada.org_id) for table in tables] == [1, 1, 1, 2, 1]
        service.remove(db, ada, kept.run_id)
        assert [rows(db, table, ada.org_id) for table in tables] == [0] * 5

    @pytest.mark.parametrize("privacy", ["organization", "private"])
    @pytest.mark.parametrize("role", ["owner", "manager", "member"])
    def test_is_for_those_who_may_change_and_for_owners(
        self, db: Database, ada: Caller, role: Role, privacy: str
    ) -> None:
        other = a_caller(db, ada.org_id, "bob", role)
        run = a_run(db, ada, privacy_level=privacy)

        if role == "owner" or (role, privacy) == ("manager", "organization"):
            service.remove(db, other, run.run_id)
            return
        with pytest.raises(Forbidden if privacy == "organization" else NotFound):
            service.remove(db, other, run.run_id)
        service.remove(db, ada, run.run_id)

    def test_leaves_the_same_page_of_another_organization(self, db: Database, ada: Caller) -> None:
        stranger = a_caller(db, an_organization(db, "Other"))
        theirs, ours = a_run(db, stranger), a_run(db, ada)

        service.remove(db, ada, ours.run_id)

        assert reach(db, stranger, theirs) == [True] * 6


class TestOrganizations:
    def test_see_and_change_nothing_of_each_other(self, db: Database, ada: Caller) -> None:
        stranger = a_caller(db, an_organization(db, "Other"), role="owner")
        run = a_run(db, ada)
        page_id = service.get(db, ada, run.run_id)[1][0].page_id or ""

        for ask in (
            lambda: service.get(db, stranger, run.run_id),
            lambda: service.page(db, stranger, run.run_id, page_id),
            lambda: asking.find(db, stranger, run.run_id, "engine", 10),
            lambda: service.export(db, stranger, run.run_id),
            lambda: service.set_privacy(db, stranger, run.run_id, "private"),
            lambda: service.remove(db, stranger, run.run_id),
        ):
            with pytest.raises(NotFound):
                ask()
        assert service.newest(db, stranger) == []
        assert service.history(db, stranger, REPO, limit=10) == []
        assert service.newest(db, ada) == [run]

    @pytest.mark.parametrize("run_id", ["wiki_none", "", "*"])
    def test_have_no_run_of_any_other_id(self, db: Database, ada: Caller, run_id: str) -> None:
        with pytest.raises(NotFound):
            service.get(db, ada, run_id)
        known = a_run(db, ada)
        with pytest.raises(NotFound):
            service.page(db, ada, known.run_id, run_id)


class TestExports:
    def test_are_read_back_and_written_again_the_same_byte_for_byte(
        self, db: Database, ada: Caller
    ) -> None:
        told: dict[str, Any] = {
            "commit_hash": "abcdef1234",
            "branch": "main",
            "has_local_changes": False,
            "has_non_remote_commits": True,
            "model_id": "some-model",
            "reasoning_effort": "high",
            "agent_version": "1.2.3",
            "source_session_id": "s1",
        }
        upload = an_upload(assets={"images/flow.png": PNG}, **told)
        first = service.create(db, ada, upload)
        name, content = service.export(db, ada, first.run_id)

        second = service.create(db, ada, layout.read(content, {}, "organization"))

        assert name == "acme-engine-wiki-abcdef1.zip"
        assert second.origin == first.origin
        assert service.get(db, ada, second.run_id)[1][1].children[0].path == "overview/architecture"
        assert service.export(db, ada, second.run_id).content == content
        assert service.export(db, ada, first.run_id).content == content

    def test_keep_the_order_whatever_numbers_it_was_given_by(
        self, db: Database, ada: Caller
    ) -> None:
        files = {"b.md": b"# B", "a/x.md": b"# X", "a/index.md": b"# A", "c/d/e.md": b"# E"}
        first = service.create(db, ada, layout.read(zipped(files), {"repo_url": REPO}, "private"))

        content = service.export(db, ada, first.run_id).content
        second = service.create(db, ada, layout.read(content, {}, "private"))

        drawn = [
            [node.path for node in service.get(db, ada, run.run_id)[1]] for run in (first, second)
        ]
        assert drawn[0] == drawn[1] == ["a", "b", "c"]
        assert service.export(db, ada, second.run_id).content == content


def test_every_change_is_noted(db: Database, ada: Caller) -> None:
    run = a_run(db, ada)
    later(1)
    service.set_privacy(db, ada, run.run_id, "private")
    later(2)
    service.remove(db, ada, run.run_id)

    assert [(record.event_type, record.payload) for record in noted(db, ada)] == [
        ("wiki_run_deleted", {"repository_id": run.repository_id}),
        ("wiki_privacy_changed", {"privacy_level": "private"}),
        (
            "wiki_run_created",
            {"repository_id": run.repository_id, "pages": 4, "privacy_level": "organization"},
        ),
    ]
    assert {record.target for record in noted(db, ada)} == {audit.Target("wiki_run", run.run_id)}
