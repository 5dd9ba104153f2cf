from __future__ import annotations

from stationmaster.pipelines.model import READ
from tests.pipelines.providers.support import facts

FILE = """
env: {SHARED: 'ENCRYPTED[!aaa!]'}
container: {image: 'rust:1.90.0'}
task:
  name: First
  timeout_in: 90m
  test_script: [cargo test, cargo clippy]
  cargo_cache: {folder: $HOME/.cargo}
  always: {report_artifacts: {path: out.xml}}
task:
  name: Second
  depends_on: [First]
  only_if: $CIRRUS_TAG != ''
  trigger_type: manual
  freebsd_instance: {image_family: freebsd-14-1, matrix: [{cpu: 1}, {cpu: 2}]}
  matrix: [{env: {A: 1}}, {env: {TOKEN: 'ENCRYPTED[bbb]'}}, {env: {A: 3}}]
  script: make
mac_task:
  macos_instance: {image: ghcr.io/cirruslabs/macos:latest}
  allow_failures: true
  build_script: make
own_task:
  persistent_worker: {labels: {os: linux}}
docker_builder: {build_script: docker build .}
"""


def test_tasks_with_the_same_key_are_all_read() -> None:
    told = facts(".cirrus.yml", FILE)

    assert told.parse == READ
    assert [(job.id, job.image, job.runs_on, job.parallel) for job in told.jobs] == [
        ("First", "rust:1.90.0", [], None),
        ("Second", None, ["freebsd_instance", "freebsd-14-1"], 6),
        ("mac", None, ["macos_instance", "ghcr.io/cirruslabs/macos:latest"], None),
        ("own", None, ["persistent_worker", "os=linux"], None),
        ("docker_builder 5", "rust:1.90.0", [], None),
    ]
    first, second = told.jobs[:2]
    assert (first.timeout_minutes, first.secrets) == (90, ["SHARED"])
    assert (second.needs, second.condition, second.secrets) == (
        ["First"], "manual", ["SHARED", "TOKEN"]
    )  # fmt: skip
    assert (told.caching, told.artifacts) == (["$HOME/.cargo"], ["out.xml"])
    assert [step.script for step in told.steps][:2] == ["cargo test", "cargo clippy"]
    assert [step.ignores_errors for step in told.steps if step.job == "mac"] == [True]


def test_programs_are_told_to_be_there() -> None:
    assert facts(".cirrus.star", "def main(): pass\n").jobs_unknown


def test_a_file_without_tasks_says_so() -> None:
    assert facts(".cirrus.yml", "env: {A: b}\n").parse.error == "it has no tasks"
