"""What Cargo's manifests say of lints, a crate's own or those of its workspace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stationmaster.readiness.evidence.configs import own_folders, value
from stationmaster.readiness.facts import Facts
from stationmaster.reading.projects.model import App
from stationmaster.reading.projects.paths import parents


def lints(facts: Facts, app: App) -> Sequence[tuple[Mapping[str, Any], str]]:
    """The tables of lints that hold for an application's crates, with their manifests."""
    found = []
    for folder in own_folders(app):
        path = "Cargo.toml" if folder == "." else f"{folder}/Cargo.toml"
        own = value(facts, path, "lints") if path in facts.files else None
        if isinstance(own, dict) and own.get("workspace") is True:
            root = workspace(facts, folder)
            own = value(facts, root, "workspace.lints") if root is not None else None
            path = root or path
        if isinstance(own, dict) and own:
            found.append((own, path))
    return found


def workspace(facts: Facts, folder: str) -> str | None:
    """The manifest of the workspace that a folder is in."""
    for each in parents(folder):
        path = "Cargo.toml" if each == "." else f"{each}/Cargo.toml"
        if path in facts.files and value(facts, path, "workspace") is not None:
            return path
    return None
