"""The environment of agents that are started for others: records go to the server, unless the
machine's owner has said where they go."""

from __future__ import annotations

from pathlib import Path

import pytest

from stationmaster.client.server import Server
from stationmaster.client.settings import telemetry as agent_settings

SERVER = Server("https://stationmaster.example", "token")
HEADERS = "Authorization=Bearer token"


@pytest.mark.parametrize(
    ("product", "endpoint", "switch"),
    [
        ("claude-code", "OTEL_EXPORTER_OTLP_ENDPOINT", "CLAUDE_CODE_ENABLE_TELEMETRY"),
        ("gemini-cli", "GEMINI_TELEMETRY_OTLP_ENDPOINT", "GEMINI_TELEMETRY_ENABLED"),
        ("qwen-code", "QWEN_TELEMETRY_OTLP_ENDPOINT", "QWEN_TELEMETRY_ENABLED"),
        ("copilot-cli", "OTEL_EXPORTER_OTLP_ENDPOINT", "COPILOT_OTEL_ENABLED"),
    ],
)
def test_an_agent_gets_the_address_a_token_and_its_switch(
    tmp_path: Path, product: str, endpoint: str, switch: str
) -> None:
    variables = agent_settings.recorded_by(product, SERVER, tmp_path)

    assert variables[endpoint] == SERVER.url
    assert variables["OTEL_EXPORTER_OTLP_HEADERS"] == HEADERS
    assert variables[switch] in ("1", "true")
    assert not any("PROMPT" in name and value in ("1", "true") for name, value in variables.items())


@pytest.mark.parametrize("product", ["codex", "opencode", "cursor", "scripted"])
def test_agents_without_such_variables_get_none(tmp_path: Path, product: str) -> None:
    assert agent_settings.recorded_by(product, SERVER, tmp_path) == {}


def test_a_token_goes_to_no_other_server_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector.example")

    for product in agent_settings.products():
        assert agent_settings.recorded_by(product, SERVER, tmp_path) == {}


@pytest.mark.parametrize(
    ("product", "path", "content"),
    [
        ("claude-code", ".claude/settings.json", '{"env": {"OTEL_METRICS_EXPORTER": "none"}}'),
        ("claude-code", ".claude/settings.json", "{ // unreadable"),
        ("gemini-cli", ".gemini/settings.json", '{"telemetry": {"enabled": false}}'),
        ("gemini-cli", ".gemini/.env", "OTEL_EXPORTER_OTLP_HEADERS=x\n"),
    ],
)
def test_settings_of_the_machine_hold(
    tmp_path: Path, product: str, path: str, content: str
) -> None:
    (tmp_path / path).parent.mkdir()
    (tmp_path / path).write_text(content)

    assert agent_settings.recorded_by(product, SERVER, tmp_path) == {}


def test_other_settings_of_the_machine_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/settings.json").write_text('{"env": {"EDITOR": "vi"}, "model": "opus"}')

    assert agent_settings.recorded_by("claude-code", SERVER, tmp_path)
