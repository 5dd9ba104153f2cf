"""Variables that web bundles are built with stand apart from those of the program."""

from __future__ import annotations

from stationmaster.wiki.facts.interfaces.settings import settings
from stationmaster.wiki.pages.interfaces import configuration
from tests.wiki.commits import facts_of, written

FILES = {
    "package.json": "{}",
    "server/main.ts": "start(process.env.PORT || 80, process.env.SHOP_BOTH);\n",
    "ui/src/page.ts": "link(import.meta.env.SHOP_URL ?? 'here');\n"
    "use(import.meta.env.SHOP_BOTH);\n",
}


def test_what_a_bundle_alone_reads_has_a_section_of_its_own() -> None:
    facts = facts_of(FILES)
    assert {it.name: it.built for it in settings(facts)} == {
        "PORT": False,
        "SHOP_BOTH": False,
        "SHOP_URL": True,
    }
    [planned] = configuration.plan(facts)
    _, ours, theirs = written(facts, planned.write, key=planned.key).split("\n## ")[:3]
    assert ours.startswith("Environment variables\n")
    assert "`SHOP_URL`" not in ours
    assert theirs.startswith("Variables that web bundles are built with\n")
    assert "| `SHOP_URL` | `here` |" in theirs


def test_what_is_called_as_bundlers_want_it_is_of_bundles() -> None:
    page = "use(process.env.NEXT_PUBLIC_URL, process.env.SHOP_URL);\n"
    manifest = '{"dependencies": {"next": "16"}}'
    facts = facts_of({"package.json": manifest, "ui/src/page.ts": page})
    assert {it.name: it.built for it in settings(facts)} == {
        "NEXT_PUBLIC_URL": True, "SHOP_URL": False,
    }  # fmt: skip


def test_no_bundle_has_such_a_variable_in_a_package_without_the_bundler() -> None:
    facts = facts_of({
        "docs/package.json": '{"dependencies": {"next": "16"}}', "api/package.json": "{}",
        "api/main.ts": "use(process.env.NEXT_PUBLIC_URL);\n",
        "api/page.ts": "use(import.meta.env.NEXT_PUBLIC_TILL);\n",
    })  # fmt: skip
    assert {it.name: it.built for it in settings(facts)} == {
        "NEXT_PUBLIC_TILL": True, "NEXT_PUBLIC_URL": False,
    }  # fmt: skip
