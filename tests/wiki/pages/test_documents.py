"""Pages that quote documents of the repository."""

from __future__ import annotations

from stationmaster.wiki.pages.documents import QUOTED_MAX, SECTIONS_MAX
from tests.wiki.pages.shops import pages

TEXT = "The shop keeps what people are about to buy, and tells them what all of it costs."


def test_a_long_document_is_quoted_with_what_tells_how_something_is_added() -> None:
    sections = ["[Back](#shop)", *(f"Price {n}" for n in range(QUOTED_MAX)), "Add a handler"]
    text = "# Shop\n\n" + "".join(f"## {it}\n\n{TEXT}\n\n" for it in sections)
    text = text.replace(f"(#shop)\n\n{TEXT}", "(#shop)") + "## Code\n\n```sh\nshop --all\n```\n"
    written = pages({"docs/shop.md": text})
    told, _, others = written["documents/docs-shop"].partition("## Sections that")
    assert f"## Price {SECTIONS_MAX}\n" in written["documents/docs-shop-2"]
    assert "## Add a handler\n" in written[f"documents/docs-shop-{QUOTED_MAX // SECTIONS_MAX}"]
    assert f"- Price {QUOTED_MAX - 1} (" in others
    assert "Back" not in told + others


def test_a_short_section_is_quoted_and_one_on_something_else_is_named() -> None:
    text = (
        f"# Shop\n\n{TEXT * 5}\n\n## Embed\n\n```sh\nshop a\n```\n\n## License\n\nMIT only, all.\n"
    )
    told, _, others = pages({"docs/shop.md": text})["documents/docs-shop"].partition(
        "## Sections that"
    )
    assert "## Embed\n\n> ```sh\n> shop a" in told
    assert "- License (" in others


def test_the_list_of_documents_says_how_many_sections_it_does_not_name() -> None:
    text = "# Shop\n\n" + "".join(f"## Price {n}\n\n{TEXT}\n\n" for n in range(9))
    assert "Price 4, Price 5 and 3 more |" in pages({"docs/shop.md": text})["documents"]


def test_documents_without_a_page_are_listed() -> None:
    files = {"docs/shop.md": f"# Shop\n\n{TEXT * 5}\n", "SECURITY.md": "# Reporting\n\nBy mail.\n"}
    told = pages(files)["documents"].partition("## Documents without a page")[2]
    assert "- Reporting ([`SECURITY.md`]" in told


def test_a_list_of_documents_begins_none_with_code() -> None:
    code = "```sh\ngit fetch origin # all of what is new there.\n```"
    files = {
        "docs/shop.md": f"# Shop\n\nType this:\n\n{code}\n\n{TEXT * 5}\n",
        "docs/till.md": f"# Till\n\n{code}\n\n{TEXT * 5}\n",
    }
    told = pages(files)["documents"]
    assert "git fetch" not in told


def test_files_that_are_left_out_are_named_those_of_the_product_first() -> None:
    made = {f"tests/fixtures/till{n}.py": "x = 1\n" for n in range(12)}
    body = pages({"shop/till.py": "x = 1\n", "package-lock.json": "{}\n", **made})["gaps"]
    rows = [
        line
        for line in body.partition("## Left out")[2].partition("\n## ")[0].split("\n")
        if "source:" in line
    ]
    assert "package-lock.json" in rows[0]
    assert len(rows) == 10
    assert "3 more are left out." in body
