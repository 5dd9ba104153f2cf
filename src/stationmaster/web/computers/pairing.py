"""`/computers/pair`: type the code that a machine shows, compare the machine, and approve it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form
from starlette.responses import Response

from stationmaster.computers import model
from stationmaster.computers.pairings import Pairing
from stationmaster.errors import StationmasterError
from stationmaster.web.frame.pages import MemberVisit, Visit, router, see_other

PATH = "/computers/pair"
_Code = Annotated[str, Form(max_length=20)]

routes = router()


@routes.get(PATH)
def ask_for_code(visit: MemberVisit) -> Response:
    return _page(visit)


@routes.post(PATH)
def look_up(visit: MemberVisit, code: _Code = "") -> Response:
    """Show the machine that shows a code."""
    try:
        pairing = visit.services.pairings.look_up(visit.caller, code)
    except StationmasterError as fault:
        return _page(visit, code, fault=fault)
    return _page(visit, code, pairing, pairing.registration.name)


@routes.post(PATH + "/approve")
def approve(visit: MemberVisit, code: _Code = "", name: Annotated[str, Form()] = "") -> Response:
    """Make the machine that shows a code a computer of the caller."""
    pairings = visit.services.pairings
    try:
        made = pairings.approve(visit.caller, code, name.strip() or None)
    except StationmasterError as fault:
        pairing = None if fault.status in (404, 429) else pairings.look_up(visit.caller, code)
        return _page(visit, code, pairing, name, fault)
    return see_other(f"/computers/{made.computer_id}")


def _page(
    visit: Visit,
    code: str = "",
    pairing: Pairing | None = None,
    name: str = "",
    fault: StationmasterError | None = None,
) -> Response:
    return visit.page(
        "computer_pair.html",
        error=fault,
        code=code,
        machine=None if pairing is None else pairing.registration,
        name=name,
        name_max=model.NAME_LENGTH_MAX,
    )
