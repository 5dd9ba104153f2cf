"""Scans of repositories as they are stored, with any findings."""

from __future__ import annotations

import msgspec

from stationmaster import clock
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId, RepoId
from stationmaster.pipelines.model import Finding
from stationmaster.pipelines.scanning import store
from stationmaster.pipelines.scanning.model import Scanned, Summary, Workflow
from stationmaster.pipelines.scanning.scan import REVISION

PATH = ".github/workflows/ci.yml"


def a_finding(rule: str, **members: object) -> Finding:
    """A finding with the fingerprint `f-RULE`."""
    values = {
        "rule": rule, "severity": "high", "path": PATH, "line": 7, "column": 1,
        "message": f"{rule} is wrong", "evidence": "uses: x", "impact": "It can be.",
        "fix": "Change it.", "fingerprint": f"f-{rule}",
    }  # fmt: skip
    return msgspec.convert(values | members, Finding)


def store_scan(
    db: Database,
    org: OrgId,
    repo: RepoId,
    *findings: Finding,
    commit: str = "c" * 40,
    name: str = "CI",
    revision: int = REVISION,
) -> None:
    """Store a scan of one workflow with these findings."""
    flow = {
        "repoFullName": "acme/shop", "provider": "github-actions", "workflowName": name,
        "filePath": PATH, "triggerEvents": ["push"], "scheduleCron": None,
        "schedules": [], "templateId": None, "agents": ["claude-code"], "agentInputs": None,
        "jobs": [], "url": None, "fileSha": "0" * 40, "commitHash": commit, "authoredBy": None,
        "userPermission": "read", "parse": {"state": "ok"}, "kind": "pipeline",
        "findings": msgspec.to_builtins(findings),
    }  # fmt: skip
    summary = Summary({"github-actions": 1}, [], [], [], [], [], [])
    scanned = Scanned([msgspec.convert(flow, Workflow)], summary, [])
    text, now = msgspec.json.encode(scanned).decode(), clock.now_ms()
    store.put(db, org, store.LastScan(repo, now, "scanned", None, revision, commit, now, text))
