"""Where documents and files differ: what a document names and the commit does not have.

Only what can be looked up counts: a link to a file, the path of a script, the name of a task, a
workflow's badge. Better to miss some than to be wrong.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import partial
from typing import Literal
from urllib.parse import unquote

import msgspec

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.catalogue.repositories.task_files import runners, task_files
from stationmaster.reading.projects.documents import Document
from stationmaster.reading.projects.ignored import Ignored
from stationmaster.reading.projects.manifests.common import mapping
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.wiki.facts.configured.go_structs import sources
from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts import documents
from stationmaster.wiki.facts.tooling.written import is_for_developers
from stationmaster.wiki.text.inline import Place

_LIKE = expressions("drift")

Kind = Literal["link", "path", "task", "badge"]
_LINES_MAX = 20_000
_LINK = re.compile(r"(?<!\\)\]\(\s*<?([^()\s<>]{1,300})>?(?:\s+\"[^\"]{0,200}\")?\s*\)")
_CODE = re.compile(r"`[^`]{0,300}`")
_TARGET = re.compile(r"(?m)^([\w.-]{1,80}+) ?:(?!=)")
_INCLUDES = re.compile(r"^-?s?include\b|^[^\n:=#%]*+%[^\n:=]*+:|^[ \t]*import\s", re.MULTILINE)
_CONFIGURES = re.compile(
    r"\.(?:ini|conf|cfg|sh|bash|te?mpl|template|j2|service)$"
    r"|(?:^|/)(?:Dockerfile|Procfile|Makefile|justfile)[^/]*$"
)
_WORD = re.compile(r"\w+")
_LITERAL = re.compile(r"(?<=[\"'`])[A-Z][A-Z0-9_]+(?=[\"'`])")
_FILES_MAX = 500
_READ_SHARE_MIN = 0.6
_READ_MIN = 5
_PACKAGES_MAX = 500


class Drift(msgspec.Struct, frozen=True):
    """`name` is what the document names, `place` its line."""

    kind: Kind
    name: str
    place: Place


@query
def drifts(facts: Facts) -> tuple[Drift, ...]:
    """By document and line, without repetitions in a document."""
    by_place: dict[tuple[str, str], Drift] = {}
    names = _Names(facts)
    for document in documents.chosen(facts):
        if documents.tells_what_is(document) and "template" not in document.path.lower():
            for drift in _of(document, facts, names):
                by_place.setdefault((document.path, drift.name), drift)
    ordered = sorted(
        by_place.values(), key=lambda item: (item.place.path, item.place.line or 0, item.name)
    )
    return tuple(ordered)


@query
def unread(facts: Facts) -> tuple[tuple[str, Place], ...]:
    """Variables that an example of settings names and no code reads. () where the code reads most
    of the others in ways that are not seen."""
    variables = [
        setting for setting in settings(facts) if setting.kind == "env" and setting.documented
    ]
    read = [variable for variable in variables if variable.reads]
    if len(read) < _READ_MIN or len(read) < _READ_SHARE_MIN * len(variables):
        return ()
    left = [variable for variable in variables if not variable.reads and not variable.set_at]
    named = _named_elsewhere(facts, frozenset(variable.name for variable in left))
    return tuple((it.name, Place(*it.documented[0])) for it in left if it.name not in named)


def _named_elsewhere(facts: Facts, names: frozenset[str]) -> set[str]:
    """Which names scripts and configurations of servers have, for which there are no readers, and
    which code has as literals."""
    named: set[str] = set()
    paths = [path for path in facts.tree.paths if _CONFIGURES.search(path)]
    for path in paths[:_FILES_MAX] if names else ():
        named |= names & set(_WORD.findall(facts.tree.text(path)))
    for path in sources(facts) if names - named else ():
        named |= names & set(_LITERAL.findall(facts.tree.text(path)))
    return named


class _Names:
    """What there is: files, folders, scripts, targets."""

    def __init__(self, facts: Facts) -> None:
        self.files = frozenset(facts.tree.all_paths)
        inner = {folder_of(path) for path in self.files}
        self.folders = frozenset(parent for folder in inner for parent in parents(folder))
        self.workflows = {path for path in self.files if path.startswith(".github/workflows/")}
        self.find = partial(facts.tree.glob, everywhere=True)
        self.scripts = frozenset(
            name
            for path in facts.tree.glob("**/package.json", everywhere=True)[:_PACKAGES_MAX]
            for name in mapping(mapping(facts.tree.json(path)).get("scripts"))
        )
        self.targets = {
            tool: {
                command.name
                for command in facts.tree.project.commands
                if command.source == "task"
                and runners().get(command.place.path.rpartition("/")[2]) == tool
            }
            for tool in ("make", "just")
        }
        for name in task_files().files["make"].names:  # Some have no command, but what they need.
            for path in facts.tree.glob(f"**/{name}", everywhere=True):
                self.targets["make"].update(_TARGET.findall(facts.tree.text(path)))
        self.ignored = Ignored(facts.tree)
        self.is_open = {tool: _is_open(facts, tool) for tool in self.targets}


def _is_open(facts: Facts, tool: str) -> bool:
    """May there be targets that are not seen?"""
    names = task_files().files[tool].names
    paths = [path for name in names for path in facts.tree.glob(f"**/{name}", everywhere=True)]
    generated = ("configure.ac", "CMakeLists.txt", "Makefile.in", "Makefile.am", "meson.build")
    return (
        "/" in "".join(paths[:1])
        or not paths
        or any(name in facts.records for name in generated)
        or any(_INCLUDES.search(facts.tree.text(path)) for path in paths)
    )


def _of(document: Document, facts: Facts, names: _Names) -> Iterator[Drift]:
    is_of_site = ".docc/" in document.path or "/themes/" in document.path
    if document.path.endswith((".md", ".mdx", ".markdown")) and not is_of_site:
        yield from _links(document, names)
    yield from _badges(document, facts, names)
    if is_for_developers(document.path):
        yield from _commands(document, names)


def _links(document: Document, names: _Names) -> Iterator[Drift]:
    inside = {
        line
        for block in document.code
        for line in range(block.line - 1, block.line + block.text.count("\n") + 2)
    }
    for number, line in enumerate(document.text.split("\n")[:_LINES_MAX], start=1):
        if number in inside or "](" not in line:
            continue
        for match in _LINK.finditer(_CODE.sub("", line)):
            target = unquote(match[1].partition("#")[0].partition("?")[0])
            if _LIKE["file"].fullmatch(target.removeprefix("./").replace("../", "")) and not _has(
                target, document.path, names
            ):
                yield Drift("link", target, Place(document.path, number))


def _has(target: str, path: str, names: _Names) -> bool:
    """Is a file there, as seen from the document or from the root? What is outside of the commit or
    in a folder that is not there may be a site's own address."""
    here = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    there = posixpath.normpath(target.lstrip("/"))
    if target.startswith("/") or here.startswith(".."):
        return True
    if here in names.files or there in names.files or here in names.folders:
        return True
    if "generated" in here or names.ignored.has_any([here]):
        return True
    return folder_of(here) not in names.folders


def _badges(document: Document, facts: Facts, names: _Names) -> Iterator[Drift]:
    """Of the repository itself: there may be others' badges, too."""
    own = (facts.commit.url or "").removesuffix(".git").rstrip("/").lower()
    if not own or not names.workflows:
        return
    for number, line in enumerate(document.text.split("\n")[:_LINES_MAX], start=1):
        for match in _LIKE["badge"].finditer(line):
            path = f".github/workflows/{match[3]}"
            if own.endswith(f"/{match[1]}/{match[2]}".lower()) and path not in names.workflows:
                yield Drift("badge", path, Place(document.path, number))


def _commands(document: Document, names: _Names) -> Iterator[Drift]:
    for block in (*document.code, *document.inline):
        if block.language in ("", "sh", "bash", "shell", "console", "zsh"):
            for below, line in enumerate(block.text.split("\n")[:_LINES_MAX]):
                place = Place(document.path, block.line + below)
                yield from _command(line.strip().lstrip("$> ").partition(" #")[0], place, names)


def _command(line: str, place: Place, names: _Names) -> Iterator[Drift]:
    script = _LIKE["script"].match(line)
    if script is not None and not _LIKE["unreal"].search(script[1]):
        path = posixpath.normpath(script[1])
        exists = path in names.files or bool(names.find(f"**/{'/'.join(path.split('/')[-2:])}"))
        exists = exists or names.ignored.has_any([path])
        if not exists and path.partition("/")[0] in names.folders:
            yield Drift("path", path, place)
    task = _LIKE["task"].match(line)
    if task is None:
        return
    if task[1] and names.scripts and task[1] not in names.scripts and "." not in task[1]:
        yield Drift("task", line[: task.end(1)], place)
    tool = line.partition(" ")[0]
    if task[2] and not names.is_open.get(tool, True) and task[2] not in names.targets[tool]:
        yield Drift("task", f"{tool} {task[2]}", place)
