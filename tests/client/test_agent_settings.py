"""The settings of each agent: complete, merged into what stands there, and done once."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

import pytest

from stationmaster.client.agent_settings import RECIPES, apply, exports, recipe_of
from stationmaster.client.server import Server
from stationmaster.errors import BadRequest, OperatorError

SERVER = Server("https://agents.example.com", "sm_key'\"x")
AGENTS = sorted(RECIPES)


@pytest.mark.parametrize("agent", AGENTS)
def test_address_and_key_are_in_the_settings_or_in_the_environment(
    agent: str, tmp_path: Path
) -> None:
    recipe = recipe_of(agent, SERVER)
    path = apply(recipe, tmp_path)

    told = json.dumps(recipe.environment)
    if path is not None:
        text = path.read_text()
        told += json.dumps(tomllib.loads(text) if path.suffix == ".toml" else json.loads(text))
    assert SERVER.url in told
    assert json.dumps(SERVER.key)[1:-1] in told


@pytest.mark.parametrize("agent", AGENTS)
def test_setting_up_twice_changes_nothing(agent: str, tmp_path: Path) -> None:
    recipe = recipe_of(agent, SERVER)
    path = apply(recipe, tmp_path)
    if path is None:
        return
    first = path.read_bytes()

    apply(recipe, tmp_path)

    assert path.read_bytes() == first


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
    [line] = exports(recipe_of("gemini-cli", SERVER)).splitlines()

    assert shlex.split(line) == [
        "export",
        f"OTEL_EXPORTER_OTLP_HEADERS=Authorization=Bearer {SERVER.key}",
    ]


def test_an_agent_that_exports_nothing_is_refused() -> None:
    with pytest.raises(BadRequest, match="cursor"):
        recipe_of("cursor", SERVER)
