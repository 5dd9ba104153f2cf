from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, strategies as st

from stationmaster.errors import BadRequest
from stationmaster.wiki.transfer import names


@pytest.mark.parametrize(
    ("file", "page"),
    [
        ("overview.md", ("overview", False)),
        ("overview", ("overview", False)),
        ("index.md", ("index", False)),
        ("overview/index.md", ("overview", True)),
        ("overview/Index.MD", ("overview", True)),
        ("overview/architecture", ("overview/architecture", False)),
        ("Über uns/Straße.md", ("Über uns/Straße", False)),
        ("v1.2/notes.md.md", ("v1.2/notes.md", False)),
    ],
)
def test_a_page_is_named_by_its_file_without_the_ending(file: str, page: tuple[str, bool]) -> None:
    assert names.page_path(file) == page


def test_decomposed_letters_are_composed() -> None:
    assert names.checked(unicodedata.normalize("NFD", "über.md")) == "über.md"


@pytest.mark.parametrize(
    ("file", "fault"),
    [
        ("/etc/passwd", "is absolute"),
        ("//host/share", "is absolute"),
        ("../secret.md", "leaves its folder"),
        ("a/../../b.md", "leaves its folder"),
        ("a//b.md", "empty segment"),
        ("a/./b.md", "empty segment"),
        ("", "empty segment"),
        ("a/", "empty segment"),
        ("a\\b.md", "not every system allows"),
        ("C:/b.md", "not every system allows"),
        ("a\0b.md", "not every system allows"),
        ("a\nb.md", "not every system allows"),
        ("a\u202eb.md", "not every system allows"),
        ("a\u200bb.md", "not every system allows"),
        ("a\ud800.md", "not every system allows"),
        ("what?.md", "not every system allows"),
        (".hidden/a.md", "starts with a dot"),
        (".md", "starts with a dot"),
        ("a /b.md", "a space"),
        ("a./b.md", "ends with a dot"),
        ("con.md", "a device"),
        ("a/NUL", "a device"),
        ("Com1.tar.md", "a device"),
        ("lpt²", "a device"),
        ("x" * 121, "more than 120 bytes"),
        ("ü" * 61, "more than 120 bytes"),
        ("/".join(["x" * 100] * 3), "longer than 200 bytes"),
        ("/".join("abcdefghi"), "deeper than 8 levels"),
    ],
)
def test_a_name_that_some_system_cannot_have_is_refused(file: str, fault: str) -> None:
    with pytest.raises(BadRequest, match=fault) as refused:
        names.page_path(file)
    assert refused.value.code == "invalid_path"


@pytest.mark.parametrize(
    "files",
    [
        ["a.md", "a.md"],
        ["Guide.md", "guide.md"],
        ["straße.md", "STRASSE.md"],
        ["docs/a.md", "Docs/b.md"],
        ["a.md", "a.md/b.md"],
    ],
)
def test_files_that_cannot_lie_side_by_side_everywhere_are_refused(files: list[str]) -> None:
    with pytest.raises(BadRequest) as refused:
        names.check_unique(files)
    assert refused.value.code == "invalid_path"


def test_a_page_may_have_the_name_of_the_folder_beside_it() -> None:
    names.check_unique(["docs.md", "docs/a.md", "docs/b.md", "guides/a.md"])


@given(st.text(st.characters(), max_size=30))
def test_a_refusal_shows_nothing_invisible(file: str) -> None:
    assert names.shown(file).isprintable()


@given(st.text(st.characters(), max_size=30))
def test_a_name_is_refused_or_safe_whatever_it_is(file: str) -> None:
    try:
        path = names.checked(file)
    except BadRequest:
        return
    assert names.checked(path) == path
    assert not path.startswith("/")
    assert not {"", ".", ".."} & set(path.split("/"))
    assert not set('\\:*?"<>|') & set(path)
