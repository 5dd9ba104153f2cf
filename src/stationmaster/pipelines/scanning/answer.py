"""The body of the scan's answer: our members, and the published product's spellings of some.

Names and shapes: wire observations, "CI automations".
"""

from __future__ import annotations

import msgspec

from stationmaster.pipelines.scanning.model import DETAILS, RepositoryScan, Scan, Workflow
from stationmaster.pipelines.scanning.service import CACHE_TTL_MS

BODY_MAX = 16 * 2**20
"""Bytes of a body with details."""
_NO_DETAILS = dict.fromkeys(DETAILS, msgspec.UNSET)


class ShownWorkflow(Workflow, frozen=True, rename="camel"):
    """A workflow, also with the names that clients of the published product read."""

    github_url: str | msgspec.UnsetType | None = msgspec.UNSET
    droid_action_inputs: dict[str, str] | msgspec.UnsetType | None = msgspec.UNSET


class Integration(msgspec.Struct, frozen=True):
    """Whether any repository is registered."""

    connected: bool


class CiScan(msgspec.Struct, frozen=True, rename="camel"):
    """The workflows of every repository, by address and path.

    Times are Unix milliseconds. `scannedAt` is the oldest check of any repository; `truncated`
    means that some were not checked yet, and that the next request continues with them.
    """

    workflows: list[ShownWorkflow]
    scanned_at: int
    cache_ttl_ms: int
    integration: Integration
    repositories: list[RepositoryScan]
    truncated: bool
    detailed: bool


def answer(scan: Scan, *, agents_only: bool, vendor_spellings: bool) -> bytes:
    """`agents_only` leaves out the workflows that run no agent."""
    shown = [workflow for workflow in scan.workflows if workflow.agents or not agents_only]
    reply = CiScan(
        workflows=[_shown(workflow, vendor_spellings) for workflow in shown],
        scanned_at=scan.scanned_at,
        cache_ttl_ms=CACHE_TTL_MS,
        integration=Integration(bool(scan.repositories)),
        repositories=scan.repositories,
        truncated=scan.truncated,
        detailed=True,
    )
    body = msgspec.json.encode(reply)
    if len(body) <= BODY_MAX:
        return body
    plain = [msgspec.structs.replace(workflow, **_NO_DETAILS) for workflow in reply.workflows]
    return msgspec.json.encode(msgspec.structs.replace(reply, workflows=plain, detailed=False))


def _shown(workflow: Workflow, vendor_spellings: bool) -> ShownWorkflow:
    shown = ShownWorkflow(*msgspec.structs.astuple(workflow))
    if not vendor_spellings:
        return shown
    return msgspec.structs.replace(
        shown, github_url=workflow.url, droid_action_inputs=workflow.agent_inputs
    )
