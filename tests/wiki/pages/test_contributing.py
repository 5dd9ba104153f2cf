from collections.abc import Mapping

import pytest

from stationmaster.wiki.pages import contributing, gaps
from stationmaster.wiki.pages.model import Planned
from tests.wiki.commits import facts_of, written
from tests.wiki.facts.texts.test_documents import CODEOWNERS

TEMPLATE = "<!-- - [ ] hidden for you -->\n- [ ] I have added tests\n- [ ] Docker\n"
CONTENTS = {
    "CONTRIBUTING.md": "# Contributing\n\nPull requests that AI agents wrote are not accepted.\n"
                       "Add a Signed-off-by line.\n",
    "README.md": "# Shop\n\nSee [x](docs/gone.md).\n", "docs/a.md": "# A\n",
    "docs/b.md": "# B\n", "AGENTS.md": "# Agents\n",
    ".github/pull_request_template.md": TEMPLATE,
    ".github/CODEOWNERS": CODEOWNERS,
    "Makefile": "test:\n\tpytest\n",
    ".github/workflows/ci.yml": "on: {push: {branches: [main]}}\njobs: {}\n",
    **{f"docs/adr/{n:04}-x{n}.md": f"# {n}. Use X{n}\n\nStatus: accepted\n" for n in range(1, 5)},
}  # fmt: skip
MODULES = (contributing, gaps)


def pages(contents: Mapping[str, str]) -> dict[str, str]:
    facts = facts_of(contents)
    planned: list[Planned] = [page for module in MODULES for page in module.plan(facts)]
    return {each.key: written(facts, each.write, each.subject, each.key) for each in planned}


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    return pages(CONTENTS)


def test_what_a_project_says_of_agents_is_quoted_as_its_words(told: dict[str, str]) -> None:
    assert (
        "The project does not accept contributions by coding agents. It states:\n\n> Pull requests"
        in (told["contributing"])
    )


def test_what_documents_ask_of_a_change_is_quoted() -> None:
    guide = "# Contributing\n\n## Commit messages\n\nThey say why.\n\n```sh\ngit log\n```\n\n"
    guide += "## Coffee\n\nThere is some. " + "It is warm. " * 9
    page = pages({"CONTRIBUTING.md": guide})["contributing"]
    assert "## What the documents ask of a change\n\n### Commit messages\n\n> They say why." in page
    assert "Coffee" not in page


def test_conventions_have_their_places(told: dict[str, str]) -> None:
    page = told["contributing"]
    assert "| Test | `make test` |" in page
    assert "hidden" not in page
    assert "Docker" not in page


def test_owners_are_told_by_pattern_and_never_by_address(told: dict[str, str]) -> None:
    page = told["contributing"]
    assert "| `/gone/` |" in page
    assert "ada@" not in page


def test_what_documents_name_and_does_not_exist_is_reported(told: dict[str, str]) -> None:
    assert "| Links to `docs/gone.md`, which does not exist | [`README.md:3`]" in told["gaps"]


def test_decisions_are_listed_the_newest_first(told: dict[str, str]) -> None:
    page = told["contributing"]
    assert "| 0004 | Use X4 | accepted |" in page
    assert page.index("Use X4") < page.index("Use X1")


def test_a_repository_that_says_nothing_has_no_page_for_contributors() -> None:
    assert set(pages({"a.py": "x = 1\n"})) == {"gaps"}


def test_a_guide_for_contributors_alone_makes_the_page() -> None:
    told = pages({"CONTRIBUTING.md": "# Contributing\n\nSend a change.\n", "a.py": "x = 1\n"})
    assert "[`CONTRIBUTING.md`]" in told["contributing"]


def test_without_anything_of_contributing_there_is_no_such_page() -> None:
    assert "contributing" not in pages({"README.md": "# Shop\n", "a.py": "x = 1\n"})


def test_all_files_for_agents_at_the_root_are_named() -> None:
    files = {"CLAUDE.md": "# Shop\n", ".cursorrules": "Use tabs.\n", "docs/CLAUDE.md": "# Docs\n"}
    guide = {"CONTRIBUTING.md": "# Contributing\n\nSend a change.\n"}
    page = pages({**files, **guide})["contributing"]
    line = next(it for it in page.split("\n") if "instructions for coding agents" in it)
    assert "[`.cursorrules`]" in line
    assert "[`CLAUDE.md`]" in line
    assert "docs/CLAUDE.md" not in line
