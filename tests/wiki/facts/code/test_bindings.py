"""What names stand for, across files."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.code.bindings import constants, declaration, handed_on
from tests.wiki.commits import facts_of

PYTHON = {
    "shop/__init__.py": "",
    "shop/api/__init__.py": "from .Watch import Watch, History\n",
    "shop/api/Watch.py": "class Watch:\n    pass\n\n\nclass History:\n    pass\n",
    "shop/api/tags.py": "class Tags:\n    pass\n",
    "shop/app.py": "from shop.api import Watch, History, tags\n",
}
STARRED = {
    "shop/__init__.py": "",
    "shop/api/__init__.py": "from .base import *\nfrom .tills import *\n",
    "shop/api/base.py": "class Base:\n    pass\n\n\nclass _Inner:\n    pass\n",
    "shop/api/tills.py": "__all__ = ['Till']\nclass Till: ...\nclass Base: ...\n",
    "shop/app.py": "from .api import Base, Till\n",
}
SCRIPT = {
    "package.json": "{}",
    "src/users.js": "export function users() { return 1 }\nexport function guests() {}\n",
    "src/app.js": "import { users, guests } from './users'\n"
    "import { users as all } from './users.js'\n",
}


@pytest.mark.parametrize(
    ("contents", "path", "words", "place"),
    [
        (PYTHON, "shop/app.py", "Watch", ("shop/api/Watch.py", "Watch")),
        (PYTHON, "shop/app.py", "History", ("shop/api/Watch.py", "History")),
        (PYTHON, "shop/app.py", "tags.Tags", ("shop/api/tags.py", "Tags")),
        (STARRED, "shop/app.py", "Base", ("shop/api/base.py", "Base")),
        (STARRED, "shop/app.py", "Till", ("shop/api/tills.py", "Till")),
        (SCRIPT, "src/app.js", "users", ("src/users.js", "users")),
        (SCRIPT, "src/app.js", "guests", ("src/users.js", "guests")),
        (SCRIPT, "src/app.js", "all", ("src/users.js", "users")),
    ],
)
def test_what_is_called_like_its_file_is_still_what_the_file_declares(
    contents: dict[str, str], path: str, words: str, place: tuple[str, str]
) -> None:
    declared = declaration(facts_of(contents), path, words)
    assert declared is not None
    assert (declared[0], declared[1].qualified) == place


def test_constants_that_a_function_uses_have_their_values() -> None:
    facts = facts_of({
        "limits.py": "NAMES_MAX = 12\nSECRET_KEY = 'abc'\nWORDS = [\n    'a',\n]\nMADE = make()\n",
        "till.py": "from limits import NAMES_MAX, SECRET_KEY, WORDS, MADE\n\n"
        "def take(a):\n    return NAMES_MAX, SECRET_KEY, MADE, a\n",
        "K.java": "class K {\n  static final int LIMIT = 3;\n  int take() {\n"
        "    return LIMIT;\n  }\n}\nclass L {\n  int take() {\n    return LIMIT;\n  }\n}\n",
        "a.go": "package a\n\nconst limit = 5\n\nfunc take() int {\n\treturn limit\n}\n",
    })  # fmt: skip

    def told(path: str, name: str) -> list[tuple[str, str, str]]:
        return [(it.name, it.value, it.path) for it in constants(facts, path, name)]

    assert told("till.py", "take") == [("NAMES_MAX", "12", "limits.py")]
    assert told("K.java", "K.take") == [("LIMIT", "3", "K.java")]
    assert told("K.java", "L.take") == []
    assert told("a.go", "take") == [("limit", "5", "a.go")]


GO = """package x

const open, close, escape = '{', '}', '\\\\'

func pay() {
\tuse(open, close, escape)
}
"""
JAVA = """class Till {
  static final char open = '{', close = '}', escape = '\\\\';

  void pay() {
    use(open, close, escape);
  }
}
"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.go", 'package a\n\nconst (\n\tname = "a/b" // c\n)\n\nfunc pay() {\n\tuse(name)\n}\n',
         {"name": ('"a/b"', 4)}),
        ("a.go", "package a\n\nconst (\n\tsize = 1 << 20 // 1 MiB\n\tsite = \"//a\"\n)\n\n"
         "func pay() {\n\tuse(size, site)\n}\n", {"size": ("1 << 20", 4), "site": ('"//a"', 5)}),
        ("a.py", "SIZE = 100 // 3  # of all\n\ndef pay():\n    use(SIZE)\n",
         {"SIZE": ("100 // 3", 1)}),
    ],
)  # fmt: skip
def test_a_value_ends_before_its_comment_and_the_end_of_its_group(
    path: str, text: str, expected: dict[str, tuple[str, int]]
) -> None:
    found = constants(facts_of({path: text}), path, "pay")
    assert {it.name: (it.value, it.line) for it in found} == expected


@pytest.mark.parametrize(
    ("path", "text", "name"), [("till.go", GO, "pay"), ("Till.java", JAVA, "Till.pay")]
)
def test_each_name_of_one_declaration_has_its_own_value(path: str, text: str, name: str) -> None:
    values = {it.name: it.value for it in constants(facts_of({path: text}), path, name)}
    assert values == {"open": "'{'", "close": "'}'", "escape": "'\\\\'"}


def test_names_of_a_file_that_is_not_opened_lead_nowhere() -> None:
    contents = {
        "index.ts": 'export * from "./vault/index";\nexport function till() {}\n',
        "vault/index.ts": "export const key = 1;\n",
        "use.ts": 'import * as shop from "./index";\nshop.key;\n',
    }
    facts = facts_of(contents)
    facts.code.pop("vault/index.ts")
    assert handed_on(facts, "index.ts") == ()
    assert declaration(facts, "index.ts", "key") is None
