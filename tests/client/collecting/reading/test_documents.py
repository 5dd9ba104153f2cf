"""Reading sessions that are documents, rewritten as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from stationmaster.agents.cards.home import Home
from stationmaster.agents.interface import Intake
from stationmaster.agents.opencode import store
from stationmaster.agents.opencode.store import Store
from stationmaster.client.collecting import reading
from stationmaster.client.collecting.progress import Position, Progress
from stationmaster.client.collecting.reading import CollectionSummary, read_all
from stationmaster.client.collecting.sources import SessionFile, of_this_machine
from stationmaster.errors import Unavailable
from tests.client.collecting.reading.sinks import FolderSink, all_sessions, events_in, read_home
from tests.support import talks
from tests.support.talks import Talk, prompt


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
        return sum(event.kind == "user_message" for event in events_in(tmp_path / "out").values())

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
        files = of_this_machine(Home(str(tmp_path / "home")), all_sessions).sessions

        [(summary, positions)] = read_all(files, lambda: FolderSink(tmp_path / "out"), None, 1)

        assert (summary.files, positions) == (1, {})
        assert self.prompts(tmp_path) == 1

    def test_whose_state_another_version_wrote_are_read_from_the_start(
        self, database: talks.Database, tmp_path: Path
    ) -> None:
        database.write(Talk(talks.session(), [prompt()]))
        strange = Position(0, "", {"row": "x"}, "stamp")

        summary, positions = read_home(tmp_path / "home", tmp_path / "out", lambda _: strange)

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
