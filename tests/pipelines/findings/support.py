"""Repositories with traps in their workflows, and what is found in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stationmaster.pipelines.findings import of
from stationmaster.pipelines.model import Facts, Finding, Found, Pipelines
from stationmaster.pipelines.scan import scan
from stationmaster.repos.files import Files
from stationmaster.repos.reading import open_path
from tests.support.repositories import Content, Repository

FOLDER = ".github/workflows"


def pipelines(folder: Path, files: Mapping[str, Content]) -> Pipelines:
    """The workflows of a commit of these files."""
    repository = Repository(folder / "repository")
    repository.commit(files)
    with open_path(repository.path) as snapshot:
        return scan(Files(snapshot))


def findings(found: Pipelines, path: str) -> list[Finding]:
    """Those that were found in the workflow of a path."""
    return [each for one in found.workflows if one.path == path for each in one.facts.findings]


def of_file(folder: Path, text: str, path: str = f"{FOLDER}/ci.yml") -> list[Finding]:
    """Those of a repository with one workflow."""
    return findings(pipelines(folder, {path: text}), path)


def of_facts(
    folder: Path, provider: str, facts: Facts, files: Mapping[str, Content] | None = None
) -> list[Finding]:
    """Those of a workflow as its provider tells it, beside the workflows of these files."""
    repository = Repository(folder)
    repository.commit({"made.yml": "", **(files or {})})
    with open_path(repository.path) as snapshot:
        read = Files(snapshot)
        others = scan(read).workflows
        told = of(Pipelines([Found("made.yml", provider, facts), *others], []), read)
    return findings(told, "made.yml")
