from __future__ import annotations

import pytest

from stationmaster.pipelines.model import READ, Schedule
from tests.pipelines.providers.support import facts, found, ignored

CONFIG = """
version: 2.1
orbs:
  node: circleci/node@5.2.0
  slack: acme/slack@4
  own: {commands: {greet: {steps: [run: echo hi]}}}
executors:
  big: {machine: {image: 'ubuntu-2404:current'}, resource_class: large}
commands:
  setup:
    steps: [checkout, node/install-packages, {restore_cache: {key: 'v1-{{ checksum "x" }}'}}]
jobs:
  test:
    docker: [{image: 'cimg/node:22.1.0'}, {image: 'postgres:<< parameters.pg >>'}]
    parallelism: 4
    steps:
      - setup
      - own/greet
      - run: {name: Test, command: "npm test\\n"}
      - when: {condition: x, steps: [run: npm run lint]}
      - store_artifacts: {path: out}
  ship:
    executor: {name: big}
    steps: [{run: 'npm publish --token $NPM_TOKEN'}]
workflows:
  build:
    jobs:
      - test: {matrix: {parameters: {pg: ['15', '16']}}}
      - hold: {type: approval, requires: [test]}
      - ship:
          name: Ship it
          requires: [hold, {test: [success]}]
          context: [npm, org-global]
          filters: {branches: {only: [main, /release.*/], ignore: wip}, tags: {only: /^v.*/}}
      - slack/notify: {requires: [Ship it]}
  nightly:
    triggers: [{schedule: {cron: '0 1 * * *', filters: {branches: {only: main}}}}]
    jobs: [test]
"""


def test_jobs_are_those_declared_and_those_that_workflows_call() -> None:
    told = facts(".circleci/config.yml", CONFIG)

    assert (told.name, told.parse) == ("build, nightly", READ)
    by_id = {job.id: job for job in told.jobs}
    assert list(by_id) == ["test", "ship", "hold", "slack/notify"]
    assert (by_id["test"].image, by_id["test"].parallel) == ("cimg/node:22.1.0", 12)
    assert by_id["ship"].runs_on == ["ubuntu-2404:current", "large"]
    assert (by_id["ship"].name, by_id["ship"].needs) == ("Ship it", ["hold", "test"])
    assert by_id["ship"].secrets == ["npm", "org-global", "NPM_TOKEN"]
    assert (by_id["hold"].condition, by_id["slack/notify"].uses) == ("approval", "acme/slack@4")
    assert by_id["slack/notify"].needs == ["ship"]


def test_steps_are_read_out_of_the_commands_that_they_call() -> None:
    told = facts(".circleci/config.yml", CONFIG)

    steps = [step.uses or step.script for step in told.steps if step.job == "test"]
    assert steps == ["checkout", "circleci/node/install-packages", "restore_cache", "echo hi",
                     "npm test", "npm run lint", "store_artifacts"]  # fmt: skip
    assert [job.step_count for job in told.jobs][:2] == [5, 1]
    assert (told.caching, told.artifacts) == (['v1-{{ checksum "x" }}'], ["out"])
    assert [each.kind for each in told.commands] == ["test", "lint", "publish"]


@pytest.mark.parametrize(
    ("orb", "pin", "own"),
    [
        ("circleci/node@5.2.0", "hash", True),
        ("acme/x@1.2", "floating", False),
        ("acme/x@1", "floating", False),
        ("acme/x@volatile", "floating", False),
        ("acme/x@dev:first", "branch", False),
        ("acme/x@<< pipeline.parameters.v >>", "dynamic", False),
    ],
)
def test_orbs_are_pinned_by_whole_versions(orb: str, pin: str, own: bool) -> None:
    (use,) = facts(".circleci/config.yml", f"orbs: {{x: '{orb}'}}\njobs: {{}}\n").uses

    assert (use.reference, use.pin, use.first_party) == (orb, pin, own)


def test_a_workflow_runs_on_pushes_unless_it_has_a_schedule() -> None:
    told = facts(".circleci/config.yml", CONFIG)

    assert [(each.event, each.branches, each.tags) for each in told.triggers] == [
        ("push", [], []), ("tag", [], ["/^v.*/"]), ("schedule", ["main"], [])
    ]  # fmt: skip
    assert told.schedules == [Schedule("0 1 * * *", branch="main")]


def test_branches_are_told_where_every_job_has_its_own() -> None:
    text = "jobs: {a: {}}\nworkflows: {w: {jobs: [{a: {filters: {branches: {only: main}}}}]}}\n"

    assert facts(".circleci/config.yml", text).triggers[0].branches == ["main"]


def test_a_configuration_that_continues_in_another_file_has_unknown_jobs() -> None:
    setup = """
setup: true
orbs: {continuation: circleci/continuation@1.0.0}
jobs:
  decide:
    docker: [{image: x}]
    steps: [continuation/continue: {configuration_path: .circleci/more.yml}]
"""
    more = "jobs: {a: {steps: [run: make]}}\nworkflows: {w: {jobs: [a]}}\n"

    told = {each.path: each.facts for each in found(
        {".circleci/config.yml": setup, ".circleci/more.yml": more, "x/.circleci/config.yml": more}
    )}  # fmt: skip

    assert list(told) == [".circleci/config.yml", ".circleci/more.yml"]
    first, second = told.values()
    assert first.jobs_unknown
    (include,) = first.includes
    assert (include.kind, include.location, include.resolved) == (
        "continuation", ".circleci/more.yml", True
    )  # fmt: skip
    assert (second.kind, second.triggers[0].kind) == ("reusable", "reusable_call")


def test_other_files_of_the_folder_are_told_to_be_none() -> None:
    assert ignored({".circleci/values.yml": "a: b\n"}) == [".circleci/values.yml"]


def test_commands_that_call_themselves_come_to_an_end() -> None:
    text = "commands: {a: {steps: [a, a, a]}}\njobs: {j: {steps: [a, run: make]}}\n"

    assert facts(".circleci/config.yml", text).jobs[0].step_count == 2
