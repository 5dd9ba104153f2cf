"""The repository registry: which repositories an organization has, and how they are reached."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query, Response
from pydantic import ConfigDict, Field

from stationmaster.api import blocking, callers, wire
from stationmaster.api.openapi import problems
from stationmaster.api.routing import Db, Opened, router
from stationmaster.ids import RepoId
from stationmaster.repos import model, service
from stationmaster.wiki import source_files

routes = router("/api/platform/v1/repositories", "Repositories")

ADDRESS_LENGTH_MAX = 12_000
"""A normalised address is ASCII; longer ones would not fit into the first line of a request."""


class RepositoryCredential(wire.Question):
    """A token, or a user's password. It is never returned. Without a `username` a token is sent
    as the provider expects it: as a password, or as a
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
    """`url` as for `git clone`, such as `git@host:owner/name.git`; without a password."""

    url: Annotated[
        str, Field(min_length=1, max_length=1000, examples=["git@git.example:acme/shop.git"])
    ]
    credential: RepositoryCredential | None = None


class RepositoryRecord(wire.Answer, record=model.Repository, without=("looked_at",)):
    """Times are Unix milliseconds; members about the fetched commit are null until the first
    fetch. `fetchError` is the reason of the last failure. `createdBy` is a user or a service
    account."""


class RepositoryPage(wire.Answer):
    """By address."""

    repositories: list[RepositoryRecord]
    pagination: wire.Pagination


class RepositoryFile(wire.Answer, record=source_files.Lines):
    """`lines` of a file, beginning with line `first`, of `total` lines. Lines over 2,000
    characters are
    cut."""

    commit: str = wire.sent_as("commitHash")


@routes.post(
    "",
    status_code=201,
    responses=problems(409)
    | {200: {"model": RepositoryRecord, "description": "It is already registered."}},
)
def register_repository(
    new: NewRepository, caller: callers.Manager, services: Opened, response: Response
) -> RepositoryRecord:
    """Register a repository.

    200 if it is already registered; a credential in the request replaces the earlier one.
    """
    secret = None if new.credential is None else _credential(new.credential)
    repository, is_new = service.register(services.db, services.vault, caller, new.url, secret)
    response.status_code = 201 if is_new else 200
    return RepositoryRecord.of(repository)


@routes.get("")
@blocking.reads
def list_repositories(
    caller: callers.Member,
    db: Db,
    limit: wire.PageLimit = wire.PAGE_DEFAULT,
    cursor: Annotated[str, Query(max_length=ADDRESS_LENGTH_MAX, pattern="^[!-~]*$")] = "",
    url: Annotated[str | None, Query(max_length=1000)] = None,
) -> RepositoryPage:
    """The registered repositories by address, page by page; with `url` the one at an address."""
    org = caller.org_id
    listed = (
        service.list_page(db, org, limit=limit + 1, after=cursor)
        if url is None
        else service.find(db, org, url)
    )
    return wire.page(RepositoryPage, listed, limit, lambda repository: repository.url)


@routes.get("/{repo_id}")
@blocking.reads
def get_repository(repo_id: wire.Identifier, caller: callers.Member, db: Db) -> RepositoryRecord:
    """One registered repository."""
    return RepositoryRecord.of(service.get(db, caller.org_id, RepoId(repo_id)))


@routes.delete("/{repo_id}", status_code=204)
def remove_repository(repo_id: wire.Identifier, caller: callers.Manager, services: Opened) -> None:
    """Delete a repository, its credential, and everything that was fetched."""
    service.remove(services.db, services.settings, caller, RepoId(repo_id))


@routes.put("/{repo_id}/credential")
def set_repository_credential(
    repo_id: wire.Identifier,
    credential: RepositoryCredential,
    caller: callers.Manager,
    services: Opened,
) -> RepositoryRecord:
    """Set or replace the credential of a repository. It is never returned."""
    secret = _credential(credential)
    return RepositoryRecord.of(
        service.set_credential(services.db, services.vault, caller, RepoId(repo_id), secret)
    )


@routes.delete("/{repo_id}/credential", status_code=204)
def remove_repository_credential(repo_id: wire.Identifier, caller: callers.Manager, db: Db) -> None:
    """Delete the credential of a repository; 204 also if there is none."""
    service.remove_credential(db, caller, RepoId(repo_id))


@routes.get("/{repo_id}/files", responses=problems(409, 413))
def get_repository_file(
    repo_id: wire.Identifier,
    caller: callers.Member,
    services: Opened,
    path: Annotated[str, Query(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")],
    commit: Annotated[
        str | None, Query(pattern="^([0-9a-f]{40}|[0-9a-f]{64})$", description="A whole hash.")
    ] = None,
    first: Annotated[int, Query(ge=1, le=10**9, description="The first line.")] = 1,
    count: Annotated[int, Query(ge=1, le=source_files.LINES_MAX)] = source_files.LINES_MAX,
) -> RepositoryFile:
    """Lines of a file as they are at a commit, by default the newest one that was fetched.

    Files that may hold secrets are not shown (409 `file_not_shown`); what looks like a secret
    in other files is replaced by REDACTED. 409 `not_text` for other files, 413 for those over 1
    MiB.
    """
    org = caller.org_id
    file = source_files.read(
        services.db,
        services.settings,
        org,
        RepoId(repo_id),
        commit=commit,
        path=path,
        first=first,
        count=count,
    )
    return RepositoryFile.of(file)


@routes.post("/{repo_id}/refresh", responses=problems(409))
def refresh_repository(
    repo_id: wire.Identifier, caller: callers.Manager, services: Opened
) -> RepositoryRecord:
    """Fetch the default branch now, and answer when that is done.

    409 with a code such as `repository_unreachable`, `repository_forbidden` or
    `repository_too_large` when it cannot be fetched; 503 with `repository_busy` while it is.
    """
    org = caller.org_id
    return RepositoryRecord.of(
        service.refresh(
            services.db,
            services.settings,
            services.vault,
            org,
            RepoId(repo_id),
            moved=services.wants.fetched,
        )
    )


def _credential(credential: RepositoryCredential) -> model.Credential:
    return model.credential(credential.kind, credential.username, credential.secret)
