"""What rows that are stored need once the schema has grown, by the revision from which on they have
it. A step runs after all tables and columns were added."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, insert, text

from stationmaster import clock, ids
from stationmaster.agents.values import repository
from stationmaster.db.tables.ciscan import ci_findings

_PARTITIONS = """
INSERT INTO lake_partitions (org_id, day, since, parts) SELECT org_id, day, 0, 0 FROM lake_days
"""
_SCANS = "SELECT org_id, repo_id FROM ci_scans WHERE workflows IS NOT NULL ORDER BY org_id, repo_id"
_SCAN = "SELECT scanned_at, workflows FROM ci_scans WHERE org_id = :org AND repo_id = :repo"
_LIMITS = """
SELECT org_id, principal_id, credits FROM credit_limits
UNION ALL SELECT org_id, '', credits FROM global_credit_limits
"""
_BUDGET = """
INSERT INTO budgets (org_id, budget_id, scope_kind, scope_id, currency, period, starts_on, ends_on,
                     amount, at_end, models, when_unreachable, created_at, updated_at)
VALUES (:org_id, :budget_id, :scope_kind, :scope_id, 'credits', 'month', '', '',
        :amount, 'warn', '[]', 'allow', :now, :now)
"""
_REPOSITORIES = """
SELECT org_id, budget_id, scope_id, currency, period, starts_on, ends_on FROM budgets
WHERE scope_kind = 'repository' ORDER BY org_id, updated_at DESC, budget_id
"""
_RENAME = "UPDATE budgets SET scope_id = :scope_id WHERE org_id = :org_id AND budget_id = :id"
_REMOVE = "DELETE FROM budgets WHERE org_id = :org_id AND budget_id = :id"


def _fill_partitions(connection: Connection) -> None:
    """Note the partitions of the days that the lake holds."""
    connection.execute(text(_PARTITIONS))


def _fill_findings(connection: Connection) -> None:
    """Fill the table of CI findings from the stored scans."""
    for org, repo in connection.execute(text(_SCANS)).all():
        at, workflows = connection.execute(text(_SCAN), {"org": org, "repo": repo}).one()
        place = {"org_id": org, "repo_id": repo, "first_seen_at": at or 0}
        rows = {
            finding["fingerprint"]: place | finding for finding in _findings(json.loads(workflows))
        }
        if rows:
            connection.execute(insert(ci_findings), list(rows.values()))


def _findings(scanned: dict[str, Any]) -> Iterator[dict[str, str]]:
    for flow in (*scanned.get("workflows", ()), *scanned.get("actions", ())):
        for finding in flow.get("findings", ()):
            yield {
                "fingerprint": finding["fingerprint"],
                "state": "suppressed" if finding.get("suppressed") else "open",
                "severity": finding["severity"],
                "workflow_path": flow["filePath"],
                "provider": flow["provider"],
                "finding": json.dumps(finding),
            }


def _copy_limits(connection: Connection) -> None:
    """Copy credit limits as monthly budgets that warn."""
    now = clock.now_ms()
    rows = [
        {
            "org_id": org,
            "budget_id": ids.new("budget"),
            "scope_kind": _kind(principal),
            "scope_id": principal,
            "amount": str(credits),
            "now": now,
        }
        for org, principal, credits in connection.execute(text(_LIMITS)).all()
    ]
    if rows:
        connection.execute(text(_BUDGET), rows)


def _kind(principal: str) -> str:
    if not principal:
        return "each-user"
    return "service-account" if principal.startswith("svc_") else "user"


def _unify_addresses(connection: Connection) -> None:
    """Rename or remove budgets of repositories whose address has another form than reports have."""
    rows = connection.execute(text(_REPOSITORIES)).all()
    taken = {(org, *rest) for org, _, *rest in rows if repository(rest[0]) == rest[0]}
    for org, budget, scope, *rest in rows:
        address = repository(scope)
        if address is None or address == scope:
            continue
        # Of several budgets of one repository the one that was in force stays, else the newest:
        # no call was counted by an address in another form than reports have.
        is_taken = (org, address, *rest) in taken
        taken.add((org, address, *rest))
        connection.execute(
            text(_REMOVE if is_taken else _RENAME),
            {"org_id": org, "id": budget} | ({} if is_taken else {"scope_id": address}),
        )


STEPS: Mapping[str, Callable[[Connection], None]] = MappingProxyType(
    {
        "0013": _fill_partitions,
        "0029": _fill_findings,
        "0035": _copy_limits,
        "0040": _unify_addresses,
    }
)
"""In their order."""
