"""Code of others that was copied into a folder such as `libs`, recognized only by its licence, its
vendor or its namespace; and scripts that name their origin.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, takewhile
from typing import Any

from stationmaster.catalogue import lists
from stationmaster.catalogue.repositories.layout import layout
from stationmaster.reading.projects.manifests.common import mapping, strings
from stationmaster.reading.projects.paths import folder_of, is_below
from stationmaster.reading.projects.test_files import outside_packages
from stationmaster.repos.files import Files

_LICENCE = re.compile(r"(?i)(?:licen[cs]e|copying)(?:[.-].{1,40})?")
_ABOUT = re.compile(r"(?i)readme(?:\..{1,5})?|composer\.json|package\.json|go\.mod|[^/]*\.toml")
"""Files at the root that name who writes the product."""
_HOLDER = re.compile(r"(?im)^\W{0,9}(?:copyright\b|\(c\)|©)(.{2,200})$")
_BLANK = re.compile(r"<%|\{\{|\$\{|\[")
"""In a template of a licence."""
_DATED = re.compile(r"(?i)\d{4}|\(c\)|©")
_WORD = re.compile(r"[^\W\d_]{3,40}")
_NO_NAMES = lists.words("no-holder")
_VENDORED_BY_NAME = frozenset({"composer.json", "go.mod"})
"""Manifests whose names begin with who publishes the package."""
_MODULE = re.compile(r"(?m)^module[ \t]+(\S{1,300})")
_ORIGIN = re.compile(
    r"(?m)^(?:#|//|--|REM)[ \t]{0,9}(?:[\w ]{1,20}:[ \t]{1,9})?https://(?:raw\.)?"
    r"github(?:usercontent)?\.com/([\w.-]{1,60}/[\w.-]{1,60})/[\w./-]{0,200}/([\w.-]{1,80})\s*$"
)
_NAMESPACES_MIN = 2
_SCRIPTS, _VENDORS = (".js", ".mjs"), "vendors"
_HEADS_MAX = 3
"""Files whose first lines are read where the licence beside them names nobody."""
_FILES_MAX, _TEXT_MAX, _HEAD_MAX = 300, 20_000, 3_000


def copied(files: Files) -> frozenset[str]:
    """The folders and scripts of a commit that others wrote."""
    paths = sorted(files.paths())
    placed = [path for path in paths if _shelved(path) or _is_licence_of_assets(path)]
    texts = (
        files.contents.text(path)[:_TEXT_MAX]
        for path in paths
        if "/" not in path and (_ABOUT.fullmatch(path) or _LICENCE.fullmatch(path))
    )
    own = "\n".join(texts)
    return frozenset(
        {
            *_licensed(files, paths, placed, own),
            *_by_vendor(files, placed),
            *_by_namespace(files, paths),
            *_installed(files, paths),
            *_scripts(files, paths, own),
            *_in_assets(paths),
        }
    )


def _shelved(path: str) -> str:
    """The folder directly below the first folder of libraries; '' for a file in none."""
    steps = outside_packages(folder_of(path)).split("/")
    for at, step in enumerate(steps[:-1]):
        if step in layout().folders.libraries:
            return "/".join(steps[: at + 2])
    return ""


def _in_assets(paths: Sequence[str]) -> Iterator[str]:
    """The folders called `vendors` below those of files that browsers load."""
    for folder in {folder_of(path) for path in paths}:
        steps = folder.split("/")
        if _VENDORS in steps[1:]:
            at = steps.index(_VENDORS, 1)
            if _has_assets(steps[:at]):
                yield "/".join(steps[: at + 1])


def _is_licence_of_assets(path: str) -> bool:
    """Is it a licence in a folder below one of files that browsers load?"""
    *steps, name = path.split("/")
    return _LICENCE.fullmatch(name) is not None and _has_assets(steps[:-1])


def _has_assets(steps: Sequence[str]) -> bool:
    """Is one of these folders called as those of what browsers load?"""
    return not layout().files.assets.isdisjoint(steps)


def _licensed(files: Files, paths: Sequence[str], placed: Sequence[str], own: str) -> Iterator[str]:
    """The folders of those that are `placed` with a licence of holders that the product does not
    name, unless they are published under its own name."""
    licences = [path for path in placed if _LICENCE.fullmatch(path.rpartition("/")[2])]
    files.contents.fetch(licences[:_FILES_MAX])
    own_words = set(_words(own))
    for path in licences[:_FILES_MAX] if own else ():
        heads = chain([path], _scripts_below(paths, folder_of(path)))
        holders = next(filter(None, (_holders(files.contents.text(it)) for it in heads)), [])
        scope = _words(_vendor(files, f"{folder_of(path)}/package.json"))
        names = [*holders, *([scope] if scope else [])]
        if holders and not any(own_words.issuperset(words) for words in names):
            yield folder_of(path)


def _holders(text: str) -> list[list[str]]:
    """The first words of the names that the first lines of a text grant the rights to."""
    return [
        words[:2]
        for match in _HOLDER.finditer(text[:_HEAD_MAX])
        if _DATED.search(match[0]) and not _BLANK.search(match[0]) and (words := _words(match[1]))
    ]


def _scripts_below(paths: Sequence[str], folder: str) -> Iterator[str]:
    """The first scripts for browsers in a folder and below; `paths` are sorted."""
    start = bisect_left(paths, f"{folder}/")
    below = takewhile(lambda path: is_below(path, folder), islice(paths, start, None))
    return islice((path for path in below if path.endswith(_SCRIPTS)), _HEADS_MAX)


def _words(text: str) -> list[str]:
    """The words of a text that may be names, without accents."""
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return [word for word in _WORD.findall(folded) if word not in _NO_NAMES]


def _by_vendor(files: Files, paths: Sequence[str]) -> Iterator[str]:
    """The folders whose manifest has another vendor than that of the same kind at the root."""
    for name in _VENDORED_BY_NAME:
        if vendor := _vendor(files, name):
            manifests = [path for path in paths if path.endswith("/" + name)]
            for path in manifests[:_FILES_MAX]:
                if _vendor(files, path) not in ("", vendor):
                    yield folder_of(path)


def _vendor(files: Files, path: str) -> str:
    if path not in files:
        return ""
    if path.endswith(".mod"):
        match = _MODULE.search(files.contents.text(path))
        return "/".join(match[1].split("/")[:2]) if match and "." in match[1] else ""
    name = str(mapping(files.contents.json(path)).get("name", ""))
    return name.partition("/")[0] if "/" in name else ""


def _by_namespace(files: Files, paths: Sequence[str]) -> Iterator[str]:
    """The folders with the names of namespaces that the root loads from them, where several have
    another vendor than its own: a single one may be a part of the product."""
    loaded = [*_loaded(mapping(files.contents.json("composer.json")))] if paths else []
    own = {space[0] for space, folder in loaded if not _shelved(f"{folder}/x")}
    folders: dict[str, set[str]] = defaultdict(set)
    for space, folder in loaded if own else ():
        names = {re.sub(r"\W", "", step).lower() for step in folder.split("/")}
        if space[0] not in own and not names.isdisjoint(word.lower() for word in space):
            folders[_shelved(f"{folder}/x")].add(space[0])
    folders.pop("", None)
    if len(set().union(*folders.values())) >= _NAMESPACES_MIN:
        yield from folders


def _installed(files: Files, paths: Sequence[str]) -> Iterator[str]:
    """The packages of a manifest's dependencies in the folder that it sets for them."""
    folders = {folder_of(path) for path in paths}
    manifests = [path for path in paths if path.rpartition("/")[2] == "composer.json"]
    for path in manifests[:_FILES_MAX]:
        manifest = mapping(files.contents.json(path))
        target = mapping(manifest.get("config")).get("vendor-dir")
        for name in mapping(manifest.get("require")) if isinstance(target, str) else ():
            folder = posixpath.normpath(posixpath.join(folder_of(path), str(target), name))
            if any(is_below(it, folder) for it in folders):
                yield folder


def _loaded(manifest: Mapping[str, Any]) -> Iterator[tuple[Sequence[str], str]]:
    """The words of namespaces, and folders that they are loaded from."""
    autoload = mapping(manifest.get("autoload"))
    for form in ("psr-4", "psr-0"):
        for space, value in mapping(autoload.get(form)).items():
            for folder in strings(value) or strings([value]):
                yield space.strip("\\").split("\\"), posixpath.normpath(folder)


def _scripts(files: Files, paths: Sequence[str], own: str) -> Iterator[str]:
    """The scripts with the address of the same file in a repository that the product does not
    name."""
    scripts = [path for path in paths if path.endswith((".sh", ".bash", ".ps1", ".bat"))]
    files.contents.fetch(scripts[:_FILES_MAX])
    for path in scripts[:_FILES_MAX]:
        for origin, name in _ORIGIN.findall(files.contents.text(path)[:_HEAD_MAX]):
            if name == path.rpartition("/")[2] and origin.lower() not in own.lower():
                yield path
