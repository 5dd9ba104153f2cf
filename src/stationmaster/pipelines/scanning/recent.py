"""Recent runs of CI, asked of hosting services with the repositories' credentials, and kept for a
minute: clients ask again and again.
"""

from __future__ import annotations

import threading
import time
from typing import NamedTuple

from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.pipelines.scanning import forges, owners
from stationmaster.pipelines.scanning.forges import Run
from stationmaster.repos import forges as hosts
from stationmaster.repos import service as repos
from stationmaster.settings import Settings

TTL_S = 60.0
SECONDS = 15.0
"""For all repositories of a request together; those that are not reached have no runs."""
REPOS_MAX = 20
RUNS_MAX = 100
_ORGS_MAX = 1_000


class Runs(NamedTuple):
    """The newest first; `is_connected` says that a credential for a repository is stored."""

    runs: list[Run]
    is_connected: bool


class Recent:
    """The runs of each organization; one per process."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._kept: dict[OrgId, tuple[float, Runs]] = {}

    def runs(self, db: Database, settings: Settings, vault: Vault, org: OrgId) -> Runs:
        """The newest runs of an organization; asked for again after TTL_S seconds."""
        with self._guard:
            until, kept = self._kept.get(org, (0.0, Runs([], False)))
        if time.monotonic() < until:
            return kept
        found = _ask(db, settings, vault, org)
        if not found.is_connected:
            return found
        with self._guard:
            if len(self._kept) >= _ORGS_MAX:
                self._kept.clear()
            self._kept[org] = (time.monotonic() + TTL_S, found)
        return found


def _ask(db: Database, settings: Settings, vault: Vault, org: OrgId) -> Runs:
    until = time.monotonic() + SECONDS
    known = [each for each in repos.list_page(db, org) if each.has_credential]
    runs: list[Run] = []
    for each in known[:REPOS_MAX]:
        credential = repos.credential(db, vault, org, each.repo_id)
        left = until - time.monotonic()
        if credential is None or left <= 0:
            continue
        forge = hosts.connect(settings, each.url, credential, seconds=left, questions_max=4)
        if forge is not None:
            runs += forges.runs(forge, owners.full_name(each.url))
    runs.sort(key=lambda run: (run.created_at or 0, run.id), reverse=True)
    return Runs(runs[:RUNS_MAX], bool(known))
