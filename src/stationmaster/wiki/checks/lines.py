"""How many lines the files of a commit have."""

from __future__ import annotations

from stationmaster.errors import NotFound, TooLarge
from stationmaster.repos.reading import Snapshot
from stationmaster.wiki.checks.links import Counts

_FILE_MAX = 8 * 2**20
_TOTAL_MAX = 256 * 2**20
_LINK_MAX = 4096
UNCOUNTED = 10**9
"""Lines of what is too large to count: whatever is cited of it may stand there."""


def line_counts(snapshot: Snapshot) -> Counts:
    """How many lines a file of a commit has; each is read once."""
    counts: dict[str, int | None] = {}
    left = _TOTAL_MAX

    def count(path: str) -> int | None:
        nonlocal left
        if path not in counts:
            try:
                data = snapshot.read(path, min(_FILE_MAX, left))
            except TooLarge:
                counts[path] = UNCOUNTED
            except NotFound:
                counts[path] = _of_link(snapshot, path)
            else:
                left -= len(data)
                counts[path] = data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
        return counts[path]

    return count


def _of_link(snapshot: Snapshot, path: str) -> int | None:
    """A link is one line, and is there; nobody follows it."""
    try:
        snapshot.read_link(path, _LINK_MAX)
    except (NotFound, TooLarge):
        return None
    return 1
