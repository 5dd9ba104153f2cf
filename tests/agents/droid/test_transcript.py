from __future__ import annotations

import json

import pytest

from stationmaster.agents.interface import Intake
from tests.agents.builders import AT_MS, SESSION, agent, of_kind, transcript
from tests.agents.droid.builders import Folder, call, message, ran, read, result, start


def test_every_message_with_a_text_of_a_person_counts():
    intake = read(message("user", "hello", id="a"), message("user", "again", id="b"))
    assert [e.prompt_length for e in of_kind(intake, "user_message")] == [5, 5]


@pytest.mark.parametrize(
    "blocks",
    [
        ("<system-reminder>\nBe safe.\n</system-reminder>",),
        ("  ",),
        ({"type": "tool_result", "tool_use_id": "t9", "content": "x"},),
        ({"type": "tool_result", "tool_use_id": "t9", "content": "x"}, "and a text beside it"),
        (),
    ],
)
def test_reminders_and_results_are_no_messages(blocks):
    assert of_kind(read(message("user", *blocks)), "user_message") == []


def test_a_reminder_in_a_persons_text_is_not_counted_with_it():
    text = "<system-reminder>\nBe safe.\n</system-reminder>\n\nList files"
    [asked] = of_kind(read(message("user", text)), "user_message")
    assert asked.prompt_length == len("List files")


def test_a_picture_alone_is_a_message():
    assert len(of_kind(read(message("user", {"type": "image"})), "user_message")) == 1


@pytest.mark.parametrize(("source", "count"), [("user", 1), ("hook", 0), ("system_event", 0)])
def test_what_a_program_submits_is_no_message(source, count):
    intake = read(message("user", "x", userMessageSource=source))
    assert len(of_kind(intake, "user_message")) == count


def test_content_may_be_a_plain_text():
    line = message("user")
    line["message"]["content"] = "hello"
    [asked] = of_kind(read(line), "user_message")
    assert asked.prompt_length == 5


def test_an_answer_counts_when_it_says_or_does_something():
    intake = read(
        message("assistant", "Ok", id="a"),
        message("assistant", call("t1", "Read"), id="b"),
        message("assistant", {"type": "thinking", "thinking": "hm"}, id="c"),
    )
    assert len(of_kind(intake, "assistant_message")) == 2


def test_the_first_line_is_told_with_the_first_time():
    intake = read(message("user", "x"))
    [context] = of_kind(intake, "session_context")
    assert (context.ts, context.session_id, context.product_version) == (AT_MS, SESSION, "0.95.0")
    assert context.cwd_hash is not None


def test_a_version_that_is_the_number_of_the_format_is_none():
    intake = transcript("droid", [start(version=2), message("user", "x")])
    assert {event.product_version for event in intake.events} == {None}


@pytest.mark.parametrize(
    ("owner", "account"), [("dev", None), ("user_01ABCDEFGHJKMNPQ", "user_01ABCDEFGHJKMNPQ")]
)
def test_only_an_account_of_the_vendor_is_an_owner(owner, account):
    intake = transcript("droid", [start(owner=owner), message("user", "x")])
    assert {event.installation for event in intake.events} == {account}


@pytest.mark.parametrize(
    ("content", "is_error", "success"),
    [
        ("fine", None, True),
        ("fine", False, True),
        ("bad", True, False),
        ("Error: Command failed (exit code: 1)\nls: no", None, False),
        ([{"type": "text", "text": "Error: no"}], None, False),
        ("An Error: is named later", None, True),
    ],
)
def test_a_call_failed_when_its_result_says_so(content, is_error, success):
    [made] = of_kind(ran("Execute", content, is_error, command="ls"), "tool_call")
    assert made.success is success


@pytest.mark.parametrize(
    ("output", "decision"),
    [
        ("Error: Edit was rejected by the user", "reject"),
        ("Error: User cancelled the tool call", "reject"),
        ("Error: blocked by hook", "reject"),
        ("Error: not allowed in spec mode", "reject"),
        ("Error: bash: /etc/shadow: Permission denied", None),
        ("rejected by the user", None),
    ],
)
def test_a_refusal_is_a_failure_that_names_who_refused(output, decision):
    [made] = of_kind(ran("Execute", output, command="x"), "tool_call")
    assert made.decision == decision


def test_call_without_a_result_is_told_at_the_end():
    [made] = of_kind(read(message("assistant", call("t1", "Read"))), "tool_call")
    assert made.success is None


def test_call_without_an_id_is_told_at_once():
    intake = read(message("assistant", call(None, "Read"), call(None, "Read")))
    assert len(of_kind(intake, "tool_call")) == 2


@pytest.mark.parametrize(
    ("tool", "names"),
    [
        ("Execute", ("shell", "Execute", "builtin", None)),
        ("FetchUrl", ("web_fetch", "FetchUrl", "builtin", None)),
        ("Task", ("task", "Task", "subagent", None)),
        ("Skill", ("skill", "Skill", "skill", None)),
        ("mcp__Lab__echo", ("mcp__Lab__echo", "mcp__Lab__echo", "mcp", "lab")),
        ("lab___echo", ("mcp__lab__echo", "mcp__lab__echo", "mcp", "lab")),
        ("__proto__", ("__proto__", "__proto__", "builtin", None)),
        ("Brandnew", ("Brandnew", "Brandnew", "builtin", None)),
    ],
)
def test_tools_have_the_names_that_every_agent_uses(tool, names):
    [made] = of_kind(ran(tool), "tool_call")
    assert (made.tool, made.tool_raw, made.tool_kind, made.mcp_server) == names


PATCH = (
    "*** Begin Patch\n*** Add File: a.py\n+one\n+two\n*** Update File: b.ts\n-x\n+y\n"
    "*** Delete File: c.go\n*** End Patch\n"
)


@pytest.mark.parametrize(
    ("tool", "arguments", "changes"),
    [
        (
            "Create",
            {"file_path": "/p/a.py", "content": "one\ntwo"},
            [("created", "py", 2, 0)],
        ),
        (
            "Edit",
            {"file_path": "/p/a.py", "old_str": "a\nb\nc", "new_str": "a\nB\nB2\nc"},
            [("edited", "py", 2, 1)],
        ),
        (
            "Edit",
            {"file_path": "/p/a.py", "old_string": "a", "new_string": ""},
            [("edited", "py", 0, 1)],
        ),
        (
            "MultiEdit",
            {
                "file_path": "/p/a.py",
                "edits": [{"old_str": "a", "new_str": "b"}, {"old_str": "c", "new_str": "d\ne"}],
            },
            [("edited", "py", 3, 2)],
        ),
        (
            "ApplyPatch",
            {"input": PATCH},
            [("created", "py", 2, 0), ("edited", "ts", 1, 1), ("deleted", "go", 0, 0)],
        ),
        ("Read", {"file_path": "/p/a.py"}, []),
    ],
)
def test_files_are_read_off_the_arguments_of_calls_that_succeeded(tool, arguments, changes):
    found = of_kind(ran(tool, **arguments), "file_change")
    assert changes == [(e.file_op, e.file_ext, e.lines_added, e.lines_removed) for e in found]
    assert of_kind(ran(tool, "Error: no", **arguments), "file_change") == []


def test_read_and_changed_file_are_known_to_be_one():
    intake = read(
        message("assistant", call("t1", "Read", file_path="/p/a.py"), id="a"),
        message("assistant", call("t2", "Edit", file_path="/p/a.py"), id="b"),
        message("user", result("t1"), result("t2"), id="c"),
    )
    hashes = {e.file_path_hash for e in intake.events if e.file_path_hash is not None}
    assert len(hashes) == 1


def test_commit_and_request_are_read_off_command_and_output():
    command = "git commit -m x && gh pr create --title x"
    url = "https://github.com/acme/calc/pull/7"
    intake = ran("Execute", f"[main 34c4d56] x\n{url}\n", command=command)
    assert [e.commit_sha for e in of_kind(intake, "git_commit")] == ["34c4d56"]
    assert [e.pr_url for e in of_kind(intake, "git_pull_request")] == [url]


def test_failed_commit_is_none():
    assert of_kind(ran("Execute", "Error: no", command="git commit -m x"), "git_commit") == []


def test_request_of_a_servers_tool_counts():
    intake = ran("mcp__github__create_pull_request")
    assert len(of_kind(intake, "git_pull_request")) == 1


def test_activated_skill_is_a_call_and_a_skill():
    intake = ran("Skill", skill="deploy")
    assert [e.skill for e in of_kind(intake, "skill")] == ["deploy"]
    assert len(of_kind(intake, "tool_call")) == 1
    assert of_kind(ran("Skill", "Error: no such skill", skill="deploy"), "skill") == []


def test_hook_lines_are_one_hook_per_command_and_no_messages():
    commands = ["/opt/check.sh --all", {"command": "A=1 ruff check"}, "stationmaster hook", 7]
    line = message(
        "user", "output", hookEventName="Stop", hookCommands=commands, hookStatus="failed"
    )
    intake = read(line)
    hooks = [
        (e.hook_event, e.hook_matcher, e.hook_command, e.hook_outcome, e.success)
        for e in intake.events
        if e.kind == "hook"
    ]
    assert hooks == [
        ("Stop", "", "check.sh", "failed", False),
        ("Stop", "", "ruff", "failed", False),
        ("Stop", "", None, "failed", False),
    ]
    assert of_kind(intake, "user_message") == []


def test_spec_mode_of_a_message_is_known_without_the_settings():
    intake = read(
        message("user", "x", interactionMode="spec"),
        message("assistant", call("t1", "Read"), id="b", interactionMode="spec"),
    )
    assert [e.autonomy for e in of_kind(intake, "mode_change")] == ["spec"]
    assert [e.autonomy for e in of_kind(intake, "tool_call")] == ["spec"]


@pytest.mark.parametrize(
    ("settings", "levels"),
    [
        ({"autonomyLevel": "high", "interactionMode": "auto"}, ["auto-high", "spec", "auto-high"]),
        ({"autonomyLevel": "medium"}, ["auto-medium", "spec", "auto-medium"]),
        ({"autonomyLevel": "low"}, ["auto-low", "spec", "auto-low"]),
        ({"autonomyLevel": "off"}, ["manual", "spec", "manual"]),
        ({"autonomyMode": "auto-low"}, ["auto-low", "spec", "auto-low"]),
        ({"autonomyMode": "normal"}, ["manual", "spec", "manual"]),
        ({"autonomyLevel": "sideways"}, [None, "spec", None]),
        ({}, [None, "spec", None]),
    ],
)
def test_level_comes_from_the_settings_and_mode_from_the_message(tmp_path, settings, levels):
    folder = Folder(tmp_path)
    folder.set(**settings)
    lines = [
        message("assistant", call(f"t{n}", "Read"), id=f"m{n}", interactionMode=mode)
        for n, mode in enumerate(("auto", "spec", "auto"))
    ]
    intake = transcript("droid", [start(), *lines], str(folder.journal))
    assert [e.autonomy for e in of_kind(intake, "tool_call")] == levels


def test_mode_of_the_agents_own_judgement_is_the_highest():
    intake = read(message("user", "x", interactionMode="agi"))
    assert [e.autonomy for e in of_kind(intake, "mode_change")] == ["auto-high"]


@pytest.mark.parametrize(
    ("tag", "client", "surface"),
    [
        ({"name": "exec"}, "non-interactive-cli", "cli"),
        ("slack", "web", "cloud"),
        ({"name": "desktop"}, "terminal-ui", "desktop"),
        ({"name": "mine"}, None, None),
        (7, None, None),
    ],
)
def test_client_is_a_platform_among_the_tags(tmp_path, tag, client, surface):
    folder = Folder(tmp_path)
    folder.set(tags=[tag])
    intake = transcript("droid", [start(), message("user", "x")], str(folder.journal))
    assert {(e.client, e.surface) for e in intake.events} == {(client, surface)}


def test_same_session_in_an_archive_has_the_same_identities():
    lines = [start(), message("user", "x"), message("assistant", call("t1", "Read"), id="b")]
    ids = [
        {e.event_id for e in transcript("droid", lines, path).events}
        for path in ("/p/sessions/a.jsonl", "/p/archive/b.jsonl")
    ]
    assert ids[0] == ids[1]


def test_bookkeeping_is_dropped_and_the_unknown_is_told_apart():
    intake = read({"type": "todo_state"}, {"type": "brandnew"})
    assert intake.drops == {"not_counted": 1, "unknown_record": 1}


@pytest.mark.parametrize("line", [b"{not json", b"[]", b"null", b"[" * 100_000, b"\xff"])
def test_lines_that_are_no_records_stop_nothing(line):
    assert len(of_kind(read(line, message("user", "x")), "user_message")) == 1


def test_line_without_a_time_has_that_of_the_line_before():
    late = message("user", "again", id="b")
    del late["timestamp"]
    assert [e.ts for e in of_kind(read(message("user", "x"), late), "user_message")] == [AT_MS] * 2


def test_lines_before_any_time_are_rejected():
    line = message("user", "x")
    del line["timestamp"]
    intake = read(line)
    assert (intake.events, intake.drops) == ([], {"invalid": 1})


LINES = [
    json.dumps(line).encode()
    for line in (
        start(),
        message("user", "x", id="a", interactionMode="spec"),
        message("assistant", "y", call("t1", "Execute", command="git commit -m x"), id="b"),
        message("user", result("t1", "[main 34c4d56] x"), id="c"),
        message("assistant", call("t2", "Create", file_path="/a.py", content="x"), id="d"),
        message("user", hookEventName="PostToolUse", hookCommands=["a b"], id="e"),
        message("user", result("t2"), id="f"),
    )
]


@pytest.mark.parametrize("cut", range(len(LINES) + 1))
def test_reading_resumed_after_any_line_gives_the_same_events(cut):
    whole, halves = Intake(), Intake()
    reader = agent("droid").transcript("/p/x.jsonl")
    reader.feed_lines(b"\n".join(LINES), whole)
    reader.finish(whole)
    first = agent("droid").transcript("/p/x.jsonl")
    for line in LINES[:cut]:
        first.feed(line, halves)
    first.finish(halves)
    second = agent("droid").transcript("/p/x.jsonl", json.loads(json.dumps(first.state())))
    for line in LINES[cut:]:
        second.feed(line, halves)
    second.finish(halves)
    assert {e.event_id: e for e in halves.events} == {e.event_id: e for e in whole.events}
