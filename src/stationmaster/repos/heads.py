"""A look at every registered repository from time to time: did its HEAD move?"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from stationmaster import clock
from stationmaster.access import operator
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.errors import StationmasterError
from stationmaster.ids import OrgId, RepoId
from stationmaster.repos import service, store
from stationmaster.settings import Settings

AT_ONCE = 4
"""Servers that are asked at a time."""

log = logging.getLogger("stationmaster.repos")


def look_around(
    db: Database, settings: Settings, vault: Vault, moved: service.Announce, stop: threading.Event
) -> None:
    """Look at each repository whose last look is older than `repos_look_seconds`.

    One process does it at a time; the others return at once. A server that fails is the
    repository's `fetch_error`, and is asked again after the same time.
    """
    with db.alone("look at heads", wait=False) as is_mine:
        if not is_mine:
            return

        def look(place: tuple[OrgId, RepoId]) -> None:
            if stop.is_set():
                return
            try:
                service.look(db, settings, vault, *place, moved=moved)
            except StationmasterError as fault:
                log.info("looking at %s: %s", place[1], fault.detail)

        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="look") as pool:
            list(pool.map(look, _due(db, settings)))


def _due(db: Database, settings: Settings) -> Iterator[tuple[OrgId, RepoId]]:
    moment = clock.now_ms() - settings.repos_look_seconds * 1000
    for tenant in operator.tenants(db):
        for repo in store.not_seen_since(db, tenant.org_id, moment):
            yield tenant.org_id, repo
