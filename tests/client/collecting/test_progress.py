"""Where reading stands in each file: remembered durably, distrusted when the file changed."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from stationmaster.agents.cards.home import Root
from stationmaster.agents.claude_code import agent as claude_code
from stationmaster.agents.opencode import agent as opencode
from stationmaster.client.collecting.folders import FolderFile, Search
from stationmaster.client.collecting.progress import UNFINISHED, Position, Progress, fingerprint
from tests.support import talks

LINES = claude_code.AGENT


def _read_to(path: Path, offset: int) -> Position:
    return Position(offset, fingerprint(str(path), offset), {"turn": "t1"}, look=_found(path).look)


def _save(progress: Progress, positions: dict[str, Position]) -> None:
    progress.note(positions)
    progress.save()


def _found(path: Path) -> FolderFile:
    [found] = Search().below(Root(str(path.parent), path.name))
    return found


def test_a_saved_position_is_found_by_the_next_run(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"one\ntwo\n")
    position = _read_to(file, 8)
    _save(Progress(tmp_path / "c" / "progress.json"), {str(file): position})

    again = Progress(tmp_path / "c" / "progress.json")

    assert again.find(str(file)) == position
    assert not again.is_unread(_found(file), LINES)


def test_a_file_never_read_is_unread(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"one\n")

    assert Progress(tmp_path / "progress.json").is_unread(_found(file), LINES)


def test_a_grown_file_is_unread_and_keeps_its_position(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"one\n")
    progress = Progress(tmp_path / "progress.json")
    _save(progress, {str(file): _read_to(file, 4)})

    file.write_bytes(b"one\ntwo\n")

    assert progress.is_unread(_found(file), LINES)
    found = progress.find(str(file))
    assert found is not None
    assert found.offset == 4


def test_a_truncated_file_has_no_position(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"one\ntwo\n")
    progress = Progress(tmp_path / "progress.json")
    _save(progress, {str(file): _read_to(file, 8)})

    file.write_bytes(b"one\n")

    assert progress.find(str(file)) is None
    assert progress.is_unread(_found(file), LINES)


def test_a_file_rewritten_at_its_beginning_has_no_position(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"one\ntwo\n")
    progress = Progress(tmp_path / "progress.json")
    _save(progress, {str(file): _read_to(file, 8)})

    file.write_bytes(b"One\ntwo\nthree\n")

    assert progress.find(str(file)) is None


def test_a_file_rewritten_behind_an_equal_beginning_has_no_position(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"x" * 999 + b"\n" + b"old\n")
    progress = Progress(tmp_path / "progress.json")
    _save(progress, {str(file): _read_to(file, 1004)})

    file.write_bytes(b"x" * 999 + b"\n" + b"new\n" + b"more\n")

    assert progress.find(str(file)) is None


def test_a_deleted_file_has_no_position(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"one\n")
    progress = Progress(tmp_path / "progress.json")
    _save(progress, {str(file): _read_to(file, 4)})
    file.unlink()

    assert progress.find(str(file)) is None


def test_a_damaged_record_means_that_nothing_was_read(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"one\n")
    for damage in (b"", b"{", b"\xff\xfe", b"[1]", b'{"a": {"offset": "x"}}', b'{"\xff": 1}'):
        (tmp_path / "progress.json").write_bytes(damage)

        assert Progress(tmp_path / "progress.json").find(str(file)) is None


def test_saving_leaves_nothing_but_the_record(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"one\n")
    progress = Progress(tmp_path / "c" / "progress.json")
    _save(progress, {str(file): _read_to(file, 4)})

    assert [path.name for path in (tmp_path / "c").iterdir()] == ["progress.json"]


def test_a_position_of_a_run_before_looks_were_kept_goes_on_where_that_stood(
    tmp_path: Path,
) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"one\n")
    progress = Progress(tmp_path / "progress.json")
    old = msgspec.structs.replace(_read_to(file, 4), look="")
    _save(progress, {str(file): old})
    assert b"look" not in (tmp_path / "progress.json").read_bytes()

    again = Progress(tmp_path / "progress.json")

    assert again.find(str(file)) == old
    assert again.is_unread(_found(file), LINES)


class TestDocument:
    """A file that its agent rewrites."""

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return talks.write_files(tmp_path / "storage", talks.Talk(talks.session()))

    @pytest.fixture
    def progress(self, tmp_path: Path) -> Progress:
        return Progress(tmp_path / "progress.json")

    def position(self, path: Path) -> Position:
        stamp = opencode.AGENT.transcript(str(path)).stamp()
        return Position(0, fingerprint(str(path), 0), {}, stamp)

    def test_that_was_read_is_not_unread(self, path: Path, progress: Progress) -> None:
        _save(progress, {str(path): self.position(path)})

        assert progress.find(str(path)) == self.position(path)
        assert not progress.is_unread(_found(path), opencode.AGENT)

    def test_that_has_another_stamp_is_unread_and_keeps_its_position(
        self, path: Path, progress: Progress
    ) -> None:
        position = self.position(path)
        _save(progress, {str(path): position})

        path.write_bytes(path.read_bytes().replace(b"1.18.33", b"1.18.34 "))

        assert progress.is_unread(_found(path), opencode.AGENT)
        assert progress.find(str(path)) == position

    def test_that_became_shorter_keeps_its_position(self, path: Path, progress: Progress) -> None:
        _save(progress, {str(path): self.position(path)})

        path.write_bytes(b"{}")

        assert progress.is_unread(_found(path), opencode.AGENT)
        assert progress.find(str(path)) is not None

    def test_that_was_read_in_part_is_unread(self, path: Path, progress: Progress) -> None:
        _save(progress, {str(path): Position(0, fingerprint(str(path), 0), {}, UNFINISHED)})

        assert progress.is_unread(_found(path), opencode.AGENT)

    def test_that_is_gone_has_no_position(self, path: Path, progress: Progress) -> None:
        _save(progress, {str(path): self.position(path)})
        path.unlink()

        assert progress.find(str(path)) is None
