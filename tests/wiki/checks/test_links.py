"""Checking the links and citations of a wiki."""

from __future__ import annotations

import pytest

from stationmaster import ids
from stationmaster.wiki.checks import links, scanning


def codes(pages: dict[str, str], **given: object) -> list[tuple[str, int, str]]:
    report = links.check(pages, **given)  # type: ignore[arg-type]  # names as the test gives them
    return [(each.file, each.line, each.code) for each in report.problems]


def lines_of(path: str) -> int | None:
    return {"src/app.py": 20, "Makefile": 3, "empty.py": 0}.get(path)


@pytest.mark.parametrize(
    "link",
    ["parts/pump.md", "parts/pump", "/parts/pump", "./parts/pump.md#wear", "parts/index.md",
     "parts", "/parts", "#engine", "https://example.com/x", "mailto:a@example.com", "flow.png"],
)  # fmt: skip
def test_links_to_pages_sections_images_and_other_sites_lead_somewhere(link: str) -> None:
    pages = {
        "index.md": f"# Engine\n\n[there]({link})\n",
        "parts/index.md": "# Parts\n",
        "parts/pump.md": "# Pump\n\n## Wear\n",
    }

    assert codes(pages, assets=["flow.png"]) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[gone](gone.md)", "no-page"),
        ("[out](../../etc/passwd)", "no-page"),
        ("[part](#part)", "no-anchor"),
        ("[part](other.md#part)", "no-anchor"),
        ("[js](javascript:alert)", "scheme"),
        ("[other host](//example.com)", "scheme"),
        ("![picture](gone.png)", "no-image"),
        ("![spy](https://example.com/spy.png)", "remote-image"),
        ("[with `code`](gone.md)", "no-page"),
        ("[ref]: gone.md", "no-page"),
    ],
)
def test_a_link_that_leads_nowhere_is_told_with_its_line(text: str, code: str) -> None:
    assert codes({"index.md": f"# A\n\n{text}\n", "other.md": "# B\n"}) == [("index.md", 3, code)]


@pytest.mark.parametrize("link", ["/parts", "parts", "parts/", "parts/index.md", "/parts/deep.md"])
def test_a_link_to_a_section_without_a_page_leads_to_its_index(link: str) -> None:
    pages = {"index.md": f"# A\n\n[there]({link})\n", "parts/deep/pump.md": "# Pump\n"}

    assert codes(pages) == []


def test_a_link_by_page_id_leads_to_a_page_and_to_an_index() -> None:
    ids_of = [ids.page_of_path(path) for path in ("parts", "parts/pump")]
    links = " ".join(f"[there]({page_id})" for page_id in ids_of)

    assert codes({"index.md": f"# A\n\n{links}\n", "parts/pump.md": "# Pump\n"}) == []


def test_code_in_a_quote_ends_with_its_fence_or_with_the_quote() -> None:
    closed = "> ```\n> [a](no.md)\n> ```\n>\n> [b](nor.md)\n"
    assert codes({"index.md": f"# Engine\n\n{closed}"}) == [("index.md", 7, "no-page")]
    open_one = "> ```\n> [a](no.md)\n\n[b](nor.md)\n"
    assert codes({"index.md": f"# Engine\n\n{open_one}"}) == [("index.md", 6, "no-page")]
    inside = "```\n> ```\n[a](no.md)\n```\n"
    assert codes({"index.md": f"# Engine\n\n{inside}"}) == []


def test_code_holds_no_links() -> None:
    page = "# A\n\n```\n[a](gone.md)\n```\n\n`[b](gone.md)` and ``[c](`gone.md`)``\n"

    assert codes({"index.md": page}) == []


def test_code_in_a_quote_holds_no_links_and_ends_with_the_quote() -> None:
    page = (
        "# A\n\n> ```\n> [a](gone.md)\n> ```\n> [b](b.md)\n\n> > ```\n> > [c](c.md)\n> [d](d.md)\n"
    )

    assert codes({"index.md": page}) == [("index.md", 6, "no-page"), ("index.md", 10, "no-page")]


def test_repeated_headings_have_numbered_anchors() -> None:
    page = "# A\n\n## Use `it`!\n\n## Use it\n\n[1](#use-it) [2](#use-it-1) [3](#use-it-2)\n"

    assert codes({"index.md": page}) == [("index.md", 7, "no-anchor")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[`src/app.py:3-9`](source:src/app.py#L3-L9)", None),
        ("[`src/app.py:20`](source:src/app.py#L20)", None),
        ("[`src/app.py:3-21`](source:src/app.py#L3-L21)", "no-line"),
        ("[`src/app.py:9-3`](source:src/app.py#L9-L3)", "no-line"),
        ("[`gone.py:1`](source:gone.py#L1)", "no-file"),
    ],
)
def test_a_citation_must_stand_in_the_commit(text: str, code: str | None) -> None:
    report = links.check({"index.md": f"# A\n\n{text}\n"}, lines_of=lines_of)

    assert {each.code for each in report.problems} == ({code} if code else set())
    assert (report.citations, report.unresolved) == (1, len(report.problems))


def test_a_link_to_a_whole_file_counts_as_a_link_and_must_be_there_too() -> None:
    page = "# A\n\n[`empty.py`](source:empty.py) [`gone.py`](source:gone.py)\n"

    report = links.check({"index.md": page}, lines_of=lines_of)

    assert [problem.code for problem in report.problems] == ["no-file"]
    assert (report.links, report.citations, report.unresolved) == (2, 0, 0)


def test_code_spans_cite_files_that_there_are_and_nothing_else() -> None:
    page = "# A\n\n`src/app.py:7` `src/app.py:70` `localhost:8080` `http.server:80` `a/b:1`\n"

    report = links.check({"index.md": page}, lines_of=lines_of)

    assert (report.citations, report.unresolved) == (2, 1)


def test_without_the_repository_nothing_is_said_of_citations() -> None:
    report = links.check({"index.md": "# A\n\n[`x.py:1`](source:x.py#L1)\n"})

    assert (report.citations, report.unresolved, report.problems) == (1, None, ())


def test_reading_takes_time_in_proportion_to_the_text() -> None:
    hostile = "`" * 5_000 + "[" * 5_000 + "](" * 5_000 + "``a" * 5_000

    assert len(list(scanning.scan(hostile))) < 6_000


def test_a_citation_counts_once_as_it_is_stored_and_as_it_lies_in_a_folder() -> None:
    stored = "# A\n\nIt starts here [`src/app.py:3-9`](source:src/app.py#L3-L9).\n"
    bare = "# A\n\nIt starts here `src/app.py:3-9`.\n"

    assert [
        links.check({"index.md": page}, lines_of=lines_of).citations for page in (stored, bare)
    ] == [1, 1]
