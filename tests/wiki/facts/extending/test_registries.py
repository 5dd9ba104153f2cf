"""Tables that lead texts to functions or types."""

from __future__ import annotations

from stationmaster.wiki.facts.extending.registries import registries
from stationmaster.wiki.facts.model import Spot
from tests.wiki.commits import facts_of

KEYS = ("cash", "card", "bill", "coin", "gift", "loan")


def test_a_table_of_six_names_is_one_in_every_language_that_writes_it() -> None:
    facts = facts_of({
        "pay.py": "".join(f"class {it.title()}: ...\n\n" for it in KEYS)
        + "KINDS = {\n" + "".join(f'    "{it}": {it.title()},\n' for it in KEYS) + "}\n",
        "aligned.py": "".join(f"class {it.title()}: ...\n\n" for it in KEYS)
        + "KINDS = {" + "         ".join(f"'{it}': {it.title()},\n" for it in KEYS) + "}\n",
        "pay.rs": "".join(f"fn {it}() {{}}\n" for it in KEYS)
        + "fn get(name: &str) -> Kind {\n    match name {\n"
        + "".join(f'        "{it}" => Unary({it}),\n' for it in KEYS)
        + "        _ => none(),\n    }\n}\n",
        "pay.rb": "".join(f"class {it.title()}\nend\n" for it in KEYS)
        + "module Pay\n  KINDS = {\n"
        + "".join(f"    '{it}' => {it.title()},\n" for it in KEYS) + "  }.freeze\nend\n",
        "go.mod": "module shop\n",
        "pay.go": "package shop\n\n" + "".join(f"type {it} struct{{}}\n" for it in KEYS)
        + "\nvar Kinds = map[string]func() any{\n"
        + "".join(f'\t"{it}": func() any {{ return new({it}) }},\n' for it in KEYS) + "}\n",
        "pay.ts": "".join(f"function {it}() {{}}\n" for it in KEYS)
        + "export const kinds = {\n"
        + "".join(f"  of_{it}: {it},\n" for it in KEYS) + "};\n",
    })  # fmt: skip
    found = {each.path: each for each in registries(facts)}
    assert {path: (it.name, len(it.entries)) for path, it in found.items()} == {
        "pay.py": ("KINDS", 6), "aligned.py": ("KINDS", 6), "pay.rs": ("get", 6),
        "pay.rb": ("Pay.KINDS", 6),
        "pay.go": ("Kinds", 6), "pay.ts": ("kinds", 6),
    }  # fmt: skip
    assert [(it.key, it.end and it.end.name) for it in found["pay.go"].entries[:2]] == [
        ("cash", "cash"), ("card", "card"),
    ]  # fmt: skip


def test_what_leads_to_texts_or_to_one_thing_and_the_fields_of_a_type_are_none() -> None:
    facts = facts_of({
        "a.py": "def one(): ...\n\nA = {\n" + "".join(f'    "{it}": one,\n' for it in KEYS)
        + "}\nB = {\n" + "".join(f'    "{it}": "one",\n' for it in KEYS) + "}\n",
        "a.ts": "".join(f"class {it.title()} {{}}\n" for it in KEYS) + "interface All {\n"
        + "".join(f"  {it}: {it.title()}\n" for it in KEYS) + "}\n",
    })  # fmt: skip
    assert registries(facts) == ()


def test_the_fields_of_a_type_and_what_a_hook_gives_are_no_choice() -> None:
    functions = "".join(f"function {it}() {{}}\nclass {it.title()} {{}}\n" for it in KEYS)
    types = "".join(f"type {it.title()} = string;\n" for it in KEYS)
    cases = "".join(f"  of_{it}: {it},\n" for it in KEYS)
    lines = "".join(f"  {it}: {it.title()};\n" for it in KEYS)
    calls = "".join(f"  {it}: ({it}: {it.title()}) => void;\n" for it in KEYS)
    found = registries(facts_of({
        "a.ts": f"{functions}export type Draft = {{\n{lines}}};\n",
        "b.ts": f"{types}export const draft = {{\n{calls}}};\n",
        "c.ts": f"{functions}export function useTill() {{\n  return {{\n{cases}  }};\n}}\n",
        "d.ts": f"{functions}export function tills() {{\n  return {{\n{cases}  }};\n}}\n",
    }))  # fmt: skip
    assert [(it.path, it.name) for it in found] == [("d.ts", "tills")]


def test_a_suite_of_tests_that_the_product_holds_is_no_table_of_names() -> None:
    cases = "".join(f'\t\t{{"{name}", test{name}}},\n' for name in "ABCDEFG")
    functions = "".join(f"func test{name}(t *testing.T) {{\n}}\n\n" for name in "ABCDEFG")
    text = (
        'package suite\n\nimport "testing"\n\n'
        f"func Run(t *testing.T) {{\n\tcases := []subTest{{\n{cases}\t}}\n\tuse(cases)\n}}\n\n"
    )
    assert registries(facts_of({"go.mod": "module a\n", "suite/a.go": text + functions})) == ()


def test_a_list_whose_elements_a_function_makes_of_a_name_is_a_table() -> None:
    names = ("carts", "bills", "tills", "coins", "notes", "cards")
    made = "".join(
        f'\tNew("add {name}", add{name.title()}), // V{n}\n' for n, name in enumerate(names)
    )
    steps = "".join(
        f"func add{name.title()}(db int) error {{\n\treturn nil\n}}\n\n" for name in names
    )
    calls = "".join(f'\tNew("add {name}", add{name.title()})\n' for name in names)
    text = (
        "package shop\n\nfunc New(name string, f func(int) error) int {\n\treturn 1\n}\n\n"
        f"var steps = []int{{\n{made}}}\n\nfunc main() {{\n{calls}}}\n\n{steps}"
    )
    (table,) = registries(facts_of({"go.mod": "module shop\n", "shop.go": text}))
    assert [entry.key for entry in table.entries] == [f"add {name}" for name in names]
    assert table.entries[0].end == Spot("shop.go", "addCarts")
    assert table.name == "steps"


def test_a_row_of_branches_leads_to_what_no_other_row_leads_to_or_nowhere() -> None:
    arms = "".join(
        f'        "{it}" => {{\n            if closed {{\n                refuse();\n'
        f"            }} else {{\n                {it}();\n            }}\n        }}\n"
        for it in KEYS[:5]
    )
    arms += '        "loan" => {\n            if open { lend() } else { borrow() }\n        }\n'
    declared = "".join(f"fn {it}() {{}}\n" for it in (*KEYS, "refuse", "lend", "borrow"))
    text = f"{declared}fn get(name: &str) {{\n    match name {{\n{arms}    }}\n}}\n"
    (table,) = registries(facts_of({"pay.rs": text}))
    ends = {it.key: it.end and it.end.name for it in table.entries}
    assert ends == {**{it: it for it in KEYS[:5]}, "loan": None}
