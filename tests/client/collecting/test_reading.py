"""Reading session files: whole lines, in bounded pieces, the same with any number of processes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from stationmaster.agents.cards.home import Home
from stationmaster.agents.interface import Agent, Intake
from stationmaster.agents.opencode import store
from stationmaster.agents.opencode.store import Store
from stationmaster.client.collecting import reading
from stationmaster.client.collecting.folders import FolderFile
from stationmaster.client.collecting.progress import Position, Progress
from stationmaster.client.collecting.reading import CollectionSummary, Sink, read_all
from stationmaster.client.collecting.sources import SessionFile, of_this_machine
from stationmaster.errors import OperatorError, Unavailable
from stationmaster.events.model import Event
from tests.support import recordings, sessions, talks
from tests.support.talks import Talk, prompt

Find = Callable[[str], Position | None]


def _all(found: FolderFile, agent: Agent) -> bool:
    return True


class FolderSink:
    """Writes each delivery to a file of its own, so that several processes can share a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def deliver(self, product: str, intake: Intake) -> None:
        number = len(list(self._folder.glob(f"{os.getpid()}-*")))
        path = self._folder / f"{os.getpid()}-{number:06}"
        path.write_bytes(b"\n".join(map(msgspec.json.encode, intake.events)))

    def post_events(self, lines: bytes) -> None:
        raise AssertionError("nobody has written events")

    def close(self) -> None:
        pass


def _found(folder: Path) -> dict[str, Event]:
    """The delivered events by id, as the lake would merge equal ones: the fuller last one."""
    return {
        event.event_id: event
        for path in sorted(folder.iterdir())
        for event in msgspec.json.decode(
            b"[" + b",".join(path.read_bytes().splitlines()) + b"]", type=list[Event]
        )
    }


def _read(
    home: Path, folder: Path, find: Find = lambda _: None, processes: int = 1
) -> tuple[CollectionSummary, dict[str, Position]]:
    folder.mkdir(exist_ok=True)
    summary, positions = CollectionSummary(), {}
    found = of_this_machine(Home(str(home)), _all).sessions
    for part, read in read_all(found, lambda: FolderSink(folder), find, processes):
        summary.add(part)
        positions.update(read)
    return summary, positions


def _recorded_home(folder: Path) -> Path:
    for agent in recordings.RECORDED:
        shutil.copytree(recordings.ROOT / agent / "transcripts", folder, dirs_exist_ok=True)
    return folder


def test_what_was_read_is_summed_up(tmp_path: Path) -> None:
    session = sessions.a_session(tmp_path / "home", last_turn=3)

    summary, positions = _read(tmp_path / "home", tmp_path / "out")

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

    first, positions = _read(tmp_path / "home", tmp_path / "out")
    session.write_bytes(whole + prompt + answer)
    second, _ = _read(tmp_path / "home", tmp_path / "out", positions.get)

    assert first.size_bytes == len(whole)
    assert first.events == {"session_context": 1, "user_message": 1, "model_call": 1}
    assert second.size_bytes == len(prompt + answer)
    kinds = sorted(event.kind for event in _found(tmp_path / "out").values())
    assert kinds == ["model_call"] * 2 + ["session_context"] + ["user_message"] * 2


def test_a_whole_last_line_without_its_newline_is_read_once(tmp_path: Path) -> None:
    session = sessions.a_session(tmp_path / "home", last_turn=1)
    session.write_bytes(session.read_bytes()[:-1])
    first, positions = _read(tmp_path / "home", tmp_path / "out")

    session.write_bytes(session.read_bytes() + b"\n" + sessions.turns("s1", 2, 2))
    second, _ = _read(tmp_path / "home", tmp_path / "out", positions.get)

    assert first.tokens["input_tokens"] == 10
    assert second.drops == {}
    found = _found(tmp_path / "out").values()
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
        _, read = _read(tmp_path / "home", tmp_path / "pieces", positions.get)
        positions.update(read)

    _read(tmp_path / "home", tmp_path / "whole")

    pieces, whole = _found(tmp_path / "pieces"), _found(tmp_path / "whole")
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
    whole, _ = _read(tmp_path / "home", tmp_path / "whole")

    monkeypatch.setattr(reading, "_BLOCK_BYTES", 700)
    pieces, _ = _read(tmp_path / "home", tmp_path / "pieces")

    assert pieces == whole
    assert whole.events["model_call"] == 51


def test_a_long_session_is_delivered_in_pieces_that_can_be_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = sessions.a_session(tmp_path / "home", last_turn=40)
    monkeypatch.setattr(reading, "_BLOCK_BYTES", 1_000)
    monkeypatch.setattr(reading, "_EVENTS_PER_DELIVERY", 10)
    files = of_this_machine(Home(str(tmp_path / "home")), _all).sessions
    (tmp_path / "out").mkdir()

    parts = list(read_all(files, lambda: FolderSink(tmp_path / "out"), lambda _: None, 1))
    offsets = [positions[str(session)].offset for _, positions in parts]
    _, halfway = parts[len(parts) // 2]
    (tmp_path / "rest").mkdir()
    list(read_all(files, lambda: FolderSink(tmp_path / "rest"), halfway.get, 1))

    assert len(parts) >= 6
    assert offsets == sorted(set(offsets))
    assert sum(summary.files for summary, _ in parts) == 1
    found = _found(tmp_path / "out")
    assert sum(event.kind == "model_call" for event in found.values()) == 40
    assert 0 < len(_found(tmp_path / "rest")) < len(found)
    assert set(_found(tmp_path / "rest")) < set(found)


def test_a_position_of_another_version_means_reading_from_the_start(tmp_path: Path) -> None:
    session = sessions.a_session(tmp_path / "home", last_turn=2)
    strange = Position(10, "", {"session": 7, "waiting": "x"})

    summary, _ = _read(tmp_path / "home", tmp_path / "out", lambda _: strange)

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
    one, one_positions = _read(home, tmp_path / "one")

    monkeypatch.setattr(reading, "_BYTES_WORTH_A_PROCESS", 1_000)
    two, two_positions = _read(home, tmp_path / "two", processes=2)

    readers = {path.name.split("-")[0] for path in (tmp_path / "two").iterdir()}
    assert len(readers) == 2
    assert str(os.getpid()) not in readers
    assert two == one
    assert two_positions == one_positions
    assert _found(tmp_path / "two") == _found(tmp_path / "one")


def test_the_positions_of_many_files_pass_from_many_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_BYTES_WORTH_A_PROCESS", 1)
    monkeypatch.setattr(reading, "_EVENTS_PER_DELIVERY", 1)
    for number in range(200):
        sessions.a_session(tmp_path / "home", f"s{number}", last_turn=1)

    summary, positions = _read(tmp_path / "home", tmp_path / "out", processes=4)

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

    files = of_this_machine(Home(str(tmp_path / "home")), _all).sessions
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


class TestDocuments:
    """Files that their agent rewrites: told as a whole, once for every change."""

    @pytest.fixture
    def database(self, tmp_path: Path) -> Iterator[talks.Database]:
        made = talks.Database(talks.database_path(tmp_path / "home"))
        yield made
        made.connection.close()

    def run(self, tmp_path: Path, sink: type[FolderSink] = FolderSink) -> list[CollectionSummary]:
        """One run of a reader that continues: what it has delivered is remembered at once."""
        progress = Progress(tmp_path / "progress.json")
        (tmp_path / "out").mkdir(exist_ok=True)
        files = of_this_machine(Home(str(tmp_path / "home")), progress.is_unread).sessions
        parts = []
        for part, positions in read_all(files, lambda: sink(tmp_path / "out"), progress.find, 1):
            progress.note(positions)
            progress.save()
            parts.append(part)
        return parts

    def prompts(self, tmp_path: Path) -> int:
        return sum(event.kind == "user_message" for event in _found(tmp_path / "out").values())

    def test_are_read_once_for_every_change(self, database: talks.Database, tmp_path: Path) -> None:
        database.write(Talk(talks.session(), [prompt()]))
        [first] = self.run(tmp_path)
        assert (first.files, first.events) == (1, {"session_context": 1, "user_message": 1})
        assert first.size_bytes == database.path.stat().st_size
        [again] = self.run(tmp_path)
        assert (again.files, again.events) == (0, {})

        database.write(Talk(talks.session(), [prompt(after=5_000)]))
        [second] = self.run(tmp_path)

        assert (second.files, second.events["user_message"]) == (1, 1)
        assert self.prompts(tmp_path) == 2

    def test_that_changed_without_news_are_read_and_tell_nothing(
        self, database: talks.Database, tmp_path: Path
    ) -> None:
        database.write(Talk(talks.session(), [prompt()]))
        self.run(tmp_path)
        database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

        [part] = self.run(tmp_path)

        assert (part.files, part.events) == (1, {})

    def test_that_change_while_they_are_read_are_read_again(
        self, database: talks.Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        database.write(Talk(talks.session(), [prompt()]))
        read = Store.read

        def read_and_write(document: Store, intake: Intake) -> None:
            read(document, intake)
            database.write(Talk(talks.session(), [prompt(after=5_000)]))

        with monkeypatch.context() as patched:
            patched.setattr(Store, "read", read_and_write)
            self.run(tmp_path)
        assert self.prompts(tmp_path) == 1

        self.run(tmp_path)

        assert self.prompts(tmp_path) == 2

    def test_are_delivered_in_pieces(
        self, database: talks.Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(store, "_MESSAGES_IN_A_PIECE", 7)
        monkeypatch.setattr(reading, "_EVENTS_PER_DELIVERY", 20)
        database.write(Talk(talks.session(), [prompt(after=1_000 * n) for n in range(1, 100)]))

        parts = self.run(tmp_path)

        assert [part.files for part in parts] == [1, 0, 0, 0, 0]
        assert sum(part.events.get("user_message", 0) for part in parts) == 99
        assert sum(part.size_bytes for part in parts) == database.path.stat().st_size
        assert self.prompts(tmp_path) == 99
        assert [part.files for part in self.run(tmp_path)] == [0]

    @pytest.mark.parametrize("deliveries", range(6))
    def test_of_which_only_pieces_were_delivered_are_told_again(
        self,
        deliveries: int,
        database: talks.Database,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(store, "_MESSAGES_IN_A_PIECE", 7)
        monkeypatch.setattr(reading, "_EVENTS_PER_DELIVERY", 20)
        database.write(Talk(talks.session(), [prompt(after=1_000 * n) for n in range(1, 100)]))

        class Ending(FolderSink):
            left = deliveries

            def deliver(self, product: str, intake: Intake) -> None:
                if not Ending.left:
                    raise Unavailable("the server is away", code="unavailable")
                Ending.left -= 1
                super().deliver(product, intake)

        if deliveries < 5:
            with pytest.raises(Unavailable):
                self.run(tmp_path, Ending)
        else:
            self.run(tmp_path, Ending)

        self.run(tmp_path)

        assert self.prompts(tmp_path) == 99
        assert [part.files for part in self.run(tmp_path)] == [0]

    def test_that_nobody_continues_leave_no_position(
        self, database: talks.Database, tmp_path: Path
    ) -> None:
        database.write(Talk(talks.session(), [prompt()]))
        (tmp_path / "out").mkdir()
        files = of_this_machine(Home(str(tmp_path / "home")), _all).sessions

        [(summary, positions)] = read_all(files, lambda: FolderSink(tmp_path / "out"), None, 1)

        assert (summary.files, positions) == (1, {})
        assert self.prompts(tmp_path) == 1

    def test_whose_state_another_version_wrote_are_read_from_the_start(
        self, database: talks.Database, tmp_path: Path
    ) -> None:
        database.write(Talk(talks.session(), [prompt()]))
        strange = Position(0, "", {"row": "x"}, "stamp")

        summary, positions = _read(tmp_path / "home", tmp_path / "out", lambda _: strange)

        assert summary.events["user_message"] == 1
        assert positions[str(database.path)].state["row"] == 1

    def test_that_are_deleted_before_they_are_read_are_passed_over(self, tmp_path: Path) -> None:
        gone = SessionFile(str(tmp_path / "opencode.db"), "opencode", 10)
        (tmp_path / "out").mkdir()

        parts = read_all([gone], lambda: FolderSink(tmp_path / "out"), lambda _: None, 1)

        assert [(summary.files, positions) for summary, positions in parts] == [(0, {})]

    def test_of_several_files_are_one_file(self, tmp_path: Path) -> None:
        storage = talks.database_path(tmp_path / "home").parent / "storage"
        talks.write_files(storage, Talk(talks.session(), [prompt(), talks.answer()]))
        [first] = self.run(tmp_path)
        assert (first.files, first.events["model_call"]) == (1, 1)

        talks.write_files(storage, Talk(talks.session(), [prompt(after=5_000)]))
        [second] = self.run(tmp_path)

        assert (second.files, second.events["user_message"]) == (1, 1)
        assert [part.files for part in self.run(tmp_path)] == [0]
