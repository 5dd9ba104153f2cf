"""The CI scan and the repositories that it reads."""

from __future__ import annotations

from hashlib import blake2b
from typing import Annotated, Any, Literal

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import described
from stationmaster.api.routing import Db, Opened, router
from stationmaster.api.wire import matches
from stationmaster.pipelines.scanning import model
from stationmaster.pipelines.scanning.answer import answer
from stationmaster.repos import service as repos
from stationmaster.repos.model import Repository

routes = router("/api/v0/automations/ci", "CI scan")

_CACHING: dict[str, Any] = {
    "ETag": {"required": True, "schema": {"type": "string", "pattern": '^"[0-9a-f]{32}"$'}},
    "Cache-Control": {"required": True, "schema": {"const": "private, no-cache"}},
}
_SCAN: dict[int | str, dict[str, Any]] = {
    200: {"headers": _CACHING, **described("CiScan")},
    304: {"description": "The answer has not changed (`If-None-Match`).", "headers": _CACHING},
}


class CiIntegration(wire.Answer):
    """Whether any repository is registered."""

    connected: bool


class RepositoryOwner(wire.Answer):
    """The part of addresses before the names of repositories; its kind is not known from an
    address."""

    login: str
    type: Literal["Organization"]


class RepositoryOwners(wire.Answer):
    owners: list[RepositoryOwner]
    integration: CiIntegration


class ScannedRepository(wire.Answer):
    """A registered repository. It is private if it is fetched with a credential, with which
    pull requests may be opened, too (`writable`). `factoryAppWritable` is the same for clients
    of the published product."""

    full_name: str
    url: str
    is_private: bool
    default_branch: str | None
    user_permission: Literal["read"]
    writable: bool
    factory_app_writable: bool | None = None


class ScannedRepositories(wire.Answer):
    repositories: list[ScannedRepository]


@routes.get("/scan", responses=_SCAN)
async def scan_repositories(
    services: Opened,
    request: Request,
    caller: callers.Member,
    force_refresh: Annotated[
        bool, Query(alias="forceRefresh", description="Check every repository again.")
    ] = False,
    agents_only: Annotated[
        bool, Query(alias="agentsOnly", description="Only workflows that run a coding agent.")
    ] = False,
    repository: Annotated[
        str | None, Query(max_length=1000, description="Only the repository at this address.")
    ] = None,
) -> Response:
    """Scan repositories for CI workflows.

    A repository is checked again half an hour after the last check. Failures are listed under
    `repositories`; workflows of the last scan are kept.
    """
    scanner, org = services.scanner, caller.org_id
    scanned = None
    if not force_refresh:
        scanned = await blocking.read(services.db, scanner.fresh, org, repository)
    if scanned is None:
        scanned = await blocking.work(lambda: scanner.scan(org, repository, force=force_refresh))
    body = answer(
        scanned, agents_only=agents_only, vendor_spellings=services.settings.vendor_spellings
    )
    tag = f'"{blake2b(body, digest_size=16).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if matches(wire.header(request, b"if-none-match"), tag):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type="application/json")


@routes.get("/repository-owners")
@blocking.reads
def list_repository_owners(db: Db, caller: callers.Member) -> RepositoryOwners:
    """List the owners of the registered repositories."""
    repositories = repos.list_page(db, caller.org_id)
    return RepositoryOwners(
        owners=[
            RepositoryOwner(login=login, type="Organization")
            for login in model.owners(repositories)
        ],
        integration=CiIntegration(connected=bool(repositories)),
    )


@routes.get("/repositories", response_model_exclude_unset=True)
@blocking.reads
def list_owned_repositories(
    services: Opened,
    caller: callers.Member,
    owner: Annotated[str | None, Query(max_length=1000, description="Only this owner's.")] = None,
) -> ScannedRepositories:
    """List the registered repositories, by address."""
    repositories = repos.list_page(services.db, caller.org_id)
    shown = repositories if owner is None else model.owned_by(repositories, owner)
    spelled = services.settings.vendor_spellings
    return ScannedRepositories(
        repositories=[_repository(repository, spelled) for repository in shown]
    )


def _repository(repository: Repository, vendor_spellings: bool) -> ScannedRepository:
    spellings: dict[str, Any] = (
        {"factory_app_writable": repository.has_credential} if vendor_spellings else {}
    )
    return ScannedRepository(
        full_name=model.full_name(repository.url),
        url=repository.url,
        is_private=repository.has_credential,
        default_branch=repository.default_branch,
        user_permission="read",
        writable=repository.has_credential,
        **spellings,
    )
