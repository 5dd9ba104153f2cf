from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.pipelines.model import AgentSign, AgentStep, Place
from tests.pipelines.findings.support import FOLDER, pipelines

CALLED = "acme/shared/.github/workflows/claude.yml@v1"
SHA = "0123456789012345678901234567890123456789"


def told(folder: Path, text: str, path: str = f"{FOLDER}/ci.yml") -> list[AgentStep]:
    (found,) = [each for each in pipelines(folder, {path: text}).workflows if each.path == path]
    return found.facts.agent_steps


def test_an_action_is_told_with_all_that_bounds_it(tmp_path: Path) -> None:
    (step,) = told(
        tmp_path,
        f"""on: {{issues: {{types: [opened]}}}}
permissions: {{contents: read}}
jobs:
  triage:
    runs-on: x
    timeout-minutes: 7
    permissions: {{contents: write}}
    if: github.event.issue.author_association == 'OWNER'
    steps:
      - name: Triage
        uses: anthropics/claude-code-action@{SHA}
        with:
          anthropic_api_key: ${{{{ secrets.ANTHROPIC_API_KEY }}}}
          prompt: Look at ${{{{ github.event.issue.title }}}}
          claude_args: --allowedTools "Read,Bash(gh issue view:*)" --permission-mode plan
""",
    )
    assert step == AgentStep(
        agent="claude-code",
        found_by="action",
        job="triage",
        trigger="outsiders",
        prompt_source="event",
        can_write=True,
        gate="github.event.issue.author_association == 'OWNER'",
        tools=["Read", "Bash(gh issue view:*)"],
        sandbox="--permission-mode plan",
        permissions={"contents": "write"},
        secrets=["ANTHROPIC_API_KEY"],
        timeout_minutes=7,
        step="Triage",
        place=Place(10, 9),
    )


@pytest.mark.parametrize(
    ("command", "source", "sandbox", "tools"),
    [
        ("codex exec --sandbox workspace-write x", "inline", "--sandbox workspace-write", []),
        ("codex exec --yolo - < task.md", "file", "--yolo", []),
        ("droid exec --auto high -f task.md", "file", "--auto high", []),
        ("gemini --approval-mode=yolo -p x", "inline", "--approval-mode yolo", []),
        ("claude -p \"$(cat task.md)\" --allowed-tools Read Edit", "file", None, ["Read", "Edit"]),
        ("copilot -p x --allow-tool 'shell(git:*)'", "inline", None, ["shell(git:*)"]),
        ("npx -y @anthropic-ai/claude-code -p x --dangerously-skip-permissions", "inline",
         "--dangerously-skip-permissions", []),
    ],
)  # fmt: skip
def test_a_command_is_told_of_any_provider(
    tmp_path: Path, command: str, source: str, sandbox: str | None, tools: list[str]
) -> None:
    head = "when: {event: push}\nsteps:\n  work:\n    image: a\n    commands:\n"
    (step,) = told(tmp_path, f"{head}      - {command}\n", ".woodpecker/ci.yml")
    assert (step.found_by, step.trigger) == ("command", "members")
    assert (step.prompt_source, step.sandbox, step.tools) == (source, sandbox, tools)


@pytest.mark.parametrize(
    ("gate", "condition"),
    [
        (True, "contains(fromJSON('[\"OWNER\"]'), github.event.comment.author_association)"),
        (False, "contains(fromJSON('[\"NONE\"]'), github.event.comment.author_association)"),
        (True, "github.actor == 'ada'"),
        (False, "github.actor != 'ada'"),
        (False, "contains(github.event.comment.body, '@claude')"),
        (False, "github.event_name == 'issue_comment' || github.actor == 'ada'"),
        (True, "github.event_name == 'push' || github.actor == 'ada'"),
        (True, "github.event_name == 'push'"),
        (False, "github.event.comment.user.type != 'Bot'"),
        (True, "github.event.label.name == 'safe'"),
        (False, "!!("),
        (False, ""),
    ],
)
def test_a_condition_is_a_gate_when_nobody_from_outside_can_make_it_true(
    tmp_path: Path, gate: bool, condition: str
) -> None:
    (step,) = told(
        tmp_path,
        f"on: issue_comment\njobs:\n  a:\n    runs-on: x\n    if: |-\n      {condition}\n"
        "    steps: [{run: claude -p hello}]\n",
    )
    assert (step.gate is not None) == gate


def test_an_agent_that_no_step_shows_is_told_of_its_job(tmp_path: Path) -> None:
    shared = "on: issues\njobs: {a: {uses: acme/claude-code-base-action@v1}}\n"
    other = shared.replace("acme/claude-code-base-action", "openhands/x/.github/workflows/y.yml")
    assert told(tmp_path / "a", shared) == []
    (step,) = told(tmp_path / "b", other)
    assert (step.agent, step.found_by, step.trigger) == ("openhands", "action", "outsiders")


@pytest.mark.parametrize(
    ("name", "job", "signs"),
    [
        ("copilot-setup-steps", "steps: [{run: make}]",
         [AgentSign("agent_setup", "copilot-setup-steps", 1, "copilot-cli")]),
        ("ci", "steps: [{run: make, env: {GEMINI_API_KEY: x}}]",
         [AgentSign("possible", "GEMINI_API_KEY", 1, "gemini-cli", "a")]),
        ("ci", f"uses: {CALLED}", [AgentSign("possible", CALLED, 1, "claude-code", "a")]),
        ("ci", "steps: [{run: claude -p x, env: {ANTHROPIC_API_KEY: x}}]", []),
        ("ci", "steps: [{uses: slackapi/slack-github-action@v2}]", []),
    ],
)  # fmt: skip
def test_signs_of_an_agent_are_scored_and_not_asserted(
    tmp_path: Path, name: str, job: str, signs: list[AgentSign]
) -> None:
    text = f"on: push\njobs:\n  a:\n    runs-on: x\n    {job}\n"
    (found,) = pipelines(tmp_path, {f"{FOLDER}/{name}.yml": text}).workflows
    assert found.facts.agent_signs == signs


def test_a_file_whose_name_is_an_ending_alone_prepares_no_agent(tmp_path: Path) -> None:
    (found,) = pipelines(tmp_path, {".travis.yml": "script: make\n"}).workflows
    assert found.facts.agent_signs == []


def test_an_agents_own_repository_tests_its_product(tmp_path: Path) -> None:
    key = "on: push\njobs: {a: {runs-on: x, steps: [{run: make, env: {GEMINI_API_KEY: x}}]}}\n"
    files = {f"{FOLDER}/a.yml": key, "package.json": '{"name": "@google/gemini-cli"}'}
    (found,) = pipelines(tmp_path, files).workflows
    assert [each.kind for each in found.facts.agent_signs] == ["agent_product_test"]
