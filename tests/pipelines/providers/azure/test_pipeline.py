from __future__ import annotations

import pytest

from stationmaster.pipelines.model import READ, Include, Place, Schedule
from tests.pipelines.providers.support import facts, found, ignored

PIPELINE = """
name: $(Date:yyyyMMdd).$(Rev:r)
trigger:
  batch: true
  branches: {include: [main], exclude: [wip/*]}
  paths: {include: [src/*]}
  tags: {include: [v*]}
pr: none
schedules: [{cron: '0 7 * * *', branches: {include: [main]}, always: true}]
resources:
  repositories: [{repository: shared, name: acme/shared, ref: refs/heads/main}]
  containers: [{container: py, image: 'python:3.12.1'}]
  pipelines: [{pipeline: other, source: x, trigger: true}]
variables:
  - group: vault
  - {name: A, value: b}
pool: {vmImage: ubuntu-22.04}
stages:
  - stage: Test
    jobs:
      - job: unit
        displayName: Unit tests
        container: py
        timeoutInMinutes: 30
        strategy: {matrix: {one: {V: 1}, two: {V: 2}}}
        steps:
          - checkout: self
          - task: UsePythonVersion@0
          - bash: |
              pytest
              ruff check
            continueOnError: true
          - task: Cache@2
            inputs: {key: 'pip | lock'}
      - template: parts/more.yml
      - template: parts/jobs.yml@shared
  - ${{ if eq(variables.x, 'y') }}:
      - stage: Ship
        jobs:
          - deployment: ship
            dependsOn: [unit]
            environment: {name: production}
            pool: {name: Mine, demands: [gpu]}
            strategy:
              runOnce:
                deploy:
                  steps:
                    - task: AzureCLI@2
                      inputs: {azureSubscription: prod, inlineScript: echo $(DEPLOY_TOKEN)}
                    - publish: out
"""
PARTS = """
parameters: [{name: x}]
jobs:
  - job: more
    steps:
      - ${{ if true }}:
          - script: make lint
      - template: steps.yml
"""
STEPS = "parameters: {a: b}\nsteps: [{script: make test}, {template: more.yml}]\n"


def test_stages_jobs_and_templates_of_the_commit_are_one_pipeline() -> None:
    files = {"ci/azure/parts/more.yml": PARTS, "ci/azure/parts/steps.yml": STEPS}
    told = facts("ci/azure/main.yml", PIPELINE, files)

    assert (told.name, told.parse, told.concurrency, told.jobs_unknown) == (
        None, READ, "batch", True
    )  # fmt: skip
    assert [
        (job.id, job.stage, job.needs, job.runs_on, job.parallel, job.step_count)
        for job in told.jobs
    ] == [
        ("unit", "Test", [], ["ubuntu-22.04"], 2, 4),
        ("more", "Test", [], ["ubuntu-22.04"], None, 2),
        ("ship", "Ship", ["unit"], ["Mine", "gpu"], None, 2),
    ]
    unit, more, ship = told.jobs
    assert (unit.name, unit.image, unit.timeout_minutes) == ("Unit tests", "python:3.12.1", 30)
    assert (ship.environment, ship.secrets) == ("production", ["prod", "DEPLOY_TOKEN"])
    assert (unit.place, more.place) == (
        Place(21, 9), Place(4, 5, "ci/azure/parts/more.yml")
    )  # fmt: skip
    assert told.secrets == ["vault", "prod", "DEPLOY_TOKEN"]
    assert (told.caching, told.artifacts) == (["pip | lock"], ["out"])
    assert told.steps[2].ignores_errors
    assert [(each.kind, each.place and each.place.line) for each in told.commands] == [
        ("test", 30), ("lint", 31), ("lint", 7), ("test", 2)
    ]  # fmt: skip
    assert [(each.location, each.resolved, each.pin) for each in told.includes] == [
        ("ci/azure/parts/more.yml", True, None), ("ci/azure/parts/steps.yml", True, None),
        ("ci/azure/parts/more.yml", True, None), ("parts/jobs.yml@shared", False, "branch"),
    ]  # fmt: skip


def test_tasks_and_repositories_are_used_with_their_versions() -> None:
    told = facts("azure-pipelines.yml", PIPELINE)

    assert [(use.reference, use.pin, use.first_party) for use in told.uses] == [
        ("acme/shared@refs/heads/main", "branch", False),
        ("UsePythonVersion@0", "floating", True),
        ("Cache@2", "floating", True),
        ("AzureCLI@2", "floating", True),
    ]


def test_triggers_are_those_written() -> None:
    told = facts("azure-pipelines.yml", PIPELINE)

    assert [(each.kind, each.branches, each.tags, each.paths) for each in told.triggers] == [
        ("push", ["main", "!wip/*"], [], ["src/*"]), ("tag", [], ["v*"], []),
        ("schedule", ["main"], [], []), ("workflow_chain", [], [], []),
    ]  # fmt: skip
    assert told.schedules == [Schedule("0 7 * * *", branch="main")]


@pytest.mark.parametrize(
    ("head", "events"),
    [
        ("", ["push", "pull_request"]),
        ("trigger: none\n", ["pull_request"]),
        ("trigger: none\npr: none\n", []),
        ("trigger: [main]\npr: {branches: {include: [main]}}\n", ["push", "pull_request"]),
        ("trigger: {tags: {include: [v*]}}\npr: none\n", ["tag"]),
    ],
)
def test_without_a_word_every_push_and_pull_request_starts_it(head: str, events: list[str]) -> None:
    told = facts("azure-pipelines.yml", f"{head}steps: [{{script: make}}]\n")

    assert [each.kind for each in told.triggers] == events
    assert [(job.id, job.step_count) for job in told.jobs] == [("Job", 1)]


def test_jobs_of_a_template_elsewhere_are_not_known_but_what_it_is_given_is() -> None:
    text = """
resources: {repositories: [{repository: t, name: acme/t, ref: refs/tags/v1.2.3}]}
extends:
  template: all.yml@t
  parameters:
    ${{ if true }}: {a: b}
    buildSteps: [{script: npm test}]
    stages: [{stage: S, jobs: [{job: given, steps: [{script: npm run lint}]}]}]
"""
    told = facts("azure-pipelines.yml", text)

    assert ([job.id for job in told.jobs], told.jobs_unknown, told.parse) == (["given"], True, READ)
    assert [(each.kind, each.job) for each in told.commands] == [
        ("test", "buildSteps"), ("lint", "given")
    ]  # fmt: skip
    assert told.includes == [Include("template", "all.yml@t", False, "exact", Place(4, 3))]


def test_files_of_any_name_are_known_by_what_stands_in_them() -> None:
    steps = "steps: [{task: X@1}]\n"
    files = {
        "azure-pipelines.yml": steps,
        ".azure-pipelines/a.yml": f"pool: x\n{steps}",
        "eng/pipelines/b.yaml": f"trigger: none\n{steps}",
        "eng/values.yml": "steps: [a, b]\n",
        "devops/k8s.yml": "apiVersion: v1\n",
        "eng/c.yml": f"parameters: {{}}\n{steps}",
        "eng/d.yml": f"parameters: [{{name: x}}]\n{steps}",
        "eng/e.yml": "trigger: none\njobs: [{template: f.yml}]\n",
        "eng/f.yml": "jobs: [{job: x, steps: []}]\n",
        "eng/tests/azure-pipelines.yml": steps,
        "azure-pipelines-vars.yml": "variables: {a: b}\n",
        "other.yml": steps,
    }

    assert [each.path for each in found(files)] == [
        ".azure-pipelines/a.yml", "azure-pipelines.yml", "eng/e.yml", "eng/pipelines/b.yaml"
    ]  # fmt: skip
    assert ignored(files) == [
        "azure-pipelines-vars.yml", "eng/c.yml", "eng/d.yml", "eng/f.yml",
        "eng/tests/azure-pipelines.yml",
    ]  # fmt: skip


def test_repeated_conditions_are_all_read() -> None:
    text = """
jobs:
  - job: a
    ${{ if true }}: {pool: one}
    ${{ if true }}: {timeoutInMinutes: 5}
    steps: [{script: x}]
"""
    (job,) = facts("azure-pipelines.yml", text).jobs

    assert (job.runs_on, job.timeout_minutes) == (["one"], 5)


def test_templates_that_name_themselves_come_to_an_end() -> None:
    many = "jobs: [" + "{template: a.yml}, " * 50 + "]\n"
    told = facts("azure-pipelines.yml", f"trigger: none\n{many}", {"a.yml": many})

    assert told.jobs == []


WORK = "steps:\n  - script: make test\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("ci.yml", "trigger: [main]\n" + WORK),
        ("build/release.yaml", "trigger: none\npr:\n  branches: {include: [main]}\n" + WORK),
        ("main.yml", "pool: {vmImage: ubuntu-latest}\n" + WORK),
        ("nightly.yml", "schedules: [{cron: '0 0 * * *'}]\njobs:\n  - job: a\n    " + WORK.replace(
            "\n  ", "\n      ")),
        ("x/y.yml", "resources: {repositories: [{repository: t, name: a/b}]}\n"
         "extends: {template: v1/all.yml@t}\n"),
        ("z.yml", "steps:\n  - task: DotNetCoreCLI@2\n"),
    ],
)  # fmt: skip
def test_a_pipeline_of_any_name_is_known_by_its_keys(path: str, text: str) -> None:
    (one,) = found({path: text, "values.yml": "a: b\n"})
    assert (one.path, one.provider) == (path, "azure-pipelines")


@pytest.mark.parametrize(
    "text",
    [
        "steps:\n  - script: make\n    name: image\n",
        "stages: [build]\njob:\n  stage: build\n  script: [make]\n",
        "jobs:\n  a:\n    steps: [{run: make}]\n",
        "jobs:\n  - name: a\n    plan: [{get: b}]\n",
        "trigger: push\nsteps:\n  - command: make\n",
        "trigger:\n  platform: state\nsteps:\n  - service: light.on\n",
        "trigger:\n  event: [push]\nsteps:\n  - script: x\n",
        "extends: ./base.yml\n",
        "extends: [a]\nrules: {}\n",
        "pool: {min: 1, max: 5}\nsteps:\n  - script: x\n",
        "pr: true\nstages: []\n",
    ],
)
def test_yaml_of_others_is_not_mistaken_for_a_pipeline(text: str) -> None:
    assert found({"ci.yml": text}) == []


def test_templates_of_any_name_are_ignored_with_a_reason() -> None:
    files = {
        "ci.yml": "trigger: [main]\njobs:\n  - template: parts/all.yml\n",
        "parts/all.yml": "parameters: {a: b}\njobs:\n  - job: x\n    steps: [{task: Npm@1}]\n",
        "docs/ci.yml": "trigger: [main]\nsteps: [{script: x}]\n",
    }
    assert [each.path for each in found(files)] == ["ci.yml"]
    assert ignored(files) == ["parts/all.yml"]


def test_a_job_has_its_services_its_container_and_the_hooks_of_its_strategy() -> None:
    read = facts(
        "azure-pipelines.yml",
        """
resources:
  containers:
    - {container: db, image: 'postgres:16.1'}
jobs:
  - deployment: ship
    container: {image: 'node:22.1.0'}
    services: {db: db, cache: {image: 'redis:7.2.0'}}
    strategy:
      rolling:
        preDeploy: {steps: [{script: make plan}]}
        deploy: {steps: [{script: make ship}]}
        on:
          failure: {steps: [{script: make undo}]}
""",
    )

    (job,) = read.jobs
    assert (job.image, job.services) == ("node:22.1.0", ["postgres:16.1", "redis:7.2.0"])
    assert [step.script for step in read.steps] == ["make plan", "make ship", "make undo"]


def test_jobs_of_a_loop_or_of_a_parameter_are_not_all_known() -> None:
    first = "jobs:\n- job: first\n  steps: [{script: make}]\n"
    loop = f"{first}- ${{{{ each v in parameters.vs }}}}:\n  - job: a\n    steps: [{{script: x}}]\n"
    handed = "stages: [{stage: a, jobs: '${{ parameters.js }}'}]\n"

    assert not facts("azure-pipelines.yml", first).jobs_unknown
    assert facts("azure-pipelines.yml", loop).jobs_unknown
    assert facts("azure-pipelines.yml", handed).jobs_unknown


def test_steps_that_a_template_is_given_go_by_their_parameter() -> None:
    text = """
extends:
  template: base.yml@shared
  parameters:
    before: [{script: make before}]
    inner: {jobs: [{job: own, steps: [{script: make own}]}]}
"""

    read = facts("azure-pipelines.yml", text)

    assert [(step.job, step.script) for step in read.steps] == [
        ("before", "make before"),
        ("own", "make own"),
    ]
    assert read.jobs_unknown
