"""What the scan of an organization reports: workflows with where they are, repositories with the
result of their last check. These structs are the members of the answer, in camel case.
"""

from __future__ import annotations

from typing import Literal
from urllib.parse import unquote, urlsplit

import msgspec

from stationmaster.pipelines.model import (
    AgentSign,
    AgentStep,
    Command,
    Finding,
    IgnoredFile,
    Image,
    Include,
    Job,
    Kind,
    Parse,
    Schedule,
    Template,
    Trigger,
    Use,
)
from stationmaster.repos.model import Repository, provider_of

_FILES = {"github": "/blob/", "gitlab": "/-/blob/"}
"""The part between a repository's address and a commit in the addresses of pages of files."""


class Origin(msgspec.Struct, frozen=True):
    """The repository that is scanned. `files_url` is where browsers find its files, if known."""

    full_name: str
    files_url: str | None


def full_name(url: str) -> str:
    """Such as `acme/shop`, or `acme/team/shop` where groups nest."""
    return unquote(urlsplit(url).path).strip("/")


def owner(url: str) -> str:
    """Such as `acme` or `acme/team`; the host where a repository has nothing above it."""
    return full_name(url).rpartition("/")[0] or urlsplit(url).netloc


def owners(repositories: list[Repository]) -> list[str]:
    """Every owner once, in the order of letters."""
    return sorted({owner(repository.url) for repository in repositories})


def owned_by(repositories: list[Repository], login: str) -> list[Repository]:
    """An owner's repositories; letter case does not count, as it does not at most hosts."""
    return [
        repository
        for repository in repositories
        if owner(repository.url).casefold() == login.casefold()
    ]


def origin(url: str, commit: str) -> Origin:
    """Of what is at a normalised address."""
    between = _FILES.get(provider_of(url))
    return Origin(full_name(url), None if between is None else f"{url}{between}{commit}")


ScanStatus = Literal["scanned", "unreachable", "forbidden", "skipped"]
"""`skipped`: there was no look yet, or what was fetched cannot be scanned."""


class Author(msgspec.Struct, frozen=True):
    """Who changed a file last. A commit has a name and no account."""

    name: str
    login: None = None


class Workflow(msgspec.Struct, frozen=True, rename="camel"):
    """One workflow file at one commit. `schedule_cron` is the first of `schedules`.

    From `includes` on, members that a file does not have are left out.
    """

    repo_full_name: str
    provider: str
    file_path: str
    workflow_name: str
    trigger_events: list[str]
    schedule_cron: str | None
    schedules: list[Schedule]
    template_id: Template | None
    agents: list[str]
    agent_inputs: dict[str, str] | None
    jobs: list[Job]
    url: str | None
    file_sha: str
    commit_hash: str
    authored_by: Author | None
    user_permission: Literal["read"]
    parse: Parse
    kind: Kind
    includes: list[Include] | msgspec.UnsetType = msgspec.UNSET
    generated_from: str | msgspec.UnsetType = msgspec.UNSET
    triggers: list[Trigger] | msgspec.UnsetType = msgspec.UNSET
    server_schedules: bool | msgspec.UnsetType = msgspec.UNSET
    jobs_unknown: bool | msgspec.UnsetType = msgspec.UNSET
    uses: list[Use] | msgspec.UnsetType = msgspec.UNSET
    images: list[Image] | msgspec.UnsetType = msgspec.UNSET
    permissions: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    secrets: list[str] | msgspec.UnsetType = msgspec.UNSET
    oidc: bool | msgspec.UnsetType = msgspec.UNSET
    concurrency: str | msgspec.UnsetType = msgspec.UNSET
    caching: list[str] | msgspec.UnsetType = msgspec.UNSET
    artifacts: list[str] | msgspec.UnsetType = msgspec.UNSET
    commands: list[Command] | msgspec.UnsetType = msgspec.UNSET
    agent_steps: list[AgentStep] | msgspec.UnsetType = msgspec.UNSET
    findings: list[Finding] | msgspec.UnsetType = msgspec.UNSET
    agent_signs: list[AgentSign] | msgspec.UnsetType = msgspec.UNSET


DETAILS = tuple(
    field.name for field in msgspec.structs.fields(Workflow) if field.default is msgspec.UNSET
)
"""The members that are left out where a file does not state them: of Facts, by the same names."""


class Unresolved(msgspec.Struct, frozen=True):
    """A file of another place that a workflow includes, and that was not read."""

    path: str
    location: str


class SuppressedFinding(msgspec.Struct, frozen=True):
    """A finding that a comment accepts: `line` is the comment's, `by` the tool of the comment."""

    path: str
    line: int
    rule: str
    by: str


class Summary(msgspec.Struct, frozen=True, omit_defaults=True):
    """A summary of a repository's workflows. `providers` counts them; then paths: those that
    check changes, that deploy or publish, that run coding agents, and those of discontinued
    services. `suppressed` are the findings that comments in the files accept, left out without
    any."""

    providers: dict[str, int]
    gates: list[str]
    deploys: list[str]
    agents: list[str]
    discontinued: list[str]
    unresolved: list[Unresolved]
    ignored: list[IgnoredFile]
    suppressed: list[SuppressedFinding] = []


class Scanned(msgspec.Struct, frozen=True):
    """What one commit's scan has found; stored as it is. `actions` are those of the repository that
    no workflow calls, in the shape of workflows: for what is wrong with them.
    """

    workflows: list[Workflow]
    summary: Summary
    actions: list[Workflow]


class RepositoryScan(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The scan of one repository. `status` and `error` are of the last check; workflows are
    those of `commit_hash`, scanned at `scanned_at`, if there was a scan. `actions`
    are those of the repository that no workflow calls.
    """

    repo_url: str
    provider: str
    default_branch: str | None
    status: ScanStatus
    commit_hash: str | None
    scanned_at: int | None
    error: str | None = None
    summary: Summary | None = None
    actions: list[Workflow] = []


class Scan(msgspec.Struct, frozen=True, rename="camel"):
    """The workflows of all repositories of an organization, by address and path.

    `scanned_at` is the oldest check of any of them. Truncated: some await their next check.
    """

    workflows: list[Workflow]
    repositories: list[RepositoryScan]
    scanned_at: int
    truncated: bool
