"""`/settings/sign-in`: the identity providers of the organization, tested by owners and managers;
added, changed and removed by owners. Those of the operator are shown and tested alone.
"""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import Form
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller, Secret
from stationmaster.access.signing_in.issuers import Issuer
from stationmaster.access.signing_in.provider import Published
from stationmaster.access.signing_in.stored_issuers import Stored, Wanted
from stationmaster.errors import StationmasterError, Unavailable
from stationmaster.web.figures.reports import call_of
from stationmaster.web.frame import menu
from stationmaster.web.frame.lists import list_page, listing
from stationmaster.web.frame.pages import page, router, see_other
from stationmaster.web.frame.requests import SignedIn, address_of, services_of

PATH = "/settings/sign-in"
_AUTH = "/api/platform/v1/auth"
_API = "/api/platform/v1/identity-providers"
_HEADS = ("Name", "Issuer", "Client", "E-mail domains", "Set by", "Redirect address")
_EMPTY: dict[str, object] = {
    "name": "",
    "issuer": "",
    "client": "",
    "domains": "",
    "trust": False,
}

Text = Annotated[str, Form()]

routes = router()


@routes.get(PATH)
def show_providers(request: Request, caller: SignedIn) -> Response:
    return _page(request, caller)


@routes.post(PATH)
def add_provider(
    request: Request,
    caller: SignedIn,
    name: Text = "",
    issuer: Text = "",
    client: Text = "",
    secret: Text = "",
    domains: Text = "",
    trust: Text = "",
) -> Response:
    require(caller, "owner")
    wanted = _wanted(issuer, client, secret, domains, bool(trust))
    try:
        services_of(request).issuers.stored.add(caller, name.strip(), wanted)
    except StationmasterError as fault:
        typed = {"name": name, "issuer": issuer, "client": client, "domains": domains}
        return _page(request, caller, fault=fault, form={**typed, "trust": bool(trust)})
    return see_other(f"{PATH}?added={quote(name.strip())}")


@routes.get(PATH + "/{name}")
def show_provider(request: Request, caller: SignedIn, name: str) -> Response:
    require(caller, "owner")
    found = services_of(request).issuers.stored.get(caller.org_id, name)
    form = {
        "issuer": found.issuer,
        "client": found.client_id,
        "domains": " ".join(found.allowed_domains),
        "trust": found.trust_unverified_email,
    }
    return _form(request, caller, name, form)


@routes.post(PATH + "/{name}")
def change_provider(
    request: Request,
    caller: SignedIn,
    name: str,
    issuer: Text = "",
    client: Text = "",
    secret: Text = "",
    domains: Text = "",
    trust: Text = "",
) -> Response:
    """Change a provider; a secret that is not entered stays."""
    require(caller, "owner")
    stored = services_of(request).issuers.stored
    stored.get(caller.org_id, name)
    try:
        stored.change(caller, name, _wanted(issuer, client, secret, domains, bool(trust)))
    except StationmasterError as fault:
        form = {"issuer": issuer, "client": client, "domains": domains, "trust": bool(trust)}
        return _form(request, caller, name, form, fault)
    return see_other(PATH)


@routes.post(PATH + "/{name}/test")
def test_provider(request: Request, caller: SignedIn, name: str) -> Response:
    """Ask a provider now, and show what it publishes or what is wrong."""
    require(caller, *menu.MANAGERS)
    try:
        published = services_of(request).issuers.check(caller.org_id, name)
    except Unavailable as fault:
        return _page(request, caller, failed=f"{name}: {fault.detail}")
    return _page(request, caller, tested=(name, published))


@routes.get(PATH + "/{name}/remove")
def ask_to_remove(request: Request, caller: SignedIn, name: str) -> Response:
    require(caller, "owner")
    services_of(request).issuers.stored.get(caller.org_id, name)
    return page(
        "confirm.html",
        caller,
        request,
        question=f"Remove {name}?",
        consequence="Nobody can sign in there any more, and its client secret is deleted. "
        "Members who are signed in stay signed in.",
        verb="Remove",
        back=PATH,
    )


@routes.post(PATH + "/{name}/remove")
def remove_provider(request: Request, caller: SignedIn, name: str) -> Response:
    require(caller, "owner")
    services_of(request).issuers.stored.remove(caller, name)
    return see_other(PATH)


def _page(
    request: Request,
    caller: Caller,
    *,
    tested: tuple[str, Published] | None = None,
    failed: str | None = None,
    fault: StationmasterError | None = None,
    form: dict[str, object] | None = None,
) -> Response:
    require(caller, *menu.MANAGERS)
    services = services_of(request)
    configured = services.issuers.of(caller.org_id)
    stored = services.issuers.stored.list_all(caller.org_id)
    both: list[Issuer | Stored] = [*configured, *stored]
    redirects = {each.name: _redirect(request, each.name) for each in both}
    rows = [
        (
            *(each.name, each.issuer, each.client_id or "", " ".join(each.allowed_domains)),
            *(_set_by(each), redirects[each.name]),
        )
        for each in both
    ]
    added = request.query_params.get("added")
    return list_page(
        "sign_in_settings.html",
        caller,
        request,
        PATH,
        [listing("providers", "Providers", _HEADS, rows, call_of(request, _API))],
        status=200 if fault is None else fault.status,
        configured=configured,
        stored=stored,
        redirects=redirects,
        added=next((each for each in stored if each.name == added), None),
        tested=tested,
        fault=failed,
        form_fault=None if fault is None else fault.detail,
        form=form or _EMPTY,
        settings=services.settings,
    )


def _form(
    request: Request,
    caller: Caller,
    name: str,
    form: dict[str, object],
    fault: StationmasterError | None = None,
) -> Response:
    return page(
        "sign_in_provider.html",
        caller,
        request,
        status=200 if fault is None else fault.status,
        fault=None if fault is None else fault.detail,
        name=name,
        form=form,
        redirect=_redirect(request, name),
    )


def _wanted(issuer: str, client: str, secret: str, domains: str, trust: bool) -> Wanted:
    return Wanted(
        issuer,
        client,
        Secret(secret) if secret else None,
        domains.replace(",", " ").split(),
        trust,
    )


def _set_by(provider: Issuer | Stored) -> str:
    return "organization" if isinstance(provider, Stored) else "operator"


def _redirect(request: Request, name: str) -> str:
    """Where a provider sends browsers back."""
    return f"{address_of(request)}{_AUTH}/oidc/{quote(name)}/callback"
