"""Which names get a page: those of code of its own, told once."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.subjects.concepts import concept, concept_titles
from tests.wiki.commits import facts_of

BODY = "".join(f"        a{n} = {n}\n" for n in range(9)) + "        return a1\n\n"
STEPS = (
    f"    def {{0}}_one(self):\n        self.{{0}}_two()\n{BODY}"
    f"    def {{0}}_two(self):\n        self.{{0}}_three()\n{BODY}"
    f"    def {{0}}_three(self):\n{BODY}"
)
PARTS = {f"shop/part{n}.py": f"def part{n}():\n    a = 1\n    return a\n" for n in range(9)}


def titles(files: dict[str, str]) -> list[str]:
    facts = facts_of(
        {"README.md": "# Shop\n\nSells things to people.\n", **PARTS, **files}, name="shop"
    )
    return [title for _, title in concept_titles(facts)]


def large(name: str, word: str) -> str:
    return f"class {name}:\n" + STEPS.format(word)


def function(name: str, lines: int = 60) -> str:
    return (
        f"def {name}():\n"
        + "    a = 1\n" * lines
        + f"    return {name}_end()\n\n\n"
        + (f"def {name}_end():\n" + "    b = 1\n" * 9 + "    return b\n")
    )


def test_a_type_is_called_as_the_code_writes_it() -> None:
    assert "TillKeeper" in titles({"shop/till.py": large("TillKeeper", "till")})
    assert "OkLCh" in titles({"shop/colors.py": large("OkLCh", "mix")})


def test_a_type_is_called_without_the_namespaces_that_it_is_in() -> None:
    body = "".join(f"      a{n} = {n}\n" for n in range(30))
    methods = "".join(f"    def step{n}\n{body}    end\n" for n in range(4))
    files = {"lib/shop/keeper.rb": f"module Shop\n  class TillKeeper\n{methods}  end\nend\n"}
    files["lib/shop/drawer.rb"] = f"class Shop::Parts::Drawer\n{methods}end\n"
    assert {"TillKeeper", "Drawer"} <= {*titles(files)}


def test_what_others_build_on_and_any_program_may_have_is_none() -> None:
    below = "".join(f"class Part{n}(Base):\n    def one(self): ...\n\n\n" for n in range(9))
    assert "Base" not in titles({"shop/base.py": large("Base", "till") + below})


def test_one_of_many_controllers_is_none() -> None:
    words = ("Wheel", "Drawer", "Shelf", "Ladder")
    few = {f"shop/{word.lower()}.py": large(f"{word}Controller", word.lower()) for word in words}
    assert not [title for title in titles(few) if "ontroller" in title]


def test_a_heading_on_changes_names_no_subject() -> None:
    readme = "# Shop\n\nSells things.\n\n## Change log\n\n" + "All that was changed is here. " * 9
    files = {"README.md": readme, "shop/log.py": large("CommonLog", "log") + large("NullLog", "no")}
    files["shop/rest.py"] = large("Rest", "rest") * 3
    assert "Change log" not in titles(files)


def test_what_only_examples_hold_is_no_subject() -> None:
    assert "TillKeeper" not in titles({"_examples/till.py": large("TillKeeper", "till")})


def test_a_file_of_functions_is_a_subject_if_there_is_much_in_it() -> None:
    found = titles({"shop/receipts.py": function("print_receipt"), "shop/coins.py": "A = 1\n"})
    assert "Receipts" in found
    assert "Coins" not in found


def test_a_word_that_types_share_is_none_but_what_they_build_on_is() -> None:
    words = ("Sea", "Air", "Land", "Rail")
    alone = {f"shop/{it.lower()}.py": large(f"{it}Agent", it.lower()) for it in words}
    assert "Agent" not in titles(alone)

    asked = "    def send(self):\n        raise NotImplementedError\n\n"
    sends = f"    def send(self):\n{BODY}"
    built = {f"shop/{it.lower()}.py": "from shop.agent import Agent\n\n\n"
             f"class {it}Agent(Agent):\n{sends * 2}" for it in words}  # fmt: skip
    found = titles({"shop/agent.py": f"class Agent:\n{asked}", **built})
    assert "Agent" in found
    assert not [it for it in found if it.endswith("Agent") and it != "Agent"]


def test_a_folder_is_a_subject_where_a_document_or_a_type_has_its_name() -> None:
    code = {f"shop/closing/{it}.py": function(it) for it in ("kill_all", "stop_orders")}
    guide = (
        "# Guide\n\n## Closing\n\n" + "The shop closes at night, and opens again by itself. " * 3
    )
    assert "Closing" not in titles(code)
    assert "Closing" in titles({**code, "docs/guide.md": guide})


@pytest.mark.parametrize("name", ["Common", "Server", "Options"])
def test_what_any_program_may_have_is_one_where_it_is_large_or_a_document_names_it(
    name: str,
) -> None:
    code = {f"shop/{name.lower()}.py": large(name, "it")}
    guide = f"# {name}\n\n" + "It takes part in all that the shop does for people. " * 3
    assert name not in titles(code)
    assert name in titles({**code, "docs/guide.md": guide})


def test_the_package_of_a_whole_program_is_no_part_of_what_is_called_so() -> None:
    files = {
        "README.md": "# Market\n\nSells things.\n",
        **PARTS,
        "tills/settings.py": function("read_settings"),
        "tills/wsgi.py": "from tills.settings import read_settings\n\nread_settings()\n",
        "shop/models.py": "from django.db import models\n\n\n" + large("Till", "till").replace(
            "class Till:", "class Till(models.Model):\n    name = models.TextField()\n"
        ),
    }  # fmt: skip
    facts = facts_of(files, name="market")
    key = next(key for key, title in concept_titles(facts) if title == "Till")
    assert concept(facts, key).files == ("shop/models.py",)


def test_code_that_an_earlier_page_has_makes_no_other_one() -> None:
    found = titles({"shop/cart.py": large("Basket", "fill")})
    assert "Basket" in found
    assert "Cart" not in found


def test_what_is_called_alike_in_another_folder_is_something_else() -> None:
    facts = facts_of({
        **PARTS,
        "shop/till/conn.py": large("Conn", "open") + STEPS.format("more"),
        "shop/bank/conn.py": large("Conn", "call"),
    })  # fmt: skip
    (key,) = (key for key, title in concept_titles(facts) if title == "Conn")
    assert {spot.path for spot in concept(facts, key).types} == {"shop/till/conn.py"}


def test_one_of_many_helpers_is_a_subject_where_a_document_is_called_so() -> None:
    helpers = {f"shop/helper/part{n}_helper.py": "A = 1\n" for n in range(30)}
    helpers["shop/helper/permission_helper.py"] = function("may_sell") + function("may_buy")
    text = "Who may do what is decided by the groups of a person, all day long.\n\n"
    document = f"{text}## Levels\n\n{text * 3}## Making accounts\n\n{text * 3}"
    assert "Permissions" not in titles(helpers)
    assert "Permissions" in titles(helpers | {"docs/permissions.md": document})


def test_a_type_and_the_file_that_it_is_most_of_are_one_subject() -> None:
    file = large("TillEngine", "till") + "\n\n" + function("drawer_of", 40)
    found = titles({"shop/drawer.py": file})
    assert len({"TillEngine", "Drawer"} & {*found}) == 1


def test_a_part_of_the_product_means_by_a_word_what_the_documents_on_that_part_do() -> None:
    words = "An offer is what a till shows before it is paid, with its price, its place and owner."
    many = [f"plug{n}" for n in range(10)]
    files = {
        **{f"plugs/{it}.py": f"def {it}():\n    a = 1\n    return a\n" for it in many},
        **{f"docs/plugs/{it}.md": f"# {it.capitalize()}\n\n{words}\n" for it in many},
        "plugs/plug1/offer.py": large("Offer", "offer"),
    }
    says = f"{words}\n\n## Offers\n\n{words}\n"

    def quotes(path: str) -> bool:
        facts = facts_of({**PARTS, **files, path: f"# Selling\n\n{says}"}, name="shop")
        pages = [concept(facts, key) for key, _ in concept_titles(facts)]
        own = next(it for it in pages if "Offer" in [spot.name for spot in it.types])
        return path in [it.path for it in own.passages]

    assert quotes("docs/plugs/plug1.md")
    assert not quotes("docs/plugs/plug2.md")
    assert not quotes("docs/selling.md")


def test_what_documents_tables_or_routes_agree_on_comes_before_what_only_code_is_called() -> None:
    model = "from django.db import models\n\n\nclass {0}(models.Model):\n    name = models.{1}\n"
    body = STEPS.format("own")
    alone = {
        f"shop/{word.lower()}.py": large(word, "it") * 3
        for word in ("Selector", "Styling", "Picker", "Chooser", "Widgets", "Painter", "Folder")
    }
    stored = {
        f"shop/models/{word.lower()}.py": model.format(word, "TextField()") + body
        for word in ("Order", "Parcel", "Invoice", "Customer")
    }
    found = titles({**alone, **stored})
    assert {*found[:4]} == {"Order", "Parcel", "Invoice", "Customer"}
    assert len(found) <= 6


def test_what_is_stored_is_what_a_name_means_whatever_else_is_called_so() -> None:
    facts = facts_of({
        **PARTS,
        "db/one.sql": "CREATE TABLE parcels (id int, weight int);\n",
        "shop/models/parcel.py": 'class Parcel:\n    """A parcel that is on its way to people."""\n'
        + STEPS.format("send"),
        "shop/views/parcel.py": 'class Parcel:\n    """Draws a box with a border."""\n'
        + STEPS.format("draw") * 3,
    }, name="shop")  # fmt: skip
    assert concept(facts, "concepts/parcel").types[0].path == "shop/models/parcel.py"
