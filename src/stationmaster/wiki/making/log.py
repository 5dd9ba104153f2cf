"""Which files the commits of two years changed, without the names of people.

What a commit changed never changes, so it is remembered: a new head costs no more than the commits
behind it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, cast

import msgspec

from stationmaster.repos import history
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
_RAW = re.compile(r"\n?:\d{6} \d{6} [0-9a-f]+ [0-9a-f]+ ([A-Z])")


class FileChange(msgspec.Struct, frozen=True, array_like=True):
    """`status` is A for a new file, D for one that is gone, M for any other change."""

    path: str
    status: Literal["A", "D", "M"]


class Change(NamedTuple):
    """A commit that is no merge."""

    commit: str
    is_by_bot: bool
    subject: str
    files: tuple[FileChange, ...]


_KEPT = msgspec.msgpack.Decoder(dict[str, tuple[FileChange, ...]])


def read(snapshot: Snapshot, memory: Memory) -> tuple[Change, ...]:
    """The changes, the newest first: at most COMMITS_MAX, none older than DAYS_MAX before the head;
    fewer where objects or time were missing."""
    recent = _recent(snapshot)
    files = _changed(snapshot, [commit for commit, *_ in recent], memory)
    return tuple(
        Change(commit, history.is_bot(author), subject, files[commit])
        for commit, author, subject in recent
        if commit in files
    )


def _recent(snapshot: Snapshot) -> list[tuple[str, str, str]]:
    """The newest commits, each with its author and subject."""
    mark = secrets.token_hex(8)  # No name or subject can contain what is chosen now.
    output, _ = snapshot.log(
        [
            f"--format={mark}%ct%x00%H%x00%an%x00%s",
            "--no-merges",
            f"--max-count={COMMITS_MAX}",
        ],
        _BYTES_MAX,
        _SECONDS,
    )
    recent = []
    for record in output.decode(errors="replace").split(mark)[1:]:
        seconds, _, rest = record.partition("\0")
        at = int(seconds) * 1000 if seconds.isdecimal() else 0
        parts = rest.split("\0", 2) if snapshot.committed_at - at <= DAYS_MAX * _DAY_MS else ()
        if len(parts) == 3:
            recent.append((parts[0], parts[1], parts[2][:200]))
    return recent


def _changed(
    snapshot: Snapshot, commits: Sequence[str], memory: Memory
) -> Mapping[str, tuple[FileChange, ...]]:
    """The files of each commit that git could list."""
    try:
        kept = _KEPT.decode(memory.get("commits") or b"\x80")
    except msgspec.MsgspecError:
        kept = {}
    changed = {oid: kept[oid] for oid in commits if oid in kept}
    missing = [oid for oid in commits if oid not in kept]
    if missing:
        changed.update(_ask(snapshot, missing, len(commits)))
        memory.keep(msgspec.msgpack.encode(changed), "commits")
    return changed


def _ask(
    snapshot: Snapshot, missing: Sequence[str], count: int
) -> Iterator[tuple[str, tuple[FileChange, ...]]]:
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
    return ((part[0], tuple(_files(part[1:]))) for part in parts if part[0] in wanted)


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
        yield FileChange(
            path, cast("Literal['A', 'D', 'M']", match[1] if match[1] in "AD" else "M")
        )
