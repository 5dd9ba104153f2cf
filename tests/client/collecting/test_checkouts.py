"""Repository and branch of sessions, from the folders that they name: no folder is told."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from stationmaster.agents import recognition
from stationmaster.agents.interface import Intake
from stationmaster.client.collecting.checkouts import Checkouts
from stationmaster.events.model import Event
from tests.support import sessions, talks
from tests.support.commands import succeed
from tests.support.scripted import scripted_server

DAY_BEFORE_S = 1_795_000_000
REMOTE = "https://token@GitHub.example/Acme/Widgets.git"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout whose branch has been the same since the day before the sessions."""
    folder = tmp_path / "widgets"
    for command in (
        ("init", "-q", "-b", "main", str(folder)),
        ("-C", str(folder), "remote", "add", "origin", REMOTE),
    ):
        subprocess.run(["git", *command], check=True)
    os.utime(folder / ".git" / "HEAD", (DAY_BEFORE_S, DAY_BEFORE_S))
    (folder / "src").mkdir()
    return folder


def placed(home: Path, project: Path, branch: str) -> None:
    """A session of Claude Code in a folder of the project."""
    path = sessions.a_session(home)
    lines = path.read_bytes().replace(b"/home/dev/project", os.fsencode(project / "src"))
    path.write_bytes(lines.replace(b'"gitBranch": "main"', f'"gitBranch": "{branch}"'.encode()))


def contexts(home: Path) -> list[Event]:
    with scripted_server() as there:
        succeed("collect", "--home", home, "--url", there.url, "--key", "sm_key")
    assert not any(os.fsencode(home.parent) in body for body in there.bodies)
    return [event for event in there.events if event["kind"] == "session_context"]  # type: ignore[misc]  # JSON


def test_a_session_gets_the_repository_that_its_transcript_does_not_name(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATIONMASTER_CLIENT_DIR", str(tmp_path / "client"))
    placed(tmp_path / "home", project, "topic")

    [context] = contexts(tmp_path / "home")

    assert context["repo"] == "github.example/acme/widgets"  # type: ignore[index]  # JSON
    assert context["branch"] == "topic"  # type: ignore[index]  # JSON


@pytest.mark.parametrize(("switched_s", "branch"), [(0, "main"), (86_400 * 9, None)])
def test_a_branch_is_named_only_if_nobody_has_switched_since(
    project: Path, switched_s: int, branch: str | None
) -> None:
    at = DAY_BEFORE_S + switched_s
    os.utime(project / ".git" / "HEAD", (at, at))
    intake = Intake()
    event = Event(
        event_id="1", kind="session_context", ts=1_795_176_000_000, product="opencode",
        source="store_db", cwd_hash=intake.folder("s1", str(project)),
    )  # fmt: skip
    intake.add(event)

    Checkouts().fill(intake)

    assert (event.repo, event.branch) == ("github.example/acme/widgets", branch)


def test_what_a_transcript_says_stays(project: Path) -> None:
    intake = Intake()
    event = Event(
        event_id="1", kind="session_context", ts=1_795_176_000_000, product="codex",
        source="transcript", repo="a/b", branch="c", cwd_hash=intake.folder("s1", str(project)),
    )  # fmt: skip
    intake.add(event)

    Checkouts().fill(intake)

    assert (event.repo, event.branch) == ("a/b", "c")


def test_the_folder_of_a_database_is_known_too(tmp_path: Path, project: Path) -> None:
    database = talks.Database(talks.database_path(tmp_path))
    database.write(talks.Talk(talks.session(directory=str(project)), [talks.prompt()]))
    database.connection.close()
    agent = recognition.by_product("opencode")
    assert agent is not None
    intake = Intake()

    agent.transcript(str(database.path)).read(intake)  # type: ignore[union-attr]  # a database is a document

    assert str(project) in intake.folders.values()
