"""The groups of pages that outputs show, and their links in another layout."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple
from urllib.parse import unquote

from stationmaster.wiki import citations, markdown, tree
from stationmaster.wiki.checks import scanning
from stationmaster.wiki.citations import Host
from stationmaster.wiki.making.written import Written

INDEX = "index"


class Group(NamedTuple):
    """Pages below one folder, in reading order; '' for those of the first level."""

    title: str
    pages: tuple[Written, ...]


def groups(pages: Sequence[Written]) -> list[Group]:
    """By the first folder of their keys, in the order of their first pages."""
    places: dict[str, int] = {"": -1}
    for page in pages:
        places.setdefault(_folder(page), len(places))
    ordered = sorted(pages, key=lambda page: places[_folder(page)])
    return [
        Group(tree.title_of(folder) if folder else "", tuple(some))
        for folder, some in groupby(ordered, key=_folder)
    ]


def described(page: Written) -> str:
    """Its description as plain text, '' where it has none."""
    return markdown.plain(citations.expand(page.description, None))


def linked(page: Written, host: Host | None, address: Callable[[str], str | None]) -> str:
    """The body with citations of the host, and with links to pages as `address` gives them by key,
    None for a page that there is not."""
    lines = citations.expand(page.body, host).split("\n")
    fenced = markdown.fenced(lines)
    for number, line in enumerate(lines):
        if "](" in line and not fenced[number]:
            lines[number] = _relinked(line, page.key, address)
    return "\n".join(lines)


def _relinked(line: str, key: str, address: Callable[[str], str | None]) -> str:
    for start, end in reversed(list(scanning.addresses(line))):
        path, sign, anchor = line[start:end].partition("#")
        if path.endswith(".md") and ":" not in path:
            place = posixpath.normpath(posixpath.join(posixpath.dirname(key), unquote(path)))
            target = address(place.removesuffix(".md"))
            if target is not None:
                line = line[:start] + target + sign + anchor + line[end:]
        elif path and ":" not in path and not path.startswith("/"):
            # Images stay where they are, and flat pages are next to their folders.
            place = posixpath.normpath(posixpath.join(posixpath.dirname(key), path))
            line = line[:start] + place + sign + anchor + line[end:]
    return line


def encoded(texts: Mapping[str, str]) -> dict[str, bytes]:
    """By name, as the bytes of files."""
    return {name: text.encode(errors="replace") for name, text in texts.items()}


def _folder(page: Written) -> str:
    return page.key.partition("/")[0] if "/" in page.key else ""
