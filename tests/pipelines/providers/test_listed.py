"""One file of each system that is named and listed: its jobs and commands as far as rows say."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from stationmaster.catalogue import ci
from tests.pipelines.providers.support import found, ignored


class Listed(NamedTuple):
    system: str
    jobs: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


FILES: dict[str, tuple[str, Listed]] = {
    ".semaphore/semaphore.yml": (
        "version: v1.0\nname: Ship\nblocks:\n- name: Check\n  task:\n    jobs:\n"
        "    - {name: Unit, commands: [checkout, make test]}\n"
        "    - {name: Style, commands: [make lint]}\n"
        "after_pipeline: {task: {jobs: [{name: Report, commands: [make publish]}]}}\n",
        Listed("semaphore", ("Unit", "Style", "Report"), ("make test", "make lint",
                                                          "make publish")),
    ),
    "appveyor.yml": (
        "build_script:\n- cmd: msbuild\ntest_script:\n- npm test\n",
        Listed("appveyor", (), ("msbuild", "npm test")),
    ),
    ".harness/ship.yaml": (
        "pipeline:\n  stages:\n  - stage:\n      name: Build\n      spec: {execution: {steps: ["
        "{step: {name: t, type: Run, spec: {command: go test}}}]}}\n",
        Listed("harness", ("Build",), ("go test",)),
    ),
    "codefresh.yml": (
        "version: '1.0'\nsteps:\n  unit: {image: 'golang:1.26', commands: [go test ./...]}\n",
        Listed("codefresh", ("unit",), ("go test ./...",)),
    ),
    "Earthfile": ("VERSION 0.8\ntest:\n    RUN go test\n", Listed("earthly")),
    ".zuul.yaml": (
        "- job: {name: unit, run: ci/run.yaml}\n- project: {check: {jobs: [unit]}}\n",
        Listed("zuul", ("unit",)),
    ),
    ".prow.yaml": (
        "presubmits:\n- name: unit\n"
        "  spec: {containers: [{image: 'golang:1.26', command: [make], args: [test]}]}\n",
        Listed("prow", ("unit",), ("make test",)),
    ),
    ".ci-operator.yaml": ("build_root_image: {name: builder}\n", Listed("openshift-ci")),
    ".lighthouse/jenkins-x/triggers.yaml": (
        "spec:\n  presubmits: [{name: pr, source: pullrequest.yaml}]\n",
        Listed("jenkins-x", ("pr",)),
    ),
    "codemagic.yaml": (
        "workflows:\n  app: {name: App, scripts: [{name: t, script: flutter test}]}\n",
        Listed("codemagic", ("App",), ("flutter test",)),
    ),
    "bitrise.yml": (
        "workflows:\n  primary: {steps: [{script@1: {inputs: [{content: npm test}]}}]}\n",
        Listed("bitrise", ("primary",), ("npm test",)),
    ),
    ".build.yml": (
        "image: alpine/edge\ntasks:\n  - lint: |\n      make lint\n  - test: make test\n",
        Listed("sourcehut", ("lint", "test"), ("make lint", "make test")),
    ),
    ".packit.yaml": (
        "jobs:\n- {job: copr_build, trigger: pull_request}\n", Listed("packit", ("copr_build",)),
    ),
    "screwdriver.yaml": (
        "jobs:\n  main: {image: 'node:22', steps: [{test: npm test}, {run: npm run lint}]}\n",
        Listed("screwdriver", ("main",), ("npm run lint",)),
    ),
    ".vela.yml": (
        "steps: [{name: test, image: golang, commands: [go test]}]\n",
        Listed("vela", ("test",), ("go test",)),
    ),
    ".scrutinizer.yml": (
        "build: {nodes: {unit: {tests: {override: [{command: phpunit}]}}}}\n",
        Listed("scrutinizer", ("unit",), ("phpunit",)),
    ),
    "ci.gocd.yaml": (
        "pipelines:\n  p: {stages: [{test: {jobs: {unit: {tasks: [{script: make test}]}}}}]}\n",
        Listed("gocd", ("unit",), ("make test",)),
    ),
    "bamboo-specs/bamboo.yml": (
        "plan: {name: P}\nstages: [{Test: {jobs: [Unit]}}]\nUnit: {tasks: [{script: [mvn]}]}\n",
        Listed("bamboo", ("Unit",)),
    ),
    ".cloudbees/workflows/ci.yaml": (
        "jobs: {test: {steps: [{run: make test}]}}\n",
        Listed("cloudbees", ("test",), ("make test",)),
    ),
    ".nx/workflows/agents.yaml": (
        "launch-templates: {linux: {init-steps: [{script: npm ci}]}}\n",
        Listed("nx-cloud", ("linux",)),
    ),
    ".evergreen.yml": (
        "tasks: [{name: unit, commands: [{params: {script: make test}}]}]\n",
        Listed("evergreen", ("unit",), ("make test",)),
    ),
    ".rwx/ci.yml": (
        "tasks: [{key: unit, run: cargo test}]\n", Listed("rwx", ("unit",), ("cargo test",)),
    ),
    ".onedev-buildspec.yml": (
        "version: 1\njobs: [{name: CI, steps: [{interpreter: {commands: [make test]}}]}]\n",
        Listed("onedev", ("CI",), ("make test",)),
    ),
    "ci_scripts/ci_post_clone.sh": (
        "#!/bin/sh\nswift test\n", Listed("xcode-cloud", ("ci_post_clone",), ("swift test",)),
    ),
    "fastlane/Fastfile": ("lane :beta do\n  sh 'make test'\nend\n", Listed("fastlane")),
    "dagger.json": ('{"name": "ci", "sdk": "go"}\n', Listed("dagger")),
    "kokoro/presubmit.cfg": ('build_file: "app/ci.sh"\n', Listed("kokoro")),
    "buildspec.yml": (
        "version: 0.2\nphases: {build: {commands: [mvn package]}}\n",
        Listed("aws-codebuild", (), ("mvn package",)),
    ),
    "appspec.yml": ("version: 0.0\nhooks: {}\n", Listed("aws-codedeploy")),
    "codepipeline.yml": (
        "Resources: {P: {Type: 'AWS::CodePipeline::Pipeline'}}\n", Listed("aws-codepipeline"),
    ),
    "amplify.yml": (
        "version: 1\nfrontend:\n  phases:\n    build: {commands: [npm run build]}\n",
        Listed("aws-amplify", (), ("npm run build",)),
    ),
    "cloudbuild.yaml": (
        "steps:\n- {name: golang, id: unit, script: go test}\n",
        Listed("google-cloud-build", ("golang",), ("go test",)),
    ),
    "argo/ci.yaml": (
        "apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nspec: {templates: [{name: unit,"
        " container: {command: [make, test]}}]}\n",
        Listed("argo-workflows", ("unit",), ("make test",)),
    ),
    "ci/pipeline.yml": (
        "jobs:\n- name: unit\n  plan:\n  - {task: t, config: {run: {path: make}}}\n",
        Listed("concourse", ("unit",)),
    ),
    ".cirrus.yml": ("task: {script: make test}\n", Listed("cirrus-ci")),
    "wercker.yml": ("build: {steps: [{script: {code: make}}]}\n", Listed("wercker")),
    ".lgtm.yml": ("extraction: {}\n", Listed("lgtm")),
    "codeship-steps.yml": ("- {service: app, command: make test}\n", Listed("codeship")),
    "shippable.yml": ("build: {ci: [make test]}\n", Listed("shippable")),
    "appcenter-post-clone.sh": ("make test\n", Listed("appcenter")),
}  # fmt: skip
"""By path, of each system that is not read in full."""


@pytest.mark.parametrize("path", FILES)
def test_a_file_is_named_and_listed(path: str) -> None:
    content, wanted = FILES[path]

    (workflow,) = found({path: content})

    facts = workflow.facts
    assert workflow.provider == wanted.system
    if wanted.jobs:
        assert tuple(job.id for job in facts.jobs) == wanted.jobs
    assert tuple(command.text for command in facts.commands) == wanted.commands
    assert facts.jobs_unknown == (not wanted.jobs or path.endswith(".sh"))
    assert facts.server_schedules == (facts.kind == "pipeline")


def test_nothing_is_read_of_a_closed_service() -> None:
    for path, (content, wanted) in FILES.items():
        if ci.closed(wanted.system):
            (workflow,) = found({path: content})
            assert (workflow.facts.jobs, workflow.facts.steps) == ([], [])
            assert workflow.facts.jobs_unknown


def test_agents_and_secrets_in_scripts_of_any_system() -> None:
    text = "jobs: {review: {steps: [{run: 'claude -p \"Review\" --key $API_TOKEN'}]}}\n"

    (workflow,) = found({".cloudbees/workflows/review.yaml": text})

    assert workflow.facts.agents == ["claude-code"]
    assert workflow.facts.jobs[0].secrets == ["API_TOKEN"]


def test_a_schedule_in_a_file() -> None:
    (workflow,) = found({".prow.yaml": "periodics: [{name: nightly, cron: '0 3 * * *'}]\n"})

    assert [each.cron for each in workflow.facts.schedules] == ["0 3 * * *"]
    assert [each.kind for each in workflow.facts.triggers] == ["schedule"]


def test_a_file_of_a_free_name_without_the_signs_of_a_system_is_none() -> None:
    assert found({"argo/values.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\n"}) == []
    assert found({"ci/pipeline.yml": "jobs: {a: b}\n"}) == []


def test_only_the_earthfile_of_the_root_is_called() -> None:
    files = {"Earthfile": "test:\n", "lib/Earthfile": "test:\n"}

    assert [each.path for each in found(files)] == ["Earthfile"]
    assert ignored(files) == ["lib/Earthfile"]
