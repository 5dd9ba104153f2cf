"""Every page of an installation: those of the menu, and one for each route that shows a page.

An address with parameters is found as people find it: by following links and forms from the menu.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple
from urllib.parse import urlencode

import httpx
from fastapi.routing import APIRoute

from stationmaster.web import ROUTERS
from stationmaster.web.frame import menu

_LINK = re.compile(r'<(?:a|link)\s[^>]*href="([^"#]*)')
_FORM = re.compile(r'<form method="get" action="([^"]*)"(.*?)</form>', re.DOTALL)
_CHOICE = re.compile(r'<select[^>]* name="(\w+)".*?<option value="([^"]+)"', re.DOTALL)
_LIMIT = 400


class Found(NamedTuple):
    """Addresses of pages by the patterns of their routes, and routes that answer otherwise: files,
    and addresses that lead to others."""

    pages: dict[str, str]
    others: set[str]


def patterns() -> dict[str, re.Pattern[str]]:
    """Addresses of routes that answer GET, with what matches them."""
    return {
        route.path: route.path_regex
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute) and "GET" in route.methods
    }


def find(http: httpx.Client) -> Found:
    """The address of one page of every route, as a signed-in client reaches it."""
    found = Found({}, set())
    known = patterns()
    waiting = [entry.path for _, entries in menu.MENU for entry in entries]
    waiting += [path for path in known if "{" not in path]
    values: dict[str, str] = {}
    seen: set[str] = set()
    while waiting and len(seen) < _LIMIT:
        path = waiting.pop(0)
        pattern = _pattern(known, path)
        if pattern is not None and path not in seen and pattern not in found.pages:
            seen.add(path)
            waiting += _visited(http, pattern, path, found)
            values = {**known[pattern].match(_plain(path)).groupdict(), **values}
        if not waiting:
            # Pages that nothing links to, such as the one after a form, of what others are about.
            waiting = [path for path in _of_values(known, values, found) if path not in seen]
    return found


def _visited(http: httpx.Client, pattern: str, path: str, found: Found) -> list[str]:
    """Where an address leads on to; what it is, is noted."""
    answer = http.get(path)
    if answer.is_redirect:
        found.others.add(pattern)
        return [answer.headers["location"]]
    if answer.status_code != 200:
        return []
    if "text/html" not in answer.headers["content-type"]:
        found.others.add(pattern)
        return []
    found.pages[pattern] = path
    return list(_links(answer.text))


def _of_values(
    known: dict[str, re.Pattern[str]], values: dict[str, str], found: Found
) -> Iterator[str]:
    for pattern in known:
        names = re.findall(r"{(\w+)[^}]*}", pattern)
        if pattern not in {*found.pages, *found.others} and set(names) <= set(values):
            yield re.sub(r"{(\w+)[^}]*}", lambda match: values[match[1]], pattern)


def _pattern(known: dict[str, re.Pattern[str]], path: str) -> str | None:
    plain = _plain(path)
    # A route without parameters takes precedence over one that would match as well.
    if plain in known:
        return plain
    return next((name for name, regex in known.items() if regex.match(plain)), None)


def _plain(path: str) -> str:
    return path.partition("?")[0]


def _links(html: str) -> Iterator[str]:
    for link in _LINK.findall(html):
        if link.startswith("/") and not link.startswith("//"):
            yield unescape(link)
    for action, fields in _FORM.findall(html):
        yield unescape(f"{action}?{urlencode(_CHOICE.findall(fields))}")
