"""What `collect` prints, and which folders and agents it names."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

from tests.cli.telemetry.collect.homes import collect_from
from tests.support import processes, recordings, sessions
from tests.support.commands import command
from tests.support.scripted import scripted_server


def test_the_sessions_of_all_agents_are_found_and_summed_up(
    made: dict[str, str], home: Path
) -> None:
    for agent in recordings.AGENTS:
        shutil.copytree(recordings.ROOT / agent / "transcripts", home, dirs_exist_ok=True)

    found = collect_from(made, home)

    assert sum(found["agents"].values()) == sum(found["events"].values())
    assert set(found["agents"]) == set(recordings.AGENTS)
    assert sorted(found) == [
        "agents",
        "bytes",
        "drops",
        "events",
        "files",
        "requests",
        "skipped_files",
        "tokens",
    ]
    assert found["files"] == 10
    assert found["bytes"] == sum(
        file.stat().st_size
        for agent in recordings.AGENTS
        for file in recordings.transcript_files(agent)
    )
    assert found["requests"] == found["skipped_files"] == 0
    assert found["tokens"]["output_tokens"] > 0


def test_a_folder_that_was_never_made_is_named(tmp_path: Path, home: Path) -> None:
    done = command("collect", "--data-dir", tmp_path / "none", "--home", home)

    assert done.error.startswith(f"{tmp_path}/none is not a Stationmaster data folder")


def test_the_end_says_which_agents_where_it_went_and_what_comes_next(
    made: dict[str, str], home: Path
) -> None:
    sessions.a_session(home)
    collect = ("collect", "--data-dir", made["data"], "--home", home)

    first, second = command(*collect).stderr, command(*collect).stderr

    assert first.startswith("1 session file (0.0 MB), 5 events (claude-code 5) to ")
    assert f"to {made['data']}\n" in first
    assert f"stationmaster analytics activity --data-dir {made['data']}" in first
    assert second.startswith("Nothing new since 20")
    assert "Next" not in second


def test_a_machine_without_sessions_is_told_so(made: dict[str, str], home: Path) -> None:
    done = command("collect", "--data-dir", made["data"], "--home", home)

    assert done.stderr == "No session files of a coding agent were found.\n"


def test_a_bar_is_for_terminals_alone(home: Path) -> None:
    sessions.a_session(home)
    parent, child = pty.openpty()
    with scripted_server() as server:
        to = ("--home", str(home), "--url", server.url, "--key", "sm_key")
        done = subprocess.run([*processes.PROGRAM, "collect", *to], stderr=child, timeout=60)
        os.close(child)
        seen = b""
        with suppress(OSError):
            while part := os.read(parent, 65_536):
                seen += part
        os.close(parent)
        piped = command("collect", *to)

    assert done.returncode == 0
    assert b"reading" in seen
    assert piped.stderr.startswith("Nothing new since 20")
