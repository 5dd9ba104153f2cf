"""Comments in full, and lines that are worth showing."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.code.comments import comment, excerpt
from stationmaster.wiki.text.inline import Place
from tests.wiki.commits import facts_of

PYTHON = '''"""Where people pay.

It opens at nine.
"""


@final
class Till:
    """A drawer for money.

    It is emptied at night.

    :param size: how large it is
    """

    def pay(self) -> int:
        return 1
'''
RUST = """/// A drawer for money.
///
/// It is emptied at night.
#[derive(Debug)]
pub struct Till {
    size: u8,
    name: u8,
}
"""
JAVA = """/**
 * A drawer for {@link Money}.
 * <p>
 * It is emptied at night.
 * @author Ada
 */
@Entity
public class Till {
    int size;
}
"""
GO = """package till

// Till is a drawer for money.
// It is emptied at night.
type Till struct {
\tSize int
}
"""


@pytest.mark.parametrize(
    ("path", "text"),
    [("till.py", PYTHON), ("src/till.rs", RUST), ("src/Till.java", JAVA), ("till.go", GO)],
)
def test_a_symbol_is_told_by_its_whole_comment_without_parameters(path: str, text: str) -> None:
    found = comment(facts_of({path: text}), path, "Till")
    assert found is not None
    assert "drawer for" in found.words
    assert "It is emptied at night." in found.words
    for mark in ("///", "*", ":param", "@author", '"""', "<p>"):
        assert mark not in found.words
    first, last = found.place.line or 0, found.place.end or 0
    assert "drawer for" in "".join(text.split("\n")[first - 1 : last])


def test_a_file_is_told_by_its_first_comment_and_no_comment_is_none() -> None:
    facts = facts_of({"till.py": PYTHON})
    found = comment(facts, "till.py", "")
    assert found is not None
    assert found.words == "Where people pay.\n\nIt opens at nine."
    assert found.place == Place("till.py", 1, 4)
    assert comment(facts, "till.py", "Till.pay") is None
    assert comment(facts, "till.py", "gone") is None


def test_an_excerpt_is_the_symbol_or_its_beginning() -> None:
    long = "def long():\n" + "    x = 1\n" * 60
    facts = facts_of({"a.py": f"{long}\ndef short():\n    a = 1\n    b = 2\n    return a + b\n"})
    whole, cut = excerpt(facts, "a.py", "short", 24), excerpt(facts, "a.py", "long", 24)
    assert whole is not None
    assert (whole.text.split("\n")[0], whole.is_whole) == ("def short():", True)
    assert cut is not None
    assert (cut.place, cut.is_whole) == (Place("a.py", 2, 9), False)
    assert excerpt(facts_of({"b.py": "def f(): ...\n"}), "b.py", "f", 24) is None


@pytest.mark.parametrize(
    ("path", "code", "language"),
    [
        ("A.cs", "class A\n{\n    int a;\n    int b;\n    int c;\n}\n", "csharp"),
        ("a.cpp", "class A\n{\n    int a;\n    int b;\n    int c;\n};\n", "cpp"),
    ],
)
def test_code_is_marked_with_the_word_by_which_viewers_colour_it(
    path: str, code: str, language: str
) -> None:
    part = excerpt(facts_of({path: code}), path, "A", 24)
    assert part is not None
    assert part.language == language


def test_points_of_a_docstring_keep_their_marks() -> None:
    facts = facts_of(
        {"till.py": 'class Till:\n    """Takes what is money:\n\n    * coins\n    """\n'}
    )
    found = comment(facts, "till.py", "Till")
    assert found is not None
    assert found.words == "Takes what is money:\n\n* coins"


def test_an_excerpt_begins_behind_a_docstring_however_long_it_is() -> None:
    words = "".join(f"word {n}\n" for n in range(120))
    body = "".join(f"    a{n} = take({n})\n" for n in range(30))
    facts = facts_of({"a.py": f'def pay():\n    """Pays.\n\n{words}    """\n{body}    return a1\n'})
    part = excerpt(facts, "a.py", "pay", 24)
    assert part is not None
    assert part.text.startswith("a0 = take(0)")
    whole = comment(facts, "a.py", "pay")
    assert whole is not None
    assert "word 99" not in whole.words
