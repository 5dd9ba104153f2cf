"""What packages of others are known by, and what their functions do."""

from __future__ import annotations

import re
from typing import NamedTuple

from stationmaster.reading.code.languages.source import Source, literal
from stationmaster.reading.code.model import Import

_MAJOR = re.compile(r"/v\d{1,4}$")

VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE")


class Web(NamedTuple):
    """A package that routes requests. `makers` make a router, `types` are what one is called;
    `verbs` are its methods by the HTTP method that they stand for."""

    name: str
    makers: frozenset[str]
    types: frozenset[str]
    verbs: dict[str, str]


def _web(name: str, makers: str, types: str, verbs: dict[str, str]) -> Web:
    return Web(name, frozenset(makers.split()), frozenset(types.split()), verbs)


_UPPER = {verb: verb for verb in VERBS}
_TITLE = {verb.title(): verb for verb in VERBS}
WEBS = {
    "net/http": _web("net/http", "NewServeMux", "ServeMux", {}),
    "github.com/gin-gonic/gin": _web(
        "gin", "Default New", "Engine RouterGroup IRouter IRoutes", {**_UPPER, "Any": "ANY"}
    ),
    "github.com/labstack/echo": _web("echo", "New", "Echo Group", {**_UPPER, "Any": "ANY"}),
    "github.com/go-chi/chi": _web("chi", "NewRouter NewMux", "Router Mux", _TITLE),
    "github.com/gorilla/mux": _web("gorilla/mux", "NewRouter", "Router", {}),
    "github.com/gofiber/fiber": _web("fiber", "New", "App Router Group", {**_TITLE, "All": "ANY"}),
}


def path_of(given: Import) -> str:
    """The path that a package is imported by, without its major version."""
    return _MAJOR.sub("", given.name)


def bound(imports: tuple[Import, ...]) -> dict[str, str]:
    """Packages by the names that they have in a file."""
    return {import_.bound[0]: path_of(import_) for import_ in imports if import_.bound}


def constants(source: Source) -> dict[str, str]:
    """Texts that constants and variables at top level stand for."""
    found: dict[str, str] = {}
    for node in source.root.named_children:
        if node.type in ("const_declaration", "var_declaration"):
            for spec in node.named_children:
                value = spec.child_by_field_name("value")
                name = spec.child_by_field_name("name")
                if value is not None and len(value.named_children) == 1:
                    told = literal(source, value.named_children[0])
                    if told is not None:
                        found[source.text(name)] = told
    return found
