"""The configuration of a pipeline: its files put together, jobs with what they extend, and what
starts it, as rules, `only` and templates of workflows state it.

Rules of the provider: included files are first and the including one overrides them, member by
member; a job overrides what it extends; `default` fills what a job leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stationmaster.catalogue import ci
from stationmaster.catalogue.ci_events import kind
from stationmaster.pipelines import pinning
from stationmaster.pipelines.agents.options import without_user
from stationmaster.pipelines.model import Include, Pin, Place, Trigger, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault, Mapping, Node, get, items, text, texts

INCLUDES_MAX = 150
EXTENDS_MAX = 11
_PATTERNS_MAX = 20
_PARTS_MAX = 10
_ALIKE_MAX = 1_000
_PATH_MAX = 500
_WORDS = ci.words("gitlab-ci")

Fields = dict[str, Node]
_RULES_MAX = 1_000
_LIST_MAX = 100
_CONDITION_MAX = 10_000
_SOURCE = re.compile(r"CI_PIPELINE_SOURCE\s*(?:==|=~)\s*(\"[^\"]*\"|'[^']*'|/[^/]*/)")
_REQUEST = re.compile(r"CI_MERGE_REQUEST_I?ID\b(?!\s*==\s*null)")
_TAG = re.compile(r"CI_COMMIT_TAG\b(?!\s*==\s*null)")
_BRANCH = re.compile(
    r"CI_COMMIT_(?:BRANCH|REF_NAME)\b(?:\s*(==|=~)\s*(\"[^\"]{0,200}\"|'[^']{0,200}'|/[^/]{0,200}/"
    r"|\$\w{1,100}))?(?!\s*(?:==\s*null|!))"
)
_REQUEST_EVENT = "merge_request_event"
_WORD = re.compile(r"[a-z_]{2,}")
Event = tuple[str, str | None]
"""An event, and the branch that it is for, if one is named."""


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
        """A field of a job as written, and what is below it."""
        return get(self._top.get(name, {}).get(key), *more)

    def place_of(self, name: str) -> Place:
        """Where a job is declared."""
        return self._places[name]

    def job(self, name: str) -> Fields:
        """A job's fields with those it extends and the defaults."""
        if name not in self._resolved:
            defaults = self._top.get("default", {})
            outer = {key: node for key, node in defaults.items() if key in _WORDS["defaults"]}
            own = self._extended(name, 0)
            if text(own.get("inherit"), "default") == "false":
                self._resolved[name] = own
            else:
                self._resolved[name] = self._globals | outer | own
        return self._resolved[name]

    def _extended(self, name: str, level: int) -> Fields:
        if (extended := self._extensions.get(name)) is not None:
            return extended
        own = self._top.get(name, {})
        if level >= EXTENDS_MAX:
            return own
        self._extensions[name] = own  # What extends itself gains nothing by it.
        fields: Fields = {}
        for parent in texts(own.get("extends"))[:EXTENDS_MAX]:
            fields |= self._extended(parent, level + 1)
        self._extensions[name] = fields | own
        return self._extensions[name]

    def _fault_in(self, path: str, fault: Fault) -> Fault:
        """The fault of an included file, which the first file's lines do not show."""
        if path == self._main:
            return fault
        return Fault(f"{path}: line {fault.line or 1}: {fault.reason}")

    def _root(self, path: str) -> Node | None:
        documents = self._files.documents(path, merges=True)
        self.faults += [self._fault_in(path, fault) for fault in documents.faults]
        roots = documents.roots
        if len(roots) > 1 and get(roots[0], "spec") is not None:
            return roots[1]
        return roots[0] if roots else None

    def _take(self, root: Mapping) -> None:
        for include in parts.several(root.members.get("include")):
            self._include(include)
        for key, node in root.members.items():
            if isinstance(node, Mapping):
                own = {
                    name: node.members[name] for name in _WORDS["fields"] if name in node.members
                }
                self._top[key] = self._top.get(key, {}) | own
                self._places[key] = parts.place_of(root, key) or parts.place(node)
            if key in _WORDS["globals"]:
                self._globals[key] = node
        self.variables |= parts.variables(root, "variables")

    def _include(self, node: Node) -> None:
        if len(self.includes) >= INCLUDES_MAX:
            return
        kind, location = _location(node)
        at = parts.place(node)
        if kind != "local":
            address = line(without_user(location))
            self.includes.append(Include(kind, address, False, _pin(kind, node, location), at))
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
            self.faults.append(self._fault_in(path, fault))
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
        paths = [
            path
            for path in self._files.paths()
            if path.startswith(first) and path.endswith(last) and len(path) <= _PATH_MAX
        ]
        return sorted(path for path in paths[:_ALIKE_MAX] if _fits(path, pattern))


def _fits(path: str, pattern: Sequence[str]) -> bool:
    """Does a path consist of these parts? `*` matches anything in one folder's name or a file's,
    `**` for anything at all.

    Follows all ways of reading it in parallel, so that no pattern takes longer than its length.
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


def _location(node: Node) -> tuple[str, str]:
    """What kind of place an include names, and where it is."""
    if (plain := text(node)) is not None:
        return ("remote" if plain.startswith(("http://", "https://")) else "local"), plain
    for form in _WORDS["includes"]:
        if (place := text(node, form)) is not None:
            files = texts(node, "file") if form == "project" else []
            return form, f"{place}: {', '.join(files)}" if files else place
    return "unknown", ""


def _pin(kind: str, node: Node, location: str) -> Pin | None:
    """How firmly an include names its file; the provider's own templates belong to its version."""
    if kind == "project":
        ref = text(node, "ref")
        return pinning.of_ref(ref) if ref else "branch"
    if kind == "component":
        version = location.partition("@")[2]
        return "floating" if version == "~latest" else pinning.of_ref(version)
    if kind == "remote":
        return "hash" if get(node, "integrity") is not None else "branch"
    return None


def triggers(config: Config, names: list[str]) -> list[Trigger]:
    """The events that rules and `only` name, those of the whole pipeline first.

    Without a word of it, a push of a branch or a tag starts a job.
    """
    whole = config.field("workflow", "rules")
    events = list(_events(whole))
    for include in config.includes:
        events += [
            (event, None) for event in ci.words("gitlab-workflows").get(include.location, ())
        ]
    is_limited = whole is not None or bool(events)
    jobs = [config.job(name) for name in names]
    rules = {id(fields["rules"]): fields["rules"] for fields in jobs if "rules" in fields}
    for rule in rules.values():  # Once where jobs share them.
        events += _events(rule)
    for fields in jobs:
        events += _refs(fields.get("only"))
    is_open = any("rules" not in fields and "only" not in fields for fields in jobs)
    if is_open and not is_limited:
        events += [("push", None), ("tag", None)]
    return _together(events)


def _together(events: list[Event]) -> list[Trigger]:
    """One trigger for each event, with its branches, unless it is for all of them somewhere."""
    branches: dict[str, dict[str, None] | None] = {}
    for event, branch in events:
        of_event = branches.setdefault(event, {})
        if branch is None:
            branches[event] = None
        elif of_event is not None:
            of_event[line(branch)] = None
    return [
        Trigger(line(event), kind(event), branches=list(names or ())[:_LIST_MAX])
        for event, names in list(branches.items())[:_LIST_MAX]
    ]


def _refs(only: Node | None) -> Iterator[Event]:
    for word in texts(get(only, "refs") or only):
        if word in ci.words("gitlab-ci")["refs"]:
            yield word, None
        else:
            yield "push", word


def _events(rules: Node | None) -> Iterator[Event]:
    for rule in items(rules)[:_RULES_MAX]:
        if text(rule, "when") == "never":
            continue
        condition = (text(rule, "if") or "")[:_CONDITION_MAX]
        for compared in _SOURCE.findall(condition):
            for word in _WORD.findall(compared):
                yield word, None
        if _REQUEST.search(condition):
            yield _REQUEST_EVENT, None
        if _TAG.search(condition):
            yield "tag", None
        for match in _BRANCH.finditer(condition):
            yield "push", None if match[2] is None else match[2].strip("\"'")
