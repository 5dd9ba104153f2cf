"""Words of documents and comments as quotes: unaltered, their markup made ours, nothing hostile."""

from __future__ import annotations

import pytest

from stationmaster.wiki.text.quoting import CODE_LINES_MAX, QUOTE_MAX, quoted
from stationmaster.wiki.text.spans import paragraph


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("Takes `a b` and ``c``.", "Takes `a b` and `c`."),
        ("See :class:`~shop.Cart` and :ref:`the carts <carts>`.", "See `shop.Cart` and the carts."),
        ("A [cart](https://x.example) and [`Cart`].", "A cart and `Cart`."),
        ("Read it [here](https://x.example/a).", "Read it here (`https://x.example/a`)."),
        ("It is **very** *small*, a_b_c, 2 * 3.", "It is **very** *small*, a\\_b\\_c, 2 \\* 3."),
        ("The ***shop.toml***: ***Note:*** more.", "The ***shop.toml***: ***Note:*** more."),
        ("Read `this <https://x.example>`__ first", "Read this first"),
        ("An ![image](x.png) <b>bold</b> &amp; more", "An  bold \\& more"),
        ("<script>alert(1)</script>", "alert(1)"),
        ("A key. [Learn more](https://x.example/a) about this.", "A key."),
        ("1 < 2 | 3", "1 \\< 2 \\| 3"),
    ],
)
def test_marks_of_code_and_links_become_ours_and_all_else_is_text(words: str, shown: str) -> None:
    assert paragraph(words) == shown


def test_paragraphs_lists_and_code_stay_apart() -> None:
    text = "One\ntwo.\n\n- a\n  b\n- c\n\n```python\nx = 1\n\ny = 2\n```\n"
    assert quoted(text) == (
        "> One two.\n>\n> - a b\n> - c\n>\n> ```python\n> x = 1\n>\n> y = 2\n> ```"
    )


@pytest.mark.parametrize(
    "text",
    ["Do::\n\n    x = 1\n\nThen.", "Do:\n\n.. code-block:: python\n\n    x = 1\n\nThen."],
    ids=["literal", "directive"],
)
def test_blocks_by_indentation_are_code(text: str) -> None:
    assert "> Do:\n>\n> ```" in quoted(text)
    assert "> x = 1\n> ```\n>\n> Then." in quoted(text)


def test_terms_with_their_meaning_are_a_list() -> None:
    assert quoted("``rows``\n    All of them.\n") == "> - `rows`: All of them."


def test_what_a_directive_describes_is_shown_with_its_name() -> None:
    text = (
        ".. method:: close(reason)\n   :async:\n\n   Called at the end.\n\n   May wait.\n\n"
        "   :param reason: why\n\n.. note:: Not in tests.\n"
    )
    assert quoted(text) == (
        "> - `close(reason)`: Called at the end.\n>\n> May wait.\n>\n> […]\n>\n> Not in tests."
    )


def test_what_cannot_be_shown_is_left_out_and_marked_as_such() -> None:
    shown = quoted("One.\n\n<details>\n\n.. autoclass:: x\n    :members:\n\nTwo.")
    assert shown == "> One.\n>\n> […]\n>\n> Two."
    assert quoted("| a |\n|---|\n") == ""


def test_pictures_and_directives_that_show_nothing_leave_no_mark() -> None:
    shown = quoted("One.\n\n![a](b) [![c](d)](e)\n\n.. versionadded:: 1.2\n\nTwo.")
    assert shown == "> One.\n>\n> Two."


def test_what_mdx_imports_is_no_text() -> None:
    text = "import Tabs from \"@theme/Tabs\";\nimport './a.css'\n\nAdds a cart.\nimport it all\n"
    assert quoted(text) == "> Adds a cart. import it all"


def test_notes_and_what_a_directive_declares_are_told() -> None:
    shown = quoted(".. note:: Take\n    care.\n\n.. function:: go(x)\n    :async:\n\n    Goes.\n")
    assert shown == "> Take care.\n>\n> - `go(x)`: Goes."


@pytest.mark.parametrize(
    "table",
    [
        "| a | b |\n|:--|--:|\n| `c` | d e |",
        "===  ===\na    b\n===  ===\n`c`  d\n     e\n===  ===",
        "+---+---+\n| a | b |\n+===+===+\n|`c`| d |\n|   | e |\n+---+---+",
        ".. list-table:: T\n   :widths: 1\n\n   * - a\n     - b\n   * - `c`\n     - d\n       e",
        ".. list-table::\n\n   - - a\n     - b\n   - - `c`\n     - d e",
    ],
    ids=["bars", "columns", "grid", "list", "list of dashes"],
)
def test_tables_are_tables(table: str) -> None:
    shown = "> | a | b |\n> | --- | --- |\n> | `c` | d e |"
    assert quoted(f"One.\n\n{table}\n\nTwo.") == f"> One.\n>\n{shown}\n>\n> Two."


def test_long_texts_and_long_code_end_with_a_mark() -> None:
    long = quoted("\n\n".join(["word " * 100] * 20))
    assert len(long) < 2 * QUOTE_MAX
    assert long.endswith("> […]")
    code = quoted("```\n" + "x\n" * 100 + "```\n")
    assert code.count("> x\n") == CODE_LINES_MAX
    assert code.endswith("> […]")


def test_drawings_in_words_and_tabs_are_shown() -> None:
    drawn = quoted(".. mermaid::\n   :align: center\n\n   flowchart TB\n     A --> B\n")
    assert drawn == "> ```\n> flowchart TB\n>   A --> B\n> ```"
    tabs = ".. tab-set::\n\n   .. tab-item:: By hand\n\n      Pay.\n"
    assert quoted(tabs) == "> By hand\n>\n> Pay."


def test_code_cannot_leave_its_block() -> None:
    assert quoted("~~~\n```\n# Not a heading\n~~~").startswith("> ````\n> ```")
    assert "```mermaid" not in quoted("```mermaid\nflowchart TB\n```")


def test_quotes_within_have_a_mark_of_their_own() -> None:
    text = "One.\n\n> [!NOTE]\n> Not *official*,\n>> at all.\n"
    assert quoted(text) == "> One.\n>\n> > Not *official*, at all."


def test_tables_of_contents_are_left_out_and_escapes_are_read() -> None:
    text = "- [Docs \\& People](#docs--people)\n- [Site](https://x.example) and \\*more\\*\n"
    assert quoted(text) == "> - Site and \\*more\\*"


def test_marks_around_notes_are_no_words() -> None:
    assert quoted("One.\n\n:::warning\nMind it.\n:::\n\nTwo.") == "> One.\n>\n> Mind it.\n>\n> Two."


def test_comments_in_html_are_left_out_whole() -> None:
    assert quoted("<!--\nLicence\n\nMIT -->\n\nOne.\n<!-- more") == "> One."
    assert quoted("<!-- a -->\nOne.<!-- b -->") == "> One."


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("Two of (<headers>, <body>).", "> Two of (\\<headers\\>, \\<body\\>)."),
        ("The rows to show\n    at once.", "> The rows to show at once."),
        ("1. Pay\n2. Leave\n   soon\n", "> 1. Pay\n> 2. Leave soon"),
        ("* Pay\n\n    Soon, [or](x) later.\n\n* Go", "> - Pay\n>\n> Soon, or later.\n>\n> - Go"),
        ("- a\n  - b\n\n    Of b.\n\n  Of a.", "> - a\n>   - b\n>\n> Of b.\n>\n> Of a."),
        ("1. Do::\n\n       go\n\n2. Rest", "> 1. Do:\n>\n> ```\n> go\n> ```\n>\n> 2. Rest"),
        ("- Do\n\n      go\n", "> - Do\n>\n> ```\n> go\n> ```"),
        ("  --port       run there\n               (default *1*)\n  -v, --verbose\n    more",
         "> - `--port`: run there (default *1*)\n> - `-v, --verbose`: more"),
        ("1. Pay\n   ```\n   pay\n   ```\n2. Go", "> 1. Pay\n>\n> ```\n> pay\n> ```\n>\n> 2. Go"),
        ("- a\n  - b\n    - c\n- d", "> - a\n>   - b\n>     - c\n> - d"),
        ("* a row to\nshow.\n* b", "> - a row to show.\n> - b"),
        (">>> a = 1\n>>> a\n1\n\nSo.", "> ```pycon\n> >>> a = 1\n> >>> a\n> 1\n> ```\n>\n> So."),
        ("shop\n├── cart\n└── till", "> ```\n> shop\n> ├── cart\n> └── till\n> ```"),
        ("* A\n  x B\n* D", "> ```\n> * A\n>   x B\n> * D\n> ```"),
    ],
    ids=["words in angles", "continued", "steps", "words below a point", "below points in points",
         "code announced below a point", "code below a point", "options", "code in steps",
         "nested", "lazy", "session", "tree", "tree of marks"],
)  # fmt: skip
def test_what_is_laid_out_stays_so_and_nothing_is_added(words: str, shown: str) -> None:
    assert quoted(words) == shown


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ('<h5 align="center">A shop that sells things to people</h1>',
         "> A shop that sells things to people"),
        ("<a href='#own' name='own'>#</a>\nIt is best to put `shop` in\nyour own `.profile`:",
         "> It is best to put `shop` in your own `.profile`:"),
        ('<p align="center"><img src="a.png"><a href="a">Site of the shop</a> | '
         '<a href="b">All the words on it</a></p>', ""),
        ("<table><tr><td>One two three four five six</td></tr></table>", ""),
    ],
)  # fmt: skip
def test_a_sentence_in_elements_that_lay_it_out_is_quoted_and_a_bar_of_links_is_not(
    words: str, shown: str
) -> None:
    assert quoted(words) == shown


def test_a_table_is_whole_up_to_as_many_rows_as_are_asked_for() -> None:
    table = "| A | B |\n| --- | --- |\n" + "".join(f"| {n} | b |\n" for n in range(90))
    assert "| 89 | b |" in quoted(table, rows=100)
    assert quoted(table).endswith("| 39 | b |\n>\n> […]")


def test_a_bar_in_code_is_escaped_in_a_table_alone() -> None:
    assert quoted("Takes `a | b`.") == "> Takes `a | b`."
    assert quoted("| A | B |\n| - | - |\n| `a \\| b` | 1 |").endswith("> | `a \\| b` | 1 |")


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("A [pipe](https://x.example/Pipe_(Unix)) is one.", "A pipe is one."),
        ("Size: [![](https://x.example/badge)](https://x.example/size) now", "Size:  now"),
    ],
    ids=["parentheses", "picture"],
)
def test_the_whole_address_of_a_link_is_left_out(words: str, shown: str) -> None:
    assert paragraph(words) == shown


def test_a_break_of_a_line_stays_one() -> None:
    assert quoted("`a`: `x`\\\n`b`: `y`\nor `z`") == "> `a`: `x`\\\n> `b`: `y` or `z`"


@pytest.mark.parametrize(
    "words",
    [
        "[More info.](a.md)",
        "More info [here](a.md) and [there](b.md).",
        "[**Next**: Pipes](a.md)\\\n[**Top**: Contents](b.md)",
        "<hr>",
    ],
)
def test_what_only_leads_elsewhere_is_left_out(words: str) -> None:
    assert quoted(f"One.\n\n{words}\n\nTwo.") == "> One.\n>\n> Two."


def test_links_that_say_something_stay() -> None:
    assert quoted("Runs. [Learn more.](a.md)") == "> Runs."
    assert quoted("Runs. [It stops at 5.](a.md)") == "> Runs. It stops at 5."
    assert quoted("[It never stops.](a.md)") == "> It never stops."


def test_a_block_after_two_colons_is_code_whatever_stands_in_it() -> None:
    words = (
        "Ask::\n\n    # curl localhost\n    <id>\n\n    :rest\n\nThen: ::\n\n  [1]\n\n::\n\n    x\n"
    )
    assert quoted(words) == (
        "> Ask:\n>\n> ```\n> # curl localhost\n> <id>\n>\n> :rest\n> ```\n>\n> Then:\n>\n"
        "> ```\n> [1]\n> ```\n>\n> ```\n> x\n> ```"
    )


def test_tags_and_comments_of_mdx_around_paragraphs_and_code_are_left_out() -> None:
    words = """<Tabs items={['Node', 'Go']}>
<Tab value="Node">
```js
pay();
````
</Tab>
<Tab value="Go">
```go
pay()
```
</Tab>
</Tabs>

{/* no format */}
<Steps>

Then <Key /> pays.
"""
    assert quoted(words) == (
        "> ```js\n> pay();\n> ```\n>\n> ```go\n> pay()\n> ```\n>\n> Then \\<Key /\\> pays."
    )
