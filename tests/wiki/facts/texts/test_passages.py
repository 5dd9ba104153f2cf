"""Words of sections, as they are quoted."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.texts.documents import chosen, on_parts
from stationmaster.wiki.facts.texts.passages import (
    on_beginning,
    on_changes,
    on_commands,
    on_settings,
    on_tests,
    opening,
    passages,
    sections_of,
    words_of,
)
from tests.wiki.commits import facts_of

SAYS = (
    "The service listens on a port that the configuration names, and keeps what it is told in it."
)
CODE = f"```\nmake setup\nmake run\n```\n\n{SAYS}\n\n```sh\nmake test\n```"


@pytest.mark.parametrize(
    ("path", "section", "words"),
    [
        ("README.md", f"# Shop\n\n{CODE}\n", CODE),
        ("docs/a.md", f"Shop\n====\n\n{SAYS}\n\n---\n", SAYS),
        ("docs/a.rst", f"Shop\n~~~~\n\n{SAYS}\n", SAYS),
    ],
)
def test_a_section_keeps_its_code_whole_and_loses_the_lines_of_headings(
    path: str, section: str, words: str
) -> None:
    facts = facts_of({path: section})

    assert [words_of(facts, each) for each in passages(facts)] == [words]


@pytest.mark.parametrize(
    "fields",
    ['---\ntitle: "Shop"\nkind: "page"\n---\n', '+++\ntitle = "Shop"\nkind = "page"\n+++\n'],
)
def test_the_fields_that_a_page_of_a_site_begins_with_are_no_heading(fields: str) -> None:
    facts = facts_of({"docs/a.md": f"{fields}\n{SAYS}\n\n## Till\n\n{SAYS}\n"})
    assert [each.title for each in passages(facts)] == ["Shop", "Till"]
    assert [words_of(facts, each) for each in passages(facts)] == [SAYS, SAYS]


def test_a_document_on_how_to_begin_comes_before_others_for_developers() -> None:
    sections = "".join(f"## Building part {n}\n\n{SAYS}\n\n" for n in range(20))
    facts = facts_of({
        "docs/configuration/development.md": f"# Development\n\n{SAYS}\n",
        "docs/development/a.md": f"# A\n\n{sections}",
        "docs/development/getting-started.md": f"# Begin\n\n## Setup\n\n{SAYS}\n",
    })  # fmt: skip
    assert "Setup" in [it.title for it in on_beginning(facts)]
    assert "docs/configuration/development.md" not in [it.path for it in on_beginning(facts)]


@pytest.mark.parametrize(
    ("heading", "is_about"),
    [
        ("Building it", True),
        ("We're building our community", False),
        ("Building releases", False),
        ("Shop [![build](a.svg)](b)", False),
    ],
)
def test_a_section_on_how_to_begin_is_about_the_project_and_not_its_people(
    heading: str, is_about: bool
) -> None:
    facts = facts_of({"README.md": f"# Shop\n\n{SAYS}\n\n## {heading}\n\n{SAYS}\n"})
    assert [each.title for each in on_beginning(facts)] == [heading] * is_about


def test_a_document_on_development_is_instructive_as_a_whole_and_its_tests_stand_apart() -> None:
    guide = "# Set up your environment\n\n" + "".join(
        f"## {title}\n\n```sh\nmake {title.split()[0].lower()}\n```\n\n"
        for title in ("Get the code", "Start the server", "Run the tests", "Release notes")
    )
    facts = facts_of({"docs/dev/local_development.md": guide, "README.md": "# Shop\n\nSells.\n"})
    assert [each.title for each in on_beginning(facts)] == ["Get the code", "Start the server"]
    assert [each.title for each in on_tests(facts)] == ["Run the tests"]


def test_a_readme_says_first_what_is_said_to_who_works_on_the_project() -> None:
    titles = ("Install on A", "Install on B", "Usage", "Development")
    readme = "# Building shops\n\n" + "".join(f"## {it}\n\n```sh\nx\n```\n\n" for it in titles)
    files = {"README.md": readme, "CONTRIBUTING.md": "# Shop\n\n## Build\n\n```sh\nmake\n```\n"}
    assert [each.title for each in on_beginning(facts_of(files))] == [
        "Build",
        "Install on A",
        "Install on B",
        "Development",
    ]


def test_a_section_below_several_headings_is_called_by_all_of_them() -> None:
    text = f"# Till\n\n## pay(cents)\n## refund(cents)\n\n{'Moves money. ' * 10}\n\n## Open\n"
    (document,) = chosen(facts_of({"docs/till.md": text}))
    assert [it.title for it in sections_of(document)] == ["pay(cents), refund(cents)"]


def test_what_is_below_a_heading_on_all_settings_is_about_settings_and_comes_first() -> None:
    readme = (
        f"# Shop\n\n## Unset a header (un-setting)\n\n{SAYS}\n\n## Output options\n\n{SAYS}\n\n"
        f"## Config\n\n{SAYS}\n\n### Keys\n\n{SAYS}\n\n#### `tills`\n\n{SAYS}\n"
    )
    facts = facts_of({"README.md": readme})
    assert [it.title for it in on_settings(facts)] == ["Config", "Keys", "tills", "Output options"]


def test_what_a_change_must_have_besides_comes_before_how_its_commits_are_written() -> None:
    asks = "If your change introduces a flag, you MUST also update the manual, its completions."
    sections = {"Commits": SAYS, "Sending it": asks, "Fun": SAYS}
    guide = "\n\n".join(f"## {title}\n\n{words}" for title, words in sections.items())
    facts = facts_of({"CONTRIBUTING.md": guide})
    assert [it.title for it in on_changes(facts)] == ["Sending it", "Commits"]


def test_a_guide_for_contributors_names_the_branch_that_changes_are_for() -> None:
    branch = "Pages are built of every commit, so all development happens on\nthe `next` branch."
    guide = f"# Contributing\n\n{branch}\n\n## Fun\n\n{SAYS}\n"
    facts = facts_of({"CONTRIBUTING.md": guide, "README.md": f"# Shop\n\n{branch}\n"})
    assert [(it.path, it.title) for it in on_changes(facts)] == [
        ("CONTRIBUTING.md", "Contributing")
    ]


@pytest.mark.parametrize(
    ("path", "is_for_developers"),
    [
        ("site/content/docs/contributing/backend/index.md", True),
        ("website/docs/08-development/setup.md", True),
        ("docs/docs/content/developer-setup.md", True),
        ("docs/versioned_docs/version-1/development/setup.md", False),
        ("docs/contributing/translations/index.md", False),
        ("docs/people/contributors.md", False),
        ("docs/guide/setup.md", False),
    ],
)
def test_documents_for_developers_may_be_below_a_folder_of_documents_anywhere(
    path: str, is_for_developers: bool
) -> None:
    facts = facts_of({path: f"# Backend\n\n## Development\n\n{SAYS}\n"})
    assert [it.title for it in on_beginning(facts)] == ["Development"] * is_for_developers


def test_a_document_on_a_tool_explains_the_product_and_that_beside_a_tool_does_not() -> None:
    text = f"# Kubernetes\n\n{SAYS}\n"
    facts = facts_of({"site/docs/kubernetes/index.md": text, "kubernetes/index.md": text})
    assert [it.path for it in passages(facts)] == ["site/docs/kubernetes/index.md"]


def test_documents_on_the_whole_come_before_those_on_one_of_many_parts() -> None:
    facts = facts_of(
        {
            f"docs/parts/part-{n}.md": f"# Part {n}\n\n## Usage\n\n{SAYS}\n\n## Config\n\n{SAYS}\n"
            for n in range(10)
        }
        | {f"parts/part_{n}/run.py": "def run():\n    return 1\n" for n in range(10)}
        | {
            "docs/reference/cli.md": f"# Command line\n\n## List\n\n{SAYS}\n",
            "docs/reference/config.md": f"# Configuration\n\n## Keys\n\n{SAYS}\n",
        }
    )
    assert on_commands(facts)[0].path == "docs/reference/cli.md"
    assert on_settings(facts)[0].path == "docs/reference/config.md"
    assert {it.path for it in on_settings(facts)[1:]} <= on_parts(facts).keys()


@pytest.mark.parametrize(("line", "is_work"), [("- {}. A company.\n", False), ("- `{}`\n", True)])
def test_a_long_section_without_code_is_not_on_work(line: str, is_work: bool) -> None:
    listed = "".join(map(line.format, range(40)))
    facts = facts_of({"README.md": f"# Shop\n\n{SAYS}\n\n## Development\n\n{listed}"})
    assert [it.title for it in on_beginning(facts)] == ["Development"] * is_work


def test_what_a_document_without_a_title_says_first_is_a_section_and_notes_open_none() -> None:
    facts = facts_of({
        "docs/tills.md": "!!! danger\n    Keep the keys of all tills away from doors.\n\n"
        "A till holds the coins of one shop for one day.\n\n## Coins\n\n" + "Coins are round. " * 9,
        "README.md": "Badges of all kinds and colours, which say nothing.\n\n## Shop\n\n"
        + "Sells things. " * 9,
    })  # fmt: skip
    sections = {it.path: it for it in reversed(passages(facts))}
    first = sections["docs/tills.md"]
    assert (first.title, first.line, first.end) == ("Tills", 0, 4)
    assert words_of(facts, first).startswith("**Danger:** Keep")
    assert opening(facts, first) == "A till holds the coins of one shop for one day."
    assert sections["README.md"].title == "Shop"
