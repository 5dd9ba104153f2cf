"""The bytes of a report that is stored, with as much of its evidence as its size allows."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from stationmaster.readiness.advice import applications_for
from stationmaster.readiness.catalogue import CRITERIA
from stationmaster.readiness.model import REPORT_BYTES_MAX, Finding, Report

_Evidence = dict[str, list[Finding]]
_encode = msgspec.json.Encoder(order="deterministic").encode


def encoded(report: Report) -> bytes:
    """All of it where that takes at most REPORT_BYTES_MAX; else without excerpts, else of the
    evidence only which applications fail, else none of it. What remains may be larger."""
    body = _encode(report)
    reductions: tuple[Callable[[Report, _Evidence], _Evidence], ...] = (_without_excerpts, _failing)
    for reduce in reductions:
        if report.evidence is None or len(body) <= REPORT_BYTES_MAX:
            return body
        reduced = reduce(report, report.evidence)
        body = _encode(msgspec.structs.replace(report, evidence=reduced))
    if len(body) <= REPORT_BYTES_MAX:
        return body
    return _encode(msgspec.structs.replace(report, evidence=None))


def _without_excerpts(_: Report, evidence: _Evidence) -> _Evidence:
    return {
        name: [
            msgspec.structs.replace(
                finding,
                places=[msgspec.structs.replace(spot, excerpt=None) for spot in finding.places],
            )
            for finding in findings
        ]
        for name, findings in evidence.items()
    }


def _failing(report: Report, evidence: _Evidence) -> _Evidence:
    """Without criteria that every application of their kinds fails: those need not be named."""
    kept = {}
    for name, findings in evidence.items():
        failing = [finding for finding in findings if finding.state == "fail"]
        criterion = CRITERIA.get(name)
        if criterion is None or len(failing) != len(applications_for(report, criterion)):
            kept[name] = [msgspec.structs.replace(finding, places=[]) for finding in failing]
    return kept
