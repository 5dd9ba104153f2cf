from __future__ import annotations

import pytest

from stationmaster.agents.cards import PRODUCTS
from stationmaster.pipelines.agents import (
    options as agent_options,
    recognition as agents,
    steps as agent_signs,
)
from stationmaster.pipelines.agents.recognition import of_action, of_script


@pytest.mark.parametrize(
    ("reference", "agent"),
    [
        ("anthropics/claude-code-action@v1", "claude-code"),
        ("anthropics/claude-code-base-action@beta", "claude-code"),
        ("OpenAI/Codex-Action@0123456789012345678901234567890123456789", "codex"),
        ("Factory-AI/droid-action@main", "droid"),
        ("sst/opencode/github@latest", "opencode"),
        ("sst/opencode/other@latest", None),
        ("google-github-actions/run-gemini-cli@v0", "gemini-cli"),
        ("coderabbitai/ai-pr-reviewer@v1", "coderabbit"),
        ("acme/shared/.github/workflows/claude.yml@v1", None),
        ("reactivecircus/android-emulator-runner@v2", None),
        ("slackapi/slack-github-action@v2", None),
        ("actions/ai-inference@v1", None),
        ("./.github/actions/claude-code-action", None),
        ("docker://openai/codex-action", None),
        ("", None),
        ("checkout", None),
    ],
)
def test_actions_run_the_agent_they_are_of(reference: str, agent: str | None) -> None:
    assert of_action(reference) == agent


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("claude -p 'fix it'", ["claude-code"]),
        ("git diff | claude", ["claude-code"]),
        ("npx -y @anthropic-ai/claude-code@1.2.3 --print hello", ["claude-code"]),
        ("npx --package=@anthropic-ai/claude-code claude -p hello", ["claude-code"]),
        ("A=1 timeout 60 /usr/bin/claude \\\n  --verbose \\\n  -p x", ["claude-code"]),
        ("bash -c 'codex exec --full-auto \"$PROMPT\"'", ["codex"]),
        ("if true; then codex e x; fi", ["codex"]),
        ("droid exec --auto low hello && opencode run x", ["droid", "opencode"]),
        ("gemini --yolo < prompt.txt", ["gemini-cli"]),
        ("OUT=$(copilot -p hi --allow-all-tools)", ["copilot-cli"]),
        ("gh agent-task create 'x'", ["copilot-cli"]),
        ("cursor-agent -p x", ["cursor"]),
        ("uvx --from aider-chat aider --message x", ["aider"]),
        ("pnpm dlx opencode-ai run x", ["opencode"]),
        ("goose run -i plan.md", ["goose"]),
        ("amp -x hello; auggie --print x", ["amp", "auggie"]),
        ("claude -p a; claude -p b", ["claude-code"]),
        # What runs none.
        ("claude --version", []),
        ("npm install -g @anthropic-ai/claude-code @openai/codex", []),
        ("aider --version", []),
        ("gh pr create --title 'use claude -p'", []),
        ("echo claude -p hi", []),
        ("# claude -p hi", []),
        ("cat <<EOF\nclaude -p hi\nEOF", []),
        ("codex login", []),
        ("./agent -p 8080", []),
        ("setup-android claude-code", []),
        ("npm publish @openai/codex", []),
        ("docker run -p 80:80 claude", []),
        ("", []),
        ("'unclosed claude -p", []),
    ],
)
def test_scripts_run_the_agents_that_work_without_a_person(script: str, found: list[str]) -> None:
    assert list(of_script(script)) == found


def test_agents_go_by_the_product_names_of_telemetry() -> None:
    by_program = {agent for agent, _ in agents.programs().values()}

    assert set(PRODUCTS) <= by_program


@pytest.mark.attack
def test_json_of_any_depth_names_no_agent_and_no_tools() -> None:
    class Deep:
        def __contains__(self, path: str) -> bool:
            return path == "package.json"

        def content(self, path: str, size_max: int) -> bytes:
            return b"[" * 100_000

    assert agent_signs.product(Deep()) is None  # type: ignore[arg-type]  # deeper than a parser nests
    assert list(agent_options._settings("[" * 100_000)) == []
