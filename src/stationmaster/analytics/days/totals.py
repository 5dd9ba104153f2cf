"""Stored documents without what a privacy mode does not show, where slices are not needed or not
there to tell how many people stand behind what.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec

from stationmaster.access.privacy import Policy
from stationmaster.aggregate import report_rows
from stationmaster.analytics.crowds import REST
from stationmaster.lake.rollups.model import Report
from stationmaster.lake.rollups.rows import ActivityByClientRow, ActivityRow, CreditsRow, ModelUsage

_COUNTERS = ModelUsage.__struct_fields__[2:]


def shown(report: Report, body: bytes, policy: Policy) -> bytes | None:
    """A day's document as a mode other than `named` shows it; None where it is all breakdowns."""
    show = _SHOWN.get(report)
    return None if show is None else show(body, policy)


def _tokens(body: bytes, policy: Policy) -> bytes:
    row = msgspec.structs.replace(msgspec.json.decode(body, type=CreditsRow), by_user=[])
    if policy.is_grouped and row.by_model:
        rest = ModelUsage(REST, "standard", *(getattr(row, name) for name in _COUNTERS))
        row = msgspec.structs.replace(row, by_model=[rest])
    return msgspec.json.encode(row)


def _activity(body: bytes, policy: Policy) -> bytes:
    row = msgspec.json.decode(body, type=ActivityRow)
    clients = msgspec.structs.asdict(row.daily_active_users_by_client)
    counts = {
        name: report_rows.shown_count(users, policy.minimum) for name, users in clients.items()
    }
    by_client = msgspec.structs.replace(row.daily_active_users_by_client, **counts)
    return msgspec.json.encode(msgspec.structs.replace(row, daily_active_users_by_client=by_client))


def _activity_by_client(body: bytes, policy: Policy) -> bytes:
    rows = msgspec.json.decode(b"[" + body + b"]", type=list[ActivityByClientRow])
    shown_rows = [row for row in rows if row.daily_active_users >= policy.minimum]
    return b",".join(map(msgspec.json.encode, shown_rows))


_SHOWN: Mapping[Report, Callable[[bytes, Policy], bytes]] = {
    "tokens": _tokens,
    "activity": _activity,
    "activity_by_client": _activity_by_client,
}
