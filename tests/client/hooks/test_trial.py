"""Codex's own record of trusted hooks is read as Codex writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stationmaster.client.hooks.trial import state_key, trusted_hash, untrusted_events
from tests.support.hooks import trust_codex

ENTRY = {
    "hooks": [{"type": "command", "command": "stationmaster hook --agent codex", "timeout": 10}]
}
SEEN = {
    "PostToolUse": "9adb77da261262f05ba7cfb3d4e8e5cae8ed8cffc9558b59617b21308dd096fa",
    "SessionStart": "19d3c7114b90511bde0caba6ad4e6b21690ad7b4a7c353b471bbb57b00f99eb8",
    "SessionEnd": "1b3c143560261000e3e1ecaf3e8970cac60e06d9510519e724ac377ed2734494",
    "UserPromptSubmit": "7203b788f6530f12f6ae60fe36b46774626df0460215d3dfdc55c810f0fd745f",
}
"""What Codex 0.169 lists as the current hash of this entry."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / ".codex").mkdir()
    write(tmp_path, {"SessionStart": [ENTRY], "PostToolUse": [{"hooks": []}, ENTRY]})
    return tmp_path


def write(home: Path, events: dict[str, Any]) -> None:
    (home / ".codex" / "hooks.json").write_text(json.dumps({"hooks": events}))


def untrusted(home: Path) -> list[str]:
    folder = home / ".codex"
    return untrusted_events("codex", folder / "hooks.json", folder / "config.toml")


@pytest.mark.parametrize("event", sorted(SEEN))
def test_hashes_are_those_that_codex_stores(event: str) -> None:
    assert trusted_hash(event, ENTRY) == f"sha256:{SEEN[event]}"


def test_keys_are_those_that_codex_stores() -> None:
    path = Path("/home/ada/.codex/hooks.json")

    assert state_key(path, "PostToolUse", 1) == "/home/ada/.codex/hooks.json:post_tool_use:1:0"


def test_hooks_wait_until_each_is_trusted(home: Path) -> None:
    assert untrusted(home) == ["SessionStart", "PostToolUse"]

    write(home, {"SessionStart": [ENTRY]})
    trust_codex(home)
    write(home, {"SessionStart": [ENTRY], "PostToolUse": [ENTRY]})

    assert untrusted(home) == ["PostToolUse"]


def test_each_hook_of_an_entry_is_looked_at(home: Path) -> None:
    theirs = {"type": "command", "command": "beep"}
    write(home, {"SessionStart": [{"hooks": [theirs, *ENTRY["hooks"]]}]})

    assert untrusted(home) == ["SessionStart"]

    key = state_key(home / ".codex" / "hooks.json", "SessionStart", 0, 1)
    value = trusted_hash("SessionStart", ENTRY)
    (home / ".codex" / "config.toml").write_text(
        f'[hooks.state."{key}"]\ntrusted_hash = "{value}"\n'
    )
    assert untrusted(home) == []


def test_a_hook_in_another_agents_form_is_not_trusted(home: Path) -> None:
    write(home, {"SessionStart": ENTRY["hooks"]})

    assert untrusted(home) == ["SessionStart"]


def test_a_file_that_is_a_link_is_found_by_either_path(home: Path, tmp_path: Path) -> None:
    file = home / ".codex" / "hooks.json"
    kept = tmp_path / "dotfiles.json"
    file.rename(kept)
    file.symlink_to(kept)
    trust_codex(home)

    assert untrusted(home) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda hooks, _: hooks.write_text(
            hooks.read_text().replace("stationmaster", "/x/stationmaster")
        ),
        lambda hooks, _: hooks.write_text(hooks.read_text().replace("10", "11")),
        lambda _, config: config.write_text(config.read_text() + "enabled = false\n"),
        lambda _, config: config.write_text("[hooks]\nstate = 1\n"),
    ],
)
def test_a_hook_that_was_changed_or_switched_off_waits_again(change: Any, home: Path) -> None:
    write(home, {"SessionStart": [ENTRY]})
    trust_codex(home)
    assert untrusted(home) == []

    change(home / ".codex" / "hooks.json", home / ".codex" / "config.toml")

    assert untrusted(home) == ["SessionStart"]
