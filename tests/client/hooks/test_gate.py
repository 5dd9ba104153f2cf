"""`stationmaster hook --gate` refuses in each agent's own form, never for a fault of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stationmaster.agents import cards
from stationmaster.agents.cards import PRODUCTS
from stationmaster.agents.cards.card import GateForm
from stationmaster.client import server
from stationmaster.client.hooks import gate, gate_decision, gate_file, run as hook
from tests.support.gates import DAY_MS, a_budget, an_answer, now_ms, stored
from tests.support.hooks import named_hooks
from tests.support.scripted import Reply, scripted_server

PROGRAM = [sys.executable, "-m", "stationmaster", "hook"]
CLOSED = ("--when-unreachable", "refuse")
PROMPT = {"hook_event_name": "UserPromptSubmit", "prompt": "Write it.", "session_id": "s"}
OPENCODE = [
    ("chat.params", {"type": "chat.params", "sessionID": "ses_1", "model": "claude-opus-5"}),
    ("tool.execute.before", {"type": "tool.execute.before", "sessionID": "ses_1", "tool": "bash"}),
]
RECORDED = {agent: named_hooks(agent) or OPENCODE for agent in PRODUCTS}


@pytest.fixture
def client_dir(tmp_path: Path) -> Path:
    return tmp_path / "client"


def form_of(agent: str) -> GateForm:
    form = cards.get(agent).gate
    assert isinstance(form, GateForm)
    return form


def asked(client_dir: Path, given: Any, *arguments: str) -> Any:
    """What the agent reads from its hook: JSON, or None for nothing."""
    content = given if isinstance(given, bytes) else json.dumps(given).encode()
    done = subprocess.run(
        [*PROGRAM, *arguments],
        input=content,
        env={**os.environ, "STATIONMASTER_CLIENT_DIR": str(client_dir)},
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout) if done.stdout else None


def decided(client_dir: Path, given: Any, agent: str = "claude-code", **options: str) -> Any:
    """The same without a process."""
    names = {"--agent": agent, **{f"--{name.replace('_', '-')}": v for name, v in options.items()}}
    content = given if isinstance(given, bytes) else json.dumps(given).encode()
    text = gate.answer(str(client_dir), names, content)
    return json.loads(text) if text else None


def reason_in(answer: dict[str, Any], agent: str, subject: str) -> str:
    """Where each agent documents that a refusal has its text."""
    match agent, subject:
        case "gemini-cli", _:
            assert answer.pop("decision") == "deny"
            text = answer.pop("reason")
        case "cursor", "prompt":
            assert answer.pop("continue") is False
            text = answer.pop("user_message")
        case "cursor", _:
            assert answer.pop("permission") == "deny"
            text = answer.pop("user_message")
            assert answer.pop("agent_message") == text
        case "copilot-cli", _:
            assert answer.pop("permissionDecision") == "deny"
            text = answer.pop("permissionDecisionReason")
        case "opencode", _:
            text = answer.pop("refuse")
        case _, "prompt":
            assert answer.pop("decision") == "block"
            text = answer.pop("reason")
        case _:
            output = answer.pop("hookSpecificOutput")
            assert output.pop("hookEventName") == "PreToolUse"
            assert output.pop("permissionDecision") == "deny"
            text = output.pop("permissionDecisionReason")
            assert output == {}
            assert answer.pop("systemMessage") == text
    assert answer == {}
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize("agent", sorted(PRODUCTS))
def test_recorded_prompts_and_tool_calls_are_refused_in_the_agents_own_form(
    agent: str, client_dir: Path
) -> None:
    stored(client_dir, a_budget())
    subjects = set()
    for event, given in RECORDED[agent]:
        answer = decided(client_dir, given, agent, event=event)
        subject = form_of(agent).events.get(event)
        tool = str(given.get("tool_name") or given.get("toolName") or given.get("tool") or "")
        if subject is None or (subject == "tool" and tool in form_of(agent).read_only):
            assert answer is None, (event, tool)
        else:
            text = reason_in(answer, agent, subject)
            for part in (
                "ada@example.com",
                "$5.02 of $5.00",
                "UTC",
                "stationmaster limits ask bud_1 --reason WHY",
            ):
                assert part in text
            subjects.add(subject)

    assert subjects == set(form_of(agent).events.values())


def test_the_program_says_so_to_the_agent_and_still_keeps_what_the_hook_reports(
    client_dir: Path,
) -> None:
    stored(client_dir, a_budget())

    answer = asked(client_dir, PROMPT, "--gate", "--agent", "claude-code")
    by_short_form = asked(client_dir, PROMPT, "--gate", "claude-code")

    assert answer == by_short_form
    assert "is used up" in reason_in(answer, "claude-code", "prompt")
    until(lambda: bool(list((client_dir / hook.FOLDER).glob("*.events"))))


@pytest.mark.parametrize("agent", sorted(PRODUCTS))
def test_nothing_is_printed_while_there_is_room(agent: str, client_dir: Path) -> None:
    stored(client_dir, a_budget(remaining=1))

    for event, given in RECORDED[agent]:
        assert decided(client_dir, given, agent, event=event) is None


def test_what_is_used_up_begins_again_with_its_period_on_a_machine_with_another_clock(
    client_dir: Path,
) -> None:
    path = stored(client_dir, a_budget())
    as_of = now_ms()
    for ahead_ms in (-DAY_MS, DAY_MS):
        # The period of the server's clock ends in a second, or has ended a second ago.
        for left_ms, is_refused in ((1_000, True), (-1_000, False)):

            def of_the_server(content: dict[str, Any], at: int, left: int = left_ms) -> None:
                content["answer"]["asOf"] = at
                content["answer"]["budgets"][0]["period"]["reset"] = at + left

            rewrite(path, partial(of_the_server, at=as_of - ahead_ms))
            rewrite(path, lambda content: content.update(refreshedAt=now_ms()))
            assert (decided(client_dir, PROMPT) is not None) is is_refused


@pytest.mark.parametrize(
    ("agent", "answer"),
    [
        *((agent, {"systemMessage": "W"}) for agent in ("claude-code", "codex", "gemini-cli")),
        ("droid", {"systemMessage": "W"}),
        ("opencode", {"warn": "W"}),
        ("qwen-code", None),
        ("copilot-cli", None),
        ("cursor", None),
    ],
)
def test_budgets_that_only_warn_refuse_nothing_and_say_so_where_the_agent_can(
    agent: str, answer: dict[str, str] | None, client_dir: Path
) -> None:
    stored(client_dir, a_budget(atEnd="warn"))
    answers = [decided(client_dir, g, agent, event=e) for e, g in RECORDED[agent]]
    shown = [given for given in answers if given is not None]

    if answer is None:
        assert shown == []
    else:
        [key] = answer
        assert shown
        for given in shown:
            assert list(given) == [key]
            assert "is used up, $5.02 of $5.00" in given[key]
            assert given[key].endswith("work goes on.")


def test_models_that_stay_allowed_pass_where_the_agent_names_its_model(client_dir: Path) -> None:
    stored(client_dir, a_budget(atEnd="allow-models", models=["gpt-5*-mini", "claude-haiku-*"]))

    def prompt(agent: str, **more: Any) -> Any:
        return decided(client_dir, PROMPT | more, agent)

    assert prompt("codex", model="gpt-5.5-mini") is None
    assert prompt("codex", model="us.anthropic.claude-haiku-4-5-20251001-v1:0") is None
    refused = reason_in(prompt("codex", model="gpt-5.5"), "codex", "prompt")
    assert "these models may be used: gpt-5*-mini, claude-haiku-*" in refused
    # Claude Code does not name it: what may be used must not be refused.
    assert "may be used only: gpt-5*-mini" in prompt("claude-code")["systemMessage"]
    model = {"hook_event_name": "BeforeModel", "llm_request": {"model": "gemini-2.5-pro"}}
    assert reason_in(decided(client_dir, model, "gemini-cli"), "gemini-cli", "model")


@pytest.mark.parametrize(
    ("scope", "is_refused"),
    [
        ({"kind": "agent", "id": "codex"}, True),
        ({"kind": "agent", "id": "droid"}, False),
        ({"kind": "model", "id": "gpt-5*"}, True),
        ({"kind": "model", "id": "claude-*"}, False),
        ({"kind": "repository", "id": "git.example.com/team/shop"}, False),
        ({"kind": "organization", "id": ""}, True),
        ({"kind": "team", "id": "Platform"}, True),
        ({"kind": "key", "id": "key_1"}, True),
    ],
)
def test_a_budget_refuses_what_falls_under_it(
    scope: dict[str, str], is_refused: bool, client_dir: Path
) -> None:
    stored(client_dir, a_budget(scope=scope))

    answer = decided(client_dir, PROMPT | {"model": "gpt-5.5"}, "codex")

    assert (answer is not None) is is_refused


def test_a_budget_of_a_repository_refuses_in_its_checkouts_alone(
    client_dir: Path, tmp_path: Path
) -> None:
    scope = {"kind": "repository", "id": "git.example.com/team/shop"}
    stored(client_dir, a_budget(scope=scope))
    for name in ("shop", "tools"):
        (tmp_path / name / ".git").mkdir(parents=True)
        (tmp_path / name / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        remote = f'[remote "origin"]\n\turl = git@git.example.com:Team/{name}.git\n'
        (tmp_path / name / ".git" / "config").write_text(remote)
    (tmp_path / "shop" / "src").mkdir()

    def at(folder: str) -> Any:
        return decided(client_dir, PROMPT | {"cwd": str(tmp_path / folder)}, "codex")

    for folder in ("shop", "shop/src"):
        text = reason_in(at(folder), "codex", "prompt")
        assert "the repository git.example.com/team/shop is used up" in text
    assert at("tools") is None
    assert at("nowhere") is None
    cursor = {"hook_event_name": "beforeSubmitPrompt", "workspace_roots": [str(tmp_path / "shop")]}
    assert reason_in(decided(client_dir, cursor, "cursor"), "cursor", "prompt")


def test_of_several_budgets_the_one_that_lasts_longest_is_named(client_dir: Path) -> None:
    later = a_budget(
        scope={"kind": "team", "id": "Platform"},
        currency="credits",
        amount=80_000_000,
        spent=80_000_001,
        period={"reset": now_ms() + 2 * DAY_MS},
    )
    stored(client_dir, a_budget(), later)

    text = reason_in(decided(client_dir, PROMPT), "claude-code", "prompt")

    assert "the team Platform is used up, 80,000,001 credits of 80,000,000 credits" in text


def test_names_of_others_cannot_write_to_the_terminal(client_dir: Path) -> None:
    stored(client_dir, a_budget(scope={"kind": "team", "id": "\x1b[2J\n\u202eevil" + "x" * 500}))

    text = reason_in(decided(client_dir, PROMPT), "claude-code", "prompt")

    assert "[2Jevil" in text
    assert text.isprintable()
    assert len(text) < 500


def rewrite(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    first, _, rest = path.read_text().partition("\n")
    content = json.loads(rest)
    change(content)
    path.write_text(f"{first}\n{json.dumps(content)}")
    path.chmod(0o600)


def aged(path: Path, by_ms: int) -> None:
    """The file as it is when it was written so much earlier."""
    first, _, rest = path.read_text().partition("\n")
    *words, begins, ends = first.split()
    content = json.loads(rest)
    content["refreshedAt"] -= by_ms
    content["answer"]["asOf"] -= by_ms
    ends = ends if int(ends) > 2**52 else str(int(ends) - by_ms)
    first = " ".join([*words, str(int(begins) - by_ms), ends])
    path.write_text(f"{first}\n{json.dumps(content)}")


@pytest.mark.parametrize("remaining", [0, 10**12])
@pytest.mark.parametrize("age_ms", [gate.STALE_MS + 1_000, -120_000], ids=["old", "from later"])
@pytest.mark.parametrize("rule", ["allow", "refuse"])
def test_an_answer_that_cannot_be_relied_on_leaves_it_to_the_budget(
    rule: str, age_ms: int, remaining: int, client_dir: Path
) -> None:
    path = stored(client_dir, a_budget(whenUnreachable=rule, remaining=remaining))
    aged(path, age_ms)

    answer = decided(client_dir, PROMPT)

    if rule == "allow":
        assert answer is None
    else:
        text = reason_in(answer, "claude-code", "prompt")
        assert "is not known on this machine since 20" in text
        assert "stationmaster hooks status" in text


def test_a_budget_that_only_warns_refuses_nothing_however_old_the_answer(client_dir: Path) -> None:
    aged(stored(client_dir, a_budget(atEnd="warn", whenUnreachable="refuse")), 10 * DAY_MS)

    assert decided(client_dir, PROMPT) is None


def make_missing(path: Path) -> None:
    path.unlink()


def make_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def make_a_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def make_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def damages() -> dict[str, Callable[[Path], Any]]:
    def text(content: bytes) -> Callable[[Path], Any]:
        return lambda path: path.write_bytes(content)

    def content(**members: Any) -> Callable[[Path], Any]:
        return lambda path: rewrite(path, lambda stored: stored.update(members))

    def of_budget(**members: Any) -> Callable[[Path], Any]:
        return lambda path: rewrite(path, lambda s: s["answer"]["budgets"][0].update(members))

    head = f"{gate.HEAD} {now_ms()} {now_ms()}\n".encode()
    return {
        "missing": make_missing,
        "pipe": make_a_pipe,
        "link": make_a_link,
        "folder": make_a_folder,
        "empty": text(b""),
        "zeros": text(b"\0" * 4096),
        "huge": text(head + b" " * gate.SIZE_MAX),
        "half": lambda path: path.write_bytes(path.read_bytes()[:-100]),
        "deep": text(head + b"[" * 100_000),
        "later version": text(b"stationmaster-gate 2 0 9\n{}"),
        "no numbers": text(b"stationmaster-gate 1 a b\n{}"),
        "other json": text(head + b"[3]"),
        "null": content(answer=None),
        "texts for numbers": of_budget(remaining="0"),
        "endless time": of_budget(period={"reset": 10**400}),
        "no scope": of_budget(scope=None),
        "writable by others": lambda path: path.chmod(0o666),
    }


@pytest.mark.parametrize("damage", sorted(damages()))
def test_a_file_that_cannot_be_used_refuses_only_where_that_was_installed(
    damage: str, client_dir: Path
) -> None:
    damages()[damage](stored(client_dir, a_budget(whenUnreachable="refuse")))

    is_open = asked(client_dir, PROMPT, "--gate", "claude-code")
    is_closed = decided(client_dir, PROMPT, when_unreachable="refuse")

    assert is_open is None
    assert "is not known on this machine, " in reason_in(is_closed, "claude-code", "prompt")


@pytest.mark.skipif(os.geteuid() != 0, reason="only an administrator gives files away")
def test_a_file_of_another_user_is_not_believed(client_dir: Path) -> None:
    os.chown(stored(client_dir, a_budget()), 12345, 12345)

    assert decided(client_dir, PROMPT) is None


@pytest.mark.parametrize(
    "given", [b"", b"{", b"[]", b"\xff", b"null", b"[" * 100_000, b'{"hook_event_name": {}}', b"{}"]
)
def test_what_is_no_hook_is_not_refused(given: bytes, client_dir: Path) -> None:
    stored(client_dir, a_budget())

    assert decided(client_dir, given, when_unreachable="refuse") is None
    assert decided(client_dir, given, "some-agent") is None


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def reply(*budgets: dict[str, Any]) -> Reply:
    return Reply(200, json.dumps(an_answer(*budgets)).encode())


def test_the_hook_itself_has_the_file_brought_up_to_date_and_never_waits_for_it(
    client_dir: Path,
) -> None:
    with scripted_server() as there:
        there.read = reply(a_budget()).body
        server.save(client_dir, server.Server(there.url, "sm_key"))

        first = asked(client_dir, PROMPT, "--gate", "claude-code")
        until(lambda: gate_file.load(client_dir) is not None)
        second = asked(client_dir, PROMPT, "--gate", "claude-code")

    assert first is None
    assert second is not None
    assert (client_dir / gate.FILE).stat().st_mode & 0o777 == 0o600
    assert list(gate.uses(str(client_dir))) == ["claude-code"]


def test_what_a_hostile_server_answers_is_not_stored_and_the_reason_is(client_dir: Path) -> None:
    path = stored(client_dir, a_budget())
    before = path.read_bytes()
    for body, why in [
        (b"{}", "a format that this version does not support"),
        (b"\xff" * 100, "a format that this version does not support"),
        (b" " * (gate.SIZE_MAX + 1), "too large"),
        (json.dumps(an_answer(a_budget(remaining="0"))).encode(), "has a format"),
    ]:
        with scripted_server() as there:
            there.read = body
            server.save(client_dir, server.Server(there.url, "sm_key"))
            assert not gate_file.refresh(str(client_dir))
        assert why in gate_file.standing(client_dir).problem
    server.save(client_dir, server.Server("http://127.0.0.1:9", "sm_key"))
    assert not gate_file.refresh(str(client_dir))

    assert "connection refused" in gate_file.standing(client_dir).problem
    assert path.read_bytes() == before


def test_a_server_is_asked_at_most_once_a_minute(client_dir: Path) -> None:
    client_dir.mkdir()
    assert gate.is_due(str(client_dir))
    gate_file.refresh(str(client_dir))
    assert not gate.is_due(str(client_dir))
    for name in (gate.TRIED,):
        os.utime(client_dir / name, (time.time() - 61, time.time() - 61))
    assert gate.is_due(str(client_dir))


def test_the_server_is_told_which_agents_have_a_gate(client_dir: Path) -> None:
    with scripted_server() as there:
        there.read = reply().body
        server.save(client_dir, server.Server(there.url, "sm_key"))
        for agents in (["codex"], ["droid"]):
            for agent in agents:
                gate.note_use(str(client_dir), agent)
            assert gate_file.refresh(str(client_dir))
        gate_file.forget_use(client_dir, "codex")
        assert gate_file.refresh(str(client_dir))

    assert [fields["x-stationmaster-gate"] for fields in there.asked] == [
        *("codex", "codex,droid", "droid")
    ]


def test_use_that_is_not_shown_refuses_nothing(client_dir: Path) -> None:
    stored(client_dir, a_budget(spent=None, remaining=None), a_budget(atEnd="warn"))

    assert "work goes on" in decided(client_dir, PROMPT)["systemMessage"]


def test_an_agent_waits_for_hardly_any_module_while_there_is_room(client_dir: Path) -> None:
    stored(client_dir, a_budget(remaining=1))
    code = (
        "import sys; from stationmaster.client.hooks import gate, run; import stationmaster.cli;"
        "gate.answer(sys.argv[1], {'--agent': 'codex'}, b'{}');"
        "print(*sorted(m for m in sys.modules if m.split('.')[0] in ('stationmaster',"
        "'msgspec', 'httpx', 'typer', 'json', 're', 'typing', 'pathlib', 'subprocess')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, client_dir], check=True, capture_output=True, text=True
    )

    assert set(done.stdout.split()) == {
        "stationmaster",
        "stationmaster.agents",
        "stationmaster.agents.cards",
        "stationmaster.cli",
        "stationmaster.client",
        "stationmaster.client.hooks.gate",
        "stationmaster.client.hooks",
        "stationmaster.client.hooks.run",
    }


def test_a_refusal_by_an_answer_that_is_not_new_says_so(client_dir: Path) -> None:
    path = stored(client_dir, a_budget())
    fresh = reason_in(decided(client_dir, PROMPT), "claude-code", "prompt")
    aged(path, gate_decision.LATELY_MS + 5_000)
    old = reason_in(decided(client_dir, PROMPT), "claude-code", "prompt")

    assert "is being fetched again" not in fresh
    assert "if you were granted more, try again in some seconds." in old


def test_who_is_granted_more_goes_on_at_the_first_try(
    client_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate_file, "FOLLOW_S", 0.05)
    with scripted_server() as there:
        there.read = reply(a_budget()).body
        server.save(client_dir, server.Server(there.url, "sm_key"))
        assert gate_file.refresh(str(client_dir))
        follower = threading.Thread(target=gate_file.follow, args=(str(client_dir),))
        follower.start()
        until(lambda: len(there.asked) >= 3)
        assert reason_in(decided(client_dir, PROMPT), "claude-code", "prompt")
        there.read = reply(a_budget(remaining=10**12)).body
        follower.join(60)
        assert decided(client_dir, PROMPT) is None
        before = len(there.asked)
        gate_file.follow(str(client_dir))

    assert not follower.is_alive()
    assert len(there.asked) == before


def test_what_cannot_be_fetched_is_not_followed(
    client_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate_file, "FOLLOW_S", 0.05)
    server.save(client_dir, server.Server("http://127.0.0.1:9", "sm_key"))
    stored(client_dir, a_budget())

    gate_file.follow(str(client_dir))  # Ends.

    assert gate_file.standing(client_dir).used_up == ["bud_1"]
