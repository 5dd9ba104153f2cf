from stationmaster.reading.projects.documents import Document, is_document
from tests.reading.projects.conftest import Make


def _read(text: str) -> Document:
    return Document("README.md", lambda _: text)


def test_code_that_a_tab_sets_in_is_read_and_ends() -> None:
    page = _read("Run it:\n\n\t[Service]\n\tUser=umami\n\n## Next\n\n    make\n")

    assert [(code.line, code.text) for code in page.code] == [
        (3, "[Service]\nUser=umami"),
        (8, "make"),
    ]
    assert [heading.text for heading in page.headings] == ["Next"]


def test_a_list_keeps_what_tabs_set_in_below_its_items() -> None:
    page = _read("- Once:\n\n\t`make` it\n\n# Next\n")

    assert page.code == ()
    assert [code.text for code in page.inline] == ["make"]


def test_pages_of_antora_and_of_folders_named_after_documents_are_documents() -> None:
    pages = ("shop-docs/modules/ROOT/pages/faq.adoc", "shop-docs/start.md")
    assert all(map(is_document, pages))
    assert not is_document("modules/shop/pages/view.md")


def test_headings_of_html_are_headings_unless_they_hold_a_picture_alone() -> None:
    page = _read(
        '<h1 align="center"><img src="a.svg"></h1>\n<h1 align="center">\n\n# Shop\n\n'
        '<a id="use"><h2>Use&nbsp;<b>it</b><sup>soon</sup></h2></a>\n\nWords.\n\n'
        "```html\n<h3>Till</h3>\n```\n"
    )
    assert [(it.level, it.text, it.line) for it in page.headings] == [
        (1, "Shop", 4),
        (2, "Use it", 6),
    ]


def test_code_within_a_quote_is_read_without_the_marks_of_the_quote() -> None:
    page = _read("> [!TIP]\n> ```sh\n> make all > log\n> ```\n\nWords.\n")
    assert [(it.language, it.text) for it in page.code] == [("sh", "make all > log")]


def test_a_text_that_the_readme_or_one_it_leads_to_names_by_its_path_is_a_document(
    tree: Make,
) -> None:
    made = tree(
        {
            "README.md": "See [tills](notes/Tills.md#opening) and <https://shop.test/a.md>.\n",
            "notes/Tills.md": 'Then <a href="../more%20notes/Rows.md">rows</a>.\n',
            "more notes/Rows.md": "Rows.\n",
            "notes/Alone.md": "Nothing leads here.\n",
            "guides/Shop.md": "A guide.\n",
        }
    )
    assert [it.path for it in made.documents] == [
        "README.md", "guides/Shop.md", "more notes/Rows.md", "notes/Tills.md",
    ]  # fmt: skip
