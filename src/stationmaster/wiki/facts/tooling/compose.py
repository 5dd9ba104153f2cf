"""Files of Docker Compose, by their names or by their contents."""

from __future__ import annotations

import re

from stationmaster.catalogue import lists
from stationmaster.reading.projects.applications.deploys import is_compose_file
from stationmaster.reading.projects.test_files import is_test
from stationmaster.repos.yaml_nodes import members
from stationmaster.wiki.facts.model import Facts, query

FILES_MAX = 200
"""Files whose contents are searched."""
_BYTES_MAX = 100_000
_SERVICES = re.compile(r"^services:[ \t]*(?:#[^\n]*)?$", re.MULTILINE)


@query
def compose_files(facts: Facts) -> frozenset[str]:
    """Those that are named so, and YAML at the root or in a folder of deployments that has services
    with an image or what one is built of."""
    named = {path for path in facts.tree.paths if is_compose_file(path)}
    others = [path for path in facts.tree.paths if path not in named and _may_be(path)]
    return frozenset({*named, *(path for path in others[:FILES_MAX] if _has_services(facts, path))})


def _may_be(path: str) -> bool:
    *folders, name = path.lower().split("/")
    is_apart = not folders or not lists.words("compose-folder").isdisjoint(folders)
    return is_apart and name.endswith((".yaml", ".yml")) and not is_test(path)


def _has_services(facts: Facts, path: str) -> bool:
    text = facts.tree.text(path)
    if len(text) > _BYTES_MAX or not _SERVICES.search(text):
        return False
    services = members(facts.tree.yaml(path), "services").values()
    return any({"image", "build"} & members(service).keys() for service in services)
