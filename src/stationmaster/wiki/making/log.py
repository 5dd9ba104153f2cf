"""Which files the commits of two years changed, without the names of people.

What a commit changed never changes, so it is remembered: a new head costs no more than the commits
behind it.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, cast

import msgspec

from stationmaster.repos import history
from stationmaster.repos.history import Tag
from stationmaster.repos.reading import Snapshot
from stationmaster.wiki.making.memo import Memory

COMMITS_MAX = 5_000
DAYS_MAX = 730
"""Before the head, whenever that is."""
PATHS_MAX = 2_000
"""Of one commit; further ones are left out."""
_ONE_BY_ONE_MAX = 300
"""Up to so many commits, asking for them by name is cheaper than walking the history."""
_BYTES_MAX = 256 * 2**20
_SECONDS = 60.0
_DAY_MS = 86_400_000
_RAW = re.compile(r"\n?:\d{6} (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])")
_OID_KEPT = 12


class FileChange(msgspec.Struct, frozen=True, array_like=True):
    """`status` is A for a new file, D for one that is gone, M for any other change; `oid` begins
    the hash of what was added or is gone, '' for M."""

    path: str
    status: Literal["A", "D", "M"]
    oid: str = ""


class Change(NamedTuple):
    """A commit that is no merge. `at` is UTC milliseconds, never later than the head; `author` is a
    number that is unique to an author within this log only."""

    commit: str
    at: int
    author: int
    is_by_bot: bool
    subject: str
    files: tuple[FileChange, ...]


class Log(NamedTuple):
    """The newest first: at most COMMITS_MAX, none older than DAYS_MAX before the head.
    `is_complete`: the history began no earlier. `knows_tags`: tags can be read, unlike in a
    mirror."""

    changes: tuple[Change, ...] = ()
    tags: tuple[Tag, ...] = ()
    is_complete: bool = False
    knows_tags: bool = False


class _Head(NamedTuple):
    commit: str
    at: int
    author: str
    address: str
    subject: str


_KEPT = msgspec.msgpack.Decoder(dict[str, tuple[FileChange, ...]])


def read(snapshot: Snapshot, memory: Memory) -> Log:
    """Read the log; it is not complete where objects or time were missing."""
    recent, is_whole = _recent(snapshot)
    files, has_files = _changed(snapshot, [head.commit for head in recent], memory)
    authors: dict[bytes, int] = {}
    changes = tuple(
        Change(
            head.commit,
            min(head.at, snapshot.committed_at),
            authors.setdefault(_identity(head), len(authors)),
            history.is_bot(head.author),
            head.subject,
            files[head.commit],
        )
        for head in recent
        if head.commit in files
    )
    is_complete = is_whole and has_files and not snapshot.is_shallow
    return Log(changes, history.tags(snapshot), is_complete, snapshot.tags is not None)


def _recent(snapshot: Snapshot) -> tuple[list[_Head], bool]:
    """The newest commits, and whether there are no others."""
    mark = secrets.token_hex(8)  # No name or subject can contain what is chosen now.
    output, is_whole = snapshot.log(
        [
            f"--format={mark}%ct%x00%H%x00%an%x00%ae%x00%s",
            "--no-merges",
            f"--max-count={COMMITS_MAX + 1}",
        ],
        _BYTES_MAX,
        _SECONDS,
    )
    heads: list[_Head] = []
    records = output.decode(errors="replace").split(mark)[1:]
    for record in records:
        seconds, _, rest = record.partition("\0")
        at = int(seconds) * 1000 if seconds.isdecimal() else 0
        parts = rest.split("\0", 4) if snapshot.committed_at - at <= DAYS_MAX * _DAY_MS else ()
        if len(parts) >= 4 and len(heads) < COMMITS_MAX:
            oid, author, address, subject = parts[:4]
            heads.append(_Head(oid, at, author, address, subject[:200]))
    return heads, is_whole and len(heads) == len(records)


def _identity(head: _Head) -> bytes:
    person = (head.address or head.author).strip().lower()
    return hashlib.blake2b(person.encode(errors="replace"), digest_size=16).digest()


def _changed(
    snapshot: Snapshot, commits: Sequence[str], memory: Memory
) -> tuple[Mapping[str, tuple[FileChange, ...]], bool]:
    """The files of each commit, and whether git could list them all."""
    try:
        kept = _KEPT.decode(memory.get("commits") or b"\x80")
    except msgspec.MsgspecError:
        kept = {}
    changed = {oid: kept[oid] for oid in commits if oid in kept}
    missing = [oid for oid in commits if oid not in kept]
    is_whole = True
    if missing:
        asked, is_whole = _ask(snapshot, missing, len(commits))
        changed.update(asked)
        memory.keep(msgspec.msgpack.encode(changed), "commits")
    return changed, is_whole


def _ask(
    snapshot: Snapshot, missing: Sequence[str], count: int
) -> tuple[Iterable[tuple[str, tuple[FileChange, ...]]], bool]:
    mark = secrets.token_hex(8)
    which = (
        ["--no-walk=unsorted", *missing]
        if len(missing) <= _ONE_BY_ONE_MAX
        else ["--no-merges", f"--max-count={count}"]
    )
    output, is_whole = snapshot.log(
        [f"--format={mark}%H%x00", "--raw", "--no-abbrev", *which], _BYTES_MAX, _SECONDS
    )
    records = output.decode(errors="replace").split(mark)[1:]
    if not is_whole:
        records = records[:-1]  # The last one may be cut short.
    wanted = set(missing)
    parts = (record.split("\0") for record in records)
    return ((part[0], tuple(_files(part[1:]))) for part in parts if part[0] in wanted), is_whole


def _files(parts: Sequence[str]) -> Iterator[FileChange]:
    fields = iter(parts)
    count = 0
    for part in fields:
        match = _RAW.fullmatch(part)
        if match is None:
            continue
        path = next(fields, "")
        count += 1
        if count > PATHS_MAX or not path or "\ufffd" in path:
            continue
        _, old, new, kind = match.groups()
        status = cast("Literal['A', 'D', 'M']", kind if kind in "AD" else "M")
        oid = {"A": new, "D": old}.get(status, "")[:_OID_KEPT]
        yield FileChange(path, status, oid)
