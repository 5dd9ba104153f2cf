"""Which descriptors of deployments belong to which application: containers, compose, Kubernetes.

They name applications by folder, image or name. Where only one application is a service, they are
all its own.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from stationmaster.readiness.facts import Facts, once
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.test_files import is_test
from stationmaster.repos.yaml_nodes import Node, get, text

_DEPLOYED = frozenset({"service", "job", "web"})
_FILES_MAX = 5_000
_BYTES_MAX = 256 * 1024
_OBJECT = re.compile(r"^(?:apiVersion|kind)\s*:|^\s{0,40}containers\s*:", re.MULTILINE)
_NAMES = re.compile(
    r"^[ \t-]{0,60}(?:name|image|app|app\.kubernetes\.io/name"
    r"|repository)\s*:\s*[\"']?([^\s\"'#]{1,200})",
    re.M,
)
_WORD = re.compile(r"[^a-z0-9]+")
_DOCUMENT = re.compile(r"^---[ \t]*$", re.M)


def of_app(facts: Facts, app: App, *patterns: str) -> list[str]:
    """The files of these patterns that are the application's; shared ones where it is alone."""
    paths = facts.tree.glob(*patterns)
    return [
        path
        for path in paths
        if not is_test(path)
        and (facts.tree.owner(path) == app.path or is_alone(facts, app) or is_named(app, path))
    ]


def is_alone(facts: Facts, app: App) -> bool:
    """Is it the only application that is deployed?"""
    return [other.path for other in facts.project.apps if other.kinds & _DEPLOYED] == [app.path]


def is_named(app: App, text: str) -> bool:
    """Does a name, image or path speak of the application?"""
    words = {_key(step) for step in re.split(r"[/:]", text)} | {
        _key(posixpath.splitext(posixpath.basename(text))[0])
    }
    return not words.isdisjoint(_keys(app))


@once
def kubernetes(facts: Facts) -> Sequence[str]:
    """Files of Kubernetes objects, and templates of them."""
    return [
        path
        for path in facts.tree.glob("**/*.{yaml,yml,tpl}")[:_FILES_MAX]
        if not path.startswith(".github/")
        and not is_test(path)
        and facts.files.entry(path).size <= _BYTES_MAX
        and _OBJECT.search(facts.tree.text(path))
    ]


def declares(facts: Facts, app: App, pattern: re.Pattern[str]) -> Place | None:
    """The first object for the application in whose text a pattern is found.

    Objects are distinguished by their separators, not parsed: templates of Helm are no YAML.
    """
    for path in kubernetes(facts):
        whole = facts.tree.text(path)
        if pattern.search(whole) is None:
            continue
        at = 0
        for part in _DOCUMENT.split(whole):
            match = pattern.search(part)
            if match and (
                is_alone(facts, app)
                or is_named(app, path)
                or any(is_named(app, name) for name in _NAMES.findall(part))
            ):
                return Place(path, whole.count("\n", 0, whole.find(part, at) + match.start()) + 1)
            at += len(part)
    return None


def built(path: str, service: Node | None) -> str | None:
    """The folder that a service of a compose file is built from; None for an image alone."""
    build = get(service, "build")
    if build is None:
        return None
    context = text(build) or text(get(build, "context"))
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), context or "."))


def _keys(app: App) -> frozenset[str]:
    names = (app.name, posixpath.basename(app.path))
    return frozenset(key for name in names for key in [_key(name.rpartition("/")[2])] if key)


def _key(name: str) -> str:
    return _WORD.sub("", name.lower())
