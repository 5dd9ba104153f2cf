from __future__ import annotations

import pytest

from stationmaster.pipelines.model import READ
from tests.pipelines.providers.support import facts

FILE = """
language: python
os: linux
dist: jammy
python: ['3.11', '3.12']
services: [redis]
cache: {directories: [$HOME/.cache]}
env:
  global: [{secure: "aaa="}, PLAIN=1]
  jobs: [DB=a, DB=b, DB=c]
branches: {only: [main, /^v/]}
install: pip install .
script:
  - pytest
  - ruff check
jobs:
  exclude: [{python: '3.11', env: DB=c}]
  include:
    - {stage: deploy, name: Ship, os: osx, script: skip, if: branch = main,
       deploy: {provider: pypi, password: {secure: "bbb="}}}
    - {script: ['echo $UPLOAD_TOKEN']}
import: [{source: 'acme/shared:ci.yml@main'}, ./more.yml]
"""


def test_lists_multiply_the_file_and_further_jobs_are_added() -> None:
    told = facts(".travis.yml", FILE, {"more.yml": "x: y\n"})

    assert (told.parse, told.server_schedules) == (READ, True)
    assert [(job.id, job.stage, job.parallel, job.runs_on) for job in told.jobs] == [
        ("build", None, 5, ["linux", "jammy"]),
        ("Ship", "deploy", None, ["osx", "jammy"]),
        ("job 2", None, None, ["linux", "jammy"]),
    ]
    assert (told.jobs[1].condition, told.jobs[0].services) == ("branch = main", ["redis"])
    assert [(step.name, step.script, step.uses) for step in told.steps if step.job == "Ship"] == [
        ("install", "pip install .", None), ("deploy", None, "deploy:pypi")
    ]  # fmt: skip
    assert told.secrets == ["password", "UPLOAD_TOKEN"]
    assert told.caching == ["$HOME/.cache"]
    assert [(each.kind, each.branches) for each in told.triggers] == [
        ("push", ["main", "/^v/"]), ("pull_request", ["main", "/^v/"])
    ]  # fmt: skip
    assert [(each.location, each.resolved) for each in told.includes] == [
        ("acme/shared:ci.yml@main", False), ("./more.yml", True)
    ]  # fmt: skip
    assert "bbb" not in str(told)


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("if: type = pull_request\n", ["pull_request"]),
        ("if: type IN (push, api) AND branch = main\n", ["push", "api"]),
        ("script: make\n", ["push", "pull_request"]),
    ],
)
def test_conditions_say_what_starts_it(text: str, events: list[str]) -> None:
    assert [each.event for each in facts(".travis.yml", text).triggers] == events


def test_a_file_with_jobs_alone_has_no_other() -> None:
    told = facts(".travis.yml", "matrix: {include: [{env: A=1}, {env: A=2}]}\nscript: make\n")

    assert [(job.id, job.step_count) for job in told.jobs] == [("job 1", 1), ("job 2", 1)]
