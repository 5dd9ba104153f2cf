from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stationmaster.readiness.forges import gitlab
from stationmaster.readiness.hosting import Hosting
from stationmaster.repos.web import headers
from tests.readiness.forges.conftest import Forge

PROJECT = "/projects/acme%2Fteam%2Fshop"
NOBODY = {"push_access_levels": [{"access_level": 0}]}
BRANCH = f"{PROJECT}/protected_branches/main"


def ask(forge: Forge, folder: Path) -> Hosting | None:
    return gitlab.ask(forge.web(headers("gitlab", "t0ken"), folder), "acme/team/shop", "main")


def test_everything_that_a_token_may_see_is_told(forge: Forge, tmp_path: Path) -> None:
    listed = f"{PROJECT}/pipelines?source=merge_request_event&per_page=20"
    forge.answers = {
        path: (200, value)
        for path, value in {
            PROJECT: {
                "issues_access_level": "enabled",
                "only_allow_merge_if_pipeline_succeeds": True,
                "pre_receive_secret_detection_enabled": False,
            },
            BRANCH: {"push_access_levels": [{"access_level": 40}], "allow_force_push": False},
            f"{PROJECT}/labels?per_page=100": [{"name": "type::bug"}],
            f"{PROJECT}/issues?state=opened&per_page=100": [],
            listed: [{"id": 1}, {"id": 2}, {"id": None}],
            f"{PROJECT}/pipelines/1": {"duration": 60},
            f"{PROJECT}/pipelines/2": {"duration": 120},
            f"{PROJECT}/releases?per_page=50": [{"released_at": "2026-11-01T00:00:00.000Z"}],
        }.items()
    }

    hosting = ask(forge, tmp_path)

    assert hosting == Hosting(
        is_protected=True,
        label_names=("type::bug",),
        has_issues=True,
        open_issues=0,
        ci_seconds_median=90,
        releases_at=(1_793_491_200_000,),
        secret_scanning=False,
    )
    assert forge.headers["PRIVATE-TOKEN"] == "t0ken"


@pytest.mark.parametrize(
    ("about", "branch", "expected"),
    [
        ({}, (404, {}), False),
        ({}, (403, {}), None),
        ({"approvals_before_merge": 1}, (200, {"push_access_levels": [{"access_level": 0}]}), True),
        (
            {"approvals_before_merge": 0},
            (200, {"push_access_levels": [{"access_level": 0}]}),
            False,
        ),
        (
            {"approvals_before_merge": 1},
            (200, {**NOBODY, "allow_force_push": True}),
            False,
        ),
        (
            {"approvals_before_merge": 1},
            (200, {"push_access_levels": [{"access_level": 30}]}),
            False,
        ),
    ],
)
def test_a_branch_is_protected_where_changes_need_a_request_and_a_check(
    forge: Forge, tmp_path: Path, about: Any, branch: tuple[int, Any], expected: bool | None
) -> None:
    forge.answers = {PROJECT: (200, about), BRANCH: branch}

    hosting = ask(forge, tmp_path)

    assert hosting is not None
    assert hosting.is_protected is expected
