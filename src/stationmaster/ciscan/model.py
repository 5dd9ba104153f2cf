"""What a scan tells of a workflow. These structs are the members of the answer, in camel case.

A member that a provider does not have, or a file does not say, is left out; so no member ever
stands for something unknown. Texts are those of the files, on one line and not too long.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from stationmaster.ciscan.yaml_nodes import Fault

ParseState = Literal["ok", "partial", "error"]
Template = Literal[
    "code-review", "qa", "wiki", "security-audit", "triage", "incident-response"
]  # fmt: skip
"""The kinds of agent workflow that the published product has templates for."""

ScanStatus = Literal["scanned", "unreachable", "forbidden", "skipped"]
"""`skipped`: there was no look yet, or what was fetched cannot be scanned."""

TEXT_MAX = 200
_CUT = "…"


class Parse(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """How far a file could be read: `partial` tells what is left out of an otherwise true record,
    `error` that nothing could be read. Line and column count from 1."""

    state: ParseState
    error: str | None = None
    line: int | None = None
    column: int | None = None


READ = Parse("ok")


class Schedule(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """`timezone` is left out where it is UTC."""

    cron: str
    timezone: str | None = None


class Include(msgspec.Struct, frozen=True, rename="camel"):
    """A file that a workflow is made of. What is not in the commit is not resolved."""

    kind: str
    location: str
    resolved: bool


class Job(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A declared job; `runs_on` are its runner labels or tags, `uses` the workflow it calls.

    `parallel` is how many copies of it run, where the file says so in plain numbers.
    """

    id: str
    needs: list[str]
    runs_on: list[str]
    agents: list[str]
    name: str | None = None
    stage: str | None = None
    image: str | None = None
    uses: str | None = None
    timeout_minutes: int | None = None
    parallel: int | None = None


class Facts(msgspec.Struct, frozen=True):
    """What one provider's module reads in one file. `name` is None where none is declared."""

    name: str | None = None
    triggers: list[str] = []
    schedules: list[Schedule] = []
    jobs: list[Job] = []
    includes: list[Include] = []
    agents: list[str] = []
    agent_inputs: dict[str, str] | None = None
    template: Template | None = None
    generated_from: str | None = None
    parse: Parse = READ


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


def of_fault(state: ParseState, fault: Fault) -> Parse:
    return Parse(state, line(fault.reason), fault.line, fault.column)


def line(text: str, length_max: int = TEXT_MAX) -> str:
    """A text on one line, without control characters, cut where it is too long."""
    printable = "".join(c if c.isprintable() else " " for c in text[: 4 * length_max])
    told = " ".join(printable.split())
    return told if len(told) <= length_max else told[: length_max - 1] + _CUT


def distinct(texts: list[str], count_max: int) -> list[str]:
    """At most so many lines, without repetitions and empty ones, in the order of the file."""
    told = map(line, list(dict.fromkeys(texts))[:count_max])
    return [each for each in dict.fromkeys(told) if each]
