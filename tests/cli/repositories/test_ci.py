"""`ci-scan`: workflows of a folder, of a data folder's repositories, and of a server's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import Done, command, succeed
from tests.support.git_servers import GitServer, git_server
from tests.support.repositories import Repository

AGENT = "on: push\nname: Fix\njobs: {a: {steps: [{run: claude -p fix}]}}\n"
FILES = {
    ".github/workflows/a.yml": AGENT,
    ".github/workflows/b.yml": "on: [push\n",
    ".gitlab-ci.yml": "a: {script: [make]}\n",
}


def _names(found: dict[str, Any]) -> list[str]:
    return [each["workflowName"] for each in found["workflows"]]


def _lines(done: Done) -> list[list[str]]:
    return [line.split() for line in done.stdout.decode().splitlines()]


def test_a_local_repository_is_read_without_anything_else(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "shop")
    repository.commit(FILES)

    found = succeed("ci-scan", str(repository.path))
    agents = succeed("ci-scan", str(repository.path), "--agents-only")

    assert _names(found) == ["Fix", ".github/workflows/b.yml", ".gitlab-ci.yml"]
    assert found["workflows"][0]["repoFullName"] == "shop"
    assert _names(agents) == ["Fix"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["shop"]


def test_a_table_shows_what_runs_when_and_what_is_wrong(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "shop")
    repository.commit(FILES)

    done = command("ci-scan", str(repository.path))
    header, fix, broken, _, *rest = _lines(done)

    assert header == ["file", "workflow", "starts", "on", "jobs", "agents"]
    assert fix == [".github/workflows/a.yml", "Fix", "push", "1", "claude-code"]
    assert broken[-2:] == ["(line", "2)"]
    assert ["agent", "claude-code", ".github/workflows/a.yml:3:20"] in rest
    assert ["can", "be", "started", "by", "people", "with", "write", "access", "only"] in rest
    assert ["medium", "parse-error", "×", "1"] in rest
    assert rest[-1] == ["3", "findings:", "2", "medium,", "1", "info"]


@pytest.mark.parametrize(
    ("severity", "status"), [("high", 0), ("medium", 1), ("info", 1), ("awful", 1)]
)
def test_a_finding_of_a_severity_makes_the_command_fail_where_wanted(
    tmp_path: Path, severity: str, status: int
) -> None:
    repository = Repository(tmp_path / "shop")
    repository.commit(
        {
            ".github/workflows/b.yml": "on: [push\n",
            ".github/workflows/c.yml": "on: [push\n# stationmaster: ignore[parse-error]\n",
        }
    )
    done = command("ci-scan", str(repository.path), "--fail-on", severity, "--json")
    assert done.code == status


def test_what_comments_suppress_is_reported_with_its_place(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "shop")
    uses = "uses: acme/tool@main # zizmor: ignore[unpinned-uses]"
    text = f"on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - {uses}\n"
    repository.commit({".github/workflows/a.yml": text})

    lines = command("ci-scan", str(repository.path)).stdout.decode().splitlines()
    found = succeed("ci-scan", str(repository.path))

    assert "1 finding suppressed by comments in the files:" in lines
    assert lines[-1].split()[:3] == [
        ".github/workflows/a.yml:6:15", "medium", "unpinned-third-party:"
    ]  # fmt: skip
    assert found["summary"]["suppressed"] == [
        {"path": ".github/workflows/a.yml", "line": 6, "rule": "unpinned-third-party",
         "by": "suppressed upstream"}
    ]  # fmt: skip


def test_a_closed_service_is_no_gate_and_the_report_says_so(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "shop")
    packit = "jobs: [{job: copr_build, trigger: pull_request}]\n"
    task = "task: {container: {image: a}, b_script: make test}\n"
    repository.commit({".cirrus.yml": task, ".packit.yaml": packit})

    text = command("ci-scan", str(repository.path)).stdout.decode()
    found = succeed("ci-scan", str(repository.path))

    assert "closed service .cirrus.yml" in text
    assert "provider-discontinued" in text
    assert ".cirrus.yml" not in found["summary"]["gates"]
    assert found["summary"]["discontinued"] == [".cirrus.yml"]


def test_findings_are_sarif_for_pages_that_show_them(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "shop")
    repository.commit({".github/workflows/b c.yml": "on: [push\n"})
    repository.git("remote", "add", "origin", "git@github.com:acme/shop.git")

    found = json.loads(command("ci-scan", str(repository.path), "--sarif").stdout)

    (run,) = found["runs"]
    (result,) = run["results"]
    assert run["versionControlProvenance"][0]["repositoryUri"] == "https://github.com/acme/shop"
    assert result["ruleId"] == "parse-error"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == ".github/workflows/b%20c.yml"


def test_a_repository_at_an_address_is_read_and_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with git_server(tmp_path) as git:
        Repository(tmp_path / "acme" / "shop", "main", "--bare").commit(FILES)
        _permit(git, monkeypatch)
        found = succeed("ci-scan", git.url("acme/shop"))

    assert _names(found) == ["Fix", ".github/workflows/b.yml", ".gitlab-ci.yml"]
    assert found["summary"]["providers"] == {"github-actions": 2, "gitlab-ci": 1}
    assert found["summary"]["agents"] == [".github/workflows/a.yml"]
    assert found["repoUrl"] == git.url("acme/shop")


def test_an_upload_registers_the_repository_and_has_it_scanned(
    tmp_path: Path, made: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with git_server(tmp_path) as git:
        Repository(tmp_path / "acme" / "shop", "main", "--bare").commit(FILES)
        _permit(git, monkeypatch)
        told = command("ci-scan", git.url("acme/shop"), "--upload", "--data-dir", made["data"])
        known = succeed("ci-scan", "--data-dir", made["data"])

    assert "and scanned there" in told.stderr
    assert len(known["workflows"]) == 3


def test_what_is_no_repository_is_told(tmp_path: Path) -> None:
    assert "is not a git repository" in command("ci-scan", str(tmp_path)).error


def test_options_of_a_server_do_not_go_with_a_local_repository(tmp_path: Path) -> None:
    assert "leave out --force" in command("ci-scan", str(tmp_path), "--force").error


def test_registered_repositories_are_scanned_without_a_server(
    tmp_path: Path, made: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with git_server(tmp_path) as git:
        repository = Repository(tmp_path / "acme" / "shop", "main", "--bare")
        repository.commit(FILES)
        _permit(git, monkeypatch)
        for name in ("shop", "gone"):
            succeed("repos", "add", git.url(f"acme/{name}"), "--data-dir", made["data"])

        found = succeed("ci-scan", "--data-dir", made["data"])
        repository.commit({".gitlab-ci.yml": None})
        kept = succeed("ci-scan", "--data-dir", made["data"])
        forced = command("ci-scan", "--force", "--agents-only", "--data-dir", made["data"])

    assert len(found["workflows"]) == len(kept["workflows"]) == 3
    assert [each["status"] for each in found["repositories"]] == ["unreachable", "scanned"]
    row = _lines(forced)[1]
    assert row[:3] == ["acme/shop", ".github/workflows/a.yml", "Fix"]
    assert f"unreachable: {git.url('acme/gone')} The repository does not exist" in forced.stderr


def _permit(git: GitServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PRIVATE", "HTTP"):
        monkeypatch.setenv(f"STATIONMASTER_REPOS_{name}_HOSTS", git.place)
