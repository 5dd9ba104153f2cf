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


def test_words_lead_to_symbols_by_name_by_file_and_by_mention() -> None:
    known = vocabulary(facts_of(FILES, name="shop"))
    assert known.find(["plugin"])[0].spot.name == "PluginManager"
    assert [each.spot.name for each in known.find([], ["~shop.PluginManager.load()"])] == [
        "PluginManager.load"
    ]
    assert known.find([], ["load"]) == []
    assert known.find(["nothing"]) == []


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


def test_what_several_parts_with_a_readme_are_is_one_concept() -> None:
    files = {
        **FILES,
        **{
            f"parts/{name}/README.md": f"# {name.title()} Converter\n\nTurns all that is sold into"
            f" {name}, and back again, without a loss of anything that was in it.\n\n## Use\n\n"
            f"Ask for the {name} converter where you need it, once for all of the shop's parts.\n"
            for name in ("wire", "text", "paper")
        },
        **{
            f"parts/{name}/main.py": f"class {name.title()}Converter:\n    def a(self):\n"
            "        pass\n"
            for name in ("wire", "text", "paper")
        },
    }
    facts = facts_of(files, name="shop")
    assert "Converter" in dict(concept_titles(facts)).values()
    assert len(concept(facts, "concepts/converter").types) == 3


def test_a_class_that_does_much_and_that_no_page_describes_has_one() -> None:
    body = "".join(f"    def step{n}(self):\n" + "        a = 1\n" * 12 for n in range(4))
    facts = facts_of({**FILES, "shop/ledger.py": f"class Ledger:\n{body}"}, name="shop")
    assert "Ledger" in dict(concept_titles(facts)).values()


def test_a_small_repository_has_the_words_of_its_functions_as_concepts() -> None:
    files = {
        f"src/{name}/{name}.service.js": ""
        f"export function get{name.title()}() {{\n  const a = 1;\n  one(a);\n}}\n\n"
        f"export function add{name.title()}() {{\n  const a = 1;\n  two(a);\n}}\n\n"
        f"export function drop{name.title()}() {{\n  const a = 1;\n  two(a);\n}}\n"
        for name in ("article", "profile")
    } | {f"src/other/part{n}.js": f"export function part{n}() {{\n  a();\n}}\n" for n in range(9)}
    assert [title for _, title in concept_titles(facts_of(files))] == ["Article", "Profile"]


def test_a_word_without_anything_that_happens_has_no_page() -> None:
    names = ("Ticket", "TicketRow", "TicketKind")
    plain = {f"shop/ticket{n}.py": f"class {name}:\n    pass\n" for n, name in enumerate(names)}
    settings = 'import os\n\nA = os.getenv("TICKET_A")\nB = os.getenv("TICKET_B")\n'
    more = {**plain, "shop/ticket.py": settings + 'C = os.getenv("TICKET_C")\n'}
    assert "Ticket" not in dict(concept_titles(facts_of({**FILES, **more}))).values()
    done = "def open_ticket() -> int:\n    a = 1\n    b = 2\n    return close_ticket(a + b)\n\n\n"
    done += "def close_ticket(a: int) -> int:\n    b = a\n    c = b\n    return c\n"
    more["shop/ticket.py"] += done
    assert "Ticket" in dict(concept_titles(facts_of({**FILES, **more}))).values()


ALIKE = "".join(
    f"### Configuring {name} alerts\n\n{name} gets a message from `{name}Alerts` when it is due, "
    "once, with all that it needs to know.\n\n"
    for name in ("Slack", "Teams", "Matrix", "Twilio")
)


@pytest.mark.parametrize(
    ("parent", "sections"),
    [
        ("Alerting", ["Alerting", "Configuring Slack alerts", "Configuring Teams alerts"]),
        ("FAQ", [f"Configuring {name} alerts" for name in ("Slack", "Teams", "Matrix")]),
    ],
)
def test_sections_that_are_called_alike_are_one_concept(parent: str, sections: list[str]) -> None:
    text = "A till alerts whoever ought to know, by a message to a service of theirs, at once."
    chapter = text if parent == "Alerting" else ""
    code = {
        f"till/{name}.py": f"class {name.title()}Alerts:\n    def send(self):\n        pass\n"
        for name in ("slack", "teams", "matrix", "twilio")
    }
    parts = {path: words for path, words in FILES.items() if "/part" in path}
    guide = f"# Shop\n\n## {parent}\n\n{chapter}\n\n{ALIKE}"

    facts = facts_of({"README.md": guide, **code, **parts}, name="shop")

    assert [name for _, name in concept_titles(facts)] == ["Alerts"]
    (key, _), *_ = concept_titles(facts)
    assert [passage.title for passage in concept(facts, key).passages] == sections


def test_what_shares_one_of_two_words_with_a_heading_does_not_belong_to_it() -> None:
    checks = {
        path: text.replace("Plugin", "Check").replace("plugin", "check")
        for path, text in FILES.items()
    }
    checks["shop/plugins.py"] += '\n\nimport os\n\nPATH = os.getenv("CHECKS_PATH", "x")\n'
    checks["shop/settings.py"] = 'import os\n\nROOT = os.getenv("CHECKS_ROOT", "x")\n'
    text = checks["docs/plugins.md"].replace("# Checks", "# Velvet checks", 1)
    plain, apart = (
        facts_of(files, name="shop") for files in (checks, checks | {"docs/plugins.md": text})
    )
    own = concept(plain, "concepts/checks").belongings.settings
    assert [it.name for it in own] == ["CHECKS_PATH"]  # The other one is read by other code.
    assert not concept(apart, "concepts/velvet-checks").belongings.settings


def test_a_type_of_one_line_with_methods_counts_and_a_migration_does_not() -> None:
    facts = facts_of({
        "go.mod": "module example.com/shop\n",
        "till.go": "package shop\n\ntype Rule string\n\nfunc (r Rule) Check() bool {\n"
        "\ta := true\n\treturn a\n}\n",
        "shop/migrations/0001.py": "class Migration:\n    def up(self):\n        a = 1\n"
        "        return a\n",
    })  # fmt: skip
    names = [spot.name for spot, _, _ in vocabulary(facts).symbols]
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
    facts = facts_of(GATEWAYS)
    found = concept(facts, "concepts/gateway")
    assert [spot.name for spot in found.types] == ["Gateway"]
    assert [spot.name for spot in found.below] == ["CardGateway", "CashGateway"]
    assert [way.start.name for way in explained(facts, found.key).flows] == ["Till.pay"]


def test_what_has_all_words_of_a_heading_comes_first() -> None:
    text = "# Card gateways\n\nA `CashGateway` is what most of the shops have, and a card is not. "
    found = concept(facts_of({**GATEWAYS, "docs/a.md": text * 2}), "concepts/card-gateways")
    assert found.types[0].name == "CardGateway"


@pytest.mark.parametrize(
    ("chapter", "heading", "title"),
    [
        ("Guide", "Using the default till", "Till"),
        ("Guide", "Setting and changing tills", "Tills"),
        ("Third Party Packages", "Till", ""),
        ("Guide", "Using the default part", ""),
    ],
)
def test_a_heading_names_what_something_is_done_with_and_none_of_others_work(
    chapter: str, heading: str, title: str
) -> None:
    named = "the parts" if "part" in heading else "`Till` and `Till.pay()`"
    text = f"# {chapter}\n\n## {heading}\n\n" + f"All that one can know of {named} is here. " * 3
    facts = facts_of({**FILES, "shop/tills.py": "def count_till():\n    a = 1\n    return a\n",
                      "docs/guide.md": text})  # fmt: skip
    assert dict(concept_titles(facts)).keys() - {"concepts/plugins"} == (
        {f"concepts/{title.lower()}"} if title else set()
    )


def test_types_that_are_private_or_named_alike_elsewhere_are_no_subjects() -> None:
    methods = "".join(f"    def m{n}(self):\n" + "        a = 1\n" * 12 for n in range(4))
    facts = facts_of({
        "a/conn.py": f"class Conn:\n{methods}",
        "b/conn.py": f"class Conn:\n{methods}",
        "b/till.py": f"class _Till:\n{methods}",
        "b/cart.py": f"class Basket:\n{methods}",
    })  # fmt: skip
    titles = [title for _, title in concept_titles(facts)]
    assert "Basket" in titles
    assert not {"_Till", "Till"}.intersection(titles)


def test_a_suite_of_tests_that_the_product_holds_explains_nothing() -> None:
    suite = 'package suite\n\nimport "testing"\n\nfunc testTill(t *testing.T) {\n\ta()\n\tb()\n}\n'
    facts = facts_of({
        "till/till.go": "package till\n\nfunc OpenTill() {\n\ta()\n\tb()\n}\n",
        "till/suite/suite.go": suite,
    })  # fmt: skip
    assert [hit.spot.name for hit in vocabulary(facts).find(["till"])] == ["OpenTill"]


def test_parts_of_the_architecture_come_first_then_the_table_of_contents() -> None:
    about = "It takes part in all that the shop does for people, each day, and writes it down. " * 2
    body = "    def run(self):\n        a = 1\n        b = 2\n        return a + b\n\n"
    facts = facts_of(
        {
            **FILES,
            "docs/index.rst": "Shop\n====\n\n.. toctree::\n\n   plugins\n   tills\n",
            "docs/tills.rst": f"Tills\n=====\n\nA `Till` takes money. {about}\n",
            "docs/design.rst": f"Architecture\n============\n\n{about}\n\nShop engine\n"
            f"-----------\n\nThe engine runs all. {about}\n",
            "shop/engine.py": f"class ShopEngine:\n{body}{body.replace('run', 'halt')}",
        },
        name="shop",
    )
    assert [title for _, title in concept_titles(facts)][:3] == ["Engine", "Plugins", "Tills"]
    said = says(facts, "concepts/engine")
    assert said is not None
    assert said.words == "The engine runs all."


def test_a_word_that_nothing_says_anything_of_is_no_subject() -> None:
    body = "    def run(self):\n        a = 1\n        b = 2\n        return self.stop(a + b)\n\n"
    code = {f"shop/{n}.py": f"class Agent{n}:\n{body}" for n in ("Sea", "Air", "Land", "Rail")}
    assert "Agent" not in dict(concept_titles(facts_of({**FILES, **code}))).values()
