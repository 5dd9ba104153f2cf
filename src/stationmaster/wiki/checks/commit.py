"""The commit that a wiki's citations are compared with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Conflict, NotFound
from stationmaster.ids import OrgId
from stationmaster.repos import addresses, mirrors
from stationmaster.repos import service as repos
from stationmaster.repos.model import Head
from stationmaster.settings import Settings
from stationmaster.wiki.checks.lines import UNCOUNTED, line_counts
from stationmaster.wiki.checks.links import Counts
from stationmaster.wiki.model import Origin


@contextmanager
def at_hand(
    db: Database, settings: Settings, org: OrgId, origin: Origin
) -> Iterator[Counts | None]:
    """The commit of a wiki, where its repository is registered and this machine has fetched it.

    What cannot be read of it counts as if it held every line: an upload is not refused for that.
    """
    try:
        repository = repos.get(db, org, addresses.id_of(org, addresses.normalise(origin.repo_url)))
        head = Head(origin.commit_hash or "", origin.branch)
        snapshot = mirrors.snapshot(settings, org, repository.repo_id, head)
    except (BadRequest, Conflict, NotFound):
        yield None
        return
    with snapshot:
        count = line_counts(snapshot)

        def readable(path: str) -> int | None:
            try:
                return count(path)
            except Conflict:
                return UNCOUNTED

        yield readable
