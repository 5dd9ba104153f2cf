"""Markdown that anybody may have written, as HTML that is safe to look at."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from stationmaster.web.frame.markdown import WHOLE_MAX, render


class Elements(HTMLParser):
    """The elements of a text, as a browser would see them."""

    def __init__(self) -> None:
        super().__init__()
        self.all: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.all.append((tag, {name: value or "" for name, value in attrs}))


PAGES = {"index": "/w/1", "modules/mail": "/w/2", "modules": "/w/3", "api": "/w/4"}


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[a](javascript:alert(1))",
        "[a](data:text/html;base64,PHNjcmlwdD4=)",
        "[a](vbscript:x)",
        "![x](https://elsewhere.example/pixel.png)",
        '[a](https://x.example/" onmouseover="alert(1))',
        "```html\n<script>alert(1)</script>\n```",
        "`<script>`",
        "| <b>a</b> |\n|-|\n| <script>x</script> |",
        '```mermaid\nflowchart TB\n a["<script>"]\n b["x"]\n a --> b\n```',
        "# <img onerror=x>",
    ],
)
def test_nothing_of_a_page_is_markup_or_loads_anything(text: str) -> None:
    found = Elements()
    found.feed(render(text, "index", PAGES).html)

    assert not {"script", "img", "b", "iframe"} & {tag for tag, _ in found.all}
    for _, attributes in found.all:
        assert not {name for name in attributes if name == "style" or name.startswith("on")}
        assert attributes.get("href", "https://").startswith("https://")


@pytest.mark.parametrize(
    ("path", "target", "address"),
    [
        ("index", "modules/mail.md", "/w/2"),
        ("modules/mail", "../api.md", "/w/4"),
        ("modules/mail", "index.md", "/w/3"),
        ("modules/mail", "../modules/", "/w/3"),
        ("index", "https://example.com/a", "https://example.com/a"),
        ("index", "#part", "#part"),
        ("index", "missing.md", None),
        ("index", "../../etc/passwd", None),
        ("index", "//elsewhere.example/", None),
    ],
)
def test_a_link_leads_to_a_page_or_to_the_web_or_is_none(
    path: str, target: str, address: str | None
) -> None:
    html = render(f"[words]({target})", path, PAGES).html

    assert (f'href="{address}"' in html) if address else ("href" not in html)
    assert "words" in html


def test_headings_make_an_outline_that_leads_to_them() -> None:
    page = render("# One\n\n## Two `x`\n\n## Two `x`\n", "index", PAGES)

    assert [(h.text, h.level) for h in page.outline] == [("One", 1), ("Two x", 2), ("Two x", 2)]
    assert len({h.anchor for h in page.outline}) == 3
    for heading in page.outline:
        assert f'id="{heading.anchor}"' in page.html


def test_a_page_that_would_take_long_is_shown_as_written() -> None:
    page = render("*a **b " * WHOLE_MAX, "index", PAGES)

    assert page.html.startswith("<pre>*a **b ")
    assert page.outline == ()


def test_names_in_code_may_wrap_at_their_joints() -> None:
    html = render("`hc/settings.py:41` and `A_B`, `_c`, `a < b`", "index", PAGES).html

    assert "<code>hc/<wbr>settings.<wbr>py:<wbr>41</code>" in html
    assert "<code>A_<wbr>B</code>, <code>_c</code>, <code>a &lt; b</code>" in html


def test_cells_with_a_sentence_or_a_long_name_have_room() -> None:
    text = (
        "| a | b | c |\n|-|-|-|\n| The path to where data are stored. | `shop/config.go:12` | 3 |"
    )
    elements = Elements()
    elements.feed(render(text, "index", PAGES).html)
    assert [of.get("class", "") for tag, of in elements.all if tag == "td"] == [
        "sentence",
        "name",
        "",
    ]
