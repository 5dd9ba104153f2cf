"""Records of a person in a local data folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from stationmaster.access import operator
from stationmaster.cli import folder
from stationmaster.lake.inbox import open_database
from stationmaster.lake.mover import Mover
from stationmaster.lake.storage import Lake
from stationmaster.people import export
from stationmaster.settings import Settings


@contextmanager
def of_folder(
    settings: Settings, org: str | None, person: str
) -> Iterator[Iterator[tuple[str, Any]]]:
    """The sections and data of all records of a person, named by an address or an id.

    Raises what the export raises for a person whom the organization does not have.
    """
    with folder.tenant(settings, org) as (db, org_id), closing(open_database(settings)) as inbox:
        user = export.of(db, org_id, person, by=operator.owner(db, org_id))
        Mover(inbox, db, settings).drain(org_id)
        records = export.records(db, Lake.open(settings), org_id, user)
        yield ((record.section, record.data) for record in records)
