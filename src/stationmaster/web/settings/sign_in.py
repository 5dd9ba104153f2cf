"""`/settings/sign-in`: the identity providers of the organization, tested; the setting for another.

The operator of the server sets them, because whoever controls a provider can sign in as each
member: a page of an organization must not have a server trust another address.
"""

from __future__ import annotations

import json
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.access.authenticate import require
from stationmaster.access.model import Caller
from stationmaster.access.signing_in import issuers
from stationmaster.access.signing_in.issuers import Issuer
from stationmaster.access.signing_in.provider import Published
from stationmaster.errors import NotFound, OperatorError, Unavailable
from stationmaster.web.figures.reports import call_of
from stationmaster.web.frame import menu
from stationmaster.web.frame.lists import list_page, listing
from stationmaster.web.frame.pages import router
from stationmaster.web.frame.requests import SignedIn, address_of, services_of

PATH = "/settings/sign-in"
_API = "/api/platform/v1/auth"
_TEXT_MAX = 500
FIELDS = ("name", "issuer", "client", "domains")
"""What the form for another provider asks for."""

routes = router()


@routes.get(PATH)
def show_providers(request: Request, caller: SignedIn) -> Response:
    """The providers, and the setting that adds the one of the form."""
    form = {name: request.query_params.get(name, "")[:_TEXT_MAX].strip() for name in FIELDS}
    return _page(request, caller, form)


@routes.post(PATH + "/{name}/test")
def test_provider(request: Request, caller: SignedIn, name: str) -> Response:
    """Ask a provider now, and show what it publishes or what is wrong."""
    require(caller, *menu.MANAGERS)
    provider = services_of(request).issuers.providers.get(name)
    if provider is None or provider.issuer.org != caller.org_id:
        raise NotFound("There is no such provider.")
    try:
        return _page(request, caller, {}, tested=(name, provider.check()))
    except Unavailable as fault:
        return _page(request, caller, {}, fault=f"{name}: {fault.detail}")


def _page(
    request: Request,
    caller: Caller,
    form: dict[str, str],
    *,
    tested: tuple[str, Published] | None = None,
    fault: str | None = None,
) -> Response:
    require(caller, *menu.MANAGERS)
    settings = services_of(request).settings
    found = [
        provider.issuer
        for provider in services_of(request).issuers.providers.values()
        if provider.issuer.org == caller.org_id
    ]
    rows = [
        (
            each.name,
            each.issuer,
            each.client_id or "",
            each.audience,
            " ".join(each.allowed_domains),
        )
        for each in found
    ]
    heads = ("Name", "Issuer", "Client", "Audience", "E-mail domains")
    table = listing("providers", "Providers", heads, rows, call_of(request, f"{_API}/providers"))
    setting, form_fault = _setting(request, caller, form)
    return list_page(
        "sign_in_settings.html",
        caller,
        request,
        PATH,
        [table],
        providers=found,
        redirects={each.name: _redirect(request, each.name) for each in found},
        tested=tested,
        fault=fault,
        form={name: form.get(name, "") for name in FIELDS},
        form_fault=form_fault,
        setting=setting,
        redirect=_redirect(request, form["name"]) if setting else None,
        settings=settings,
    )


def _setting(
    request: Request, caller: Caller, form: dict[str, str]
) -> tuple[str | None, str | None]:
    """The entry that adds the provider of the form, or what is wrong with it."""
    if not any(form.values()):
        return None, None
    wanted = Issuer(
        name=form["name"],
        issuer=form["issuer"],
        audience=form["client"],
        org=caller.org_id,
        client_id=form["client"],
        allowed_domains=tuple(form["domains"].replace(",", " ").split()),
    )
    services = services_of(request)
    try:
        checked = issuers.checked(wanted, services.settings, services.db)
    except OperatorError as fault:
        return None, fault.detail.rpartition(": ")[2].replace("`", "")
    entry = {
        "name": checked.name,
        "issuer": checked.issuer,
        "org": checked.org,
        "audience": checked.audience,
        "client_id": checked.client_id,
        "client_secret": "…",
        "allowed_domains": checked.allowed_domains,
    }
    return json.dumps(entry, indent=2, ensure_ascii=False), None


def _redirect(request: Request, name: str) -> str:
    """Where a provider sends browsers back."""
    return f"{address_of(request)}{_API}/oidc/{quote(name)}/callback"
