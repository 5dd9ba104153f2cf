from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.chaos import stations


@pytest.fixture(autouse=True)
def _nothing_goes_on() -> Iterator[None]:
    yield
    stations.end_all()
