"""Tool calls: their names, their outcome, and what they changed."""

from __future__ import annotations

import msgspec
import pytest

from stationmaster.agents.opencode.records import state_of
from stationmaster.agents.opencode.tooling import events_of
from stationmaster.agents.opencode.words import PRODUCT
from stationmaster.events.model import Event, path_hash

FOLDER = "/home/dev/project"


def told(tool, cwd=FOLDER, **state):
    """The events of one call."""

    def new(kind):
        return Event(
            event_id=kind, kind=kind, ts=1, product=PRODUCT, source="store_db", session_id="s"
        )

    known = state_of(msgspec.json.encode({"status": "completed", **state}))
    event = new("tool_call")
    event.tool_call_id = "c1"
    return list(events_of(event, tool, known, cwd, new))


def of_kind(events, kind):
    return [event for event in events if event.kind == kind]


@pytest.mark.parametrize(
    ("tool", "canonical", "kind"),
    [
        ("bash", "shell", "builtin"),
        ("read", "read", "builtin"),
        ("multiedit", "edit", "builtin"),
        ("apply_patch", "edit", "builtin"),
        ("todowrite", "todo", "builtin"),
        ("plan_exit", "plan_exit", "builtin"),
        ("lsp_hover", "lsp_hover", "builtin"),
        ("task", "task", "subagent"),
        ("skill", "skill", "skill"),
        ("custom", "custom", "builtin"),
        ("__proto__", "__proto__", "builtin"),
    ],
)
def test_a_tool_of_the_program_has_its_canonical_name(tool, canonical, kind):
    event = told(tool)[0]
    assert (event.tool, event.tool_raw, event.tool_kind) == (canonical, tool, kind)
    assert event.mcp_server is None


def test_a_tool_of_a_server_is_guessed_by_the_first_underscore():
    event = told("GitHub_create_issue")[0]
    assert (event.tool_kind, event.mcp_server, event.mcp_server_raw) == ("mcp", "github", "GitHub")
    assert (event.mcp_tool, event.tool_raw) == ("create_issue", "GitHub_create_issue")
    assert event.quality == "estimated"


@pytest.mark.parametrize(
    ("tool", "state", "success"),
    [
        ("bash", {"metadata": {"exit": 0}}, True),
        ("bash", {"metadata": {"exit": 1}}, False),
        ("bash", {"metadata": {"exit": None}}, None),
        ("bash", {"status": "error", "error": "x"}, False),
        ("bash", {"status": "running"}, None),
        ("bash", {"status": "success"}, True),
        ("read", {}, True),
        ("read", {"status": "error", "error": "File not found"}, False),
    ],
)
def test_success_is_that_of_the_command_and_not_of_the_call(tool, state, success):
    event = told(tool, **state)[0]
    assert (event.success, event.decision) == (success, None)


@pytest.mark.parametrize(
    ("error", "source"),
    [
        ("Error: The user rejected permission to use this specific tool call.", "user"),
        (
            "The user rejected permission to use this specific tool call with the following "
            "feedback: use tabs",
            "user",
        ),
        (
            "Error: The user has specified a rule which prevents you from using this specific "
            "tool call. Here are some of the relevant rules []",
            "auto",
        ),
    ],
)
def test_a_call_that_a_person_or_a_rule_refused_is_rejected_and_changes_nothing(error, source):
    events = told("edit", status="error", error=error, input={"filePath": f"{FOLDER}/a.py"})
    assert [event.kind for event in events] == ["tool_call"]
    assert (events[0].decision, events[0].decision_source) == ("reject", source)


def test_a_call_of_a_tool_that_there_is_not_is_a_rejected_call_of_that_tool():
    [event] = told("invalid", input={"tool": "write", "error": "unavailable"})
    assert (event.tool, event.success, event.decision) == ("write", False, "reject")


def test_a_call_lasts_from_its_start_to_its_end():
    assert told("read", time={"start": 5_000, "end": 5_040})[0].duration_ms == 40
    assert told("read", time={"start": 5_000})[0].duration_ms is None
    assert told("read", time={"start": 5_000, "end": 4_000})[0].duration_ms is None


def changes(tool, **state):
    return [
        (e.file_op, e.file_ext, e.lines_added, e.lines_removed, e.quality)
        for e in of_kind(told(tool, **state), "file_change")
    ]


def given(content="a\nb\n", path=f"{FOLDER}/a.py", **more):
    return {"filePath": path, "content": content, **more}


@pytest.mark.parametrize(
    ("content", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\n\nb\n", 3)]
)
def test_a_written_file_that_was_not_there_is_created_with_its_lines(content, lines):
    found = changes("write", input=given(content), metadata={"exists": False})
    assert found == [("created", "py", lines, 0, None)]


def test_a_written_file_that_was_there_is_edited_by_an_unknown_number_of_lines():
    assert changes("write", input=given(), metadata={"exists": True}) == [
        ("edited", "py", None, None, None)
    ]
    found = changes(
        "write",
        input=given(),
        metadata={"exists": True, "filediff": {"additions": 3, "deletions": 1}},
    )
    assert found == [("edited", "py", 3, 1, None)]


def test_a_written_file_of_which_nobody_says_whether_it_was_there_is_a_guess():
    assert changes("write", input=given()) == [("created", "py", 2, 0, "estimated")]


def test_an_edit_has_the_lines_that_the_program_counted():
    found = changes(
        "edit",
        input=given(oldString="x", newString="y"),
        metadata={"filediff": {"file": "a.py", "additions": 2, "deletions": 4}},
    )
    assert found == [("edited", "py", 2, 4, None)]


def test_an_edit_of_an_older_version_has_the_lines_that_differ():
    found = changes("edit", input=given(oldString="a\nb\nc\n", newString="a\nx\ny\nc\n"))
    assert found == [("edited", "py", 2, 1, None)]


def test_an_edit_of_nothing_makes_a_file_or_replaces_one():
    found = changes("edit", input=given(oldString="", newString="a\nb\n"))
    assert found == [("created", "py", 2, 0, "estimated")]


def test_several_edits_of_one_file_are_one_change():
    results = [{"filediff": {"additions": 1, "deletions": 2}}, {"filediff": {"additions": 3}}, {}]
    assert changes("multiedit", input=given(), metadata={"results": results}) == [
        ("edited", "py", 4, 2, None)
    ]


def test_more_lines_than_there_can_be_are_cut():
    results = [{"filediff": {"additions": 2**52, "deletions": -1}}] * 3_000
    assert changes("multiedit", input=given(), metadata={"results": results}) == [
        ("edited", "py", 1_000_000_000, 0, None)
    ]


def test_a_patch_changes_every_file_that_it_names():
    files = [
        {"filePath": f"{FOLDER}/a.py", "type": "add", "additions": 3, "deletions": 0},
        {"filePath": f"{FOLDER}/b.go", "type": "update", "additions": 1, "deletions": 2},
        {"filePath": f"{FOLDER}/c.rs", "type": "delete", "additions": 0, "deletions": 9},
        {
            "filePath": f"{FOLDER}/d.ts",
            "movePath": f"{FOLDER}/e.tsx",
            "type": "move",
            "additions": 0,
            "deletions": 0,
        },
        {"filePath": f"{FOLDER}/f.c", "type": "unheard of"},
        {"type": "add"},
    ]
    assert changes("apply_patch", input={"patchText": "…"}, metadata={"files": files}) == [
        ("created", "py", 3, 0, None),
        ("edited", "go", 1, 2, None),
        ("deleted", "rs", 0, 9, None),
        ("edited", "tsx", 0, 0, None),
    ]


def test_a_patch_of_an_older_version_is_read_itself():
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n+y\n*** Update File: b.go\n-z\n*** End Patch"
    assert changes("patch", input={"patchText": patch}, metadata={"diff": "…"}) == [
        ("created", "py", 2, 0, None),
        ("edited", "go", 0, 1, None),
    ]


@pytest.mark.parametrize("tool", ["write", "edit", "multiedit", "apply_patch", "read", "glob"])
def test_a_failed_call_and_one_without_a_path_change_no_file(tool):
    metadata = {"files": [{"filePath": "/a", "type": "add"}]}
    assert changes(tool, input=given(), status="error", error="no", metadata=metadata) == []
    assert changes(tool, input={"content": "x"}) == []


@pytest.mark.parametrize(
    ("path", "cwd", "full"),
    [
        ("/x/a.py", FOLDER, "/x/a.py"),
        ("src/../a.py", FOLDER, f"{FOLDER}/a.py"),
        ("./a.py", FOLDER, f"{FOLDER}/a.py"),
        ("a.py", None, "a.py"),
        (r"C:\x\a.py", FOLDER, r"C:\x\a.py"),
    ],
)
def test_a_file_has_the_same_hash_however_a_call_names_it(path, cwd, full):
    event = told("read", cwd, input={"filePath": path})[0]
    assert event.file_path_hash == path_hash("s", full)
    assert (event.file_ext, event.language) == ("py", "Python")


def test_a_commit_has_the_id_that_the_output_names():
    [commit] = of_kind(
        told(
            "bash",
            input={"command": "git add -A && git commit -m 'x'"},
            output="[main 34c4d56] x\n 1 file changed\n",
            metadata={"exit": 0},
        ),
        "git_commit",
    )
    assert (commit.commit_sha, commit.tool_call_id) == ("34c4d56", "c1")


def test_a_commit_that_failed_is_none():
    events = told("bash", input={"command": "git commit -m x"}, output="", metadata={"exit": 1})
    assert of_kind(events, "git_commit") == []


@pytest.mark.parametrize(
    ("tool", "state", "count"),
    [
        ("github_create_pull_request", {}, 1),
        ("github_create_pull_request", {"status": "error", "error": "no"}, 0),
        ("github_list_pull_requests", {}, 0),
        ("bash", {"input": {"command": "gh pr create -t x"}, "metadata": {"exit": 0}}, 1),
    ],
)
def test_a_pull_request_is_made_by_a_tool_or_by_a_command(tool, state, count):
    assert len(of_kind(told(tool, **state), "git_pull_request")) == count


def test_a_skill_that_was_loaded_counts_and_one_that_was_not_does_not():
    [loaded] = of_kind(told("skill", input={"name": "deploy"}), "skill")
    assert loaded.skill == "deploy"
    failed = told("skill", status="error", error="Skill not found", input={"name": "deploy"})
    assert of_kind(failed, "skill") == []
