"""What files of settings of Symfony say of requests: the prefixes of routes that classes declare,
by their folders, and who may send requests, by their paths."""

from __future__ import annotations

import posixpath
from itertools import islice

from stationmaster.reading.projects.paths import folder_of, is_below
from stationmaster.repos.yaml_nodes import get, items, members, text, texts
from stationmaster.wiki.facts.model import Facts, query

FRAMEWORK = "Symfony"
_ROUTES = ("**/config/routes/*.yaml", "**/config/routes.yaml", "**/config/routes.yml")
"""In the order in which they are loaded."""
_SECURITY = ("**/config/packages/security.yaml", "**/config/packages/security.yml")
_OF_CLASSES = frozenset({None, "attribute", "annotation"})
_ENTRIES_MAX = 1_000


def prefix_of(facts: Facts, path: str) -> str:
    """The prefix of the routes that the classes of a file declare: of several the last one."""
    fitting = [prefix for place, prefix in _prefixes(facts) if is_below(path, place)]
    return fitting[-1] if fitting else ""


@query
def _prefixes(facts: Facts) -> tuple[tuple[str, str], ...]:
    """Folders and files of classes, and the prefix of their routes."""
    found = []
    for path in (path for form in _ROUTES for path in facts.tree.glob(form)):
        for entry in islice(members(facts.tree.yaml(path)).values(), _ENTRIES_MAX):
            resource = text(entry, "resource") or text(entry, "resource", "path") or ""
            prefix = (text(entry, "prefix") or "").strip("/")
            is_told = resource and not members(get(entry, "prefix"))
            if is_told and text(entry, "type") in _OF_CLASSES:
                place = posixpath.join(folder_of(path), resource.partition("*")[0])
                found.append((posixpath.normpath(place), f"/{prefix}" if prefix else ""))
    return tuple(found)


@query
def access(facts: Facts) -> tuple[tuple[str, int, str, str], ...]:
    """Files and lines that say who may send requests, with these and the roles, as written."""
    return tuple(
        (path, row.line, " ".join(asked), ", ".join(roles))
        for path in facts.tree.glob(*_SECURITY)
        for row in items(facts.tree.yaml(path), "security", "access_control")
        if (asked := [*texts(row, "methods"), *texts(row, "path")])
        and (roles := texts(row, "roles") or texts(row, "role") or texts(row, "allow_if"))
    )
