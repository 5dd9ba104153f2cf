"""Which commands a newcomer begins with where names alone do not say what they are for."""

import pytest

from stationmaster.wiki.facts.tooling import tasks
from tests.wiki.commits import facts_of
from tests.wiki.facts.tooling.test_tasks import all_of


def test_a_task_that_installs_and_builds_is_not_how_to_install() -> None:
    make = "all_systems: install\n\tbash ./build-all.sh\n\ninstall:\n\tnpm ci\n"
    workflow = "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: make all_systems\n"
    contents = {"Makefile": make, "package.json": "{}", ".github/workflows/a.yml": workflow}
    assert all_of(contents, "install") == ["make install"]


def test_a_task_for_one_language_begins_with_what_another_language_needs() -> None:
    contents = {
        "Makefile": "init:\n\tnpm install\n",
        "package.json": "{}",
        "pyproject.toml": '[project]\nname = "shop"\n',
        "CONTRIBUTING.md": "# Work on it\n\n```sh\nmake init\n```\n",
        "docs/testing.md": "# Testing\n\n```sh\npip install -e .\n```\n",
        **dict.fromkeys(("a.py", "b.py", "c.js", "d.js"), ""),
    }
    begin = tasks.to_begin(tasks.tasks(facts_of(contents), "install"))
    assert [task.text for task in begin] == ["make init", "pip install -e ."]


def test_the_service_of_a_compose_file_that_the_repository_builds_is_the_product() -> None:
    compose = "services:\n  web:\n    build: .\n  db:\n    image: postgres\n"
    document = "# Setup\n\n```sh\ndocker compose up -d db\ndocker compose up -d web\n```\n"
    contents = {"compose.yaml": compose, "CONTRIBUTING.md": document, "Dockerfile": "FROM a\n"}
    assert all_of(contents, "services") == ["docker compose up -d db"]
    assert all_of(contents, "run") == ["docker compose up -d web"]


def test_a_document_starts_the_program_of_the_package_by_its_subcommand() -> None:
    contents = {
        "pyproject.toml": '[project]\nname = "shop"\n',
        "docs/guide/work/testing.md": "# Testing\n\n```sh\n(env) $ shop -c dev.cfg run\n```\n",
        "a.py": "",
    }
    assert all_of(contents, "run") == ["shop -c dev.cfg run"]


def test_a_task_whose_name_says_nothing_is_what_a_document_calls_it() -> None:
    make = "backend:\n\tdocker compose -f b.yml build\n\nrundev:\n\tdocker compose -f d.yml up\n"
    guide = "# Commands\n\n- **Build**: `make backend`\n- Run server: `make rundev`\n"
    contents = {"Makefile": make, "CLAUDE.md": guide}
    assert all_of(contents, "build") == ["make backend"]
    assert all_of(contents, "run") == ["make rundev"]


def test_only_the_words_right_before_a_command_call_it() -> None:
    make = "backend:\n\tdocker compose -f b.yml build\n"
    for line in ("Build it, then see `make backend`", "- Build: with care, `make backend`"):
        assert all_of({"Makefile": make, "CLAUDE.md": f"# Commands\n\n{line}\n"}, "build") == []


def test_what_starts_a_site_of_documents_starts_no_product() -> None:
    scripts = '{"scripts": {"start": "docusaurus start"}}'
    assert all_of({"shop-site/package.json": scripts, "a.py": ""}, "run") == []


def test_what_one_machine_needs_before_a_command_is_left_out() -> None:
    line = 'export PATH="/opt/node/bin:$PATH" && ./mvnw test -B'
    guide = f"# Tests\n\n- Full suite: `{line}`\n"
    contents = {"pom.xml": "<project/>", "mvnw": "", ".github/copilot-instructions.md": guide}
    assert all_of(contents, "test") == ["./mvnw test -B"]


@pytest.mark.parametrize(
    "make",
    [
        "all: clean install\n\nclean:\n\tgit clean\n\ninstall:\n\tpip install .\n",
        "all: image push\n\nimage:\n\tdocker build .\n\npush:\n\tdocker push a\n",
        ".DEFAULT_GOAL = help\nall: things\n\nthings:\n\tgo generate\n\nhelp:\n\techo a\n",
    ],
)
def test_a_target_for_all_that_installs_or_delivers_or_is_not_the_default_builds_nothing(
    make: str,
) -> None:
    contents = {"Makefile": make, "CONTRIBUTING.md": "# Build\n\n```sh\nmake\n```\n", "a.py": ""}
    assert "make" not in all_of(contents, "build")


def test_what_a_site_of_documents_needs_installs_nothing_for_the_product() -> None:
    guide = "# Docs\n\n```sh\npip install -r ./docs/requirements.txt\n```\n"
    contents = {"CONTRIBUTING.md": guide, "docs/requirements.txt": "mkdocs\n", "a.py": ""}
    assert all_of(contents, "install") == []


def test_a_script_that_a_sentence_says_to_run_is_a_command() -> None:
    words = "# Build\n\nTry building it: `./scripts/build.sh`. See `./scripts/release.sh`, too.\n"
    contents = {
        "CONTRIBUTING.md": words,
        "scripts/build.sh": "",
        "scripts/release.sh": "",
        "a.py": "",
    }
    assert all_of(contents, "build") == ["./scripts/build.sh"]


def test_a_script_that_no_package_has_and_a_file_that_is_not_there_are_the_readers_own() -> None:
    guide = "# Work\n\n```sh\nyarn serve\nyarn dev\nprettier --write file.vue\n```\n"
    contents = {
        "CONTRIBUTING.md": guide,
        "package.json": '{"scripts": {"dev": "nodemon a.js"}}',
        "yarn.lock": "",
        "a.js": "",
    }
    assert all_of(contents, "run") == ["yarn dev"]
    assert all_of(contents, "format") == []
    assert all_of({**contents, "src/file.vue": ""}, "format") == ["prettier --write file.vue"]


def test_groups_of_dependencies_are_installed_as_a_pipeline_does_it() -> None:
    workflow = (
        "on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{run: pip install --group dev}]\n"
    )
    contents = {
        ".github/workflows/a.yml": workflow,
        "pyproject.toml": "[dependency-groups]\ndev = ['a']\n",
    }
    assert all_of(contents, "install") == ["pip install --group dev"]


def test_a_task_whose_name_says_nothing_comes_behind_what_is_usual() -> None:
    make = "frontend:\n\tcd web && yarn run build\n\nut:\n\tgo test -cover ./...\n"
    contents = {"go.mod": "module x.com/y\n", "a.go": "package y\n", "a_test.go": "package y\n"}
    contents["Makefile"] = make
    facts = facts_of(contents)
    assert [it.text for it in tasks.tasks(facts, "test")] == ["go test ./...", "make ut"]
    assert tasks.tasks(facts, "build")[0].text == "go build ./..."


def test_processes_come_behind_the_database_that_a_document_prepares_before_them() -> None:
    guide = "# Shop\n\n## Install\n\n    rake db:setup\n\nThen:\n\n    bundle exec foreman start\n"
    contents = {"Procfile": "jobs: bundle exec sidekiq\n", "Gemfile": "", "CONTRIBUTING.md": guide}
    steps = ("install", "services", "prepare", "run")
    ordered = tasks.in_order(facts_of(contents), steps)
    assert ordered == ["install", "prepare", "services", "run"]
    assert tasks.in_order(facts_of({"Gemfile": ""}), steps) == [*steps]


def test_a_task_that_only_sets_up_git_installs_nothing() -> None:
    make = "init: ; git config core.hooksPath ./scripts/hooks\n\ndeps: ; go mod download\n"
    assert all_of({"Makefile": make, "go.mod": "module shop\n"}, "install") == ["make deps"]


def test_a_script_in_a_folder_of_tools_is_not_how_the_product_starts() -> None:
    guide = "# Work\n\n```sh\n{}\n```\n"
    files = {"go.mod": "module shop\n", "main.go": "", "scripts/names/main.go": ""}
    for command in ("go run ./scripts/names/main.go", "go run ./scripts/names list"):
        contents = {**files, "CONTRIBUTING.md": guide.format(command)}
        assert command not in all_of(contents, "run")
