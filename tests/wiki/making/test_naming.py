"""What a repository is called whose address nobody knows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stationmaster.pipelines.scan import scan
from stationmaster.reading.projects import reading
from stationmaster.reading.projects.queries import Tree
from stationmaster.repos.reading import open_path
from stationmaster.wiki.making.gathering import gather
from stationmaster.wiki.making.generated import commit_of
from stationmaster.wiki.making.memo import Nothing
from stationmaster.wiki.making.naming import name_of
from tests.support.repositories import Repository
from tests.support.trees import Content, files_of

MAVEN = "<project><groupId>org.example</groupId><artifactId>tea-parent</artifactId></project>"


def named(contents: dict[str, Content]) -> str:
    files = files_of(contents)
    return name_of(Tree(files, reading.read(files, scan(files))))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", json.dumps({"name": "@acme/tea"})),
        ("package.json", json.dumps({"name": "@tea/root"})),
        ("pyproject.toml", '[project]\nname = "tea"\n'),
        ("composer.json", json.dumps({"name": "acme/tea"})),
        ("go.mod", "module example.com/acme/tea/v2\n\ngo 1.24\n"),
        ("pom.xml", MAVEN),
    ],
)
def test_the_manifest_at_the_root_names_it(path: str, text: str) -> None:
    assert named({path: text, "README.md": "# Everything about tea leaves\n"}) == "tea"


def test_the_manifest_of_the_back_end_is_asked_before_that_of_npm() -> None:
    front = json.dumps({"name": "front-end-of-tea"})
    assert named({"package.json": front, "pyproject.toml": '[project]\nname = "tea"\n'}) == "tea"


@pytest.mark.parametrize(
    ("readme", "name"),
    [
        ("# Tea Shop\n", "Tea Shop"),
        ("# [![build](https://ci.example/b.svg)](https://ci.example) Tea 🍵\n", "Tea"),
        ("# About the shop\n", ""),
        ("# Features\n", ""),
        ("# The shop that sells tea to people\n", ""),
        ("## Tea\n", ""),
        ("Tea without a heading.\n", ""),
    ],
)
def test_without_a_manifest_the_title_of_the_readme_names_it(readme: str, name: str) -> None:
    assert named({"README.md": readme, "tools/package.json": '{"name": "tools"}'}) == name


def test_a_manifest_that_a_template_left_names_nothing() -> None:
    manifest = json.dumps({"name": "laravel/laravel", "description": "The Laravel Framework."})
    assert named({"composer.json": manifest, "README.md": "# Tea\n"}) == "Tea"


def test_a_manifest_that_stands_for_the_whole_names_nothing() -> None:
    assert named({"package.json": '{"name": "monorepo"}', "README.md": "# Tea\n"}) == "Tea"


@pytest.mark.parametrize(
    ("url", "name"), [(None, "tea"), ("https://git.example.com/acme/engine", "engine")]
)
def test_an_address_counts_more_than_a_manifest(url: str | None, name: str, tmp_path: Path) -> None:
    made = Repository(tmp_path / "clone", "main")
    made.commit({"package.json": '{"name": "tea"}'})
    with open_path(made.path) as snapshot:
        facts = gather(snapshot, commit_of(snapshot, url, "clone"), Nothing())
    assert facts.commit.name == name
