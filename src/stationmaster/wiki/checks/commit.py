"""The commit that a wiki's citations are compared with."""

from __future__ import annotations

from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Conflict, NotFound
from stationmaster.ids import OrgId
from stationmaster.repos import addresses, mirrors, service as repos
from stationmaster.repos.model import Head
from stationmaster.repos.reading import Source
from stationmaster.settings import Settings
from stationmaster.wiki.model import Origin


def source_of(db: Database, settings: Settings, org: OrgId, origin: Origin) -> Source | None:
    """The commit of a wiki, where its repository is registered and this machine has fetched it."""
    try:
        repository = repos.get(db, org, addresses.id_of(org, addresses.normalise(origin.repo_url)))
        head = Head(origin.commit_hash or "", origin.branch)
        return mirrors.source(settings, org, repository.repo_id, head)
    except (BadRequest, Conflict, NotFound):
        return None
