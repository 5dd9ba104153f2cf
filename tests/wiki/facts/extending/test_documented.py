from stationmaster.wiki.facts.extending.documented import extension_guides
from stationmaster.wiki.pages import extension_points
from stationmaster.wiki.text.page import Page
from tests.wiki.commits import facts_of

WORDS = "It is a class with a method that is called for each order, in the order of their names."


def test_documents_on_extending_come_first_and_those_with_a_section_on_it_follow() -> None:
    facts = facts_of({
        "README.md": f"# Shop\n\n{WORDS}\n\n## Adding a new exporter\n\n{WORDS}\n",
        "docs/plugins.md": f"# Plugins\n\n{WORDS}\n\n## Writing your own plugin\n\n{WORDS}\n\n"
        f"## Limits\n\n{WORDS}\n",
        "docs/plugins/installing.md": f"# Installing plugins\n\n{WORDS}\n",
        "docs/orders.md": f"# Orders\n\n{WORDS}\n\n## Adding tests\n\n{WORDS}\n",
    })  # fmt: skip
    plugins, readme = extension_guides(facts)
    assert plugins.begin is not None
    assert (plugins.begin.path, plugins.begin.title) == ("docs/plugins.md", "Plugins")
    assert [part.title for part in plugins.parts] == ["Writing your own plugin"]
    assert readme.begin is None
    assert [part.title for part in readme.parts] == ["Adding a new exporter"]


def test_the_page_quotes_them() -> None:
    facts = facts_of({
        "docs/hooks.md": f"# Hooks\n\n{WORDS}\n\n## Adding a hook\n\n{WORDS}\n\n"
        f"## Order\n\n{WORDS}\n",
    })  # fmt: skip
    (planned,) = extension_points.plan(facts)
    page = Page(facts, planned.key, planned.title)
    planned.write(page, facts, planned.subject)
    body = page.body()
    assert "### Hooks: Adding a hook\n\n> It is a class" in body


def test_the_readme_of_a_folder_without_code_is_on_nothing_that_is_extended() -> None:
    hooks = {"own-hooks/README.md": f"# Custom hooks\n\n{WORDS}\n\n## Adding a hook\n\n{WORDS}\n"}
    assert not extension_guides(facts_of(hooks))
    assert extension_guides(facts_of({**hooks, "own-hooks/run.py": "def run():\n    return 1\n"}))


def test_a_document_on_one_of_many_plugins_is_no_guide_to_making_one() -> None:
    facts = facts_of(
        {f"docs/plugins/p{n}.md": f"# P{n} Plugin\n\n{WORDS}\n" for n in range(10)}
        | {f"plug/p{n}.py": "def run():\n    return 1\n" for n in range(10)}
        | {"docs/dev/plugins/own.md": f"# Plugin Development\n\n{WORDS}\n"}
    )
    assert [it.title for it in extension_guides(facts)] == ["Plugin Development"]
