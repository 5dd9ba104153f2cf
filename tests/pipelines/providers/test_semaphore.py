from __future__ import annotations

from stationmaster.pipelines.model import READ
from tests.pipelines.providers.support import facts, found, ignored

MAIN = """
version: v1.0
name: Shop
agent:
  machine: {type: e2-standard-2, os_image: ubuntu2404}
  containers: [{name: main, image: 'ruby:3.4.1'}, {name: db, image: postgres}]
execution_time_limit: {hours: 1, minutes: 10}
queue: {name: one at a time}
global_job_config: {secrets: [{name: shared}], prologue: {commands: [checkout]}}
blocks:
  - name: Test
    dependencies: []
    run: {when: "change_in('/lib')"}
    task:
      secrets: [{name: hub}]
      jobs:
        - name: Unit
          commands: [cache restore gems, make test]
          matrix: [{env_var: A, values: [x, y]}, {env_var: B, values: [p, q, r]}]
        - commands: [make lint]
          execution_time_limit: {minutes: 5}
  - name: Slow
    dependencies: [Test]
    task:
      agent: {machine: {type: s1-mine}}
      jobs: [{name: E2E, parallelism: 4, commands: [make e2e]}]
      epilogue: {always: {commands: [artifact push job out.xml]}}
after_pipeline: {task: {jobs: [{name: Report, commands: [echo done]}]}}
promotions:
  - {name: Ship, pipeline_file: deploy/ship.yml, auto_promote_on: [{result: passed}]}
  - {name: Gone, pipeline_file: /gone.yml}
"""
SHIP = "name: Ship\nblocks: [{name: Ship, task: {jobs: [{name: Ship, commands: [make deploy]}]}}]\n"


def test_jobs_of_blocks_have_what_the_pipeline_gives_all() -> None:
    told = facts(".semaphore/semaphore.yml", MAIN)

    assert (told.name, told.parse, told.server_schedules) == ("Shop", READ, True)
    assert told.concurrency == "one at a time"
    machine = ["e2-standard-2", "ubuntu2404"]
    assert [
        (job.id, job.stage, job.needs, job.runs_on, job.timeout_minutes, job.parallel)
        for job in told.jobs
    ] == [
        ("Unit", "Test", [], machine, 70, 6),
        ("Test 2", "Test", [], machine, 5, None),
        ("E2E", "Slow", ["Test"], ["s1-mine"], 70, 4),
        ("Report", "after_pipeline", [], machine, 70, None),
    ]
    assert told.jobs[0].secrets == ["shared", "hub"]
    assert told.jobs[0].condition == "change_in('/lib')"
    assert (told.jobs[0].image, told.jobs[0].services) == ("ruby:3.4.1", ["postgres"])
    assert [step.script for step in told.steps if step.job == "E2E"] == [
        "checkout", "make e2e", "artifact push job out.xml"
    ]  # fmt: skip
    assert (told.caching, told.artifacts) == (["gems"], ["out.xml"])
    assert [each.kind for each in told.commands] == ["test", "lint", "test"]


def test_pipelines_that_it_promotes_to_are_workflows_too() -> None:
    files = {".semaphore/semaphore.yml": MAIN, ".semaphore/deploy/ship.yml": SHIP}
    told = {each.path: each.facts for each in found(files)}

    includes = told[".semaphore/semaphore.yml"].includes
    assert [(each.location, each.resolved) for each in includes] == [
        (".semaphore/deploy/ship.yml", True), ("gone.yml", False)
    ]  # fmt: skip
    assert [each.kind for each in told[".semaphore/deploy/ship.yml"].triggers] == ["workflow_chain"]


def test_other_files_of_the_folder_are_none() -> None:
    assert ignored({".semaphore/values.yml": "a: b\n"}) == [".semaphore/values.yml"]
    assert found({"x/.semaphore/semaphore.yml": MAIN}) == []
