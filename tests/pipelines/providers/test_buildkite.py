from __future__ import annotations

import pytest

from stationmaster.pipelines.model import READ
from tests.pipelines.providers.support import facts, found, ignored

PIPELINE = """
env: {CI: 'true'}
agents: {queue: small}
steps:
  - label: ":go: Test"
    key: test
    commands: [make test, echo $API_TOKEN]
    agents: [queue=big, os=linux]
    timeout_in_minutes: 10
    parallelism: 3
    matrix: [a, b]
    plugins:
      - docker#v5.12.0: {image: 'golang:1.27'}
      - acme/secret#main
      - ./local
      - cache#0123456789012345678901234567890123456789: {path: vendor}
    soft_fail: [{exit_status: 1}]
    artifact_paths: out/**
  - wait
  - block: Ship?
  - group: Ship
    steps:
      - {command: make deploy, depends_on: [test, {step: other}], if: build.branch == "main",
         concurrency_group: ship, concurrency: 1, secrets: {KEY: name}}
      - trigger: deploy-all
  - input: Name
"""


def test_steps_that_run_or_start_something_are_jobs() -> None:
    told = facts(".buildkite/pipeline.yml", PIPELINE)

    assert (told.parse, told.triggers, told.server_schedules) == (READ, [], True)
    test, ship, other = told.jobs
    assert (test.id, test.name, test.runs_on) == ("test", ":go: Test", ["queue=big", "os=linux"])
    assert (test.timeout_minutes, test.parallel, test.secrets) == (10, 6, ["API_TOKEN"])
    assert (ship.id, ship.stage, ship.needs) == ("step 2", "Ship", ["test", "other"])
    assert (ship.runs_on, ship.condition) == (["queue=small"], 'build.branch == "main"')
    assert (ship.secrets, told.concurrency) == (["KEY"], "ship")
    assert (other.uses, other.step_count) == ("deploy-all", 0)
    assert told.steps[0].ignores_errors
    assert (told.artifacts, told.caching) == (["out/**"], ["vendor"])
    assert [each.kind for each in told.commands] == ["test", "deploy"]


def test_plugins_are_used_with_their_versions() -> None:
    told = facts(".buildkite/pipeline.yml", PIPELINE)

    assert [(use.reference.partition("#")[0], use.pin, use.first_party) for use in told.uses] == [
        ("docker", "exact", True), ("acme/secret", "branch", False), ("./local", "local", False),
        ("cache", "hash", True),
    ]  # fmt: skip
    assert [(each.reference, each.pin) for each in told.images] == [("golang:1.27", "floating")]


@pytest.mark.parametrize(
    ("command", "included", "unknown"),
    [
        ("buildkite-agent pipeline upload .buildkite/more.yml", [(".buildkite/more.yml", True)],
         True),
        ("buildkite-agent pipeline upload --replace ./x/gone.yml", [("x/gone.yml", False)], True),
        ("make steps | buildkite-agent pipeline upload", [], True),
        ("make", [], False),
    ],
)  # fmt: skip
def test_what_a_step_uploads_is_named(
    command: str, included: list[tuple[str, bool]], unknown: bool
) -> None:
    text = f"steps: [{{command: '{command}'}}]\n"
    told = facts(".buildkite/pipeline.yml", text, {".buildkite/more.yml": text})

    assert [(each.location, each.resolved) for each in told.includes] == included
    assert told.jobs_unknown == unknown


def test_settings_in_the_folder_are_no_pipelines() -> None:
    steps = "steps: [{command: make, agents: {os: mac}}]\n"
    files = {
        ".buildkite/tool.yml": "global: {timeout: 1}\n",
        ".buildkite/steps.yml": "steps: [{a: b}]\n",
        ".buildkite/mac.yml": steps,
        ".buildkite/deep/x.json": '[{"command": "make"}, "wait"]',
        ".buildkite/run.sh": "make\n",
        "sub/.buildkite/pipeline.yml": steps,
        "buildkite.yaml": steps,
    }

    assert [each.path for each in found(files)] == [
        ".buildkite/deep/x.json", ".buildkite/mac.yml", "buildkite.yaml"
    ]  # fmt: skip
    assert ignored(files) == [
        ".buildkite/steps.yml",
        ".buildkite/tool.yml",
        "sub/.buildkite/pipeline.yml",
    ]
