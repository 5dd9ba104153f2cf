from __future__ import annotations

import pytest

from stationmaster.pipelines.model import READ, Place, Schedule
from tests.pipelines.providers.support import facts, found

LISTS = """
variables:
  - &image 'golang:1.27'
  - path: &sources ['src/**', Makefile]
when:
  - event: pull_request
  - event: push
    branch: {include: [main], exclude: [wip]}
    path: [<<: *sources, '*.md']
  - event: cron
    cron: nightly
depends_on: [build]
labels: {arch: arm64}
matrix: {GO: ['1.26', '1.27'], DB: [a, b, c]}
services:
  - {name: db, image: 'postgres:18'}
steps:
  - name: test
    image: *image
    environment: {TOKEN: {from_secret: upload_token}}
    commands:
      - make test
      # between
      - make lint
    failure: ignore
    when: [{event: push, branch: main}]
  - name: upload
    image: plugins/s3
    settings: {key: {from_secret: s3_key}, bucket: b}
"""


def test_a_file_is_a_workflow_with_one_job_of_container_steps() -> None:
    told = facts(".woodpecker/ci.yaml", LISTS)

    assert (told.name, told.parse, told.server_schedules) == ("ci", READ, True)
    assert [(each.event, each.kind) for each in told.triggers] == [
        ("pull_request", "pull_request"), ("push", "push"), ("cron", "schedule")
    ]  # fmt: skip
    assert told.triggers[1].branches == ["main", "!wip"]
    assert told.triggers[2].types == ["nightly"]
    assert told.schedules == [Schedule("")]
    (job,) = told.jobs
    assert (job.id, job.needs, job.runs_on, job.parallel) == ("ci", ["build"], ["arch=arm64"], 6)
    assert (job.services, job.step_count) == (["postgres:18"], 2)
    assert job.secrets == told.secrets == ["upload_token", "s3_key"]
    assert {each.reference: each.pin for each in told.images} == {
        "golang:1.27": "floating", "plugins/s3": "branch", "postgres:18": "floating"
    }  # fmt: skip


def test_lists_that_merge_keys_bring_into_lists_are_read_out() -> None:
    assert facts(".woodpecker/ci.yaml", LISTS).triggers[1].paths == ["src/**", "Makefile", "*.md"]


def test_commands_are_one_script_whose_lines_keep_their_places() -> None:
    told = facts(".woodpecker/ci.yaml", LISTS)

    step = told.steps[0]
    assert (step.name, step.image, step.ignores_errors) == ("test", "golang:1.27", True)
    assert (step.script, step.script_at) == ("make test\n\nmake lint", Place(22, 9))
    assert step.condition == "event: push; branch: main"
    assert [(each.kind, each.place and each.place.line) for each in told.commands] == [
        ("test", 22), ("lint", 24)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("steps: {a: {image: x}}", ["push", "pull_request", "tag", "release", "deployment", "cron",
                                    "manual"]),
        ("steps: {a: {image: x, when: {event: tag}}, b: {image: x, when: [{event: [push]}]}}",
         ["tag", "push"]),
        ("when: {event: [push, manual]}\nsteps: {a: {image: x, when: {event: tag}}}",
         ["push", "manual"]),
    ],
)  # fmt: skip
def test_events_are_those_of_the_file_else_of_its_steps(text: str, events: list[str]) -> None:
    assert [each.event for each in facts(".woodpecker.yml", text).triggers] == events


def test_only_the_folder_itself_counts() -> None:
    paths = [
        "a/.woodpecker/x.yaml",
        ".woodpecker/a/x.yaml",
        ".woodpecker/x.sh",
        "a/.woodpecker.yml",
    ]
    wanted = [".crow/b.yaml", ".woodpecker.yml", ".woodpecker/a.yml"]

    told = found(dict.fromkeys(paths + wanted, "steps: {a: {image: x}}\n"))

    assert [(each.path, each.provider, each.facts.name) for each in told] == [
        (".crow/b.yaml", "woodpecker", "b"),
        (".woodpecker.yml", "woodpecker", "woodpecker"),
        (".woodpecker/a.yml", "woodpecker", "a"),
    ]


def test_secrets_of_the_old_kind_are_read() -> None:
    told = facts(".woodpecker.yml", "pipeline: {a: {image: x, secrets: [a, {source: b}]}}")

    assert told.secrets == ["a", "b"]
