"""Manifests in YAML: of Dart and of Helm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stationmaster.reading.projects.manifests import common
from stationmaster.reading.projects.manifests.common import Reading, text
from stationmaster.reading.projects.model import (
    Dependency,
    DependencyScope,
    Ecosystem,
    Manifest,
    Place,
)
from stationmaster.repos import yaml_nodes
from stationmaster.repos.yaml_nodes import members

_TABLES: Mapping[str, DependencyScope] = {
    "dependencies": "runtime",
    "dev_dependencies": "development",
}
"""Of Dart; what a chart of Helm depends on is a list, and is not read."""


def read(ecosystem: Ecosystem, path: str, reading: Reading) -> Manifest:
    """The manifest of a package of an ecosystem; with a fault where it is no mapping."""
    root = reading.contents.yaml(path)
    texts = {name: yaml_nodes.text(node) for name, node in members(root).items()}
    data: dict[str, object] = {name: value for name, value in texts.items() if value is not None}
    if "workspace" in members(root):
        data["workspace"] = yaml_nodes.texts(members(root)["workspace"])
    if not data:
        return common.unread(path, ecosystem, "this is not a mapping")
    is_private = texts.get("publish_to") == "none"
    needs = _dependencies(path, root)
    return common.manifest(path, ecosystem, texts, needs, data, is_private=is_private)


def _dependencies(path: str, root: yaml_nodes.Node | None) -> Iterator[Dependency]:
    for table, scope in _TABLES.items():
        rows = yaml_nodes.get(root, table)
        places = rows.keys if isinstance(rows, yaml_nodes.Mapping) else {}
        for name, node in members(rows).items():
            version = yaml_nodes.text(node) or yaml_nodes.text(yaml_nodes.get(node, "version"))
            yield Dependency(name, text(version), scope, Place(path, places.get(name, (0, 0))[0]))
