"""Pages that explain: the project's words, the classes with their methods, code, and steps."""

from __future__ import annotations

import re

import pytest

from stationmaster.wiki.facts.code.flows import flows
from stationmaster.wiki.making.steering import Steering, Wanted
from tests.wiki.commits import facts_of
from tests.wiki.facts.texts.test_concepts import FILES, PLUGINS
from tests.wiki.pages.shops import body, pages

KEY = "concepts/plugins"


@pytest.fixture(scope="module")
def page() -> str:
    return pages(FILES)[KEY]


def test_it_quotes_the_documents_and_cites_them(page: str) -> None:
    assert "“A plugin changes what the shop sells.” ([`docs/plugins.md:1-3`]" in page
    assert (
        "From “Plugins” ([`docs/plugins.md:1-3`](source:docs/plugins.md#L1-L3)):\n\n"
        "> A plugin changes what the shop sells. `PluginManager.load()` finds them when the shop"
        " opens.\n"
    ) in page
    assert "From “Plugins: Hooks”" in page


def test_it_says_what_classes_do_with_their_methods(page: str) -> None:
    assert "### PluginManager\n\n`PluginManager` is a class of 16 lines at " in page
    assert "It declares 4 methods.\n\n> Finds plugins." in page
    assert "| `load(self) -> None` | [`shop/plugins.py:4-7`](source:shop/plugins.py" in page


def test_it_shows_the_steps_with_their_code_and_where_they_lead(page: str) -> None:
    load, call = page.partition("### Step 1: `PluginManager.load`")[2].split("### Step 2: ")
    assert "`load(self) -> None` at [`shop/plugins.py:4-7`]" in load
    assert "```python\ndef load(self) -> None:\n    self.scan()\n" in load
    assert "\n- [`shop/plugins.py:5`](source:shop/plugins.py#L5): `PluginManager.scan` (" in load
    assert call.startswith("`call_hooks`\n")
    assert "```python\ndef call_hooks() -> None:\n    a = 1\n" in call
    assert "It calls" not in call


def test_calls_that_leave_the_repository_stand_among_the_others_by_line() -> None:
    text = "    a = 1\n    b = 2\n    return a + b\n"
    facts = facts_of({
        "shop.py": "import requests\nfrom work import keep, tell\n\ndef main():\n    keep()\n"
        "    requests.post(1)\n    tell()\n\nif __name__ == '__main__':\n    main()\n",
        "work.py": "import smtplib\n\nhost = smtplib.SMTP()\n\n"
        f"def keep():\n{text}\ndef tell():\n    host.sendmail(1)\n",
    }, name="shop")  # fmt: skip
    (key,) = flows(facts)
    step = body(facts, key).partition("### Step 2: ")[2].partition("### Step 3")[0]
    calls = re.sub(r"\[(`[^`]*`)\]\([^()]*\)", r"\1", step.partition("It calls:")[2])
    assert calls.split("\n")[2:5] == [
        "- `shop.py:5`: `keep`, step 3",
        "- `shop.py:6`: `requests.post` of `requests`, which sends an HTTP request",
        "- `shop.py:7`: `tell` (`work.py:10-11`); it calls `host.sendmail` of `smtplib`,"
        " which sends mail, `work.py:11`",
    ]


def test_the_first_page_leads_to_it() -> None:
    assert "- [Plugins](concepts/plugins.md): `PluginManager`" in pages(FILES)["index"]


def test_a_page_that_was_asked_for_says_so_and_one_without_code_is_a_gap() -> None:
    facts = facts_of(FILES, name="shop")
    facts.raw.steering = Steering(pages=(Wanted("Paying", "the <b>till</b>"), Wanted("Zebras")))
    assert "The repository asks for this page: “the \\<b\\>till\\</b\\>”" in body(
        facts, "concepts/paying"
    )
    assert "- Zebras" in body(facts, "gaps")


def test_a_large_class_has_words_and_all_its_methods_on_the_page_of_its_module() -> None:
    methods = "".join(f"    def step{n}(self):\n        a = 1\n        return a\n\n"
                      for n in range(60))  # fmt: skip
    text = "# Inside\n\n" + "All of the engine is here, in one place. " * 4
    text += "\n\n## Engine class\n\n" + "The engine turns one thing into another. " * 4
    files = {"engine/__init__.py": "", "engine/core.py": f"class Engine:\n{methods}",
             "docs/inside.md": text,
             **{f"engine/part{n}.py": "x = 1\n" for n in range(6)}}  # fmt: skip
    found = [page for key, page in pages(files).items()
             if key.startswith("modules/") and "### Engine" in page]  # fmt: skip
    assert len(found) == 1
    assert "> The engine turns one thing into another." in found[0]
    assert len(re.findall(r"^\| `step\d+\(self\)` \|", found[0], re.MULTILINE)) == 60


def test_a_sentence_with_markup_is_quoted_with_it_or_not_at_all() -> None:
    changed = FILES | {
        "docs/plugins.md": FILES["docs/plugins.md"].replace(
            "A plugin changes what the shop sells.",
            "A plugin changes what [the shop](shop.md) sells.",
        )
    }

    page = pages(changed)[KEY]

    assert "“A plugin changes what the shop sells.”" not in page
    assert "> A plugin changes what" in page


def test_documents_on_conduct_are_no_concepts() -> None:
    text = PLUGINS.replace("shop opens", "conduct holds")

    files = FILES | {"docs/plugins.md": ""}

    assert KEY in pages(files | {"docs/conduct.md": text})
    assert KEY not in pages(files | {"CODE_OF_CONDUCT.md": text})


def test_a_call_that_only_hands_out_a_value_is_no_step() -> None:
    changed = FILES["shop/plugins.py"].replace(
        "        self.scan()\n",
        "        self.scan()\n        self.path()\n        self.name()\n",
        1,
    )
    getter = "    def path(self):\n        return self._path\n\n"
    other = "    def name(self):\n        self.scan()\n        return self._name\n\n"
    changed = changed.replace("\n\ndef call_hooks", f"\n{getter}{other}\ndef call_hooks")
    load = pages(FILES | {"shop/plugins.py": changed})[KEY].partition("### Step 1:")[2]
    assert "`PluginManager.scan`" in load
    assert "`PluginManager.name`" in load
    assert "`PluginManager.path`" not in load.partition("### Step 2:")[0]
