"""Citations become addresses of the commit's host, and nothing else of a page changes."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from stationmaster.wiki import citations
from stationmaster.wiki.text.inline import Place

COMMIT = "c" * 40
CITED = "[`src/a b.py:3-9`](source:src/a%20b.py#L3-L9)"


ADDRESSES = [
    ("https://github.com/o/r.git", f"https://github.com/o/r/blob/{COMMIT}/src/a%20b.py#L3-L9"),
    ("git@github.com:o/r.git", f"https://github.com/o/r/blob/{COMMIT}/src/a%20b.py#L3-L9"),
    ("https://u:p@gitlab.com/g/s/r", f"https://gitlab.com/g/s/r/-/blob/{COMMIT}/src/a%20b.py#L3-9"),
    ("https://gitlab.git.example/r", f"https://gitlab.git.example/r/-/blob/{COMMIT}/src/a%20b.py#L3-9"),
    ("https://codeberg.org/o/r", f"https://codeberg.org/o/r/src/commit/{COMMIT}/src/a%20b.py#L3-L9"),
    ("https://forgejo.git.example/o/r", f"https://forgejo.git.example/o/r/src/commit/{COMMIT}/src/a%20b.py#L3-L9"),
    ("https://bitbucket.org/o/r", f"https://bitbucket.org/o/r/src/{COMMIT}/src/a%20b.py#lines-3:9"),
    ("https://git.sr.ht/~o/r", f"https://git.sr.ht/~o/r/tree/{COMMIT}/item/src/a%20b.py#L3-9"),
    ("git@ssh.dev.azure.com:v3/o/p/r",
        f"https://dev.azure.com/o/p/_git/r?path=/src/a%20b.py&version=GC{COMMIT}&line=3&lineEnd=10"
        "&lineStartColumn=1&lineEndColumn=1&lineStyle=plain&_a=contents"),
]  # fmt: skip


@pytest.mark.parametrize(("url", "address"), ADDRESSES)
def test_each_kind_of_host_has_its_own_addresses(url: str, address: str) -> None:
    host = citations.host(url, COMMIT)

    assert citations.expand(f"See {CITED}.", host) == f"See [`src/a b.py:3-9`]({address})."


@pytest.mark.parametrize("url", [None, "", "https://git.example/o/r", "/srv/git/r", "https://[x"])
def test_where_the_host_is_unknown_the_place_stays_as_code(url: str | None) -> None:
    host = citations.host(url, COMMIT)

    assert host is None
    assert citations.expand(f"See {CITED}, {CITED}.", host) == (
        "See `src/a b.py:3-9`, `src/a b.py:3-9`."
    )


@pytest.mark.parametrize(
    ("cited", "ending"),
    [
        ("[`a.py`](source:a.py)", "a.py"),
        ("[`a.py:7`](source:a.py#L7)", "a.py#L7"),
        ("[``a`b.py:7``](source:a%60b.py#L7)", "a%60b.py#L7"),
        ("[`` `x ``](source:%60x)", "%60x"),
    ],
)
def test_a_file_a_line_and_a_name_with_backticks_are_cited(cited: str, ending: str) -> None:
    told = citations.expand(cited, citations.host("https://github.com/o/r", COMMIT))

    assert told.endswith(f"](https://github.com/o/r/blob/{COMMIT}/{ending})")


def test_other_links_of_the_line_stay_as_they_are() -> None:
    line = f"- [`core`](modules/core.md) and [text](x.md): {CITED} | `](source:no)`"

    told = citations.expand(line, None)

    assert told == "- [`core`](modules/core.md) and [text](x.md): `src/a b.py:3-9` | `](source:no)`"


def test_blocks_of_code_stay_as_they_are() -> None:
    body = f"```sh\n{CITED}\n```\n\n{CITED}\n"

    assert citations.expand(body, None) == f"```sh\n{CITED}\n```\n\n`src/a b.py:3-9`\n"


def test_a_line_of_many_brackets_costs_no_more_than_its_length() -> None:
    hostile = "[`" * 100_000 + "](source:" * 10

    assert citations.expand(hostile, None) == hostile


@pytest.mark.parametrize("url", [url for url, _ in ADDRESSES])
@pytest.mark.parametrize("place", [Place("src/a b.py"), Place("a.py", 3), Place("a.py", 3, 9)])
def test_what_a_host_is_told_can_be_read_back(url: str, place: Place) -> None:
    at = citations.host(url, COMMIT)
    assert at is not None
    address = at.address(quote(place.path), place.line, place.end)

    told = at.cited(address)

    assert told is not None
    assert (told.path, told.line, told.end or told.line) == (
        place.path, place.line, place.end or place.line,
    )  # fmt: skip
    assert at.cited(address.replace(COMMIT, "0" * 40)) is None
    assert at.cited("https://example.com/" + place.path) is None
