"""Every page and every form answers each role as the table says: without parameters, about
something that does not exist, and sent with a word in each field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import signature
from typing import Annotated, Literal, cast, get_args, get_origin, get_type_hints
from urllib.parse import urlencode

import pytest
from fastapi import params
from fastapi.routing import APIRoute
from pydantic import BaseModel

from stationmaster.access.model import Role
from stationmaster.web import ROUTERS
from tests.conformance import pages
from tests.web.conftest import Office
from tests.web.worked import work

FILES = {"/install/{name}", "/static/{digest}/{name}"}
"""What answers with no page: files."""
LAST = "/sign-out"
WORD = "none"
Asked = dict[tuple[str, str], tuple[str, dict[str, str]]]


def asked() -> Asked:
    """The address and the form to send for each method and pattern."""
    routes = [
        route
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute) and route.path not in FILES
    ]
    return {
        (method, route.path): (_address(route), dict(_fields(route)))
        for route in sorted(routes, key=lambda route: route.path == LAST)
        for method in route.methods
    }


def _address(route: APIRoute) -> str:
    """The address of what does not exist, with a word for each parameter that must be there."""
    hints = get_type_hints(route.endpoint)
    path = re.sub(r"{(\w+)[^}]*}", lambda match: _word(hints.get(match[1])), route.path)
    needed = [
        name
        for name, each in signature(route.endpoint).parameters.items()
        if each.default is each.empty and hints[name] is str and name not in route.param_convertors
    ]
    query = urlencode(dict.fromkeys(needed, WORD))
    return path if "POST" in route.methods or not query else f"{path}?{query}"


def _fields(route: APIRoute) -> Iterator[tuple[str, str]]:
    """The fields of a form, each with a word that it may have."""
    for name, hint in get_type_hints(route.endpoint, include_extras=True).items():
        kind, *marks = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        for mark in marks:
            if isinstance(mark, params.Form) and not isinstance(mark, params.File):
                if isinstance(kind, type) and issubclass(kind, BaseModel):
                    for field, about in kind.model_fields.items():
                        yield field, _word(about.annotation)
                else:
                    yield mark.alias or name, _word(kind)


def _word(kind: object) -> str:
    """The first of the words that a part may be."""
    return str(get_args(kind)[0]) if get_origin(kind) is Literal else WORD


def test_every_page_and_form_is_in_the_table() -> None:
    assert set(asked()) == set(pages.pages())


@pytest.mark.parametrize("who", ["owner", "manager", "member", "guest", "nobody"])
def test_each_page_and_form_is_for_whom_the_table_says(office: Office, who: str) -> None:
    work(office)
    asks = office.person(cast(Role, who), f"{who}@who.example") if who != "nobody" else None
    found = {}
    with office.visitor(asks) as visitor:
        for key, (path, form) in asked().items():
            found[key] = visitor.request(key[0], path, data=form or None).status_code

    assert found == {key: status[who] for key, status in pages.pages().items()}
