"""What there is to explain, and what belongs to it."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.code.vocabulary import stems_of, vocabulary
from stationmaster.wiki.facts.subjects.concepts import concept, concept_titles, concepts_of, says
from stationmaster.wiki.facts.subjects.explained import explained
from stationmaster.wiki.facts.texts.passages import passage_on, passages
from stationmaster.wiki.making.steering import Steering, Wanted
from tests.wiki.commits import facts_of

PLUGINS = """# Plugins

A plugin changes what the shop sells. `PluginManager.load()` finds them when the shop opens.

## Hooks

Each plugin may have hooks, which `call_hooks` calls one after the other, in their order.
"""
FILES = {
    "README.md": "# Shop\n\nA small shop that sells things to all kinds of people, each day.\n",
    "docs/plugins.md": PLUGINS,
    "shop/__init__.py": "",
    "shop/plugins.py": 'class PluginManager:\n    """Finds plugins."""\n\n'
    "    def load(self) -> None:\n        self.scan()\n        self.sort()\n"
    "        self.start()\n\n"
    "    def scan(self) -> None:\n        pass\n\n    def sort(self) -> None:\n        pass\n\n"
    "    def start(self) -> None:\n        call_hooks()\n\n\n"
    "def call_hooks() -> None:\n    a = 1\n    b = 2\n    print(a + b)\n",
    "shop/till.py": "class Till:\n    def pay(self) -> int:\n        a = 1\n        return a\n",
    **{f"shop/part{n}.py": f"def part{n}() -> int:\n    a = 1\n    return a\n" for n in range(9)},
}


def test_a_document_is_a_concept_with_the_code_that_it_names() -> None:
    facts = facts_of(FILES, name="shop")
    assert concept_titles(facts) == (("concepts/plugins", "Plugins"),)
    found = concept(facts, "concepts/plugins")
    assert [each.title for each in found.passages] == ["Plugins", "Hooks"]
    assert [each.name for each in found.types] == ["PluginManager"]
    assert "call_hooks" in [each.name for each in found.functions]
    assert found.files == ("shop/plugins.py",)
    assert concepts_of(facts, "shop/plugins.py") == ("concepts/plugins",)
    assert concepts_of(facts, "shop/till.py") == ()


def test_its_flow_follows_calls_that_are_certain() -> None:
    flows = explained(facts_of(FILES, name="shop"), "concepts/plugins").flows
    assert [each.start.name for each in flows] == ["PluginManager.load"]
    # The method between them is too short to be shown.
    assert [each.spot.name for each in flows[0].stations] == ["PluginManager.load", "call_hooks"]
    assert [each.end.name for each in flows[0].steps] == [
        "PluginManager.scan", "PluginManager.sort", "PluginManager.start",
    ]  # fmt: skip


def test_what_a_subject_inherits_from_a_base_of_many_is_not_its_own() -> None:
    base = "class Base:\n    def shared(self) -> int:\n        a = 1\n        b = 2\n"
    base += "        return a + b\n"
    uses = "from shop.base import Base\n\n\n"
    plugins = FILES["shop/plugins.py"].replace("PluginManager:", "PluginManager(Base):")
    few = FILES | {"shop/base.py": base, "shop/plugins.py": uses + plugins}
    many = few | {f"shop/other{n}.py": f"{uses}class Other{n}(Base):\n    pass\n" for n in range(9)}
    begins = [
        [it.name for it in concept(facts_of(files, name="shop"), "concepts/plugins").starts]
        for files in (few, many)
    ]
    assert "Base.shared" in begins[0]
    assert "Base.shared" not in begins[1]


def test_words_that_types_of_several_modules_share_are_concepts_too() -> None:
    lines, body = "x = 1\n" * 250, "        b = 1\n        c = 2\n        return b + c\n"
    files = {
        f"src/{folder}/session.py": f"class {name}:\n    def a(self):\n{body}{lines}"
        for folder, name in (("web", "SessionView"), ("store", "SessionRow"), ("auth", "Session"))
    }
    files |= {f"src/web/p{n}.py": "def f():\n    a = 1\n    return a\n" for n in range(9)}
    titles = dict(concept_titles(facts_of(files)))
    assert titles == {"concepts/session": "Session"}


def test_a_repository_may_ask_for_pages_even_for_those_that_no_rule_would_find() -> None:
    facts = facts_of(FILES, name="shop")
    asked = (Wanted("Paying", "How the till takes money"), Wanted("Elephants", "zebras"))
    facts.steering = Steering(pages=asked)
    assert [title for _, title in concept_titles(facts)] == ["Paying", "Plugins"]
    assert concept(facts, "concepts/paying").asked == "How the till takes money"
    assert concept(facts, "concepts/paying").types[0].name == "Till"


def test_sections_about_work_on_the_project_explain_nothing() -> None:
    long = "# Installation\n\n" + "Install it with the usual tool, and wait until it ends. " * 3
    more = {"docs/install.md": long, "docs/adr/0001-x.md": PLUGINS, "docs/zh/plugins.md": PLUGINS}
    facts = facts_of({**FILES, **more})
    assert {each.path for each in passages(facts)} == {"docs/plugins.md", "docs/install.md"}
    assert "Installation" not in dict(concept_titles(facts)).values()


def test_a_section_is_about_a_symbol_if_its_heading_is_the_name() -> None:
    text = "# Inside\n\nAll of it.\n\n## Till class\n\n" + "A till is where money goes. " * 5
    facts = facts_of({**FILES, "docs/inside.md": text})
    found = passage_on(facts, "Till")
    assert found is not None
    assert (found.path, found.line) == ("docs/inside.md", 5)
    assert passage_on(facts, "Hook") is None


@pytest.mark.parametrize(
    ("name", "stems"),
    [("PluginManager", ("plugin", "manag")), ("call_hooks", ("call", "hook")), ("a1", ())],
)
def test_names_fall_into_words(name: str, stems: tuple[str, ...]) -> None:
    assert stems_of(name) == stems


def test_words_lead_to_symbols_by_name_and_by_mention() -> None:
    words = vocabulary(facts_of(FILES, name="shop"))
    assert words.find(["plugin"], [])[0][0].name == "PluginManager"
    assert [spot.name for spot, _ in words.find([], ["~shop.PluginManager.load()"])] == [
        "PluginManager.load"
    ]
    assert words.find(["nothing"], ["load"]) == []


@pytest.mark.parametrize(
    "path", ["COPYING.md", "LICENSE.md", "AGENTS.md", "CLAUDE.md", "docs/contributing.md",
             "pull_request_template.md", "web/assets/fonts/Till.md"]
)  # fmt: skip
def test_licences_templates_and_instructions_to_agents_explain_no_concept(path: str) -> None:
    assert concept_titles(facts_of({**FILES, path: PLUGINS.replace("Plugins", "Till")})) == (
        ("concepts/plugins", "Plugins"),
    )


@pytest.mark.parametrize(
    "heading", ["Report bugs", "Set up your till", "[till]", "Simple 5-minute till", "Till clients",
                "…with Till", "Python", "Added till", "Update the till", "Get our till"]
)  # fmt: skip
def test_headings_about_what_readers_do_are_no_concepts(heading: str) -> None:
    document = f"# Guide\n\n## {heading}\n\nThe `Till` class is what the text is all about. " * 2
    titles = [title for _, title in concept_titles(facts_of({**FILES, "docs/guide.md": document}))]
    assert titles == ["Plugins"]


def test_a_class_that_does_much_and_that_no_page_describes_has_one() -> None:
    body = "".join(f"    def step{n}(self):\n" + "        a = 1\n" * 12 for n in range(4))
    facts = facts_of({**FILES, "shop/ledger.py": f"class Ledger:\n{body}"}, name="shop")
    assert "Ledger" in dict(concept_titles(facts)).values()


def test_what_shares_one_of_two_words_with_a_heading_does_not_belong_to_it() -> None:
    checks = {
        path: text.replace("Plugin", "Probe").replace("plugin", "probe")
        for path, text in FILES.items()
    }
    checks["shop/plugins.py"] += '\n\nimport os\n\nPATH = os.getenv("PROBES_PATH", "x")\n'
    checks["shop/settings.py"] = 'import os\n\nROOT = os.getenv("PROBES_ROOT", "x")\n'
    text = checks["docs/plugins.md"].replace("# Probes", "# Velvet probes", 1)
    plain, apart = (
        facts_of(files, name="shop") for files in (checks, checks | {"docs/plugins.md": text})
    )
    own = concept(plain, "concepts/probes").belongings.settings
    assert [it.name for it in own] == ["PROBES_PATH", "PROBES_ROOT"]
    assert not concept(apart, "concepts/velvet-probes").belongings.settings


def test_a_type_of_one_line_with_methods_counts_and_a_migration_does_not() -> None:
    facts = facts_of({
        "go.mod": "module example.com/shop\n",
        "till.go": "package shop\n\ntype Rule string\n\nfunc (r Rule) Check() bool {\n"
        "\ta := true\n\treturn a\n}\n",
        "shop/migrations/0001.py": "class Migration:\n    def up(self):\n        a = 1\n"
        "        return a\n",
    })  # fmt: skip
    names = [spot.name for spot, _ in vocabulary(facts).symbols]
    assert names == ["Rule", "Rule.Check"]


GATEWAYS = {
    "shop/__init__.py": "",
    "shop/gateways.py": "class Gateway:\n    def charge(self) -> int:\n"
    "        raise NotImplementedError\n\n    def refund(self) -> int:\n"
    "        raise NotImplementedError\n\n\n"
    + "\n\n".join(
        f"class {name}Gateway(Gateway):\n    def charge(self) -> int:\n" + "        a = 1\n" * 30
        for name in ("Card", "Cash")
    ),
    "shop/till.py": "from shop.gateways import Gateway\n\n\nclass Till:\n    gateway: Gateway\n\n"
    "    def pay(self) -> int:\n        first = 1\n        second = 2\n"
    "        return self.gateway.charge()\n",
    **{f"shop/part{n}.py": f"def part{n}() -> int:\n    a = 1\n    return a\n" for n in range(9)},
}


def test_a_subject_begins_at_what_others_build_on_and_at_who_uses_it() -> None:
    found = concept(facts_of(GATEWAYS), "concepts/gateway")
    assert found.types[0].name == "Gateway"
    assert [spot.name for spot in found.types[1:]] == ["CardGateway", "CashGateway"]
    assert "Till.pay" in [spot.name for spot in found.starts]


def test_a_name_is_the_largest_type_of_its_name_and_a_type_that_fills_a_file_is_its_subject() -> (
    None
):
    methods = "".join(f"    def m{n}(self):\n" + "        a = 1\n" * 12 for n in range(4))
    facts = facts_of({
        "a/conn.py": f"class Conn:\n{methods}",
        "b/conn.py": f"class Conn:\n{methods}",
        "b/cart.py": f"class Basket:\n{methods}",
    })  # fmt: skip
    titles = [title for _, title in concept_titles(facts)]
    assert "Basket" in titles
    assert "Cart" not in titles
    assert titles.count("Conn") == 1


def test_a_suite_of_tests_that_the_product_holds_explains_nothing() -> None:
    suite = 'package suite\n\nimport "testing"\n\nfunc testTill(t *testing.T) {\n\ta()\n\tb()\n}\n'
    facts = facts_of({
        "till/till.go": "package till\n\nfunc OpenTill() {\n\ta()\n\tb()\n}\n",
        "till/suite/suite.go": suite,
    })  # fmt: skip
    assert [spot.name for spot, _ in vocabulary(facts).symbols] == ["OpenTill"]


def test_a_closed_package_of_go_that_only_tests_import_explains_nothing() -> None:
    imported = 'package till\n\nimport "shop/internal/{}"\n\n'
    facts = facts_of({
        "go.mod": "module shop\n\ngo 1.22\n",
        "till/till.go": imported.format("store") + "func OpenTill() {\n\tstore.Open()\n\tb()\n}\n",
        "till/till_test.go": imported.format("client")
        + "func TestTill(t *testing.T) {\n\tclient.Dial()\n}\n",
        "internal/store/store.go": "package store\n\nfunc Open() {\n\ta()\n\tb()\n}\n",
        "internal/client/client.go": "package client\n\nfunc Dial() {\n\ta()\n\tb()\n}\n",
    })  # fmt: skip
    assert {spot.name for spot, _ in vocabulary(facts).symbols} == {"OpenTill", "Open"}


def test_parts_of_the_architecture_are_subjects() -> None:
    about = "It takes part in all that the shop does for people, each day, and writes it down. " * 2
    body = "    def run(self):\n        a = 1\n        b = 2\n        return a + b\n\n"
    facts = facts_of(
        {
            **FILES,
            "docs/index.rst": "Shop\n====\n\n.. toctree::\n\n   plugins\n   tills\n",
            "docs/tills.rst": f"Tills\n=====\n\nA `Till` takes money. {about}\n",
            "docs/design.rst": f"Architecture\n============\n\n{about}\n\nShop engine\n"
            f"-----------\n\nThe engine runs all parts of the shop. {about}\n",
            "shop/engine.py": f"class ShopEngine:\n{body}{body.replace('run', 'halt')}",
        },
        name="shop",
    )
    assert {title for _, title in concept_titles(facts)} >= {"Engine", "Plugins"}
    said = says(facts, "concepts/engine")
    assert said is not None
    assert said.words == "The engine runs all parts of the shop."


def test_a_word_that_nothing_says_anything_of_is_no_subject() -> None:
    body = "    def run(self):\n        a = 1\n        b = 2\n        return self.stop(a + b)\n\n"
    code = {f"shop/{n}.py": f"class Agent{n}:\n{body}" for n in ("Sea", "Air", "Land", "Rail")}
    assert "Agent" not in dict(concept_titles(facts_of({**FILES, **code}))).values()


def test_a_section_of_a_document_on_something_else_says_only_what_begins_with_its_subject() -> None:
    body = "    def run(self):\n" + "        a = 1\n" * 12
    more = "".join(body.replace("run", f"run{n}") for n in range(4))
    page = "---\ntitle: Paging\n---\n\n## Drawer\n\n{} It is as large as the shop needs it. " + (
        "It is opened once a day. " * 4
    )
    for sentence, is_one in (
        ("A paged drawer keeps coins and notes.", False),
        ("A drawer keeps coins and notes.", True),
    ):
        files = {
            **FILES,
            "shop/drawer.py": f"class Drawer:\n{more}",
            "docs/paging.md": page.format(sentence),
        }
        said = says(facts_of(files, name="shop"), "concepts/drawer")
        assert (said is not None) == is_one


def test_a_document_on_methods_that_another_file_adds_to_a_type_breaks_nothing() -> None:
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/lib.rs": "mod till;\nmod batch;\n",
        "src/till.rs": "pub struct TillStore {\n    pub id: u64,\n}\n",
        "src/batch.rs": "use crate::till::TillStore;\n\nimpl TillStore {\n"
        "    pub fn flush_batches(&self) {\n        self.flush();\n    }\n}\n",
        "docs/batches.md": "# Store batches\n\nA batch of the store is written by "
        "`TillStore::flush_batches` or `flush_batches`.\n\n## How batches are kept\n\n"
        "Call `flush_batches` to keep them; the store has many batches.\n",
    })  # fmt: skip
    assert concept_titles(facts) == ()


def test_a_subject_begins_with_what_makes_it_and_not_with_what_ends_it_or_is_on_another() -> None:
    def handler(name: str, steps: int) -> str:
        body = "".join(f"    a{n} = {n}\n" for n in range(steps))
        return (
            f"@app.post('/orders/{name}')\ndef {name}():\n{body}    return send_{name}()\n\n\n"
            + (f"def send_{name}():\n{body}    return a1\n\n\n")
        )

    columns = "    id = db.Column(db.Integer, primary_key=True)\n\n"
    steps = (f"    def step{n}(self):\n        a = 1\n        return a\n\n" for n in range(16))
    columns += "".join(steps)
    files = {
        **FILES,
        "shop/models.py": "from flask_sqlalchemy import SQLAlchemy\n\ndb = SQLAlchemy()\n\n\n"
        + "".join(f"class {it}(db.Model):\n{columns}\n\n" for it in ("Order", "Coin")),
        "shop/orders.py": "from flask import Flask\nfrom shop.models import Order\n\n"
        "app = Flask(__name__)\n\n\n"
        + handler("cancel", 40) + handler("add_coin", 40) + handler("place", 30),
    }  # fmt: skip
    order = concept(facts_of(files, name="shop"), "concepts/order")
    assert [it.name for it in order.starts][:1] == ["place"]


def test_what_ends_an_object_does_not_begin_its_steps() -> None:
    def method(name: str, lines: int) -> str:
        return f"    public void {name}() {{\n" + "        till.count();\n" * lines + "    }\n\n"

    class_ = (
        "/** Serves the shop. */\npublic class Counter extends HttpServlet {\n    Till till;\n\n"
    )
    methods = f"{method('destroy', 60)}{method('init', 30)}{method('serve', 20)}"
    facts = facts_of(
        {
            "pom.xml": "<project><artifactId>shop</artifactId></project>",
            "docs/counter.md": "# Counter\n\nThe counter sells things to people who come in.\n",
            "src/Counter.java": f"package shop;\n\n{class_}{methods}}}\n",
            "src/Till.java": "package shop;\n\nclass Till {\n    void count() { }\n}\n",
        }
    )
    starts = [it.name for it in concept(facts, "concepts/counter").starts]
    assert starts == ["Counter.init", "Counter.serve", "Counter.destroy"]


def test_what_is_stored_says_what_it_is_and_not_its_manager_or_one_of_the_same_name() -> None:
    table = "class {}(models.Model):\n    '''{}'''\n    name = models.TextField()\n{}\n\n"
    steps = "".join(
        f"    def step{n}(self):\n        a = 1\n        return a\n\n" for n in range(16)
    )
    files = {
        **FILES,
        "shop/models.py": "from django.db import models\n\n\n"
        + table.format("Till", "Model for a till", steps)
        + table.format("Coin", "Metal that customers pay with in shops", steps)
        + f"class TillManager:\n    '''Finds open tills for the staff of shops'''\n\n{steps}",
        "bank/models.py": "from django.db import models\n\n\n"
        + table.format("Coin", "Savings that banks keep for many customers", steps),
        "shop/safe.py": "from django.db import models\n\n\n"
        + table.format("Safe", "Metal box that keeps coins over night", steps),
    }
    facts = facts_of(files, name="shop")
    said = {title: says(facts, key) for key, title in concept_titles(facts)}
    assert {title: it and it.words for title, it in said.items() if title != "Plugins"} == {
        "Till": None, "Coin": None, "Safe": "Metal box that keeps coins over night",
    }  # fmt: skip
