from __future__ import annotations

from stationmaster.pipelines.model import READ
from tests.pipelines.providers.support import facts, found, ignored

FILE = """
pipeline:
  name: Shop
  identifier: shop
  stages:
    - stage:
        name: Build
        identifier: build
        type: CI
        timeout: 1h
        spec:
          platform: {os: Linux, arch: Amd64}
          runtime: {type: Cloud}
          caching: {enabled: true}
          execution:
            steps:
              - step: {type: Run, name: Test, spec: {image: 'node:22', command: "npm test",
                       envVariables: {T: '<+secrets.getValue("account.npm_token")>'}}}
              - parallel:
                  - step: {type: Run, name: Lint, spec: {command: npm run lint}}
                  - stepGroup: {name: g, steps: [{step: {type: BuildAndPushECR, name: Push}}]}
              - step: {name: Shared, template: {templateRef: org.notify, versionLabel: v1}}
    - parallel:
        - stage: {name: Ship, template: {templateRef: ship, versionLabel: '1.0.0'}}
"""
OPEN = """
kind: pipeline
spec:
  stages:
    - type: ci
      name: test
      spec:
        platform: {os: linux}
        steps:
          - {name: run, type: run, spec: {container: golang, script: go test ./...}}
"""


def test_stages_are_jobs_and_templates_are_used() -> None:
    told = facts(".harness/shop.yaml", FILE)

    assert (told.name, told.parse, told.jobs_unknown) == ("Shop", READ, True)
    build, ship = told.jobs
    assert (build.id, build.name, build.timeout_minutes) == ("build", "Build", 60)
    assert build.runs_on == ["CI", "Linux", "Amd64", "Cloud"]
    assert ship.id == "Ship"
    assert [(step.name, step.uses, step.image, step.script) for step in told.steps] == [
        ("Test", None, "node:22", "npm test"), ("Lint", None, None, "npm run lint"),
        ("Push", "BuildAndPushECR", None, None), ("Shared", None, None, None),
    ]  # fmt: skip
    assert (told.secrets, told.caching) == (["account.npm_token"], ["stage cache"])
    assert [(use.reference, use.pin) for use in told.uses] == [
        ("org.notify", "floating"), ("ship", "exact")
    ]  # fmt: skip


def test_the_open_edition_is_read() -> None:
    told = facts(".harness/ci.yaml", OPEN)

    assert [(job.id, job.runs_on) for job in told.jobs] == [("test", ["ci", "linux"])]
    assert [(step.image, step.script) for step in told.steps] == [("golang", "go test ./...")]


def test_other_files_of_the_folder_are_told_to_be_none() -> None:
    files = {".harness/in.yaml": "inputSet: {name: x}\n", ".harness/deep/ci.yaml": FILE}

    assert [each.path for each in found(files)] == [".harness/deep/ci.yaml"]
    assert ignored(files) == [".harness/in.yaml"]
