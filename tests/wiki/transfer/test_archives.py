from __future__ import annotations

import stat
import struct
import warnings
import zipfile
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings, strategies as st

from stationmaster.errors import BadRequest
from stationmaster.wiki.transfer import archives
from stationmaster.wiki.transfer.archives import Entry
from tests.wiki.wikis import FILES, patched, zipped

FILE_MAX, TOTAL_MAX = 1_000_000, 4_000_000


def unpacked(data: bytes) -> dict[str, bytes]:
    found = archives.unpack(data, lambda _name: FILE_MAX, TOTAL_MAX)
    return {entry.name: entry.content for entry in found}


def refusal(data: bytes) -> BadRequest:
    with pytest.raises(BadRequest) as refused:
        unpacked(data)
    assert refused.value.code in ("invalid_archive", "invalid_path")
    return refused.value


def test_what_is_packed_is_unpacked_in_its_order() -> None:
    entries = [Entry(name, content) for name, content in FILES.items()]

    assert list(unpacked(archives.pack(entries)).items()) == entries


def test_the_same_files_give_the_same_bytes() -> None:
    entries = [Entry(name, content) for name, content in FILES.items()]

    assert archives.pack(entries) == archives.pack(entries)


def test_an_archive_of_another_program_is_read_folders_and_comment_and_all() -> None:
    def with_comment(info: zipfile.ZipInfo) -> None:
        info.comment = b"hello"

    assert unpacked(zipped(FILES, with_comment)) == FILES
    assert unpacked(zipped({"a/": b"", "a/b.md": b"x"})) == {"a/b.md": b"x"}


def test_a_name_in_utf_8_is_read_even_where_the_archive_does_not_say_so() -> None:
    archive = zipped({"ü.md": b"x"})
    unmarked = archive.replace(b"\x00\x08\x08\x00", b"\x00\x00\x08\x00")

    assert unmarked != archive
    assert unpacked(unmarked) == {"ü.md": b"x"}


@pytest.mark.parametrize(
    "name",
    ["/a.md", "../a.md", "a/../../b.md", "a\\b.md", "C:a.md", "C:/a.md", ".git/config", "con.md"],
)
def test_a_name_that_leads_elsewhere_is_refused(name: str) -> None:
    assert "path" in refusal(zipped({name: b"x"})).detail


def test_a_folder_that_leads_elsewhere_is_refused() -> None:
    assert "leaves its folder" in refusal(zipped({"../": b"", "a.md": b"x"})).detail


def test_a_name_with_a_nul_is_refused_and_not_cut() -> None:
    archive = zipped({"aXb.md": b"x"}).replace(b"aXb.md", b"a\0b.md")

    assert refusal(archive).code == "invalid_path"


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_links_and_devices_are_refused(kind: int) -> None:
    def as_kind(info: zipfile.ZipInfo) -> None:
        info.external_attr = (kind | 0o777) << 16

    assert "'a.md' that is a link or a device" in refusal(zipped({"a.md": b"/etc"}, as_kind)).detail


def test_two_entries_of_one_name_are_refused() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        target = zipped({"a.md": b"x", "b.md": b"y"}).replace(b"b.md", b"a.md")

    assert "two entries of one name" in refusal(target).detail


@pytest.mark.parametrize("flag", [0x1, 0x41, 0x2000])
def test_an_encrypted_entry_is_refused(flag: int) -> None:
    assert (
        "encrypted entry 'a.md'" in refusal(patched(zipped({"a.md": b"x"}), 8, "<H", flag)).detail
    )


def test_a_method_that_is_not_common_is_refused() -> None:
    def as_bzip2(info: zipfile.ZipInfo) -> None:
        info.compress_type = zipfile.ZIP_BZIP2

    assert "neither stored nor deflated" in refusal(zipped({"a.md": b"x"}, as_bzip2)).detail


def test_more_entries_than_allowed_are_refused_before_they_are_read() -> None:
    central = b"PK\x01\x02" + bytes(42)

    assert "5000 entries" in refusal(central * 5_001).detail


def test_an_archive_that_grows_a_hundredfold_is_refused() -> None:
    assert "100 times" in refusal(zipped({"a.md": bytes(2_000_000)})).detail


def test_a_file_over_its_limit_is_refused_by_name() -> None:
    noise = bytes(range(256)) * 4_000

    assert "'a.md' of more than 1000000 bytes" in refusal(zipped({"a.md": noise})).detail


def test_more_content_than_allowed_is_refused_before_it_is_read() -> None:
    archive = patched(zipped({"a.md": b"x"}), 24, "<I", TOTAL_MAX + 1)

    assert "more than 4000000 bytes" in refusal(archive).detail


@pytest.mark.parametrize("size", [0, 1, 4, 6, 400])
def test_a_size_that_is_a_lie_is_refused(size: int) -> None:
    archive = patched(zipped({"a.md": b"hello"}), 24, "<I", size)

    assert refusal(archive).code == "invalid_archive"


def test_a_checksum_that_is_a_lie_is_refused() -> None:
    archive = zipped({"a.md": b"hello"})

    assert "damaged" in refusal(patched(archive, 16, "<I", 1)).detail


@pytest.mark.parametrize("size", [0xFFFF_FFFF, 0xFFFF_FFFE])
def test_a_64_bit_size_that_is_not_there_is_refused(size: int) -> None:
    assert refusal(patched(zipped({"a.md": b"x"}), 24, "<I", size)).code == "invalid_archive"


def test_entries_that_share_bytes_are_refused() -> None:
    archive = zipped({"a.md": b"hello" * 20, "b.md": b"hello" * 20})
    second = archive.rindex(b"PK\x01\x02")
    shared = archive[: second + 42] + struct.pack("<I", 0) + archive[second + 46 :]

    assert "overlaps" in refusal(shared).detail


@pytest.mark.parametrize(
    "change",
    [
        lambda archive: archive + b"more",
        lambda archive: archive + archive,
        lambda archive: b"#!/bin/sh\n" + archive,
        lambda archive: archive[:-1],
        lambda archive: archive[: len(archive) // 2],
        lambda archive: archive[10:],
        lambda archive: b"",
        lambda archive: b"PK\x05\x06",
        lambda archive: b"\x1f\x8b hello",
    ],
    ids=["trailing", "twice", "leading", "cut", "half", "headless", "empty", "end", "other"],
)
def test_anything_before_after_or_missing_is_refused(change: Callable[[bytes], bytes]) -> None:
    assert refusal(change(zipped(FILES))).code == "invalid_archive"


def test_an_empty_archive_has_no_files() -> None:
    assert unpacked(zipped({})) == {}


@given(st.data())
@settings(max_examples=300)
def test_a_changed_byte_is_refused_or_changes_no_content(data: st.DataObject) -> None:
    archive = bytearray(zipped(FILES))
    place = data.draw(st.integers(0, len(archive) - 1))
    archive[place] = data.draw(st.integers(0, 255))

    try:
        found = unpacked(bytes(archive))
    except BadRequest:
        return
    assert set(found.values()) <= set(FILES.values())


@given(st.binary(max_size=300))
def test_any_bytes_are_refused_or_read(data: bytes) -> None:
    with suppress(BadRequest):
        unpacked(data)
