"""Includes of C and C++."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator

from stationmaster.catalogue.repositories.layout import layout
from stationmaster.reading.code.model import Import
from stationmaster.reading.code.resolving.model import Index, Resolved, Resolver, beside, shared
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.reading.projects.queries import Tree

_BUILD_FILES_MAX = 3_000
_BUILD_BYTES_MAX = 256 * 1024
_CMAKE = re.compile(r"(?i)\binclude_directories\s*\(([^()]{0,4000})\)")
_FLAG = re.compile(r"(?<![\w-])-I[ \t]*([^\s\"',;)]{1,200})")
_VARIABLE = re.compile(r"\$\{(\w{1,80})\}|\$\((\w{1,80})\)|@(\w{1,80})@")
_BELOW_ROOT = re.compile(r"(?i)(?:top_?srcdir|abs_top_srcdir|topdir|root|.*source_dir|.*_root_dir)")
_HERE = re.compile(r"(?i)(?:srcdir|curdir|cmake_current_(?:source|list)_dir|pwd)")
_PATH = re.compile(r"[\w./+-]{1,200}")
_CONVENTIONAL = frozenset({"include", "inc"})


def resolver(index: Index) -> Resolver:
    """A function from an include to the only file that it names: next to the file, below an include
    folder of the build, else the only one of the commit whose path ends with it."""
    paths = [*index.paths.get("C", ()), *index.paths.get("C++", ())]
    by_name: dict[str, list[str]] = defaultdict(list)
    for path in sorted(paths):
        by_name[path.rpartition("/")[2]].append(path)
    present = frozenset(paths)
    folders = _folders(index.tree, present)
    top = {path.partition("/")[0] for path in present}

    def resolve(path: str, import_: Import) -> Resolved:
        name = import_.name.strip("<>")
        is_angled = import_.name.startswith("<")
        near = beside(path, name)
        if not is_angled and near in present:
            return Resolved((near,))
        ending = posixpath.normpath(name).removeprefix("../").removeprefix("../")
        matches = [
            candidate
            for candidate in by_name.get(ending.rpartition("/")[2], ())
            if candidate == ending or candidate.endswith(f"/{ending}")
        ]
        included = [
            candidate
            for candidate in matches
            if (candidate[: -len(ending)].rstrip("/") or ".") in folders
        ]
        if target := _nearest(path, included):
            return Resolved((target,))
        is_whole = "/" in name  # `<time.h>` is the system's where a folder has a file of this name.
        if matches and (not is_angled or is_whole) and (target := _nearest(path, matches)):
            return Resolved((target,))
        package = name.partition("/")[0]
        if (matches and is_whole) or (not is_angled and (package in top or not is_whole)):
            return Resolved()
        return Resolved(outside=package.partition(".")[0])

    return resolve


def _nearest(path: str, candidates: list[str]) -> str | None:
    """The candidate that shares more folders with a file than any other; None where two do."""
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    folders = path.split("/")[:-1]
    ranked = sorted(
        (shared(folders, candidate.split("/")[:-1]), candidate) for candidate in candidates
    )
    return ranked[-1][1] if ranked[-1][0] > ranked[-2][0] else None


def _folders(tree: Tree, paths: frozenset[str]) -> frozenset[str]:
    """Folders that compilers search by their options, and those with a usual name."""
    folders = {folder for path in paths for folder in parents(folder_of(path))} - {"."}
    named = {folder for folder in folders if folder.rpartition("/")[2] in _CONVENTIONAL}
    files = tree.glob(*layout().files.native_builds)
    for path, text in tree.files.contents.each(files[:_BUILD_FILES_MAX], _BUILD_BYTES_MAX):
        named.update(_include_folders(folder_of(path), text))
    return frozenset(named & folders | ({"."} & named))


def _include_folders(folder: str, text: str) -> Iterator[str]:
    words = _FLAG.findall(text)
    for arguments in _CMAKE.findall(text):
        words += re.split(r"[\s\"',]+", arguments)
    for word in words:
        yield from _places(folder, word)


def _places(folder: str, word: str) -> Iterator[str]:
    """The folders that a word may name."""
    word = word.removeprefix("$<BUILD_INTERFACE:").rstrip(">")
    base = folder
    if variable := _VARIABLE.match(word):
        name = next(filter(None, variable.groups()))
        word = word[variable.end() :].lstrip("/") or "."
        if _HERE.fullmatch(name):
            base = folder
        elif _BELOW_ROOT.fullmatch(name):
            base = "."
        else:
            return
    if _PATH.fullmatch(word) and not word.startswith("/"):
        path = posixpath.normpath(posixpath.join(base, word))
        if not path.startswith(".."):
            yield path
