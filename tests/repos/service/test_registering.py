"""The registry: what an organization's repositories are, and who sees them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from stationmaster import clock
from stationmaster.access.model import Caller
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Conflict, NotFound, Unavailable
from stationmaster.repos import addresses, mirrors, service
from stationmaster.settings import Settings
from tests.repos.service.registry import NOW, NOW_MS, URL, a_token, an_owner, events
from tests.support.git_servers import GitServer, Handler
from tests.support.repositories import Repository


class TestRegistering:
    def test_keeps_one_address_for_every_spelling(
        self, db: Database, vault: Vault, ada: Caller
    ) -> None:
        clock.freeze(NOW)
        made, is_new = service.register(db, vault, ada, "git@GIT.example:acme/app.git")
        clock.freeze(NOW + timedelta(hours=1))
        again = service.register(db, vault, ada, URL + "/")

        assert is_new
        assert again == (made, False)
        assert made.repo_id == addresses.id_of(ada.org_id, URL)
        assert (made.url, made.provider, made.has_credential) == (URL, "other", False)
        assert (made.created_at, made.created_by) == (NOW_MS, ada.principal_id)
        assert (
            made.head_commit is made.default_branch is made.fetched_at is made.fetch_error is None
        )
        assert service.get(db, ada.org_id, made.repo_id) == made
        assert service.find(db, ada.org_id, "ssh://git@git.example/acme/app") == [made]
        assert events(db, ada) == [("repository_registered", made.repo_id, {"provider": "other"})]

    def test_asks_nothing_of_the_server(
        self, db: Database, vault: Vault, ada: Caller, server: GitServer
    ) -> None:
        service.register(db, vault, ada, server.url("missing"), a_token())

        assert server.seen == []

    @pytest.mark.parametrize("url", ["", "/etc", "file:///etc", "ext::sh -c x", "https://h", "-x"])
    def test_refuses_what_is_no_address(
        self, db: Database, vault: Vault, ada: Caller, url: str
    ) -> None:
        with pytest.raises(BadRequest):
            service.register(db, vault, ada, url)

        assert service.list_page(db, ada.org_id) == []
        assert events(db, ada) == []

    def test_has_an_end(
        self, db: Database, vault: Vault, ada: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(service, "REPOSITORIES_MAX", 1)
        service.register(db, vault, ada, URL)
        service.register(db, vault, ada, URL)

        with pytest.raises(Conflict) as refused:
            service.register(db, vault, ada, URL + "2")

        assert refused.value.code == "too_many_repositories"

    def test_lists_by_address_page_by_page(self, db: Database, vault: Vault, ada: Caller) -> None:
        for name in ("c", "a", "b"):
            service.register(db, vault, ada, f"https://git.example/{name}")

        first = service.list_page(db, ada.org_id, limit=2)
        rest = service.list_page(db, ada.org_id, limit=2, after=first[-1].url)

        assert [each.url[-1] for each in (*first, *rest)] == ["a", "b", "c"]


class TestRemoving:
    def test_forgets_everything(
        self,
        db: Database,
        vault: Vault,
        ada: Caller,
        origin: Repository,
        server: GitServer,
        settings: Settings,
    ) -> None:
        origin.commit({"a": "1"})
        made, _ = service.register(db, vault, ada, server.url("a"), a_token())
        service.refresh(db, settings, vault, ada.org_id, made.repo_id)

        service.remove(db, settings, ada, made.repo_id)

        assert [path for path in settings.repos_dir.rglob("*") if path.is_file()] == []
        assert service.list_page(db, ada.org_id) == []
        assert service.find(db, ada.org_id, made.url) == []
        with pytest.raises(NotFound):
            service.remove(db, settings, ada, made.repo_id)
        with db.reading() as connection:
            for table in ("repositories", "repository_credentials"):
                assert connection.exec_driver_sql(f"SELECT * FROM {table}").all() == []
        assert events(db, ada)[-1] == ("repository_removed", made.repo_id, None)
        assert service.register(db, vault, ada, made.url)[1]

    def test_during_a_fetch_is_finished_by_it(
        self,
        db: Database,
        vault: Vault,
        ada: Caller,
        origin: Repository,
        server: GitServer,
        settings: Settings,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(mirrors, "LOCK_WAIT_S", 0.05)
        origin.commit({"a": "1"})
        made, _ = service.register(db, vault, ada, server.url("a"))

        def remove(handler: Handler) -> None:
            server.before.clear()
            with pytest.raises(Unavailable):
                service.remove(db, settings, ada, made.repo_id)
            handler.answer_by_git()

        server.before["/info/refs"] = remove
        with pytest.raises(NotFound):
            service.refresh(db, settings, vault, ada.org_id, made.repo_id)

        assert [path for path in settings.repos_dir.rglob("*") if path.is_file()] == []
        assert service.register(db, vault, ada, made.url)[1]

    def test_is_finished_by_asking_again(
        self,
        db: Database,
        vault: Vault,
        ada: Caller,
        server: GitServer,
        settings: Settings,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(mirrors, "LOCK_WAIT_S", 0.05)
        made, _ = service.register(db, vault, ada, server.url("a"))
        with mirrors._locked(settings, ada.org_id, made.repo_id), pytest.raises(Unavailable):
            service.remove(db, settings, ada, made.repo_id)
        with pytest.raises(NotFound):
            service.get(db, ada.org_id, made.repo_id)

        service.remove(db, settings, ada, made.repo_id)

        with pytest.raises(NotFound):
            service.remove(db, settings, ada, made.repo_id)
        assert [event for event, _, _ in events(db, ada)].count("repository_removed") == 1


class TestTenancy:
    def test_nothing_is_seen_or_changed_across(
        self,
        db: Database,
        vault: Vault,
        ada: Caller,
        origin: Repository,
        server: GitServer,
        settings: Settings,
    ) -> None:
        origin.commit({"a": "1"})
        zoe = an_owner(db, "Theirs")
        ours, _ = service.register(db, vault, ada, server.url("a"), a_token())
        theirs, is_new = service.register(db, vault, zoe, server.url("a"))
        assert is_new
        assert ours.repo_id != theirs.repo_id
        assert not theirs.has_credential
        service.refresh(db, settings, vault, ada.org_id, ours.repo_id)

        for reach in (
            lambda: service.get(db, zoe.org_id, ours.repo_id),
            lambda: service.set_credential(db, vault, zoe, ours.repo_id, a_token()),
            lambda: service.remove_credential(db, zoe, ours.repo_id),
            lambda: service.remove(db, settings, zoe, ours.repo_id),
            lambda: service.refresh(db, settings, vault, zoe.org_id, ours.repo_id),
        ):
            with pytest.raises(NotFound):
                reach()
        with pytest.raises(Conflict):
            service.source(settings, zoe.org_id, service.get(db, ada.org_id, ours.repo_id))
        assert service.list_page(db, zoe.org_id) == [theirs]
        service.remove(db, settings, zoe, theirs.repo_id)
        assert service.get(db, ada.org_id, ours.repo_id).has_credential
