"""Commands of workflows and documents: which are for everybody, and in which form."""

from __future__ import annotations

import json

import pytest

from stationmaster.wiki.facts.tooling import tasks
from tests.wiki.commits import facts_of
from tests.wiki.facts.tooling.test_tasks import all_of


def workflow(*lines: str) -> str:
    steps = "".join(f"      - run: {line}\n" for line in lines)
    return f"on: push\njobs:\n  all:\n    runs-on: x\n    steps:\n{steps}"


def document(*lines: str) -> str:
    return "# Build\n\n```sh\n{}\n```\n".format("\n".join(lines))


def begin(contents: dict[str, str], purpose: str) -> list[str]:
    return [each.text for each in tasks.to_begin(tasks.tasks(facts_of(contents), purpose))]


PYTHON = {"pyproject.toml": '[project]\nname = "tea"\n', "tea.py": ""}


@pytest.mark.parametrize(
    "text",
    ["uv build", "python3 -m build", "python -m build --wheel", "poetry build", "goreleaser"],
)
@pytest.mark.parametrize("path", [".github/workflows/ci.yml", "CONTRIBUTING.md"])
def test_what_packs_a_release_is_not_the_build(text: str, path: str) -> None:
    written = workflow(text) if path.endswith(".yml") else document(text)
    assert begin({**PYTHON, path: written}, "build") == []


def test_a_script_that_packs_a_release_is_not_the_build() -> None:
    files = {**PYTHON, ".github/workflows/ci.yml": workflow("scripts/build")}
    plain = {"scripts/build": "#!/bin/sh\ncc -o tea tea.c\n"}
    packing = {"scripts/build": '#!/bin/sh\n"${PREFIX}python" -m build\n'}
    zipping = {"scripts/build": "#!/bin/sh\nbin/get --no-dev\nrm tea.json\nzip -r tea.zip .\n"}
    assert begin({**files, **plain}, "build") == ["scripts/build"]
    assert begin({**files, **packing}, "build") == begin({**files, **zipping}, "build") == []


def test_a_runner_that_only_prints_its_tasks_without_a_name_builds_nothing() -> None:
    guide = {"docs/develop.md": "# Work\n\n```sh\nmake\n```\n"}
    assert begin({**guide, "Makefile": "tea:\n\tcc tea.c\n"}, "build") == ["make"]
    assert begin({**guide, "Makefile": "help:\n\tsed -n 1p Makefile\n"}, "build") == []


@pytest.mark.parametrize(
    ("name", "is_for_all"),
    [("ci", True), ("test-linux", True), ("release", False), ("docker-images", False),
     ("publish_npm", False), ("deploy-docs", False)],
)  # fmt: skip
def test_workflows_of_releases_images_and_documents_tell_nobody_what_to_type(
    name: str, is_for_all: bool
) -> None:
    files = PYTHON | {f".github/workflows/{name}.yml": workflow("pytest")}
    assert begin(files, "test") == ["pytest"] * is_for_all


@pytest.mark.parametrize(
    ("files", "said", "typed"),
    [
        ({"gradlew": "", "build.gradle": ""}, "gradle bootRun", "./gradlew bootRun"),
        ({"build.gradle": ""}, "gradle bootRun", "gradle bootRun"),
        ({"mvnw": "", "pom.xml": "<project/>"}, "mvn spring-boot:run", "./mvnw spring-boot:run"),
    ],
)
def test_a_wrapper_that_is_there_runs_the_program(
    files: dict[str, str], said: str, typed: str
) -> None:
    assert begin({**files, "README.md": document(said)}, "run") == [typed]


def test_the_script_that_configures_is_made_before_it_is_run() -> None:
    readme = document("./configure && make") + "\nFrom version control:\n\n" + document(
        "git clone https://example.com/tea.git", "cd tea", "sh autogen.sh", "./configure && make"
    )  # fmt: skip
    files = {"README.md": readme, "autogen.sh": "", "configure.ac": "AC_INIT([tea], [1])\n"}
    files[".github/workflows/ci.yml"] = workflow("sh autogen.sh", "./configure && make")
    assert begin(files, "configure") == ["sh autogen.sh", "./configure && make"]


def test_what_is_usual_comes_before_what_only_a_pipeline_runs() -> None:
    files = {"pom.xml": "<project/>", "src/main/java/A.java": "class A {}\n"}
    files[".github/workflows/ci.yml"] = workflow("mvn --batch-mode --show-version package")
    assert begin(files, "build") == ["mvn package"]
    assert begin({**files, "README.md": document("mvn install")}, "build") == ["mvn install"]
    goal = "<project><build><defaultGoal>verify</defaultGoal></build></project>"
    assert begin({**files, "pom.xml": goal}, "build") == ["mvn"]


BOTH = {"composer.json": "{}", "app/A.php": "", "app/B.php": "", "resources/a.js": ""}


@pytest.mark.parametrize(
    ("scripts", "is_front"),
    [
        ({"build": "vite build"}, True),
        ({"build": "run-p b:*", "b:css": "sass a:b", "b:js": "node dev/esbuild.js"}, True),
        ({"build": "run-p b:*", "b:css": "sass a:b", "b:server": "tsc -p ."}, False),
        ({"build": "node make-all.js"}, False),
    ],
)  # fmt: skip
def test_scripts_that_only_make_files_of_a_front_end_are_known_also_where_others_start_them(
    scripts: dict[str, str], is_front: bool
) -> None:
    facts = facts_of({**BOTH, "package.json": json.dumps({"scripts": scripts})})
    (task,) = (each for each in tasks.tasks(facts, "build") if each.name == "build")
    assert tasks.is_of_front_end(facts, task) is is_front


def test_a_target_for_the_front_end_stands_behind_that_of_the_product() -> None:
    makefile = "build-js:\n\t(cd ui && yarn build)\n\nbuild-server:\n\tgo build -o tea\n"
    files = {"go.mod": "module example.com/tea\n", "main.go": "package main\n"}
    files |= {"Makefile": makefile}
    assert begin(files, "build") == ["make build-server"]


RUST = {"Cargo.toml": '[package]\nname = "bake"\n', "src/main.rs": "fn main() {}\n"}


def test_a_document_that_shows_the_product_itself_at_work_tells_no_way_to_build_or_test_it() -> (
    None
):
    files = {**RUST, "README.md": document("bake test unit", "./bin/bake serve a.yaml", "bake all")}
    assert begin(files, "test") == ["cargo test"]
    assert begin(files, "run") == ["./bin/bake serve a.yaml"]


def test_tasks_that_nothing_declares_are_offered_to_nobody() -> None:
    files = {"Makefile": "test:\n\tpytest\n", **PYTHON}
    files["CONTRIBUTING.md"] = document("make check", "make test", "just lint")
    offered = [each.text for each in tasks.tasks(facts_of(files), "test")]
    assert offered == ["make test"]


def test_what_a_pipeline_fills_in_or_goes_on_with_is_no_part_of_a_command() -> None:
    files = {**PYTHON, "scripts/test": "", ".github/workflows/ci.yml": workflow(
        "scripts/test all ${{ matrix.more }} &&"
    )}  # fmt: skip
    assert begin(files, "test") == ["scripts/test all"]


def test_a_command_whose_option_a_pipeline_gives_its_value_is_offered_to_nobody() -> None:
    path = ".github/workflows/ci.yml"
    files = {**PYTHON, path: workflow("tox run -e ${{ matrix.version }}")}
    assert not any("tox" in text for text in begin(files, "test"))
    filled = workflow("tox run -e ${{ env.NAME }}").replace("jobs:", "env: {NAME: py312}\njobs:")
    assert begin({**PYTHON, path: filled}, "test") == ["tox run -e py312"]


def test_a_script_that_installs_comes_before_what_is_usual_and_runs_where_it_lies() -> None:
    files = {**PYTHON, "scripts/install": "", "tea/a.py": ""}
    files["CONTRIBUTING.md"] = document("cd tea", "scripts/install")
    (only,) = tasks.tasks(facts_of(files), "install")
    assert (only.text, only.folder) == ("scripts/install", ".")


def test_a_script_that_a_pipeline_starts_in_a_checkout_beside_others_runs_where_it_lies() -> None:
    steps = (
        "on: push\njobs:\n  all:\n    runs-on: x\n    steps:\n"
        "      - run: ./build-server.sh\n        working-directory: ./tea/deploy\n"
    )
    files = {**PYTHON, "deploy/build-server.sh": "", ".github/workflows/ci.yml": steps}
    (only,) = tasks.tasks(facts_of(files), "build")
    assert (only.text, only.folder) == ("./build-server.sh", "deploy")


def test_an_archive_that_lies_beside_nothing_was_downloaded() -> None:
    files = {"pom.xml": "<project/>", "README.md": document("java -jar tea.jar")}
    assert begin(files, "run") == []
    assert begin(files, "use") == ["java -jar tea.jar"]
    built = {**files, "README.md": document("java -jar target/tea-exec.jar")}
    assert begin(built, "run") == ["java -jar target/tea-exec.jar"]


def test_what_a_site_of_documents_needs_is_no_way_to_work_on_the_product() -> None:
    contents = {
        "Gemfile": "", "docs/readme.md": "`bundle install --quiet`\n",
        "CONTRIBUTING.md": "```sh\nscript/bootstrap\nscript/cibuild\n```\n",
        "Rakefile": "task :spec => :test\n",
    }  # fmt: skip
    assert begin(contents, "install") == ["script/bootstrap"]
    assert begin(contents, "test") == ["script/cibuild"]


def test_a_program_is_known_within_the_environment_that_starts_it() -> None:
    lines = document("uv run manage.py migrate", "uv run manage.py runserver")
    contents = {**PYTHON, "CONTRIBUTING.md": lines}
    assert begin(contents, "prepare") == ["uv run manage.py migrate"]
    assert begin(contents, "run") == ["uv run manage.py runserver"]


def test_a_go_program_is_built_in_the_folder_that_a_document_names() -> None:
    contents = {
        "go.mod": "module example.com/shop\n", "examples/base/main.go": "package main\n",
        "CONTRIBUTING.md": "Run `go build -v` inside the `examples/base` directory.\n",
    }  # fmt: skip
    (task, *_) = [it for it in tasks.tasks(facts_of(contents), "build") if it.source == "mention"]
    assert task.folder == "examples/base"


def test_the_program_that_a_build_made_is_started_with_what_the_reader_puts_in() -> None:
    lines = document("make build", "./tea --config=<your_file>", "python -m tea {file}")
    contents = {**PYTHON, "README.md": lines, "Makefile": "build:\n\tcc tea.c\n"}
    assert begin(contents, "run") == ["./tea --config=<your_file>"]


def test_a_program_that_does_something_else_or_runs_a_file_of_the_reader_starts_nothing() -> None:
    lines = document("./tea import --from <folder>", "python main.py", "./tea serve")
    contents = {**PYTHON, "README.md": lines}
    assert begin(contents, "run") == ["./tea serve"]


@pytest.mark.parametrize(
    ("text", "purpose"),
    [("moon run shop:dev", "run"), ("npx nx run web:build", "build"), ("nx shop:test", "test")],
)
def test_a_task_of_one_project_of_many_is_known_by_its_name(text: str, purpose: str) -> None:
    assert begin({**PYTHON, "docs/dev/local.md": document(text)}, purpose) == [text]


def test_hooks_that_documents_ask_for_come_before_a_task_of_another_name() -> None:
    contents = {
        "CONTRIBUTING.md": document("pre-commit run -a"),
        "tox.ini": "[testenv:self_check]\ncommands = ruff check src\n",
    }
    assert begin(contents, "lint")[0] == "pre-commit run -a"


def test_the_project_of_the_back_end_comes_before_that_of_the_front_end() -> None:
    contents = {**PYTHON, "package.json": "{}"}
    contents["CONTRIBUTING.md"] = document("nx run web:dev", "nx run tea:dev")
    assert begin(contents, "run")[0] == "nx run tea:dev"


def test_a_step_of_building_is_no_way_to_use_a_release() -> None:
    steps = "# Tea\n\n1. Get it: `go get example.com/tea@v1`\n\n2. {}\n"
    files = {"go.mod": "module example.com/tea\n"}
    assert begin({**files, "README.md": steps.format("Compile: `go build`")}, "use") == []
    typed = ["go get example.com/tea@v1"]
    assert begin({**files, "README.md": steps.format("Import it.")}, "use") == typed


@pytest.mark.parametrize(
    ("recipe", "typed"),
    [
        (["go build"], []),
        (["@true"], []),
        (["go build", '@echo "Now execute ./tea"'], []),
        (["go build -o tea && ./tea"], ["make dev"]),
        (["go build", "./tea"], ["make dev"]),
        (["go generate ./...", "go vet ./..."], []),
    ],
)
def test_a_task_starts_the_product_only_where_what_it_runs_last_starts_something(
    recipe: list[str], typed: list[str]
) -> None:
    lines = "".join(f"\t{line}\n" for line in recipe)
    files = {"go.mod": "module x.org/tea\n", "tea.go": "package tea\n"}
    assert begin({**files, "Makefile": f"dev:\n{lines}"}, "run") == typed


BOOT = "<project><artifactId>{}</artifactId><build><defaultGoal>{}</defaultGoal></build></project>"


def test_the_back_end_comes_before_the_scripts_of_its_front_end() -> None:
    scripts = {
        "start": "ng serve", "serve": "npm run start --", "clean": "rimraf target/static/",
        "build": "npm run bundle --", "bundle": "npm run clean && ng build",
    }  # fmt: skip
    files = {
        "pom.xml": BOOT.format("spring-boot-maven-plugin", "spring-boot:run"), "mvnw": "",
        "Tea.java": "class Tea {}", "Pot.java": "class Pot {}", "tea.ts": "export {}",
        "package.json": json.dumps({"name": "tea", "scripts": scripts}),
    }  # fmt: skip
    assert begin(files, "run") == ["./mvnw spring-boot:run"]
    assert begin(files, "build") == ["./mvnw package"]
    assert begin(files, "assets") == ["npm start"]
    scripts["backend:start"] = "./mvnw -ntp"
    files["package.json"] = json.dumps({"name": "tea", "scripts": scripts})
    files["README.md"] = document("java -jar target/*.jar")
    assert begin(files, "run") == ["npm run backend:start"]


@pytest.mark.parametrize(
    "text", ["./mvnw gatling:test", "./mvnw initialize sonar:sonar -Dsonar.login=x"]
)
def test_load_tests_and_analyses_are_neither_build_nor_test(text: str) -> None:
    files = {"pom.xml": "<project/>", "mvnw": "", "Tea.java": "", "README.md": document(text)}
    facts = facts_of(files)
    shown = [it.text for kind in ("build", "test") for it in tasks.tasks(facts, kind)]
    assert text not in shown


@pytest.mark.parametrize(
    "text", ["pip install -e", "uv pip install -r", "cp .env.example", "cargo run --bin"]
)
def test_a_command_that_lacks_what_it_works_on_is_not_told(text: str) -> None:
    written = {"CONTRIBUTING.md": f"# Set up\n\nIt is linked by `{text}` here.\n"}
    facts = facts_of({**PYTHON, "Cargo.toml": "[package]\nname = 'tea'\n", **written})
    assert all(it.text != text for kind in tasks.PURPOSES for it in tasks.tasks(facts, kind))


@pytest.mark.parametrize(
    ("said", "folder"),
    [("Clone it: `git clone <your fork>`.", "."), ("It is made of parts.", "tea")],
)
def test_a_folder_called_as_the_clone_is_the_root_where_the_document_has_it_cloned(
    said: str, folder: str
) -> None:
    written = f"# Build\n\n{said}\n\n\n\n\n\n```sh\ncd tea\npytest\n```\n"
    files = {**PYTHON, "tea/pot.py": "", "CONTRIBUTING.md": written}
    (task,) = [it for it in tasks.tasks(facts_of(files), "test") if it.source == "document"]
    assert task.folder == folder


def test_a_build_for_another_system_comes_behind_the_plain_one() -> None:
    recipe = "\tcargo build --target x86_64-unknown-linux-musl\n\tstrip target/tea\n"
    files = {"Cargo.toml": "[package]\nname = 'tea'\n", "src/main.rs": "fn main() {}\n"}
    assert begin({**files, "Makefile": f"build-linux:\n{recipe}"}, "build") == ["cargo build"]


def test_a_command_for_tests_alone_starts_no_product_with_compose() -> None:
    compose = "services:\n  runner: {image: alpine}\n"
    guide = document("docker compose up -d", "cargo xtask run", "cargo x format --check")
    contents = {"compose.yml": compose, "CONTRIBUTING.md": guide, "Cargo.toml": "[workspace]\n"}
    assert begin(contents, "run") == ["cargo xtask run"]
    assert begin(contents, "services") == ["docker compose up -d"]
    assert begin(contents, "lint") == ["cargo x format --check"]


def test_what_configures_needs_a_script_for_it() -> None:
    contents = {"CONTRIBUTING.md": document("./configure --disable-docs"), "a.c": ""}
    assert begin(contents, "configure") == []
    assert begin({**contents, "configure.ac": ""}, "configure") != []


COMPOSE = "services:\n  shop:\n    build: .\n"


@pytest.mark.parametrize(
    ("text", "purpose", "file", "content"),
    [
        ("docker-compose up", "run", "docker-compose.yml", COMPOSE),
        ("docker compose up -d", "run", "compose.yaml", COMPOSE),
        ("foreman start", "run", "Procfile", "web: ./shop\n"),
        ("helm lint", "lint", "Chart.yaml", "name: shop\n"),
    ],
)
def test_what_works_on_a_file_is_typed_only_where_that_is(
    text: str, purpose: str, file: str, content: str
) -> None:
    guide = {"CONTRIBUTING.md": document(text)}
    assert begin({**guide, file: content}, purpose) == [text]
    assert begin(guide, purpose) == []


def test_a_command_runs_in_the_folder_of_its_document_where_its_file_is() -> None:
    files = {"docker/README.md": document("docker-compose up"), "docker/compose.yml": COMPOSE}
    (task,) = tasks.tasks(facts_of(files), "run")
    assert (task.text, task.folder) == ("docker-compose up", "docker")


def test_a_variable_that_the_line_above_a_command_sets_is_typed_with_it() -> None:
    contents = {"manage.py": "import django\n", "pytest.ini": ""}
    guide = document("export SHOP_CONFIG=shop.testing\npython manage.py test\npytest")
    typed = all_of({**contents, "CONTRIBUTING.md": guide}, "test")
    assert sorted(typed) == ["SHOP_CONFIG=shop.testing python manage.py test", "pytest"]
    of_reader = document("export SHOP_KEY=your-key\npython manage.py test")
    assert all_of({**contents, "CONTRIBUTING.md": of_reader}, "test") == ["python manage.py test"]


def test_a_bare_installer_in_a_sentence_is_how_a_document_installs() -> None:
    guide = "# Work\n\nRun `bundle` in the root to install all dependencies.\n"
    contents = {"Gemfile": "", "CONTRIBUTING.md": guide}
    assert begin(contents, "install") == ["bundle"]


@pytest.mark.parametrize(
    ("sentence", "typed"),
    [
        ("Run `rspec` in its container, use `shop exec api bundle exec rspec <args>`.",
         "shop exec api bundle exec rspec"),
        ("Run `rspec` or `shop exec api bundle exec rspec`.", "rspec"),
    ],
)  # fmt: skip
def test_the_longer_way_of_a_sentence_to_start_the_same_is_what_is_typed(
    sentence: str, typed: str
) -> None:
    contents = {"Gemfile": "", ".rspec": "", "AGENTS.md": f"# Work\n\n{sentence}\n"}
    assert begin(contents, "test") == [typed]
