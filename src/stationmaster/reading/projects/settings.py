"""The settings in a repository: `.stationmaster.toml`, or `[tool.stationmaster]` in its
pyproject.toml. Rules: docs/readiness.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from stationmaster.reading.projects.manifests.common import mapping, strings
from stationmaster.reading.projects.model import Kind, Place, Settings
from stationmaster.repos.files import Files

NAME = ".stationmaster.toml"
_KINDS: frozenset[Kind] = frozenset(get_args(Kind))


def read(files: Files) -> Settings:
    """The settings of a repository; invalid entries are left out and reported in `faults`."""
    if NAME in files:
        data: Mapping[str, Any] = files.contents.toml(NAME)
        if not data and files.contents.text(NAME).strip():
            return Settings(Place(NAME), faults=("it is no TOML",))
        return _of(NAME, data)
    data = mapping(mapping(files.contents.toml("pyproject.toml").get("tool")).get("stationmaster"))
    return _of("pyproject.toml", data) if data else Settings()


def _of(path: str, data: Mapping[str, Any]) -> Settings:
    kinds: dict[str, frozenset[Kind]] = {}
    faults = [
        f"unknown key {key!r}"
        for key in data
        if key not in ("include", "exclude", "kinds", "readiness", "wiki")
    ]
    for app, chosen in mapping(data.get("kinds")).items():
        names = strings(chosen) or strings([chosen])
        valid = frozenset(kind for kind in _KINDS if kind in names)
        faults += [f"unknown kind {name!r}" for name in names if name not in valid]
        if valid:
            kinds[app.strip("/") or "."] = valid
    return Settings(
        Place(path),
        include=tuple(string.strip("/") or "." for string in strings(data.get("include"))),
        exclude=tuple(strings(data.get("exclude"))),
        kinds=kinds,
        readiness=mapping(data.get("readiness")),
        wiki=mapping(data.get("wiki")),
        faults=tuple(faults),
    )
