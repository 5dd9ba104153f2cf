from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.pipelines.model import READ, Include, Job
from tests.ciscan.support import pipeline, scanned


def test_a_pipeline_is_one_workflow_with_its_jobs(tmp_path: Path) -> None:
    found = pipeline(
        tmp_path,
        """
stages: [build, test]
default:
  image: {name: "alpine:3"}
  tags: [docker]
  timeout: 1h 30m
variables: {script: no}
workflow:
  name: Everything
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_PIPELINE_SOURCE =~ /^(web|api)$/
    - if: $CI_PIPELINE_SOURCE == "trigger"
      when: never
.hidden: {script: [make]}
build:
  stage: build
  script: make
  parallel: 3
test:
  image: python
  tags: []
  needs: [build, {job: other, artifacts: true}, {pipeline: x}]
  script: [make test]
  timeout: 10 minutes
  parallel: {matrix: [{A: [x, y], B: [p, q, r]}, {A: z}]}
  only: [schedules, main, tags]
downstream:
  trigger: {project: acme/other}
pages:
  script: [make site]
notes: {text: none}
""",
    )

    assert (found.provider, found.file_path) == ("gitlab-ci", ".gitlab-ci.yml")
    assert found.workflow_name == "Everything"
    assert found.trigger_events == ["merge_request_event", "web", "api", "schedules", "tags"]
    assert (found.schedule_cron, found.schedules) == (None, [])
    common = {"image": "alpine:3", "timeout_minutes": 90}
    assert found.jobs == [
        Job("build", [], ["docker"], [], stage="build", parallel=3, **common),
        Job("test", ["build", "other"], [], [], stage="test", image="python", timeout_minutes=10,
            parallel=7),
        Job("downstream", [], ["docker"], [], stage="test", uses="acme/other", **common),
        Job("pages", [], ["docker"], [], stage="test", **common),
    ]  # fmt: skip
    assert found.parse == READ


def test_only_the_root_file_counts(tmp_path: Path) -> None:
    paths = ["sub/.gitlab-ci.yml", ".gitlab-ci.yaml", ".gitlab/ci/x.yml", ".GITLAB-CI.YML"]

    assert scanned(tmp_path, dict.fromkeys(paths, "a: {script: [x]}\n")) == []


@pytest.mark.parametrize(
    ("trigger", "told"),
    [
        ("acme/other", "acme/other"),
        ("{project: acme/other, branch: main}", "acme/other"),
        ("{include: ci/child.yml}", "ci/child.yml"),
        ("{include: [{local: /ci/child.yml}]}", "/ci/child.yml"),
        ("{include: 'https://ada:hunter2@example.com/x.yml?token=y'}", "https://example.com/x.yml"),
        ("{include: [{artifact: made.yml}]}", None),
    ],
)
def test_a_job_tells_which_pipeline_it_starts(
    tmp_path: Path, trigger: str, told: str | None
) -> None:
    assert pipeline(tmp_path, f"a: {{trigger: {trigger}}}\n").jobs[0].uses == told


def test_jobs_take_what_they_extend_and_merge(tmp_path: Path) -> None:
    found = pipeline(
        tmp_path,
        """
.base: {image: base, tags: [a], script: [x]}
.more: {extends: .base, tags: [b]}
.anchor: &anchor {stage: deploy, timeout: 5m}
one: {extends: .more, <<: *anchor}
two: {extends: [.base, .more], image: own}
loop: {extends: loop, stage: s}
""",
    )

    told = [(job.id, job.image, job.runs_on, job.stage, job.timeout_minutes) for job in found.jobs]
    assert told == [
        ("one", "base", ["b"], "deploy", 5),
        ("two", "own", ["b"], "test", None),
        ("loop", None, [], "s", None),
    ]


def test_local_includes_are_put_together_and_others_are_named(tmp_path: Path) -> None:
    found = pipeline(
        tmp_path,
        """
include:
  - /ci/build.yml
  - local: 'ci/parts/*.yml'
  - project: acme/templates
    file: [/a.yml, /b.yml]
  - remote: https://ada:hunter2@example.com/ci.yml?token=x
  - template: Auto-DevOps.gitlab-ci.yml
  - component: example.com/acme/c@1.0
  - local: gone.yml
build: {tags: [own]}
""",
        {
            "ci/build.yml": "include: {local: /ci/deep.yml}\nbuild: {script: [a], tags: [b]}\n",
            "ci/deep.yml": "include: /ci/build.yml\ndeep: {script: [a]}\n",
            "ci/parts/one.yml": "spec: {inputs: {}}\n---\none: {script: [a]}\n",
            "ci/parts/two.yml": "two: [broken\n",
            "ci/parts/deeper/no.yml": "no: {script: [a]}\n",
        },
    )

    assert [job.id for job in found.jobs] == ["deep", "build", "one"]
    assert found.jobs[1].runs_on == ["own"]
    assert found.includes == [
        Include("local", "ci/build.yml", True),
        Include("local", "ci/deep.yml", True),
        Include("local", "ci/parts/one.yml", True),
        Include("local", "ci/parts/two.yml", False),
        Include("project", "acme/templates: /a.yml, /b.yml", False),
        Include("remote", "https://example.com/ci.yml", False),
        Include("template", "Auto-DevOps.gitlab-ci.yml", False),
        Include("component", "example.com/acme/c@1.0", False),
        Include("local", "gone.yml", False),
    ]
    assert found.parse.state == "partial"
    assert (found.parse.error or "").startswith("ci/parts/two.yml: ")


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("ci/*.yml", ["x", "y"]),
        ("ci/x*.yml", ["x"]),
        ("ci/*/*.yml", ["ax"]),
        ("ci/**.yml", ["abx", "ax", "x", "y"]),
        ("ci/**/*.yml", ["abx", "ax"]),
        ("**/x.yml", ["abx", "ax", "x", "other"]),
        ("*/x.yml", ["x", "other"]),
        ("*.yml", []),
        ("ci/*a*b*c*d*e*.yml", []),
    ],
)
def test_includes_with_wildcards_name_files(tmp_path: Path, pattern: str, found: list[str]) -> None:
    names = {"ci/x": "x", "ci/y": "y", "ci/a/x": "ax", "ci/a/b/x": "abx", "other/x": "other"}
    files = {f"{path}.yml": f"{name}: {{script: [a]}}\n" for path, name in names.items()}

    told = pipeline(tmp_path, f"include: '{pattern}'\n", files)

    assert [job.id for job in told.jobs] == found


def test_agents_are_found_in_every_script_also_by_reference(tmp_path: Path) -> None:
    found = pipeline(
        tmp_path,
        """
.setup:
  script: [npm i, [claude -p review]]
  again: [a]
default: {after_script: [droid exec x]}
review:
  before_script: [codex exec x]
  script:
    - make
    - !reference [.setup, script]
    - !reference [.none, script]
    - !reference [.setup]
plain: {script: [make], after_script: []}
""",
    )

    assert [(job.id, job.agents) for job in found.jobs] == [
        ("review", ["codex", "claude-code", "droid"]),
        ("plain", []),
    ]
    assert found.agents == ["codex", "claude-code", "droid"]


@pytest.mark.parametrize(
    ("content", "state", "error"),
    [
        ("a: [b\n", "error", "did not find"),
        ("- a\n", "error", "a pipeline is a mapping"),
        ("a: {b: c}\n", "partial", "no jobs"),
        ("a: {script: [x]}\na: {script: [y]}\n", "partial", "'a' stands there twice"),
    ],
)
def test_what_does_not_parse_says_why(tmp_path: Path, content: str, state: str, error: str) -> None:
    found = pipeline(tmp_path, content)

    assert found.parse.state == state
    assert error in (found.parse.error or "")


@pytest.mark.parametrize(
    ("timeout", "minutes"),
    [("3 hours 30 minutes", 210), ("1h30m", 90), ("90m", 90), ("3600", 60), ("2 days", 2880),
     ("soon", None), ("5 parsecs", None), ("", None)],
)  # fmt: skip
def test_durations_are_minutes(tmp_path: Path, timeout: str, minutes: int | None) -> None:
    found = pipeline(tmp_path, f"a: {{script: [x], timeout: '{timeout}'}}\n")

    assert found.jobs[0].timeout_minutes == minutes
