"""Where a command works: in a folder, or on a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.servers import running_server, settings_for


@pytest.fixture(params=["local", "server"])
def where(
    request: pytest.FixtureRequest, made: dict[str, str], tmp_path: Path
) -> Iterator[tuple[str, ...]]:
    """The options of a command that speaks to the folder, or to a server on it."""
    if request.param == "local":
        yield ("--data-dir", made["data"])
        return
    with running_server(settings_for(tmp_path, "")) as server:
        yield ("--url", server.url, "--key", made["api_key"])
