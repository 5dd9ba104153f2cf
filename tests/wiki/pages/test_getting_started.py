import json

from stationmaster.wiki.pages import index
from stationmaster.wiki.pages.getting_started import plan
from tests.wiki.commits import facts_of, written
from tests.wiki.pages.shops import pages

CONTENTS = {
    "go.mod": "module example.com/shop\n\ngo 1.22\n",
    "Makefile": "build:\n\tgo build ./...\n\ntest:\n\tgo test ./...\n\nlint:\n\tgo vet ./...\n",
    "README.md": "# Shop\n\n```sh\ngo run ./cmd/shop\n```\n",
    "cmd/shop/notes.txt": "",
    ".env.example": "PASSWORD=hunter2hunter2\n",
    "web/package.json": '{"scripts": {"dev": "vite", "build": "vite build"}}',
}


def page(contents: dict[str, str]) -> str:
    facts = facts_of(contents)
    (planned,) = plan(facts)
    return written(facts, planned.write, planned.subject, planned.key)


def test_a_newcomer_reads_versions_and_one_command_a_step() -> None:
    told = page(CONTENTS)
    assert (
        "To work on it you need Go `1.22`. `make build` builds it, `go run ./cmd/shop` starts it,"
        " and `make test` runs the tests." in told
    )
    assert "## Build\n\n```sh\nmake build\n```\n\nTask: [`Makefile:2`]" in told
    assert "It runs `go build ./...`." in told


def test_examples_of_settings_are_named_and_none_of_their_values() -> None:
    told = page(CONTENTS)
    assert "[`.env.example`](source:.env.example)" in told
    assert "hunter2" not in told


def test_folders_with_commands_of_their_own_have_a_row_each() -> None:
    assert "| `web` | `npm install` | `npm run build` | `npm run dev` |" in page(CONTENTS)


def test_a_command_that_no_document_names_is_told_as_usual_for_a_file() -> None:
    told = page(CONTENTS)
    blocks = [block.split("\n")[1] for block in told.split("```sh")[1:]]
    assert blocks == ["npm install", "make build", "go run ./cmd/shop", "make test", "make lint"]
    usual = "Usual where there is [`web/package.json`](source:web/package.json), and not taken from"
    assert told.count(usual) == 1
    assert "Go brings the dependencies of [`go.mod`](source:go.mod) when it builds." in told


def test_tools_that_commands_call_and_services_beside_the_product_are_prerequisites() -> None:
    compose = "services:\n  app:\n    build: .\n  db:\n    image: docker.io/library/postgres:16\n"
    told = page({**CONTENTS, "compose.yaml": compose})
    assert "| Make |   | called by `make build`, [`Makefile:2`](source:Makefile#L2) |" in told
    assert "Compose files start PostgreSQL ([`compose.yaml:5`](source:compose.yaml#L5))." in told


def test_a_front_end_is_not_said_to_be_the_whole_application() -> None:
    scripts = '{"scripts": {"dev": "vite", "build": "vite build"}}'
    told = page({"composer.json": "{}", "artisan": "", "package.json": scripts, "a.php": ""})
    assert "`npm run build` builds the front end and `php artisan serve` starts it." in told
    assert "## Serve only the front end\n\n```sh\nnpm run dev\n```" in told


def test_documents_for_developers_are_quoted_before_the_readme() -> None:
    guide = (
        "# Work on it\n\n## Development\n\n### Database\n\n```sh\nmake db\n```\n\n"
        "## Building releases\n\n```sh\nmake release\n```\n\n## Rules\n\nBe kind.\n"
    )
    told = page(
        {
            **CONTENTS,
            "CONTRIBUTING.md": guide,
            "README.md": "# Shop\n\n## Usage\n\nOpen it and shop.\n```sh\nshop\n```\n",
        }
    )
    quotes = told.partition("## From the documents")[2]
    assert quotes.index("### Database") < quotes.index("### Usage")
    assert "Be kind" not in quotes
    assert "make release" not in quotes


def test_one_command_or_one_version_is_enough_for_the_page() -> None:
    assert "Go `1.22`" in page({"go.mod": "module example.com/x\n\ngo 1.22\n"})
    assert "make test" in page({"Makefile": "test:\n\tgo test ./...\n"})


def test_a_repository_that_says_nothing_of_it_gets_no_such_page() -> None:
    assert list(plan(facts_of({"main.c": "int main(void) { return 0; }\n"}))) == []


def test_what_the_readme_says_of_beginning_is_quoted_and_no_unknown_script_is_offered() -> None:
    readme = (
        "# Shop\n\nSells things to people.\n\n## Installation\n\nIt is put into a folder of its "
        "own, by this command, and then started:\n\n```sh\nnpm install\nnpm start\n```\n"
    )
    manifest = '{"name": "shop", "scripts": {"test": "mocha"}, "devDependencies": {"mocha": "1"}}'
    made = pages({"README.md": readme, "package.json": manifest, "index.js": "exports.x = 1\n"})
    started = made["getting-started"]
    assert "### Installation\n\n> It is put into a folder of its own" in started
    assert "[`README.md:5-" in started
    assert "## Run" not in started
    assert "`npm start` starts it" not in started


def test_the_tests_of_both_languages_of_a_folder_are_named() -> None:
    scripts = '{"scripts": {"test": "jest"}}'
    composer = '{"scripts": {"test": "phpunit"}}'
    told = page({"composer.json": composer, "package.json": scripts, "a.php": "", "a.js": ""})
    assert "`composer test` and `npm test` run the tests." in told


def test_a_library_is_compiled_and_the_program_of_its_own_example_is_run() -> None:
    readme = "Download it, unzip it and run `./shop serve`.\n\n```sh\ngo test\n```\n"
    guide = "# Work\n\n1. Navigate to `examples/base`\n2. Run `go run main.go serve`\n"
    told = page({
        "go.mod": "module example.com/shop\n\ngo 1.22\n", "shop.go": "package shop\n",
        "shop_test.go": "package shop\n", "examples/base/main.go": "package main\n",
        "README.md": readme, "CONTRIBUTING.md": guide,
    })  # fmt: skip
    assert "`go build ./...` compiles it and `go test ./...` runs the tests." in told
    assert "## Run\n\nIn `examples/base`:\n\n```sh\ngo run main.go serve\n```" in told
    assert "- `./shop serve` ([`README.md:1`](source:README.md#L1))" in told
    assert "`go test` |" not in told


MAKEFILE = """\
install: venv packages

packages:
\t$(VENV_PIP) install --upgrade '.[dev]'

venv:
\tpython3 -m venv $(VENV_ROOT)

test:
\t$(VENV_BIN)/python -m pytest

test-all: install test
\t@echo
"""


def test_a_target_that_only_asks_for_others_is_told_by_these() -> None:
    told = page({"setup.py": "", "Makefile": MAKEFILE, "CONTRIBUTING.md": "Run `make install`.\n"})
    assert "## Install dependencies\n\n```sh\nmake install\n```" in told
    assert "| `make test-all` | `install`, `test` | [`Makefile:13`]" in told


def test_few_commands_tell_how_to_use_a_release() -> None:
    ways = ["brew", "snap", "dnf", "apt", "pip"]
    readme = "".join(f"```sh\n{way} install shop\n```\n" for way in ways)
    told = page({"setup.cfg": "[metadata]\nname = shop\n", "README.md": readme, "shop.py": ""})
    releases = told.partition("## Install\n")[2].partition("##")[0]
    assert releases.index("`pip install shop`") < releases.index("`brew install shop`")
    assert releases.count("- `") == 3
    assert "Commands of `dnf` and `snap` are in [`README.md`]" in releases


GUIDE = """\
# Contributing

## Setup

Clone your fork:

```sh
$ git clone https://example.com/shop.git
$ cd shop
```

To begin, run the command below, which:

- makes an environment;
- and tests it (like `make install test`).

```sh
make install
```

## Development workflow

1. Install [Make](https://example.com)
2. Run `make test` to see that all is well

## Troubleshooting the setup

```sh
make install -B
```
"""


def test_what_contributors_are_told_comes_first_in_its_order_with_its_words() -> None:
    told = page({"setup.py": "", "Makefile": MAKEFILE, "CONTRIBUTING.md": GUIDE})
    steps = told.partition("## Set up for contributors\n\n")[2].partition("\n\n## ")[0]
    assert [line.partition(" ([")[0] for line in steps.split("\n")[2:]] == [
        "1. Clone your fork: `git clone https://example.com/shop.git` and `cd shop`",
        "2. To begin, run the command below, which: makes an environment; and tests it (like make"
        " install test). `make install`",
    ]
    assert told.index("## Set up for") < told.index("## Install dependencies")


def test_ways_to_configure_of_other_sections_are_no_steps_of_the_first() -> None:
    words = "Words.\n" * 30
    way = "```sh\n{}\n```\n"
    ways = way.format("./configure.py --bootstrap") + words + way.format("cmake -Bout")
    readme = f"# Till\n\n{ways}"
    told = page({"CMakeLists.txt": "project(till)\n", "configure.py": "", "README.md": readme})
    assert "## Configure\n\n```sh\n./configure.py --bootstrap\n```\n\nFrom the documents" in told
    assert "| `cmake -Bout` | [`README.md:" in told


def test_the_build_of_the_front_end_is_said_to_be_that() -> None:
    scripts = '{"build": "ng build", "jar": "mvn package", "build:jar": "mvn package"}'
    files = {"pom.xml": "<project/>", "Tea.java": "", "package.json": f'{{"scripts": {scripts}}}'}
    told = page(files)
    assert "`mvn package` builds it" in told
    assert "| `npm run build` | `ng build` (front end only) |" in told


SPRING = """server:
  port: ${PORT:8000}
spring:
  profiles:
    active: dev
  redis:
    host: localhost
    password: hunter2hunter2
"""
STORES = {
    "pom.xml": "<project><artifactId>spring-boot-maven-plugin</artifactId></project>",
    "src/main/java/A.java": "class A {}\n",
    "src/main/resources/application.yml": SPRING,
    "src/main/resources/application-dev.yml":
        "spring:\n  datasource:\n    url: jdbc:p6spy:mysql://localhost:3306/shop?u=hunter2\n",
    "src/main/resources/application-live.properties":
        "# redis://old\nserver.port=9000\nspring.datasource.url=jdbc:postgresql://db/shop\n",
    "sql/shop.sql": "CREATE TABLE cart (id INT PRIMARY KEY);\n",
}  # fmt: skip


def test_what_settings_connect_to_and_listen_on_is_told_without_other_values() -> None:
    told = page(STORES)
    assert "Settings name MySQL ([`src/main/resources/application-dev.yml:3`]" in told
    assert "PostgreSQL ([`src/main/resources/application-live.properties:3`]" in told
    assert (
        "#L3), with the profile `live`) and Redis ([`src/main/resources/application.yml:7`]" in told
    )
    assert "- port `8000` ([`src/main/resources/application.yml:2`]" in told
    assert "- profile `dev` ([" in told
    assert "9000" not in told
    assert "hunter2" not in told


def test_a_port_of_an_active_profile_comes_first_and_those_of_others_are_none() -> None:
    own = "src/main/resources/application.yml"
    later = f"{SPRING}\n---\nspring.config.activate.on-profile: live\nserver.port: 9001\n"
    assert "- port `8000` ([" in (told := page({**STORES, own: later}))
    assert "9001" not in told
    dev = "server:\n  port: 8001\n"
    of_dev = {"src/main/resources/application-dev.yml": dev, own: SPRING}
    assert "- port `8001` ([" in (told := page({**STORES, **of_dev}))
    assert "`8000`" not in told


def test_the_example_of_an_environment_tells_its_database_by_the_kind_that_it_names() -> None:
    assert "Settings name MySQL ([`.env.example:2`]" in page(
        {**CONTENTS, ".env.example": "# DB_CONNECTION=pgsql\nDB_CONNECTION=mysql\nDB_HOST=x\n"}
    )
    of_prisma = 'datasource db {\n  provider = "postgresql"\n}\n'
    assert "Settings name PostgreSQL (" in page({**CONTENTS, "prisma/schema.prisma": of_prisma})


def test_packages_of_a_workspace_are_named_with_what_runs_in_them() -> None:
    scripts = {"build": "turbo run build", "dev": "turbo run dev --affected"}
    root = {"name": "tea", "workspaces": ["apps/*"], "scripts": scripts}
    contents = {
        "package.json": json.dumps(root),
        "AGENTS.md": "# A\n\nNever run `npm run build` before noon.\n",
        **{
            f"apps/{name}/package.json": json.dumps(
                {
                    "name": f"@tea/{name}",
                    "scripts": {"build": "tsc", "dev": "node ."},
                }
            )
            for name in ("pot", "cup")
        },
    }
    told = page(contents)
    assert "`turbo run build` runs `build` in `apps/cup`, `apps/pot`." in told
    runs = "runs `dev` only where changes reach, of `apps/cup`, `apps/pot`."
    assert f"`turbo run dev --affected` {runs}" in told
    assert "| `apps/cup` (`@tea/cup`) | `npm run build` | `npm run dev` |" in told
    typed = "At the root, `npm run build -w @tea/cup` runs the script `build` of the package"
    assert typed in told
    assert "](source:AGENTS.md#L3): “Never run npm run build before noon.”" in told


def test_a_part_with_a_name_and_commands_for_all_steps_has_a_row_with_them() -> None:
    scripts = {"build": "tsc", "dev": "node .", "test": "jest", "lint": "eslint ."}
    cup = json.dumps({"name": "@tea/cup", "scripts": scripts})
    contents = {
        "package.json": json.dumps({"name": "tea", "workspaces": ["apps/*"]}),
        "apps/cup/package.json": cup,
        "apps/cup/yarn.lock": "# yarn lockfile v1\n",
    }
    commands = "`yarn install` | `yarn build` | `yarn dev` | `yarn test` | `yarn lint`"
    assert f"| `apps/cup` (`@tea/cup`) | {commands} |" in page(contents)


def test_where_only_parts_have_a_command_none_of_them_is_told_as_the_one() -> None:
    contents = {f"{name}/Makefile": "test:\n\tprove -r t\n" for name in ("pot", "cup", "tray")}
    told = page(contents)
    assert "Nothing at the root does it: parts of the repository have commands for it." in told
    assert "| `cup` | `make test` |" in told


STEPS = """\
# Developing

## Setting up the project

Follow these steps:

* Copy the settings:

    ```
    cp app.dist app.ini
    ```

    They are yours.

* Start it with `docker compose up`.
* Run `./inside db:create`, which makes the database.

## Other

* See `make all`.
"""


def test_a_list_of_steps_is_how_contributors_begin_and_how_the_first_page_does() -> None:
    contents = {"composer.json": '{"scripts": {"test": "phpunit"}}', "DEVELOPING.md": STEPS}
    steps = page(contents).partition("## Set up for contributors\n\n")[2].partition("\n\n## ")[0]
    assert [line.partition(" ([")[0] for line in steps.split("\n")[2:]] == [
        "1. Copy the settings: `cp app.dist app.ini`",
        "2. Start it with `docker compose up`.",
        "3. Run `./inside db:create`, which makes the database.",
    ]
    facts = facts_of(contents)
    (planned,) = index.plan(facts)
    first = written(facts, planned.write, planned.subject, planned.key)
    typed = "cp app.dist app.ini\ndocker compose up\n./inside db:create\ncomposer test"
    assert f"## How to start\n\n```sh\n{typed}\n```" in first


def test_the_first_page_begins_in_the_folder_in_which_the_product_is_prepared_and_run() -> None:
    guide = "# Work\n\n```sh\ncd till\npython manage.py migrate\npython manage.py runserver\n```\n"
    contents = {"CONTRIBUTING.md": guide, "till/manage.py": "import django\n"}
    facts = facts_of(contents)
    (planned,) = index.plan(facts)
    first = written(facts, planned.write, planned.subject, planned.key)
    assert "(cd till && python manage.py migrate)\n(cd till && python manage.py runserver)" in first


def test_the_program_that_is_called_like_the_repository_comes_before_tools_for_work_on_it() -> None:
    main = "package main\n\nfunc main() {}\n"
    body = page(
        {
            "go.mod": "module example.com/engine\n",
            **{f"cmd/{name}/main.go": main for name in ("engine", "dev")},
            "Makefile": "run:\n\tgo run ./cmd/dev\n",
            "CONTRIBUTING.md": "# Testing\n\n```sh\ngo run ./cmd/dev --all\n```\n",
        }
    )
    run = body.partition("## Run\n")[2].partition("\n## ")[0]
    assert run.index("The program of the repository is `engine`") < run.index("make run")
    assert "--all" not in run
