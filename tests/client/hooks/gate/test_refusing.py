"""`stationmaster hook --gate` refuses in each agent's own form, by the budgets that apply."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stationmaster.agents import cards
from stationmaster.agents.cards import PRODUCTS
from stationmaster.agents.cards.card import GateForm
from stationmaster.client.hooks import gate_decision, run as hook
from tests.client.hooks.gate.answers import PROMPT, aged, asked, decided, reason_in, rewrite, until
from tests.support.gates import DAY_MS, a_budget, now_ms, stored
from tests.support.hooks import named_hooks

OPENCODE = [
    ("chat.params", {"type": "chat.params", "sessionID": "ses_1", "model": "claude-opus-5"}),
    ("tool.execute.before", {"type": "tool.execute.before", "sessionID": "ses_1", "tool": "bash"}),
]
RECORDED = {agent: named_hooks(agent) or OPENCODE for agent in PRODUCTS}


def form_of(agent: str) -> GateForm:
    form = cards.get(agent).gate
    assert isinstance(form, GateForm)
    return form


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
            assert given[key].endswith("work continues.")


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


def test_a_refusal_by_an_answer_that_is_not_new_says_so(client_dir: Path) -> None:
    path = stored(client_dir, a_budget())
    fresh = reason_in(decided(client_dir, PROMPT), "claude-code", "prompt")
    aged(path, gate_decision.LATELY_MS + 5_000)
    old = reason_in(decided(client_dir, PROMPT), "claude-code", "prompt")

    assert "is being fetched again" not in fresh
    assert "if you were granted more, try again in some seconds." in old
