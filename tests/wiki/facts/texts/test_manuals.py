"""Manual pages of a project."""

from __future__ import annotations

from stationmaster.reading.code.model import CliCommand, FileFacts, Option
from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.facts.texts.manuals import ON_SETTINGS, manuals, sections, sections_on
from stationmaster.wiki.pages.interfaces import cli, configuration
from tests.wiki.commits import facts_of, written

ROFF = r""".TH SHOP 1
.SH NAME
shop \- sells
.SH OPTIONS
.TP
.B \-q, \-\-quiet
Says
.BR nothing (1).
.SH "EXIT STATUS"
.TP
.B 3
The till is closed.
.SH ENVIRONMENT
.IP SHOP_TILL
Where the till is, \(aqtill\(aq by default.
.\" A remark.
"""
MARKDOWN = """% till(5)

NAME
====

till

FILES
=====

`till.conf`
: What it holds.

## Further

More of it.
"""
FILES = {
    "shop.py": "if __name__ == '__main__':\n    print(1)\n",
    "man/shop.1": ROFF,
    "docs/till.5.md": MARKDOWN,
    "man/de/shop.1": ROFF,
    "lib/libshop.so.1": "binary",
    "tests/other.1": ROFF,
}


def test_pages_are_told_from_files_that_are_called_alike_and_have_sections() -> None:
    facts = facts_of(FILES)
    assert manuals(facts) == (("shop(1)", "man/shop.1"), ("till(5)", "docs/till.5.md"))
    told = {(it.page, it.title): it.words for it in sections(facts)}
    assert told["shop(1)", "OPTIONS"] == "\n- -q, --quiet:\nSays\nnothing(1)."
    assert (
        told["shop(1)", "ENVIRONMENT"].strip()
        == "- SHOP_TILL:\nWhere the till is, 'till' by default."
    )
    places = [(it.title, it.place.line, it.place.end) for it in sections_on(facts, ON_SETTINGS)]
    assert places == [("ENVIRONMENT", 13, 16), ("FILES", 8, 16)]


def test_the_pages_of_commands_and_settings_quote_them() -> None:
    facts = facts_of(FILES)
    facts.code = {"shop.py": FileFacts(commands=(CliCommand((), 1, options=()),))}
    body = written(facts, next(cli.plan(facts)).write, None, "cli")
    assert "### shop(1): Options" in body
    assert "> - 3: The till is closed." in body
    assert "- `till(5)`: [`docs/till.5.md`](source:docs/till.5.md)" in body
    facts = facts_of(FILES)
    options = (Option(("-q",), 1),)
    facts.code = {"shop.py": FileFacts(commands=(CliCommand((), 1, options=options),))}
    assert "### shop(1): Options" not in written(facts, next(cli.plan(facts)).write, None, "cli")
    named = facts_of({**FILES, "shop.py": "import os\n\nos.environ['SHOP_TILL']\n"})
    page = written(named, next(configuration.plan(named)).write, None, "configuration")
    assert "> - SHOP\\_TILL: Where the till is, 'till' by default." in page
    assert "### till(5): Files" in page


def test_variables_of_manuals_have_meanings_and_defaults_and_are_settings() -> None:
    roff = ".SH NAME\nshop\n.SH ENVIRONMENT\nSwitches are 1 or 0.\n.TP\n.B SHOP_PORT\nWhere it\n"
    roff += (
        "listens.\n.br\nDefault is 80\\&.\n.TP\n.B SHOP_SIGN\nHow it is called. Default is Shop.\n"
    )
    scdoc = (
        "till(1)\n\n# NAME\n\ntill\n\n# ENVIRONMENT\n\n_TILL\\_A_, _TILL\\_B_\n\tWhat it holds.\n"
    )
    facts = facts_of({"shop.1": roff, "doc/till.1.scd": scdoc})
    assert {it.name: (it.doc, it.default, it.documented) for it in settings(facts)} == {
        "SHOP_PORT": ("Where it listens. Default is 80.", "80", (("shop.1", 6),)),
        "SHOP_SIGN": ("How it is called. Default is Shop.", None, (("shop.1", 12),)),
        "TILL_A": ("What it holds.", None, (("doc/till.1.scd", 9),)),
        "TILL_B": ("What it holds.", None, (("doc/till.1.scd", 9),)),
    }
