from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from stationmaster import clock
from stationmaster.readiness.forges import github
from stationmaster.readiness.hosting import Hosting
from stationmaster.repos.web import BODY_MAX, headers
from tests.readiness.forges.conftest import Forge

REPO = "/repos/acme/shop"
MAIN = "feature%2F1"
BOT, PERSON = {"login": "reviewer[bot]", "type": "Bot"}, {"login": "ada", "type": "User"}
TOLD: dict[str, Any] = {
    REPO: {
        "has_issues": True,
        "security_and_analysis": {"secret_scanning": {"status": "enabled"}},
    },
    f"{REPO}/rules/branches/{MAIN}": [
        {"type": "non_fast_forward"},
        {"type": "pull_request", "parameters": {"required_approving_review_count": 1}},
    ],
    f"{REPO}/labels?per_page=100": [{"name": "type: bug"}, {"name": "area: api"}],
    f"{REPO}/issues?state=open&per_page=100": [
        {"title": "The basket forgets", "labels": [{}], "updated_at": "2026-11-20T00:00:00Z"},
        {"title": "broken", "labels": [{}], "updated_at": "2026-11-18T00:00:00Z"},
        {"title": "A change, no issue", "pull_request": {}, "labels": []},
    ],
    f"{REPO}/actions/runs?event=pull_request&per_page=50": {
        "workflow_runs": [
            {
                "status": "completed",
                "run_started_at": "2026-11-20T00:00:00Z",
                "updated_at": f"2026-11-20T00:0{minutes}:00Z",
                "run_attempt": minutes,
            }
            for minutes in (1, 2, 9)
        ]
        + [{"status": "in_progress", "run_attempt": 1}]
    },
    f"{REPO}/releases?per_page=100": [{"published_at": "2026-11-01T00:00:00Z"}, {}],
    f"{REPO}/deployments?per_page=100": [],
    f"{REPO}/pulls/comments?sort=created&direction=desc&per_page=100": [
        {"user": BOT}, {"user": PERSON}, {"user": {"login": "dependabot[bot]", "type": "Bot"}},
    ],
    f"{REPO}/code-scanning/default-setup": {"state": "configured"},
    "/repos/acme/.github/git/trees/HEAD?recursive=1": {
        "tree": [{"path": "CONTRIBUTING.md"}, {"path": ".github/ISSUE_TEMPLATE/bug.yml"},
                 {"path": "profile/README.md"}, {"path": "docs/SECURITY.md"}]
    },
}  # fmt: skip


def asked(forge: Forge, folder: Path) -> Hosting | None:
    clock.freeze(datetime(2026, 11, 21, tzinfo=UTC))
    forge.answers = {path: (200, value) for path, value in TOLD.items()}
    return github.ask(forge.web(headers("github", "t0ken"), folder), "acme/shop", "feature/1")


def test_everything_that_a_token_may_see_is_told(forge: Forge, tmp_path: Path) -> None:
    hosting = asked(forge, tmp_path)

    assert hosting == Hosting(
        is_protected=True,
        label_names=("area: api", "type: bug"),
        has_issues=True,
        open_issues=2,
        triaged_share=0.5,
        untouched_days_median=2,
        ci_seconds_median=120,
        reruns_seen=True,
        releases_at=(1_793_491_200_000,),
        deployments_at=(),
        review_bots=("reviewer[bot]",),
        secret_scanning=True,
        code_scanning=True,
        inherited=frozenset({"CONTRIBUTING.md", "SECURITY.md", "ISSUE_TEMPLATE"}),
    )
    assert forge.headers["Authorization"] == "Bearer t0ken"


def test_what_a_token_may_not_see_stays_unknown(forge: Forge, tmp_path: Path) -> None:
    forge.answers = {REPO: (200, {})}

    hosting = github.ask(forge.web({}, tmp_path), "acme/shop", "main")

    assert hosting == Hosting(inherited=frozenset())


def test_a_repository_that_is_not_told_of_is_none(forge: Forge, tmp_path: Path) -> None:
    assert github.ask(forge.web({}, tmp_path), "acme/shop", "main") is None


@pytest.mark.parametrize(
    ("rules", "branch", "protection", "expected"),
    [
        ([], {"protected": False}, None, False),
        (None, {"protected": False}, None, None),
        ([], {"protected": True}, None, None),
        ([], {"protected": True}, {"required_status_checks": {}}, True),
        (
            [],
            {"protected": True},
            {"required_status_checks": {}, "allow_force_pushes": {"enabled": True}},
            False,
        ),
        ([{"type": "pull_request", "parameters": {}}], {"protected": True}, {}, False),
    ],
)
def test_a_branch_is_protected_by_rules_or_by_what_administrators_see(
    forge: Forge, tmp_path: Path, rules: Any, branch: Any, protection: Any, expected: bool | None
) -> None:
    forge.answers = {REPO: (200, {}), f"{REPO}/branches/main": (200, branch)}
    for path, value in (("rules/branches/main", rules), ("branches/main/protection", protection)):
        forge.answers[f"{REPO}/{path}"] = (403, {}) if value is None else (200, value)

    hosting = github.ask(forge.web({}, tmp_path), "acme/shop", "main")

    assert hosting is not None
    assert hosting.is_protected is expected


@pytest.mark.attack
@pytest.mark.parametrize("answer", [b"{", b"\xff", b"[" * 10_000, b" " * (BODY_MAX + 1), b"7"])
def test_hostile_answers_tell_nothing(forge: Forge, tmp_path: Path, answer: bytes) -> None:
    forge.answers = dict.fromkeys(TOLD, (200, answer)) | {REPO: (200, {"has_issues": "yes"})}

    hosting = github.ask(forge.web({}, tmp_path), "acme/shop", "feature/1")

    assert hosting == Hosting()


def test_questions_are_counted(forge: Forge, tmp_path: Path) -> None:
    forge.answers = {REPO: (200, {})}

    github.ask(forge.web({}, tmp_path, questions_max=3), "acme/shop", "main")

    assert len(forge.asked) == 3
