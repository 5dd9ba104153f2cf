from __future__ import annotations

from stationmaster.pipelines.model import READ
from tests.pipelines.providers.support import facts, found, ignored

FILE = """
version: '1.0'
stages: [test, ship]
steps:
  clone: {type: git-clone, repo: acme/shop, git: github}
  test:
    title: Run tests
    image: node:22
    commands: [npm test, echo done]
    environment: [CI=1]
    when: {branch: {only: [main]}}
  side:
    type: parallel
    steps:
      scan: {type: 'acme/scanner:1.2.3', arguments: {KEY: '${{SCAN_TOKEN}}'}}
      note: {type: slack-notifier, fail_fast: false}
"""


def test_a_file_is_one_job_of_container_steps() -> None:
    told = facts("codefresh.yml", FILE)

    assert (told.parse, told.server_schedules) == (READ, True)
    assert [(job.id, job.step_count, job.secrets) for job in told.jobs] == [
        ("codefresh", 4, ["SCAN_TOKEN"])
    ]
    assert [(step.name, step.uses, step.image, step.script) for step in told.steps][1] == (
        "Run tests", None, "node:22", "npm test"
    )  # fmt: skip
    assert told.steps[1].condition == "branch: main"
    assert [(use.reference, use.pin, use.first_party) for use in told.uses] == [
        ("acme/scanner:1.2.3", "exact", False), ("slack-notifier", "branch", True)
    ]  # fmt: skip


def test_an_exported_pipeline_has_its_name_and_triggers() -> None:
    told = facts(
        ".codefresh/x.yaml",
        """
kind: pipeline
metadata: {name: shop/ci}
spec:
  contexts: [vault]
  triggers: [{name: x, events: [push.heads, pullrequest.opened], branchRegex: /main/}]
  steps: {a: {image: x, commands: [make]}}
""",
    )

    assert (told.name, told.secrets) == ("shop/ci", ["vault"])
    assert [(each.event, each.kind, each.branches) for each in told.triggers] == [
        ("push.heads", "push", ["/main/"]), ("pullrequest.opened", "pull_request", ["/main/"])
    ]  # fmt: skip


def test_a_file_of_another_kind_is_none() -> None:
    assert ignored({"codefresh-values.yaml": "a: b\n"}) == ["codefresh-values.yaml"]
    assert found({"a/codefresh.yml": FILE}) == []
