"""Pages that explain: the project's words, the classes with their methods, code, and steps."""

from __future__ import annotations

import re

import pytest

from stationmaster.wiki.facts.code.flows import flows
from stationmaster.wiki.making.steering import Steering, Wanted
from tests.wiki.commits import facts_of
from tests.wiki.facts.subjects.test_belonging import FILES as SHOP, ROUTES
from tests.wiki.facts.subjects.test_concepts import FILES, PLUGINS
from tests.wiki.pages.shops import body, body as body_of, pages

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
    assert "### PluginManager\n\nClass at " in page
    assert "> Finds plugins." in page


def test_it_shows_the_steps_with_their_code_and_where_they_lead(page: str) -> None:
    load, call = page.partition("### Step 1: `PluginManager.load`")[2].split("### Step 2: ")
    assert "`load(self) -> None` at [`shop/plugins.py:4-7`]" in load
    assert "```python\ndef load(self) -> None:\n    self.scan()\n" in load
    assert "\n- [`shop/plugins.py:7`](source:shop/plugins.py#L7): `PluginManager.start` (" in load
    assert load.strip().endswith(
        ", which is only `call_hooks()`; it leads to `call_hooks` (step 2)"
    )
    assert call.startswith("`call_hooks`\n")
    assert "```python\ndef call_hooks() -> None:\n    a = 1\n" in call
    assert "It calls" not in call


def test_functions_of_which_none_leads_to_another_are_no_steps() -> None:
    changed = FILES["shop/plugins.py"].replace("        call_hooks()\n", "        pass\n")
    page = pages(FILES | {"shop/plugins.py": changed})[KEY]
    titles = re.findall("^##+ (.*)", page.partition("## Functions at work")[2], re.MULTILINE)
    assert titles[:2] == ["`PluginManager.load`", "`call_hooks`"]
    assert "Step" not in page


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
        "- `shop.py:5`: `keep` (step 3)",
        "- `shop.py:6`: `requests.post` of `requests`, which sends an HTTP request",
        "- `shop.py:7`: `tell` (`work.py:10-11`), which is only `host.sendmail(1)`;"
        " it calls `host.sendmail` of `smtplib`, which sends mail, `work.py:11`",
    ]


def test_a_call_that_many_types_implement_is_one_of_what_is_called() -> None:
    senders = {
        f"send/{it}.go": f"package send\n\ntype {it} struct{{}}\n\n"
        f"func (it *{it}) Send(text string) error {{\n\ta := text\n\t_ = a\n\treturn nil\n}}\n"
        for it in ("Fax", "Mail", "Phone", "Post", "Radio")
    }
    facts = facts_of({
        "go.mod": "module example.com/shop\n",
        "main.go": 'package main\n\nimport "example.com/shop/send"\n\nfunc main() {\n'
        "\to := &send.Office{}\n\to.Open()\n\to.Close()\n\to.Tell(1)\n}\n",
        "send/office.go": "package send\n\ntype Sender interface {\n\tSend(text string) error\n}\n"
        "\n"
        "type Office struct {\n\tsender Sender\n}\n"
        + "".join(
            f"\nfunc (o *Office) {name} {{\n\ta := 1\n\tb := a\n\t{last}\n}}\n"
            for name, last in (
                ("Open()", "_ = b"), ("Close()", "_ = b"),
                ("Tell(b int) error", 'return o.sender.Send("x")'),
            )
        ),
        **senders,
    }, name="shop")  # fmt: skip
    (key,) = flows(facts)
    text = body(facts, key)
    assert "`Sender.Send` (" in text
    assert "implemented by `Fax.Send` (" in text


def test_a_function_without_a_body_of_its_own_leads_to_its_decorator() -> None:
    text = "    a = 1\n    b = 2\n    return a + b\n"
    facts = facts_of({
        "shop.py": "from work import keep, offers, tell\n\ndef main():\n    keep()\n    offers()\n"
        "    tell()\n\nif __name__ == '__main__':\n    main()\n",
        "work.py": f"def keep():\n{text}\ndef tell():\n{text}\ndef of_all(func):\n"
        "    def asking():\n        for it in tills():\n            yield from it.offers()\n\n"
        "    return asking\n\n@of_all\ndef offers():\n    yield from ()\n",
    }, name="shop")  # fmt: skip
    (key,) = flows(facts)
    text = body(facts, key)
    assert re.search(r"`offers` \([^\n]*\); it leads to `of_all` \(step \d\)", text)
    assert "which is only" not in text


def test_it_says_where_to_begin_reading_and_names_no_file_for_one_function_alone(page: str) -> None:
    assert "Begin reading at [`shop/plugins.py`]" in page
    more = {
        **FILES,
        "shop/cellar.py": "def build_plugins(a):\n    b = a\n    c = b\n    return c\n",
    }
    first = pages(more)[KEY].partition("Begin reading at ")[2].partition("\n")[0]
    assert "shop/plugins.py" in first
    assert "cellar" not in first


def test_a_property_of_python_is_named_without_parameters() -> None:
    getter = '    @property\n    def path(self) -> str:\n        """Where it lies."""\n'
    getter += "        return self._path\n\n"
    changed = FILES["shop/plugins.py"].replace("\n\ndef call_hooks", f"\n{getter}\ndef call_hooks")
    assert "`path -> str` (property)" in pages(FILES | {"shop/plugins.py": changed})[KEY]


def test_the_first_page_leads_to_it() -> None:
    said = "“A plugin changes what the shop sells.” ([`docs/plugins.md:1-3`]"
    assert f"- [Plugins](concepts/plugins.md): {said}" in pages(FILES)["index"]
    offering = pages(SHOP)["index"]
    assert "- [Backup](concepts/backup.md): “Writes archives of all that the shop has" in offering
    assert "route" not in offering


def test_a_page_that_was_asked_for_says_so_and_one_without_code_is_a_gap() -> None:
    facts = facts_of(FILES, name="shop")
    facts.steering = Steering(pages=(Wanted("Paying", "the <b>till</b>"), Wanted("Zebras")))
    assert "The repository asks for this page: “the \\<b\\>till\\</b\\>”" in body(
        facts, "concepts/paying"
    )
    assert "- Zebras" in body(facts, "gaps")


def test_only_what_is_called_after_a_subject_says_what_that_is() -> None:
    method = "    def run(self) -> int:\n        return 1\n"
    plugin = f'class Plugin:\n    """A part of a shop."""\n\n{method}\n\n'
    code = f"{plugin}{FILES['shop/plugins.py']}"
    files = {path: text for path, text in FILES.items() if not path.startswith("docs")}
    facts = facts_of({**files, "shop/plugins.py": code}, name="shop")
    facts.steering = Steering(pages=(Wanted("Plugins"),))
    index = body(facts, "index")
    assert "- [Plugins](concepts/plugins.md): `Plugin` (“A part of a shop”)\n" in index
    assert "Finds plugins" not in index


def test_a_large_class_has_words_and_all_its_methods_on_the_page_of_its_module() -> None:
    says = '        """Turns wheel {} once."""\n'
    methods = "".join(f"    def step{n}(self):\n{says.format(n)}        a = 1\n        return a\n\n"
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


def test_a_sentence_is_quoted_without_its_markup() -> None:
    changed = FILES | {
        "docs/plugins.md": FILES["docs/plugins.md"].replace(
            "A plugin changes what the shop sells.",
            "A plugin changes what [the shop](shop.md) sells.",
        )
    }

    page = pages(changed)[KEY]

    assert "“A plugin changes what the shop sells.”" in page
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
    other = '    def name(self):\n        """Names it."""\n'
    other += "        self.scan()\n        return self._name\n\n"
    changed = changed.replace("\n\ndef call_hooks", f"\n{getter}{other}\ndef call_hooks")
    load = pages(FILES | {"shop/plugins.py": changed})[KEY].partition("### Step 1:")[2]
    assert "`PluginManager.name` (" in load
    assert "`PluginManager.path`" not in load.partition("### Step 2:")[0]


def test_it_says_where_its_subject_begins_who_may_and_where_the_steps_are() -> None:
    begins = pages(SHOP)["concepts/backup"].partition("## Where it begins")[2]
    head, _, first, second, *_ = begins.strip().split("\n")
    assert head == "| What | Runs | Guards | Steps |"
    assert first.startswith("| `POST /backups` | `create_backup` [`shop/web.py:20`]")
    assert first.endswith("| `admin` | step 1 below |")
    assert second.endswith("|   | below |")
    assert "\n### `backups_of`" in begins  # None of the steps, which begin elsewhere, leads to it.


def test_it_tells_what_is_stored_and_configured_before_the_code() -> None:
    page = pages(SHOP)["concepts/backup"]
    titles = re.findall("^## (.*)", page, re.MULTILINE)
    assert titles == [
        "Where it begins", "Step by step", "What is stored", "Settings", "The code behind it",
        "Tests", "Related pages",
    ]  # fmt: skip
    assert "\n| `backups` | `id`, `name` | [`shop/models.py:7-10`]" in page
    assert "\n| `BACKUP_KEEP` | `7` | [`shop/backups/service.py:3`]" in page
    assert "## Tests\n\n[`tests/test_backups.py`](source:tests/test_backups.py)" in page
    assert "[HTTP API](../api/http.md), [Data model](../data-model.md)" in page


def test_what_another_page_explains_has_a_link_to_it_and_no_steps() -> None:
    later = {
        "shop/stamps.py": "def stamp(a: int) -> int:\n    b = a\n    c = b\n    return c\n",
        "shop/sheets.py": "from shop.stamps import stamp\n\n\ndef sheet(a: int) -> int:\n"
        '    """Fills a sheet."""\n    b = stamp(a)\n    c = b\n    return c\n',
        "shop/web.py": ROUTES.replace(
            "    a = 1\n    b = 2\n    return a + b", "    sheet(id)\n    stamp(id)\n    return 1"
        ).replace(
            "\nrouter", "from shop.sheets import sheet\nfrom shop.stamps import stamp\n\nrouter", 1
        ),
    }
    written = pages(SHOP | later)
    way = "how-get-orders-id-backups"
    page, other = written["concepts/backup"], written[f"concepts/{way}"]
    assert f"[all its steps]({way}.md)" in page
    assert (
        f"- `backups_of` ([How GET /orders/{{id}}/backups is answered]({way}.md#step-1-back" in page
    )
    assert [page.count(f": `{it}`\n") for it in ("create_backup", "backups_of", "sheet")] == [
        1,
        0,
        0,
    ]
    assert [other.count(f": `{it}`\n") for it in ("create_backup", "backups_of", "sheet")] == [
        0,
        1,
        1,
    ]


def test_of_many_routes_the_first_are_shown_and_it_says_so() -> None:
    more = "".join(
        f'\n\n@router.get("/backups/{n}")\ndef part{n}() -> int:\n    return {n}\n'
        for n in range(20)
    )
    page = pages(SHOP | {"shop/web.py": ROUTES + more})["concepts/backup"]
    assert "These are the first 16 of 22." in page
    assert page.count("| `GET /backups/") == 15


@pytest.mark.parametrize("name", ["make_till", "Drawer"])
def test_a_test_of_a_subject_names_one_of_its_symbols(name: str) -> None:
    body = "        a = 1\n" * 12
    methods = "".join(f"    def m{n}(self):\n{body}" for n in range(4))
    told = pages({
        "shop/__init__.py": "",
        "shop/till.py": f"class Till:\n{methods}",
        "shop/drawer.py": f"class Drawer:\n{methods}\n\ndef make_till(till):\n{body[4:]}",
        "tests/test_till.py": "from shop.till import Till\n\ndef test_a():\n    Till()\n",
        "tests/test_drawer.py": f"from shop.drawer import {name}\n\ndef test_a():\n    {name}(1)\n",
    })["concepts/till"]  # fmt: skip
    tests = told[told.index("## Tests") :]
    assert "test_till.py" in tests
    assert ("test_drawer.py" in tests) == (name == "make_till")


@pytest.mark.parametrize("folder", ["factories", "src/factories"])
def test_no_subject_begins_in_what_makes_objects_for_tests(folder: str) -> None:
    body = "    a = count(1)\n" * 12
    made = "def count(a):\n" + "    a += 1\n" * 12 + "\n\ndef {}_till(till):\n" + body
    told = pages({
        "shop/till.py": "class Till:\n    def open(self):\n" + "        a = 1\n" * 40
        + made.format("open"),
        f"{folder}/till.py": "import shop.till\n" + made.format("make"),
    })["concepts/till"]  # fmt: skip
    assert "`open_till`" in told
    assert ("From `make_till`" in told) == folder.startswith("src/")


def test_the_cases_of_a_choice_are_a_table_in_place_of_the_code() -> None:
    cases = ("open", "pay", "close", "count")
    body = "".join(f"\ta{n} := {n}\n\tprintln(a{n})\n" for n in range(12))
    files = {
        "go.mod": "module shop\n",
        "main.go": "package main\n\nimport \"os\"\n\nfunc main() {\n\tswitch os.Args[1] {\n"
        + "".join(f"\tcase \"{it}\":\n\t\t(&{it}Command{{}}).Run()\n" for it in cases)
        + "\t}\n}\n",
        **{f"{it}.go": f"package main\n\ntype {it}Command struct{{}}\n\n"
           f"// Run does {it}.\nfunc (c *{it}Command) Run() {{\n{body}}}\n" for it in cases},
    }  # fmt: skip
    facts = facts_of(files, name="shop")
    (key,) = flows(facts)
    first = body_of(facts, key).partition("### Step 1: `main`")[2].partition("### Step 2")[0]
    assert "```" not in first
    assert "By `switch os.Args[1]`:\n\n| Case | Calls |\n" in first
    assert [f'| `case "{it}"` |' in first for it in cases] == [True] * 4
    assert first.count("Command.Run` (step ") == 4


def test_what_begins_beside_its_caller_says_so() -> None:
    body = "".join(f"\ta{n} := {n}\n\tprintln(a{n})\n" for n in range(8))
    works = ("watch", "sell", "count")
    files = {
        "go.mod": "module shop\n",
        "main.go": "package main\n\nfunc main() {\n\tgo watch()\n\tsell()\n\tcount()\n}\n",
        **{f"{it}.go": f"package main\n\nfunc {it}() {{\n{body}}}\n" for it in works},
    }
    facts = facts_of(files, name="shop")
    (key,) = flows(facts)
    page = body_of(facts, key)
    assert "`watch` (step 2); it runs beside what follows\n" in page
    assert "`sell` (step 3)\n" in page


def test_each_case_that_calls_the_same_says_so_and_a_further_place_is_named() -> None:
    cases = ("open", "pay", "shut", "count")
    body = "".join(f"\ta{n} := {n}\n\tprintln(a{n})\n" for n in range(12))
    calls = "".join(
        f'\tcase "{it}":\n\t\t{it}()\n\t\tif late {{\n\t\t\tnote()\n\t\t}}\n' for it in cases
    )
    files = {
        "go.mod": "module shop\n",
        "main.go": 'package main\n\nimport "os"\n\nfunc main() {\n\tif early {\n\t\tpay()\n\t}\n'
        f"\tswitch os.Args[1] {{\n{calls}\t}}\n\tif last {{\n\t\tpay()\n\t}}\n}}\n",
        **{f"{it}.go": f"package main\n\nfunc {it}() {{\n{body}}}\n" for it in (*cases, "note")},
    }
    facts = facts_of(files, name="shop")
    (key,) = flows(facts)
    first = body_of(facts, key).partition("### Step 1: `main`")[2].partition("### Step 2")[0]
    rows = [it for it in first.splitlines() if it.startswith("| `case")]
    assert ["in `if late`: `note`" in it for it in rows] == [True] * 4
    (early,) = (it for it in first.splitlines() if "in `if early`" in it)
    assert "; also at [`main.go:32`]" in early
    assert "main.go:16" in rows[1]
    assert "`pay`" in rows[1]


def test_a_further_place_that_the_code_does_not_show_is_named_beside_one_that_it_shows() -> None:
    body = "".join(f"\ta{n} := {n}\n\tprintln(a{n})\n" for n in range(12))
    long = "".join(f"\t\tb{n} := {n}\n" for n in range(60))
    files = {
        "go.mod": "module shop\n",
        "main.go": "package main\n\nfunc main() {\n\tif early {\n\t\tpay()\n\t} else {\n"
        f"{long}\t\tpay()\n\t}}\n}}\n",
        "pay.go": f"package main\n\nfunc pay() {{\n{body}}}\n",
    }
    facts = facts_of(files, name="shop")
    (key,) = flows(facts)
    first = body_of(facts, key).partition("### Step 1: `main`")[2].partition("### Step 2")[0]
    assert "`pay` (step 2); also at [`main.go:67`]" in first
