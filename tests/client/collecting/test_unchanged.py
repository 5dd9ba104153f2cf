"""A run with nothing new says so without loading an agent, and whatever may be new is looked at."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from stationmaster.client import server
from stationmaster.client.hooks.run import FOLDER
from tests.support import sessions, talks
from tests.support.scripted import scripted_server

RUN = """
import sys
from stationmaster import cli
try:
    cli.main()
finally:
    sys.stderr.write("quick" if "stationmaster.agents.recognition" not in sys.modules else "whole")
"""
Collect = Callable[..., tuple[str, str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    settled(sessions.a_session(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def collect(home: Path, tmp_path: Path) -> Collect:
    """Runs `collect` in a process of its own: what it says, and `quick` or `whole`."""
    server_of = scripted_server()

    def run(*arguments: str, **variables: str) -> tuple[str, str]:
        done = subprocess.run(
            [sys.executable, "-c", RUN, "collect", "--home", str(home), *arguments],
            env={**os.environ, "STATIONMASTER_CLIENT_DIR": str(tmp_path / "client"), **variables},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        *_, how = done.stderr.splitlines()
        return done.stdout + done.stderr.removesuffix(how), how

    with server_of as there:
        server.save(tmp_path / "client", server.Server(there.url, "sm_key"))
        run()
        yield run


def settled(path: Path) -> Path:
    """As if it had been written a while ago."""
    os.utime(path, (1_790_000_000, 1_790_000_000))
    return path


def test_the_same_again_says_the_same_and_loads_no_agent(collect: Collect) -> None:
    first, second = collect(), collect()

    assert first[0] == second[0]
    assert first[0].startswith("Nothing new since 20")
    assert (first[1], second[1]) == ("quick", "quick")


def test_what_may_be_new_is_looked_at(collect: Collect, home: Path, tmp_path: Path) -> None:
    session = sessions.session_path(home)
    client = tmp_path / "client"

    def grown() -> None:
        session.write_bytes(sessions.turns("s1", 1, 3))
        settled(session)

    def another() -> None:
        settled(sessions.a_session(home, "s2"))

    def gone() -> None:
        sessions.session_path(home, "s2").unlink()

    def a_database() -> None:
        base = talks.Database(talks.database_path(home))
        base.write(talks.Talk(talks.session(), [talks.prompt(), talks.answer()]))
        base.connection.close()
        settled(base.path)

    def the_log_of_a_database() -> None:
        path = talks.database_path(home)
        Path(f"{path}-wal").write_bytes(b"x")

    def a_hook() -> None:
        (client / FOLDER).mkdir(exist_ok=True)
        (client / FOLDER / "1.events").write_bytes(b"")

    def progress_thrown_away() -> None:
        [state] = client.glob("collected-*.json")
        state.unlink()

    def another_server() -> None:
        known = server.load(client)
        assert known is not None
        server.save(client, server.Server(known.url, "sm_other"))

    for change in (
        grown, another, gone, a_database, the_log_of_a_database, a_hook, progress_thrown_away,
        another_server,
    ):  # fmt: skip
        change()
        assert (change.__name__, collect()[1]) == (change.__name__, "whole")
    collect()
    assert collect()[1] == "quick"


def test_another_command_or_environment_is_another_look(collect: Collect, home: Path) -> None:
    assert collect("--json")[1] == "whole"
    assert collect(STATIONMASTER_KEY="sm_other")[1] == "whole"
    assert collect("--since", "7d", "--dry-run")[1] == "whole"


def test_a_damaged_note_is_no_note(collect: Collect, tmp_path: Path) -> None:
    for damage in (b"\xff{", b"[]", b"{}"):
        for note in (tmp_path / "client").glob("unchanged-*.json"):
            note.write_bytes(damage)
        assert collect()[1] == "whole"


def test_sessions_of_many_files_are_looked_at_every_time(collect: Collect, home: Path) -> None:
    storage = talks.database_path(home).parent / "storage"
    settled(talks.write_files(storage, talks.Talk(talks.session(), [talks.prompt()])))

    assert [collect()[1] for _ in range(2)] == ["whole", "whole"]
