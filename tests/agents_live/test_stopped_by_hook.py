"""Real agents whose budget is used up: their own hooks stop them, and the person reads why."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.agents_live.lab import CALC, PROMPT, Lab
from tests.agents_live.table import LIVE_AGENTS, LiveAgent
from tests.support.gates import a_budget, stored
from tests.support.hooks import trust_codex
from tests.support.stub_model import StubModel, stub_model

pytestmark = [pytest.mark.agents, pytest.mark.timeout(600), pytest.mark.usefixtures("loopback")]
_QUIET = {"codex": ["-m", "gpt-6-sol"], "qwen-code": ["--approval-mode", "yolo", "-i"]}
"""Agents that show the reason of a refused prompt in a terminal alone: arguments before the
prompt there."""
_TEXT = ("ada@example.com", "$5.02 of $5.00", "stationmaster limits ask")
EVERY = pytest.mark.parametrize("row", LIVE_AGENTS, ids=[row.product for row in LIVE_AGENTS])


def with_gate(row: LiveAgent, folder: Path, model: StubModel) -> Lab:
    """An agent that has work to do, and a gate."""
    lab = Lab(row, folder, model)
    model.turns = lab.script()
    done = lab.stationmaster("hooks", "install", row.product, "--gate", "--home", lab.home)
    assert done.code == 0, done.stderr
    if row.product == "codex":
        trust_codex(lab.home)
    return lab


def shown(done: subprocess.CompletedProcess[str]) -> str:
    """What a person reads, in one line."""
    return " ".join(f"{done.stdout} {done.stderr}".split())


@EVERY
def test_a_prompt_is_refused_and_the_person_reads_why(row: LiveAgent, tmp_path: Path) -> None:
    with stub_model([]) as model:
        lab = with_gate(row, tmp_path, model)
        stored(lab.home / ".stationmaster", a_budget())

        done = lab.prompt({})
        calls = [call for call in model.calls if not call.is_side]

    assert not (lab.project / "hello.py").exists()
    assert (lab.project / "calc.py").read_text() == CALC
    if row.product != "copilot-cli":
        # The one agent whose prompts cannot be refused.
        assert calls == []
    if row.product not in _QUIET:
        for part in _TEXT:
            assert part in shown(done)


@pytest.mark.parametrize("row", [row for row in LIVE_AGENTS if row.product in _QUIET], ids=_QUIET)
def test_the_reason_is_shown_in_a_terminal_by_agents_that_show_none_without(
    row: LiveAgent, tmp_path: Path
) -> None:
    with stub_model([]) as model:
        lab = with_gate(row, tmp_path, model)
        if row.product == "codex":
            with (lab.home / ".codex" / "config.toml").open("a") as config:
                config.write(f'\n[projects."{lab.project}"]\ntrust_level = "trusted"\n')
        stored(lab.home / ".stationmaster", a_budget())

        text = lab.converse([*_QUIET[row.product], PROMPT], "limitsask")

    assert [call for call in model.calls if not call.is_side] == []
    for part in _TEXT:
        assert "".join(part.split()) in text


@EVERY
def test_a_tool_is_refused_once_the_budget_is_used_up_and_reading_goes_on(
    row: LiveAgent, tmp_path: Path
) -> None:
    with stub_model([]) as model:
        lab = with_gate(row, tmp_path, model)
        stored(lab.home / ".stationmaster", a_budget(remaining=1))
        answer = model.answer

        def used_up(path: str, request: dict[str, Any]) -> Any:
            if request.get("tools"):
                stored(lab.home / ".stationmaster", a_budget())
            return answer(path, request)

        model.answer = used_up  # type: ignore[method-assign]  # From the first call on.
        done = lab.prompt({})
        calls = [call for call in model.calls if not call.is_side]

    assert calls
    assert not (lab.project / "hello.py").exists()
    assert (lab.project / "calc.py").read_text() == CALC
    if row.product == "qwen-code":
        # Refused before its next model call, and silent without a terminal.
        assert len(calls) == 1
        return
    told = shown(done) + " ".join(str(call.request) for call in calls)
    for part in _TEXT:
        assert part in told
