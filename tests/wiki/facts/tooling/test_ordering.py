"""Which command comes first where several are there, and which is none to begin with."""

from __future__ import annotations

import json

import pytest

from stationmaster.wiki.facts.tooling import called, tasks
from stationmaster.wiki.pages import getting_started
from tests.wiki.commits import facts_of, written
from tests.wiki.facts.tooling.test_tasks import all_of
from tests.wiki.facts.tooling.test_written import begin, document

GO = {"go.mod": "module example.com/shop\n\ngo 1.22\n", "shop.go": "package shop\n"}
TEST = {"shop_test.go": "package shop\n"}
RUST = {"Cargo.toml": '[package]\nname = "shop"\n', "src/main.rs": "fn main() {}\n"}


def test_a_command_in_a_block_comes_before_one_that_a_sentence_mentions() -> None:
    words = "# Work\n\n- [ ] Test for races (`go test -race`)\n- Run `go vet` and `gofmt`\n"
    guide = document("go vet ./...\ngo test -v ./...")
    contents = {**GO, **TEST, "AGENTS.md": words, "CONTRIBUTING.md": guide}
    assert begin(contents, "test") == ["go test -v ./..."]
    assert all_of(contents, "lint") == ["go vet ./..."]


@pytest.mark.parametrize("before", ["e.g. ", "(for example, ", "such as "])
def test_a_command_that_a_sentence_gives_as_an_example_is_none_to_type(before: str) -> None:
    contents = {
        "composer.json": "{}",
        "CONTRIBUTING.md": f"Show all, {before}`composer install -v`.\n",
    }
    assert begin(contents, "install") == ["composer install"]


@pytest.mark.parametrize("path", ["BUILD.txt", "INSTALL", "HACKING", "README.txt"])
def test_an_indented_block_of_a_text_without_marks_is_read(path: str) -> None:
    text = " Build it in the root:\n\n     mvn clean package\n\n Then:\n\n     make sure it works\n"
    assert begin({"pom.xml": "<project/>", path: text}, "build") == ["mvn clean package"]


def test_hooks_of_git_install_nothing_that_the_product_needs() -> None:
    guide = document("go build ./cmd/shop\npre-commit install")
    assert (
        all_of({**GO, "cmd/shop/main.go": "package main\n", "CONTRIBUTING.md": guide}, "install")
        == []
    )


@pytest.mark.parametrize(
    "runs",
    [
        "python -m cibuildwheel", "goreleaser build --snapshot", "electron-builder --publish never",
        "npm pack", "cargo dist build", "python setup.py compile_catalog", "pybabel compile -d x",
    ],
)  # fmt: skip
def test_what_packs_a_release_or_compiles_translations_builds_nothing(runs: str) -> None:
    workflow = f"on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{{run: {runs}}}]\n"
    scripts = json.dumps({"scripts": {"dist": runs, "build": "tsc"}})
    contents = {".github/workflows/ci.yml": workflow, "package.json": scripts, "setup.py": ""}
    assert all_of(contents, "build") == ["npm run build"]


def test_a_usual_build_comes_before_an_environment_that_has_it() -> None:
    workflow = "on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{run: nix build -L}]\n"
    contents = {**RUST, ".github/workflows/ci.yml": workflow, "flake.nix": ""}
    contents |= {f"queries/{name}.scm": "(node)" for name in "abcdefgh"}
    assert begin(contents, "build") == ["cargo build"]
    assert begin({**contents, "CONTRIBUTING.md": document("nix build")}, "build") == ["cargo build"]


@pytest.mark.parametrize("goal", ["spring-boot:run", "clean jetty:run", "exec:java"])
def test_a_default_goal_that_starts_the_program_is_no_build(goal: str) -> None:
    pom = f"<project><build><defaultGoal>{goal}</defaultGoal></build></project>"
    assert begin({"pom.xml": pom}, "build") == ["mvn package"]


def test_what_a_task_builds_needs_no_usual_step_before_it() -> None:
    make = "all: static shop-test\n\nstatic:\n\tcc -c a.c\n\nshop-test:\n\tcc a.c\n\n"
    make += "dep:\n\t$(CC) -MM *.c\n"
    workflow = (
        "on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{run: CC=clang cmake .. -G Ninja}]\n"
    )
    contents = {
        "CMakeLists.txt": "project(shop)\n",
        "Makefile": make,
        "a.c": "",
        ".github/workflows/ci.yml": workflow,
    }
    assert begin(contents, "build") == ["make all"]
    assert not tasks.tasks(facts_of(contents), "configure")
    assert not tasks.tasks(facts_of(contents), "install")


def test_check_is_what_its_recipe_does() -> None:
    make = "check:\n\t./test.sh\n\nlint:\n\tcppcheck .\n"
    facts = facts_of({"Makefile": make, "test.sh": "#!/bin/sh\n"})
    assert [it.text for it in tasks.tasks(facts, "test")] == ["make check"]
    assert "make check" not in [it.text for it in tasks.tasks(facts, "lint")]


def test_a_task_that_starts_a_server_for_tests_or_copies_a_build_starts_no_product() -> None:
    make = "start-server:\n\tnode tests/server.js\n\ndev:\n\tcargo build\n\tcp target/shop ~/bin\n"
    make += "license:\n\tgo run example.com/licenses@latest check\n"
    facts = facts_of({**RUST, "Makefile": make})
    assert [it.text for it in tasks.tasks(facts, "run")] == ["cargo run"]


def test_the_same_steps_with_other_options_are_another_way() -> None:
    guide = document(
        "./autogen.sh && ./configure && make\n./autogen.sh && ./configure --with-x && make"
    )
    contents = {"configure.ac": "", "autogen.sh": "", "CONTRIBUTING.md": guide}
    assert begin(contents, "configure") == ["./autogen.sh && ./configure && make"]


def test_what_a_library_shows_its_users_is_no_work_on_it() -> None:
    readme = "# Shop\n\n## Encoding\n\n```sh\ngo build -tags cbor .\n```\n\n"
    readme += "## Example\n\n```sh\nuvicorn main:app\n```\n"
    contents = {
        **GO,
        "README.md": readme,
        "shop.py": "",
        "pyproject.toml": '[project]\nname = "x"\n',
    }
    assert all_of(contents, "build") == []
    assert all_of(contents, "run") == []
    readme = readme.replace("Encoding", "Building from source")
    assert all_of({**contents, "README.md": readme}, "build") == ["go build -tags cbor ."]


def test_a_module_or_a_list_that_is_not_there_is_of_another_project() -> None:
    guide = document("pip install -r requirements.txt\nuvicorn shop.main:app")
    contents = {"CONTRIBUTING.md": guide, "shop/till.py": "", "pyproject.toml": ""}
    assert all_of(contents, "install") == all_of(contents, "run") == []
    contents |= {"requirements.txt": "", "shop/main.py": ""}
    assert all_of(contents, "install") == ["pip install -r requirements.txt"]
    assert all_of(contents, "run") == ["uvicorn shop.main:app"]


def test_of_several_ways_to_install_the_first_of_a_guide_comes_first() -> None:
    guide = document(
        'pip install -e ".[test,docs]" --no-cache-dir', "```\n\n```sh\npip install -e .[docs]"
    )
    contents = {
        "pyproject.toml": "",
        "README.md": document("pip install -e ."),
        "CONTRIBUTING.md": guide,
    }
    assert all_of(contents, "install")[0] == 'pip install -e ".[test,docs]" --no-cache-dir'


def test_tasks_of_rake_run_with_the_gems_of_the_repository() -> None:
    rake = {"Rakefile": "task :spec do\nend\n"}
    assert begin({**rake, "Gemfile": 'gem "rake"\n'}, "test") == ["bundle exec rake spec"]
    assert begin(rake, "test") == ["rake spec"]


def test_a_tool_without_a_version_has_those_of_pipelines_and_images() -> None:
    steps = "[{uses: actions/setup-python@v5, with: {python-version: '3.12'}}]"
    docs = steps.replace("3.12", "3.9")
    workflow = "on: push\njobs:\n  {}:\n    runs-on: x\n    steps: {}\n"
    contents = {
        "requirements.txt": "flask\n", "Dockerfile": "FROM python:3.13-alpine\n", "app.py": "",
        ".github/workflows/ci.yml": workflow.format("test", steps),
        ".github/workflows/docs.yml": workflow.format("build", docs),
    }  # fmt: skip
    (tool,) = called.tools(facts_of(contents))
    assert [version for version, _ in tool.versions] == ["3.12", "3.13"]
    facts = facts_of(contents)
    (planned,) = getting_started.plan(facts)
    page = written(facts, planned.write, planned.subject, planned.key)
    assert "| Python | `3.12` or `3.13` | called by `pip install -r requirements.txt`" in page
    assert "3.9" not in page


@pytest.mark.parametrize(
    "make",
    [
        "all:\n\ninstall:\n\tcp shop /usr/bin\n",
        "all:\n\t@grep -E '^[a-z].*:' Makefile\n",
        "compile_deps:\n\t./pip-compile.sh\n",
    ],
)
def test_a_target_that_does_nothing_or_compiles_lists_of_packages_builds_nothing(make: str) -> None:
    assert all_of({"Makefile": make, "shop.py": "", "pip-compile.sh": ""}, "build") == []


def test_a_task_that_nothing_names_comes_behind_a_guide_and_before_other_documents() -> None:
    just = "build *args:\n    ./gradlew spotlessApply installDist\n"
    contents = {"build.gradle": "", "gradlew": "", ".justfile": just}
    guide = {"CONTRIBUTING.md": document("./gradlew build")}
    assert all_of({**contents, **guide}, "build") == ["./gradlew build", "just build"]
    readme = {"README.md": document("./gradlew build")}
    assert all_of({**contents, **readme}, "build") == ["just build", "./gradlew build"]
    assert all_of(contents, "lint") == []


def test_what_makes_the_script_that_configures_comes_first_wherever_it_stands() -> None:
    readme = document("./configure", "make", *["# more"] * 40, "./autogen.sh")
    contents = {"configure.ac": "", "autogen.sh": "", "README.md": readme}
    assert begin(contents, "configure") == ["./autogen.sh", "./configure"]


def test_how_others_install_the_product_is_no_way_to_work_on_it() -> None:
    contents = {"pyproject.toml": "[build-system]\n", "docs/install.md": document("pip install .")}
    assert begin(contents, "install") == ["pip install -e ."]


def test_folders_of_examples_are_aside_whatever_else_they_are_called() -> None:
    contents = {
        "shop example/Makefile": "all:\n\tdocker compose up\n",
        "api/go.mod": "module x.com/y\n",
    }
    contents["api/main.go"] = "package main\n"
    assert tasks.tasks(facts_of(contents), "build")[0].folder == "api"


def test_the_main_language_comes_before_what_a_guide_names_for_another() -> None:
    contents = {f"shop/{name}.py": "" for name in "abcdef"} | {"a.js": "", "b.js": ""}
    contents["package.json"] = json.dumps({"scripts": {"test:unit": "jest"}})
    contents["Makefile"] = "test:\n\tpython runtests.py\n"
    guide = document("npm run test:unit", "tox -l", "tox -e py39 -- shop.a")
    assert (
        begin({**contents, "CONTRIBUTING.md": guide, "tox.ini": "[testenv:py39]\n"}, "test")[0]
        == "make test"
    )


def test_the_summary_names_what_the_whole_needs_and_not_what_one_package_asks_for() -> None:
    package = '[project]\nname = "shop"\nrequires-python = ">=3.8"\n'
    facts = facts_of({**GO, "packages/python/pyproject.toml": package})
    (planned,) = getting_started.plan(facts)
    page = written(facts, planned.write, planned.subject, planned.key)
    assert "To work on it you need Go `1.22`." in page
    assert "| Python | `>=3.8` |" in page


def test_a_task_for_measuring_builds_behind_what_a_guide_has_beside_it() -> None:
    alias = '[alias]\nbuild-traced = "build --features traced"\n'
    guide = document("cargo build") + "\n## Profiling\n\n```sh\ncargo build-traced\n```\n"
    contents = {**RUST, ".cargo/config.toml": alias, "CONTRIBUTING.md": guide}
    assert all_of(contents, "build") == ["cargo build", "cargo build-traced"]


def test_a_block_that_is_an_example_comes_behind_the_command_itself() -> None:
    words = "Use `cargo run`\n\nFor example, for search\n\n```sh\ncargo run -- find --x\n```\n"
    contents = {**RUST, "CONTRIBUTING.md": f"# Run\n\n{words}"}
    assert all_of(contents, "run") == ["cargo run", "cargo run -- find --x"]


def test_tests_of_units_come_before_those_of_the_whole_and_what_starts_their_stack_is_none() -> (
    None
):
    make = "e2e:\n\tgo test -tags=e2e ./e2e\n\nrace_test:\n\tgo test -race ./...\n\n"
    make += "e2e-up:\n\tdocker compose up -d\n\ne2e-down:\n\tdocker compose down\n"
    assert all_of({**GO, **TEST, "Makefile": make}, "test") == ["make race_test", "make e2e"]


@pytest.mark.parametrize(
    "words",
    ["The tag keeps it out of `go test ./...`.", "Tagged, so `go test ./...` never runs it."],
)
def test_a_command_that_a_document_says_leaves_something_out_is_not_how_to_do_it(
    words: str,
) -> None:
    contents = {**GO, "CONTRIBUTING.md": f"# Tests\n\n{words}\n"}
    assert all_of(contents, "test") == []


def test_a_command_for_all_modules_comes_before_one_that_names_some() -> None:
    guide = document("mvn clean compile -pl tea -am")
    contents = {"pom.xml": "<project/>", "CONTRIBUTING.md": guide}
    assert begin(contents, "build") == ["mvn clean compile -pl tea -am"]
    words = "# Work\n\nRun `mvn -DskipTests package` for all.\n"
    assert begin({**contents, "AGENTS.md": words}, "build") == ["mvn -DskipTests package"]


def test_what_starts_one_module_starts_the_product() -> None:
    guide = document("gradle :application:bootRun")
    contents = {"build.gradle": "", "CONTRIBUTING.md": guide, "ui/Makefile": "dev:\n\tnode a.js\n"}
    assert begin(contents, "run") == ["gradle :application:bootRun"]


def test_a_script_that_starts_what_was_built_comes_behind_one_for_development() -> None:
    scripts = {"start": "node ./build/index.js", "dev:watch": "concurrently a b"}
    contents = {
        "package.json": json.dumps({"scripts": scripts}), "index.js": "",
        "Makefile": "up:\n\tdocker compose up -d db\n\tnpm run dev:watch\n",
        "compose.yml": "services:\n  db:\n    image: postgres\n",
    }  # fmt: skip
    assert all_of(contents, "run") == ["make up", "npm start", "npm run dev:watch"]
    assert all_of(contents, "services") == ["docker compose up -d db"]


def test_tests_of_a_guide_come_before_those_that_a_pipeline_measures() -> None:
    run = "coverage run shop/manage.py test shop/"
    workflow = f"on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{{run: {run}}}]\n"
    guide = document("cd shop\npython manage.py test")
    contents = {"shop/manage.py": "import django\n", ".github/workflows/ci.yml": workflow}
    assert begin({**contents, "CONTRIBUTING.md": guide}, "test") == ["python manage.py test"]


def test_commands_of_one_sentence_keep_its_order() -> None:
    sentence = "* Run `rake db:create`, `rake db:migrate` and then `rake db:seed` to begin.\n"
    contents = {"Gemfile": 'gem "rails"\n', "Rakefile": "", "app.rb": ""}
    assert begin({**contents, "README.md": f"# Shop\n\n## Install\n\n{sentence}"}, "prepare") == [
        "rake db:create",
        "rake db:migrate",
        "rake db:seed",
    ]


@pytest.mark.parametrize(("folder", "is_front_end"), [("tmp/work", False), ("public/js", True)])
def test_what_is_written_where_nothing_is_served_is_no_front_end(
    folder: str, is_front_end: bool
) -> None:
    build = f'{{"scripts": {{"build": "esbuild a.js --bundle --outfile={folder}/a.js"}}}}'
    facts = facts_of({"composer.json": "{}", "artisan": "", "a.php": "", "package.json": build})
    planned = next(iter(getting_started.plan(facts)))
    summary = written(facts, planned.write, None, planned.key).partition("\n#")[0]
    assert ("builds the front end" in summary) == is_front_end
    assert ("builds" in summary) == is_front_end


@pytest.mark.parametrize(
    "some",
    ["cargo test --test gui", "cargo test --lib", "cargo test parser", "cargo test --bin shop"],
)
def test_a_command_for_all_tests_comes_before_one_that_selects_some(some: str) -> None:
    guide = f"# Work\n\n- `cargo test --workspace` — all tests\n\n```sh\n{some}\n```\n"
    assert all_of({**RUST, "CONTRIBUTING.md": guide}, "test") == ["cargo test --workspace", some]


def test_a_pipeline_for_all_tests_comes_before_a_module_of_tests_that_a_document_names() -> None:
    workflow = "on: push\njobs:\n  t:\n    runs-on: x\n    steps: [{run: ./manage.py test}]\n"
    some = "python manage.py test --keepdb shop.till.tests"
    contents = {
        "manage.py": "", ".github/workflows/ci.yml": workflow,
        "shop/till/README.md": document(some), "shop/till/tests.py": "",
    }  # fmt: skip
    assert all_of(contents, "test") == ["./manage.py test", some]


def test_a_module_of_settings_selects_no_tests() -> None:
    whole, some = "python manage.py test --settings shop.settings.ci", "python manage.py test till"
    contents = {"manage.py": "", "CONTRIBUTING.md": document(f"{some}\n{whole}")}
    assert all_of(contents, "test") == [whole, some]
