"""What a command of a pipeline is for people, by its step, its job and its workflow."""

from __future__ import annotations

from stationmaster.wiki.facts.tooling import prerequisites, tasks
from tests.wiki.commits import facts_of

MAVEN = {"pom.xml": "<project/>", "src/main/java/A.java": "class A {}\n"}
DOTNET = {"a.csproj": "<Project/>", "A.cs": "class A {}\n", "B.cs": "class B {}\n"}


def workflow(steps: str, on: str = "push", runs_on: str = "ubuntu-latest") -> str:
    return f"on: {on}\njobs:\n  all:\n    runs-on: {runs_on}\n    steps:\n{steps}"


def typed(contents: dict[str, str], purpose: str) -> list[str]:
    return [it.text for it in tasks.tasks(facts_of(contents), purpose) if it.source == "ci"]


def test_a_step_that_is_called_after_the_style_of_code_checks_it_whatever_it_compiles_for_that():
    steps = "      - name: Check Java linting\n        run: mvn -B compile impsort:check\n"
    contents = {**MAVEN, ".github/workflows/ci.yml": workflow(steps)}
    assert typed(contents, "lint") == ["mvn -B compile impsort:check"]
    assert typed(contents, "build") == []
    both = {"name: Check Java linting": "name: Lint and build"}
    contents[".github/workflows/ci.yml"] = workflow(steps.replace(*both.popitem()))
    assert typed(contents, "build") == ["mvn -B compile impsort:check"]


def test_what_a_pipeline_installs_for_itself_is_nothing_to_install() -> None:
    steps = "      - run: pip install -r .github/labels/requirements.txt\n"
    contents = {
        ".github/workflows/ci.yml": workflow(steps),
        ".github/labels/requirements.txt": "x\n",
        "a.py": "",
    }
    assert typed(contents, "install") == []


def test_a_command_in_a_service_of_a_compose_file_is_typed_without_the_container() -> None:
    ruby = {"Gemfile": "", "a.rb": "", "docker-compose.yml": "services:\n  shop:\n    image: x\n"}
    for run in ("sh -c 'bundle exec rspec'", "bundle exec rspec"):
        steps = f"      - run: docker compose run --rm shop {run}\n"
        contents = {**ruby, ".github/workflows/ci.yml": workflow(steps)}
        assert typed(contents, "test") == ["bundle exec rspec"]


def test_what_runs_for_all_changes_on_a_common_system_comes_first() -> None:
    of_all = workflow("      - run: dotnet test --solution all.slnf\n")
    paths = "\n  push:\n    paths: ['mobile/**']"
    contents = {
        **DOTNET,
        ".github/workflows/a.yml": workflow("      - run: dotnet test --project mobile\n", paths),
        ".github/workflows/b.yml": workflow(
            "      - run: dotnet test --no-build\n", runs_on="windows-latest"
        ),
        ".github/workflows/c.yml": of_all,
    }
    assert typed(contents, "test")[0] == "dotnet test --solution all.slnf"
    assert typed(contents, "test")[2:] != []


def test_versions_for_jobs_that_only_check_documents_or_serve_the_pipeline_are_not_needed() -> None:
    node = "      - uses: actions/setup-node@v4\n        with:\n          node-version: {}\n"
    documents = node.format(16) + "      - run: markdownlint '**/*.md'\n"
    labels = node.format(18) + "      - run: pip install -r .github/labels/requirements.txt\n"
    contents = {
        ".github/workflows/a.yml": workflow(documents),
        ".github/workflows/b.yml": workflow(labels),
        ".github/workflows/c.yml": workflow(node.format(24) + "      - run: npm test\n"),
    }
    assert [it.version for it in prerequisites.in_workflows(facts_of(contents))] == ["24"]


def steps(*lines: str) -> str:
    return workflow("".join(f"      - run: {line}\n" for line in lines))


def names(contents: dict[str, str]) -> list[str]:
    return [it.text for it in tasks.tasks(facts_of(contents), "test")]


def test_what_a_pipeline_configures_or_does_with_what_it_has_made_is_its_own() -> None:
    files = {"shop.toml.example": "", "package.json": '{"scripts": {"help": "x"}}'}
    lines = ("cp shop.toml.example shop.toml", "pytest dist/tests", "npx patch-package")
    contents = {**files, ".github/workflows/ci.yml": steps(*lines)}
    assert [typed(contents, it) for it in ("configure", "test", "build")] == [[], [], []]


def test_tests_that_a_pipeline_runs_leave_no_room_for_a_guess() -> None:
    files = {"pyproject.toml": "[tool.pytest.ini_options]\n", "shop.py": "", "tox.ini": "[tox]\n"}
    assert names(files) == ["pytest"]
    lines = ("tox -e ${{ matrix.of }}",)
    matrix = "    strategy: {matrix: {of: [unit, e2e]}}\n    steps:\n"
    written = steps(*lines).replace("    steps:\n", matrix)
    tested = names({**files, ".github/workflows/ci.yml": written})
    assert tested == ["tox -e e2e", "tox -e unit"]
