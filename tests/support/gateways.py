"""A real gateway on a free port, in a thread of the test, and providers for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

import httpx
import uvicorn

from stationmaster.access import operator
from stationmaster.access.model import Caller
from stationmaster.access.vault import Vault
from stationmaster.api.serving.connections import Connection
from stationmaster.db.engine import Database
from stationmaster.gateway import providers
from stationmaster.gateway.app import Gateway
from stationmaster.ids import OrgId
from stationmaster.settings import Settings
from tests.support.builders import a_key, a_member, an_organization
from tests.support.listening import listening

_numbers = count(1)
PROVIDER_KEY = "sk-ant-provider-0123456789"


@dataclass(frozen=True)
class Installation:
    """An organization with an owner, and the text of the owner's key."""

    settings: Settings
    db: Database
    org: OrgId
    owner: Caller
    key: str

    def provider(
        self, name: str, kind: str, url: str, *, failover: tuple[str, ...] = ()
    ) -> providers.Provider:
        """A provider on loopback whose key is PROVIDER_KEY."""
        return providers.add(
            *(self.db, Vault.open(self.settings), self.owner, name, kind, url, PROVIDER_KEY),
            is_private=True,
            failover=failover,
        )


@contextmanager
def an_installation(settings: Settings) -> Iterator[Installation]:
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    db = Database.open(settings.state_url)
    try:
        db.migrate()
        org = an_organization(db)
        member = a_member(db, org, "owner@example.com", "owner")
        key = a_key(db, org, member)
        yield Installation(settings, db, org, operator.owner(db, org), key)
    finally:
        db.close()


@contextmanager
def running_gateway(settings: Settings) -> Iterator[str]:
    """The address of a gateway that serves until the block ends, then stops gracefully."""
    config = uvicorn.Config(
        Gateway(settings),
        http=Connection,
        ws="none",
        log_level="warning",
        access_log=False,
        lifespan="on",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    with listening(config) as (url, _):
        yield url


def client(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, timeout=30, trust_env=False)


def an_organization_in(installation: Installation) -> Installation:
    """Another organization of the same installation."""
    org = an_organization(installation.db, f"Org {next(_numbers)}")
    member = a_member(installation.db, org, "owner@example.com", "owner")
    key = a_key(installation.db, org, member)
    owner = operator.owner(installation.db, org)
    return Installation(installation.settings, installation.db, org, owner, key)
