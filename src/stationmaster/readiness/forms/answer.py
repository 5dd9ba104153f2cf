"""The body that answers with a report: our members, and the published product's spelling of one."""

from __future__ import annotations

import msgspec

from stationmaster.readiness.model import Report


class ReadinessReport(Report, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A readiness report; members that its evaluator did not send are left out.

    `apps` maps paths, `report` identifiers of criteria. `createdAt` is Unix milliseconds.
    `droidVersion` is `agentVersion` under the name that existing clients read.
    """

    droid_version: str | None = None


class ReadinessReports(msgspec.Struct):
    reports: list[ReadinessReport]


class _Version(msgspec.Struct, rename="camel"):
    """The one member of a stored report that has two spellings."""

    agent_version: str | None = None


def spelled(body: bytes, with_vendors: bool) -> bytes:
    """A stored report as it is answered: by a setting in the published product's spelling, too."""
    version = msgspec.json.decode(body, type=_Version).agent_version if with_vendors else None
    if version is None:
        return body
    return body[:-1] + b',"droidVersion":' + msgspec.json.encode(version) + b"}"
