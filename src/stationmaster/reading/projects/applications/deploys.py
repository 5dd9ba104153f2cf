"""Folders that are deployed, by container files, compose, skaffold and serverless."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from stationmaster.catalogue.repositories.platforms import platforms
from stationmaster.reading.projects.manifests.common import Reading
from stationmaster.reading.projects.paths import folder_of
from stationmaster.repos import yaml_nodes
from stationmaster.repos.yaml_nodes import Node, items, members

_CONTAINER = re.compile(
    r"(?i)(?:dockerfile|containerfile)(?:[._-][\w.-]{1,60})?|[\w.-]{1,60}\.(?:docker|container)file"
)
_PREFIXED = re.compile(r"[\w.-]{1,60}(?:Docker|Container)file")
"""A container file named after what it is for, which need not be shipped: `TestDockerfile`."""
_COMPOSE = re.compile(r"(?:[\w-]{1,40}\.)?(?:docker-)?compose(?:[._-][\w.-]{1,60})?\.ya?ml")
_FILES_MAX = 200


def is_container_file(path: str) -> bool:
    """True for a Dockerfile or Containerfile, by the file's name, of tests as well."""
    name = path.rpartition("/")[2]
    return (_CONTAINER.fullmatch(name) or _PREFIXED.fullmatch(name)) is not None


def is_compose_file(path: str) -> bool:
    """True for a file of Docker Compose, by the file's name."""
    return _COMPOSE.fullmatch(path.rpartition("/")[2]) is not None


def read(paths: Iterable[str], reading: Reading) -> frozenset[str]:
    """The folders that are deployed or built for it."""
    folders: set[str] = set()
    looked_into = 0
    for path in paths:
        name = path.rpartition("/")[2]
        platform = platforms().get(name)
        is_shipped = platform is not None and platform.is_application
        if is_shipped or _CONTAINER.fullmatch(name):
            folders.add(folder_of(path))
        elif looked_into < _FILES_MAX and (name == "skaffold.yaml" or _COMPOSE.fullmatch(name)):
            looked_into += 1
            folders.update(_contexts(path, reading))
    return frozenset(folders)


def _contexts(path: str, reading: Reading) -> Iterator[str]:
    for root in reading.contents.yaml_all(path):
        contexts = [
            _context(member) for member in members(yaml_nodes.get(root, "services")).values()
        ]
        contexts += [
            yaml_nodes.text(yaml_nodes.get(item, "context"))
            for item in items(yaml_nodes.get(root, "build", "artifacts"))
        ]
        for context in contexts:
            if context and not re.search(r"://|\$|^git@", context):
                joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), context))
                if not joined.startswith(".."):
                    yield joined


def _context(service: Node) -> str | None:
    build = yaml_nodes.get(service, "build")
    return yaml_nodes.text(build) or yaml_nodes.text(yaml_nodes.get(build, "context"))
