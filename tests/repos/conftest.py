"""A git server on loopback, and settings that permit it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stationmaster.settings import Settings
from tests.support.git_servers import GitServer, git_server
from tests.support.repositories import Repository


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    folder = tmp_path / "served"
    folder.mkdir()
    with git_server(folder) as running:
        yield running


@pytest.fixture
def origin(server: GitServer) -> Repository:
    """What is served as `a`."""
    return Repository(server.folder / "a", "main", "--bare")


@pytest.fixture
def settings(server: GitServer, tmp_path: Path) -> Settings:
    return settings_of(server, tmp_path)


def settings_of(server: GitServer, folder: Path, **fields: object) -> Settings:
    """Settings of a data folder, with this server permitted."""
    return Settings(
        data_dir=folder / "data",
        repos_private_hosts=server.place,
        repos_http_hosts=server.place,
        **fields,  # type: ignore[arg-type]  # What a test says of them.
    )
