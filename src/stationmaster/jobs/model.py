"""The nouns of durable jobs. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Literal

import msgspec

State = Literal["queued", "running", "succeeded", "failed", "cancelled"]
"""The last three are ends: a job that has one never changes again."""

Kind = str
"""What is done: a word of small letters and hyphens, such as `ci-scan`."""


class Job(msgspec.Struct, frozen=True):
    """Work on one subject, such as a repository's id.

    `attempts` counts those that have begun. `requested_by` is a principal, None for the software
    itself. A queued job begins at `due_at` at the earliest. `started_at` is of the newest attempt,
    `step` what that was doing last, `error` in one line why the newest attempt that failed did.
    """

    org_id: str
    job_id: str
    kind: Kind
    subject: str
    state: State
    attempts: int
    requested_by: str | None
    requested_at: int
    due_at: int
    started_at: int | None
    finished_at: int | None
    step: str | None
    error: str | None


class JobLost(Exception):
    """The job is not this worker's any more: cancelled, or taken over by another one."""


class Stopping(Exception):
    """This process ends; the job goes back to those that wait."""
