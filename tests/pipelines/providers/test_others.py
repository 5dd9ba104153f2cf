"""One file of each smaller service: its jobs with what they need and run on, events, schedules."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from stationmaster.pipelines.model import Facts
from tests.pipelines.providers.support import found


class Told(NamedTuple):
    provider: str
    jobs: list[tuple[str, list[str], list[str]]]
    events: list[tuple[str, str]]
    commands: list[str]
    rest: dict[str, object]


FILES: dict[str, tuple[str, Told]] = {
    ".build.yml": (
        "image: alpine/edge\nsecrets: [abc-1]\ntasks:\n"
        "  - lint: |\n      make lint\n  - test: make test\n",
        Told("sourcehut", [("lint", [], ["alpine/edge"]), ("test", [], ["alpine/edge"])],
             [("push", "push")], ["make lint", "make test"], {"secrets": ["abc-1"]}),
    ),
    ".packit.yaml": (
        "jobs:\n- {job: copr_build, trigger: pull_request, targets: [fedora-all]}\n"
        "- {job: propose_downstream, trigger: release}\n",
        Told("packit", [("copr_build", [], ["fedora-all"]), ("propose_downstream", [], [])],
             [("pull_request", "pull_request"), ("release", "release")], [], {}),
    ),
    ".zuul.yaml": (
        "- job: {name: unit, parent: base, timeout: 1800, run: ci/run.yaml, nodeset: ubuntu,"
        " secrets: [key]}\n"
        "- project:\n    name: acme\n    templates: [shared]\n    check: {jobs: [unit]}\n"
        "    gate: {jobs: [{unit: {dependencies: [other]}}]}\n    periodic: {jobs: [unit]}\n",
        Told("zuul", [("unit", [], ["ubuntu"]), ("unit", ["other"], ["ubuntu"]),
                      ("unit", [], ["ubuntu"])],
             [("check", "pull_request"), ("gate", "merge_queue"), ("periodic", "schedule")], [],
             {"name": "acme", "secrets": ["key"], "jobs_unknown": True, "server_schedules": True}),
    ),
    "zuul.d/jobs.yaml": (
        "- job: {name: only, nodeset: {nodes: [{name: a, label: big}]}}\n",
        Told("zuul", [("only", [], ["big"])], [], [], {"kind": "fragment"}),
    ),
    ".prow.yaml": (
        "presubmits:\n- name: unit\n  branches: [main]\n  decorate: true\n"
        "  spec: {containers: [{image: 'golang:1.26', command: [make], args: [test]}]}\n"
        "periodics:\n- {name: nightly, cron: '0 3 * * *', spec: {containers: [{image: a}]}}\n",
        Told("prow", [("unit", [], []), ("nightly", [], [])],
             [("presubmits", "pull_request"), ("periodics", "schedule")], ["make test"], {}),
    ),
    ".ci-operator.yaml": (
        "build_root_image: {namespace: ocp, name: builder, tag: golang-1.26}\n",
        Told("openshift-ci", [], [], [], {"jobs_unknown": True}),
    ),
    ".lighthouse/jenkins-x/triggers.yaml": (
        "spec:\n  presubmits: [{name: pr, source: pullrequest.yaml}]\n",
        Told("jenkins-x", [("pr", [], [])], [("presubmits", "pull_request")], [], {}),
    ),
    "codemagic.yaml": (
        "workflows:\n  ios:\n    name: iOS\n    instance_type: mac_mini_m2\n"
        "    max_build_duration: 60\n    environment: {groups: [signing]}\n"
        "    triggering: {events: [push, tag], branch_patterns: [{pattern: main, include: true}]}\n"
        "    scripts:\n      - name: Test\n        script: flutter test\n",
        Told("codemagic", [("ios", [], ["mac_mini_m2"])], [("push", "push"), ("tag", "tag")],
             ["flutter test"], {"secrets": ["signing"]}),
    ),
    "bitrise.yml": (
        "format_version: '13'\nmeta: {bitrise.io: {stack: linux}}\n"
        "trigger_map: [{pull_request_target_branch: main, workflow: pr}]\nworkflows:\n"
        "  pr:\n    before_run: [_setup]\n    steps:\n    - git-clone@8: {}\n"
        "    - script@1.2.3:\n        title: T\n        inputs: [{content: make test}]\n"
        "  _setup: {steps: [{'path::./s': {}}]}\n",
        Told("bitrise", [("pr", ["_setup"], ["linux"])], [("pull_request", "pull_request")],
             ["make test"], {"server_schedules": True}),
    ),
    "screwdriver.yaml": (
        "shared: {image: 'node:22'}\njobs:\n  main:\n    requires: [~pr, ~commit]\n"
        "    secrets: [TOKEN]\n    steps:\n      - install: npm ci\n      - test: npm test\n"
        "  publish: {requires: [main], steps: [{go: npm publish}],"
        " annotations: {screwdriver.cd/buildPeriodically: 'H 3 * * *'}}\n",
        Told("screwdriver", [("main", [], []), ("publish", ["main"], [])],
             [("pr", "pull_request"), ("commit", "push")], ["npm test", "npm publish"],
             {"secrets": ["TOKEN"]}),
    ),
    ".vela.yml": (
        "version: '1'\nsteps:\n  - name: test\n    image: golang:1.26\n"
        "    commands: [go test ./...]\n"
        "    ruleset: {event: [push, pull_request]}\n    secrets: [token]\n",
        Told("vela", [("test", [], [])], [("push", "push"), ("pull_request", "pull_request")],
             ["go test ./..."], {"secrets": ["token"], "server_schedules": True}),
    ),
    "wercker.yml": (
        "box: golang\nbuild:\n  steps:\n    - script: {name: t, code: go test ./...}\n",
        Told("wercker", [("build", [], [])], [], ["go test ./..."], {}),
    ),
    ".scrutinizer.yml": (
        "build:\n  nodes:\n    tests:\n      tests: {override: [phpunit]}\n",
        Told("scrutinizer", [("tests", [], [])], [], ["phpunit"], {}),
    ),
    "ci/build.gocd.yaml": (
        "pipelines:\n  app:\n    timer: {spec: '0 0 22 * * ?'}\n    stages:\n      - build:\n"
        "          jobs:\n            compile:\n              resources: [linux]\n"
        "              tasks: [{exec: {command: make, arguments: [build]}}]\n",
        Told("gocd", [("compile", [], ["linux"])], [], ["make build"], {"name": "app"}),
    ),
    "bamboo-specs/bamboo.yaml": (
        "version: 2\nplan: {project-key: A, key: B, name: Build}\n"
        "stages: [{Test: {jobs: [Unit]}}]\n"
        "Unit: {docker: {image: 'maven:3'}, tasks: [{script: [mvn test]}]}\n"
        "triggers: [{cron: '0 0 * * * ?'}]\n",
        Told("bamboo", [("Unit", [], [])], [("cron", "schedule")], ["mvn test"],
             {"name": "Build"}),
    ),
    ".cloudbees/workflows/ci.yaml": (
        "apiVersion: automation.cloudbees.io/v1alpha1\nkind: workflow\nname: CI\non: {push: {}}\n"
        "jobs:\n  build:\n    steps:\n      - uses: cloudbees-io/checkout@v1\n      - run: make\n",
        Told("cloudbees", [("build", [], [])], [("push", "push")], ["make"], {"name": "CI"}),
    ),
    ".nx/workflows/agents.yaml": (
        "launch-templates:\n  linux:\n    resource-class: docker_linux_amd64/medium\n"
        "    image: ubuntu22.04-node20\n    init-steps: [{name: I, script: npm ci}]\n",
        Told("nx-cloud", [("linux", [], ["docker_linux_amd64/medium"])], [], [],
             {"kind": "template"}),
    ),
    ".evergreen.yml": (
        "tasks:\n  - name: unit\n"
        "    commands: [{command: shell.exec, params: {script: make test}}]\n"
        "buildvariants: [{name: u, run_on: [ubuntu2204], tasks: [{name: unit}]}]\n",
        Told("evergreen", [("unit", [], ["ubuntu2204"])], [], ["make test"],
             {"server_schedules": True}),
    ),
    ".rwx/ci.yml": (
        "on:\n  github: {push: {}, pull_request: {}}\ntasks:\n  - key: code\n"
        "    call: mint/git-clone 1.2.3\n  - {key: test, use: code, run: npm test}\n",
        Told("rwx", [("code", [], []), ("test", ["code"], [])],
             [("push", "push"), ("pull_request", "pull_request")], ["npm test"], {}),
    ),
    ".onedev-buildspec.yml": (
        "version: 30\njobs:\n- name: CI\n  timeout: 3600\n  steps:\n  - type: CommandStep\n"
        "    name: t\n    image: maven\n    interpreter: {type: Default, commands: mvn test}\n"
        "  triggers: [{type: BranchUpdateTrigger}, {type: PullRequestUpdateTrigger}]\n",
        Told("onedev", [("CI", [], [])],
             [("BranchUpdateTrigger", "push"), ("PullRequestUpdateTrigger", "pull_request")],
             ["mvn test"], {}),
    ),
    ".lgtm.yml": (
        "extraction: {cpp: {}}\n",
        Told("lgtm", [], [], [], {"jobs_unknown": True}),
    ),
    "ios/ci_scripts/ci_post_clone.sh": (
        "#!/bin/sh\nmake test\n",
        Told("xcode-cloud", [("ci_post_clone", [], ["macos"])], [], ["make test"],
             {"server_schedules": True, "jobs_unknown": True}),
    ),
    "appcenter-post-clone.sh": (
        "npm ci\n",
        Told("appcenter", [("appcenter-post-clone", [], ["macos"])], [], [],
             {"server_schedules": True, "jobs_unknown": True}),
    ),
    "fastlane/Fastfile": (
        "platform :ios do\n  lane :test do\n    run_tests\n    sh \"make lint\"\n  end\n"
        "  private_lane :x do\n  end\nend\n",
        Told("fastlane", [("test", [], [])], [], ["make lint"], {"kind": "reusable"}),
    ),
    "dagger.json": (
        '{"name": "ci", "dependencies": [{"source": "github.com/acme/go@v1", "pin": "0a"}]}',
        Told("dagger", [], [], [], {"name": "ci", "kind": "reusable", "jobs_unknown": True}),
    ),
    ".kokoro/build.cfg": (
        'build_file: "acme/.kokoro/build.sh"\n',
        Told("kokoro", [], [], [], {"server_schedules": True, "jobs_unknown": True}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("path", FILES)
def test_each_is_read_by_its_own_keys(path: str) -> None:
    content, told = FILES[path]
    (workflow,) = found({path: content})
    facts = workflow.facts

    assert workflow.provider == told.provider
    assert [(job.id, job.needs, job.runs_on) for job in facts.jobs] == told.jobs
    assert [(each.event, each.kind) for each in facts.triggers] == told.events
    assert [each.text for each in facts.commands] == told.commands
    assert facts.parse.state == "ok"
    for name in ("name", "kind", "secrets", "jobs_unknown", "server_schedules"):
        assert getattr(facts, name) == told.rest.get(name, getattr(Facts(), name))


@pytest.mark.parametrize(
    ("path", "cron"),
    [
        (".prow.yaml", "0 3 * * *"),
        ("screwdriver.yaml", "H 3 * * *"),
        ("ci/build.gocd.yaml", "0 0 22 * * ?"),
        ("bamboo-specs/bamboo.yaml", "0 0 * * * ?"),
    ],
)
def test_schedules_stand_in_files_where_the_service_has_them_there(path: str, cron: str) -> None:
    (workflow,) = found({path: FILES[path][0]})

    assert [each.cron for each in workflow.facts.schedules] == [cron]


@pytest.mark.parametrize(
    ("path", "uses"),
    [
        ("bitrise.yml", [("git-clone@8", "floating"), ("script@1.2.3", "exact"),
                         ("path::./s", "local")]),
        (".cloudbees/workflows/ci.yaml", [("cloudbees-io/checkout@v1", "floating")]),
        (".rwx/ci.yml", [("mint/git-clone 1.2.3", "exact")]),
        ("dagger.json", [("github.com/acme/go@v1", "hash")]),
    ],
)  # fmt: skip
def test_parts_that_are_used_have_their_pin(path: str, uses: list[tuple[str, str]]) -> None:
    (workflow,) = found({path: FILES[path][0]})

    assert [(each.reference, each.pin) for each in workflow.facts.uses] == uses
