import json

import pytest

from stationmaster.wiki.facts.tooling import called, named, tasks
from stationmaster.wiki.text.inline import Place
from tests.wiki.commits import facts_of

SCRIPTS = json.dumps({"name": "shop", "scripts": {
    "build": "vite build", "dev": "vite", "test": "vitest", "test:types": "tsc --noEmit",
    "prepare": "husky", "release": "changeset publish",
}})  # fmt: skip


def best(contents: dict[str, str], purpose: str) -> tuple[str, str] | None:
    found = tasks.best(facts_of(contents), purpose)
    return None if found is None else (found.text, found.folder)


def all_of(contents: dict[str, str], purpose: str) -> list[str]:
    """What the repository itself names."""
    found = tasks.tasks(facts_of(contents), purpose)
    return [each.text for each in found if each.source != "usual"]


def test_what_starts_a_product_as_in_production_comes_behind_what_development_starts() -> None:
    scripts = '{"scripts": {"start": "pm2 start a.js", "dev": "nodemon a.js"}}'
    found = tasks.tasks(facts_of({"package.json": scripts, "a.js": ""}), "run")
    assert [task.text for task in found] == ["npm run dev", "npm start"]


@pytest.mark.parametrize(
    "runs",
    [
        "echo Use composer dev instead",
        "node -e \"console.warn('removed: use composer')\"",
        "exit 1",
    ],
)
def test_a_script_that_only_prints_is_no_way_to_do_it(runs: str) -> None:
    composer = {"scripts": {"dev": ["Composer\\Config::disableProcessTimeout", "php -S :80"]}}
    contents = {
        "package.json": json.dumps({"scripts": {"dev": runs}}),
        "composer.json": json.dumps(composer),
    }
    (task,) = tasks.tasks(facts_of(contents), "run")
    assert (task.text, task.runs) == ("composer dev", "php -S :80")


def test_what_each_language_of_a_folder_needs_stands_together_to_begin() -> None:
    lines = "composer install\nnpm install\nyarn install\n"
    contents = {
        "composer.json": "{}",
        "package.json": "{}",
        "CONTRIBUTING.md": f"# Work on it\n\n```sh\n{lines}```\n",
        **dict.fromkeys(("a.php", "b.php", "c.js", "d.js"), ""),
    }
    begin = tasks.to_begin(tasks.tasks(facts_of(contents), "install"))
    assert [task.text for task in begin] == ["composer install", "npm install"]
    assert tasks.to_begin(()) == ()


@pytest.mark.parametrize("name", ["prepare", "postinstall", "prebuild"])
def test_scripts_that_managers_start_by_themselves_are_nobodys_to_type(name: str) -> None:
    contents = {"package.json": json.dumps({"scripts": {name: "tsc"}})}
    assert [all_of(contents, each) for each in tasks.PURPOSES] == [[]] * len(tasks.PURPOSES)


@pytest.mark.parametrize(
    ("path", "content", "typed"),
    [
        ("Makefile", "test:\n\tgo test ./...\n", "make test"),
        ("justfile", "test:\n  cargo test\n", "just test"),
        ("Taskfile.yml", "tasks:\n  test:\n    cmds: [go test ./...]\n", "task test"),
        ("mise.toml", "[tasks.test]\nrun = 'pytest'\n", "mise run test"),
        ("tox.ini", "[testenv]\ncommands = pytest\n", "tox"),
        (
            "noxfile.py",
            "import nox\n@nox.session\ndef test(session):\n    session.run('x')\n",
            "nox -s test",
        ),
        ("Rakefile", "task :test do\nend\n", "rake test"),
        ("pyproject.toml", "[tool.poe.tasks]\ntest = 'pytest'\n", "poe test"),
        ("pyproject.toml", "[tool.hatch.envs.ci.scripts]\ntest = 'pytest'\n", "hatch run ci:test"),
        ("composer.json", '{"name": "a/b", "scripts": {"test": "phpunit"}}', "composer test"),
        ("deno.json", '{"tasks": {"test": "deno test"}}', "deno task test"),
        ("project.json", '{"name": "shop", "targets": {"test": {}}}', "nx run shop:test"),
    ],
)
def test_a_task_is_typed_as_its_runner_is_asked(path: str, content: str, typed: str) -> None:
    assert best({path: content}, "test") == (typed, ".")


def test_a_task_of_python_is_started_in_the_environment_of_its_lock_file() -> None:
    contents = {"pyproject.toml": "[tool.poe.tasks]\ntest = 'pytest'\n", "uv.lock": "poethepoet"}
    assert best(contents, "test") == ("uv run poe test", ".")


def test_a_task_within_a_namespace_is_left_out_since_its_whole_name_is_not_known() -> None:
    assert all_of({"Rakefile": "namespace :db do\n  task :test do\n  end\nend\n"}, "test") == []


def test_a_command_is_told_with_where_it_stands_and_what_it_runs() -> None:
    found = tasks.best(facts_of({"Makefile": "VAR=1\n\ntest:\n\techo go\n\tpytest -q\n"}), "test")
    assert found is not None
    assert (found.runs, found.place) == ("pytest -q", Place("Makefile", 5))


def test_the_task_that_is_called_so_comes_before_its_kin_and_before_plain_commands() -> None:
    contents = {
        "go.mod": "module example.com/shop\n",
        "Makefile": "test-slow:\n\tgo test -tags slow\n\ntest:\n\tgo test ./...\n",
        "README.md": "```sh\ngo test -race ./...\n```\n",
    }
    assert all_of(contents, "test") == ["make test", "make test-slow", "go test -race ./..."]


def test_commands_of_the_root_come_before_those_of_folders() -> None:
    contents = {
        "web/package.json": SCRIPTS,
        "go.mod": "module example.com/shop\n",
        "CONTRIBUTING.md": "```sh\ngo test ./...\n```\n",
    }
    assert best(contents, "test") == ("go test ./...", ".")
    assert dict(tasks.by_folder(facts_of(contents)))["web"]["test"].text == "npm test"


@pytest.mark.parametrize(
    "text",
    [
        "pytest <path>", "make test-${{ matrix.os }}", "cargo test --target armv5te-none-linux",
        "go test ./examples/hello", "pytest > log.txt", "npm test -- your-name", "go test $(PKG)",
    ],
)  # fmt: skip
def test_commands_that_somebody_has_to_complete_are_not_told(text: str) -> None:
    contents = {"README.md": f"```sh\n{text}\n```\n", "go.mod": "module x.com/y\n",
                "Cargo.toml": "[package]\nname='x'\n", "Makefile": "x:\n\ty\n",
                "package.json": "{}"}  # fmt: skip
    assert all_of(contents, "test") == []


def test_a_command_whose_program_has_nothing_to_work_on_there_is_not_told() -> None:
    workflow = "on: push\njobs:\n  t:\n    runs-on: x\n    steps: [{run: pnpm test}]\n"
    assert all_of({".github/workflows/ci.yml": workflow}, "test") == []


def test_what_workflows_start_is_not_how_the_product_is_run() -> None:
    workflow = "on: push\njobs:\n  t:\n    runs-on: x\n    steps: [{run: go run ./tools/gen}]\n"
    contents = {".github/workflows/ci.yml": workflow, "go.mod": "module example.com/shop\n"}
    assert all_of(contents, "run") == []


def test_tutorials_tell_how_to_work_on_something_else() -> None:
    contents = {"pyproject.toml": "[project]\nname = 'shop'\n",
                "docs/tutorial/install.md": "```sh\npip install -e .\n```\n"}  # fmt: skip
    assert all_of(contents, "install") == []


def test_commands_below_a_cd_run_where_it_leads() -> None:
    readme = (
        "```sh\ngit clone x\ncd shop/cmd/shop/\ngo build\n```\n\nThen:\n\n\n\n`go test ./...`\n"
    )
    contents = {"go.mod": "module x.com/y\n", "cmd/shop/go.mod": "", "README.md": readme}
    assert all_of(contents, "build") == ["go build"]
    assert dict(tasks.by_folder(facts_of(contents)))["cmd/shop"]["build"].text == "go build"
    assert best(contents, "test") == ("go test ./...", ".")


@pytest.mark.parametrize(
    ("text", "folder"),
    [("go run -exec ./ports.sh main.go", "cmd/shop"), ("go run main.go", None),
     ("go run -o ./out ./cmd/shop", "."), ("go run ./shop", None)],
)  # fmt: skip
def test_a_command_runs_where_the_files_are_that_it_names(text: str, folder: str | None) -> None:
    files = ("go.mod", "cmd/shop/main.go", "cmd/shop/ports.sh", "cmd/tea/main.go")
    contents = {**dict.fromkeys(files, ""), "README.md": f"```sh\n{text}\n```\n"}
    offered = [it for it in tasks.tasks(facts_of(contents), "run") if it.source == "document"]
    assert [it.folder for it in offered] == [folder] * (folder is not None)


@pytest.mark.parametrize(
    ("lines", "folder"),
    [
        ("cd web && go test ./...", "web"),
        ("cd web && go build\n\n# Test all\ngo test ./...", "."),
        ("cd web && go build\ngo test ./...", "web"),
        ("cd web\ngo generate\ncd ..\ngo test ./...", "."),
        ("cd web\ncd app\ngo test ./...", "web/app"),
        ("git clone --depth 1 https://x.org/a/shop.git\ncd shop\ngo test ./...", "."),
        ("git clone git@x.org:a/other.git shop && cd shop/web\ngo test ./...", "web"),
        ("cd shop\ngo test ./...", "shop"),
    ],
)  # fmt: skip
def test_cd_leads_from_folder_to_folder_and_into_a_clone(lines: str, folder: str) -> None:
    contents = {f"{path}go.mod": "" for path in ("", "web/", "web/app/", "shop/")}
    contents["README.md"] = f"```sh\n{lines}\n```\n"
    (task,) = [it for it in tasks.tasks(facts_of(contents), "test") if it.source == "document"]
    assert (task.text, task.folder) == ("go test ./...", folder)


def test_installing_the_repositorys_own_package_is_using_it() -> None:
    contents = {"pyproject.toml": "[project]\nname = 'Shop'\n",
                "README.md": "```sh\npip install shop\npip install others\n```\n"}  # fmt: skip
    assert all_of(contents, "use") == ["pip install shop"]


def test_a_filter_in_a_workflow_is_no_way_to_use_a_release() -> None:
    workflow = "on: push\njobs:\n  t:\n    runs-on: x\n    steps: [{run: pnpm i --filter shop}]\n"
    contents = {"package.json": '{"name": "shop"}', ".github/workflows/ci.yml": workflow}
    assert all_of(contents, "use") == []


def test_a_script_asked_for_in_fewer_words_is_the_same_command() -> None:
    contents = {
        "package.json": '{"scripts": {"dev": "next dev", "start": "next start"}}',
        "pnpm-lock.yaml": "",
        "README.md": "```sh\npnpm dev\n```\n",
    }
    assert all_of(contents, "run") == ["pnpm run dev", "pnpm start"]


def test_an_image_without_an_owner_was_built_here_and_is_no_release() -> None:
    contents = {
        "package.json": '{"name": "shop"}',
        "README.md": "```sh\ndocker run shop\ndocker run -p 80:80 acme/shop:latest\n```\n",
    }
    assert all_of(contents, "use") == ["docker run -p 80:80 acme/shop:latest"]
    contents["README.md"] = "```sh\ndocker pull shop/server:1\ndocker pull shop/metrics\n```\n"
    assert all_of(contents, "use") == ["docker pull shop/server:1"]


def test_a_name_of_a_template_is_no_command_yet() -> None:
    readme = "```sh\ndotnet run --project src/Your.ProjectName.Web\n```\n"
    assert all_of({"README.md": readme}, "run") == []


def test_of_two_scripts_the_documented_one_is_offered() -> None:
    contents = {"package.json": '{"scripts": {"dev": "vite --hot", "start": "node ."}}'}
    readme = {"README.md": "```sh\nnpm start\n```\n"}
    assert all_of({**contents, **readme}, "run") == ["npm start", "npm run dev"]


def test_examples_of_settings_are_files_to_copy() -> None:
    contents = dict.fromkeys((".env.example", "web/.env.sample", ".env", "src/env.py"), "A=1\n")
    assert called.examples(facts_of(contents)) == (".env.example", "web/.env.sample")


def test_conditions_and_projects_that_tests_work_on_are_no_way_to_build_or_test() -> None:
    contents = {
        "go.mod": "module shop\n",
        "main.go": "package main\n\nfunc main() {}\n", "main_test.go": "package main\n",
        ".github/workflows/ci.yml": "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n"
        '      - run: if [[ "$FAST" = 1 ]]; then go build ./...; fi\n      - run: go test ./...\n',
        "tests/syntax/source/Makefile": "test:\n\t./runtest\n",
    }  # fmt: skip
    assert all_of(contents, "build") == []
    assert all_of(contents, "test") == ["go test ./..."]


def test_a_script_of_composer_runs_what_follows_its_variables_with_these() -> None:
    own = '"test": ["@putenv COLUMNS=120", "phpunit --testdox"]'
    other = '"test:db": ["@putenv DB=my", "@test"]'
    facts = facts_of({"composer.json": f'{{"scripts": {{{own}, {other}}}}}'})
    assert [(task.text, task.runs) for task in tasks.tasks(facts, "test")] == [
        ("composer test", "COLUMNS=120 phpunit --testdox"),
        ("composer test:db", "DB=my @test"),
    ]
    (step,) = named.steps(facts, "composer.json", "test:db")
    assert step.text == "DB=my COLUMNS=120 phpunit --testdox"


def test_a_command_that_a_document_advises_against_is_not_offered() -> None:
    facts = facts_of({
        "Gemfile": 'gem "rails"\n', "bin/dev": "#!/bin/sh\n",
        "CONTRIBUTING.md": "# Work\n\n- Do **not** run `rails server`.\n- Run `bin/dev -p 1`.\n",
    })  # fmt: skip
    assert [task.text for task in tasks.tasks(facts, "run")] == ["bin/dev -p 1"]


def test_a_task_of_a_taskfile_may_consist_of_others() -> None:
    facts = facts_of({
        "Taskfile.yml": "tasks:\n  setup:\n    deps:\n      - setup:ui\n      - task: setup:py\n"
        "  setup:ui:\n    cmds: [yarn install]\n  setup:py:\n    cmds: [uv sync]\n",
    })  # fmt: skip
    assert [(task.text, task.runs) for task in tasks.tasks(facts, "install")] == [
        ("task setup", "task setup:ui"),
        ("task setup:ui", "yarn install"),
        ("task setup:py", "uv sync"),
    ]


def test_of_tasks_that_are_called_alike_the_first_of_the_file_is_offered() -> None:
    makefile = "test-sqlite:\n\tphpunit -c sqlite.xml\n\ntest-db:\n\tphpunit -c mysql.xml\n"
    assert best({"Makefile": makefile}, "test") == ("make test-sqlite", ".")


def test_a_command_for_the_tests_of_one_file_is_no_way_to_run_the_tests() -> None:
    contents = {
        "CONTRIBUTING.md": "## Tests\n\n```sh\npytest tests/test_mail.py\n```\n",
        "requirements-dev.txt": "pytest ~= 7.2\n",
    }
    assert best(contents, "test") == ("pytest", ".")


def test_a_command_of_a_workflow_with_its_variables_is_no_command_for_people() -> None:
    workflow = "on: push\njobs:\n  t:\n    runs-on: x\n    steps: [{run: ./build.sh $GITHUB_SHA}]\n"
    assert all_of({".github/workflows/ci.yml": workflow, "build.sh": ""}, "build") == []


def test_a_command_runs_in_the_nearest_folder_that_has_what_it_works_on() -> None:
    guide = "## Development\n\n```sh\nnpm run dev\n```\n\n```sh\n./gradlew bootRun\n```\n"
    contents = {
        "build.gradle": "",
        "gradlew": "",
        "server/build.gradle": "",
        "ui/package.json": json.dumps({"scripts": {"dev": "vite"}}),
        "ui/README.md": guide,
        "server/README.md": guide,
    }
    named = [task for task in tasks.tasks(facts_of(contents), "run") if task.source == "document"]
    assert {(task.text, task.folder) for task in named} == {("./gradlew bootRun", ".")}


@pytest.mark.parametrize(
    ("service", "purpose"),
    [("image: postgres:16", "services"), ("build: .", "run"), ("image: a.io/me/tea", "run")],
)
def test_a_task_that_starts_only_what_others_made_starts_services(
    service: str, purpose: str
) -> None:
    files = {
        "go.mod": "module example.com/tea\n", "a.go": "package tea\n",
        "compose.yaml": f"services:\n  one:\n    {service}\n",
        "Makefile": "up:\n\tif [ -f a ]; then touch a; fi\n\tdocker compose up -d\n",
    }  # fmt: skip
    assert all_of(files, purpose) == ["make up"]


@pytest.mark.parametrize(
    ("name", "runs"),
    [("test-release", "git tag -d a"), ("verify-mod", "git diff --exit-code"),
     ("lint-tool", "curl -sSL https://example.com | sh")],
)  # fmt: skip
def test_a_task_that_tags_compares_or_downloads_is_no_test_whatever_its_name(
    name: str, runs: str
) -> None:
    files = {"Makefile": f"{name}:\n\t{runs}\n"}
    assert [all_of(files, purpose) for purpose in ("test", "lint")] == [[], []]


def test_words_that_others_add_to_cargo_are_tools_of_their_own() -> None:
    files = {
        "Cargo.toml": '[package]\nname = "tea"\n', "src/lib.rs": "",
        "justfile": "build:\n  cargo lbuild\ntest:\n  cargo test\n",
    }  # fmt: skip
    assert [each.tool for each in called.tools(facts_of(files))] == ["just", "Rust", "cargo-limit"]


def test_what_an_earlier_build_made_may_be_removed_first_and_alone_it_is_no_work() -> None:
    scripts = {"build": "rimraf dist lib && tsc", "test": "rm -rf data; rm cache"}
    files = {"package.json": json.dumps({"scripts": scripts}), "package-lock.json": ""}
    assert [all_of(files, purpose) for purpose in ("build", "test")] == [["npm run build"], []]


def test_the_packages_of_a_part_that_is_built_are_installed_from_the_folder_above_it() -> None:
    contents = {
        "artisan": "", "composer.json": "{}", "package.json": '{"workspaces": ["web/shop"]}',
        "package-lock.json": "{}", "web/shop/a.js": "",
        "web/shop/package.json": '{"scripts": {"build": "vite build"}}',
        **dict.fromkeys((f"{name}.php" for name in "abcdefg"), ""),
    }  # fmt: skip
    begun = tasks.to_begin(tasks.tasks(facts_of(contents), "install"))
    assert [task.text for task in begun] == ["composer install", "npm install"]


def test_a_database_is_filled_where_the_project_has_what_fills_it() -> None:
    contents = {"artisan": "", "composer.json": "{}"}
    (task,) = tasks.tasks(facts_of(contents), "prepare")
    assert task.text == "php artisan migrate"
    contents["database/seeders/DatabaseSeeder.php"] = ""
    (task,) = tasks.tasks(facts_of(contents), "prepare")
    assert task.text == "php artisan migrate --seed"


def test_a_target_that_only_removes_builds_nothing_and_what_creates_comes_before_what_fills() -> (
    None
):
    makefile = "package: clean out.zip\n\nclean:\n\trm -rf build\n\trm -rf dist\n"
    assert all_of({"Makefile": makefile}, "build") == []
    lines = "bundle exec rake db:create\nbundle exec rake db:migrate\nbundle exec rake db:seed\n"
    contents = {"Gemfile": "", "a.rb": "", "CONTRIBUTING.md": f"# A\n\n```sh\n{lines}```\n"}
    assert all_of(contents, "prepare") == lines.splitlines()


def test_a_task_called_after_a_folder_is_for_a_part_and_behind_what_is_usual() -> None:
    taskfile = "tasks:\n  sleepit:build:\n    cmds: [go build ./cmd/sleepit]\n"
    contents = {"go.mod": "module example.com/tea\n", "Taskfile.yml": taskfile, "a.go": ""}
    assert best(contents, "build") == ("task sleepit:build", ".")
    contents["cmd/sleepit/main.go"] = "package main\n"
    assert best(contents, "build") == ("go build ./...", ".")
