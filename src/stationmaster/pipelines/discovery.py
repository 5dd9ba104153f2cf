"""Which files of a commit may be workflows of its repository, and which only look like it.

A provider's file counts where the provider would read it. Copies in other places (vendored code,
fixtures, examples) and names that are nearly right are reported separately, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.catalogue import ci

_DISTINCT = "|".join(name for system in ci.systems().values() for name in system.distinct)
_MARKS = re.compile(rf"/(?:\.[^/]|(?:{_DISTINCT})(?![^/]))")
"""Names of files and folders that mean one provider in any folder, with the slash before them,
which is fast to find: all that begin with a dot, and those of the catalogue."""
_MISPLACED: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"\.(?:github|gitea|forgejo)/workflows/.*/[^/]+\.ya?ml"),
        "workflows are read in the folder itself, not in folders inside it",
    ),
    (
        re.compile(r"\.(?:github|gitea|forgejo)/workflow/[^/]+\.ya?ml"),
        "the folder of workflows is called `workflows`",
    ),
)
_ACTION = re.compile(r"(?:.*/)?action\.ya?ml")
_TEXTS = (".md", ".txt", ".rst")
_ENDINGS = {"yml": "yaml", "yaml": "yml"}


def sample(path: str) -> str | None:
    """The folder that makes what is in it no workflow, whatever its name; None without one.

    A provider's own folder begins with a dot, and what is inside counts.
    """
    for folder in path.split("/")[:-1]:
        if folder.startswith("."):
            return None
        if folder.lower() in ci.words("folders")["samples"] or "{{" in folder:
            return folder
    return None


def is_action(path: str) -> bool:
    """May a file of this path be an action of GitHub's language, as far as names show?"""
    return _ACTION.fullmatch(path) is not None and "github-actions" not in ci.of_path(path)


def names_provider(path: str) -> bool:
    """Does a path alone show that it belongs to a provider?"""
    return _MARKS.search(f"/{path}") is not None


def lookalike(path: str) -> str | None:
    """Why a path that is no workflow looks like one; None when it does not."""
    mark = _MARKS.search(f"/{path}")
    if mark is None or path.endswith(_TEXTS):
        return None
    for pattern, reason in _MISPLACED:
        if pattern.fullmatch(path):
            return reason
    tail = path[mark.start() :]
    if tail != path and (taker := _taker(tail, path)) is not None:
        return f"{taker} reads {tail} at the root of a repository alone"
    for spelled in _spellings(path):
        if (taker := _taker(spelled, path)) is not None:
            return f"{taker} reads {spelled}, which is spelled differently"
    return None


def _taker(path: str, instead_of: str) -> str | None:
    return next((taker for taker in ci.of_path(path) if not ci.is_file(taker, instead_of)), None)


def _spellings(path: str) -> Iterator[str]:
    """As the provider may want it: other letters, the other ending of YAML."""
    stem, _, ending = path.rpartition(".")
    folder, slash, name = path.rpartition("/")
    other = [path.lower(), f"{folder}{slash}{name.capitalize()}"]
    if ending.lower() in _ENDINGS:
        other += [f"{stem}.{_ENDINGS[ending.lower()]}", f"{stem.lower()}.{ending.lower()}"]
    yield from (spelling for spelling in other if spelling != path)
