"""Reading session files: whole lines, in bounded pieces, the same with any number of processes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from stationmaster.agents.cards.home import Home
from stationmaster.agents.interface import Intake
from stationmaster.client.collecting import reading
from stationmaster.client.collecting.progress import Position
from stationmaster.client.collecting.reading import CollectionSummary, Sink, read_all
from stationmaster.client.collecting.sources import SessionFile, of_this_machine
from stationmaster.errors import OperatorError, Unavailable
from stationmaster.events.model import Event
from tests.client.collecting.reading.sinks import FolderSink, all_sessions, events_in, read_home
from tests.support import recordings, sessions


def _recorded_home(folder: Path) -> Path:
    for agent in recordings.RECORDED:
        shutil.copytree(recordings.ROOT / agent / "transcripts", folder, dirs_exist_ok=True)
    return folder


def test_what_was_read_is_summed_up(tmp_path: Path) -> None:
    session = sessions.a_session(tmp_path / "home", last_turn=3)

    summary, positions = read_home(tmp_path / "home", tmp_path / "out")

    assert summary == CollectionSummary(
        files=1,
        size_bytes=session.stat().st_size,
        events={"session_context": 1, "user_message": 3, "model_call": 3},
        agents={"claude-code": 7},
        tokens={
            "input_tokens": 30,
            "output_tokens": 15,
            "cache_read_tokens": 0,
            "cache_write_tokens": 0,
        },
        drops={},
    )
    assert positions[str(session)].offset == session.stat().st_size


def test_a_half_written_last_line_is_left_for_the_next_run(tmp_path: Path) -> None:
    session = sessions.a_session(tmp_path / "home", last_turn=1)
    prompt, answer = sessions.turn_lines("s1", 2)
    whole = session.read_bytes()
    session.write_bytes(whole + prompt[:40])

    first, positions = read_home(tmp_path / "home", tmp_path / "out")
    session.write_bytes(whole + prompt + answer)
    second, _ = read_home(tmp_path / "home", tmp_path / "out", positions.get)

    assert first.size_bytes == len(whole)
    assert first.events == {"session_context": 1, "user_message": 1, "model_call": 1}
    assert second.size_bytes == len(prompt + answer)
    kinds = sorted(event.kind for event in events_in(tmp_path / "out").values())
    assert kinds == ["model_call"] * 2 + ["session_context"] + ["user_message"] * 2


def test_a_whole_last_line_without_its_newline_is_read_once(tmp_path: Path) -> None:
    session = sessions.a_session(tmp_path / "home", last_turn=1)
    session.write_bytes(session.read_bytes()[:-1])
    first, positions = read_home(tmp_path / "home", tmp_path / "out")

    session.write_bytes(session.read_bytes() + b"\n" + sessions.turns("s1", 2, 2))
    second, _ = read_home(tmp_path / "home", tmp_path / "out", positions.get)

    assert first.tokens["input_tokens"] == 10
    assert second.drops == {}
    found = events_in(tmp_path / "out").values()
    assert sum(event.input_tokens or 0 for event in found) == 20


@pytest.mark.parametrize("agent", recordings.AGENTS)
def test_a_session_read_line_by_line_gives_the_events_of_one_reading(
    agent: str, tmp_path: Path
) -> None:
    source = recordings.transcript_files(agent)[0]
    path = tmp_path / "home" / source.relative_to(recordings.ROOT / agent / "transcripts")
    path.parent.mkdir(parents=True)
    lines = source.read_bytes().splitlines(keepends=True)
    positions: dict[str, Position] = {}
    for number in range(len(lines)):
        path.write_bytes(b"".join(lines[: number + 1]))
        _, read = read_home(tmp_path / "home", tmp_path / "pieces", positions.get)
        positions.update(read)

    read_home(tmp_path / "home", tmp_path / "whole")

    pieces, whole = events_in(tmp_path / "pieces"), events_in(tmp_path / "whole")
    assert sorted(pieces) == sorted(whole)
    assert _tokens(pieces) == _tokens(whole)


def _tokens(found: dict[str, Event]) -> dict[str, tuple[int | None, ...]]:
    return {
        key: (event.input_tokens, event.output_tokens, event.cache_read_tokens)
        for key, event in found.items()
        if event.kind == "model_call"
    }


def test_lines_of_any_length_are_read_in_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = sessions.a_session(tmp_path / "home", last_turn=50)
    session.write_bytes(session.read_bytes() + sessions.turns("s1", 51, 51, "long " * 5_000))
    whole, _ = read_home(tmp_path / "home", tmp_path / "whole")

    monkeypatch.setattr(reading, "_BLOCK_BYTES", 700)
    pieces, _ = read_home(tmp_path / "home", tmp_path / "pieces")

    assert pieces == whole
    assert whole.events["model_call"] == 51


def test_a_long_session_is_delivered_in_pieces_that_can_be_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = sessions.a_session(tmp_path / "home", last_turn=40)
    monkeypatch.setattr(reading, "_BLOCK_BYTES", 1_000)
    monkeypatch.setattr(reading, "_EVENTS_PER_DELIVERY", 10)
    files = of_this_machine(Home(str(tmp_path / "home")), all_sessions).sessions
    (tmp_path / "out").mkdir()

    parts = list(read_all(files, lambda: FolderSink(tmp_path / "out"), lambda _: None, 1))
    offsets = [positions[str(session)].offset for _, positions in parts]
    _, halfway = parts[len(parts) // 2]
    (tmp_path / "rest").mkdir()
    list(read_all(files, lambda: FolderSink(tmp_path / "rest"), halfway.get, 1))

    assert len(parts) >= 6
    assert offsets == sorted(set(offsets))
    assert sum(summary.files for summary, _ in parts) == 1
    found = events_in(tmp_path / "out")
    assert sum(event.kind == "model_call" for event in found.values()) == 40
    assert 0 < len(events_in(tmp_path / "rest")) < len(found)
    assert set(events_in(tmp_path / "rest")) < set(found)


def test_a_position_of_another_version_means_reading_from_the_start(tmp_path: Path) -> None:
    session = sessions.a_session(tmp_path / "home", last_turn=2)
    strange = Position(10, "", {"session": 7, "waiting": "x"})

    summary, _ = read_home(tmp_path / "home", tmp_path / "out", lambda _: strange)

    assert summary.size_bytes == session.stat().st_size
    assert summary.tokens["output_tokens"] == 10


def test_a_session_deleted_before_it_is_read_is_passed_over(tmp_path: Path) -> None:
    kept = sessions.a_session(tmp_path / "home", "s1")
    gone = SessionFile(str(tmp_path / "home" / "gone.jsonl"), "claude-code", 10)
    (tmp_path / "out").mkdir()

    parts = read_all(
        [gone, SessionFile(str(kept), "claude-code", kept.stat().st_size)],
        lambda: FolderSink(tmp_path / "out"),
        lambda _: None,
        1,
    )

    assert [(summary.files, list(positions)) for summary, positions in parts] == [(1, [str(kept)])]


def test_two_processes_give_the_events_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = _recorded_home(tmp_path / "home")
    one, one_positions = read_home(home, tmp_path / "one")

    monkeypatch.setattr(reading, "_BYTES_WORTH_A_PROCESS", 1_000)
    two, two_positions = read_home(home, tmp_path / "two", processes=2)

    readers = {path.name.split("-")[0] for path in (tmp_path / "two").iterdir()}
    assert len(readers) == 2
    assert str(os.getpid()) not in readers
    assert two == one
    assert two_positions == one_positions
    assert events_in(tmp_path / "two") == events_in(tmp_path / "one")


def test_the_positions_of_many_files_pass_from_many_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_BYTES_WORTH_A_PROCESS", 1)
    monkeypatch.setattr(reading, "_EVENTS_PER_DELIVERY", 1)
    for number in range(200):
        sessions.a_session(tmp_path / "home", f"s{number}", last_turn=1)

    summary, positions = read_home(tmp_path / "home", tmp_path / "out", processes=4)

    assert summary.files == len(positions) == 200
    assert summary.tokens["input_tokens"] == 2_000


class FailingSink(FolderSink):
    """Fails for one session and takes the others."""

    def deliver(self, product: str, intake: Intake) -> None:
        if any(event.session_id == "s2" for event in intake.events):
            raise Unavailable("the disk is full", code="storage_unavailable")
        super().deliver(product, intake)


class DyingSink(FolderSink):
    """Ends its process, as the kernel does when memory is short."""

    def deliver(self, product: str, intake: Intake) -> None:
        os._exit(9)


def _read_with(sink: type[FolderSink], tmp_path: Path) -> None:
    for name in ("s1", "s2", "s3"):
        sessions.a_session(tmp_path / "home", name)
    (tmp_path / "out").mkdir()

    def open_sink() -> Sink:
        return sink(tmp_path / "out")

    files = of_this_machine(Home(str(tmp_path / "home")), all_sessions).sessions
    list(read_all(files, open_sink, lambda _: None, 3))


def test_a_failure_of_one_process_is_raised_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_BYTES_WORTH_A_PROCESS", 1)

    with pytest.raises(Unavailable, match=r"^the disk is full$") as raised:
        _read_with(FailingSink, tmp_path)

    assert raised.value.code == "storage_unavailable"


def test_a_process_that_dies_is_an_error_and_not_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_BYTES_WORTH_A_PROCESS", 1)

    with pytest.raises(OperatorError, match="a reading process ended with code 9"):
        _read_with(DyingSink, tmp_path)
