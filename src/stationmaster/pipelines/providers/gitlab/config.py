"""The configuration of a pipeline: its files put together, and jobs with what they extend.

Rules of the provider: included files come first and the including one overrides them, member by
member; a job overrides what it extends; `default` fills what a job leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from stationmaster.pipelines import pinning
from stationmaster.pipelines.agents.inputs import without_user
from stationmaster.pipelines.model import Include, Pin, Place, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault, Mapping, Node, get, items, members, text, texts

INCLUDES_MAX = 150
EXTENDS_MAX = 11
_PATTERNS_MAX = 20
_PARTS_MAX = 10
_ALIKE_MAX = 1_000
_PATH_MAX = 500
_FIELDS = (
    "stage",
    "needs",
    "tags",
    "image",
    "services",
    "timeout",
    "parallel",
    "trigger",
    "rules",
    "only",
    "when",
    "before_script",
    "script",
    "run",
    "after_script",
    "extends",
    "name",
    "environment",
    "secrets",
    "id_tokens",
    "variables",
    "cache",
    "artifacts",
    "resource_group",
    "interruptible",
    "allow_failure",
    "inherit",
)
"""What is read of a job; nothing else is carried along."""
_DEFAULTS = (
    "image",
    "services",
    "tags",
    "timeout",
    "before_script",
    "after_script",
    "cache",
    "artifacts",
    "id_tokens",
    "interruptible",
)
_GLOBALS = ("image", "services", "cache", "before_script", "after_script")
_KINDS = ("local", "project", "remote", "template", "component")

Fields = dict[str, Node]


class Config:
    """Raises Fault when the first file cannot be read; `faults` are those of the others."""

    def __init__(self, files: Files, path: str) -> None:
        self.includes: list[Include] = []
        self.faults: list[Fault] = []
        self.variables: dict[str, str] = {}
        self._files = files
        self._places: dict[str, Place] = {}
        self._main = path
        self._seen = {path}
        self._patterns_left = _PATTERNS_MAX
        self._top: dict[str, Fields] = {}
        self._globals: Fields = {}
        self._resolved: dict[str, Fields] = {}
        self._extensions: dict[str, Fields] = {}
        root = self._root(path)
        self.is_empty = root is None
        if root is not None:
            if not isinstance(root, Mapping):
                raise Fault("a pipeline is a mapping of jobs", 1, 1)
            self._take(root)

    @property
    def names(self) -> list[str]:
        """Of every mapping at the top, jobs and others."""
        return list(self._top)

    def field(self, name: str, key: str, *more: str) -> Node | None:
        """A field of a job as it stands there, and what is below it."""
        return get(self._top.get(name, {}).get(key), *more)

    def place_of(self, name: str) -> Place:
        """Where a job is declared."""
        return self._places[name]

    def job(self, name: str) -> Fields:
        """A job's fields with those it extends and the defaults."""
        if name not in self._resolved:
            defaults = self._top.get("default", {})
            outer = {key: node for key, node in defaults.items() if key in _DEFAULTS}
            own = self._extended(name, 0)
            if text(get(own.get("inherit"), "default")) == "false":
                self._resolved[name] = own
            else:
                self._resolved[name] = self._globals | outer | own
        return self._resolved[name]

    def _extended(self, name: str, level: int) -> Fields:
        if (known := self._extensions.get(name)) is not None:
            return known
        own = self._top.get(name, {})
        if level >= EXTENDS_MAX:
            return own
        self._extensions[name] = own  # What extends itself gains nothing by it.
        fields: Fields = {}
        for parent in texts(own.get("extends"))[:EXTENDS_MAX]:
            fields |= self._extended(parent, level + 1)
        self._extensions[name] = fields | own
        return self._extensions[name]

    def _told(self, path: str, fault: Fault) -> Fault:
        """What is wrong with an included file, which the first file's lines say nothing of."""
        if path == self._main:
            return fault
        return Fault(f"{path}: line {fault.line or 1}: {fault.reason}")

    def _root(self, path: str) -> Node | None:
        documents = self._files.documents(path, merges=True)
        self.faults += [self._told(path, fault) for fault in documents.faults]
        roots = documents.roots
        if len(roots) > 1 and get(roots[0], "spec") is not None:
            return roots[1]
        return roots[0] if roots else None

    def _take(self, root: Mapping) -> None:
        for each in _several(root.members.get("include")):
            self._include(each)
        for key, node in root.members.items():
            if isinstance(node, Mapping):
                own = {name: node.members[name] for name in _FIELDS if name in node.members}
                self._top[key] = self._top.get(key, {}) | own
                self._places[key] = parts.place_of(root, key) or parts.place(node)
            if key in _GLOBALS:
                self._globals[key] = node
        self.variables |= parts.variables(root.members.get("variables"))

    def _include(self, node: Node) -> None:
        if len(self.includes) >= INCLUDES_MAX:
            return
        kind, location = _location(node)
        at = parts.place(node)
        if kind != "local":
            told = line(without_user(location))
            self.includes.append(Include(kind, told, False, _pin(kind, node, location), at))
            return
        paths = self._matching(location.lstrip("/"))
        if not paths:
            self.includes.append(Include("local", line(location), False, "local", at))
        for path in paths:
            self._include_file(path, at)

    def _include_file(self, path: str, at: Place) -> None:
        if path in self._seen or len(self.includes) >= INCLUDES_MAX:
            return
        self._seen.add(path)
        position = len(self.includes)
        self.includes.append(Include("local", line(path), True, "local", at))
        try:
            root = self._root(path)
        except Fault as fault:
            self.faults.append(self._told(path, fault))
            self.includes[position] = Include("local", line(path), False, "local", at)
            return
        if isinstance(root, Mapping):
            self._take(root)

    def _matching(self, location: str) -> list[str]:
        """The files of a path with wildcards, by path."""
        if "*" not in location:
            return [location] if location in self._files else []
        pattern = [part for part in re.split(r"(\*\*|\*)", location) if part]
        first, last = location.partition("*")[0], location.rpartition("*")[2]
        if len(pattern) > _PARTS_MAX or self._patterns_left == 0:
            return []
        self._patterns_left -= 1
        alike = [
            path
            for path in self._files.paths()
            if path.startswith(first) and path.endswith(last) and len(path) <= _PATH_MAX
        ]
        return sorted(path for path in alike[:_ALIKE_MAX] if _fits(path, pattern))


def _fits(path: str, pattern: Sequence[str]) -> bool:
    """Does a path consist of these parts? `*` stands for anything in one folder's name or a file's,
    `**` for anything at all.

    Follows all ways of reading it at once, so that no pattern takes longer than its length.
    """
    places = [0]
    for part in pattern:
        if part == "**":
            places = list(range(places[0], len(path) + 1))
        elif part == "*":
            places = _within_names(path, places)
        else:
            places = [place + len(part) for place in places if path.startswith(part, place)]
        if not places:
            return False
    return places[-1] == len(path)


def _within_names(path: str, places: Sequence[int]) -> list[int]:
    """Every place that can be reached from one of these, in order, without passing a slash."""
    reached: list[int] = []
    for place in places:
        if not reached or place > reached[-1]:
            end = path.find("/", place)
            reached += range(place, (len(path) if end < 0 else end) + 1)
    return reached


def _several(node: Node | None) -> list[Node]:
    return items(node) or ([] if node is None else [node])


def _location(node: Node) -> tuple[str, str]:
    """What kind of place an include names, and where it is."""
    if (plain := text(node)) is not None:
        return ("remote" if plain.startswith(("http://", "https://")) else "local"), plain
    for kind in _KINDS:
        if (place := text(members(node).get(kind))) is not None:
            files = texts(get(node, "file")) if kind == "project" else []
            return kind, f"{place}: {', '.join(files)}" if files else place
    return "unknown", ""


def _pin(kind: str, node: Node, location: str) -> Pin | None:
    """How firmly an include names its file; the provider's own templates come with its version."""
    if kind == "project":
        ref = text(get(node, "ref"))
        return pinning.of_ref(ref) if ref else "branch"
    if kind == "component":
        version = location.partition("@")[2]
        return "floating" if version == "~latest" else pinning.of_ref(version)
    if kind == "remote":
        return "hash" if get(node, "integrity") is not None else "branch"
    return None
