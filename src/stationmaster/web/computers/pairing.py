"""`/computers/pair`: type the code that a machine shows, compare the machine, and approve it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller
from stationmaster.computers import names
from stationmaster.computers.pairings import Pairing
from stationmaster.errors import StationmasterError
from stationmaster.web.frame import menu
from stationmaster.web.frame.pages import page, router, see_other
from stationmaster.web.frame.requests import SignedIn, services_of

PATH = "/computers/pair"
_Code = Annotated[str, Form(max_length=20)]

routes = router()


@routes.get(PATH)
def ask_for_code(request: Request, caller: SignedIn) -> Response:
    return _page(request, caller)


@routes.post(PATH)
def look_up(request: Request, caller: SignedIn, code: _Code = "") -> Response:
    """Show the machine that shows a code."""
    require(caller, *menu.MEMBERS)
    try:
        found = services_of(request).pairings.look_up(caller, code)
    except StationmasterError as fault:
        return _page(request, caller, code, fault=fault)
    return _page(request, caller, code, found, found.registration.name)


@routes.post(PATH + "/approve")
def approve(
    request: Request, caller: SignedIn, code: _Code = "", name: Annotated[str, Form()] = ""
) -> Response:
    """Make the machine that shows a code a computer of the caller."""
    require(caller, *menu.MEMBERS)
    pairings = services_of(request).pairings
    try:
        made = pairings.approve(caller, code, name.strip() or None)
    except StationmasterError as fault:
        found = None if fault.status in (404, 429) else pairings.look_up(caller, code)
        return _page(request, caller, code, found, name, fault)
    return see_other(f"/computers/{made.computer_id}")


def _page(
    request: Request,
    caller: Caller,
    code: str = "",
    found: Pairing | None = None,
    name: str = "",
    fault: StationmasterError | None = None,
) -> Response:
    require(caller, *menu.MEMBERS)
    return page(
        "computer_pair.html",
        caller,
        request,
        status=200 if fault is None else fault.status,
        code=code,
        machine=None if found is None else found.registration,
        name=name,
        name_max=names.NAME_LENGTH_MAX,
        fault=None if fault is None else fault.detail,
    )
