"""Our hooks go into an agent's file and out again, and nothing else in it changes."""

from __future__ import annotations

import json
import os
import shlex
import stat
from pathlib import Path

import pytest
from msgspec.structs import replace

from stationmaster.agents import cards
from stationmaster.client.hooks import files as hook_files
from stationmaster.client.hooks.files import gate_of, install, path_of, place_of, products, remove
from stationmaster.client.settings.edits import BACKUP
from stationmaster.errors import BadRequest, OperatorError

AGENTS = sorted(products())
THEIRS = """{
    "model": "opus",   "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]},
"z": [1,2]}"""


@pytest.mark.parametrize("agent", AGENTS)
def test_what_is_installed_is_found_and_removing_it_leaves_no_file(
    agent: str, tmp_path: Path
) -> None:
    path = path_of(agent, tmp_path, None)

    done = install(agent, path)
    again = install(agent, path)

    assert done.installed == list(place_of(agent).events)
    assert done.missing == []
    assert again == done
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert remove(agent, path).installed == []
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == []


@pytest.mark.parametrize("agent", ["claude-code", "gemini-cli", "qwen-code", "codex"])
def test_removing_gives_the_very_bytes_back(agent: str, tmp_path: Path) -> None:
    path = path_of(agent, tmp_path, None)
    path.parent.mkdir(parents=True)
    path.write_text(THEIRS)
    path.chmod(0o640)

    install(agent, path)
    content = json.loads(path.read_text())
    remove(agent, path)

    assert content["model"] == "opus"
    assert content["hooks"]["Stop"] == json.loads(THEIRS)["hooks"]["Stop"]
    assert path.read_text() == THEIRS
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_what_was_changed_meanwhile_stays_when_ours_goes(tmp_path: Path) -> None:
    path = path_of("claude-code", tmp_path, None)
    path.parent.mkdir(parents=True)
    path.write_text(THEIRS)
    install("claude-code", path)
    content = json.loads(path.read_text())
    content["theme"] = "dark"
    content["hooks"]["PostToolUse"].append({"hooks": [{"type": "command", "command": "mine"}]})
    path.write_text(json.dumps(content))

    remove("claude-code", path)

    left = json.loads(path.read_text())
    assert left["theme"] == "dark"
    assert left["hooks"]["PostToolUse"] == [{"hooks": [{"type": "command", "command": "mine"}]}]
    assert set(left["hooks"]) == {"Stop", "PostToolUse"}


def test_the_copy_of_before_the_first_change_is_kept(tmp_path: Path) -> None:
    path = path_of("claude-code", tmp_path, None)
    path.parent.mkdir(parents=True)
    path.write_text(THEIRS)

    install("claude-code", path)
    install("claude-code", path)

    assert path.with_name(path.name + BACKUP + "hooks").read_text() == THEIRS


@pytest.mark.parametrize(
    "content",
    [
        '{"a": 1, "a": 2}',
        "\udcff",
        "// comment\n{}",
        "[]",
        '{"hooks": []}',
        '{"hooks": {"PostToolUse": {}}}',
    ],
)
def test_a_file_that_cannot_be_read_is_left_alone(content: str, tmp_path: Path) -> None:
    path = path_of("claude-code", tmp_path, None)
    path.parent.mkdir(parents=True)
    path.write_text(content, errors="surrogateescape")

    with pytest.raises(OperatorError):
        install("claude-code", path)

    assert path.read_text(errors="surrogateescape") == content
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_file_that_is_linked_to_is_changed_where_it_lies(tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles" / "claude.json"
    kept.parent.mkdir()
    kept.write_text("{}")
    link = tmp_path / ".claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(kept)

    install("claude-code", path_of("claude-code", tmp_path, None))

    assert link.is_symlink()
    assert "PostToolUse" in json.loads(kept.read_text())["hooks"]


def test_copilot_is_told_the_event_because_its_json_does_not_say(tmp_path: Path) -> None:
    path = path_of("copilot-cli", tmp_path, None)
    install("copilot-cli", path)

    [entry] = json.loads(path.read_text())["hooks"]["postToolUse"]
    assert entry["bash"] == "stationmaster hook --agent copilot-cli --event postToolUse"


def test_timeouts_are_in_the_unit_of_each_agent(tmp_path: Path) -> None:
    units = {"claude-code": 10, "codex": 10, "gemini-cli": 10_000, "qwen-code": 10_000}
    for agent, timeout in units.items():
        path = path_of(agent, tmp_path, None)
        install(agent, path)
        [entry] = json.loads(path.read_text())["hooks"]["SessionStart"]
        assert entry["hooks"][0]["timeout"] == timeout


def test_codex_gets_no_longer_timeout_than_it_allows_at_the_end_of_a_session(
    tmp_path: Path,
) -> None:
    path = path_of("codex", tmp_path, None)
    install("codex", path)

    [entry] = json.loads(path.read_text())["hooks"]["SessionEnd"]
    assert entry["hooks"][0]["timeout"] == 3


def test_hooks_of_others_in_the_same_entry_stay(tmp_path: Path) -> None:
    path = path_of("claude-code", tmp_path, None)
    install("claude-code", path)
    content = json.loads(path.read_text())
    [entry] = content["hooks"]["PostToolUse"]
    theirs = {"type": "command", "command": "beep"}
    entry["hooks"].append(theirs)
    path.write_text(json.dumps(content))

    remove("claude-code", path)

    assert json.loads(path.read_text()) == {"hooks": {"PostToolUse": [{"hooks": [theirs]}]}}


def test_a_file_that_cannot_be_read_any_more_says_what_to_take_out_by_hand(tmp_path: Path) -> None:
    path = path_of("claude-code", tmp_path, None)
    install("claude-code", path)
    path.write_text("// mine\n" + path.read_text())

    with pytest.raises(OperatorError, match="next to it differ in: remove that by hand"):
        remove("claude-code", path)


def test_droid_keys_its_file_by_event(tmp_path: Path) -> None:
    path = path_of("droid", tmp_path, None)
    install("droid", path)

    assert set(json.loads(path.read_text())) == set(place_of("droid").events)


def test_a_project_has_a_file_of_its_own(tmp_path: Path) -> None:
    assert path_of("claude-code", Path("/home/ada"), tmp_path).is_relative_to(tmp_path)


def test_an_agent_without_hooks_is_refused() -> None:
    with pytest.raises(BadRequest, match="some-agent"):
        hook_files.place_of("some-agent")


def test_opencodes_hooks_are_a_plugin_that_is_all_ours(tmp_path: Path) -> None:
    path = path_of("opencode", tmp_path, None)

    install("opencode", path, "/opt/my tools/stationmaster")

    assert path == tmp_path / ".config/opencode/plugins/stationmaster.js"
    assert 'spawn("/opt/my tools/stationmaster", ["hook"' in path.read_text()


def test_a_plugin_of_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    path = path_of("opencode", tmp_path, None)
    path.parent.mkdir(parents=True)
    path.write_text("export const Mine = 1\n")

    with pytest.raises(OperatorError, match="not ours"):
        install("opencode", path)

    assert remove("opencode", path).installed == []
    assert path.read_text() == "export const Mine = 1\n"


@pytest.mark.parametrize("program", ["stationmaster", "/home/ada/.local/bin/stationmaster"])
def test_hooks_are_ours_wherever_the_program_lies(program: str, tmp_path: Path) -> None:
    path = path_of("claude-code", tmp_path, None)
    install("claude-code", path, program)

    [entry] = json.loads(path.read_text())["hooks"]["SessionEnd"]
    assert entry["hooks"][0]["command"] == f"{program} hook --agent claude-code"
    assert install("claude-code", path, "/elsewhere/stationmaster").missing == []
    assert remove("claude-code", path).installed == []


def test_a_program_in_a_folder_with_spaces_is_quoted(tmp_path: Path) -> None:
    path = path_of("droid", tmp_path, None)

    done = install("droid", path, "C:\\Program Files\\stationmaster.exe")

    assert done.missing == []
    assert '\\"C:\\\\Program Files' in path.read_text()


@pytest.mark.parametrize("folder", ["my tools", "it's", "a$HOME", "a;b", "ü"])
@pytest.mark.parametrize("agent", ["claude-code", "copilot-cli", "opencode"])
def test_a_path_that_a_shell_would_change_is_quoted_and_recognized(
    agent: str, folder: str, tmp_path: Path
) -> None:
    path = path_of(agent, tmp_path, None)
    program = f"/opt/{folder}/stationmaster"

    assert install(agent, path, program).missing == []
    [command, *_] = hook_files.commands(agent, path)

    assert shlex.split(command)[:2] == [program, "hook"]
    assert remove(agent, path).installed == []


def test_hooks_of_an_earlier_version_go_too_when_the_file_was_changed_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = path_of("claude-code", tmp_path, None)
    path.parent.mkdir(parents=True)
    path.write_text(THEIRS)
    now, hooks = cards.get("claude-code"), place_of("claude-code")
    earlier = replace(now, hooks=replace(hooks, events=hooks.events[:2]))
    monkeypatch.setitem(cards._cards, "claude-code", earlier)
    install("claude-code", path)
    path.write_text(json.dumps({**json.loads(path.read_text()), "theme": "dark"}))
    monkeypatch.setitem(cards._cards, "claude-code", now)
    install("claude-code", path)

    assert remove("claude-code", path).installed == []

    left = json.loads(path.read_text())
    assert (left["theme"], left["model"], set(left["hooks"])) == ("dark", "opus", {"Stop"})


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf{}", b'{\r\n  "a": 1\r\n}\r\n', b"", b"{ }"])
def test_marks_and_ends_of_lines_stay_and_come_back(before: bytes, tmp_path: Path) -> None:
    path = path_of("claude-code", tmp_path, None)
    path.parent.mkdir(parents=True)
    path.write_bytes(before)

    install("claude-code", path)
    written = path.read_bytes()
    remove("claude-code", path)

    assert written.startswith(b"\xef\xbb\xbf") == before.startswith(b"\xef\xbb\xbf")
    assert (b"\r\n" in written) == (b"\r\n" in before)
    assert written.count(b"\r\n") in (0, written.count(b"\n"))
    assert path.read_bytes() == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only an administrator has others' files")
def test_an_administrator_leaves_a_file_to_its_owner(tmp_path: Path) -> None:
    path = path_of("claude-code", tmp_path, None)
    path.parent.mkdir(parents=True)
    path.write_text(THEIRS)
    os.chown(path, 12345, 12345)

    install("claude-code", path)

    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 12345)


@pytest.mark.skipif(os.geteuid() != 0, reason="only an administrator makes files for others")
def test_what_an_administrator_makes_in_a_home_belongs_to_its_owner(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 12345)
    path = path_of("opencode", tmp_path, None)

    install("opencode", path)

    assert {each.stat().st_uid for each in tmp_path.rglob("*")} == {12345}


def test_a_file_of_another_person_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = path_of("claude-code", tmp_path, None)
    path.parent.mkdir(parents=True)
    path.write_text(THEIRS)
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)

    with pytest.raises(OperatorError, match="another user"):
        install("claude-code", path)

    assert path.read_text() == THEIRS
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("rule", ["allow", "refuse"])
@pytest.mark.parametrize("agent", AGENTS)
def test_a_gate_is_at_every_hook_that_can_refuse_and_goes_without_a_trace(
    agent: str, rule: hook_files.Gate, tmp_path: Path
) -> None:
    path = path_of(agent, tmp_path, None)
    theirs = THEIRS if place_of(agent).is_nested and agent != "opencode" else "{}"
    if agent != "opencode":
        path.parent.mkdir(parents=True)
        path.write_text(theirs)
    install(agent, path)
    without = path.read_text()

    done = install(agent, path, gate=rule)
    again = install(agent, path, gate=rule)
    commands = {hook.event: hook.command for hook in hooks_in(agent, path)}

    assert done == again
    assert (done.gate, done.missing) == (rule, [])
    assert set(done.installed) == {*place_of(agent).events, *gate_of(agent)}
    for event, command in commands.items():
        assert ("--gate" in command) == (event in gate_of(agent))
        assert ("--when-unreachable refuse" in command) == (
            event in gate_of(agent) and rule == "refuse"
        )
    install(agent, path)
    assert path.read_text() == without
    remove(agent, path)
    assert path.exists() == (agent != "opencode")
    assert agent == "opencode" or path.read_text() == theirs


def hooks_in(agent: str, path: Path) -> list[hook_files.InstalledHook]:
    return [] if agent == "opencode" else hook_files.hooks(agent, path)


@pytest.mark.parametrize(
    ("agent", "member"),
    [("claude-code", {"onFailure": "block"}), ("cursor", {"failClosed": True})],
)
def test_agents_that_can_refuse_where_a_hook_fails_do_so_where_that_is_wanted(
    agent: str, member: dict[str, object], tmp_path: Path
) -> None:
    path = path_of(agent, tmp_path, None)
    for rule in ("allow", "refuse"):
        install(agent, path, gate=rule)
        events = json.loads(path.read_text())["hooks"]
        closed = {
            event
            for event, [entry] in events.items()
            if member.items() <= entry.get("hooks", [entry])[0].items()
        }
        assert closed == (set(gate_of(agent)) if rule == "refuse" else set())
