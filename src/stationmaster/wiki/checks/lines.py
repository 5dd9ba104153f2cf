"""How many lines the files of a commit have."""

from __future__ import annotations

from stationmaster.errors import NotFound, TooLarge
from stationmaster.repos.reading import Snapshot, TreeEntry
from stationmaster.wiki.checks.links import Counts
from stationmaster.wiki.making.memo import Memory, Nothing

_FILE_MAX = 8 * 2**20
_TOTAL_MAX = 256 * 2**20
_LINK_MAX = 4096
UNCOUNTED = 10**9
"""Lines of what is too large to count: any line of it may be cited."""


def line_counts(snapshot: Snapshot, memory: Memory | None = None) -> Counts:
    """How many lines a file of a commit has; a content is read once while `memory` lasts."""
    entries = {entry.path: entry for entry in snapshot.entries()}
    counts: dict[str, int | None] = {}
    left = _TOTAL_MAX

    def count(path: str) -> int | None:
        nonlocal left
        if path not in counts:
            entry = entries.get(path)
            if entry is None or not entry.mode.startswith("100"):
                counts[path] = _of_link(snapshot, path)
            elif entry.size > min(_FILE_MAX, left):
                counts[path] = UNCOUNTED
            else:
                left -= entry.size
                counts[path] = _of_file(snapshot, entry, memory or Nothing())
        return counts[path]

    return count


def _of_file(snapshot: Snapshot, entry: TreeEntry, memory: Memory) -> int:
    kept = memory.get("lines", entry.oid)
    if kept is not None and kept.isdigit():
        return int(kept)
    data = snapshot.read(entry.path, entry.size)
    count = data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
    memory.keep(b"%d" % count, "lines", entry.oid)
    return count


def _of_link(snapshot: Snapshot, path: str) -> int | None:
    """A link is one line, and exists; it is not followed."""
    try:
        snapshot.read_link(path, _LINK_MAX)
    except (NotFound, TooLarge):
        return None
    return 1
