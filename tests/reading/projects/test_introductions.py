"""What a README says first of its project."""

from __future__ import annotations

import pytest

from stationmaster.reading.projects.introductions import introduction

LONG = "Gatus watches services " + "and evaluates their answers " * 9 + "by conditions."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# Shop\n\nA shop for tea and coffee, in Go.\n", "A shop for tea and coffee, in Go."),
        (f"# Gatus\n\n{LONG} More.\n", LONG),
        (
            '<p align="center">\n  <b>Tea</b>\n</p>\n\nTea sells tea to people.\n',
            "Tea sells tea to people.",
        ),
        ("# app\n\n## Project setup\n```\nnpm install\n```\n\n### Customize\nSee [this](x).\n", ""),
        (
            "# Base\n\n[Base](x) is an open source backend that includes:\n\n- a database\n\n"
            "**For documentation, please visit the site.**\n",
            "Base is an open source backend that includes …",
        ),
        (
            "# Base\n\n> [!NOTE]\n> This is an early version of it.\n\nIt stores what you send.\n",
            "It stores what you send.",
        ),
        (
            "# Base\n\n> Base has been moved to https://x.org.\n\nIt stores what you send.\n",
            "It stores what you send.",
        ),
        (
            "# Tea\n\nShow your love for Tea -- mugs and stickers now available!\n\n"
            "Tea sells tea to people.\n",
            "Tea sells tea to people.",
        ),
        (
            "<div><h2>Tea for all</h2>\n<h3>Tea is a web-based shop for your home</h3></div>\n\n"
            "## Demo\n\n- [Try](x) it\n\n## Help\n\n_Please do not call me. I read issues._\n",
            "Tea is a web-based shop for your home",
        ),
        (
            "# Tea\n\n## Help\n\n_Please do not call me. I read issues._\n",
            "",
        ),
        ("# Tea\n\n_Tea sells tea to people._\n", "Tea sells tea to people."),
        (
            "# Tea\n\n**Our future depends on community support.**\n\n## About\n\n"
            "`tea` is a tool that makes tea for people. It is hot.\n",
            "tea is a tool that makes tea for people.",
        ),
        ("# shop\n\nThis template should help get you started developing with Vue 3.\n", ""),
        ("This is a [Next.js](x) project bootstrapped with [`create-next-app`](y).\n", ""),
    ],
    ids=[
        "plain",
        "long",
        "HTML",
        "a template's chapters",
        "a list",
        "a remark",
        "a notice",
        "an advertisement",
        "a heading",
        "a request",
        "emphasis",
        "an appeal before a chapter",
        "a starter",
        "another",
    ],
)
def test_the_first_sentence_that_says_what_the_project_is(text: str, words: str) -> None:
    assert introduction(text) == words


def test_what_does_not_end_is_cut_between_words_and_says_so() -> None:
    cut = introduction("# A\n\n" + "word " * 200)

    assert cut.endswith("word …")
    assert len(cut) <= 400
