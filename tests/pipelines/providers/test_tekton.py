from __future__ import annotations

from pathlib import Path

from stationmaster.pipelines.model import Place
from tests.pipelines.commits import Scanned, only
from tests.pipelines.providers.support import found, ignored

RUN = """
apiVersion: tekton.dev/v1
kind: PipelineRun
metadata:
  generateName: acme-on-pull-
  annotations:
    pipelinesascode.tekton.dev/on-event: "[pull_request, push]"
    pipelinesascode.tekton.dev/on-target-branch: "[main]"
    pipelinesascode.tekton.dev/on-comment: "^/test"
    pipelinesascode.tekton.dev/task: "[git-clone:0.9, .tekton/own.yaml]"
spec:
  timeouts: {pipeline: 1h30m}
  pipelineSpec:
    tasks:
      - name: fetch
        taskRef:
          resolver: bundles
          params:
            - {name: name, value: git-clone}
            - {name: bundle, value: "quay.io/acme/clone:0.1@sha256:@@"}
      - name: lint
        runAfter: [fetch]
        timeout: 5m
        when: [{input: "$(params.x)", operator: in, values: ["yes"]}]
        taskSpec:
          steps:
            - name: check
              image: golang:1.26
              env: [{name: TOKEN, valueFrom: {secretKeyRef: {name: lint-token, key: t}}}]
              script: |
                #!/bin/sh
                make lint
    finally:
      - name: tell
        taskRef: {name: notify}
""".replace("@@", "a" * 64)


def test_a_pipeline_run_says_its_events_tasks_and_bundles(tmp_path: Path) -> None:
    facts = only(tmp_path, ".tekton/pull.yaml", RUN)

    assert (facts.name, facts.kind) == ("acme-on-pull", "pipeline")
    assert [(each.event, each.kind, each.branches) for each in facts.triggers] == [
        ("pull_request", "pull_request", ["main"]),
        ("push", "push", ["main"]),
        ("comment", "comment", []),
    ]
    assert [(job.id, job.needs, job.stage, job.timeout_minutes) for job in facts.jobs] == [
        ("fetch", [], None, 90),
        ("lint", ["fetch"], None, 5),
        ("tell", [], "finally", 90),
    ]
    assert facts.jobs[1].condition == "$(params.x) in yes"
    assert [(each.pin, each.first_party, each.job) for each in facts.uses] == [
        ("floating", False, None),
        ("local", False, None),
        ("hash", False, "fetch"),
        ("dynamic", True, "tell"),
    ]
    assert [(each.reference, each.job) for each in facts.images] == [("golang:1.26", "lint")]
    assert facts.secrets == ["lint-token"]
    (command,) = facts.commands
    assert (command.text, command.place) == ("make lint", Place(32, 23))


def test_what_a_cluster_only_holds_is_reusable_and_lies_where_it_is_named_after(
    tmp_path: Path,
) -> None:
    task = (
        "apiVersion: tekton.dev/v1\nkind: Task\nmetadata: {name: t}\nspec: {steps: [{image: a}]}\n"
    )
    pipeline = (
        "apiVersion: tekton.dev/v1beta1\nkind: Pipeline\nmetadata: {name: p}\n"
        "spec: {tasks: [{name: one, taskRef: {name: t}}]}\n---\n" + task
    )
    scanned = Scanned(
        tmp_path,
        {
            "tekton/task.yaml": task,
            "deploy/tekton/pipeline.yaml": pipeline,
            "tekton/values.yaml": "image: x\n",
            "k8s/task.yaml": task,
            "docs/tekton/task.yaml": task,
            ".tekton/cel.yaml": RUN.replace(
                'on-event: "[pull_request, push]"',
                "on-cel-expression: event == 'push' && target_branch == 'main'",
            ),
            ".tekton/named.yaml": "apiVersion: tekton.dev/v1\nkind: PipelineRun\n"
            "metadata: {name: x}\nspec: {pipelineRef: {name: x}}\n",
        },
    )

    assert {path: facts.kind for path, facts in scanned.facts.items()} == {
        ".tekton/cel.yaml": "pipeline",
        ".tekton/named.yaml": "pipeline",
        "deploy/tekton/pipeline.yaml": "reusable",
        "tekton/task.yaml": "composite",
    }
    assert [use.pin for use in scanned.facts["deploy/tekton/pipeline.yaml"].uses] == ["local"]
    assert [each.event for each in scanned.facts[".tekton/cel.yaml"].triggers] == [
        "push",
        "comment",
    ]
    assert scanned.facts[".tekton/named.yaml"].jobs_unknown


def test_what_a_repository_offers_and_nothing_starts_is_no_ci() -> None:
    pipeline = (
        "apiVersion: tekton.dev/v1\nkind: Pipeline\nmetadata: {name: p}\n"
        "spec: {tasks: [{name: a, taskRef: {name: b}}]}\n"
    )
    files = {
        "pipelines/tekton-bundles/tekton-bundles.yaml": pipeline,
        "pipelines/tekton-started.yaml": "apiVersion: triggers.tekton.dev/v1beta1\n"
        "kind: EventListener\nmetadata: {name: e}\nspec: {}\n---\n" + pipeline,
    }
    assert [each.path for each in found(files)] == ["pipelines/tekton-started.yaml"]
    assert ignored(files) == ["pipelines/tekton-bundles/tekton-bundles.yaml"]


def test_a_task_that_a_run_names_is_the_repository_s_where_it_is_in_the_commit() -> None:
    run = (
        "apiVersion: tekton.dev/v1\nkind: PipelineRun\nmetadata:\n  name: r\n  annotations:\n"
        "    pipelinesascode.tekton.dev/on-event: push\n"
        "    pipelinesascode.tekton.dev/task: '[task/far.yaml]'\n"
        "spec:\n  pipelineSpec:\n    tasks:\n"
        "      - {name: a, taskRef: {name: near}}\n      - {name: b, taskRef: {name: far}}\n"
        "      - {name: c, taskRef: {name: installed}}\n"
    )
    task = "apiVersion: tekton.dev/v1\nkind: Task\nmetadata: {name: %s}\nspec: {steps: []}\n"
    files = {
        ".tekton/run.yaml": run,
        ".tekton/tasks/near.yaml": task % "near",
        "task/far.yaml": task % "far",
    }
    read = {each.path: each.facts for each in found(files)}
    assert [(each.reference, each.pin) for each in read[".tekton/run.yaml"].uses] == [
        ("task/far.yaml", "local"), ("near", "local"), ("far", "local"), ("installed", "dynamic")
    ]  # fmt: skip
