"""A client with the key of the organization of the reports."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.spec import day
from tests.support.servers import Server


@pytest.fixture
def ada(any_server: Server, acme: day.Acme) -> Iterator[httpx.Client]:
    with any_server.client(acme.key) as client:
        yield client
