"""The settings of each agent: complete, merged into what stands there, and done once."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path

import pytest

from stationmaster.client import hook_files
from stationmaster.client.agent_settings import (
    RECIPES,
    apply,
    exports,
    recipe_of,
    standing,
    undo,
)
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

    told = recipe.content if isinstance(recipe.content, str) else json.dumps(recipe.content)
    assert switch in f"{told}{json.dumps(recipe.environment)}"


@pytest.mark.parametrize(
    ("agent", "before"),
    [
        ("claude-code", b'\xef\xbb\xbf{"env":   {}}'),
        ("claude-code", None),
        ("codex", b'# mine\r\nmodel = "gpt-5"\r\n'),
        ("codex", None),
    ],
)
def test_undoing_gives_the_very_bytes_back(
    agent: str, before: bytes | None, tmp_path: Path
) -> None:
    recipe = recipe_of(agent, SERVER)
    assert recipe.file is not None
    path = tmp_path / recipe.file
    if before is not None:
        path.parent.mkdir()
        path.write_bytes(before)
    apply(recipe, tmp_path)
    assert standing(recipe, tmp_path) == (True, f"all in {path}")

    assert undo(recipe, tmp_path) == path

    assert (path.read_bytes() if path.exists() else None) == before
    assert [each for each in path.parent.iterdir() if each != path] == []
    assert undo(recipe, tmp_path) is None


def test_what_was_changed_since_is_not_undone(tmp_path: Path) -> None:
    recipe = recipe_of("codex", SERVER)
    path = apply(recipe, tmp_path)
    assert path is not None
    changed = path.read_text() + "# mine\n"
    path.write_text(changed)

    with pytest.raises(OperatorError, match="changed since"):
        undo(recipe, tmp_path)

    assert path.read_text() == changed


def test_settings_that_differ_are_named(tmp_path: Path) -> None:
    recipe = recipe_of("claude-code", SERVER)
    path = apply(recipe, tmp_path)
    assert path is not None
    path.write_text(path.read_text().replace(SERVER.url, "https://elsewhere.example.com"))

    is_good, told = standing(recipe, tmp_path)

    assert is_good is False
    assert told.endswith(": env.OTEL_EXPORTER_OTLP_ENDPOINT")


def test_of_an_environment_only_this_shells_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = recipe_of("droid", SERVER)
    assert standing(recipe, tmp_path)[0] is None

    for name, value in recipe.environment.items():
        monkeypatch.setenv(name, value)
    assert standing(recipe, tmp_path) == (True, "all set")


@pytest.mark.parametrize("agent", AGENTS)
def test_the_page_for_fleets_shows_the_settings_that_are_applied(agent: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "fleets.md").read_text()
    recipe = recipe_of(agent, Server("https://stationmaster.example.com", "YOUR_KEY"))

    if isinstance(recipe.content, str):
        assert f"```toml\n{recipe.content}```" in page
    elif recipe.content is not None:
        assert f"```json\n{json.dumps(recipe.content, indent=2)}\n```" in page
    lines = "\n".join(f"{name}={value}" for name, value in recipe.environment.items())
    assert lines in page


@pytest.mark.parametrize("agent", ["claude-code", "gemini-cli", "qwen-code", "cursor"])
def test_the_page_for_fleets_shows_the_hooks_that_are_installed(agent: str, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "fleets.md").read_text()
    path = hook_files.path_of(agent, tmp_path, None)
    hook_files.install(agent, path)

    assert f"```json\n{path.read_text()}```" in page
