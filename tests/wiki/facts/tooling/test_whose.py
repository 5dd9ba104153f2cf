"""Which commands are those of the repository and its guides, and where they run."""

from __future__ import annotations

import json

import pytest

from stationmaster.wiki.facts.tooling import ordering, tasks
from stationmaster.wiki.text.inline import Place
from tests.wiki.commits import facts_of
from tests.wiki.facts.tooling.test_tasks import all_of, best
from tests.wiki.facts.tooling.test_written import PYTHON, begin, document


@pytest.mark.parametrize(
    ("path", "is_so"),
    [
        ("CONTRIBUTING.md", True),
        ("docs/community/contributing.md", True),
        ("README.md", False),
        ("docs/build.md", False),
    ],
)
def test_a_tool_for_developers_is_used_for_the_work_on_itself_as_its_guide_says(
    path: str, *, is_so: bool
) -> None:
    manifest = '[project]\nname = "pdm"\n'
    contents = {"pyproject.toml": manifest, "pdm.py": "", path: document("pdm install")}
    assert ("pdm install" in begin(contents, "install")) == is_so


def test_a_step_of_a_pipeline_runs_in_the_folder_that_it_or_its_job_names() -> None:
    steps = (
        "      - {run: mix test, working-directory: ./api}\n"
        "      - run: cd web && go test ./... && cd ..\n"
    )
    contents = {
        ".github/workflows/ci.yml": "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n" + steps,
        ".github/workflows/be.yml": "on: push\ndefaults: {run: {working-directory: api}}\n"
        "jobs:\n  a: {runs-on: x, steps: [{run: mix format --check-formatted}]}\n",
        "api/mix.exs": "",
        "web/go.mod": "module example.com/web\n",
    }
    facts = facts_of(contents)
    named = {
        (task.text, task.folder)
        for purpose in ("test", "lint")
        for task in tasks.tasks(facts, purpose)
        if task.source == "ci"
    }
    assert named == {
        ("mix test", "api"),
        ("go test ./...", "web"),
        ("mix format --check-formatted", "api"),
    }


@pytest.mark.parametrize(
    ("path", "pipeline"),
    [
        (".circleci/config.yml", "jobs:\n  a:\n    docker: [{image: x}]\n"
         "    working_directory: ~/shop\n    steps:\n"
         "      - run: {command: mix test, working_directory: ~/shop/api}\n"),
        ("azure-pipelines.yml", "steps:\n- script: mix test\n"
         "  workingDirectory: $(System.DefaultWorkingDirectory)/api\n"),
        (".gitlab-ci.yml", "a:\n  before_script: [cd api]\n  script: [mix test]\n"),
        (".travis.yml", "install: cd api\nscript: mix test\n"),
    ],
)  # fmt: skip
def test_other_systems_name_the_folder_of_a_step_in_their_own_way(path: str, pipeline: str) -> None:
    found = tasks.tasks(facts_of({path: pipeline, "api/mix.exs": "", "api/a.ex": ""}), "test")
    assert ("mix test", "api") in [(it.text, it.folder) for it in found if it.source == "ci"]


def test_tests_with_settings_of_their_own_run_beside_what_they_import() -> None:
    contents = {"tests/pytest.ini": "", "shop.py": "", "tests/test_shop.py": "def test_a(): pass\n"}
    assert best(contents, "test") == ("pytest tests", ".")


@pytest.mark.parametrize(
    "brings",
    [
        "uses: actions/checkout@v4, with: {repository: acme/other, path: other}",
        "run: git clone --depth 1 https://example.com/acme/other -b main",
        "run: git clone https://example.com/acme/tea other",
    ],
)
def test_what_a_pipeline_runs_in_another_repository_that_it_brings_is_none_of_this_one(
    brings: str,
) -> None:
    steps = f"{{{brings}}}, {{run: pytest -q, working-directory: other}}, {{run: cd other && tox}}"
    ci = f"on: push\njobs:\n  a: {{runs-on: x, steps: [{steps}, {{run: pytest -x}}]}}\n"
    assert begin({**PYTHON, ".github/workflows/ci.yml": ci}, "test") == ["pytest -x"]


def test_what_a_document_types_in_another_clone_beside_this_one_is_not_told() -> None:
    clones = document("git clone git@example.com:acme/tea.git", "git clone https://x.org/acme/site")
    there = "\n\n\n\n\n\n```sh\ncd site\npip install -r requirements.txt\npytest -q\n```\n"
    here = "\n\n\n\n\n\n```sh\ncd tea\npytest -x\n```\n"
    guide = {"CONTRIBUTING.md": clones + there + here}
    assert begin({**PYTHON, **guide}, "test") == ["pytest -x"]


def test_what_a_guide_for_contributors_names_comes_before_a_plainer_name() -> None:
    scripts = {"build": "nx affected -t build", "build:all": "nx run-many -t build", "test": "jest",
               "test:watch": "jest --watch"}  # fmt: skip
    guide = "# Work\n\n```sh\npnpm build:all\npnpm test:watch\n```\n"
    contents = {"package.json": json.dumps({"scripts": scripts}), "pnpm-lock.yaml": ""}
    assert best(contents, "build") == ("pnpm run build", ".")
    guided = contents | {"CONTRIBUTING.md": guide}
    assert best(guided, "build") == ("pnpm run build:all", ".")
    assert best(guided, "test") == ("pnpm test", ".")
    assert best(contents | {"README.md": guide}, "build") == ("pnpm run build", ".")


def test_what_a_document_says_against_a_command_is_told_and_another_one_comes_first() -> None:
    scripts = {"build": "vite build", "build:fast": "esbuild a.js"}
    words = "All is well. **Careful:** Do not run `npm run build` on a train. Never mind."
    contents = {"package.json": json.dumps({"scripts": scripts}), "AGENTS.md": f"# A\n\n{words}\n"}
    facts = facts_of(contents)
    first, second = tasks.tasks(facts, "build")
    assert (first.text, second.text) == ("npm run build:fast", "npm run build")
    advice = ordering.advice(facts, second)
    assert advice is not None
    assert advice.sentence.endswith("Do not run npm run build on a train.")
    assert advice.place == Place("AGENTS.md", 3)
    kind = contents | {"AGENTS.md": "# A\n\nDo not forget to run `npm run build` first.\n"}
    assert ordering.advice(facts_of(kind), second) is None


def test_a_document_for_users_whose_tests_are_not_the_repositorys_names_no_command() -> None:
    lines = "pytest test_tea.py\npytest tests/test_pot.py\n"
    contents = {
        "tests/test_pot.py": "def test_pot(): pass\n",
        "docs/guide/testing.md": f"# Test\n\n```sh\n{lines}```\n",
        "pyproject.toml": "",
    }
    assert all_of(contents, "single") == ["pytest tests/test_pot.py"]


def test_a_project_of_dotnet_is_started_in_its_folder_and_no_program_that_a_build_left() -> None:
    project = '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>\n'
    guide = "# Shop\n\n## Build\n\nRun it with `dotnet run`, or `./shop` where the build put it.\n"
    facts = facts_of(
        {"src/Shop/Shop.csproj": project, "src/Shop/Program.cs": "", "README.md": guide}
    )
    run = [(it.text, it.folder) for it in tasks.tasks(facts, "run")]
    assert run == [("dotnet run", "src/Shop")]


def test_a_command_that_a_sentence_says_is_not_run_is_none() -> None:
    guide = "# Work\n\nThis helps us to not do a full\n`docker build` for every change.\n"
    contents = {"Dockerfile": "FROM alpine\n", "CONTRIBUTING.md": guide}
    assert begin(contents, "image") == []


def test_a_command_that_installs_one_package_of_the_reader_installs_nothing_else() -> None:
    files = {"go.mod": "module example.org/tea\n", "tea.go": "package tea\n"}
    tip = "# Work\n\nTo read a dependency, run `go mod download -json MODULE`.\n"
    assert "go mod download -json MODULE" not in begin({**files, "AGENTS.md": tip}, "install")
    assert begin({**files, "AGENTS.md": document("go mod download -x")}, "install") == [
        "go mod download -x"
    ]
