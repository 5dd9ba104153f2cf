"""Mirrors fetched from real servers: a refresh, its credential, several processes at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from stationmaster.access.model import Secret
from stationmaster.errors import Conflict, Unavailable
from stationmaster.ids import OrgId
from stationmaster.repos import mirrors
from stationmaster.repos.model import Credential, FetchFailed, Head
from stationmaster.settings import Settings
from tests.repos.conftest import settings_of
from tests.repos.mirrors.copies import ORG, OUR_NAMES, REPO, files, on_disk, reason, refresh
from tests.support.git_servers import (
    Answer,
    GitServer,
    Handler,
    git_server,
    hang,
    redirect,
)
from tests.support.repositories import Repository

pytestmark = pytest.mark.attack


def test_a_data_folder_may_be_named_from_where_the_program_runs(
    server: GitServer, origin: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = origin.commit({"a.txt": "a"})
    monkeypatch.chdir(tmp_path)
    settings = settings_of(server, Path("here"))

    head = refresh(settings, server.url("a"))

    assert head.commit == commit
    assert files(settings, head) == {"a.txt": b"a"}


class TestARefresh:
    def test_brings_the_newest_commit_each_time(
        self, origin: Repository, server: GitServer, settings: Settings
    ) -> None:
        first = origin.commit({"a": "1"})
        before = refresh(settings, server.url("a"))
        second = origin.commit({"b": "2"})
        after = refresh(settings, server.url("a"))

        assert (before, after) == (Head(first, "main"), Head(second, "main"))
        assert files(settings, after) == {"a": b"1", "b": b"2"}
        assert files(settings, before) == {"a": b"1"}

    def test_asks_the_server_even_when_nothing_changed(
        self, origin: Repository, server: GitServer, settings: Settings
    ) -> None:
        origin.commit({"a": "1"})
        head = refresh(settings, server.url("a"))
        asked = len(server.seen)

        assert refresh(settings, server.url("a")) == head
        assert len(server.seen) > asked

    def test_follows_rewritten_history_and_another_default_branch(
        self, origin: Repository, server: GitServer, settings: Settings
    ) -> None:
        origin.commit({"a": "1"})
        refresh(settings, server.url("a"))
        origin.git("update-ref", "-d", "refs/heads/main")
        rewritten = origin.commit({"a": "other"})
        assert refresh(settings, server.url("a")) == Head(rewritten, "main")

        trunk = origin.commit({"t": "3"}, branch="trunk")
        origin.git("symbolic-ref", "HEAD", "refs/heads/trunk")
        assert refresh(settings, server.url("a")) == Head(trunk, "trunk")

        origin.git("update-ref", "--no-deref", "HEAD", rewritten)
        assert refresh(settings, server.url("a")) == Head(rewritten, None)

    def test_takes_neither_other_branches_nor_tags(
        self, origin: Repository, server: GitServer, settings: Settings
    ) -> None:
        origin.commit({"a": "1"})
        side = origin.commit({"side": "2"}, branch="side")
        origin.git("tag", "v1", side)
        head = refresh(settings, server.url("a"))

        with pytest.raises(Conflict):
            mirrors.snapshot(settings, ORG, REPO, Head(side, "side"))
        assert files(settings, head) == {"a": b"1"}

    def test_takes_repositories_with_long_hashes(
        self, server: GitServer, settings: Settings
    ) -> None:
        repository = Repository(server.folder / "long", "main", "--bare", "--object-format=sha256")
        commit = repository.commit({"a": "1"})

        assert files(settings, refresh(settings, server.url("long"))) == {"a": b"1"}
        assert len(commit) == 64

    def test_fetches_as_deep_as_is_set_and_anew_when_that_changes(
        self, origin: Repository, server: GitServer, tmp_path: Path
    ) -> None:
        first = origin.commit({"a": "1"}, at=1000)
        origin.commit({"b": "2"}, at=2000)
        shallow, full = settings_of(server, tmp_path, repos_depth=1), settings_of(server, tmp_path)

        for settings, is_shallow in ((shallow, True), (full, False), (shallow, True)):
            head = refresh(settings, server.url("a"))
            with mirrors.snapshot(settings, ORG, REPO, head) as snapshot:
                change = snapshot.last_change("a")
                assert snapshot.is_shallow is is_shallow
            assert change is not None
            assert (change.commit == first) is not is_shallow

    def test_packs_anew_after_many(
        self,
        origin: Repository,
        server: GitServer,
        settings: Settings,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(mirrors, "PACKS_MAX", 2)
        counts = []
        for number in range(5):
            origin.commit({"a": str(number)})
            head = refresh(settings, server.url("a"))
            counts.append(len([name for name in on_disk(settings) if name.endswith(".pack")]))

        assert counts == [1, 2, 3, 1, 2]
        assert files(settings, head) == {"a": b"4"}

    def test_repairs_a_damaged_copy(
        self, origin: Repository, server: GitServer, settings: Settings
    ) -> None:
        origin.commit({"a": "1"})
        refresh(settings, server.url("a"))
        mirror = settings.repos_dir / ORG / f"{REPO}.git"
        for path in mirror.rglob("*.pack"):
            path.chmod(0o600)
            path.write_bytes(b"damaged")
        origin.commit({"b": "2"})
        assert set(files(settings, refresh(settings, server.url("a")))) == {"a", "b"}

        (mirror / "refs/heads/mirror").write_bytes(b"\0" * 41)
        assert set(files(settings, refresh(settings, server.url("a")))) == {"a", "b"}

    def test_leaves_readers_alone(
        self, origin: Repository, server: GitServer, settings: Settings
    ) -> None:
        origin.commit({"a": "1", "b": "2"})
        head = refresh(settings, server.url("a"))

        with mirrors.snapshot(settings, ORG, REPO, head) as snapshot:
            snapshot.entries()
            origin.git("update-ref", "-d", "refs/heads/main")
            origin.commit({"c": "3"})
            refresh(settings, server.url("a"))
            assert snapshot.read("b", 1) == b"2"

    def test_follows_a_redirect_within_the_host(
        self, origin: Repository, server: GitServer, settings: Settings
    ) -> None:
        origin.commit({"a": "1"})
        server.before["/old/name"] = redirect("/a/info/refs?service=git-upload-pack", 301)

        assert files(settings, refresh(settings, server.url("old/name"))) == {"a": b"1"}

    def test_shares_nothing_between_organizations(
        self, origin: Repository, server: GitServer, settings: Settings
    ) -> None:
        origin.commit({"a": "1"})
        head = refresh(settings, server.url("a"))

        with pytest.raises(Conflict) as refused:
            mirrors.snapshot(settings, OrgId("org_other"), REPO, head)

        assert refused.value.code == "repository_not_fetched"

    def test_does_not_mind_the_environment(
        self,
        origin: Repository,
        server: GitServer,
        settings: Settings,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        origin.commit({"a": "1"})
        sprung = tmp_path / "sprung"
        (tmp_path / ".gitconfig").write_text(f'[core]\nsshCommand = "touch {sprung}"\n[bad\n')
        for name, value in {
            "HOME": tmp_path, "GIT_DIR": "/nowhere", "GIT_TRACE": sprung, "GIT_CURL_VERBOSE": "1",
            "http_proxy": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1",
            "GIT_EXEC_PATH": "/nowhere", "GIT_TEMPLATE_DIR": "/nowhere", "GIT_ASKPASS": "/nowhere",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, str(value))

        assert files(settings, refresh(settings, server.url("a"))) == {"a": b"1"}
        assert not sprung.exists()


class TestACredential:
    @pytest.mark.parametrize(
        ("credential", "header"),
        [
            (Credential("token", None, Secret("t0k")), "Bearer t0k"),
            (Credential("token", "oauth2", Secret("t0k")), "Basic b2F1dGgyOnQwaw=="),
            (Credential("basic", "ada", Secret("pä:ss")), "Basic YWRhOnDDpDpzcw=="),
        ],
    )
    def test_opens_what_is_closed(
        self,
        origin: Repository,
        server: GitServer,
        settings: Settings,
        credential: Credential,
        header: str,
    ) -> None:
        origin.commit({"a": "1"})
        server.authorization = header

        assert reason(settings, server.url("a")) == "forbidden"
        assert files(settings, refresh(settings, server.url("a"), credential)) == {"a": b"1"}
        assert {sent for _, _, sent in server.seen} == {None, header}

    @pytest.mark.parametrize("when", ["at once", "later"])
    def test_goes_to_no_other_server(
        self, origin: Repository, server: GitServer, settings: Settings, tmp_path: Path, when: str
    ) -> None:
        """Neither when the server redirects us, nor when it waits until git itself asks."""
        origin.commit({"a": "1"})
        credential = Credential("token", None, Secret("t0k"))
        with git_server(tmp_path / "served") as thief:
            part: str | bytes = "/info/refs" if when == "at once" else b"command=ls-refs"
            server.before[part] = redirect(f"http://{thief.place}{{path}}")
            with pytest.raises(FetchFailed) as refused:
                refresh(settings, server.url("a"), credential)
            assert thief.seen == []

        assert refused.value.reason == "unreachable"


class TestSeveralProcesses:
    def test_take_turns(self, origin: Repository, server: GitServer, settings: Settings) -> None:
        commit = origin.commit({"a": "1"})

        with ThreadPoolExecutor(4) as pool:
            heads = list(pool.map(lambda _: refresh(settings, server.url("a")), range(4)))

        assert heads == [Head(commit, "main")] * 4

    def test_do_not_wait_for_ever(
        self,
        origin: Repository,
        server: GitServer,
        settings: Settings,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        origin.commit({"a": "1"})
        monkeypatch.setattr(mirrors, "LOCK_WAIT_S", 0.1)
        with mirrors._locked(settings, ORG, REPO):
            for verb in (
                lambda: refresh(settings, server.url("a")),
                lambda: mirrors.remove(settings, ORG, REPO),
            ):
                with pytest.raises(Unavailable) as busy:
                    verb()
                assert busy.value.code == "repository_busy"

    @pytest.mark.parametrize("is_first", [True, False], ids=["first fetch", "later fetch"])
    def test_repair_what_a_killed_one_left(
        self, origin: Repository, server: GitServer, tmp_path: Path, is_first: bool
    ) -> None:
        settings = settings_of(server, tmp_path)
        origin.commit({"a": "1"})
        if not is_first:
            refresh(settings, server.url("a"))
        commit = origin.commit({"b": os.urandom(2**20)})
        arrived = threading.Event()
        server.before[b"command=fetch"] = _signal(arrived)
        victim = subprocess.Popen(
            [sys.executable, "-c", _REFRESH, str(tmp_path), server.place],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert arrived.wait(60)
        orphans = psutil.Process(victim.pid).children(recursive=True)
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        mirror = settings.repos_dir / ORG / f"{REPO}.git"
        if not is_first:
            (mirror / "refs/heads/mirror.lock").touch()
            (mirror / "objects/pack/tmp_pack_dead").write_bytes(b"x" * 1000)
        server.before.clear()

        head = refresh(settings, server.url("a"))

        assert head == Head(commit, "main")
        assert set(files(settings, head)) == {"a", "b"}
        assert [name for name in on_disk(settings) if not OUR_NAMES.fullmatch(name)] == []
        for orphan in orphans:
            if orphan.is_running():
                orphan.kill()


class TestRemoving:
    def test_leaves_nothing(
        self, origin: Repository, server: GitServer, settings: Settings
    ) -> None:
        origin.commit({"a": "1"})
        head = refresh(settings, server.url("a"))

        mirrors.remove(settings, ORG, REPO)
        mirrors.remove(settings, ORG, REPO)

        assert on_disk(settings) == ["org_acme"]
        with pytest.raises(Conflict):
            mirrors.snapshot(settings, ORG, REPO, head)


_REFRESH = """
import sys
from pathlib import Path
from stationmaster.repos import mirrors
from stationmaster.settings import Settings
place = sys.argv[2]
settings = Settings(
    data_dir=Path(sys.argv[1]) / "data", repos_private_hosts=place, repos_http_hosts=place
)
mirrors.refresh(settings, "org_acme", "repo_a", f"https://{place}/a", None)
"""


def _signal(arrived: threading.Event) -> Answer:
    def answer(handler: Handler) -> None:
        arrived.set()
        hang(handler)

    return answer
