"""What users of a library can name, with an example of each."""

from __future__ import annotations

from stationmaster.wiki.facts.extending.exported import fronts, offers
from stationmaster.wiki.facts.model import Spot
from stationmaster.wiki.pages.interfaces import library
from tests.wiki.commits import facts_of, written

MANIFEST = '{"name": "tills", "version": "1.0.0", "main": "lib/main.js"}'
FRONT = (
    "exports.open = require('./open');\nexports.Till = require('./till');\n"
    "exports.rules = other.rules;\nexports.Drawer = require('./drawer');\n"
)
LIBRARY = {
    "package.json": MANIFEST,
    "lib/main.js": FRONT,
    "lib/open.js": "/** Opens it. */\nfunction open(key) {\n  return key;\n}\n"
    "module.exports = open;\n",
    "lib/till.js": "/** Holds the money of a day. */\nclass Till {\n  add(a) {\n    return a;\n"
    "  }\n}\nmodule.exports = Till;\n",
    "lib/drawer.js": "class Drawer {\n  pull() {\n    return 1;\n  }\n}\n"
    "module.exports = Drawer;\n",
    "README.md": "# Tills\n\nTills hold money and give it back to whoever asks for it.\n\n"
    "```js\nconst tills = require('tills');\nconst till = new tills.Till();\n"
    "tills.rules(till);\n```\n",
    "test/drawer.test.js": "test('it is pulled', () => {\n  const drawer = new Drawer();\n"
    "  drawer.pull();\n});\n",
}


def test_names_of_the_first_file_have_their_declaration_and_an_example() -> None:
    facts = facts_of(LIBRARY, name="tills")
    assert fronts(facts) == {"lib/main.js": "tills"}
    told = {it.name: it for it in offers(facts)}
    assert [*told] == ["Till", "rules", "Drawer", "open"]
    assert told["Till"].spot == Spot("lib/till.js", "Till")
    assert told["Till"].example == ("const till = new tills.Till();",)
    assert told["rules"].spot is None
    assert (told["rules"].path, told["rules"].line) == ("README.md", 8)
    assert told["Drawer"].example[0] == "test('it is pulled', () => {"
    assert (told["Drawer"].path, told["Drawer"].line) == ("test/drawer.test.js", 1)
    assert told["open"].example == ()


def test_the_page_has_what_is_said_or_shown() -> None:
    facts = facts_of(LIBRARY, name="tills")
    (planned,) = library.plan(facts)
    page = written(facts, planned.write)
    assert "Users import `tills`, which begins in [`lib/main.js`](source:lib/main.js)." in page
    assert "| `Till` | Holds the money of a day. | `const till = new tills.Till();` ([" in page
    assert "| `open(key)` |   |   | [`lib/open.js:2-4`]" in page
    assert "### Drawer\n\nThe shortest test with it ([`test/drawer.test.js:1-4`]" in page


def test_a_front_without_names_gives_way_to_all_that_is_declared() -> None:
    kinds = "".join(f"class {name}:\n    def run(self):\n        a = 1\n        return a\n\n\n"
                    for name in ("Cart", "Bill", "Shelf"))  # fmt: skip
    readme = "# Shop\n\nSells what people bring, and brings what they buy.\n\n"
    shown = "```python\nfrom shop.kinds import Cart\nclass Mine(Cart):\n    pass\n"
    shown += "cart = Cart()\n```\n"
    facts = facts_of({
        "pyproject.toml": '[project]\nname = "shop"\nversion = "1.0"\n', "shop/__init__.py": "",
        "shop/kinds.py": kinds, "README.md": readme + shown,
    }, name="shop")  # fmt: skip
    told = {it.name: it for it in offers(facts)}
    assert [*told] == ["Cart", "Bill", "Shelf"]
    assert told["Cart"].example == ("cart = Cart()",)
    assert list(library.plan(facts)) == []


def test_a_name_of_another_package_or_of_an_object_is_none_of_the_library() -> None:
    code = "package till\n\n// Open opens.\nfunc Open() int {\n\ta := 1\n\treturn a\n}\n\n"
    code += "// Rest waits.\nfunc Rest() int {\n\ta := 1\n\treturn a\n}\n\n"
    code += "// Close closes.\nfunc Close() int {\n\ta := 1\n\treturn a\n}\n"
    readme = "# Till\n\nTills hold money and give it back to whoever asks for it.\n\n```go\n"
    readme += "f := os.Open(1)\nf.Close()\nRest()\nfunc main() {\n\ta := till.Close()\n}\n```\n"
    files = {"go.mod": "module example.com/till\n", "till.go": code, "README.md": readme}
    told = {it.name: it.example for it in offers(facts_of(files, name="till"))}
    assert told == {"Close": ("a := till.Close()",), "Open": (), "Rest": ()}


def test_names_of_signs_and_errors_have_examples_and_words_in_ticks_are_none() -> None:
    front = "export {Jam} from './jam.js';\nexport const $ = 1;\nexport const open = 1;\n"
    files = {
        "package.json": '{"name": "tills", "version": "1.0.0", "main": "front.js"}',
        "front.js": f"{front}export const shut = 1;\n",
        "jam.js": "export class Jam extends Error {\n  a() {\n    return 1;\n  }\n}\n",
        "README.md": "# Tills\n\nTills hold money and give it back to whoever asks for it.\n\n"
        "```js\nif (error instanceof Jam) {\n// Like `open` it is `shut`.\nawait $`pay`;\n```\n",
    }
    told = {it.name: it.example for it in offers(facts_of(files, name="tills"))}
    assert told["Jam"] == ("if (error instanceof Jam) {",)
    assert (told["$"], told["open"], told["shut"]) == (("await $`pay`;",), (), ())


def test_a_private_front_end_of_a_library_offers_nothing() -> None:
    pom = "<project><groupId>a.b</groupId><artifactId>tills</artifactId></project>\n"
    main = "src/main/java/a/b"
    facts = facts_of({
        "pom.xml": pom,
        "package.json": '{"name": "tills-ui", "private": true}',
        f"{main}/Till.java": "package a.b;\npublic class Till {\n    public int sum() {\n"
        "        return 1;\n    }\n}\n",
        "src/main/frontend/drawer.ts": "export function pullDrawer(key) {\n  return key;\n}\n",
    })  # fmt: skip
    assert [it.name for it in offers(facts)] == ["Till"]


def test_a_test_does_not_end_within_a_text_of_several_lines() -> None:
    test = (
        '    #[test]\n    fn opens() {\n        let till = Till::new(\n            r#"\n+++\n"#,\n'
        "        );\n        till.open();\n    }\n"
    )
    facts = facts_of({
        "Cargo.toml": '[package]\nname = "tills"\n',
        "src/lib.rs": "/// Holds the money.\npub struct Till {\n    pub text: String,\n}\n\n"
        f"#[cfg(test)]\nmod tests {{\n{test}}}\n",
        "src/other.rs": "pub struct Other {}\n",
    }, name="tills")  # fmt: skip
    (till,) = [it for it in offers(facts) if it.name == "Till"]
    assert till.example[-5:] == ("+++", '"#,', "    );", "    till.open();", "}")
