"""The package manager of a folder, by which its scripts are asked for."""

import json

import pytest

from stationmaster.wiki.facts.tooling import tasks
from tests.wiki.commits import facts_of

SCRIPTS = json.dumps({"name": "shop", "scripts": {"build": "vite build"}})


def build(contents: dict[str, str]) -> str:
    return tasks.tasks(facts_of(contents), "build")[0].text


@pytest.mark.parametrize(
    ("lock", "typed"),
    [
        ("package-lock.json", "npm run build"),
        ("pnpm-lock.yaml", "pnpm run build"),
        ("yarn.lock", "yarn build"),
        ("bun.lock", "bun run build"),
    ],
)
def test_a_script_is_asked_for_with_the_manager_whose_lock_file_is_there(
    lock: str, typed: str
) -> None:
    assert build({"package.json": SCRIPTS, lock: ""}) == typed


def test_of_several_lock_files_that_of_the_manager_counts_which_the_readme_calls() -> None:
    contents = {"package.json": SCRIPTS, "package-lock.json": "{}", "yarn.lock": ""}
    for manager, typed in (("npm", "npm run build"), ("yarn", "yarn build")):
        readme = f"Then `{manager} install`, and `{manager} start`; no {manager}s.\n"
        assert build({**contents, "README.md": readme}) == typed


def test_a_readme_of_a_folder_above_says_nothing_of_the_manager_of_another_package() -> None:
    locks = {"site/package-lock.json": "{}", "site/yarn.lock": ""}
    contents = {"site/package.json": SCRIPTS, **locks}
    told = {build({**contents, "README.md": f"`{it} install`\n"}) for it in ("npm", "yarn")}
    assert told == {build(contents)}


def test_what_a_package_says_of_its_manager_wins_over_lock_files() -> None:
    said = json.dumps({"packageManager": "pnpm@9.0.0", "scripts": {"build": "tsc -b"}})
    assert build({"package.json": said, "yarn.lock": ""}) == "pnpm run build"


def test_a_program_that_runs_tasks_and_is_in_no_lock_file_is_started_by_itself() -> None:
    contents = {"pyproject.toml": "[tool.poe.tasks]\nbuild = 'python -m build'\n", "uv.lock": ""}
    assert build(contents) == "poe build"
    assert build({**contents, "uv.lock": 'name = "poethepoet"\n'}) == "uv run poe build"
