"""Changes of workflow files, proposed as pull requests with a repository's own credential.

A row is stored before a service is asked, so what was tried is listed whatever happens next.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, and_, delete, insert, select, update

from stationmaster import clock, errors, ids
from stationmaster.access import audit
from stationmaster.access.model import Caller
from stationmaster.access.vault import Vault
from stationmaster.db.engine import Database
from stationmaster.db.tables.ciscan import ci_edits
from stationmaster.pipelines.scanning import forges, model, step_inputs
from stationmaster.repos import service as repos, web
from stationmaster.repos.model import Repository
from stationmaster.settings import Settings

REPOS_MAX = 20
LISTED_MAX = 200
SECONDS = 50.0
"""For all repositories of a request together."""
_QUESTIONS_MAX = 15
_PATH = re.compile(
    r"\.github/workflows/[A-Za-z0-9._-]{1,100}\.ya?ml"
    r"|\.gitlab-ci\.yml|\.gitlab/(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,100}/){0,3}[A-Za-z0-9._-]{1,100}\.ya?ml"
)
Status = Literal["pending", "opened", "failed"]


class WorkflowFile(NamedTuple):
    """A file of a repository, named `owner/repo` or by its address."""

    repo_full_name: str
    file_path: str


class Outcome(NamedTuple):
    """What became of one file: the address of its pull request and a message, or an error."""

    repo_full_name: str
    pr_url: str | None
    message: str | None
    error: str | None


class Job(msgspec.Struct, frozen=True, rename="camel"):
    """A change that was asked for; times are Unix milliseconds."""

    id: str
    action: str
    repo_full_name: str
    file_path: str
    pr_url: str | None
    status: Status
    error: str | None
    created_at: int
    updated_at: int


class Edit(NamedTuple):
    """The same change of a file in each repository: its whole new text, or inputs for its agent's
    step. A deletion has neither.
    """

    action: forges.Action
    wanted: Sequence[WorkflowFile]
    content: str | step_inputs.StepInputs
    title: str


class Editor:
    """Calls the services of an installation's repositories."""

    def __init__(self, db: Database, settings: Settings, vault: Vault) -> None:
        self._db = db
        self._settings = settings
        self._vault = vault

    def propose(self, caller: Caller, edit: Edit) -> list[Outcome]:
        """A pull request for each file, in the order that they are asked for.

        A repository that fails reports it and stops no other. Raises BadRequest for a file that is
        no workflow.
        """
        if not all(_PATH.fullmatch(file.file_path) for file in edit.wanted):
            raise errors.BadRequest(
                "filePath is a workflow: .github/workflows/NAME.yml, .gitlab-ci.yml or "
                ".gitlab/NAME.yml.",
                code="invalid_file_path",
            )
        until = time.monotonic() + SECONDS
        repositories = repos.list_page(self._db, caller.org_id)
        return [self._outcome(caller, repositories, edit, file, until) for file in edit.wanted]

    def _outcome(
        self,
        caller: Caller,
        repositories: Sequence[Repository],
        edit: Edit,
        wanted: WorkflowFile,
        until: float,
    ) -> Outcome:
        name = wanted.repo_full_name
        matches = [one for one in repositories if _is_named(one, name)]
        if len(matches) != 1:
            several = "Several registered repositories have this name; give the address."
            none = "No registered repository has this name; register it first."
            return Outcome(name, None, None, several if matches else none)
        [repository] = matches
        change = forges.FileChange(edit.action, wanted.file_path, edit.content, edit.title)
        _begin(self._db, caller, repository, change)
        try:
            address = self._open(caller.org_id, repository, change, until)
        except forges.Refused as fault:
            _end(self._db, caller.org_id, repository, change, status="failed", error=str(fault))
            return Outcome(name, None, None, str(fault))
        _end(self._db, caller.org_id, repository, change, status="opened", pr_url=address)
        return Outcome(name, address, "The pull request is open.", None)

    def _open(
        self, org: ids.OrgId, repository: Repository, change: forges.FileChange, until: float
    ) -> str:
        credential = repos.credential(self._db, self._vault, org, repository.repo_id)
        if credential is None:
            raise forges.Refused(
                "The repository has no credential; set one that may open pull requests."
            )
        left = until - time.monotonic()
        if left <= 0:
            raise forges.Refused("There was no time left for this repository; repeat the request.")
        forge = web.connect(
            self._settings, repository.url, credential, seconds=left, questions_max=_QUESTIONS_MAX
        )
        if forge is None:
            raise forges.Refused("The host has no GitHub or GitLab API that may be called.")
        return forges.propose(forge, change)


def jobs(db: Database, org: ids.OrgId) -> list[Job]:
    """The changes that were asked for, newest first."""
    columns = [ci_edits.c[name] for name in ("repo_id", "branch", *Job.__struct_fields__[1:])]
    wanted = (
        select(*columns)
        .where(ci_edits.c.org_id == org)
        .order_by(ci_edits.c.updated_at.desc(), ci_edits.c.repo_id, ci_edits.c.branch)
        .limit(LISTED_MAX)
    )
    with db.reading() as connection:
        rows = connection.execute(wanted).all()
    return [Job(f"{row[0]}-{row[1].rpartition('-')[2]}", *row[2:]) for row in rows]


def _is_named(repository: Repository, name: str) -> bool:
    return name.casefold() in (
        model.full_name(repository.url).casefold(),
        repository.url.casefold(),
    )


def _begin(db: Database, caller: Caller, repository: Repository, change: forges.FileChange) -> None:
    org, now = caller.org_id, clock.now_ms()
    row = _row(org, repository, change)
    with db.transaction() as connection:
        before = connection.execute(select(ci_edits.c.created_at).where(*row)).scalar()
        connection.execute(delete(ci_edits).where(*row))
        connection.execute(
            insert(ci_edits).values(
                org_id=org,
                repo_id=repository.repo_id,
                branch=change.branch,
                action=change.action,
                repo_full_name=model.full_name(repository.url),
                file_path=change.path,
                status="pending",
                created_at=now if before is None else before,
                updated_at=now,
            )
        )
        about = {"action": change.action, "path": change.path, "branch": change.branch}
        audit.note(
            connection, caller, "ci_edit_requested", "repository", repository.repo_id, **about
        )


def _end(
    db: Database, org: ids.OrgId, repository: Repository, change: forges.FileChange, **new: str
) -> None:
    """Store how a change ended: its `status`, and `pr_url` or `error`."""
    row = _row(org, repository, change)
    values = {"pr_url": None, "error": None, **new, "updated_at": clock.now_ms()}
    with db.transaction() as connection:
        connection.execute(update(ci_edits).where(*row).values(**values))


def _row(
    org: ids.OrgId, repository: Repository, change: forges.FileChange
) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    columns = ci_edits.c
    of_repo = and_(columns.repo_id == repository.repo_id, columns.branch == change.branch)
    return columns.org_id == org, of_repo
