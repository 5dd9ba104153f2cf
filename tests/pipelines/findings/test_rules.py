"""Every rule has one workflow with the fault, and one beside it that nearly has it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from stationmaster.pipelines.findings import LOOKS
from stationmaster.pipelines.findings.rule import RULES
from stationmaster.pipelines.model import Facts, Finding, Include, Job, Pin
from tests.pipelines.findings.support import FOLDER, findings, of_facts, pipelines

SHA = "0123456789012345678901234567890123456789"
CHECKOUT = f"actions/checkout@{SHA}"
JOB = "jobs:\n  a:\n    runs-on: ubuntu-latest\n    timeout-minutes: 5\n"


class Case(NamedTuple):
    rule: str
    severity: str
    line: int
    fault: str
    near: str


def steps(on: str, *lines: str, job: str = "") -> str:
    """A workflow with one job, whose steps begin on the tenth line."""
    head = f"name: x\non: {on}\npermissions: {{contents: read}}\n{JOB}    {job or 'env: {A: b}'}\n"
    return head + "    steps:\n" + "".join(f"      {line}\n" for line in lines)


TARGET = "{pull_request_target: }"
ISSUE = "{issues: {types: [opened]}}"
COMMENT = "{issue_comment: }"
HEAD = "${{ github.event.pull_request.head.sha }}"
AUTHOR = "if: github.event.comment.author_association == 'MEMBER'"
CLAUDE = f"- uses: anthropics/claude-code-base-action@{SHA}"
GATED = f"- uses: anthropics/claude-code-action@{SHA}"

ECHO = "- run: echo ${{ steps.t.outputs.a }}"
OWN_MACHINE = "self-hosted"

CASES = (
    Case(
        "untrusted-checkout", "critical", 11,
        steps(TARGET, f"- uses: {CHECKOUT}", f"  with: {{ref: '{HEAD}'}}", "- run: npm ci"),
        steps(TARGET, f"- uses: {CHECKOUT}", f"  with: {{ref: '{HEAD}'}}", "- run: git log -1"),
    ),
    Case(
        "untrusted-checkout", "critical", 10,
        steps(COMMENT, "- run: gh pr checkout 1", f"- uses: {CHECKOUT}", "- run: ./build.sh"),
        steps(COMMENT, "- run: gh pr checkout 1", "- run: ./build.sh", job=AUTHOR),
    ),
    Case(
        "script-injection", "critical", 11,
        steps(ISSUE, "- run: |", "    echo ${{ github.event.issue.title }}"),
        steps(ISSUE, "- run: echo $T", "  env: {T: '${{ github.event.issue.title }}'}"),
    ),
    Case(
        "script-injection", "high", 10,
        steps("pull_request", "- run: echo ${{ github.head_ref || 'x' }}"),
        steps("pull_request", "- run: echo ${{ github.head_ref == 'x' }} ${{ github.sha }}"),
    ),
    Case(
        "script-injection", "critical", 13,
        steps(ISSUE, "- id: t", "  run: echo \"a=$T\" >> $GITHUB_OUTPUT",
              "  env: {T: '${{ github.event.issue.body }}'}", ECHO),
        steps(ISSUE, "- id: t", "  run: echo \"a=1\" >> $GITHUB_OUTPUT",
              "  env: {T: '${{ github.event.issue.body }}'}", ECHO),
    ),
    Case(
        "script-injection", "critical", 10,
        steps(ISSUE, '- run: echo "A=$T" >> "$GITHUB_ENV"',
              "  env: {T: '${{ github.event.issue.body }}'}"),
        steps(ISSUE, '- run: echo "A=$T" >> "$GITHUB_STEP_SUMMARY"',
              "  env: {T: '${{ github.event.issue.body }}'}"),
    ),
    Case(
        "agent-prompt-injection", "high", 11,
        steps(ISSUE, CLAUDE, "  with: {prompt: 'Do ${{ github.event.issue.body }}'}"),
        steps("workflow_dispatch", CLAUDE, "  with: {prompt: 'Do ${{ github.event.issue.body }}'}"),
    ),
    Case(
        "agent-prompt-injection", "high", 10,
        steps(ISSUE, "- run: claude -p \"Look at $BODY\"",
              "  env: {BODY: '${{ github.event.issue.body }}'}"),
        steps(ISSUE, "- run: claude -p \"Look at the code\"",
              "  env: {BODY: '${{ github.event.issue.body }}'}"),
    ),
    Case(
        "agent-prompt-injection", "medium", 11,
        steps(COMMENT, GATED, "  with: {prompt: 'Do ${{ github.event.issue.body }}'}"),
        steps(COMMENT, GATED, "  with: {prompt: 'Do ${{ github.event.comment.body }}'}"),
    ),
    Case(
        "agent-unrestricted", "medium", 10,
        steps("pull_request", "- run: claude -p x --dangerously-skip-permissions"),
        steps("pull_request", "- run: claude -p x --allowedTools 'Read,Bash(git log:*)'"),
    ),
    Case(
        "agent-unrestricted", "high", 11,
        steps(ISSUE, GATED, "  with: {allowed_non_write_users: '*',"
              " prompt: 'See ${{ github.event.issue.number }}'}"),
        steps(ISSUE, GATED, "  with: {allowed_non_write_users: 'ada',"
              " prompt: 'See ${{ github.event.issue.number }}'}"),
    ),
    Case(
        "agent-output-exec", "high", 12,
        steps(ISSUE, CLAUDE, "  id: c", "- run: echo ${{ steps.c.outputs.structured_output }}"),
        steps(ISSUE, CLAUDE, "  id: c", "- run: echo ${{ steps.c.outputs.conclusion }}"),
    ),
    Case(
        "agent-write-no-gate", "medium", 10,
        steps(COMMENT, CLAUDE, job="permissions: {contents: write}"),
        steps(COMMENT, GATED, job="permissions: {contents: write}"),
    ),
    Case(
        "secrets-to-untrusted", "high", 10,
        steps("push", "- run: echo '${{ toJSON(secrets) }}'"),
        steps("push", "- run: echo '${{ secrets.ONE }}'"),
    ),
    Case(
        "permissions-default", "medium", 3,
        "on: push\njobs:\n  a: {runs-on: x, timeout-minutes: 1, steps: [{run: make}]}\n",
        "on: push\njobs:\n  a: {runs-on: x, permissions: {}, steps: [{run: make}]}\n",
    ),
    Case(
        "permissions-broad", "medium", 2,
        "on: push\npermissions: {contents: write}\njobs:\n  a: {runs-on: x, steps: [{run: make}]}\n"
        "  b: {runs-on: x, steps: [{run: git push}]}\n",
        "on: push\npermissions: {contents: write}\njobs:\n"
        "  b: {runs-on: x, steps: [{run: git push}]}\n",
    ),
    Case(
        "permissions-broad", "high", 2,
        "on: push\npermissions: write-all\njobs:\n  a: {runs-on: x, steps: [{run: make}]}\n",
        "on: push\npermissions: read-all\njobs:\n  a: {runs-on: x, steps: [{run: make}]}\n",
    ),
    Case(
        "unpinned-third-party", "medium", 10,
        steps("push", "- uses: acme/thing@v1.2.3"),
        steps("push", f"- uses: acme/thing@{SHA} # v1.2.3"),
    ),
    Case(
        "unpinned-third-party", "low", 10,
        steps("push", "- uses: actions/checkout@v5"),
        steps("push", "- uses: ./.github/actions/x"),
    ),
    Case(
        "unpinned-image", "medium", 8,
        steps("push", "- run: make", job="container: postgres:latest"),
        steps("push", "- run: make", job=f"container: postgres@sha256:{'0' * 64}"),
    ),
    Case(
        "unresolved-include", "info", 6,
        "on: push\npermissions: {}\njobs:\n  a:\n    timeout-minutes: 1\n"
        f"    uses: acme/x/.github/workflows/y.yml@{SHA}\n",
        "on: push\npermissions: {}\njobs:\n  a:\n    timeout-minutes: 1\n"
        "    uses: ./.github/workflows/unresolved-include-20-near.yml\n",
    ),
    Case(
        "pipe-to-shell", "low", 10,
        steps("push", "- run: curl -sSf https://example.com/install.sh | sudo bash -s -- -y"),
        steps("push", "- run: curl -sSf https://example.com/a.json | jq . && bash build.sh"),
    ),
    Case(
        "self-hosted-on-pr", "high", 5,
        steps("pull_request", "- run: make", job="if: true").replace("ubuntu-latest", OWN_MACHINE),
        steps("pull_request", "- run: make",
              job="if: github.event.pull_request.head.repo.full_name == github.repository",
              ).replace("ubuntu-latest", OWN_MACHINE),
    ),
    Case(
        "credential-persisted", "low", 10,
        steps("push", f"- uses: {CHECKOUT}", CLAUDE),
        steps("push", f"- uses: {CHECKOUT}", "  with: {persist-credentials: false}", CLAUDE),
    ),
    Case(
        "hardcoded-secret", "high", 10,
        steps("push", "- run: docker login -u me -p hunter2secret registry.example.com"),
        steps("push", "- run: docker login -u me -p $PASSWORD registry.example.com"),
    ),
    Case(
        "insecure-commands", "medium", 11,
        steps("push", "- run: make", "  env: {ACTIONS_ALLOW_UNSECURE_COMMANDS: true}"),
        steps("push", "- run: make", "  env: {ACTIONS_ALLOW_UNSECURE_COMMANDS: false}"),
    ),
    Case(
        "debug-enabled", "low", 11,
        steps("push", "- run: make", "  env: {ACTIONS_STEP_DEBUG: true}"),
        steps("push", "- run: make", "  env: {ACTIONS_STEP_DEBUG: '${{ inputs.debug }}'}"),
    ),
    Case(
        "bot-check-spoofable", "high", 5,
        steps(TARGET, "- run: gh pr merge 1", job="if: github.actor == 'dependabot[bot]'"),
        steps(TARGET, "- run: gh pr merge 1",
              job="if: github.event.pull_request.user.login == 'dependabot[bot]'"),
    ),
    Case(
        "always-true-condition", "medium", 11,
        steps("push", "- run: make", "  if: ${{ github.ref == 'x' }} && true"),
        steps("push", "- run: make", "  if: ${{ github.ref == 'x' && true }}"),
    ),
    Case(
        "cache-in-release", "medium", 10,
        steps("{push: {tags: ['*']}}", f"- uses: actions/cache@{SHA}", "- run: npm publish"),
        steps("{push: {tags: ['*']}}", f"- uses: actions/cache@{SHA}", "- run: npm test"),
    ),
    Case(
        "cache-in-release", "medium", 10,
        steps("{push: {tags: ['*']}}", f"- uses: actions/cache@{SHA}", "- run: ./publish.sh",
              "  env: {T: '${{ secrets.NPM }}'}"),
        steps("{push: {tags: ['*']}}", f"- uses: actions/cache@{SHA}", "- run: ./publish.sh"),
    ),
    Case(
        "cache-in-release", "medium", 10,
        steps("push", f"- uses: actions/cache@{SHA}", "- run: yarn release-tool publish"),
        steps("push", f"- uses: actions/cache@{SHA}", "- run: yarn release-tool check-cycles"),
    ),
    Case(
        "cache-in-release", "medium", 10,
        steps("push", f"- uses: actions/cache@{SHA}", "- run: ./ci/publish.sh",
              "  env: {T: '${{ secrets.NPM }}'}"),
        steps("push", f"- uses: actions/cache@{SHA}", "- run: ./ci/publish-local.sh",
              "  env: {T: '${{ secrets.NPM }}'}"),
    ),
    Case(
        "script-injection", "low", 11,
        steps("pull_request", f"- uses: {CHECKOUT}", "- run: ./x.sh ${{ github.head_ref }}"),
        steps("pull_request", f"- uses: {CHECKOUT}", "- run: ./x.sh $GITHUB_HEAD_REF"),
    ),
    Case(
        "agent-prompt-injection", "medium", 11,
        steps(COMMENT, GATED, "  with: {prompt: '${{ github.event.comment.body }}'}",
              job="permissions: {contents: write}"),
        steps(COMMENT, GATED, "  with: {prompt: '${{ github.event.comment.body }}'}"),
    ),
    Case(
        "untrusted-checkout", "medium", 11,
        steps(COMMENT, f"- uses: {CHECKOUT}",
              "  with: {ref: 'refs/pull/${{ github.event.issue.number }}/head'}", GATED),
        steps(COMMENT, f"- uses: {CHECKOUT}", "  with: {ref: main}", GATED),
    ),
    Case(
        "unpinned-third-party", "high", 5,
        "on: push\npermissions: {}\njobs:\n  a:\n"
        "    uses: acme/x/.github/workflows/y.yml@main\n    secrets: inherit\n",
        f"on: push\njobs:\n  a:\n    uses: acme/x/.github/workflows/y.yml@{SHA}\n"
        "    secrets: inherit\n",
    ),
    Case(
        "never-runs", "info", 5,
        steps("push", "- run: make", job="if: ${{ false }}"),
        steps("push", "- run: make", job="if: ${{ github.ref == 'false' }}"),
    ),
    Case(
        "no-timeout", "info", 5,
        steps("push", "- run: make").replace("timeout-minutes: 5", "name: x"),
        steps("push", "- run: make"),
    ),
    Case(
        "no-concurrency", "info", 2,
        steps("pull_request", "- run: make"),
        steps("pull_request", "- run: make", job="concurrency: {group: x}"),
    ),
    Case(
        "too-frequent-schedule", "info", 2,
        steps("{schedule: [{cron: '0,10,20,30 * * * *'}]}", "- run: make"),
        steps("{schedule: [{cron: '0,15,30,45 * * * *'}]}", "- run: make"),
    ),
    Case(
        "errors-ignored", "low", 10,
        steps("push", "- run: pytest || true"),
        steps("push", "- run: rm -r old || true"),
    ),
    Case(
        "errors-ignored", "low", 10,
        steps("push", "- run: pytest", "  continue-on-error: true"),
        steps("push", "- run: echo", "  continue-on-error: true"),
    ),
    Case(
        "parse-error", "medium", 3,
        "on: push\njobs: {}\n jobs: [}\n",
        "on: push\njobs: {a: {runs-on: x, steps: []}}\n",
    ),
)  # fmt: skip

NAMES = [f"{case.rule}-{number}" for number, case in enumerate(CASES)]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Finding]]:
    files = {}
    for name, case in zip(NAMES, CASES, strict=True):
        files[f"{FOLDER}/{name}.yml"] = case.fault
        files[f"{FOLDER}/{name}-near.yml"] = case.near
    read = pipelines(tmp_path_factory.mktemp("rules"), files)
    return {path: findings(read, path) for path in files}


@pytest.mark.parametrize(("name", "case"), list(zip(NAMES, CASES, strict=True)), ids=NAMES)
def test_a_rule_finds_its_fault_and_not_what_is_close_to_it(
    found: dict[str, list[Finding]], name: str, case: Case
) -> None:
    told = [each for each in found[f"{FOLDER}/{name}.yml"] if each.rule == case.rule]
    near = [each for each in found[f"{FOLDER}/{name}-near.yml"] if each.rule == case.rule]
    assert [(each.severity, each.line) for each in told] == [(case.severity, case.line)]
    assert near == []


def test_every_rule_is_tested() -> None:
    elsewhere = {"no-pr-gate", "provider-discontinued", "remote-include-unpinned"}
    assert list(LOOKS) == list(RULES)
    assert set(RULES) == {case.rule for case in CASES} | elsewhere


def test_a_repository_whose_workflows_check_no_change_says_so_once(tmp_path: Path) -> None:
    label = "on: issues\njobs: {a: {runs-on: x, steps: [{run: echo}]}}\n"
    build = "on: pull_request\njobs: {a: {runs-on: x, steps: [{run: make test}]}}\n"
    two = {f"{FOLDER}/a.yml": label, f"{FOLDER}/b.yml": label}
    without = pipelines(tmp_path / "a", two)
    with_one = pipelines(tmp_path / "b", {**two, f"{FOLDER}/b.yml": build})
    called = pipelines(tmp_path / "c", {"Earthfile": "VERSION 0.8\ntest:\n    RUN make test\n"})

    assert "no-pr-gate" in [e.rule for one in called.workflows for e in one.facts.findings]
    rules = [each.rule for one in without.workflows for each in one.facts.findings]
    assert rules.count("no-pr-gate") == 1
    assert "no-pr-gate" not in [e.rule for one in with_one.workflows for e in one.facts.findings]


def test_included_configuration_is_held_to_a_commit(tmp_path: Path) -> None:
    def told(pin: Pin) -> list[str]:
        include = Include("project", "acme/ci: a.yml", resolved=False, pin=pin)
        facts = Facts(jobs=[Job("a", [], [], [])], includes=[include])
        return [each.rule for each in of_facts(tmp_path / pin, "gitlab-ci", facts)]

    assert told("branch").count("remote-include-unpinned") == 1
    assert "remote-include-unpinned" not in told("hash")


def test_a_closed_service_is_told_where_nothing_else_checks_changes(tmp_path: Path) -> None:
    build = "on: pull_request\njobs: {a: {runs-on: x, steps: [{run: make test}]}}\n"
    facts = Facts(jobs=[Job("a", [], [], [])])
    alone = of_facts(tmp_path / "a", "cirrus-ci", facts)
    beside = of_facts(tmp_path / "b", "cirrus-ci", facts, {f"{FOLDER}/a.yml": build})

    assert "provider-discontinued" in [each.rule for each in alone]
    assert "provider-discontinued" not in [each.rule for each in beside]
