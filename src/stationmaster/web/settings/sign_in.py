"""`/settings/sign-in`: the identity providers of the organization, tested by owners and managers;
added, changed and removed by owners. Those of the operator are shown and tested alone.
"""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import Form
from pydantic import BaseModel
from starlette.responses import Response

from stationmaster.access.model import Secret
from stationmaster.access.signing_in.issuers import Issuer
from stationmaster.access.signing_in.provider import Published
from stationmaster.access.signing_in.stored_issuers import IssuerForm, StoredIssuer
from stationmaster.errors import StationmasterError, Unavailable
from stationmaster.web.frame.pages import (
    ManagerVisit,
    OwnerVisit,
    Visit,
    listing,
    router,
    see_other,
)
from stationmaster.web.frame.requests import address_of

PATH = "/settings/sign-in"
_AUTH = "/api/platform/v1/auth"
_API = "/api/platform/v1/identity-providers"
_COLUMNS = (
    "0.name: Name, 0.issuer: Issuer, 0.client_id: Client, 1: E-mail domains, 2: Set by, "
    "3: Redirect address"
)

routes = router()


class IssuerFields(BaseModel):
    """A provider as it was typed; `trust` is any text for yes."""

    name: str = ""
    issuer: str = ""
    client: str = ""
    secret: str = ""
    domains: str = ""
    trust: str = ""


@routes.get(PATH)
def show_providers(visit: ManagerVisit) -> Response:
    return _page(visit)


@routes.post(PATH)
def add_provider(visit: OwnerVisit, form: Annotated[IssuerFields, Form()]) -> Response:
    try:
        visit.services.issuers.stored.add(visit.caller, form.name.strip(), _wanted(form))
    except StationmasterError as fault:
        return _page(visit, fault=fault, form=form)
    return see_other(f"{PATH}?added={quote(form.name.strip())}")


@routes.get(PATH + "/{name}")
def show_provider(visit: OwnerVisit, name: str) -> Response:
    provider = visit.services.issuers.stored.get(visit.org, name)
    form = IssuerFields(
        issuer=provider.issuer,
        client=provider.client_id,
        domains=" ".join(provider.allowed_domains),
        trust="yes" if provider.trust_unverified_email else "",
    )
    return _form(visit, name, form)


@routes.post(PATH + "/{name}")
def change_provider(
    visit: OwnerVisit, name: str, form: Annotated[IssuerFields, Form()]
) -> Response:
    """Change a provider; a secret that is not entered stays."""
    stored = visit.services.issuers.stored
    stored.get(visit.org, name)
    try:
        stored.change(visit.caller, name, _wanted(form))
    except StationmasterError as fault:
        return _form(visit, name, form, fault)
    return see_other(PATH)


@routes.post(PATH + "/{name}/test")
def test_provider(visit: ManagerVisit, name: str) -> Response:
    """Ask a provider now, and show what it publishes or what is wrong."""
    try:
        published = visit.services.issuers.check(visit.org, name)
    except Unavailable as fault:
        return _page(visit, failed=f"{name}: {fault.detail}")
    return _page(visit, tested=(name, published))


@routes.get(PATH + "/{name}/remove")
def ask_to_remove(visit: OwnerVisit, name: str) -> Response:
    visit.services.issuers.stored.get(visit.org, name)
    return visit.confirm("provider", name, PATH)


@routes.post(PATH + "/{name}/remove")
def remove_provider(visit: OwnerVisit, name: str) -> Response:
    visit.services.issuers.stored.remove(visit.caller, name)
    return see_other(PATH)


def _page(
    visit: Visit,
    *,
    tested: tuple[str, Published] | None = None,
    failed: str | None = None,
    fault: StationmasterError | None = None,
    form: IssuerFields | None = None,
) -> Response:
    configured = visit.services.issuers.of(visit.org)
    stored = visit.services.issuers.stored.list_all(visit.org)
    both: list[Issuer | StoredIssuer] = [*configured, *stored]
    redirects = {provider.name: _redirect(visit, provider.name) for provider in both}
    rows = [
        (
            provider,
            " ".join(provider.allowed_domains),
            "organization" if isinstance(provider, StoredIssuer) else "operator",
            redirects[provider.name],
        )
        for provider in both
    ]
    added = visit.request.query_params.get("added")
    return visit.lists(
        "sign_in_settings.html",
        PATH,
        [listing("providers", "Providers", _COLUMNS, rows, visit.call(_API))],
        status=200 if fault is None else fault.status,
        configured=configured,
        stored=stored,
        redirects=redirects,
        added=next((provider for provider in stored if provider.name == added), None),
        tested=tested,
        fault=failed,
        form_fault=None if fault is None else fault.detail,
        form=form or IssuerFields(),
        settings=visit.settings,
    )


def _form(
    visit: Visit, name: str, form: IssuerFields, fault: StationmasterError | None = None
) -> Response:
    redirect = _redirect(visit, name)
    return visit.page("sign_in_provider.html", error=fault, name=name, form=form, redirect=redirect)


def _wanted(form: IssuerFields) -> IssuerForm:
    secret = Secret(form.secret) if form.secret else None
    domains = form.domains.replace(",", " ").split()
    return IssuerForm(form.issuer, form.client, secret, domains, bool(form.trust))


def _redirect(visit: Visit, name: str) -> str:
    """Where a provider sends browsers back."""
    return f"{address_of(visit.request)}{_AUTH}/oidc/{quote(name)}/callback"
