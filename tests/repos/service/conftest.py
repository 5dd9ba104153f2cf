"""An owner, and the vault that seals credentials of repositories."""

from __future__ import annotations

import pytest

from stationmaster.access.model import Caller
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.settings import Settings
from tests.repos.service.registry import an_owner


@pytest.fixture
def vault(settings: Settings) -> Vault:
    return Vault.open(settings)


@pytest.fixture
def ada(db: Database) -> Caller:
    """The owner of an organization."""
    return an_owner(db, "Acme")
