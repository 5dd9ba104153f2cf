"""What a comment says of what it is at."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.texts.meanings import meaning
from tests.wiki.commits import facts_of


def meant(files: dict[str, str], path: str, name: str) -> str:
    facts = facts_of(files)
    symbol = symbol_of(facts, path, name)
    assert symbol is not None
    return meaning(facts, symbol)


@pytest.mark.parametrize(
    ("doc", "words"),
    [
        ("Opens the till at noon.", "Opens the till at noon."),
        ("NOTE: The till is opened because the key does not match any.", ""),
        ("TODO open the till", ""),
        ("Notes of the till, by day.", "Notes of the till, by day."),
        ("Opens:", ""),
    ],
)
def test_a_remark_and_a_beginning_are_no_meaning(doc: str, words: str) -> None:
    text = f'def start():\n    """{doc}"""\n    return 1\n'
    assert meant({"shop.py": text}, "shop.py", "start") == words


def test_a_comment_that_was_copied_says_nothing_of_any_of_its_declarations() -> None:
    files = {
        "user.js": "/**\n * Stores what users type\n */\nclass User {\n  a() {}\n}\n",
        "folder.js": "/**\n * Stores what users type\n */\nclass Folder {\n  a() {}\n}\n",
        "till.js": "/**\n * Counts coins\n */\nfunction count() {}\n"
        "/**\n * Counts coins\n */\nfunction countAsync() {}\n",
    }
    assert meant(files, "folder.js", "Folder") == ""
    assert meant(files, "till.js", "countAsync") == "Counts coins"


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("HANDLERS", ""),
        ("FETCH A SINGLE PAGE", "FETCH A SINGLE PAGE"),
        ("----------", ""),
        ("______ Coins ______", "Coins"),
        ("|_| /\\ |_|", ""),
        ("coins: 3", ""),
        ("Deprecated: count coins instead", "Deprecated: count coins instead"),
        ("total = count()", ""),
        ("HANDLERS\n\nCounts coins.", "Counts coins."),
    ],
)
def test_what_is_no_prose_is_no_comment(comment: str, words: str) -> None:
    lines = "".join(f" * {line}\n" for line in comment.split("\n"))
    text = f"/**\n{lines} */\nfunction sell() {{\n  a();\n}}\n"
    assert meant({"shop.js": text}, "shop.js", "sell") == words
