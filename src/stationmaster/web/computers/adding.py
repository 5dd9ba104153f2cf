"""`/computers/new`: have the platform make a computer. `/computers/pair`: add one that shows a
code."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form
from starlette.responses import Response

from stationmaster.computers import model
from stationmaster.computers.managed import service as managed, templates
from stationmaster.computers.managed.model import NewComputer
from stationmaster.computers.pairings import Pairing
from stationmaster.errors import BadRequest, Conflict, NotImplementedYet, StationmasterError
from stationmaster.web.frame.pages import MemberVisit, Visit, router, see_other

PAIRING = "/computers/pair"
_Code = Annotated[str, Form(max_length=20)]

PATH = "/computers/new"
_Text = Annotated[str, Form()]

routes = router()


@routes.get(PATH)
def show_form(visit: MemberVisit) -> Response:
    return _form(visit)


@routes.post(PATH)
def make(
    visit: MemberVisit,
    name: _Text = "",
    template: _Text = "",
    remote_user: _Text = "",
    repos: _Text = "",
    installs: _Text = "",
) -> Response:
    """Have a computer made; its page shows the steps as they go on."""
    new = NewComputer(
        remote_user=remote_user.strip() or None,
        template=template or None,
        repos=tuple(repos.split()),
        installs_dependencies=bool(installs),
    )
    try:
        [made] = managed.create(visit.db, visit.services.offer, visit.caller, [name.strip()], new)
    except (BadRequest, Conflict, NotImplementedYet) as fault:
        return _form(visit, name=name, new=new, fault=fault)
    return see_other(f"/computers/{made.computer_id}")


def _form(
    visit: Visit,
    *,
    name: str = "",
    new: NewComputer | None = None,
    fault: BadRequest | Conflict | NotImplementedYet | None = None,
) -> Response:
    offer = visit.services.offer
    return visit.page(
        "computer_new.html",
        error=fault,
        templates=[(template, template) for template in sorted(offer.templates)],
        chosen=(new and new.template) or templates.chosen(offer.templates) or "",
        name=name,
        new=new or NewComputer(),
        name_max=model.NAME_LENGTH_MAX,
        user_max=model.USER_LENGTH_MAX,
    )


@routes.get(PAIRING)
def ask_for_code(visit: MemberVisit) -> Response:
    return _pairing_page(visit)


@routes.post(PAIRING)
def look_up(visit: MemberVisit, code: _Code = "") -> Response:
    """Show the machine that shows a code."""
    try:
        pairing = visit.services.pairings.look_up(visit.caller, code)
    except StationmasterError as fault:
        return _pairing_page(visit, code, fault=fault)
    return _pairing_page(visit, code, pairing, pairing.registration.name)


@routes.post(PAIRING + "/approve")
def approve(visit: MemberVisit, code: _Code = "", name: Annotated[str, Form()] = "") -> Response:
    """Make the machine that shows a code a computer of the caller."""
    pairings = visit.services.pairings
    try:
        made = pairings.approve(visit.caller, code, name.strip() or None)
    except StationmasterError as fault:
        pairing = None if fault.status in (404, 429) else pairings.look_up(visit.caller, code)
        return _pairing_page(visit, code, pairing, name, fault)
    return see_other(f"/computers/{made.computer_id}")


def _pairing_page(
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
