"""An installation with a running gateway, on a module's own folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support import databases, gateways
from tests.support.gateways import Installation, an_organization_in
from tests.support.raw_provider import RawProvider, raw_provider
from tests.support.servers import settings_for


@pytest.fixture(scope="module", params=databases.KINDS)
def installation(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("gateway")
    if request.param == "sqlite":
        with gateways.an_installation(settings_for(folder, "sqlite")) as made:
            yield made
        return
    with (
        request.getfixturevalue("postgresql").database() as url,
        gateways.an_installation(settings_for(folder, url)) as made,
    ):
        yield made


@pytest.fixture(scope="module")
def gateway_url(installation: Installation) -> Iterator[str]:
    with gateways.running_gateway(installation.settings) as url:
        yield url


@pytest.fixture
def agent(gateway_url: str) -> Iterator[httpx.Client]:
    """What an agent calls the gateway with; it shows no key by itself."""
    with gateways.client(gateway_url) as client:
        yield client


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[Installation]:
    """An installation for processes of its own."""
    with gateways.an_installation(settings_for(tmp_path, "sqlite")) as made:
        (made.settings.data_dir / "stationmaster.json").write_text('{"format":1}\n')
        yield made


@pytest.fixture
def org(installation: Installation) -> Installation:
    return an_organization_in(installation)


@pytest.fixture
def provider(org: Installation) -> Iterator[RawProvider]:
    with raw_provider() as running:
        for name in ("anthropic", "openai", "gemini"):
            org.provider(name, name, running.url)
        yield running
