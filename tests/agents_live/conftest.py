"""Every test of real agents runs with loopback alone."""

from __future__ import annotations

import pytest

from tests.agents_live.isolation import is_alone, switch_loopback_on


@pytest.fixture(scope="session")
def loopback() -> None:
    if not is_alone():
        pytest.fail("agents run without any network but loopback: start them by `make agents`")
    switch_loopback_on()
