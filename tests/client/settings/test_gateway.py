"""The settings with which each agent calls through a gateway: written, kept secret, undone."""

from __future__ import annotations

import json
import os
import shlex
import tomllib
from pathlib import Path

import pytest

from stationmaster.agents.cards.settings import Gateway
from stationmaster.client.hooks import files as hook_files
from stationmaster.client.server import Server
from stationmaster.client.settings.gateway import (
    PURPOSE,
    products,
    recipe_of,
    undoing,
    usual_address,
)
from stationmaster.client.settings.telemetry import apply, exports, text_of, undo
from stationmaster.errors import BadRequest, OperatorError
from tests.client.settings.homes import contents
from tests.support.commands import command

KEY = "sm_key_of_ada"
URL = "https://gateway.example.com"
GATEWAY = Gateway(URL, KEY, model="claude-sonnet-5")
AGENTS = sorted(products())


@pytest.mark.parametrize("agent", AGENTS)
def test_address_and_key_are_set_and_nobody_else_may_read_the_key(
    agent: str, tmp_path: Path
) -> None:
    recipe = recipe_of(agent, GATEWAY)

    apply(recipe, tmp_path, PURPOSE)

    written = contents(tmp_path)
    text = b"\n".join(content for content, _ in written.values()).decode() + exports(recipe)
    assert f"{URL}/gateway/" in text
    assert KEY in text
    assert {mode for content, mode in written.values() if KEY.encode() in content} <= {0o600}


BEFORE = [
    ("claude-code", ".claude/settings.json", '{"env":   {"EDITOR": "vi"}}'),
    (
        "codex",
        ".codex/config.toml",
        '# mine\r\nmodel = "gpt-5"\r\n[model_providers.x]\r\nname = "x"',
    ),
    ("codex", ".codex/config.toml", "\ufeff[projects]\n"),
    ("gemini-cli", ".gemini/settings.json", '{"security": {"auth": {"selectedType": "oauth"}}}'),
    ("gemini-cli", ".gemini/.env", "export GEMINI_API_KEY=mine # mine\nB=2"),
    ("qwen-code", ".qwen/.env", "OPENAI_API_KEY='mine'\n"),
    ("opencode", ".config/opencode/opencode.json", '{\n\t"provider": {"x": {}}\n}'),
    ("droid", ".factory/settings.json", '{"customModels": [{"model": "mine"}], "a": 1}'),
]


@pytest.mark.parametrize(("agent", "path", "before"), BEFORE)
def test_undoing_gives_the_very_bytes_back_in_any_order_with_hooks(
    agent: str, path: str, before: str, tmp_path: Path
) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_bytes(before.encode())
    file.chmod(0o644)
    first = contents(tmp_path)
    hooks = hook_files.path_of(agent, tmp_path, None)

    hook_files.install(agent, hooks)
    apply(recipe_of(agent, GATEWAY), tmp_path, PURPOSE)
    apply(recipe_of(agent, GATEWAY._replace(key="sm_other")), tmp_path, PURPOSE)
    hook_files.remove(agent, hooks)
    undo(undoing(agent), tmp_path, PURPOSE)

    assert contents(tmp_path) == first
    assert undo(undoing(agent), tmp_path, PURPOSE) == []


def test_what_is_changed_since_stays_when_ours_goes(tmp_path: Path) -> None:
    file = tmp_path / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text('model = "a"\n')
    apply(recipe_of("codex", GATEWAY), tmp_path, PURPOSE)
    config = tomllib.loads(file.read_text())
    file.write_text(file.read_text().replace('"a"', '"b"') + '\n[projects."/x"]\nlevel = "t"\n')

    undo(undoing("codex"), tmp_path, PURPOSE)

    provider = config["model_providers"]["stationmaster"]
    assert config["model_provider"] == "stationmaster"
    assert provider["base_url"] == f"{URL}/gateway/openai/v1"
    assert provider["http_headers"] == {"X-Stationmaster-Key": KEY}
    assert tomllib.loads(file.read_text()) == {"model": "b", "projects": {"/x": {"level": "t"}}}


def test_another_provider_of_codex_is_not_replaced_unasked(tmp_path: Path) -> None:
    file = tmp_path / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text('model_provider = "mine"\n')

    with pytest.raises(OperatorError, match="model_provider already exists; change it by hand"):
        apply(recipe_of("codex", GATEWAY), tmp_path, PURPOSE)

    assert file.read_text() == 'model_provider = "mine"\n'


def test_models_of_a_list_join_those_that_are_there(tmp_path: Path) -> None:
    file = tmp_path / ".factory" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"customModels": [{"model": "mine"}]}')

    apply(recipe_of("droid", GATEWAY), tmp_path, PURPOSE)
    apply(recipe_of("droid", GATEWAY), tmp_path, PURPOSE)

    mine, ours = json.loads(file.read_text())["customModels"]
    assert mine == {"model": "mine"}
    assert (ours["baseUrl"], ours["provider"]) == (f"{URL}/gateway/anthropic", "anthropic")


def test_a_login_stays_beside_the_key_or_a_helper_gives_the_key(tmp_path: Path) -> None:
    [kept] = recipe_of("claude-code", GATEWAY).files
    [replaced] = recipe_of("claude-code", GATEWAY._replace(login="replace")).files

    assert kept.content == {
        "env": {
            "ANTHROPIC_BASE_URL": f"{URL}/gateway/anthropic",
            "ANTHROPIC_CUSTOM_HEADERS": f"X-Stationmaster-Key: {KEY}",
        }
    }
    assert KEY not in text_of(replaced)
    assert shlex.split(replaced.content["apiKeyHelper"])[1:] == ["agents", "key"]
    with pytest.raises(BadRequest, match="only one of claude-code does"):
        recipe_of("codex", GATEWAY._replace(login="keep"))


@pytest.mark.parametrize(
    ("agent", "gateway", "why"),
    [
        ("cursor", GATEWAY, "not through a gateway"),
        ("claude", GATEWAY, "Did you mean claude-code"),
        ("copilot-cli", Gateway(URL, KEY), "--model NAME"),
        ("droid", Gateway(URL, KEY), "--model NAME"),
        ("gemini-cli", Gateway("http://gateway.example.com", KEY), "only https addresses"),
    ],
)
def test_what_cannot_be_set_up_is_refused_with_the_reason(
    agent: str, gateway: Gateway, why: str
) -> None:
    with pytest.raises(BadRequest, match=why):
        recipe_of(agent, gateway)


@pytest.mark.parametrize(
    ("server", "address"),
    [
        ("http://127.0.0.1:8700", "http://127.0.0.1:8701"),
        ("http://[::1]:8700", "http://[::1]:8701"),
        ("https://stationmaster.example.com", "https://stationmaster.example.com"),
    ],
)
def test_the_usual_gateway_is_beside_the_server(server: str, address: str) -> None:
    assert usual_address(Server(server, KEY)) == address


def test_a_provider_may_have_another_name() -> None:
    named = GATEWAY._replace(url=f"{URL}/gateway/our-claude/")

    assert f'"ANTHROPIC_BASE_URL": "{URL}/gateway/our-claude"' in (
        text_of(recipe_of("claude-code", named).files[0])
    )


def test_the_command_prints_applies_and_undoes(tmp_path: Path) -> None:
    there = ("--home", tmp_path, "--url", "http://127.0.0.1:8700", "--key", KEY)
    setup = ("agents", "setup", "claude-code")

    printed = command(*setup, "--gateway", *there)
    applied = command(*setup, "--apply", "--gateway", "https://gw.example.com", *there)
    file = tmp_path / ".claude" / "settings.json"
    content = json.loads(file.read_text())
    key = command("agents", "key")
    undone = command(*setup, "--gateway", "--undo", "--home", tmp_path)

    assert (printed.code, applied.code, key.code, undone.code) == (0, 0, 0, 0)
    assert "http://127.0.0.1:8701/gateway/anthropic" in printed.stdout.decode()
    assert content["env"]["ANTHROPIC_BASE_URL"] == "https://gw.example.com/gateway/anthropic"
    assert key.stdout.decode() == f"{KEY}\n"
    assert not file.exists()
    assert "--gateway takes" in command(*setup, "--gateway", "ftp://x", *there).stderr
    assert "belong to --gateway" in command(*setup, "--model", "x", *there).stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only an administrator has others' files")
def test_a_key_that_an_administrator_writes_belongs_to_its_person(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 12345)

    apply(recipe_of("codex", GATEWAY), tmp_path, PURPOSE)

    assert {file.stat().st_uid for file in tmp_path.rglob("*")} == {12345}
