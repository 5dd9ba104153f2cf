"""Reading one commit of a repository: from the bare objects alone, without a work tree.

A private, empty git folder borrows the objects. What is next to them (configuration, hooks,
replacements, grafts) is never opened, and links and submodules are entries like any other.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Self

import msgspec

from stationmaster.errors import Conflict, NotFound, TooLarge
from stationmaster.repos import git, local, revisions
from stationmaster.repos.git import GitError, GitLimits, Process

ENTRIES_MAX = 200_000
SECONDS = 1_800
"""How long a snapshot may stay open: the longest analysis."""
TAGS = "refs/tags/"
TAGS_MAX = 5_000
"""A repository with more is read as one whose tags are not known."""
_COMMIT_MAX = 2**20
_TAGS_MAX = 5
_CHUNK = 2**16
_LIMITS = GitLimits()
_ASKED_MAX = 256
"""Names at a time: they fit into a pipe, so that requests never wait for answers."""
_ANSWERS_MAX = 16 * 2**20
"""Bytes of answers at a time, beyond which no more is requested."""
_MADE = re.compile(rb"^(?:committer|tagger) .*> (\d{1,12})(?: [+-]\d{4})?$", re.M)
_COMMITTER = re.compile(rb"^committer .*> (\d{1,12})(?: [+-]\d{4})?$", re.M)
_MISLEADING = re.compile(r"/(?:\.{0,2}|\.[Gg][Ii][Tt])/")
"""Folders that are none, or git's own, in a path between two slashes."""


class TreeEntry(NamedTuple):
    """A file, link (mode 120000) or submodule (160000). `size` is bytes, 0 for a submodule."""

    path: str
    mode: str
    oid: str
    size: int


class Change(NamedTuple):
    """A commit: its hash, who wrote it, and when it was committed (UTC milliseconds)."""

    commit: str
    author: str
    at: int


class Source(msgspec.Struct, frozen=True):
    """Where a commit is read from: what opens a Snapshot of it, in this process or another.

    `objects` is a folder, `oid` a commit or a tag of one. `shallow` is the file that lists where a
    shallow repository's history ends. `tags` are objects by name, None where they are not known.
    """

    objects: str
    oid: str
    branch: str | None = None
    shallow: str | None = None
    tags: dict[str, str] | None = None

    def open(self) -> Snapshot:
        """Raises Conflict (`repository_unreadable`), NotFound for what names no commit."""
        return Snapshot(self)


class Snapshot:
    """One commit. Use it as a context manager, in one thread at a time.

    Every method raises Conflict (`repository_unreadable`) when objects are damaged or missing, or
    when the snapshot has been open for SECONDS.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.branch = source.branch
        self.tags = source.tags
        self.is_shallow = source.shallow is not None
        self.boundary = local.oids_in(Path(source.shallow)) if source.shallow else frozenset()
        """Commits whose parents a shallow repository lacks: they seem to have changed every
        file."""
        self.hidden = 0
        """Entries that `entries` left out, known after it: names that are not UTF-8 or would lead
        elsewhere, unknown modes, and files whose content is missing."""
        self._stack = ExitStack()
        self._home = Path(tempfile.mkdtemp(prefix="stationmaster-git-"))
        self._stack.callback(shutil.rmtree, self._home, ignore_errors=True)
        shallow = Path(source.shallow) if source.shallow else None
        self._environment = {
            **git.borrow(self._home / "git", source.oid, Path(source.objects), shallow),
            "GIT_LITERAL_PATHSPECS": "1",
        }
        try:
            self.commit, self.committed_at = self._peel(source.oid)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the processes of git and remove their folder."""
        self._stack.close()

    def beside(self) -> Snapshot:
        """Another one of the same commit, for another thread; it need not list the files again."""
        other = self.source.open()
        other._by_path = self._by_path
        return other

    def entries(self) -> list[TreeEntry]:
        """Everything in the commit, by path in the order of bytes. TooLarge over ENTRIES_MAX."""
        return list(self._by_path.values())

    def read(self, path: str, size_max: int) -> bytes:
        """A file's content. Raises NotFound for what is no file, TooLarge without reading it."""
        return self._content(self._by_path.get(path), size_max)

    def read_one(self, path: str, size_max: int) -> bytes:
        """`read` without listing the other files, for who reads nothing else."""
        listing = ["ls-tree", "-l", "-z", "--full-tree", "--end-of-options", self.commit, path]
        is_path = not ({"", ".", ".."} & set(path.split("/")) or "\0" in path)
        listed = self._run(listing) if is_path else b""
        entry = _entry(listed[:-1]) if listed else None
        return self._content(entry if entry and entry.path == path else None, size_max)

    def _content(self, entry: TreeEntry | None, size_max: int) -> bytes:
        if entry is None or not entry.mode.startswith("100"):
            raise NotFound("There is no such file in the commit.")
        if entry.size > size_max:
            raise TooLarge(f"The file is larger than {size_max} bytes.", code="file_too_large")
        return self._object(entry.oid, b"blob", size_max)

    def _run(self, arguments: list[str]) -> bytes:
        home, environment = self._home, self._environment
        try:
            return git.run(arguments, home=home, environment=environment, limits=_LIMITS)
        except GitError as fault:
            raise _unreadable() from fault

    def read_many(self, paths: Iterable[str], size_max: int) -> Iterator[tuple[str, bytes]]:
        """The contents of files, in their order; larger ones and what is no file are left out.

        Many are requested together: one at a time costs a change of processes for each.
        """
        entries_read: list[TreeEntry] = []
        size = 0
        for path in paths:
            entry = self._by_path.get(path)
            if entry is None or not entry.mode.startswith("100") or entry.size > size_max:
                continue
            entries_read.append(entry)
            size += entry.size
            if len(entries_read) == _ASKED_MAX or size > _ANSWERS_MAX:
                yield from self._contents(entries_read)
                entries_read, size = [], 0
        yield from self._contents(entries_read)

    def _contents(self, entries: Sequence[TreeEntry]) -> list[tuple[str, bytes]]:
        self._ask([entry.oid for entry in entries])
        contents = []
        for listed in entries:
            kind, content = self._answer(listed.oid, listed.size)
            if kind != b"blob":
                raise _unreadable()
            contents.append((listed.path, content))
        return contents

    def read_link(self, path: str, size_max: int) -> str:
        """Where a link points to, as it is written. Raises NotFound for what is no link."""
        entry = self._by_path.get(path)
        if entry is None or entry.mode != "120000":
            raise NotFound("There is no such link in the commit.")
        if entry.size > size_max:
            raise TooLarge(f"The link is longer than {size_max} bytes.", code="link_too_long")
        return self._object(entry.oid, b"blob", size_max).decode(errors="replace")

    def last_change(self, path: str) -> Change | None:
        """The newest commit that touched a file or folder, None where there is none; where history
        is shallow, its oldest commit seems to have touched everything."""
        if "\0" in path or not path:
            return None
        output = self._run([
            "log", "-1", "--format=%H%x00%an%x00%ct", "--no-ext-diff", "--no-textconv",
            "--no-show-signature", "--no-renames", "--end-of-options", self.commit, "--", path,
        ])  # fmt: skip
        if not output:
            return None
        commit, author, seconds = output.decode(errors="replace").strip("\n").split("\0")
        name = "".join(letter for letter in author if letter.isprintable())
        return Change(commit, name, int(seconds) * 1000)

    def log(self, arguments: Sequence[str], bytes_max: int, seconds: float) -> tuple[bytes, bool]:
        """What `git log` prints of the commit's history, and whether that is all of it.

        It ends where damaged or missing objects, the time or the size end it.
        """
        command = [
            "log", "-z", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-renames",
            "--no-color", "--no-notes", "--no-mailmap", "--encoding=UTF-8", *arguments,
            "--end-of-options", self.commit,
        ]  # fmt: skip
        with self._running(command, GitLimits(wall_s=seconds)) as process:
            process.stdin.close()
            output = process.stdout.read(bytes_max + 1)
            if len(output) > bytes_max:
                return output[:bytes_max], False
            try:
                process.finish()
            except GitError:
                return output, False
        return output, True

    def times(self, oids: Sequence[str]) -> list[int | None]:
        """When commits were committed and tags were made, UTC milliseconds; None for others."""
        dated = self._dated(oids)
        times: list[int | None] = []
        for oid in oids:
            head = (
                self._any_object(oid, _COMMIT_MAX)[1].partition(b"\n\n")[0] if oid in dated else b""
            )
            when = _MADE.search(head)
            times.append(None if when is None else int(when[1]) * 1000)
        return times

    def _dated(self, oids: Sequence[str]) -> set[str]:
        """Those that are commits or tags, and not too large."""
        command = ["cat-file", "--batch-check"]
        dated = set()
        with self._running(command) as process:
            for start in range(0, len(oids), _ASKED_MAX):
                batch = oids[start : start + _ASKED_MAX]
                _write(process, batch)
                for oid in batch:
                    fields = process.stdout.readline(200).split()
                    is_dated = len(fields) == 3 and fields[1] in (b"commit", b"tag")
                    if is_dated and int(fields[2]) <= _COMMIT_MAX:
                        dated.add(oid)
        return dated

    @cached_property
    def _by_path(self) -> dict[str, TreeEntry]:
        by_path: dict[str, TreeEntry] = {}
        listing = ["ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options", self.commit]
        with self._running(listing) as process:
            for count, line in enumerate(_lines(process)):
                if count >= ENTRIES_MAX:
                    raise TooLarge(
                        f"The commit has more than {ENTRIES_MAX} files.", code="too_many_files"
                    )
                entry = _entry(line)
                if entry is None or entry.path in by_path:
                    self.hidden += 1
                else:
                    by_path[entry.path] = entry
            try:
                process.finish()
            except GitError as fault:
                raise _unreadable() from fault
        return by_path

    @cached_property
    def _objects(self) -> Process:
        limits = GitLimits(wall_s=SECONDS, cpu_s=SECONDS)
        return self._stack.enter_context(self._running(["cat-file", "--batch"], limits))

    def _running(
        self, arguments: list[str], limits: GitLimits = _LIMITS
    ) -> AbstractContextManager[Process]:
        home, environment = self._home, self._environment
        return git.running(arguments, home=home, environment=environment, limits=limits)

    def _object(self, oid: str, kind: bytes, size_max: int) -> bytes:
        """The content of an object that must be of a kind and within a size."""
        actual, content = self._any_object(oid, size_max)
        if actual != kind:
            raise _unreadable()
        return content

    def _any_object(self, oid: str, size_max: int) -> tuple[bytes, bytes]:
        self._ask([oid])
        return self._answer(oid, size_max)

    def _ask(self, oids: Sequence[str]) -> None:
        try:
            _write(self._objects, oids)
        except OSError as fault:
            raise _unreadable() from fault

    def _answer(self, oid: str, size_max: int) -> tuple[bytes, bytes]:
        """To the next question, which was for this object."""
        try:
            answer = self._objects.stdout.readline(200).split()
            if len(answer) != 3 or answer[0] != oid.encode() or int(answer[2]) > size_max:
                raise _unreadable()
            content = self._objects.stdout.read(int(answer[2]) + 1)[:-1]
        except (OSError, ValueError) as fault:
            raise _unreadable() from fault
        if len(content) != int(answer[2]):
            raise _unreadable()
        return answer[1], content

    def _peel(self, oid: str) -> tuple[str, int]:
        """The commit behind an object's name, and its time in milliseconds."""
        for _ in range(_TAGS_MAX):
            kind, content = self._any_object(oid, _COMMIT_MAX)
            if kind == b"commit":
                when = _COMMITTER.search(content.partition(b"\n\n")[0])
                return oid, 0 if when is None else int(when[1]) * 1000
            target = re.match(rb"object ([0-9a-f]{40,64})\n", content)
            if kind != b"tag" or target is None:
                break
            oid = target[1].decode()
        raise NotFound("This names no commit.", code="no_commit")


def open_path(path: Path, ref: str | None = None) -> Snapshot:
    """A local repository at a branch, tag, hash or step back; at what is checked out by default.

    Raises NotFound when there is no repository or no such commit, BadRequest for what is no name.
    """
    place = local.find(path)
    oid, branch = revisions.named(place, ref)
    shallow = place.shared / "shallow"
    source = Source(
        str(place.shared / "objects"),
        oid,
        branch=branch,
        shallow=str(shallow) if shallow.is_file() else None,
        tags=local.under(place, TAGS, TAGS_MAX),
    )
    return source.open()


def _write(process: Process, oids: Sequence[str]) -> None:
    process.stdin.write("".join(f"{oid}\n" for oid in oids).encode())
    process.stdin.flush()


def _lines(process: Process) -> Iterator[bytes]:
    """The records of a listing, each ended by NUL."""
    rest = b""
    while chunk := process.stdout.read(_CHUNK):
        *lines, rest = (rest + chunk).split(b"\0")
        yield from lines


def _entry(line: bytes) -> TreeEntry | None:
    """One record of `ls-tree -l`; None for one that no reader should see."""
    meta, _, name = line.partition(b"\t")
    mode, _, oid, size = meta.decode().split()
    try:
        path = name.decode()
    except UnicodeDecodeError:
        return None
    if _MISLEADING.search(f"/{path}/"):
        return None
    if mode == "160000":
        return TreeEntry(path, mode, oid, 0)
    if not size.isdigit():
        return None
    if mode.startswith("100"):
        return TreeEntry(path, "100755" if int(mode, 8) & 0o100 else "100644", oid, int(size))
    return TreeEntry(path, mode, oid, int(size)) if mode == "120000" else None


def _unreadable() -> Conflict:
    return Conflict(
        "The repository's objects are damaged or incomplete, or reading took too long.",
        code="repository_unreadable",
    )
