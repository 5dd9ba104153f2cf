"""Servers and repositories that are slow, broken or hostile, and the bounds of a fetch."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from stationmaster.repos import mirrors
from stationmaster.repos.model import Head
from stationmaster.settings import Settings
from tests.repos.conftest import settings_of
from tests.repos.mirrors.copies import ORG, OUR_NAMES, REPO, files, on_disk, reason, refresh
from tests.support.git_servers import (
    Answer,
    GitServer,
    Handler,
    endless,
    endless_pack,
    hang,
    packet,
    redirect,
    result,
    status,
)
from tests.support.repositories import Repository, raw_entry

pytestmark = pytest.mark.attack


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
        strange = [name for name in on_disk(settings) if not OUR_NAMES.fullmatch(name)]
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


def _gits() -> list[psutil.Process]:
    """The git processes that this one has left; those of the test's server are reaped by it."""
    return [
        child
        for child in psutil.Process().children(recursive=True)
        if child.status() != psutil.STATUS_ZOMBIE
        and ("remote-http" in " ".join(child.cmdline()) or "ls-remote" in child.cmdline())
    ]
