"""What parsers make of files, and of what is made to break them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stationmaster.repos.contents import Contents
from stationmaster.repos.yaml_nodes import Fault, text

BOMB = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>'


def contents(data: bytes) -> Contents:
    """Of a commit with the file `a` alone."""

    def read(path: str, size_max: int) -> bytes:
        if path != "a" or len(data) > size_max:
            raise Fault("there is no such file")
        return data

    def read_many(paths: object, size_max: int) -> Iterator[tuple[str, bytes]]:
        yield "a", data

    return Contents(read, read_many)


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ('{"a": [1, "//", "/*"]}', {"a": [1, "//", "/*"]}),
        ('// x\n{"a": 1, /* y */ "b": [1, 2,],}', {"a": 1, "b": [1, 2]}),
        ("{a: 'it\\'s \"b\"', $b: true,}", {"a": 'it\'s "b"', "$b": True}),
        ('\ufeff{"a": 1}', {"a": 1}),
        ("", None),
        ("{", None),
        ("[" * 100_000, None),
        ("{a: " * 100_000, None),
        ("9" * 10_000, None),
    ],
)
def test_json_is_read_as_people_write_it(given: str, value: object) -> None:
    assert contents(given.encode()).json("a") == value


@pytest.mark.parametrize(
    "given",
    [BOMB, "<a>" * 200, "<a", "", "<a>&b;</a>"],
)
def test_xml_with_entities_or_faults_or_too_deep_is_none(given: str) -> None:
    assert contents(given.encode()).xml("a") is None


def test_xml_has_plain_names_and_lines() -> None:
    root = contents(b"<?xml version='1.0'?>\n<a xmlns='urn:x'>\n<b c='1'> d </b></a>").xml("a")
    assert root is not None
    (b,) = root.all("b")
    assert (root.tag, b.line, b.attrib, root.says("b")) == ("a", 3, {"c": "1"}, "d")


def test_toml_and_yaml_that_cannot_be_read_are_empty() -> None:
    broken = contents(b"a: [")
    assert (broken.toml("a"), broken.yaml_all("a")) == ({}, [])
    assert contents(b"[a]\nb = 1").toml("a") == {"a": {"b": 1}}
    assert text(contents(b"yes\n---\nno\n").yaml("a")) == "yes"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (b"a\r\nb", "a\nb"),
        (b"\xef\xbb\xbfa", "a"),
        ("é".encode("utf-16"), "é"),
        (b"\xff\xfe", ""),
        (b"a\xffb", "a\ufffdb"),
        (b"x" * (2**20 + 1), ""),
    ],
)
def test_a_text_is_whatever_its_bytes_allow(given: bytes, told: str) -> None:
    assert contents(given).text("a") == told


def test_a_file_is_read_once_however_often_it_is_asked_for() -> None:
    asked: list[str] = []

    def read(path: str, size_max: int) -> bytes:
        asked.append(path)
        return b'{"a": 1}'

    known = Contents(read, lambda paths, size_max: iter([("b", b"2")]))
    known.fetch(["b"])
    assert (known.json("a"), known.text("a"), known.json("a"), known.json("b")) == (
        {"a": 1}, '{"a": 1}', {"a": 1}, 2,
    )  # fmt: skip
    assert asked == ["a"]
