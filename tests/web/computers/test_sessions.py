"""Pages of sessions: an agent on a computer started, prompted, asked and stopped without a script,
and watched live with one."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from stationmaster.access import reads
from stationmaster.client.sessions.local import LocalSessions
from tests.support.agent_sessions import local_sessions
from tests.support.builders import a_key
from tests.support.relaying import Loop, Running, registered, running_agent
from tests.web.computers.test_page import caller_of
from tests.web.conftest import PASSWORD, Office


@pytest.fixture
def loop() -> Iterator[Loop]:
    made = Loop()
    yield made
    made.close()


async def _made(folder: Path) -> LocalSessions:
    return local_sessions(folder)


@pytest.fixture
def owner(office: Office) -> str:
    return office.person("member")


@pytest.fixture
def computer(office: Office, owner: str, loop: Loop, tmp_path: Path) -> Iterator[Running]:
    db = office.server.services.db
    caller = caller_of(office, owner)
    [member] = [m for m in reads.list_members(db, office.org) if m.user_id == caller.principal_id]
    with office.server.client(a_key(db, office.org, member)) as client:
        registration = registered(client)
    running = Running(registration, tmp_path, office.server.url, loop.run(_made(tmp_path)))
    with running_agent(loop, running):
        yield running


def started(visitor: httpx.Client, computer: Running, prompt: str = "") -> str:
    """The path of the page of a new session."""
    path = f"/computers/{computer.computer_id}/sessions"
    form = {"agent": "scripted", "workspace": "", "prompt": prompt}
    answer = visitor.post(path, data=form)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def shown(visitor: httpx.Client, path: str, text: str) -> str:
    """The page once it has a text."""
    deadline = time.monotonic() + 30
    while text not in (page := visitor.get(path).text):
        assert time.monotonic() < deadline, page
        time.sleep(0.05)
    return page


def test_a_session_is_steered_without_a_script(
    office: Office, owner: str, computer: Running, tmp_path: Path
) -> None:
    with office.visitor(owner) as visitor:
        path = started(visitor, computer, "say <b>one</b>")
        assert "say &lt;b&gt;one&lt;/b&gt;" in shown(visitor, path, "&lt;b&gt;one&lt;/b&gt;</span>")
        shown(visitor, path, '<span id="state">idle</span>')
        sent = visitor.post(f"{path}/prompts", data={"text": "write a.txt"})
        assert sent.status_code == 303, sent.text
        page = shown(visitor, path, "<b>Write a.txt</b>")
        [action] = re.findall(r'action="([^"]*/permissions/[^"]*)"', page)
        assert '<button name="option" value="yes">Allow</button>' in page
        assert visitor.post(action, data={"option": "yes"}).status_code == 303
        shown(visitor, path, '<span id="state">idle</span>')
        assert (tmp_path / "a.txt").exists()
        assert "/permissions/" not in visitor.get(path).text
        assert visitor.post(f"{path}/stop").status_code == 303
        page = visitor.get(path).text
        listed = visitor.get(f"/computers/{computer.computer_id}/sessions").text

    assert "This session has ended." in page
    assert f'href="{path}"' in listed


def test_a_refusal_keeps_what_was_typed(office: Office, owner: str, computer: Running) -> None:
    with office.visitor(owner) as visitor:
        path = started(visitor, computer, "wait")
        busy = visitor.post(f"{path}/prompts", data={"text": "say later"})
        assert busy.status_code == 409
        assert "say later</textarea>" in busy.text
        assert visitor.post(f"{path}/cancel").status_code == 303
        unknown = {"agent": "codex", "workspace": "", "prompt": ""}
        refused = visitor.post(f"/computers/{computer.computer_id}/sessions", data=unknown)
        visitor.post(f"{path}/stop")

    assert refused.status_code == 403
    assert "does not allow codex" in refused.text


def test_a_stream_needs_a_ticket_that_is_good_once(
    office: Office, owner: str, computer: Running
) -> None:
    with office.visitor(owner) as visitor:
        path = started(visitor, computer, "say one")
        other = started(visitor, computer)
        ticket = visitor.post(f"{path}/ticket").json()["ticket"]
        visitor.post(f"{path}/stop")
        elsewhere = visitor.post(f"{other}/updates", data={"ticket": ticket})
        opened = visitor.post(f"{path}/updates", data={"ticket": ticket})
        again = visitor.post(f"{path}/updates", data={"ticket": ticket})
        without = visitor.post(f"{path}/updates")
        foreign = {"Origin": "https://evil.example"}
        from_elsewhere = visitor.post(f"{path}/ticket", headers=foreign)
        visitor.post(f"{other}/stop")

    assert (elsewhere.status_code, without.status_code) == (403, 403)
    assert (opened.status_code, again.status_code) == (200, 403)
    assert '"text":"one"' in opened.text
    assert from_elsewhere.status_code == 403


def test_who_does_not_see_the_computer_sees_no_session(
    office: Office, owner: str, computer: Running
) -> None:
    with office.visitor(owner) as visitor:
        path = started(visitor, computer)
        with office.visitor(office.person("manager")) as other:
            for answer in (
                *(other.get(path), other.get(f"/computers/{computer.computer_id}/sessions")),
                *(other.post(f"{path}/ticket"), other.post(f"{path}/stop")),
                *(other.post(f"{path}/prompts", data={"text": "say"}),),
            ):
                assert answer.status_code == 404, answer.url
        visitor.post(f"{path}/stop")


@pytest.mark.slow
def test_a_page_is_live_with_its_script(
    office: Office, owner: str, computer: Running, tab: Page, tmp_path: Path
) -> None:
    tab.goto(f"{office.server.url}/sign-in")
    tab.get_by_label("E-mail").fill(owner)
    tab.get_by_label("Password").fill(PASSWORD)
    tab.get_by_role("button", name="Sign in").click()
    tab.wait_for_load_state()
    tab.goto(f"{office.server.url}/computers/{computer.computer_id}/sessions")
    tab.get_by_label("Agent").select_option("scripted")
    tab.get_by_label("First prompt").fill("write a.txt")
    tab.get_by_role("button", name="Start").click()

    tab.get_by_role("button", name="Allow").click()
    expect(tab.locator("#state")).to_have_text("idle", timeout=30_000)
    assert (tmp_path / "a.txt").exists()
    with office.visitor(owner) as visitor:
        path = tab.url.removeprefix(office.server.url).partition("#")[0]
        visitor.post(f"{path}/prompts", data={"text": "say <i>live</i>"})
        expect(tab.locator(".talk .message").last).to_have_text("<i>live</i>", timeout=30_000)
        visitor.post(f"{path}/prompts", data={"text": "write b.txt"})
        tab.get_by_role("button", name="Reject").click()
        expect(tab.locator("#state")).to_have_text("idle", timeout=30_000)
        visitor.post(f"{path}/stop")
    expect(tab.get_by_text("This session has ended.")).to_be_visible(timeout=30_000)
    assert not (tmp_path / "b.txt").exists()
