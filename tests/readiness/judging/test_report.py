"""What a report tells of every application, and in which forms."""

from __future__ import annotations

import json

import msgspec
import pytest

from stationmaster.errors import Conflict
from stationmaster.readiness import difference, uploads
from stationmaster.readiness.catalogue import CORE
from stationmaster.readiness.difference import Gate
from stationmaster.readiness.forms import summary, texts
from stationmaster.readiness.judging.child import Origin
from stationmaster.readiness.judging.report import make
from stationmaster.readiness.model import Evaluation, Policy, Report, Spot
from tests.support.trees import Content, DictSnapshot

KEY = "ghp_" + "a" * 36
APPS: dict[str, Content] = {
    "README.md": "# Shop <script>alert(1)</script>\n\n## Usage\n\n" + "It sells things. " * 30,
    "package.json": json.dumps({"name": "root", "private": True, "workspaces": ["packages/*"]}),
    "package-lock.json": "{}",
    **{
        f"packages/p{n}/package.json": json.dumps(
            {"name": f"p{n}", "version": "1.0.0", "main": "a.js",
             "scripts": {"lint": "eslint ."} if n < 3 else {}}
        ) for n in range(8)
    },
    **{f"packages/p{n}/a.js": "1\n" for n in range(8)},
    **{f"packages/p{n}/eslint.config.js": "export default []\n" for n in range(3)},
    "packages/p0/a.test.js": f"// token {KEY}\ntest('{KEY}', () => 1)\n",
}  # fmt: skip


class _Snapshot(DictSnapshot):
    commit, committed_at, branch = "a" * 40, 1_795_176_000_000, "main"
    is_shallow, boundary, tags, hidden = False, frozenset[str](), {}, 0

    def log(self, arguments: object, bytes_max: int, seconds: float) -> tuple[bytes, bool]:
        return b"", True

    def times(self, oids: object) -> list[int | None]:
        return []


@pytest.fixture(scope="module")
def made() -> Report:
    return make(_Snapshot(APPS), Origin("https://github.com/acme/shop"))


def test_every_application_has_a_verdict_with_its_places(made: Report) -> None:
    evidence = made.evidence or {}

    assert set(evidence) == set(CORE)
    for name, findings in evidence.items():
        states = [finding.state for finding in findings]
        judged = states.count("pass") + states.count("fail")
        if CORE[name].scope == "application" and judged:
            assert [finding.application for finding in findings] == list(made.apps)
            assert judged == made.report[name].denominator
            assert states.count("pass") == made.report[name].numerator
    linted = evidence["lint_config"]
    assert [finding.state for finding in linted] == ["pass"] * 3 + ["fail"] * 5
    assert linted[0].places[0].path == "packages/p0/eslint.config.js"


def test_places_quote_their_line_without_credentials(made: Report) -> None:
    [finding] = [e for e in (made.evidence or {})["unit_tests_exist"] if e.state == "pass"]

    assert finding.places == [
        Spot("packages/p0/a.test.js", "Test files: 1", 2, "test('***', () => 1)")
    ]
    assert KEY not in texts.html(made) + texts.report(made) + json.dumps(summary.document(made))


def test_the_document_has_levels_criteria_and_what_is_next(made: Report) -> None:
    document = summary.document(made)
    by_id = {row["id"]: row for row in document["criteria"]}

    assert (document["level"], document["levelName"]) == (1, "Functional")
    assert {level["level"] for level in document["levels"]} == {1, 2, 3, 4, 5}
    assert len(document["pillars"]) == 9
    assert set(by_id) == set(CORE)
    lint = by_id["lint_config"]
    assert (lint["title"], lint["level"], lint["pillar"], lint["state"]) == (
        "Linter configured", 1, "Style & Validation", "partial",
    )  # fmt: skip
    assert len(lint["verdicts"]) == 8
    assert document["next"]["level"] == 2
    assert document["next"]["steps"][0]["files"]


def test_a_document_can_be_uploaded(made: Report) -> None:
    sent = uploads.uploaded(json.loads(json.dumps(summary.document(made))))

    assert msgspec.convert({**sent, "createdAt": made.created_at}, Report) == made
    assert uploads.uploaded({"report": {}}) == {"report": {}}


@pytest.mark.attack
def test_html_is_whole_escaped_and_without_scripts(made: Report) -> None:
    hostile = msgspec.structs.replace(
        made, repo_url="https://git.example/<script>alert(1)</script>", branch="<img src=x>"
    )
    text = texts.html(hostile)

    assert "<script" not in text
    assert "<img" not in text
    assert 'http-equiv="Content-Security-Policy"' in text
    assert "prefers-color-scheme: dark" in text
    assert all(f"packages/p{n}" in text for n in range(8))


@pytest.mark.attack
def test_markdown_escapes_what_a_repository_writes(made: Report) -> None:
    hostile = msgspec.structs.replace(
        made, report={**made.report, "readme": Evaluation(0, 1, "@all | <b> [x](y) `z`", "fail")}
    )
    text = texts.report(hostile)

    assert "&#64;all \\| \\<b\\> \\[x\\](y) \\`z\\`" in text
    assert "@all" not in text


def test_a_brief_is_a_task_with_files_and_a_way_to_check_it(made: Report) -> None:
    text = texts.brief(made)

    assert text.startswith("# Task: make github.com/acme/shop ready for level 2")
    assert "packages/p7" in text
    assert "- Add or change: `.prettierrc`" in text
    assert "`stationmaster readiness . --require " in text


def test_there_is_no_task_where_agents_are_forbidden(made: Report) -> None:
    closed = msgspec.structs.replace(made, agent_policy=Policy("forbidden", "AGENTS.md:3"))

    with pytest.raises(Conflict, match=r"AGENTS\.md:3"):
        texts.brief(closed)


def test_a_gate_names_all_that_does_not_hold(made: Report) -> None:
    better = msgspec.structs.replace(
        made, report={**made.report, "lint_config": Evaluation(8, 8, "all", "pass")}
    )

    assert difference.failures(Gate(level=1, required=("readme", "health_checks")), made) == []
    assert difference.failures(Gate(base=made), better) == []
    failures = difference.failures(Gate(2, ("lint_config", "branch_protection"), better), made)
    assert [failure.partition(":")[0] for failure in failures] == [
        "level 1 is below 2", "lint_config is required", "branch_protection is required",
        "lint_config is worse",
    ]  # fmt: skip
