"""What the scan of an organization tells: workflows with where they are, repositories with how
their last look went. These structs are the members of the answer, in camel case.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from stationmaster.pipelines.model import Include, Job, Parse, Schedule, Template

ScanStatus = Literal["scanned", "unreachable", "forbidden", "skipped"]
"""`skipped`: there was no look yet, or what was fetched cannot be scanned."""


class Author(msgspec.Struct, frozen=True):
    """Who changed a file last. A commit tells a name and no account."""

    name: str
    login: None = None


class Workflow(msgspec.Struct, frozen=True, rename="camel"):
    """One workflow file at one commit. `schedule_cron` is the first of `schedules`."""

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
    includes: list[Include] | msgspec.UnsetType = msgspec.UNSET
    generated_from: str | msgspec.UnsetType = msgspec.UNSET


class RepositoryScan(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What is known of one repository. `status` and `error` are of the last look; what is told of
    its workflows is of `commit_hash`, scanned at `scanned_at`, if there ever was a scan.
    """

    repo_url: str
    provider: str
    default_branch: str | None
    status: ScanStatus
    commit_hash: str | None
    scanned_at: int | None
    error: str | None = None


class Scan(msgspec.Struct, frozen=True, rename="camel"):
    """The workflows of all repositories of an organization, by address and path.

    `scanned_at` is the oldest look at any of them. Truncated: some await their next look.
    """

    workflows: list[Workflow]
    repositories: list[RepositoryScan]
    scanned_at: int
    truncated: bool
