"""Documents that lie anywhere and that the README leads to."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection
from urllib.parse import unquote

from stationmaster.reading.projects import documents
from stationmaster.reading.projects.documents import Document as Document
from stationmaster.repos.contents import Contents

_FIRST = re.compile(r"(?i)readme\.(?:md|mdx|markdown|rst|adoc|asciidoc)")
_LINK = re.compile(
    r"""[(<"':\s]((?:[\w.%-]{1,100}/){0,8}[\w.%-]{1,100}\.(?:md|mdx|markdown|rst|adoc|asciidoc))"""
    r"""(?=[)>"'#?\s\[])"""
)
_READ_MAX = 100


def choose(paths: Collection[str], contents: Contents) -> tuple[Document, ...]:
    """The documents among paths, those nearest to the root first, with what the README leads to."""
    return documents.choose(paths, contents, _linked(paths, contents))


def _linked(paths: Collection[str], contents: Contents) -> frozenset[str]:
    """The texts among paths that the README of the root names by a relative path, and those that
    these name."""
    there = frozenset(paths)
    waiting = [path for path in paths if _FIRST.fullmatch(path)]
    reached = dict.fromkeys(waiting)
    for path in waiting:
        for link in dict.fromkeys(_LINK.findall(contents.text(path))):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(link)))
            if target in there and target not in reached and len(waiting) < _READ_MAX:
                reached[target] = None
                waiting.append(target)
    return frozenset(reached)
