"""One commit of a repository, read from its objects alone."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from stationmaster.errors import BadRequest, Conflict, NotFound, TooLarge
from stationmaster.repos import reading
from stationmaster.repos.reading import Change, TreeEntry, open_path
from tests.support.repositories import SECONDS, Repository, raw_entry

pytestmark = pytest.mark.attack


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


class TestASnapshot:
    def test_lists_what_is_in_the_commit_by_path(self, repository: Repository) -> None:
        commit = repository.commit(
            {"src/run.sh": ("100755", "#!/bin/sh\n"), "README.md": "Hello\n", "b c/ü.txt": "x"}
        )

        with open_path(repository.path) as snapshot:
            entries = snapshot.entries()
            assert (snapshot.commit, snapshot.branch) == (commit, "main")
            assert snapshot.committed_at == SECONDS * 1000
            assert not snapshot.is_shallow

        assert [(entry.path, entry.mode, entry.size) for entry in entries] == [
            ("README.md", "100644", 6),
            ("b c/ü.txt", "100644", 1),
            ("src/run.sh", "100755", 10),
        ]
        assert entries[0].oid == repository.git("rev-parse", "main:README.md")

    def test_reads_files_and_nothing_of_the_work_tree(self, repository: Repository) -> None:
        content = bytes(range(256)) * 300
        repository.commit({"data.bin": content, "empty": "", "README.md": "committed"})
        (repository.path / "README.md").write_text("edited")
        (repository.path / "new").write_text("untracked")

        with open_path(repository.path) as snapshot:
            assert snapshot.read("data.bin", len(content)) == content
            assert snapshot.read("empty", 0) == b""
            assert snapshot.read("README.md", 100) == b"committed"
            with pytest.raises(NotFound):
                snapshot.read("new", 100)

    def test_refuses_a_large_file_and_goes_on(self, repository: Repository) -> None:
        repository.commit({"big": "x" * 101, "small": "y"})

        with open_path(repository.path) as snapshot:
            with pytest.raises(TooLarge) as refused:
                snapshot.read("big", 100)
            assert refused.value.code == "file_too_large"
            assert snapshot.read("small", 100) == b"y"

    def test_never_follows_links_and_submodules(self, repository: Repository) -> None:
        target = "0123456789" * 4
        repository.commit(
            {"link": ("120000", "/etc/passwd"), "sub": ("160000", target), "a": ("120000", "b")}
        )

        with open_path(repository.path) as snapshot:
            assert snapshot.entries()[1:] == [
                TreeEntry("link", "120000", repository.git("rev-parse", "main:link"), 11),
                TreeEntry("sub", "160000", target, 0),
            ]
            for path in ("link", "sub", "a", "a/b", "", ".", "..", "\0", "x\nHEAD"):
                with pytest.raises(NotFound):
                    snapshot.read(path, 10**6)

    def test_knows_the_last_change_of_a_path_without_an_address(
        self, repository: Repository
    ) -> None:
        first = repository.commit({"src/a": "1", "*": "1"}, author="Grace\x07 Hopper", at=1000)
        second = repository.commit({"src/b": "2"}, at=2000)

        with open_path(repository.path) as snapshot:
            assert snapshot.last_change("src/a") == Change(first, "Grace Hopper", 1_000_000)
            assert snapshot.last_change("src") == Change(second, "Ada", 2_000_000)
            assert snapshot.last_change("*") == Change(first, "Grace Hopper", 1_000_000)
            for nothing in ("missing", "", "\0", ":(top)src", "--all", "\udcff"):
                assert snapshot.last_change(nothing) is None

    def test_says_that_its_history_is_shallow(self, repository: Repository, tmp_path: Path) -> None:
        repository.commit({"a": "1"})
        last = repository.commit({"b": "2"})
        repository.git(
            "clone", "--quiet", "--depth=1", f"file://{repository.path}", str(tmp_path / "clone")
        )

        with open_path(tmp_path / "clone") as snapshot:
            assert snapshot.is_shallow
            change = snapshot.last_change("a")
            assert change is not None
            assert change.commit == last

    def test_leaves_nothing_behind(
        self, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        repository.commit({"a": "1"})
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(scratch))
        before = _tree(repository.path)

        with open_path(repository.path) as snapshot:
            snapshot.read("a", 1)
            snapshot.last_change("a")
            process = snapshot._objects._popen
        with pytest.raises(NotFound):
            open_path(repository.path, "missing")

        assert process.returncode is not None
        assert list(scratch.iterdir()) == []
        assert _tree(repository.path) == before


class TestOpeningAPath:
    def test_takes_branches_tags_and_full_hashes(self, repository: Repository) -> None:
        first = repository.commit({"a": "1"})
        second = repository.commit({"a": "2"}, branch="feature/x")
        repository.git("tag", "v1", first)
        repository.git("tag", "-a", "-m", "notes", "v2", second)
        repository.git("tag", "-a", "-m", "notes", "v3", "v2")

        for _ in ("loose", "packed"):
            found = {
                ref: _place(repository.path, ref)
                for ref in (None, "main", "feature/x", "v1", "v2", "v3", second, "refs/tags/v1")
            }
            repository.git("pack-refs", "--all")

        assert found == {
            None: (first, "main"),
            "main": (first, "main"),
            "feature/x": (second, "feature/x"),
            "v1": (first, None),
            "v2": (second, None),
            "v3": (second, None),
            second: (second, None),
            "refs/tags/v1": (first, None),
        }

    def test_takes_bare_repositories_detached_heads_and_further_work_trees(
        self, repository: Repository, tmp_path: Path
    ) -> None:
        commit = repository.commit({"a": "1"})
        repository.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
        bare = Repository(tmp_path / "bare", "trunk", "--bare")
        bare_commit = bare.commit({"b": "2"})
        repository.git("checkout", "--quiet", "--detach", "main")

        assert _place(tmp_path / "side") == (commit, "side")
        assert _place(bare.path) == (bare_commit, "trunk")
        assert _place(repository.path) == (commit, None)
        assert _place(repository.path / ".git", "main") == (commit, "main")

    def test_takes_repositories_with_long_hashes(self, tmp_path: Path) -> None:
        repository = Repository(tmp_path / "sha256", "main", "--object-format=sha256")
        commit = repository.commit({"a": "1"})

        with open_path(repository.path) as snapshot:
            assert (snapshot.commit, len(commit)) == (commit, 64)
            assert snapshot.read("a", 1) == b"1"

    @pytest.mark.parametrize(
        "ref",
        ["-x", "--upload-pack=touch x", "a..b", "a b", "a\nb", "main~~x", "main^{x}", "@{-1}", ":a",
         "../../etc/passwd", "a/../../b", "x.lock", "/a", "a//b", "refs/heads/", "\0", "ü" * 300],
    )  # fmt: skip
    def test_refuses_what_is_no_name(self, repository: Repository, ref: str) -> None:
        repository.commit({"a": "1"})

        with pytest.raises(BadRequest) as refused:
            open_path(repository.path, ref)

        assert refused.value.code == "invalid_ref"

    @pytest.mark.parametrize("ref", ["missing", "f" * 40, "objects", "config", "main:a"[:4] + "/a"])
    def test_does_not_find_what_is_not_there(self, repository: Repository, ref: str) -> None:
        repository.commit({"a": "1"})

        with pytest.raises((NotFound, Conflict)):
            open_path(repository.path, ref)

    def test_does_not_take_a_file_for_a_commit(self, repository: Repository) -> None:
        repository.commit({"a": "1"})

        with pytest.raises(NotFound) as refused:
            open_path(repository.path, repository.git("rev-parse", "main:a"))

        assert refused.value.code == "no_commit"

    def test_does_not_take_any_folder_for_a_repository(
        self, repository: Repository, tmp_path: Path
    ) -> None:
        with pytest.raises(NotFound) as empty:
            open_path(repository.path)
        with pytest.raises(NotFound) as other:
            open_path(tmp_path)

        assert (empty.value.code, other.value.code) == ("no_commit", "no_repository")


class TestAHostileRepository:
    @pytest.mark.parametrize("where", ["work tree", "bare"])
    def test_runs_nothing_by_its_configuration(self, tmp_path: Path, where: str) -> None:
        repository = Repository(tmp_path / "trap", "main", *(["--bare"] if where == "bare" else []))
        commit = repository.commit({"a": "1", ".gitattributes": "* diff=trap filter=trap\n"})
        sprung = tmp_path / "sprung"
        _set_traps(repository, sprung)

        with open_path(repository.path, "main") as snapshot:
            assert snapshot.commit == commit
            assert [entry.path for entry in snapshot.entries()] == [".gitattributes", "a"]
            assert snapshot.read("a", 1) == b"1"
            assert snapshot.last_change("a") is not None

        assert not sprung.exists()

    def test_fetches_nothing_that_is_missing(self, repository: Repository, tmp_path: Path) -> None:
        commit = repository.commit({"a": "1", "gone": "2"})
        gone = repository.git("rev-parse", "main:gone")
        _remove_object(repository, gone)
        sprung = tmp_path / "sprung"
        _set_traps(repository, sprung)

        with open_path(repository.path) as snapshot:
            assert [entry.path for entry in snapshot.entries()] == ["a"]
            assert snapshot.hidden == 1
            with pytest.raises(NotFound):
                snapshot.read("gone", 1)
            assert snapshot.read("a", 1) == b"1"
        _remove_object(repository, commit)
        with pytest.raises(Conflict) as damaged:
            open_path(repository.path)

        assert damaged.value.code == "repository_unreadable"
        assert not sprung.exists()
        subprocess.run(["git", "cat-file", "-p", gone], cwd=repository.path, capture_output=True)
        assert sprung.exists(), "a trap that plain git does not spring proves nothing"

    def test_is_told_when_its_tree_is_damaged(self, repository: Repository) -> None:
        repository.commit({"a": "1", "folder/b": "2"})
        _remove_object(repository, repository.git("rev-parse", "main:folder"))

        with open_path(repository.path) as snapshot, pytest.raises(Conflict) as damaged:
            snapshot.entries()

        assert damaged.value.code == "repository_unreadable"

    def test_cannot_replace_objects_or_graft_history(self, repository: Repository) -> None:
        first = repository.commit({"a": "honest"}, at=1000)
        second = repository.commit({"b": "x"}, at=2000)
        evil = repository.blob(b"evil")
        repository.git("replace", "-f", repository.git("rev-parse", "main:a"), evil)
        (repository.path / ".git/info/grafts").write_text(f"{second}\n")

        with open_path(repository.path) as snapshot:
            assert snapshot.read("a", 100) == b"honest"
            assert snapshot.last_change("a") == Change(first, "Ada", 1_000_000)

    def test_is_read_although_someone_else_owns_it(self, repository: Repository) -> None:
        """Nothing of it can run, so the ownership that git asks for protects from nothing."""
        commit = repository.commit({"a": "1"})
        if os.geteuid() == 0:
            for path in (repository.path, repository.path / ".git"):
                os.chown(path, 12345, 12345)

        assert _place(repository.path) == (commit, "main")

    def test_hides_names_that_are_not_text_or_lead_elsewhere(self, repository: Repository) -> None:
        good = repository.blob(b"good")
        tree = repository.git("mktree", stdin=f"100644 blob {good}\tfile\n".encode())
        repository.commit_tree(
            raw_entry("40000", b"..", tree),
            raw_entry("40000", b".GIT", tree),
            raw_entry("100644", b"a\xff", good),
            raw_entry("100664", b"old", good),
            raw_entry("100644", b"old", good),
            raw_entry("120000", b"x\ny", good),
        )

        with open_path(repository.path) as snapshot:
            shown = [(entry.path, entry.mode) for entry in snapshot.entries()]
            assert snapshot.hidden == 4
            with pytest.raises(NotFound):
                snapshot.read("a\udcff", 100)

        assert shown == [("old", "100644"), ("x\ny", "120000")]

    def test_cannot_list_without_end(
        self, repository: Repository, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(reading, "ENTRIES_MAX", 2000)
        oid, kind = repository.blob(b"x"), ("100644", b"f")
        for _ in range(12):  # Ten entries of one tree, twelve levels deep: a million million files.
            entries = [raw_entry(kind[0], kind[1] + b"%d" % number, oid) for number in range(10)]
            oid = repository.git(
                "hash-object", "-t", "tree", "-w", "--stdin", "--literally", stdin=b"".join(entries)
            )
            kind = ("40000", b"d")
        commit = repository.git("commit-tree", "-m", "bomb", oid)

        with open_path(repository.path, commit) as snapshot:
            with pytest.raises(TooLarge) as refused:
                snapshot.entries()
            assert refused.value.code == "too_many_files"

    def test_is_not_waited_for(self, repository: Repository) -> None:
        """A pipe in place of a file would keep a reader waiting for ever."""
        repository.commit({"a": "1"})
        os.mkfifo(repository.path / ".git/refs/heads/pipe")
        os.symlink("/etc/hostname", repository.path / ".git/refs/heads/link")

        for ref in ("pipe", "link"):
            with pytest.raises(NotFound):
                open_path(repository.path, ref)

    def test_cannot_send_a_name_in_circles(self, repository: Repository) -> None:
        repository.commit({"a": "1"})
        (repository.path / ".git/refs/heads/loop").write_text("ref: refs/heads/loop\n")
        (repository.path / ".git/refs/heads/out").write_text("ref: ../../../../etc/passwd\n")

        for ref in ("loop", "out"):
            with pytest.raises(NotFound):
                open_path(repository.path, ref)


def _place(path: Path, ref: str | None = None) -> tuple[str, str | None]:
    with open_path(path, ref) as snapshot:
        return snapshot.commit, snapshot.branch


def _tree(path: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in path.rglob("*") if p.is_file()}


def _remove_object(repository: Repository, oid: str) -> None:
    (repository.path / ".git/objects" / oid[:2] / oid[2:]).unlink()


def _set_traps(repository: Repository, sprung: Path) -> None:
    """Every setting and file known to make git run a program, each touching one file."""
    trap = repository.path / "trap.sh"
    trap.write_text(f"#!{sys.executable}\nopen({str(sprung)!r}, 'a').write('x')\n")
    trap.chmod(0o755)
    settings = {
        "core.fsmonitor": trap, "core.sshCommand": trap, "core.hooksPath": repository.path,
        "core.pager": trap, "core.editor": trap, "core.askPass": trap, "core.gitProxy": trap,
        "core.alternateRefsCommand": trap, "credential.helper": trap, "diff.external": trap,
        "diff.trap.textconv": trap, "diff.trap.command": trap, "filter.trap.smudge": trap,
        "filter.trap.clean": trap, "filter.trap.process": trap, "gpg.program": trap,
        "log.showSignature": "true", "pager.log": trap, "pager.ls-tree": trap,
        "uploadpack.packObjectsHook": trap, "alias.ls-tree": f"!{trap}", "alias.log": f"!{trap}",
        "alias.cat-file": f"!{trap}", "extensions.partialClone": "origin",
        "remote.origin.promisor": "true", "remote.origin.url": f"ext::{trap}",
        "remote.origin.uploadpack": trap, "protocol.ext.allow": "always",
        "protocol.file.allow": "always",
    }  # fmt: skip
    for name, value in settings.items():
        repository.git("config", name, str(value))
    folder = Path(repository.git("rev-parse", "--absolute-git-dir"))
    (folder / "hooks").mkdir(exist_ok=True)
    for hook in (
        "post-checkout",
        "reference-transaction",
        "fsmonitor-watchman",
        "post-index-change",
    ):
        (folder / "hooks" / hook).symlink_to(trap)
    repository.git("config", "core.repositoryFormatVersion", "1")
