import pytest

from stationmaster.wiki.facts.tooling import tasks
from tests.wiki.commits import facts_of
from tests.wiki.facts.tooling.test_tasks import all_of
from tests.wiki.facts.tooling.test_written import document


def usual(contents: dict[str, str]) -> dict[str, list[str]]:
    """What is usual for its files, by purpose."""
    facts = facts_of(contents)
    found = {
        purpose: [each.text for each in tasks.tasks(facts, purpose) if each.source == "usual"]
        for purpose in tasks.PURPOSES
    }
    return {purpose: texts for purpose, texts in found.items() if texts}


LARAVEL = {
    "artisan": "#!/usr/bin/env php\n",
    "composer.json": "{}",
    ".env.example": "APP_KEY=\n",
    "phpunit.xml": "<phpunit/>",
    "package.json": '{"scripts": {"dev": "vite", "build": "vite build"}}',
    "yarn.lock": "",
    **dict.fromkeys(("app/A.php", "app/B.php", "resources/a.js"), ""),
}


def test_what_is_usual_for_an_application_of_laravel_stands_where_nothing_is_named() -> None:
    assert usual(LARAVEL) == {
        "install": ["composer install", "yarn install"],
        "configure": ["cp .env.example .env", "php artisan key:generate"],
        "prepare": ["php artisan migrate"],
        "run": ["php artisan serve"],
        "test": ["php artisan test"],
    }
    begin = {
        purpose: [task.text for task in tasks.to_begin(tasks.tasks(facts_of(LARAVEL), purpose))]
        for purpose in ("install", "configure")
    }
    assert begin["install"] == ["composer install", "yarn install"]
    assert begin["configure"] == ["cp .env.example .env", "php artisan key:generate"]


def test_the_server_of_a_front_end_is_no_way_to_run_an_application_with_a_back_end() -> None:
    assert all_of(LARAVEL, "run") == []
    assert all_of(LARAVEL, "assets") == ["yarn dev"]
    watch = '{"scripts": {"dev": "npm-run-all --parallel build:*:watch"}}'
    assert all_of({**LARAVEL, "package.json": watch}, "run") == []
    once = '{"scripts": {"dev": "npm run development", "development": "webpack --progress"}}'
    begun = {**LARAVEL, "package.json": once, "CONTRIBUTING.md": "```sh\nnpm run dev\n```\n"}
    assert (all_of(begun, "assets"), all_of(begun, "build")) == ([], ["yarn dev"])
    alone = {"package.json": LARAVEL["package.json"], "src/a.js": ""}
    assert (all_of(alone, "run"), all_of(alone, "assets")) == (["npm run dev"], [])


@pytest.mark.parametrize(
    ("contents", "purpose", "texts"),
    [
        ({"manage.py": "import django"}, "run", ["python manage.py runserver"]),
        ({"manage.py": "import flask"}, "run", None),
        ({"app.py": "from flask import Flask\napp = Flask(__name__)\n"}, "run", ["flask run"]),
        (
            {"shop.py": "app = made()", "Dockerfile": "FROM python\nENV FLASK_APP shop.py\n"},
            "run",
            ["flask --app shop.py run"],
        ),
        (
            {"wsgi.py": "app = made()", "Dockerfile": "ENV FLASK_APP=/srv/app/wsgi.py\n"},
            "run",
            None,
        ),
        (
            {"app/main.py": "api = FastAPI(title='a')\n", "app/__init__.py": ""},
            "run",
            ["uvicorn app.main:api"],
        ),
        ({"alembic.ini": "", "a.py": ""}, "prepare", ["alembic upgrade head"]),
        ({"shop.go": "package main\n", "go.mod": ""}, "run", ["go run ."]),
        ({"gen.go": "//go:build ignore\n\npackage main\n", "go.mod": ""}, "run", None),
        ({"tests.py": "import unittest\n", "a.py": ""}, "test", ["python -m unittest tests"]),
        ({"Gemfile": "", "bin/dev": "", "bin/rails": ""}, "run", ["bin/dev"]),
        ({"bin/rails": "", "config/routes.rb": ""}, "run", ["bin/rails server"]),
        ({"mix.exs": '{:phoenix, "~> 1.7"}'}, "run", ["mix phx.server"]),
        ({"Cargo.toml": "", "src/main.rs": "fn main() {}"}, "run", ["cargo run"]),
        ({"Cargo.toml": "", "src/lib.rs": ""}, "run", None),
        (
            {
                "Cargo.toml": "",
                "src/main.rs": "fn main() {}",
                "Makefile": "run-timing:\n\tcargo run --features timing\n",
            },
            "run",
            ["cargo run"],
        ),
        (
            {"go.mod": "", "cmd/sell/main.go": "package main\nfunc main() {}\n"},
            "build",
            ["go build ./cmd/sell"],
        ),
        (
            {"go.mod": "", "cmd/sell/main.go": "package main\nfunc main() {}\n"},
            "run",
            ["go run ./cmd/sell"],
        ),
        (
            {"build.gradle": "plugins {\n  id 'application'\n}\n", "gradlew": "", "A.java": ""},
            "run",
            ["./gradlew run"],
        ),
        (
            {"composer.json": "{}", "README.md": "```sh\ncomposer install --no-dev\n```\n"},
            "install",
            ["composer install"],
        ),
        (
            {"pom.xml": "<project/>", ".travis.yml": "script: mvn dependency:go-offline\n"},
            "build",
            ["mvn package"],
        ),
        (
            {"artisan": "", ".env.example": "", ".travis.yml": "install: cp .env.example .env\n"},
            "configure",
            ["cp .env.example .env", "php artisan key:generate"],
        ),
        ({"Shop.sln": "", "Shop/Shop.csproj": ""}, "build", ["dotnet build"]),
        ({"CMakeLists.txt": "project(shop)\n"}, "build", ["cmake --build build"]),
        ({"CMakeLists.txt": "project(shop)\n"}, "test", None),
        ({"go.mod": "", "cmd/x/go.mod": ""}, "build", ["go build ./..."]),
        ({"README.md": "```sh\ncargo build -r\n```\n", "Cargo.toml": ""}, "build", None),
        ({"Makefile": "build:\n\tcargo build\n", "Cargo.toml": ""}, "build", None),
    ],
)
def test_usual_commands_follow_from_files_and_stand_behind_what_is_named(
    contents: dict[str, str], purpose: str, texts: list[str] | None
) -> None:
    assert usual(contents).get(purpose) == texts


def test_a_member_of_a_workspace_is_installed_from_above_and_a_part_with_a_lock_by_itself() -> None:
    contents = dict.fromkeys(("package.json", "a/package.json", "b/package.json"), "{}")
    contents |= {"pnpm-lock.yaml": "", "b/package-lock.json": "{}", "a/x.ts": "", "b/x.ts": ""}
    found = tasks.tasks(facts_of(contents), "install")
    assert [(task.text, task.folder) for task in found] == [
        ("pnpm install", "."),
        ("npm install", "b"),
    ]


SPRING = "<artifactId>spring-boot-maven-plugin</artifactId>"


def test_an_aggregate_of_maven_is_not_run_but_its_applications_are() -> None:
    facts = facts_of({
        "pom.xml": f"<project><packaging>pom</packaging>{SPRING}</project>",
        "shop/pom.xml": f"<project>{SPRING}</project>",
        "shop/src/main/java/A.java": "class A {}\n",
    })  # fmt: skip
    assert [(each.text, each.folder) for each in tasks.tasks(facts, "run")] == [
        ("mvn spring-boot:run", "shop")
    ]


def test_tests_that_a_build_skips_are_asked_for() -> None:
    pom = "<project><properties><skipTests>true</skipTests></properties></project>"
    files = {"pom.xml": pom, "mvnw": "", "src/main/java/A.java": "class A {}\n"}
    assert usual(files)["test"] == ["./mvnw test -DskipTests=false"]


SUREFIRE = (
    "<plugin><artifactId>maven-surefire-plugin</artifactId><configuration>{}</configuration>"
    "</plugin>"
)
BUILD = "<build><plugins>{}</plugins></build>"
DEV = "<profiles><profile><activation><activeByDefault>true</activeByDefault></activation>{}" \
      "</profile></profiles>"  # fmt: skip


@pytest.mark.parametrize(
    ("pom", "command"),
    [
        ("<properties><maven.test.skip>true</maven.test.skip></properties>",
         "mvn test -Dmaven.test.skip=false"),
        (DEV.format("<properties><skipTests>true</skipTests></properties>"),
         "mvn test -DskipTests=false"),
        ("<properties><no.units>true</no.units></properties>"
         + BUILD.format(SUREFIRE.format("<skipTests>${no.units}</skipTests>")),
         "mvn test -Dno.units=false"),
        ("<properties><skipTests>false</skipTests></properties>", "mvn test"),
        ("<properties><skipTests>true</skipTests></properties>"
         + BUILD.format(SUREFIRE.format("<skipTests>false</skipTests>")), "mvn test"),
        (BUILD.format(SUREFIRE.format("<skip>true</skip>")), "mvn test"),
    ],
)  # fmt: skip
def test_a_property_that_skips_tests_is_switched_off(pom: str, command: str) -> None:
    files = {"pom.xml": f"<project>{pom}</project>", "src/main/java/A.java": "class A {}\n"}
    assert usual(files)["test"] == [command]


@pytest.mark.parametrize("own", ["{}", DEV])
def test_what_a_pom_says_goes_before_a_profile_of_its_parent(own: str) -> None:
    skips = "<properties><skipTests>{}</skipTests></properties>"
    parent = "<parent><relativePath>parent/pom.xml</relativePath></parent>"
    files = {
        "pom.xml": f"<project>{parent}{own.format(skips.format('false'))}</project>",
        "parent/pom.xml": f"<project>{DEV.format(skips.format('true'))}</project>",
        "src/main/java/A.java": "class A {}\n",
    }
    manifests = facts_of(files).tree.project.manifests
    assert {it.path: it.data["skips"] for it in manifests} == {
        "pom.xml": [],
        "parent/pom.xml": ["skipTests"],
    }


@pytest.mark.parametrize(
    ("tables", "command"),
    [
        ("[project.optional-dependencies]\ntest = ['a']\ndev = [\n 'b',\n]\n", "'.[dev]'"),
        ("[project.optional-dependencies]\ndocs = ['a']\ntests = ['b']\n", "'.[tests]'"),
        ("[project.optional-dependencies]\ndocs = ['a']\n[tool.x]\ndev = 1\n", "."),
        ("[dependency-groups]\ndev = ['a']\n", "."),
    ],
)
def test_extras_for_developers_are_installed_with_the_package(tables: str, command: str) -> None:
    manifest = f"[build-system]\nrequires = []\n[project]\nname = 'tea'\n{tables}"
    facts = facts_of({"pyproject.toml": manifest, "tea.py": ""})
    assert [it.text for it in tasks.tasks(facts, "install")] == [f"pip install -e {command}"]


@pytest.mark.parametrize("manifest", ["setup.py", "pyproject.toml"])
def test_packages_that_developers_need_are_installed_with_the_package(manifest: str) -> None:
    files = {manifest: "[build-system]\n", "requirements/dev.txt": "pylint\n", "tea.py": ""}
    assert [it.text for it in tasks.tasks(facts_of(files), "install")] == [
        "pip install -r requirements/dev.txt -e ."
    ]


def test_processes_that_only_work_beside_an_application_of_rails_do_not_start_it() -> None:
    files = {
        "Gemfile": "", "bin/rails": "", "config/routes.rb": "", "bin/dev": "foreman start\n",
        "a.rb": "",
        "README.md": "# Shop\n\n```sh\nbundle exec foreman start\n```\n",
    }  # fmt: skip
    workers = {"Procfile": "jobs: bundle exec sidekiq\nstyle: bin/rails tailwindcss:watch\n"}
    assert usual({**files, **workers})["run"] == ["bin/rails server"]
    assert all_of({**files, **workers}, "services") == ["bundle exec foreman start"]
    assert all_of({**files, "Procfile": "web: puma\n"}, "run") == ["bundle exec foreman start"]


def test_packages_are_installed_by_the_manager_that_runs_the_scripts() -> None:
    workflow = "on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{run: yarn lint}]\n"
    contents = {
        "package.json": '{"scripts": {"lint": "eslint ."}}', "package-lock.json": "{}",
        "yarn.lock": "", ".github/workflows/ci.yml": workflow,
    }  # fmt: skip
    assert usual(contents)["install"] == ["yarn install"]


def test_usual_commands_of_django_have_the_settings_that_it_is_started_with() -> None:
    started = "export DJANGO_SETTINGS_MODULE=shop.local", "python manage.py runserver"
    contents = {"manage.py": "import django", "shop/local.py": "x = 1\n"}
    contents["CONTRIBUTING.md"] = document("\n".join(started))
    chosen = "DJANGO_SETTINGS_MODULE=shop.local "
    assert usual(contents)["prepare"] == [
        f"{chosen}python manage.py migrate", f"{chosen}python manage.py createsuperuser",
    ]  # fmt: skip
    contents["CONTRIBUTING.md"] = document(started[1])
    assert usual(contents)["prepare"][0] == "python manage.py migrate"


WORKSPACE = {
    "Cargo.toml": '[package]\nname = "shop"\n[workspace]\nmembers = ["parts/*"]\n',
    "src/lib.rs": "",
    "parts/tea/Cargo.toml": '[package]\nname = "tea"\n',
    "parts/tea/src/lib.rs": "#[test]\nfn pours() {}\n",
}
PIPELINE = "on: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - run: cargo test --all\n"


@pytest.mark.parametrize(
    ("changed", "typed"),
    [
        ({}, ["cargo test --workspace"]),
        ({".github/workflows/ci.yml": PIPELINE}, ["cargo test --all"]),
        ({"parts/tea/src/lib.rs": ""}, ["cargo test"]),
        ({"Cargo.toml": '[workspace]\nmembers = ["parts/*"]\n'}, ["cargo test"]),
        (
            {"Cargo.toml": WORKSPACE["Cargo.toml"] + 'default-members = [".", "parts/*"]\n'},
            ["cargo test"],
        ),
    ],
)
def test_tests_of_members_beside_a_package_of_cargo_are_asked_for(
    changed: dict[str, str], typed: list[str]
) -> None:
    facts = facts_of({**WORKSPACE, **changed})
    assert [it.text for it in tasks.tasks(facts, "test")] == typed
