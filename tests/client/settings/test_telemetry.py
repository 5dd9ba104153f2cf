"""The settings of each agent: complete, merged into what stands there, and done once."""

from __future__ import annotations

import json
import shlex
import stat
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from stationmaster.agents.cards.settings import Gateway
from stationmaster.client.hooks import files as hook_files
from stationmaster.client.server import Server
from stationmaster.client.settings import forms as setting_forms, gateway as gateway_settings
from stationmaster.client.settings.telemetry import (
    apply,
    exports,
    products,
    recipe_of,
    standing,
    text_of,
    undo,
)
from stationmaster.errors import BadRequest, OperatorError

SERVER = Server("https://agents.example.com", "sm_key'\"x")
AGENTS = sorted(products())


def settings_path(agent: str, home: Path) -> Path:
    return home / recipe_of(agent, SERVER).files[0].path


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder, with its permissions."""
    return {
        str(file.relative_to(folder)): (file.read_bytes(), stat.S_IMODE(file.stat().st_mode))
        for file in folder.rglob("*")
        if file.is_file()
    }


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
