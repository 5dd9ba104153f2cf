"""What the scan makes of a commit with these files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stationmaster.pipelines.model import Facts
from stationmaster.pipelines.scan import scan
from stationmaster.repos.files import Files
from stationmaster.repos.reading import open_path
from tests.support.repositories import Content, Repository


class Scanned:
    """Facts by path, paths by provider, and the reasons of what is ignored."""

    def __init__(self, path: Path, files: Mapping[str, Content]) -> None:
        repository = Repository(path / "repository")
        repository.commit(files)
        with open_path(repository.path, None) as snapshot:
            found = scan(Files(snapshot))
        self.facts: dict[str, Facts] = {each.path: each.facts for each in found.workflows}
        self.providers = {each.path: each.provider for each in found.workflows}
        self.ignored = {each.path: each.reason for each in found.ignored}


def only(path: Path, name: str, content: Content) -> Facts:
    """The facts of the only file."""
    return Scanned(path, {name: content}).facts[name]
