"""Copies of repositories, fetched from real servers: good ones, slow ones, hostile ones."""

from __future__ import annotations

import os
import re
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
from stationmaster.ids import OrgId, RepoId
from stationmaster.repos import mirrors
from stationmaster.repos.model import Credential, FetchFailed, Head
from stationmaster.settings import Settings
from tests.repos.conftest import settings_of
from tests.support.git_servers import (
    Answer,
    GitServer,
    Handler,
    endless,
    endless_pack,
    git_server,
    hang,
    packet,
    redirect,
    result,
    status,
)
from tests.support.repositories import Repository, raw_entry

pytestmark = pytest.mark.attack

ORG, REPO = OrgId("org_acme"), RepoId("repo_a")


def refresh(settings: Settings, url: str, credential: Credential | None = None) -> Head:
    return mirrors.refresh(settings, ORG, REPO, url, credential)


def files(settings: Settings, head: Head) -> dict[str, bytes]:
    with mirrors.snapshot(settings, ORG, REPO, head) as snapshot:
        return {entry.path: snapshot.read(entry.path, 10**7) for entry in snapshot.entries()}


def reason(settings: Settings, url: str) -> str:
    """Why a repository cannot be fetched."""
    with pytest.raises(FetchFailed) as refused:
        refresh(settings, url)
    assert refused.value.code == f"repository_{refused.value.reason}"
    return refused.value.reason


def on_disk(settings: Settings) -> list[str]:
    return sorted(
        str(path.relative_to(settings.repos_dir)) for path in settings.repos_dir.rglob("*")
    )


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


class TestAServerThatDoesNotServe:
    @pytest.mark.parametrize(
        ("answer", "why"),
        [
            (status(401), "forbidden"),
            (status(403), "forbidden"),
            (status(404), "not_found"),
            (status(410), "not_found"),
            (status(500), "unreachable"),
            (status(200), "unreachable"),
            (redirect("/again{path}"), "unreachable"),
            (redirect("https://user:secret@[::1/"), "unreachable"),
            (redirect("/a?x=/info/refs?service=git-upload-pack"), "unreachable"),
            (redirect(""), "unreachable"),
            (endless(b"", b"0000", "upload-pack-result"), "unreachable"),
        ],
    )
    def test_is_told_by_a_code(
        self,
        origin: Repository,
        server: GitServer,
        settings: Settings,
        answer: Answer,
        why: str,
    ) -> None:
        origin.commit({"a": "1"})
        server.before["/info/refs"] = answer

        assert reason(settings, server.url("a")) == why
        assert on_disk(settings) == ["org_acme", "org_acme/repo_a.lock"]

    @pytest.mark.parametrize("code", [401, 403, 404, 500])
    def test_is_told_when_it_changes_its_mind(
        self, origin: Repository, server: GitServer, settings: Settings, code: int
    ) -> None:
        origin.commit({"a": "1"})
        server.before[b"command=fetch"] = status(code)
        why = {401: "forbidden", 403: "forbidden", 404: "not_found"}.get(code, "unreachable")

        assert reason(settings, server.url("a")) == why

    def test_is_unreachable_when_it_is_not_there(
        self, server: GitServer, settings: Settings
    ) -> None:
        gone = "127.0.0.1:1"
        reachable = Settings(data_dir=settings.data_dir, repos_private_hosts=gone)

        assert reason(reachable, f"https://{gone}/a") == "unreachable"
        assert reason(settings, "https://no-such-host.invalid/a") == "unreachable"

    def test_is_not_found_or_empty_as_git_says(self, server: GitServer, settings: Settings) -> None:
        Repository(server.folder / "empty", "main", "--bare")

        assert reason(settings, server.url("missing")) == "not_found"
        assert reason(settings, server.url("empty")) == "empty"

    def test_speaks_https_unless_the_operator_says_otherwise(
        self, origin: Repository, server: GitServer, settings: Settings
    ) -> None:
        origin.commit({"a": "1"})
        strict = Settings(data_dir=settings.data_dir, repos_private_hosts=server.place)

        assert reason(strict, server.url("a")) == "unreachable"
        assert server.seen == []

    def test_is_not_asked_at_a_private_address(
        self, origin: Repository, server: GitServer, settings: Settings
    ) -> None:
        origin.commit({"a": "1"})
        strict = Settings(data_dir=settings.data_dir, repos_http_hosts=server.place)

        assert reason(strict, server.url("a")) == "address_refused"
        assert server.seen == []

    def test_keeps_what_was_fetched_before(
        self, origin: Repository, server: GitServer, settings: Settings
    ) -> None:
        origin.commit({"a": "1"})
        head = refresh(settings, server.url("a"))
        origin.commit({"b": "2"})
        server.before[b"command=fetch"] = status(500)

        assert reason(settings, server.url("a")) == "unreachable"
        assert files(settings, head) == {"a": b"1"}


class TestBounds:
    @pytest.mark.parametrize("part", ["/info/refs", b"command=ls-refs", b"command=fetch"])
    def test_time_ends_a_silent_server_and_every_process(
        self, origin: Repository, server: GitServer, tmp_path: Path, part: str | bytes
    ) -> None:
        origin.commit({"a": "1"})
        settings = settings_of(server, tmp_path, repos_fetch_seconds=1)
        server.before[part] = hang

        assert reason(settings, server.url("a")) == "timed_out"
        assert _gits() == []
        assert on_disk(settings) == ["org_acme", "org_acme/repo_a.lock"]

    def test_time_ends_a_listing_without_end(
        self, origin: Repository, server: GitServer, tmp_path: Path
    ) -> None:
        origin.commit({"a": "1"})
        settings = settings_of(server, tmp_path, repos_fetch_seconds=2)
        line = packet(b"1" * 40 + b" refs/heads/x\n")
        server.before[b"command=ls-refs"] = endless(b"", line * 100)

        assert reason(settings, server.url("a")) in ("timed_out", "unreachable")
        assert _gits() == []

    def test_size_ends_a_pack_without_end_while_it_comes(
        self, origin: Repository, server: GitServer, tmp_path: Path
    ) -> None:
        origin.commit({"a": "1"})
        settings = settings_of(server, tmp_path, repos_size_max=2**22)
        server.before[b"command=fetch"] = endless_pack()

        assert reason(settings, server.url("a")) == "too_large"
        assert on_disk(settings) == ["org_acme", "org_acme/repo_a.lock"]

    def test_messages_without_end_fill_nothing(
        self, origin: Repository, server: GitServer, tmp_path: Path
    ) -> None:
        origin.commit({"a": "1"})
        settings = settings_of(server, tmp_path, repos_fetch_seconds=1)
        noise = packet(b"\2" + b"x" * 60_000 + b"\n")
        server.before[b"command=fetch"] = endless(packet(b"packfile\n"), noise)

        assert reason(settings, server.url("a")) == "timed_out"
        assert on_disk(settings) == ["org_acme", "org_acme/repo_a.lock"]

    def test_size_bounds_a_repository_and_what_fits_again_is_fetched(
        self, origin: Repository, server: GitServer, tmp_path: Path
    ) -> None:
        settings = settings_of(server, tmp_path, repos_size_max=2**21)
        origin.commit({"a": os.urandom(2**20 + 2**19)})
        refresh(settings, server.url("a"))
        origin.commit({"b": os.urandom(2**20)})
        assert reason(settings, server.url("a")) == "too_large"

        origin.git("update-ref", "-d", "refs/heads/main")
        rewritten = origin.commit({"b": os.urandom(2**20)})

        assert refresh(settings, server.url("a")) == Head(rewritten, "main")
        assert mirrors._size(settings.repos_dir) <= 2**21


class TestAHostileRepository:
    def test_leaves_objects_alone_behind(
        self, origin: Repository, server: GitServer, settings: Settings, tmp_path: Path
    ) -> None:
        sprung = tmp_path / "sprung"
        origin.commit(
            {
                ".gitattributes": "* filter=trap diff=trap\n",
                ".gitmodules": '[submodule "s"]\n\tpath = "s\\r"\n\turl = ./s\n',
                ".lfsconfig": "[lfs]\nurl = http://127.0.0.1:1/\n",
                "s\r": ("160000", "1" * 40),
                "link": ("120000", "../../../../../../etc/passwd"),
                "hooks/post-checkout": ("100755", f"#!/bin/sh\ntouch {sprung}\n"),
                "A": "upper",
                "a": "lower",
            }
        )
        origin.git("config", "uploadpack.allowFilter", "true")
        head = refresh(settings, server.url("a"))

        with mirrors.snapshot(settings, ORG, REPO, head) as snapshot:
            assert len(snapshot.entries()) == 8
        assert not sprung.exists()
        strange = [name for name in on_disk(settings) if not _OUR_NAMES.fullmatch(name)]
        assert strange == []

    def test_writes_no_name_of_its_own_to_the_disk(
        self, origin: Repository, server: GitServer, settings: Settings
    ) -> None:
        origin.commit({"marked-file": "1"}, branch="marked-branch")
        origin.git("symbolic-ref", "HEAD", "refs/heads/marked-branch")

        assert refresh(settings, server.url("a")).branch == "marked-branch"
        for path in settings.repos_dir.rglob("*"):
            assert "marked" not in path.name
            if path.is_file() and path.suffix != ".pack":
                assert b"marked" not in path.read_bytes()

    def test_is_refused_when_its_tree_leads_elsewhere(
        self, origin: Repository, server: GitServer, settings: Settings
    ) -> None:
        origin.commit_tree(raw_entry("100644", b"../evil", origin.blob(b"x")))

        assert reason(settings, server.url("a")) == "invalid"
        assert on_disk(settings) == ["org_acme", "org_acme/repo_a.lock"]

    def test_may_have_old_and_harmless_faults(
        self, origin: Repository, server: GitServer, settings: Settings
    ) -> None:
        tree = origin.git("mktree", stdin=f"100644 blob {origin.blob(b'x')}\ta\n".encode())
        origin.commit_tree(raw_entry("040000", b"folder", tree))

        assert files(settings, refresh(settings, server.url("a"))) == {"folder/a": b"x"}

    @pytest.mark.parametrize("name", ["-x", "a..b", "a\u0007b", "x" * 300])
    def test_cannot_name_a_branch_what_is_no_name(
        self, origin: Repository, server: GitServer, settings: Settings, name: str
    ) -> None:
        commit = origin.commit({"a": "1"})
        first = f"{commit} HEAD\0 symref=HEAD:refs/heads/{name}\n".encode()

        def advertise(handler: Handler) -> None:
            if "Git-Protocol" in handler.headers:
                handler.answer_by_git()
                return
            told = packet(b"# service=git-upload-pack\n") + b"0000" + packet(first) + b"0000"
            result(told, "advertisement")(handler)

        server.before["info/refs"] = advertise

        assert refresh(settings, server.url("a")) == Head(commit, None)


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
        assert [name for name in on_disk(settings) if not _OUR_NAMES.fullmatch(name)] == []
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


_OUR_NAMES = re.compile(
    r"org_acme(/repo_a\.(lock|git(/(HEAD|config|shallow|refs(/heads(/mirror)?)?"
    r"|objects(/(info|pack(/pack-[0-9a-f]{40}\.(pack|idx|rev))?))?))?))?"
)
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


def _gits() -> list[psutil.Process]:
    """The git processes that this one has left; those of the test's server are reaped by it."""
    return [
        child
        for child in psutil.Process().children(recursive=True)
        if child.status() != psutil.STATUS_ZOMBIE
        and ("remote-http" in " ".join(child.cmdline()) or "ls-remote" in child.cmdline())
    ]


def _signal(arrived: threading.Event) -> Answer:
    def answer(handler: Handler) -> None:
        arrived.set()
        hang(handler)

    return answer
