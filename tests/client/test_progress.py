"""Where reading stands in each file: remembered durably, distrusted when the file changed."""

from __future__ import annotations

from pathlib import Path

from stationmaster.client.progress import Position, Progress, fingerprint


def _read_to(path: Path, offset: int) -> Position:
    return Position(offset, fingerprint(str(path), offset), {"turn": "t1"})


def test_a_saved_position_is_found_by_the_next_run(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"one\ntwo\n")
    position = _read_to(file, 8)
    Progress(tmp_path / "c" / "progress.json").save({str(file): position})

    again = Progress(tmp_path / "c" / "progress.json")

    assert again.find(str(file)) == position
    assert not again.is_unread(str(file))


def test_a_file_never_read_is_unread(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"one\n")

    assert Progress(tmp_path / "progress.json").is_unread(str(file))


def test_a_grown_file_is_unread_and_keeps_its_position(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"one\n")
    progress = Progress(tmp_path / "progress.json")
    progress.save({str(file): _read_to(file, 4)})

    file.write_bytes(b"one\ntwo\n")

    assert progress.is_unread(str(file))
    found = progress.find(str(file))
    assert found is not None
    assert found.offset == 4


def test_a_truncated_file_has_no_position(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"one\ntwo\n")
    progress = Progress(tmp_path / "progress.json")
    progress.save({str(file): _read_to(file, 8)})

    file.write_bytes(b"one\n")

    assert progress.find(str(file)) is None
    assert progress.is_unread(str(file))


def test_a_file_rewritten_at_its_beginning_has_no_position(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"one\ntwo\n")
    progress = Progress(tmp_path / "progress.json")
    progress.save({str(file): _read_to(file, 8)})

    file.write_bytes(b"One\ntwo\nthree\n")

    assert progress.find(str(file)) is None


def test_a_file_rewritten_behind_an_equal_beginning_has_no_position(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"x" * 999 + b"\n" + b"old\n")
    progress = Progress(tmp_path / "progress.json")
    progress.save({str(file): _read_to(file, 1004)})

    file.write_bytes(b"x" * 999 + b"\n" + b"new\n" + b"more\n")

    assert progress.find(str(file)) is None


def test_a_deleted_file_has_no_position(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    file.write_bytes(b"one\n")
    progress = Progress(tmp_path / "progress.json")
    progress.save({str(file): _read_to(file, 4)})
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
    progress.save({str(file): _read_to(file, 4)})

    assert [path.name for path in (tmp_path / "c").iterdir()] == ["progress.json"]
