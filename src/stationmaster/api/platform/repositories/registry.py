"""The repository registry: which repositories an organization has, and how they are reached."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query, Request, Response
from pydantic import ConfigDict, Field

from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import router
from stationmaster.api.services import services_of
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId, RepoId
from stationmaster.repos import model, service
from stationmaster.wiki import source_files

routes = router("/api/platform/v1/repositories", "Repositories")

ADDRESS_LENGTH_MAX = 12_000
"""A normalised address is ASCII; longer ones would not fit into the first line of a request."""


class RepositoryCredential(wire.Question):
    """A token, or a user's password. It is never answered.

    Without a `username` a token is sent the way the provider takes it: as a password, or as a
    bearer token.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "if": {"properties": {"kind": {"const": "basic"}}},
            "then": {
                "required": ["username"],
                "properties": {"username": {"type": "string", "minLength": 1}},
            },
        }
    )

    kind: Literal["token", "basic"]
    secret: Annotated[
        str, Field(min_length=1, max_length=4096, json_schema_extra={"writeOnly": True})
    ]
    username: Annotated[str | None, Field(max_length=255)] = None


class NewRepository(wire.Question):
    """`url` as `git clone` takes it, such as `git@host:owner/name.git`; no password in it."""

    url: Annotated[
        str, Field(min_length=1, max_length=1000, examples=["git@git.example:acme/shop.git"])
    ]
    credential: RepositoryCredential | None = None


class RepositoryRecord(wire.Answer):
    """Times are Unix milliseconds; what was fetched is null until it was.

    `fetchError` says why the last attempt failed. `createdBy` is a user or a service account.
    """

    repo_id: str
    url: str
    provider: model.Provider
    default_branch: str | None
    head_commit: str | None
    fetched_at: int | None
    fetch_error: model.FetchError | None
    has_credential: bool
    created_at: int
    created_by: str


class RepositoryPage(wire.Answer):
    """By address."""

    repositories: list[RepositoryRecord]
    pagination: wire.Pagination


class RepositoryFile(wire.Answer):
    """`lines` of a file from the line `first` on, of `total` lines. Lines over 2,000 characters are
    cut."""

    commit_hash: str
    path: str
    first: int
    total: int
    lines: list[str]


@routes.post(
    "",
    status_code=201,
    responses=problems("Problem", 409)
    | {200: {"model": RepositoryRecord, "description": "It is known already."}},
)
async def register_repository(
    new: NewRepository, caller: callers.Manager, request: Request, response: Response
) -> RepositoryRecord:
    """Register a repository.

    A known one is answered with 200; a credential that comes with it replaces the earlier one.
    """
    services = services_of(request)
    given = None if new.credential is None else _credential(new.credential)
    found, is_new = await blocking.work(
        service.register, services.db, services.vault, caller, new.url, given
    )
    response.status_code = 201 if is_new else 200
    return _record(found)


@routes.get("")
async def list_repositories(
    caller: callers.Member,
    request: Request,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: Annotated[str, Query(max_length=ADDRESS_LENGTH_MAX, pattern="^[!-~]*$")] = "",
    url: Annotated[str | None, Query(max_length=1000)] = None,
) -> RepositoryPage:
    """The registered repositories by address, page by page; with `url` the one at an address."""
    db, org = services_of(request).db, caller.org_id
    if url is None:
        found = await blocking.read(db, _page, db, org, limit + 1, cursor)
    else:
        found = await blocking.read(db, service.find, db, org, url)
    shown, pagination = wire.paged(found, limit, lambda each: each.url)
    return RepositoryPage(repositories=[_record(each) for each in shown], pagination=pagination)


@routes.get("/{repo_id}")
async def get_repository(
    repo_id: wire.Identifier, caller: callers.Member, request: Request
) -> RepositoryRecord:
    """One registered repository."""
    db = services_of(request).db
    return _record(await blocking.read(db, service.get, db, caller.org_id, RepoId(repo_id)))


@routes.delete("/{repo_id}", status_code=204)
async def remove_repository(
    repo_id: wire.Identifier, caller: callers.Manager, request: Request
) -> None:
    """Forget a repository, its credential, and everything that was fetched of it."""
    services = services_of(request)
    await blocking.work(service.remove, services.db, services.settings, caller, RepoId(repo_id))


@routes.put("/{repo_id}/credential")
async def set_repository_credential(
    repo_id: wire.Identifier,
    credential: RepositoryCredential,
    caller: callers.Manager,
    request: Request,
) -> RepositoryRecord:
    """Set what opens a repository, in place of what did. It is never answered."""
    services, given = services_of(request), _credential(credential)
    return _record(
        await blocking.work(
            service.set_credential, services.db, services.vault, caller, RepoId(repo_id), given
        )
    )


@routes.delete("/{repo_id}/credential", status_code=204)
async def remove_repository_credential(
    repo_id: wire.Identifier, caller: callers.Manager, request: Request
) -> None:
    """Forget what opens a repository; 204 also when there is nothing."""
    await blocking.work(service.remove_credential, services_of(request).db, caller, RepoId(repo_id))


@routes.get("/{repo_id}/files", responses=problems("Problem", 409, 413))
async def get_repository_file(
    repo_id: wire.Identifier,
    caller: callers.Member,
    request: Request,
    path: Annotated[str, Query(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")],
    commit: Annotated[
        str | None, Query(pattern="^([0-9a-f]{40}|[0-9a-f]{64})$", description="A whole hash.")
    ] = None,
    first: Annotated[int, Query(ge=1, le=10**9, description="The first line.")] = 1,
    count: Annotated[int, Query(ge=1, le=source_files.LINES_MAX)] = source_files.LINES_MAX,
) -> RepositoryFile:
    """Lines of a file as they are at a commit, by default the newest one that was fetched.

    Files that may hold secrets are not shown (409 `file_not_shown`); what looks like a secret in
    others reads REDACTED. 409 `not_text` for other files, 413 for those over 1 MiB.
    """
    services, org = services_of(request), caller.org_id
    found = await blocking.work(
        lambda: source_files.read(
            services.db,
            services.settings,
            org,
            RepoId(repo_id),
            commit=commit,
            path=path,
            first=first,
            count=count,
        )
    )
    return RepositoryFile(
        commit_hash=found.commit,
        path=found.path,
        first=found.first,
        total=found.total,
        lines=list(found.lines),
    )


@routes.post("/{repo_id}/refresh", responses=problems("Problem", 409))
async def refresh_repository(
    repo_id: wire.Identifier, caller: callers.Manager, request: Request
) -> RepositoryRecord:
    """Fetch the default branch now, and answer when that is done.

    409 with a code such as `repository_unreachable`, `repository_forbidden` or
    `repository_too_large` when it cannot be fetched; 503 with `repository_busy` while it is.
    """
    services, org = services_of(request), caller.org_id
    return _record(
        await blocking.work(
            lambda: service.refresh(
                services.db,
                services.settings,
                services.vault,
                org,
                RepoId(repo_id),
                moved=services.wants.fetched,
            )
        )
    )


def _page(db: Database, org: OrgId, limit: int, after: str) -> list[model.Repository]:
    return service.list_page(db, org, limit=limit, after=after)


def _credential(given: RepositoryCredential) -> model.Credential:
    return model.credential(given.kind, given.username, given.secret)


def _record(known: model.Repository) -> RepositoryRecord:
    return RepositoryRecord(
        repo_id=known.repo_id,
        url=known.url,
        provider=known.provider,
        default_branch=known.default_branch,
        head_commit=known.head_commit,
        fetched_at=known.fetched_at,
        fetch_error=known.fetch_error,
        has_credential=known.has_credential,
        created_at=known.created_at,
        created_by=known.created_by,
    )
