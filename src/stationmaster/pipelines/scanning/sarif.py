"""Findings as SARIF 2.1.0 (OASIS), for pages that show them next to the code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from stationmaster import __version__
from stationmaster.pipelines.findings.rule import RULES, Rule
from stationmaster.pipelines.model import Finding, Severity

_LEVELS: Mapping[Severity, str] = {
    "critical": "error",
    "high": "error",
    "medium": "warning",
    "low": "note",
    "info": "note",
}
_SCORES: Mapping[Severity, str] = {
    "critical": "9.5",
    "high": "8.0",
    "medium": "5.5",
    "low": "3.0",
    "info": "1.0",
}
"""Where code hosts sort by numbers from 0 to 10, as in CVSS."""
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"


def document(findings: Iterable[Finding], url: str | None, commit: str) -> dict[str, Any]:
    """One run over one commit. Every rule is there, so that what was looked for is known, too."""
    numbers = {name: number for number, name in enumerate(RULES)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "Stationmaster",
                "version": __version__,
                "rules": [_rule(name, rule) for name, rule in RULES.items()],
            }
        },
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, numbers) for finding in findings],
    }
    if url is not None:
        run["versionControlProvenance"] = [{"repositoryUri": url, "revisionId": commit}]
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(name: str, rule: Rule) -> dict[str, Any]:
    text = f"{rule.impact} {rule.fix}"
    return {
        "id": name,
        "shortDescription": {"text": f"{rule.title}."},
        "fullDescription": {"text": rule.impact},
        "help": {"text": text, "markdown": f"{rule.impact}\n\n**Remedy:** {rule.fix}"},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"security-severity": _SCORES[rule.severity], "tags": ["security", "ci"]},
    }


def _result(finding: Finding, numbers: Mapping[str, int]) -> dict[str, Any]:
    place = {
        "artifactLocation": {"uri": quote(finding.path), "uriBaseId": _ROOT},
        "region": {"startLine": finding.line, "startColumn": finding.column},
    }
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": numbers[finding.rule],
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message}: {finding.evidence}. {finding.fix}"},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"stationmaster/v1": finding.fingerprint},
    }
    if finding.suppressed is not None:
        accepted: dict[str, Any] = {"kind": "inSource", "justification": finding.suppressed}
        if finding.suppressed_line is not None:
            at = {**place, "region": {"startLine": finding.suppressed_line}}
            accepted["location"] = {"physicalLocation": at}
        result["suppressions"] = [accepted]
    return result
