"""The page for administrators of fleets shows the settings that the client writes."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from stationmaster.agents.cards.settings import Gateway
from stationmaster.client.hooks import files as hook_files
from stationmaster.client.server import Server
from stationmaster.client.settings import gateway as gateway_settings
from stationmaster.client.settings.telemetry import (
    recipe_of,
    text_of,
)
from tests.client.settings.homes import AGENTS


@pytest.mark.parametrize("agent", AGENTS)
def test_the_page_for_fleets_shows_the_settings_that_are_applied(agent: str) -> None:
    page = (Path(__file__).parents[3] / "docs" / "fleets.md").read_text()
    recipe = recipe_of(agent, Server("https://stationmaster.example.com", "YOUR_KEY"))

    for file in recipe.files:
        form = {".json": "json", ".toml": "toml"}.get(Path(file.path).suffix, "")
        assert f"```{form}\n{text_of(file)}```" in page
    lines = "\n".join(f"{name}={value}" for name, value in recipe.environment.items())
    assert lines in page


@pytest.mark.parametrize("agent", ["claude-code", "gemini-cli", "qwen-code", "cursor"])
def test_the_page_for_fleets_shows_the_hooks_that_are_installed(agent: str, tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "fleets.md").read_text()
    path = hook_files.path_of(agent, tmp_path, None)
    hook_files.install(agent, path)

    assert f"```json\n{path.read_text()}```" in page


@pytest.mark.parametrize(
    "agent", ["claude-code", "gemini-cli", "qwen-code", "cursor", "copilot-cli"]
)
def test_the_page_for_fleets_shows_the_hooks_of_a_gate(agent: str) -> None:
    page = (Path(__file__).parents[3] / "docs" / "fleets.md").read_text()
    hooks = {
        event: [hook_files.entry_of(agent, event, "stationmaster", "refuse")]
        for event in hook_files.gate_of(agent)
    }
    version = hook_files.place_of(agent).version
    content = {"hooks": hooks} if version is None else {"version": version, "hooks": hooks}

    assert f"```json\n{json.dumps(content, indent=2)}\n```" in page


def test_the_page_for_fleets_shows_the_gate_of_codex_in_its_form_for_administrators() -> None:
    page = (Path(__file__).parents[3] / "docs" / "fleets.md").read_text()
    block = page.split("```toml\nallow_managed_hooks_only")[1].split("```")[0]
    config = tomllib.loads(f"allow_managed_hooks_only{block}")

    assert config.pop("allow_managed_hooks_only") is True
    assert config["hooks"] == {
        event: [hook_files.entry_of("codex", event, "stationmaster", "refuse")]
        for event in hook_files.gate_of("codex")
    }


@pytest.mark.parametrize("agent", sorted(gateway_settings.products()))
def test_the_page_for_fleets_shows_the_settings_for_a_gateway(agent: str) -> None:
    page = (Path(__file__).parents[3] / "docs" / "fleets.md").read_text()
    gateway = Gateway("https://gateway.example.com", "YOUR_KEY", model="claude-sonnet-5")
    recipe = gateway_settings.recipe_of(agent, gateway)

    for file in recipe.files:
        form = {".json": "json", ".toml": "toml"}.get(Path(file.path).suffix, "")
        assert f"```{form}\n{text_of(file)}```" in page
    lines = "\n".join(f"{name}={value}" for name, value in recipe.environment.items())
    assert lines in page
