"""The settings of each agent: complete, merged with what is there, and written once."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

import pytest

from stationmaster.client.settings import forms as setting_forms
from stationmaster.client.settings.telemetry import (
    apply,
    exports,
    recipe_of,
    standing,
    text_of,
)
from stationmaster.errors import BadRequest, OperatorError
from tests.client.settings.homes import AGENTS, SERVER, contents, settings_path


@pytest.mark.parametrize("agent", AGENTS)
def test_address_and_key_are_in_the_files_or_in_the_environment(agent: str, tmp_path: Path) -> None:
    recipe = recipe_of(agent, SERVER)

    applied = apply(recipe, tmp_path)

    told = json.dumps(dict(recipe.environment))
    for file, (path, _) in zip(recipe.files, applied, strict=True):
        assert list(setting_forms.of(path).lacking(path.read_text(), file.content)) == []
        told += json.dumps(file.content)
    assert SERVER.url in told
    assert json.dumps(SERVER.key)[1:-1] in told


@pytest.mark.parametrize("agent", AGENTS)
def test_setting_up_twice_changes_nothing(agent: str, tmp_path: Path) -> None:
    recipe = recipe_of(agent, SERVER)
    apply(recipe, tmp_path)
    first = contents(tmp_path)

    apply(recipe, tmp_path)

    assert contents(tmp_path) == first


def test_what_stands_in_a_json_file_stays(tmp_path: Path) -> None:
    path = tmp_path / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"env": {"EDITOR": "vi"}, "model": "opus"}')

    apply(recipe_of("claude-code", SERVER), tmp_path)

    content = json.loads(path.read_text())
    assert content["model"] == "opus"
    assert content["env"]["EDITOR"] == "vi"
    assert content["env"]["CLAUDE_CODE_ENABLE_TELEMETRY"] == "1"


def test_what_stands_in_a_toml_file_stays_with_its_comments(tmp_path: Path) -> None:
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text('# mine\nmodel = "gpt-5"\n[profiles.fast]\neffort = "low"')

    apply(recipe_of("codex", SERVER), tmp_path)

    text = path.read_text()
    assert text.startswith('# mine\nmodel = "gpt-5"\n[profiles.fast]\neffort = "low"\n')
    otel = tomllib.loads(text)["otel"]
    exporter = otel["exporter"]["otlp-http"]
    assert exporter["endpoint"] == "https://agents.example.com/v1/logs"
    assert exporter["headers"] == {"Authorization": f"Bearer {SERVER.key}"}


@pytest.mark.parametrize("content", ["[otel]\nenvironment = 'x'\n", "not toml ["])
def test_a_toml_file_that_cannot_be_added_to_is_left_alone(content: str, tmp_path: Path) -> None:
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text(content)

    with pytest.raises(OperatorError):
        apply(recipe_of("codex", SERVER), tmp_path)

    assert path.read_text() == content


def test_the_lines_for_a_shell_survive_any_key() -> None:
    lines = exports(recipe_of("copilot-cli", SERVER)).splitlines()

    assert [
        "export",
        f"OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer {SERVER.key}",
    ] in [shlex.split(line) for line in lines]


@pytest.mark.parametrize(
    ("agent", "why"),
    [
        ("cursor", "exports nothing"),
        ("opencode", "carries every prompt"),
        ("some-agent", "known are claude-code"),
    ],
)
def test_an_agent_without_an_export_to_take_is_refused(agent: str, why: str) -> None:
    with pytest.raises(BadRequest, match=why):
        recipe_of(agent, SERVER)


@pytest.mark.parametrize(
    ("agent", "switch"),
    [
        ("claude-code", '"OTEL_LOG_USER_PROMPTS": "0"'),
        ("claude-code", '"OTEL_LOG_ASSISTANT_RESPONSES": "0"'),
        ("claude-code", '"OTEL_LOG_TOOL_CONTENT": "0"'),
        ("claude-code", '"OTEL_LOG_RAW_API_BODIES": "0"'),
        ("codex", "log_user_prompt = false"),
        ("gemini-cli", '"logPrompts": false'),
        ("qwen-code", '"logPrompts": false'),
        ("copilot-cli", '"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "false"'),
        ("droid", '"OTEL_LOG_MESSAGE_CONTENT": "false"'),
    ],
)
def test_content_is_switched_off_in_so_many_words(agent: str, switch: str) -> None:
    recipe = recipe_of(agent, SERVER)

    told = "".join(text_of(file) for file in recipe.files)
    assert switch in f"{told}{json.dumps(dict(recipe.environment))}"


def test_settings_that_differ_are_named(tmp_path: Path) -> None:
    recipe, path = recipe_of("claude-code", SERVER), settings_path("claude-code", tmp_path)
    apply(recipe, tmp_path)
    path.write_text(path.read_text().replace(SERVER.url, "https://elsewhere.example.com"))

    is_good, told = standing(recipe, tmp_path)

    assert is_good is False
    assert told.endswith(": env.OTEL_EXPORTER_OTLP_ENDPOINT")


def test_a_key_that_others_can_read_is_named(tmp_path: Path) -> None:
    recipe, path = recipe_of("claude-code", SERVER), settings_path("claude-code", tmp_path)
    apply(recipe, tmp_path)
    path.chmod(0o644)

    assert "other users of this machine can read the key" in standing(recipe, tmp_path)[1]


def test_of_an_environment_only_this_shells_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = recipe_of("droid", SERVER)
    assert standing(recipe, tmp_path)[0] is None

    for name, value in recipe.environment.items():
        monkeypatch.setenv(name, value)
    assert standing(recipe, tmp_path) == (True, "all set")
