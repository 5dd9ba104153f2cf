from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from stationmaster.wiki import markdown

PAGE = """# Engine

Intro.

## Start *now*

Text of start.

```sh
## no heading
```

### Details ##

More.

## Stop

End.
"""


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("# Engine\n", "Engine"),
        ("\n\n  # Engine  \n", "Engine"),
        ("# Engine #\n", "Engine"),
        ("# C#\n", "C#"),
        ("# The `engine` and [its parts](parts.md)\n", "The engine and its parts"),
        ("#\tEngine", "Engine"),
        ("# " + "x" * 500, "x" * 200),
        ("#Engine\n", None),
        ("## Engine\n", None),
        ("    # Engine\n", None),
        ("# \n", None),
        ("# ``\n", None),
        ("Engine\n======\n", None),
        ("---\ntitle: Engine\n---\n# Engine\n", None),
        ("", None),
    ],
)
def test_the_title_is_the_level_1_heading_at_the_start(content: str, title: str | None) -> None:
    assert markdown.title_of(content) == title


def test_a_page_is_cut_at_its_headings_and_knows_those_above() -> None:
    found = list(markdown.sections(PAGE))

    assert [section.headings for section in found] == [
        (),
        ("Start now",),
        ("Start now", "Details"),
        ("Stop",),
    ]
    assert "no heading" in found[1].text


def test_a_long_section_is_cut_between_words() -> None:
    found = list(markdown.sections("# Long\n" + "word " * 10_000))

    assert len(found) == 4
    assert all(len(section.text) <= markdown.SECTION_CHARS_MAX for section in found)
    assert all(section.text.endswith("word ") for section in found)


def test_a_page_of_headings_alone_has_a_bounded_number_of_sections() -> None:
    found = list(markdown.sections("# a\n" * 5_000))

    assert len(found) <= markdown.SECTIONS_MAX + 2


@given(st.text(st.sampled_from("#` ~\n\r\u2028abü[](")))
def test_sections_are_the_whole_page_byte_for_byte(content: str) -> None:
    body = content.encode()
    found = list(markdown.sections(content))

    parts = [body[section.start : section.start + section.size] for section in found]
    assert b"".join(parts) == body
    assert [part.decode() for part in parts] == [section.text for section in found]


def test_plain_text_has_words_and_no_marks() -> None:
    text = (
        "## Head\n\n- **Bold** and `code_name`, see [the *parts*](a/b.md).\n"
        "> ![flow](x.png)\n| a | b |\n<script>alert(1)</script>\u202e"
    )

    assert markdown.plain(text) == "Head Bold and code_name, see the parts. flow a b alert(1)"


def test_escaped_characters_are_text() -> None:
    assert markdown.plain(r"GET /a/\<uuid:code\>/add\_it \*twice\*") == (
        "GET /a/<uuid:code>/add_it *twice*"
    )
    assert markdown.title_of("# Keys: A\\_B to \\[c\\]\n") == "Keys: A_B to [c]"


@pytest.mark.attack
@pytest.mark.parametrize(
    "hostile", ["#" * 200_000, "[" * 200_000, "<a" * 100_000, "# " * 100_000, "`" * 200_000,
                " " * 200_000 + "x", "[](" * 70_000, "- " * 100_000, "# a" + "#" * 200_000 + "b"],
    ids=lambda text: text[:4],
)  # fmt: skip
@pytest.mark.timeout(20)
def test_hostile_text_is_read_in_linear_time(hostile: str) -> None:
    markdown.title_of(hostile)
    assert len(list(markdown.sections(hostile))) > 0
    markdown.plain(hostile)
