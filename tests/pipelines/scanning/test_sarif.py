"""SARIF 2.1.0: what its schema and the pages that read it demand."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from stationmaster.pipelines.findings.rule import RULES
from stationmaster.pipelines.model import Finding, Severity
from stationmaster.pipelines.scanning import sarif

COMMIT = "1" * 40

FIRST = next(iter(RULES))


def finding(rule: str, severity: Severity = "high", **fields: Any) -> Finding:
    return Finding(
        rule=rule,
        severity=severity,
        path=".github/workflows/ü b.yml",
        line=3,
        column=7,
        message="It is so",
        evidence="${{ x }}",
        impact="It hurts.",
        fix="Stop it.",
        fingerprint="f" * 32,
        **fields,
    )


def document(*findings: Finding) -> dict[str, Any]:
    return sarif.document(findings, "https://github.com/acme/shop", COMMIT)


def test_a_document_has_what_the_schema_requires() -> None:
    """sarif-schema-2.1.0: required members, closed words, positions from 1, addresses as URIs."""
    told = document(*map(finding, RULES))

    assert told["version"] == "2.1.0"
    assert urlsplit(told["$schema"]).scheme == "https"
    (run,) = told["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "Stationmaster"
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids)) == len(RULES)
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"].endswith(".")
        assert rule["help"]["text"]
        assert rule["help"]["markdown"]
        assert rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error")
        assert 0 < float(rule["properties"]["security-severity"]) <= 10
        assert len(set(rule["properties"]["tags"])) == len(rule["properties"]["tags"])
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]
        uri = place["artifactLocation"]["uri"]
        assert re.fullmatch(r"[!-~]+", uri)
        assert unquote(uri) == ".github/workflows/ü b.yml"
        assert place["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]
        assert (place["region"]["startLine"], place["region"]["startColumn"]) == (3, 7)
        assert result["partialFingerprints"] == {"stationmaster/v1": "f" * 32}
    (provenance,) = run["versionControlProvenance"]
    assert provenance == {
        "repositoryUri": "https://github.com/acme/shop",
        "revisionId": COMMIT,
    }


@pytest.mark.parametrize(
    ("severity", "level"),
    [("critical", "error"), ("high", "error"), ("medium", "warning"), ("low", "note"),
     ("info", "note")],
)  # fmt: skip
def test_a_severity_has_the_level_that_pages_show(severity: Severity, level: str) -> None:
    (result,) = document(finding(FIRST, severity))["runs"][0]["results"]
    assert result["level"] == level


def test_what_a_comment_accepts_is_told_as_suppressed() -> None:
    accepted, other = document(finding(FIRST, suppressed="stationmaster: ignore"), finding(FIRST))[
        "runs"
    ][0]["results"]
    assert accepted["suppressions"] == [
        {"kind": "inSource", "justification": "stationmaster: ignore"}
    ]
    assert "suppressions" not in other


def test_a_suppression_says_where_its_comment_is() -> None:
    accepted = finding(FIRST, suppressed="suppressed upstream", suppressed_line=2)
    (result,) = document(accepted)["runs"][0]["results"]
    (suppression,) = result["suppressions"]
    at = suppression["location"]["physicalLocation"]
    assert at["region"] == {"startLine": 2}
    assert at["artifactLocation"] == result["locations"][0]["physicalLocation"]["artifactLocation"]


def test_a_repository_without_an_address_tells_none() -> None:
    assert "versionControlProvenance" not in sarif.document([], None, COMMIT)["runs"][0]
