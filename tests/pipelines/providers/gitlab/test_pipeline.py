from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.pipelines.model import READ, Facts, Include, Job, Place
from tests.pipelines.providers.support import facts, found
from tests.pipelines.scanning.support import pipeline, scanned


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
    assert found.trigger_events == [
        "merge_request_event",
        "web",
        "api",
        "schedules",
        "push",
        "tags",
    ]
    assert (found.schedule_cron, found.schedules) == (None, [])
    common = {"image": "alpine:3", "timeout_minutes": 90}
    at = {job.id: {"place": job.place, "step_count": job.step_count} for job in found.jobs}
    assert found.jobs == [
        Job("build", [], ["docker"], [], stage="build", parallel=3, **common, **at["build"]),
        Job("test", ["build", "other"], [], [], stage="test", image="python", timeout_minutes=10,
            parallel=7, **at["test"]),
        Job("downstream", [], ["docker"], [], stage="test", uses="acme/other", **common,
            **at["downstream"]),
        Job("pages", [], ["docker"], [], stage="test", **common, **at["pages"]),
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
        Include("local", "ci/build.yml", True, "local", Place(3, 5)),
        Include("local", "ci/deep.yml", True, "local", Place(1, 10, "ci/build.yml")),
        Include("local", "ci/parts/one.yml", True, "local", Place(4, 5)),
        Include("local", "ci/parts/two.yml", False, "local", Place(4, 5)),
        Include("project", "acme/templates: /a.yml, /b.yml", False, "branch", Place(5, 5)),
        Include("remote", "https://example.com/ci.yml", False, "branch", Place(7, 5)),
        Include("template", "Auto-DevOps.gitlab-ci.yml", False, None, Place(8, 5)),
        Include("component", "example.com/acme/c@1.0", False, "floating", Place(9, 5)),
        Include("local", "gone.yml", False, "local", Place(10, 5)),
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
        ("a: {script: [x]}\na: {script: [y]}\n", "partial", "'a' is a duplicate"),
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


WHOLE = """
variables: {PLAIN: x, DEPTH: {value: '1', description: d}}
include: .gitlab/more.yml
test:
  image: {name: 'ruby:3.4.1'}
  services: ['postgres:16', {name: 'docker:dind', alias: d}]
  variables: {CI_DEBUG_TRACE: 'true'}
  script:
    - bundle install
    # tests
    - |
      rspec
      rubocop
    - echo $DEPLOY_TOKEN $PLAIN
  cache: {key: gems, paths: [vendor]}
  artifacts: {paths: [coverage/]}
  allow_failure: true
  interruptible: true
ship:
  stage: deploy
  script: [!reference [.ship, script]]
  environment: {name: production}
  resource_group: production
  when: manual
  id_tokens: {AWS_TOKEN: {aud: aws}}
  secrets: {DB_PASSWORD: {vault: a/b@c}}
child:
  trigger: {include: [{local: ci/child.yml}], strategy: depend}
steps:
  run: [{name: lint, script: make lint}, {name: other, step: acme/step@1}]
  rules: [{if: '$CI_COMMIT_BRANCH == "main"'}, {if: $CI_COMMIT_TAG}]
"""
MORE = ".ship:\n  script: [make deploy]\n"
CHILD = "include: ci/deep.yml\nreview: {script: [claude -p review]}\n"


def _whole() -> Facts:
    others = {
        ".gitlab/more.yml": MORE,
        "ci/child.yml": CHILD,
        "ci/deep.yml": "again: {trigger: {include: ci/child.yml}}\n",
    }
    return facts(".gitlab-ci.yml", WHOLE, others)


def test_all_that_a_pipeline_says_is_told() -> None:
    told = _whole()

    assert (told.parse, told.oidc, told.concurrency) == (READ, True, "production")
    assert (told.server_schedules, told.jobs_unknown) == (True, False)
    assert (told.caching, told.artifacts) == (["vendor"], ["coverage/"])
    test, ship, child, steps = told.jobs
    assert (test.services, test.secrets) == (["postgres:16", "docker:dind"], ["DEPLOY_TOKEN"])
    assert (test.place, test.step_count) == (Place(4, 1), 1)
    assert (ship.environment, ship.condition, ship.secrets) == (
        "production", "manual", ["DB_PASSWORD"]
    )  # fmt: skip
    assert (steps.condition, steps.step_count) == (
        '$CI_COMMIT_BRANCH == "main" || $CI_COMMIT_TAG', 2
    )  # fmt: skip
    assert [(each.reference, each.pin, each.place) for each in told.images] == [
        ("postgres:16", "floating", Place(6, 14)), ("docker:dind", "branch", Place(6, 36)),
        ("ruby:3.4.1", "exact", Place(5, 17)),
    ]  # fmt: skip
    assert child.agents == told.agents == ["claude-code"]


def test_steps_keep_the_files_and_lines_that_they_stand_in() -> None:
    told = _whole()

    assert [(step.job, step.path, step.script, step.script_at) for step in told.steps[:3]] == [
        ("test", ".gitlab-ci.yml",
         "bundle install\n\n\nrspec\nrubocop\necho $DEPLOY_TOKEN $PLAIN", Place(9, 7)),
        ("ship", ".gitlab/more.yml", "make deploy", Place(2, 12)),
        ("child", "ci/child.yml", "claude -p review", Place(2, 19)),
    ]  # fmt: skip
    first = told.steps[0]
    assert first.ignores_errors
    assert first.env == {"PLAIN": "x", "DEPTH": "1", "CI_DEBUG_TRACE": "true"}
    assert [(each.kind, each.place and each.place.line) for each in told.commands] == [
        ("test", 12), ("lint", 13), ("deploy", 2), ("lint", 30)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: {script: [x]}\n", [("push", "push", []), ("tag", "tag", [])]),
        ("a: {script: [x], rules: [{if: '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH'}]}\n",
         [("push", "push", ["$CI_DEFAULT_BRANCH"])]),
        ("a: {script: [x], rules: [{if: '$CI_COMMIT_BRANCH == \"a\"'}, {if: $CI_COMMIT_BRANCH}]}\n",
         [("push", "push", [])]),
        ("a: {script: [x], only: [main, merge_requests]}\n",
         [("push", "push", ["main"]), ("merge_requests", "pull_request", [])]),
        ("a: {script: [x], rules: [{if: '$CI_PIPELINE_SOURCE == \"parent_pipeline\"'}]}\n",
         [("parent_pipeline", "workflow_chain", [])]),
        ("include: {template: Workflows/MergeRequest-Pipelines.gitlab-ci.yml}\na: {script: [x]}\n",
         [("merge_request_event", "pull_request", []), ("push", "push", []), ("tag", "tag", [])]),
    ],
)  # fmt: skip
def test_events_have_common_words_and_branches(
    text: str, told: list[tuple[str, str, list[str]]]
) -> None:
    triggers = facts(".gitlab-ci.yml", text).triggers

    assert [(each.event, each.kind, each.branches) for each in triggers] == told


@pytest.mark.parametrize(
    ("include", "pin"),
    [
        ("{project: a/b, file: /x.yml, ref: 0123456789012345678901234567890123456789}", "hash"),
        ("{project: a/b, file: /x.yml, ref: v1.2.3}", "exact"),
        ("{component: gitlab.com/a/b/c@~latest}", "floating"),
        ("{component: gitlab.com/a/b/c@1.2.3}", "exact"),
        ("{component: $CI_SERVER_FQDN/a/b/c@main}", "branch"),
        ("{remote: 'https://example.com/x.yml', integrity: sha256-x}", "hash"),
    ],
)
def test_includes_from_elsewhere_are_pinned_more_or_less(include: str, pin: str) -> None:
    told = facts(".gitlab-ci.yml", f"include: [{include}]\na: {{script: [x]}}\n")

    assert ([each.pin for each in told.includes], told.jobs_unknown) == ([pin], True)


def test_components_that_a_project_offers_are_templates() -> None:
    component = "spec: {inputs: {x: {}}}\n---\na: {script: ['echo $[[ inputs.x ]]']}\n"
    files = {
        "templates/a.yml": component,
        "templates/b/template.yml": component,
        "templates/values.yml": "a: b\n",
        "templates/broken.yml": "a: {{ b }}: [\n",
    }

    told = found(files)

    assert [(each.path, each.facts.kind, len(each.facts.jobs)) for each in told] == [
        ("templates/a.yml", "template", 1), ("templates/b/template.yml", "template", 1)
    ]  # fmt: skip
    assert [each.kind for each in told[0].facts.triggers] == ["reusable_call"]
