"""Fixtures of all tests of wikis."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def no_page_fails(
    request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
) -> Iterator[None]:
    """Fails a test in which a page could not be written, but where its name says so."""
    yield
    failed = [it for it in caplog.get_records("call") if it.name == "stationmaster.wiki.making"]
    if "internal_error" not in request.node.name:
        assert not [it for it in failed if it.levelno >= logging.ERROR]
