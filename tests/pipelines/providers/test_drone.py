from __future__ import annotations

import pytest

from stationmaster.pipelines.model import READ, Include
from tests.pipelines.providers.support import facts

MANY = """
kind: pipeline
type: docker
name: test
platform: {os: linux, arch: arm64}
steps:
- name: test
  image: golang:1.25.1
  commands: [go test ./...]
  environment: {TOKEN: {from_secret: token}}
services:
- {name: db, image: mysql}
---
kind: pipeline
name: ship
depends_on: [test]
node: {pool: big}
concurrency: {limit: 1}
trigger: {event: {include: [tag, promote], exclude: [push]}, branch: [main]}
image_pull_secrets: [dockerconfig]
steps:
- {name: ship, image: plugins/docker, settings: {password: {from_secret: hub}}}
---
kind: secret
name: token
---
kind: signature
hmac: 0000
"""


def test_documents_are_jobs_of_one_workflow() -> None:
    told = facts(".drone.yml", MANY)

    assert (told.name, told.parse, told.concurrency) == ("test, ship", READ, "1")
    assert [(job.id, job.needs, job.runs_on, job.services) for job in told.jobs] == [
        ("test", [], ["docker", "linux/arm64"], ["mysql"]),
        ("ship", ["test"], ["pool=big"], []),
    ]
    assert [(each.event, each.kind, each.branches) for each in told.triggers] == [
        ("push", "push", []),
        ("pull_request", "pull_request", []),
        ("tag", "tag", []),
        ("tag", "tag", ["main"]),
        ("promote", "workflow_chain", ["main"]),
    ]
    assert told.secrets == ["token", "hub", "dockerconfig"]
    assert [job.secrets for job in told.jobs] == [["token"], ["hub", "dockerconfig"]]
    assert [each.kind for each in told.commands] == ["test"]


@pytest.mark.parametrize("path", [".drone.star", ".drone.jsonnet"])
def test_programs_are_told_to_be_there(path: str) -> None:
    told = facts(path, "def main(ctx): pass\n")

    assert (told.jobs, told.jobs_unknown, told.parse.state) == ([], True, "partial")


def test_a_template_elsewhere_leaves_the_jobs_unknown() -> None:
    told = facts(".drone.yml", "kind: template\nload: plugin.star\n")

    assert (told.jobs_unknown, told.includes) == (True, [Include("template", "plugin.star", False)])


@pytest.mark.parametrize(
    ("text", "error"), [("kind: secret\nname: x\n", "no pipelines"), ("- a\n", "is a mapping")]
)
def test_what_is_no_pipeline_says_so(text: str, error: str) -> None:
    assert error in (facts(".drone.yml", text).parse.error or "")


def test_the_form_before_version_1_is_read() -> None:
    told = facts(".drone.yml", "pipeline: {build: {image: node, commands: [npm test]}}\n")

    assert [(job.id, job.step_count) for job in told.jobs] == [("default", 1)]
