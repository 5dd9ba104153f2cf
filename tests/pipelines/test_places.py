"""Findings name the file and the line in which the thing itself is written."""

from __future__ import annotations

import pytest

from stationmaster.pipelines.model import Finding, Place
from tests.pipelines.providers.support import facts, found


def places(files: dict[str, str], rule: str) -> list[tuple[str, int, str]]:
    """Where a rule finds what in all workflows of a commit of these files."""
    return [
        (each.path, each.line, each.evidence)
        for workflow in found(files)
        for each in workflow.facts.findings
        if each.rule == rule
    ]


GITLAB = {
    ".gitlab-ci.yml": """include:
  - /ci/a.yml
  - local: /ci/b.yml
default:
  image: python:3.12
own:
  extends: .shared
""",
    "ci/a.yml": """# images of included files

one:
  image: docker:latest
  script: [make]
two:
  image:
    name: alpine:latest
  services:
    - postgres:16
  script:
    - make
""",
    "ci/b.yml": """.shared:
  tags: [a]
  image: busybox:latest
  script:
    - curl https://example.com/x | sh
three:
  extends: .shared
four:
  script:
    - pytest || true
""",
}


def test_images_of_included_files_are_found_each_at_its_own_line() -> None:
    assert sorted(places(GITLAB, "unpinned-image")) == [
        (".gitlab-ci.yml", 5, "python:3.12"),
        ("ci/a.yml", 4, "docker:latest"),
        ("ci/a.yml", 8, "alpine:latest"),
        ("ci/a.yml", 10, "postgres:16"),
        ("ci/b.yml", 3, "busybox:latest"),
    ]


def test_scripts_of_included_files_are_found_in_those() -> None:
    assert places(GITLAB, "errors-ignored") == [("ci/b.yml", 10, "pytest")]
    assert places(GITLAB, "pipe-to-shell") == [("ci/b.yml", 5, "https://example.com/x")]


def test_jobs_and_commands_of_included_files_say_where_they_are() -> None:
    told = facts(".gitlab-ci.yml", GITLAB[".gitlab-ci.yml"], GITLAB)
    jobs = {job.id: job.place for job in told.jobs}
    assert jobs["own"] == Place(6, 1)
    assert jobs["two"] == Place(6, 1, "ci/a.yml")
    tests = [each.place for each in told.commands if each.kind == "test"]
    assert tests == [Place(10, 7, "ci/b.yml")]


AZURE = {
    "azure-pipelines.yml": """trigger: [main]
jobs:
  - template: ci/jobs.yml
""",
    "ci/jobs.yml": """jobs:
  - job: build
    timeoutInMinutes: 5
    container: node:latest
    steps:
      - task: Vendor.Tool@main
      - template: steps.yml
""",
    "ci/steps.yml": """steps:
  - script: |
      set -e
      npm test || true
""",
}


def test_templates_of_azure_carry_their_own_places() -> None:
    assert places(AZURE, "unpinned-image") == [("ci/jobs.yml", 4, "node:latest")]
    assert places(AZURE, "errors-ignored") == [("ci/steps.yml", 4, "npm test")]


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        (".drone.yml", "kind: pipeline\nsteps:\n- name: a\n  commands: [make]\n  image: x:latest\n",
         5),
        (".woodpecker.yml", "steps:\n  a:\n    commands: [make]\n    image: x:latest\n", 4),
        (".buildkite/pipeline.yml",
         "image: x:latest\nsteps:\n  - label: a\n    command: make\n", 1),
        (".circleci/config.yml",
         "version: 2.1\nexecutors:\n  e:\n    docker:\n      - image: x:latest\n"
         "jobs:\n  a:\n    executor: e\n    steps: [{run: make}]\n", 5),
        (".circleci/config.yml",
         "version: 2.1\norbs:\n  own:\n    executors:\n      e:\n        docker:\n"
         "          - image: x:latest\njobs:\n  a:\n    executor: own/e\n"
         "    steps: [{run: make}]\n",
         7),
        ("bitbucket-pipelines.yml",
         "image:\n  name: x:latest\npipelines:\n  default:\n"
         "    - step:\n        script: [make]\n", 2),
        (".tekton/a.yaml",
         "apiVersion: tekton.dev/v1\nkind: PipelineRun\nmetadata:\n  name: a\n  annotations:\n"
         "    pipelinesascode.tekton.dev/on-event: push\nspec:\n  pipelineSpec:\n    tasks:\n"
         "      - name: b\n        taskSpec:\n          steps:\n            - name: c\n"
         "              script: make\n              image: x:latest\n", 15),
        (".teamcity/settings.kts",
         'object A : BuildType({\n  steps {\n    script {\n      scriptContent = "make"\n'
         '      dockerImage = "x:latest"\n    }\n  }\n})\n', 5),
        ("codefresh.yml",
         "version: '1.0'\nsteps:\n  a:\n    title: b\n    commands: [make]\n    image: x:latest\n",
         6),
    ],
)  # fmt: skip
def test_an_image_is_found_where_it_is_written(path: str, text: str, line: int) -> None:
    told = [each for each in places({path: text}, "unpinned-image") if each[2] == "x:latest"]
    assert told == [(path, line, "x:latest")]


def test_alike_findings_of_one_file_have_fingerprints_of_their_own() -> None:
    text = """on: push
permissions: {}
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/checkout@v4
"""
    told: list[Finding] = [
        each
        for each in facts(".github/workflows/a.yml", text).findings
        if each.rule == "unpinned-third-party"
    ]
    assert [each.line for each in told] == [7, 8]
    assert len({each.fingerprint for each in told}) == 2
