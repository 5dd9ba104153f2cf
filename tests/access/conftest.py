"""The one real issuer of the tests that need its keys to stay the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.issuer import RunningIssuer, running_issuer


@pytest.fixture(scope="session")
def issuer() -> Iterator[RunningIssuer]:
    with running_issuer() as running:
        yield running
