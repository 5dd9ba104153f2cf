"""Settings of agents are undone: the very bytes come back, and what others changed stays."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from stationmaster.client.hooks import files as hook_files
from stationmaster.client.server import Server
from stationmaster.client.settings.telemetry import (
    apply,
    recipe_of,
    standing,
    undo,
)
from tests.client.settings.homes import SERVER, contents, settings_path

BEFORE = [
    ("claude-code", b'\xef\xbb\xbf{"env":   {}}'),
    ("claude-code", None),
    ("claude-code", b'{\n    "model": "opus",\n    "hooks": { }\n}'),
    ("codex", b'# mine\r\nmodel = "gpt-5"\r\n'),
    ("codex", b'model = "gpt-5"'),
    ("codex", None),
    ("gemini-cli", b'{\n\t"ui": {"theme": "dark"}\n}\n'),
    ("qwen-code", b"{}"),
]


@pytest.mark.parametrize(("agent", "before"), BEFORE)
@pytest.mark.parametrize("order", ["settings first", "hooks first"])
@pytest.mark.parametrize("undone", ["settings first", "hooks first"])
def test_undoing_settings_and_hooks_in_any_order_gives_the_very_bytes_back(
    agent: str, before: bytes | None, order: str, undone: str, tmp_path: Path
) -> None:
    recipe, path = recipe_of(agent, SERVER), settings_path(agent, tmp_path)
    hooks = hook_files.path_of(agent, tmp_path, None)
    if before is not None:
        path.parent.mkdir()
        path.write_bytes(before)
        path.chmod(0o644)
    first = contents(tmp_path)
    do = [lambda: apply(recipe, tmp_path), lambda: hook_files.install(agent, hooks, "/opt/sm")]
    take_back = [lambda: undo(recipe, tmp_path), lambda: hook_files.remove(agent, hooks)]
    for step in do if order == "settings first" else reversed(do):
        step()
    assert standing(recipe, tmp_path)[0] is True

    for step in take_back if undone == "settings first" else reversed(take_back):
        step()

    assert contents(tmp_path) == first
    assert undo(recipe, tmp_path) == []


@pytest.mark.parametrize("agent", ["claude-code", "gemini-cli", "qwen-code"])
def test_what_the_agent_changed_in_its_file_stays_when_ours_goes(
    agent: str, tmp_path: Path
) -> None:
    path = settings_path(agent, tmp_path)
    path.parent.mkdir()
    path.write_text('{"theme": "dark", "old": 1, "telemetry": {"enabled": false}}')
    recipe = recipe_of(agent, SERVER)
    apply(recipe, tmp_path)
    hook_files.install(agent, path, "/opt/stationmaster")
    # As Qwen Code and Gemini CLI do when they start.
    content = json.loads(path.read_text())
    del content["old"]
    path.write_text(json.dumps({**content, "$version": 4}, indent=2))

    undo(recipe, tmp_path)
    hook_files.remove(agent, path)

    assert json.loads(path.read_text()) == {
        "theme": "dark",
        "telemetry": {"enabled": False},
        "$version": 4,
    }
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_what_a_person_changed_of_ours_stays(tmp_path: Path) -> None:
    recipe, path = recipe_of("claude-code", SERVER), settings_path("claude-code", tmp_path)
    apply(recipe, tmp_path)
    path.write_text(
        path.read_text().replace('"OTEL_LOG_USER_PROMPTS": "0"', '"OTEL_LOG_USER_PROMPTS": "1"')
    )

    undo(recipe, tmp_path)

    assert json.loads(path.read_text()) == {"env": {"OTEL_LOG_USER_PROMPTS": "1"}}


def test_a_new_key_takes_the_place_of_the_old_one_and_both_are_undone(tmp_path: Path) -> None:
    path = settings_path("qwen-code", tmp_path)
    path.parent.mkdir()
    path.write_text('{\n    "a": 1\n}\n')
    apply(recipe_of("qwen-code", SERVER), tmp_path)
    path.write_text(path.read_text().replace('"a": 1', '"a": 2'))

    apply(recipe_of("qwen-code", Server("https://new.example.com", "new")), tmp_path)
    undo(recipe_of("qwen-code", SERVER), tmp_path)

    assert path.read_text() == '{\n    "a": 2\n}\n'
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("indent", ["  ", "    ", "\t"])
def test_a_json_file_keeps_its_indentation_and_every_other_byte(
    indent: str, tmp_path: Path
) -> None:
    path = settings_path("claude-code", tmp_path)
    path.parent.mkdir()
    path.write_text(f'{{\n{indent}"model":   "opus",\n{indent}"list": [1,2]\n}}')

    apply(recipe_of("claude-code", SERVER), tmp_path)

    lines = path.read_text().splitlines()
    assert lines[1:4] == [
        f'{indent}"model":   "opus",',
        f'{indent}"list": [1,2],',
        f'{indent}"env": {{',
    ]
    assert lines[4] == f'{indent * 2}"CLAUDE_CODE_ENABLE_TELEMETRY": "1",'


CODEX_ADDS = '\n[projects."/x"]\ntrust_level = "trusted"\n'


@pytest.mark.parametrize(
    ("change", "left"),
    [
        (lambda text: text + CODEX_ADDS, 'model = "a"\n' + CODEX_ADDS),
        (lambda text: text.replace('"a"', '"b"'), 'model = "b"\n'),
        (lambda text: text + 'environment = "x"\n', 'model = "a"\n\n[otel]\nenvironment = "x"\n'),
        (
            lambda text: text.replace("log_user_prompt = false", "log_user_prompt = true"),
            'model = "a"\n\n[otel]\nlog_user_prompt = true\n',
        ),
    ],
)
def test_only_our_settings_are_taken_out_of_a_toml_file_that_was_changed_since(
    change: Callable[[str], str], left: str, tmp_path: Path
) -> None:
    recipe, path = recipe_of("codex", SERVER), settings_path("codex", tmp_path)
    path.parent.mkdir()
    path.write_text('model = "a"\n')
    apply(recipe, tmp_path)
    path.write_text(change(path.read_text()))

    undo(recipe, tmp_path)

    assert path.read_text() == left
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("folder", [".gemini", ".qwen"])
@pytest.mark.parametrize(
    "before",
    [None, "", "A=1", "A=1\n# mine\n", "export OTEL_EXPORTER_OTLP_HEADERS='x=y' # mine\nB=2\n"],
)
def test_the_key_goes_where_the_agent_reads_variables_and_out_again(
    folder: str, before: str | None, tmp_path: Path
) -> None:
    agent = {".gemini": "gemini-cli", ".qwen": "qwen-code"}[folder]
    path = tmp_path / folder / ".env"
    path.parent.mkdir()
    if before is not None:
        path.write_text(before)
        path.chmod(0o644)
    recipe = recipe_of(agent, Server("https://agents.example.com", "sm_key"))

    apply(recipe, tmp_path)
    text, mode = path.read_text(), stat.S_IMODE(path.stat().st_mode)
    path.write_text(text + "MINE=1\n")
    undo(recipe, tmp_path)

    assert "OTEL_EXPORTER_OTLP_HEADERS='Authorization=Bearer sm_key'" in text
    assert mode == 0o600
    end = "" if before in (None, "") or str(before).endswith("\n") else "\n"
    assert path.read_text().replace("MINE=1\n", "") in (before or "", f"{before or ''}{end}")
    assert [each.name for each in path.parent.iterdir()] == [".env"]


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini-cli", "qwen-code"])
def test_a_file_with_a_key_is_its_owners_alone_until_that_is_undone(
    agent: str, tmp_path: Path
) -> None:
    recipe = recipe_of(agent, SERVER)
    path = tmp_path / next(file.path for file in recipe.files if file.has_key)
    path.parent.mkdir()
    path.write_text("{}" if path.suffix == ".json" else "")
    path.chmod(0o644)

    notes = [applied.note for applied in apply(recipe, tmp_path) if applied.note]

    assert notes == [f"{path} now contains a key: from now on only its owner can read it."]
    assert {
        mode
        for name, (_, mode) in contents(tmp_path).items()
        if "written" in name or name.endswith(path.name)
    } == {0o600}
    undo(recipe, tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
