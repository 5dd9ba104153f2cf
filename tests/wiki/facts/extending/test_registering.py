"""Where the types that build on another one are named together."""

from __future__ import annotations

from stationmaster.wiki.facts.extending.registering import Registered, registered
from stationmaster.wiki.facts.extending.registries import registries
from stationmaster.wiki.text.inline import Place
from tests.wiki.commits import facts_of

NAMES = ("Cash", "Card", "Cheque", "Transfer")


def test_the_list_that_names_most_types_is_where_another_one_is_added() -> None:
    types = {
        f"shop/{name.lower()}.py": f"from shop.pay import Pay\n\nclass {name}(Pay):\n    pass\n"
        for name in NAMES
    }
    imports = "".join(f"from shop.{name.lower()} import {name}\n" for name in NAMES)
    facts = facts_of(
        {
            "shop/pay.py": "class Pay:\n    def pay(self): ...\n",
            "shop/known.py": imports + "\nKNOWN = [\n    Cash,\n    Card,\n    Cheque,\n]\n",
            "shop/names.py": imports
            + '\n__all__ = [\n    "Cash",\n    "Card",\n    "Cheque",\n]\n',
            "shop/migrations/m1.py": imports + "\nOLD = [Cash, Card, Cheque, Transfer]\n",
            **types,
        }
    )
    assert registered(facts) == {
        "shop/pay.py:Pay": (Registered(Place("shop/known.py", 7, 9), 3),),
    }


def test_tables_of_bundled_libraries_and_of_migrations_are_no_place_to_extend() -> None:
    names = [f"name{n}" for n in range(8)]
    body = "".join(f"function {name}() {{}}\n" for name in names)
    table = "var all = {\n" + "".join(f"  {name}: {name},\n" for name in names) + "};\n"
    foreign = "/* @preserve\n * Maps 1.6.0, a library\n * (c) Somebody else\n */\n"
    facts = facts_of(
        {
            "public/lib/maps.js": foreign + body + table,
            "migrations/first.js": body + table,
            "src/own.js": body + table,
        }
    )
    assert [each.path for each in registries(facts)] == ["src/own.js"]


def test_words_that_are_called_like_types_of_another_language_name_none_of_them() -> None:
    kinds = "".join(
        f"export class {name} implements Sold {{\n  sell() {{\n    return 1;\n  }}\n}}\n"
        for name in ("Bread", "Flour", "Yeast")
    )
    files = {
        "web/kinds.ts": "export interface Sold { sell(): number; }\n" + kinds,
        "web/all.ts": "import { Bread, Flour, Yeast } from './kinds';\n\n"
        "export const ALL = [\n  Bread,\n  Flour,\n  Yeast,\n];\n",
        "api/Items.cs": "namespace Api;\npublic class Items {\n  public int Bread { get; set; }\n"
        "  public int Flour { get; set; }\n  public int Yeast { get; set; }\n}\n",
    }
    (places,) = registered(facts_of(files)).values()
    assert [it.place.path for it in places] == ["web/all.ts"]
