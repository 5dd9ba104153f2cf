"""The folder of the repository in which a command of a document is typed."""

from __future__ import annotations

from stationmaster.wiki.facts.tooling import tasks
from tests.wiki.commits import facts_of
from tests.wiki.facts.tooling.test_written import begin, document


def test_a_command_that_is_typed_beside_the_clone_names_files_from_its_root() -> None:
    guide = document(
        "git clone https://example.com/acme/shop.git",
        "pip install -r shop/requirements.txt -r shop/dev.txt -r other/dev.txt",
    )
    files = {"requirements.txt": "tea\n", "dev.txt": "cup\n", "CONTRIBUTING.md": guide}
    assert begin(files, "install") == [
        "pip install -r requirements.txt -r dev.txt -r other/dev.txt"
    ]


def test_a_recipe_goes_on_elsewhere_behind_the_clone_of_another_repository() -> None:
    lines = (
        "git clone https://example.com/acme/shop.git",
        "git clone https://example.com/other/shop.git shop-dev",
        "cd shop-dev",
        "bundle install",
    )
    files = {"Gemfile": "", "shop.gemspec": 'Gem::Specification.new { |s| s.name = "shop" }\n'}
    for typed, is_here in ((lines, False), ((*lines[:2], "cd shop", lines[3]), True)):
        guide = {"CONTRIBUTING.md": document(*typed)}
        (task, *_) = tasks.tasks(facts_of({**files, **guide}), "install")
        assert (task.source == "document") is is_here


def test_what_a_document_types_in_a_folder_that_is_not_here_is_left_out() -> None:
    files = {"package.json": '{"name": "shop"}', "web/package.json": '{"name": "web"}'}
    for folder, found in (("web", [("npm ci", "web")]), ("my-shop", []), ("../shop-data", [])):
        guide = {"CONTRIBUTING.md": document(f"cd {folder}", "npm ci")}
        listed = tasks.tasks(facts_of({**files, **guide}), "install")
        assert [(it.text, it.folder) for it in listed if it.source == "document"] == found
