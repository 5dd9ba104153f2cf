"""Commits of any content, and their scan."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stationmaster.pipelines.scanning.model import Origin, Workflow
from stationmaster.pipelines.scanning.scan import scan
from stationmaster.repos.reading import open_path
from tests.support.repositories import Content, Repository

ORIGIN = Origin("acme/shop", "https://github.com/acme/shop/blob/main")


def scanned(folder: Path, files: Mapping[str, Content]) -> list[Workflow]:
    """The workflows of a repository with these files."""
    repository = Repository(folder / "repository")
    repository.commit(files)
    with open_path(repository.path) as snapshot:
        return scan(snapshot, ORIGIN).workflows


def only(folder: Path, text: str | bytes) -> Workflow:
    """The one workflow of a file of GitHub Actions."""
    (found,) = scanned(folder, {".github/workflows/ci.yml": text})
    return found


def pipeline(
    folder: Path, text: str | bytes, others: Mapping[str, Content] | None = None
) -> Workflow:
    """The workflow of a GitLab pipeline."""
    (found,) = scanned(folder, {".gitlab-ci.yml": text, **(others or {})})
    return found
