"""Commands that run a script in several packages of a repository, and in which ones."""

from __future__ import annotations

import json

import pytest

from stationmaster.wiki.facts.tooling import ordering, spreading, tasks
from stationmaster.wiki.facts.tooling.named import Task
from stationmaster.wiki.text.inline import Place
from tests.wiki.commits import facts_of
from tests.wiki.facts.tooling.test_tasks import all_of, best

PACKAGES = {
    "apps/web": {"name": "@tea/web", "scripts": {"build": "vite build", "dev": "vite"}},
    "apps/api": {"name": "@tea/api", "scripts": {"build": "tsc", "dev": "node .", "test": "jest"}},
    "packages/pot": {"name": "pot", "scripts": {"build": "tsc"}},
}


def shop(**scripts: str) -> dict[str, str]:
    root = {"name": "tea", "workspaces": ["apps/*", "packages/*"], "scripts": scripts}
    files = {f"{folder}/package.json": json.dumps(data) for folder, data in PACKAGES.items()}
    return {"package.json": json.dumps(root), **files}


@pytest.mark.parametrize(
    ("text", "folders"),
    [
        ("turbo run build", ["apps/api", "apps/web", "packages/pot"]),
        ("turbo run dev --filter=@tea/web", ["apps/web"]),
        ("turbo dev -F web...", ["apps/web"]),
        ("npx nx run-many -t build --exclude=apps/**", ["packages/pot"]),
        ("nx run-many --targets=test,lint", ["apps/api"]),
        ("lerna run build --scope pot", ["packages/pot"]),
        ("pnpm -r dev", ["apps/api", "apps/web"]),
        ("pnpm --filter './packages/**' run build", ["packages/pot"]),
        ("pnpm --filter '!pot' build", ["apps/api", "apps/web"]),
        ("npm run build --workspaces", ["apps/api", "apps/web", "packages/pot"]),
        ("npm test -w @tea/api", ["apps/api"]),
        ("dotenv -- yarn workspace @tea/web build", ["apps/web"]),
        ("yarn workspaces foreach -A run test", ["apps/api"]),
        ("concurrently 'yarn workspace pot build' 'npm test -w api'", ["packages/pot", "apps/api"]),
        ("npm run build", None),
        ("pnpm install", None),
        ("nx test pot", None),
        ("lerna publish", None),
    ],
)
def test_a_command_works_on_the_packages_that_it_names_and_that_have_the_script(
    text: str, folders: list[str] | None
) -> None:
    task = Task(text, ".", "", "", "document", Place("README.md", 1))
    spread = spreading.spreads(facts_of(shop()), task)
    assert [it for one in spread for it in one.folders] == (folders or [])


def test_a_command_within_quotes_is_told_without_what_follows_it() -> None:
    line = "concurrently 'env -- yarn workspace pot build' 'env -- npm test -w api'"
    task = Task(line, ".", "", "", "document", Place("README.md", 1))
    spread = spreading.spreads(facts_of(shop()), task)
    assert [it.text for it in spread] == ["yarn workspace pot build", "npm test -w api"]


def test_what_runs_only_where_changes_reach_is_told_as_such() -> None:
    task = Task("nx affected --target=build", ".", "", "", "ci", Place("ci.yml", 1))
    (spread,) = spreading.spreads(facts_of(shop()), task)
    assert spread.is_changed
    assert not spread.is_part


def test_the_script_of_one_package_is_asked_for_as_the_manager_of_the_root_has_it() -> None:
    pnpm = shop() | {"pnpm-lock.yaml": ""}
    assert spreading.one(facts_of(shop())) == "npm run {script} -w {name}"
    assert spreading.one(facts_of(pnpm)) == "pnpm --filter {name} run {script}"
    assert spreading.one(facts_of({"package.json": "{}"})) == ""


def test_a_command_for_one_package_comes_behind_what_is_for_all() -> None:
    guide = "# Test\n\n```sh\nnpm test -w @tea/api\n```\n"
    contents = shop(**{"test:all": "npm test --workspaces"}) | {"CONTRIBUTING.md": guide}
    named = [task.text for task in tasks.tasks(facts_of(contents), "test")]
    assert named == ["npm run test:all", "npm test -w @tea/api", "npm test"]


def test_a_script_that_installs_and_prepares_is_how_a_document_that_names_it_begins() -> None:
    scripts = {
        "dx": "npm ci && npm run dx:up",
        "dx:up": "docker compose up -d",
        "d": "npm run dx && turbo run dev",
        "ci": "turbo run build",
    }
    guide = "# Begin\n\nRun `npm run dx`, or `npm run d` at once.\n"
    facts = facts_of(shop(**scripts) | {"README.md": guide})
    assert [task.text for task in tasks.tasks(facts, "install")][:1] == ["npm run dx"]
    assert "npm run d" not in [task.text for task in tasks.tasks(facts, "install")]


def test_packages_of_rush_are_installed_together_and_built_by_their_own_scripts() -> None:
    rush = {"projects": [{"projectFolder": folder} for folder in PACKAGES]}
    contents = {path: text for path, text in shop().items() if "/" in path}
    facts = facts_of(contents | {"rush.json": json.dumps(rush)})
    assert [task.text for task in tasks.tasks(facts, "install")] == ["rush install"]
    assert [(it.text, it.folder) for it in tasks.tasks(facts, "build")] == [
        ("rush build", "."),
        ("rushx build", "apps/api"),
        ("rushx build", "apps/web"),
        ("rushx build", "packages/pot"),
    ]
    assert ordering.is_scattered(tasks.tasks(facts, "build")[1:])
    assert not ordering.is_scattered(tasks.tasks(facts, "build"))


def test_a_script_of_one_of_several_programs_starts_the_product_where_none_is_for_all() -> None:
    scripts = {"web:dev": "yarn workspace web dev", "playground:dev": "vite", "docs:dev": "vite"}
    facts = facts_of({"package.json": json.dumps({"scripts": scripts})})
    run = [task.text for task in tasks.tasks(facts, "run") if task.source != "usual"]
    assert run == ["npm run web:dev"]


def yarn(root: dict[str, str], **packages: dict[str, str]) -> dict[str, str]:
    """A workspace of packages with these scripts."""
    manifest = {"packageManager": "yarn@4.1.0", "workspaces": ["parts/*"], "scripts": root}
    own = {
        f"parts/{name}/package.json": json.dumps({"name": f"@shop/{name}", "scripts": scripts})
        for name, scripts in packages.items()
    }
    return {"package.json": json.dumps(manifest), "yarn.lock": "", **own}


def test_a_script_of_the_root_that_runs_one_of_a_package_is_for_the_same_and_comes_first() -> None:
    root = {"store:dev": "dotenv -- yarn workspace @shop/store dev"}
    contents = yarn(root, store={"dev": "prisma migrate dev"}, web={"dev": "next dev"})
    assert best(contents, "prepare") == ("yarn store:dev", ".")


def test_what_starts_all_programs_of_the_product_comes_before_what_starts_one() -> None:
    web, worker = (f"yarn workspace @shop/{it} dev" for it in ("web", "worker"))
    root = {"web:dev": web, "worker:dev": worker, "all:dev": f'concurrently "{web}" "{worker}"'}
    contents = yarn(root, web={"dev": "next dev"}, worker={"dev": "tsx worker.ts"})
    assert all_of(contents, "run")[:2] == ["yarn all:dev", "yarn web:dev"]


def test_a_script_that_its_yarn_cannot_run_is_not_offered() -> None:
    contents = yarn({"format": "yarn workspaces run format"}, web={"format": "prettier --write ."})
    assert best(contents, "format") == ("yarn format", "parts/web")
    early = {**contents, "package.json": contents["package.json"].replace("@4", "@1")}
    assert best(early, "format") == ("yarn format", ".")
