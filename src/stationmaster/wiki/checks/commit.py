"""The commit that a wiki's citations are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Conflict, NotFound, TooLarge
from stationmaster.ids import OrgId
from stationmaster.repos import addresses, mirrors
from stationmaster.repos import service as repos
from stationmaster.repos.model import Head
from stationmaster.repos.reading import Snapshot
from stationmaster.settings import Settings
from stationmaster.wiki.checks.links import Counts
from stationmaster.wiki.model import Origin

_FILE_MAX = 8 * 2**20
_TOTAL_MAX = 256 * 2**20
_LINK_MAX = 4096
_UNCOUNTED = 10**9
"""Lines of what is too large to count: whatever is cited of it may stand there."""


@contextmanager
def at_hand(
    db: Database, settings: Settings, org: OrgId, origin: Origin
) -> Iterator[Counts | None]:
    """The commit of a wiki, where its repository is registered and this machine has fetched it."""
    try:
        repository = repos.get(db, org, addresses.id_of(org, addresses.normalise(origin.repo_url)))
        head = Head(origin.commit_hash or "", origin.branch)
        snapshot = mirrors.snapshot(settings, org, repository.repo_id, head)
    except (BadRequest, Conflict, NotFound):
        yield None
        return
    with snapshot:
        yield line_counts(snapshot)


def line_counts(snapshot: Snapshot) -> Counts:
    """How many lines a file of a commit has; each is read once."""
    known: dict[str, int | None] = {}
    left = _TOTAL_MAX

    def count(path: str) -> int | None:
        nonlocal left
        if path not in known:
            try:
                data = snapshot.read(path, min(_FILE_MAX, left))
            except TooLarge:
                known[path] = _UNCOUNTED
            except NotFound:
                known[path] = _of_link(snapshot, path)
            else:
                left -= len(data)
                known[path] = data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
        return known[path]

    return count


def _of_link(snapshot: Snapshot, path: str) -> int | None:
    """A link is one line, and is there; nobody follows it."""
    try:
        snapshot.read_link(path, _LINK_MAX)
    except (NotFound, TooLarge):
        return None
    return 1
