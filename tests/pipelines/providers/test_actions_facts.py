"""All that one workflow in the language of GitHub Actions says; what is easily misread."""

from __future__ import annotations

import time

import pytest

from stationmaster.pipelines.model import READ, Image, Include, Parse, Place, Trigger, Use
from tests.pipelines.providers.support import facts, found

FOLDER = ".github/workflows"
PATH = f"{FOLDER}/ci.yml"
SHA = "0123456789" * 4
STEPS = "jobs: {a: {runs-on: x, steps: [{run: make}]}}\n"


def test_triggers_keep_their_filters_and_places() -> None:
    told = facts(
        PATH,
        f"""
on:
  push: {{branches: [main, '!old'], paths-ignore: [docs/**]}}
  pull_request:
    types: [opened, labeled]
  workflow_run: {{workflows: [CI], types: completed}}
  workflow_dispatch: {{inputs: {{tag: {{}}, dry: {{}}}}}}
  schedule: [{{cron: '0 5 * * 1', timezone: UTC}}]
{STEPS}""",
    )

    assert told.triggers == [
        Trigger("push", "push", ["main", "!old"], [], ["!docs/**"], place=Place(3, 3)),
        Trigger("pull_request", "pull_request", types=["opened", "labeled"], place=Place(4, 3)),
        Trigger(
            "workflow_run", "workflow_chain",
            types=["completed"], workflows=["CI"], place=Place(6, 3),
        ),
        Trigger("workflow_dispatch", "manual", inputs=["tag", "dry"], place=Place(7, 3)),
        Trigger("schedule", "schedule", place=Place(8, 3)),
    ]  # fmt: skip
    assert [(each.cron, each.timezone) for each in told.schedules] == [("0 5 * * 1", None)]


@pytest.mark.parametrize(
    ("on", "kinds"),
    [
        ("on: push", ["push"]),
        ("on: [push, pull_request]", ["push", "pull_request"]),
        ("on: {push: , merge_group: }", ["push", "merge_queue"]),
        ('"on": {push: {tags: [v*]}}', ["tag"]),
        ("on: {push: {tags: [v*], branches: [main]}}", ["push"]),
        ("on: &all [issues]", ["issue"]),
        ("true: push", []),
        ("on: {}", []),
    ],
)
def test_every_form_of_on_is_read(on: str, kinds: list[str]) -> None:
    told = facts(PATH, f"{on}\n{STEPS}")

    assert [each.kind for each in told.triggers] == kinds
    assert told.parse.state == ("ok" if kinds else "partial")


@pytest.mark.parametrize(
    ("matrix", "size"),
    [
        ("{os: [a, b], v: [1, 2, 3]}", 6),
        ("{os: [a, b], v: [1, 2], exclude: [{os: a, v: 1}]}", 3),
        ("{os: [a, b], v: [1, 2], exclude: [{os: a}]}", 2),
        ("{os: [a, b], include: [{os: a, extra: 1}, {os: c}]}", 3),
        ("{os: [a, b], include: [{extra: 1}]}", 2),
        ("{include: [{os: a}, {os: b}]}", 2),
        ("{os: [{n: a}, {n: b}], exclude: [{os: {n: a}}]}", 1),
        ("{os: '${{ fromJSON(needs.x.outputs.y) }}', v: [1]}", None),
        ("{os: [a], include: '${{ fromJSON(x) }}'}", None),
        ("'${{ fromJSON(needs.x.outputs.y) }}'", None),
        ("{a: %s, b: %s, exclude: [{a: 1}]}" % ((list(range(100)),) * 2), None),
    ],
)
def test_a_matrix_makes_so_many_copies(matrix: str, size: int | None) -> None:
    told = facts(PATH, f"on: push\njobs: {{a: {{strategy: {{matrix: {matrix}}}}}}}\n")

    assert told.jobs[0].parallel == size


def test_a_job_tells_where_it_runs_what_it_may_and_what_it_reads() -> None:
    told = facts(
        PATH,
        """
on: push
permissions: read-all
concurrency: {group: "${{ github.ref }}", cancel-in-progress: true}
env: {ALL: "${{ secrets.EVERYWHERE }}"}
jobs:
  a:
    runs-on: ${{ matrix.os || 'ubuntu-latest' }}
    if: github.ref == 'refs/heads/main'
    environment: {name: production, url: "https://x.example"}
    permissions: {contents: read, id-token: write}
    container: ghcr.io/acme/build:1.2.3
    services: {db: {image: "postgres:17"}}
    steps:
      - run: node secrets.cjs "${{ secrets.DEPLOY }}" ${{ github.token }}
      - uses: docker://alpine
  b:
    permissions: {}
    runs-on: [self-hosted, linux]
    timeout-minutes: 5
    steps: [{run: echo}]
  c: {uses: acme/shared/.github/workflows/x.yml@v1, secrets: inherit}
""",
    )
    a, b, c = told.jobs

    assert (a.runs_on, a.environment, a.services) == (
        ["${{ matrix.os || 'ubuntu-latest' }}"],
        "production",
        ["db"],
    )
    assert a.condition == "github.ref == 'refs/heads/main'"
    assert (a.secrets, b.secrets, c.secrets) == (
        ["EVERYWHERE", "DEPLOY"], ["EVERYWHERE"], ["EVERYWHERE", "*"],
    )  # fmt: skip
    assert (a.permissions, b.permissions, c.permissions) == (
        {"contents": "read", "id-token": "write"}, {}, None,
    )  # fmt: skip
    assert (b.runs_on, b.timeout_minutes, a.step_count) == (["self-hosted", "linux"], 5, 2)
    assert told.images == [
        Image("ghcr.io/acme/build:1.2.3", "exact", "a", Place(12, 16)),
        Image("postgres:17", "floating", "a", Place(13, 28)),
        Image("alpine", "branch", "a", Place(16, 15)),
    ]
    assert (told.permissions, told.oidc) == ({"*": "read"}, True)
    assert told.concurrency == "${{ github.ref }}"
    assert told.secrets == ["EVERYWHERE", "DEPLOY", "*"]


@pytest.mark.parametrize(
    ("top", "job", "oidc"),
    [("write-all", "", True), ("{id-token: write}", "permissions: {}", False), ("{}", "", False)],
)
def test_an_identity_token_is_asked_for_by_the_job_else_by_the_file(
    top: str, job: str, oidc: bool
) -> None:
    text = f"on: push\npermissions: {top}\njobs: {{a: {{runs-on: x, {job}}}}}\n"

    assert facts(PATH, text).oidc is oidc


def test_uses_are_told_with_pin_owner_and_the_version_beside_a_hash() -> None:
    text = f"""
on: push
jobs:
  a:
    steps:
      - uses: actions/checkout@{SHA} # v5.0.1
      - uses: acme/x@{SHA}  # ratchet:acme/x@v2
      - uses: acme/x@main
      - uses: ./.github/actions/here
      - uses: $/.github/actions/gone
  b: {{uses: acme/shared/.github/workflows/x.yml@v1}}
"""
    told = facts(PATH, text, {".github/actions/here/action.yaml": "runs: {using: node24}\n"})

    assert told.uses == [
        Use(f"actions/checkout@{SHA}", "hash", True, "v5.0.1", "a", Place(6, 15)),
        Use(f"acme/x@{SHA}", "hash", False, "v2", "a", Place(7, 15)),
        Use("acme/x@main", "branch", False, "main", "a", Place(8, 15)),
        Use("./.github/actions/here", "local", True, None, "a", Place(9, 15)),
        Use("$/.github/actions/gone", "local", True, None, "a", Place(10, 15)),
        Use("acme/shared/.github/workflows/x.yml@v1", "floating", False, "v1", "b", Place(11, 13)),
    ]
    assert [(each.kind, each.location, each.resolved) for each in told.includes] == [
        ("action", ".github/actions/here/action.yaml", True),
        ("action", "$/.github/actions/gone", False),
        ("workflow", "acme/shared/.github/workflows/x.yml@v1", False),
    ]
    assert told.parse == READ


def test_steps_have_their_environment_shell_and_exact_places() -> None:
    told = facts(
        PATH,
        """
on: push
env: {A: 1, B: 1}
defaults: {run: {shell: bash}}
jobs:
  a:
    env: {B: 2, C: 2}
    container: node:22
    continue-on-error: true
    steps:
      - name: Build
        env: {C: 3}
        run: |
          make one
          make two
      - run: echo "${{ github.event.issue.title }}"
        shell: pwsh
        if: always()
      - uses: actions/github-script@v8
        with: {script: "x()", debug: true}
""",
    )
    build, say, script = told.steps

    assert (build.name, build.env) == ("Build", {"A": "1", "B": "2", "C": "3"})
    assert (build.script, build.shell) == ("make one\nmake two\n", "bash")
    assert (build.place, build.script_at) == (Place(11, 9), Place(14, 11))
    assert (build.image, build.ignores_errors) == ("node:22", True)
    assert (say.shell, say.condition, say.script_at) == ("pwsh", "always()", Place(16, 14))
    assert (script.uses, script.inputs) == (
        "actions/github-script@v8",
        {"script": "x()", "debug": "true"},
    )
    assert script.script is None


def test_steps_of_local_actions_and_called_workflows_stand_in_their_callers() -> None:
    action = "runs:\n  using: composite\n  steps: [{run: make test, env: {B: 2}, shell: bash}]\n"
    called = "on: workflow_call\nenv: {C: 1}\njobs: {x: {steps: [{uses: ./act}]}}\n"
    told = facts(
        PATH,
        "on: push\nenv: {A: 1}\njobs:\n  a: {steps: [{uses: ./act}], container: node:22}\n"
        f"  b: {{uses: ./{FOLDER}/called.yml}}\n",
        {"act/action.yml": action, f"{FOLDER}/called.yml": called},
    )

    assert [(s.job, s.path, s.uses or s.script, dict(s.env)) for s in told.steps] == [
        ("a", PATH, "./act", {"A": "1"}),
        ("a", "act/action.yml", "make test", {"A": "1", "B": "2"}),
        ("b", PATH, f"./{FOLDER}/called.yml", {"A": "1"}),
        ("b", f"{FOLDER}/called.yml", "./act", {"C": "1"}),
        ("b", "act/action.yml", "make test", {"C": "1", "B": "2"}),
    ]
    assert [s.image for s in told.steps[:2]] == ["node:22", "node:22"]
    assert [(each.job, each.text) for each in told.commands] == [
        ("a", "make test"),
        ("b", "make test"),
    ]
    assert [each.step_count for each in told.jobs] == [1, 0]
    assert Include("workflow", f"{FOLDER}/called.yml", True, "local", Place(5, 13)) in told.includes


def test_a_workflow_that_is_only_called_is_reusable_and_calls_count_as_jobs() -> None:
    call = f"uses: ./{FOLDER}/called.yml"
    jobs = "".join(f"  j{n}: {{{call}, needs: j{max(n - 1, 0)}}}\n" for n in range(54))
    caller, called = found(
        {
            f"{FOLDER}/all.yml": f"on: [push, workflow_call]\njobs:\n{jobs}",
            f"{FOLDER}/called.yml": f"on: {{workflow_call: {{inputs: {{x: {{}}}}}}}}\n{STEPS}",
        }
    )

    assert (caller.facts.kind, called.facts.kind) == ("pipeline", "reusable")
    assert (len(caller.facts.jobs), len(caller.facts.steps)) == (54, 108)
    assert caller.facts.jobs[1].runs_on == []


@pytest.mark.parametrize(
    ("head", "kind", "origin"),
    [
        ("# This file was automatically generated by gh-aw (v1). DO NOT EDIT.", "generated", None),
        (
            "# Autogenerated from ci/template.jsonnet",
            "generated",
            "ci/template.jsonnet",
        ),
        ("# This workflow builds a package. For more information see the docs", "pipeline", None),
    ],
)
def test_files_that_a_tool_wrote_say_so(head: str, kind: str, origin: str | None) -> None:
    told = facts(PATH, f"{head}\n\non: push\n{STEPS}", {"ci/template.jsonnet": "{}"})

    assert (told.kind, told.generated_from) == (kind, origin)


def test_the_step_of_the_engine_runs_the_agent_of_a_compiled_workflow() -> None:
    text = (
        '# gh-aw-metadata: {"agent_id":"copilot"}\n"on": push\njobs:\n  agent:\n    steps:\n'
        "      - run: prepare\n      - {id: agentic_execution, run: awf node driver.cjs}\n"
    )

    assert [step.agents for step in facts(PATH, text).steps] == [(), ("copilot-cli",)]


def test_caches_and_artifacts_are_told_of_the_actions_that_keep_them() -> None:
    told = facts(
        PATH,
        "on: push\njobs:\n  a:\n    steps:\n"
        "      - {uses: actions/cache@v5, with: {path: .cache, key: x}}\n"
        "      - {uses: actions/setup-node@v6, with: {cache: npm}}\n"
        "      - {uses: actions/setup-python@v6}\n"
        "      - {uses: actions/setup-go@v6, with: {cache: false}}\n"
        "      - {uses: docker/build-push-action@v6, with: {cache-from: type=gha, push: true}}\n"
        "      - {uses: actions/upload-artifact@v5, with: {name: wheels}}\n"
        "      - {uses: actions/upload-artifact@v5}\n",
    )

    assert told.caching == [
        "actions/cache: .cache",
        "actions/setup-node: npm",
        "docker/build-push-action: type=gha",
    ]
    assert told.artifacts == ["wheels", "artifact"]
    assert [(each.kind, each.text) for each in told.commands] == [
        ("publish", "docker/build-push-action@v6")
    ]


def test_commands_are_told_with_their_kind_and_place_once_in_a_job() -> None:
    told = facts(
        PATH,
        """
on: push
jobs:
  a:
    steps:
      - run: |
          npm ci
          npm run lint && npm test
      - run: npm test
      - uses: nick-fields/retry@v3
        with: {command: ./scripts/run_tests.sh}
      - uses: golangci/golangci-lint-action@v8
""",
    )

    assert [(each.kind, each.text, each.place) for each in told.commands] == [
        ("lint", "npm run lint", Place(8, 11)),
        ("test", "npm test", Place(8, 11)),
        ("test", "./scripts/run_tests.sh", Place(11, 25)),
        ("lint", "golangci/golangci-lint-action@v8", Place(12, 9)),
    ]


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbfon: push\n" + STEPS.encode(),
        b"on: push\r\njobs:\r\n  a:\r\n    steps:\r\n      - run: |\r\n          make\r\n",
        ("on: push\n" + STEPS).encode("utf-16"),
    ],
    ids=["bom", "crlf", "utf-16"],
)
def test_bytes_that_editors_leave_do_not_matter(text: bytes) -> None:
    told = facts(PATH, text)

    assert told.parse == READ
    assert [step.script for step in told.steps] in (["make"], ["make\n"])


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ("on: push\njobs:\n\ta: {}\n", "cannot start any token", 3),
        ("a: " + "[" * 200, "nested too deeply", 1),
        ("a: &a [x]\n" + "".join(f"b{n}: &b{n} [{'*a,' * 9}]\n" for n in range(3)), "", None),
        ("on: push\njobs: *gone\n", "names nothing", 2),
    ],
    ids=["tab", "deep", "aliases", "alias"],
)
def test_what_no_parser_takes_is_told_with_its_place(
    text: str, reason: str, line: int | None
) -> None:
    told = facts(PATH, text)

    assert told.parse.state == "error" if reason else "partial"
    assert reason in (told.parse.error or "")
    assert told.parse.line == line


def test_calls_in_circles_and_calls_that_multiply_end() -> None:
    actions = {
        f"a{n}/action.yml": "runs: {steps: [" + ", ".join([f"{{uses: ./a{n + 1}}}"] * 20) + "]}\n"
        for n in range(15)
    }
    circle = f"on: workflow_call\njobs: {{a: {{uses: ./{FOLDER}/x.yml}}}}\n"
    start = time.process_time()

    many = facts(PATH, "on: push\njobs: {a: {steps: [{uses: ./a0}]}}\n", actions)
    again = facts(f"{FOLDER}/x.yml", circle)

    assert many.parse == Parse(
        "partial", "its actions and called workflows multiply to too many steps"
    )
    assert len(again.steps) == 2
    assert time.process_time() - start < 5
