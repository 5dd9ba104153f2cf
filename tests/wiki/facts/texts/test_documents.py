import pytest

from stationmaster.wiki.facts.texts import decisions, documents
from stationmaster.wiki.facts.texts.decisions import globs_of
from tests.wiki.commits import facts_of

GUIDE = "---\ntitle: Guide\n---\n\nHow the shop is put together.\n\n## Parts\n\n## Rules\n"


def test_documents_of_the_product_tell_their_title() -> None:
    facts = facts_of({"README.md": "# Shop\n\nIt sells things to people.\n\n## Install\n\n## Use\n",
                      "docs/guide.md": GUIDE, "tests/README.md": "# Tests\n",
                      "CHANGELOG.md": "# Changes\n\n## 1.0\n"})  # fmt: skip
    told = {each.path: documents.title_of(each) for each in documents.chosen(facts)}
    assert told == {"CHANGELOG.md": "Changes", "README.md": "Shop", "docs/guide.md": "Guide"}


def test_the_field_above_a_text_names_it_before_a_lower_heading_and_a_script_is_none() -> None:
    facts = facts_of({
        "docs/ntfy.md": "---\ntitle: ntfy\n---\n\nHow to send.\n\n## Keys\n\nWith a key.\n",
        "docs/page.md": '+++\ntitle = "Pages"\n+++\n\nHow to sell.\n\n## Tea\n\nIn bags.\n',
        "INSTALL": "#!/usr/bin/env bash\n# Install it\n\nset -e\n",
    })  # fmt: skip
    assert [documents.title_of(it) for it in documents.chosen(facts)] == ["ntfy", "Pages"]


def test_of_two_forms_of_one_document_the_markdown_is_taken() -> None:
    facts = facts_of({
        "doc/api.adoc": "= API\n\nA token is asked for.\n", "doc/old.adoc": "= Old\n\nIt was so.\n",
        "doc/api.md": "# API\n\nA key is asked for.\n",
    })  # fmt: skip
    assert [it.path for it in documents.chosen(facts)] == ["doc/api.md", "doc/old.adoc"]


def test_what_agents_are_taught_is_no_document_of_the_product() -> None:
    facts = facts_of({
        ".agents/skills/mail/SKILL.md": "# Mail\n\nSet MAIL_KEY.\n",
        "docs/skills/mail.md": "# Mail\n\nHow people learn to write.\n",
    })  # fmt: skip
    assert [it.path for it in documents.chosen(facts)] == ["docs/skills/mail.md"]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("# 1. Use Go\n\n## Status\n\nAccepted\n", "accepted"),
        ("# Use Go\n\n* Status: superseded by [5](5.md)\n", "superseded"),
        ("# Use Go\n\n| Status | Date |\n|:--|:--|\n| Accepted | 2026-08-20 |\n", "accepted"),
        ("---\nstatus: proposed\n---\n# Use Go\n", "proposed"),
        ("# Use Go\n\nThe status quo is poor.\n", ""),
    ],
)
def test_a_decision_has_the_status_that_its_record_says(text: str, status: str) -> None:
    (found,) = decisions.decisions(facts_of({"docs/adr/0001-use-go.md": text}))
    assert (found.number, found.status) == ("0001", status)
    assert found.title in ("Use Go",)


def test_decisions_that_are_named_by_dates_are_told_with_them() -> None:
    names = ("2024-10-24-settings", "2023-01-06-methods")
    found = decisions.decisions(facts_of({f"docs/adr/{name}.md": f"# {name}\n" for name in names}))
    assert [decision.number for decision in found] == ["2023-01-06", "2024-10-24"]


def test_numbered_documents_elsewhere_are_no_decisions() -> None:
    assert decisions.decisions(facts_of({"docs/guide/01-start.md": "# Start\n"})) == ()


CODEOWNERS = """# Who
*            @shop/all
/docs/       @writer ada@example.com  # words
*.go         @shop/go
/gone/       @shop/all
[Backend] @shop/backend
server/
"""


def test_owners_are_read_with_the_number_of_files_and_without_addresses() -> None:
    facts = facts_of({".github/CODEOWNERS": CODEOWNERS, "docs/a.md": "", "docs/b/c.md": "",
                      "x/a.go": "", "server/a.go": ""})  # fmt: skip
    told = decisions.rules(facts)
    assert [(each.pattern, each.owners, each.others, each.files) for each in told] == [
        ("*", ("@shop/all",), 0, 5),
        ("/docs/", ("@writer",), 1, 2),
        ("*.go", ("@shop/go",), 0, 2),
        ("/gone/", ("@shop/all",), 0, 0),
        ("server/", ("@shop/backend",), 0, 1),
    ]
    assert told[-1].place.line == 7


@pytest.mark.parametrize(
    ("pattern", "globs"),
    [
        ("*", ["**"]), ("/a/b", ["a/b", "a/b/**"]), ("a/", ["**/a/**"]), ("*.js", ["**/*.js"]),
        ("docs/*", ["docs/*"]), ("/a\\ b", ["a b", "a b/**"]),
    ],
)  # fmt: skip
def test_patterns_are_those_of_gitignore(pattern: str, globs: list[str]) -> None:
    assert globs_of(pattern) == globs


@pytest.mark.parametrize(
    ("path", "headings", "is_so"),
    [
        ("docs/carts.md", ("Goals", "Rows"), True),
        ("README.md", ("Motivation", "Goals", "Non-goals"), True),
        ("docs/carts.md", ("Motivation", "**Non-Goals**", "Risks and Mitigations"), False),
        ("docs/enhancements/carts.md", ("Rows",), False),
        ("docs/proposals/2026/carts.md", ("Rows",), False),
        ("ROADMAP.md", ("Rows",), False),
        ("CHANGELOG.md", ("1.0",), False),
    ],
)
def test_changes_and_proposals_do_not_tell_what_is(
    path: str, headings: tuple[str, ...], is_so: bool
) -> None:
    text = "# Carts\n" + "".join(f"\n## {heading}\n\nWords.\n" for heading in headings)
    (document,) = documents.chosen(facts_of({path: text}))
    assert documents.tells_what_is(document) is is_so


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("$.sync\\`command\\`", "$.sync`command`"),
        ("cart\\[Symbol.iterator\\]\\(\\)", "cart[Symbol.iterator]()"),
        ("[Pipes](https://x.example/Pipe_(Unix)) of `shops`", "Pipes of shops"),
    ],
)
def test_escaped_signs_of_a_heading_are_signs(heading: str, title: str) -> None:
    assert documents.plain(heading) == title
