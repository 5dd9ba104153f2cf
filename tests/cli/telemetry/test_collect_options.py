"""`collect --dry-run`, `--since`, and what hooks have left for it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from stationmaster.client import spool
from tests.support import sessions
from tests.support.builders import an_event
from tests.support.commands import command, succeed
from tests.support.reports import totals
from tests.support.scripted import Reply, scripted_server
from tests.support.sessions import DAY


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def _collect(made: dict[str, str], home: Path) -> dict[str, Any]:
    return dict(succeed("collect", "--data-dir", made["data"], "--home", home))


class TestDryRun:
    """What would be sent is shown, and nothing happens."""

    def test_shows_the_very_events_that_are_sent_then(self, home: Path, tmp_path: Path) -> None:
        sessions.a_session(home, text="MARKED")
        with scripted_server() as server:
            to = ("--home", home, "--url", server.url, "--key", "sm_key")
            shown = command("collect", *to, "--dry-run", "--json")
            assert not server.bodies
            assert not (tmp_path / "client").exists()
            succeed("collect", *to)

        assert shown.code == 0
        assert shown.stdout.splitlines() == b"\n".join(server.bodies).splitlines()
        assert len(shown.stdout.splitlines()) == 5
        assert b"MARKED" not in shown.stdout

    def test_counts_by_agent_and_kind_for_a_person(self, made: dict[str, str], home: Path) -> None:
        sessions.a_session(home)

        shown = command("collect", "--data-dir", made["data"], "--home", home, "--dry-run")

        rows = [line.split() for line in shown.stdout.decode().splitlines()]
        assert ["claude-code", "model_call", "2"] in rows
        assert shown.stderr.endswith("nothing was sent\n")
        assert _collect(made, home)["files"] == 1

    def test_shows_nothing_that_was_sent_already(self, made: dict[str, str], home: Path) -> None:
        sessions.a_session(home)
        _collect(made, home)

        shown = command(
            "collect", "--data-dir", made["data"], "--home", home, "--dry-run", "--json"
        )

        assert shown.stdout == b""

    def test_needs_no_server_and_no_data_folder(
        self, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sessions.a_session(home)
        monkeypatch.chdir(tmp_path)

        shown = command("collect", "--home", home, "--dry-run", "--json")

        assert len(shown.stdout.splitlines()) == 5
        assert [path.name for path in tmp_path.iterdir()] == ["home"]


class TestSince:
    """A date or a span: nothing that happened before is told."""

    def test_leaves_out_what_happened_before(self, made: dict[str, str], home: Path) -> None:
        sessions.a_session(home, last_turn=4)

        found = dict(
            succeed(
                "collect", "--data-dir", made["data"], "--home", home,
                "--since", f"{DAY}T00:00:03Z",
            )
        )  # fmt: skip

        assert found["events"]["model_call"] == 2
        assert totals(made["data"], DAY)["input_tokens"] == 20

    def test_is_made_good_by_a_run_without_it_and_nothing_counts_twice(
        self, made: dict[str, str], home: Path
    ) -> None:
        sessions.a_session(home, last_turn=4)
        succeed(
            "collect", "--data-dir", made["data"], "--home", home, "--since", f"{DAY}T00:00:03Z"
        )

        assert _collect(made, home)["files"] == 1
        assert _collect(made, home)["files"] == 0
        assert totals(made["data"], DAY)["input_tokens"] == 40

    def test_does_not_open_files_that_nobody_touched_since(
        self, made: dict[str, str], home: Path
    ) -> None:
        old = sessions.a_session(home)
        os.utime(old, (1, 1))

        found = succeed("collect", "--data-dir", made["data"], "--home", home, "--since", "7d")

        assert found["files"] == 0

    @pytest.mark.parametrize("text", ["tomorrow", "7", "0d", "-1d", "7w", "2026-13-01", "99999d9"])
    def test_that_is_no_date_is_refused(self, home: Path, text: str) -> None:
        assert "takes a date" in command("collect", "--home", home, f"--since={text}").error


class TestHooks:
    """What hooks told while no server took it."""

    def kept(self, tmp_path: Path) -> Path:
        folder = tmp_path / "client" / "hooks"
        folder.mkdir(parents=True)
        segment = spool.Segment(str(folder))
        assert segment.add([an_event(kind="user_message", session_id="s9")])
        segment.close()
        return folder

    def test_is_sent_with_the_sessions(self, home: Path, tmp_path: Path) -> None:
        folder = self.kept(tmp_path)
        sessions.a_session(home)
        with scripted_server() as there:
            succeed("collect", "--home", home, "--url", there.url, "--key", "sm_key")

        assert [event["session_id"] for event in there.events][-2:] == ["s1", "s9"]
        assert not list(spool.waiting(folder))

    def test_reaches_a_data_folder_too(
        self, made: dict[str, str], home: Path, tmp_path: Path
    ) -> None:
        folder = self.kept(tmp_path)

        _collect(made, home)

        assert totals(made["data"], DAY)["user_messages"] == 1
        assert not list(spool.waiting(folder))

    def test_is_shown_by_a_dry_run_and_stays(self, home: Path, tmp_path: Path) -> None:
        folder = self.kept(tmp_path)

        shown = command(
            "collect", "--home", home, "--url", "http://127.0.0.1:1", "--key", "k",
            "--dry-run", "--json",
        )  # fmt: skip

        assert b'"session_id":"s9"' in shown.stdout
        assert len(list(spool.waiting(folder))) == 1

    def test_stays_while_the_server_is_away(
        self, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = self.kept(tmp_path)
        with scripted_server(Reply(401)) as there:
            done = command("collect", "--home", home, "--url", there.url, "--key", "sm_key")

        assert done.code == 1
        assert len(list(spool.waiting(folder))) == 1
