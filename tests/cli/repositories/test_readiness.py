"""`readiness`: storing a report, and reading what it comes to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.builders import a_readiness_report
from tests.support.cast import Cast
from tests.support.commands import command, succeed
from tests.support.repositories import Repository
from tests.support.servers import running_server, settings_for


@pytest.fixture
def file(tmp_path: Path) -> Path:
    report = a_readiness_report(branch="main")
    report["report"]["zeal"] = {"numerator": 1, "denominator": 1, "rationale": "Plenty."}
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    return path


def test_a_report_is_stored_listed_and_shown(made: dict[str, str], file: Path) -> None:
    data = ("--data-dir", made["data"])
    stored = succeed("readiness", "upload", file, *data)
    [listed] = succeed("readiness", "list", *data)["reports"]
    shown = succeed("readiness", "show", stored["reportId"], *data)

    assert stored == listed == shown["report"]
    assert stored["branch"] == "main"
    assert shown["score"]["level"] == 1


def test_people_get_tables(made: dict[str, str], file: Path) -> None:
    data = ("--data-dir", made["data"])
    stored = succeed("readiness", "upload", file, *data)
    listed = command("readiness", "list", *data).stdout.decode()
    shown = command("readiness", "show", stored["reportId"], *data)

    assert stored["reportId"] in listed
    assert "https://git.example/acme/shop" in listed
    text = shown.stdout.decode()
    assert "1 Functional" in text
    assert "README.md says enough." in text
    assert "level 1, Functional" in shown.stderr
    assert "counted nowhere: zeal" in shown.stderr


def test_a_repository_is_named_by_its_address(made: dict[str, str], file: Path) -> None:
    data = ("--data-dir", made["data"])
    succeed("readiness", "upload", file, *data)

    ours = succeed("readiness", "list", "--repository", "git@git.example:acme/shop", *data)
    none = succeed("readiness", "list", "--repository", "https://git.example/x", *data)

    assert (len(ours["reports"]), none["reports"]) == (1, [])


def test_a_server_is_spoken_to_alike(tmp_path: Path, file: Path) -> None:
    with running_server(settings_for(tmp_path, "sqlite")) as server:
        cast = Cast(server.services.db, "ours")
        remote = ("--url", server.url, "--key", cast.keys["member"])
        stored = succeed("readiness", "upload", file, *remote)
        [listed] = succeed("readiness", "list", "--limit", "5", *remote)["reports"]

    assert stored == listed


def test_what_cannot_be_is_one_line(made: dict[str, str], tmp_path: Path) -> None:
    data = ("--data-dir", made["data"])
    broken, empty = tmp_path / "broken.json", tmp_path / "empty.json"
    broken.write_text("{")
    empty.write_text("{}")

    assert "this is not JSON" in command("readiness", "upload", broken, *data).error
    assert "repoUrl: Field required" in command("readiness", "upload", empty, *data).error
    assert "no.json: No such file" in command("readiness", "upload", "no.json", *data).error
    nobodys = "0192f0c1-2d3e-7abc-8def-000000000000"
    assert "There is no such report." in command("readiness", "show", nobodys, *data).error


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "shop")
    made.commit({"README.md": "# Shop\n", "LICENSE": "All rights reserved.\n"})
    return made


def test_a_local_repository_is_evaluated_the_same_way_twice(repository: Repository) -> None:
    report = succeed("readiness", repository.path)

    assert report == succeed("readiness", "--as-of", "2026-11-20T12:00Z", repository.path)
    assert report["commitHash"] == repository.git("rev-parse", "HEAD")
    assert report["apps"].keys() == {"."}
    assert report["report"]["license"]["numerator"] == 1
    assert report["report"]["vcs_cli_tools"]["state"] == "not_evaluated"


def test_people_get_a_level_reasons_and_what_to_do(repository: Repository) -> None:
    shown = command("readiness", repository.path).stdout.decode()

    assert "Level 1 · Functional" in shown
    assert "Level 2 takes" in shown
    assert "Contributions by agents" in shown


def test_a_level_too_low_fails_and_a_badge_is_drawn(repository: Repository, tmp_path: Path) -> None:
    badge = tmp_path / "badge.svg"

    done = command("readiness", repository.path, "--fail-under", "2", "--badge", badge)

    assert done.code == 1
    assert "agent readiness: 1 Functional" in badge.read_text()


def test_a_pipeline_can_require_criteria_and_refuse_what_is_worse(repository: Repository) -> None:
    repository.git("branch", "before")
    held = command("readiness", repository.path, "--require", "license", "--fail-under", "level=1")
    repository.commit({"LICENSE": None})
    repository.git("update-ref", "refs/remotes/origin/base", "before")

    required = command("readiness", repository.path, "--require", "readme,license")
    worse = command("readiness", repository.path, "--no-worse-than", "before")
    remote = command("readiness", repository.path, "--no-worse-than", "base")
    same = command("readiness", repository.path, "--no-worse-than", "main")

    assert (held.code, required.code, worse.code, remote.code, same.code) == (0, 1, 1, 1, 0)
    assert "license is required: fail" in required.stderr
    assert "license is worse: 1/1 → 0/1" in worse.stderr


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--fail-under", "6", "--fail-under takes a level from 1 to 5"),
        ("--require", "licence", "did you mean license?"),
        ("--no-worse-than", "nowhere", "there is no branch or tag nowhere"),
    ],
)
def test_a_gate_that_cannot_be_is_refused(
    repository: Repository, option: str, value: str, told: str
) -> None:
    assert told in command("readiness", repository.path, option, value).error


def test_a_report_is_written_as_a_page_a_comment_and_a_task(
    repository: Repository, tmp_path: Path
) -> None:
    html, md = tmp_path / "report.html", tmp_path / "report.md"

    done = command("readiness", repository.path, "--html", html, "--md", md, "--brief")

    assert html.read_text().startswith("<!doctype html>")
    assert md.read_text().startswith("## Readiness of ")
    assert done.stdout.decode().startswith("# Task: ")


def test_what_is_printed_as_json_can_be_uploaded_and_is_advised_alike(
    made: dict[str, str], repository: Repository, tmp_path: Path
) -> None:
    data = ("--data-dir", made["data"])
    repository.git("remote", "add", "origin", "https://git.example/acme/shop")
    printed = succeed("readiness", repository.path)
    file = tmp_path / "printed.json"
    file.write_text(json.dumps(printed))

    stored = succeed("readiness", "upload", file, *data)
    repository.commit({"LICENSE": None})
    file.write_text(json.dumps({**succeed("readiness", repository.path)}))
    second = succeed("readiness", "upload", file, *data)
    comparison = ("compare", second["reportId"], "--since", stored["reportId"])
    history = succeed("readiness", "history", "https://git.example/acme/shop", *data)
    compared = succeed("readiness", *comparison, *data)
    listed = succeed("readiness", "repositories", *data)

    assert stored["evidence"]["license"][0]["places"][0]["path"] == "LICENSE"
    ids = {stored["reportId"], second["reportId"]}
    assert {each["reportId"] for each in history["reports"]} == ids
    assert [each["criterion"] for each in compared["worse"]] == ["license"]
    assert [e["repoUrl"] for e in listed["repositories"]] == ["https://git.example/acme/shop"]
    for name in (("history", "https://git.example/acme/shop"), comparison,
                 ("repositories",)):  # fmt: skip
        assert command("readiness", *name, *data).stdout


def test_a_criterion_is_explained_alone_and_of_a_repository(repository: Repository) -> None:
    alone = command("readiness", "--explain", "license").stdout.decode()
    found = command("readiness", repository.path, "--explain", "license").stdout.decode()

    assert "Licence file" in alone
    assert "LICENSE" in found


@pytest.mark.parametrize(
    "arguments",
    [[], ["--explain", "zeal"], ["/nowhere"], [".", "--as-of", "soon"], ["https://127.0.0.1/a"]],
)
def test_what_cannot_be_evaluated_says_so_in_one_line(arguments: list[str]) -> None:
    assert command("readiness", "evaluate", *arguments).error


def test_what_a_repository_decides_itself_is_shown(repository: Repository) -> None:
    settings = '[readiness.pass]\nlint_config = "In the monorepo above."\n'
    repository.commit({".stationmaster.toml": settings})

    report = succeed("readiness", repository.path)
    shown = command("readiness", repository.path).stdout.decode()

    assert report["report"]["lint_config"]["state"] == "pass"
    assert report["overrides"]["lint_config"]["found"]["state"] in ("fail", "skipped")
    assert "set by the repository: lint_config: In the monorepo above." in shown


def test_a_report_is_stored_under_the_address_that_others_know(
    made: dict[str, str], repository: Repository
) -> None:
    data = ("--data-dir", made["data"])
    unknown = command("readiness", repository.path, "--upload", *data)
    repository.git("remote", "add", "origin", "git@git.example:acme/shop.git")

    first = command("readiness", repository.path, "--upload", *data)
    command("readiness", repository.path, "--upload", *data)
    [listed] = succeed("readiness", "list", *data)["reports"]

    assert "no address" in unknown.error
    assert listed["reportId"] in first.stderr
    assert listed["repoUrl"] == "https://git.example/acme/shop"
    assert listed["report"]["license"]["state"] == "pass"
