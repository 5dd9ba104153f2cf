from __future__ import annotations

from pathlib import Path

from stationmaster.pipelines.model import Schedule
from tests.pipelines.commits import Scanned
from tests.pipelines.providers.support import found

PIPELINE = """
resources:
  - {name: repo, type: git, source: {uri: x, branch: main, private_key: ((git.key))}}
  - {name: pr, type: pull-request, source: {base_branch: main}}
  - {name: nightly, type: time, source: {interval: 24h}}
resource_types:
  - {name: pull-request, type: registry-image, source: {repository: acme/pr, tag: 1.2.3}}
jobs:
  - name: unit
    serial: true
    plan:
      - in_parallel:
          - {get: repo, trigger: true}
          - {get: pr, trigger: true}
          - {get: nightly, trigger: true}
          - get: unused
      - task: test
        timeout: 1h
        config:
          platform: linux
          image_resource: {type: registry-image, source: {repository: golang, tag: "1.26"}}
          params: {CI: "true"}
          run: {path: sh, args: [-ec, "go test ./..."]}
      - {task: file, file: repo/ci/tasks/build.yml}
  - name: ship
    tags: [big]
    plan:
      - {get: repo, passed: [unit], trigger: true}
      - {set_pipeline: self, file: other/pipeline.yml}
"""


def test_a_pipeline_is_told_by_its_plans(tmp_path: Path) -> None:
    scanned = Scanned(
        tmp_path,
        {
            "ci/pipeline.yml": PIPELINE,
            "ci/tasks/build.yml": "platform: linux\nrun: {path: make}\n",
            "ci/settings.yml": "jobs: []\n",
            "docs/pipeline.yml": PIPELINE,
        },
    )
    facts = scanned.facts["ci/pipeline.yml"]

    assert list(scanned.facts) == ["ci/pipeline.yml"]
    assert [(each.event, each.kind, each.branches) for each in facts.triggers] == [
        ("repo", "push", ["main"]),
        ("pr", "pull_request", ["main"]),
        ("nightly", "schedule", []),
    ]
    assert facts.schedules == [Schedule("@every 24h")]
    assert [(job.id, job.needs, job.runs_on, job.image) for job in facts.jobs] == [
        ("unit", [], [], "golang:1.26"),
        ("ship", ["unit"], ["big"], None),
    ]
    assert facts.jobs[0].timeout_minutes == 60
    assert [(each.location, each.resolved) for each in facts.includes] == [
        ("repo/ci/tasks/build.yml", True),
        ("other/pipeline.yml", False),
    ]
    assert (facts.jobs_unknown, facts.secrets) == (True, ["git.key"])
    assert ("acme/pr:1.2.3", "exact") in [(each.reference, each.pin) for each in facts.images]
    assert [(each.kind, each.text) for each in facts.commands] == [("test", "go test ./...")]


def test_looking_for_workflows_of_free_names_leaves_what_reading_others_needs() -> None:
    files = {f"ci/pipeline-{n:03}.yml": PIPELINE + "#" * 200_000 for n in range(20)}
    files["ci/pipeline-huge.yml"] = PIPELINE + "#" * 2**18

    workflows = found({**files, ".travis.yml": "script: make\n"})

    assert [each.path for each in workflows if each.provider == "travis"] == [".travis.yml"]
    assert len(workflows) == 11
