import pytest

from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.tooling import ci
from tests.wiki.commits import facts_of

BUILD = """name: Build
on:
  push: {branches: [main]}
  schedule: [{cron: "0 3 * * *"}]
jobs:
  lint:
    runs-on: ubuntu-latest
    steps: [{run: ruff check .}]
  test:
    needs: lint
    runs-on: ubuntu-latest
    steps:
      - run: pytest -q
      - run: python scripts/verify_wheel.py
"""
RELEASE = """name: Release
on: {push: {tags: ["v*"]}}
jobs:
  publish:
    runs-on: ubuntu-latest
    environment: pypi
    steps: [{run: twine upload dist/*, env: {TOKEN: "${{ secrets.PYPI_TOKEN }}"}}]
"""


@pytest.fixture(scope="module")
def facts() -> Facts:
    return facts_of(
        {".github/workflows/build.yml": BUILD, ".github/workflows/release.yml": RELEASE}
    )


def test_workflows_tell_what_starts_them_and_what_they_do(facts: Facts) -> None:
    build, release = ci.workflows(facts)
    assert (build.name, build.events, build.schedules, build.jobs, build.kinds) == (
        "Build", ("push (main)", "schedule"), ("0 3 * * *",), 2, ("lint", "test"),
    )  # fmt: skip
    assert release.events == ("push (tag v*)",)


def test_jobs_need_each_other_and_do_something(facts: Facts) -> None:
    lint, test = ci.jobs(facts, ".github/workflows/build.yml")
    assert (lint.does, test.needs, test.does, test.place.line) == (
        ("lint",),
        ("lint",),
        ("test",),
        9,
    )
    assert ci.jobs(facts, "nowhere.yml") == ()


def test_commands_of_a_kind_have_their_place_and_scripts_that_verify_are_no_tests(
    facts: Facts,
) -> None:
    (run,) = ci.runs(facts, "test")
    assert (run.job, run.text, run.place.line) == ("test", "pytest -q", 13)


def test_releases_are_workflows_that_publish_or_follow_a_tag(facts: Facts) -> None:
    assert ci.releases(facts) == (".github/workflows/release.yml",)


def test_secrets_are_told_by_name_with_the_workflows_that_read_them(facts: Facts) -> None:
    assert ci.secrets(facts) == (("PYPI_TOKEN", (".github/workflows/release.yml",)),)


@pytest.mark.parametrize(
    "command", ["python manage.py test", "./manage.py test shop", "php artisan test --parallel"]
)
def test_scripts_that_manage_a_site_test_it_where_they_are_asked_to(command: str) -> None:
    workflow = f"on: push\njobs:\n  t:\n    runs-on: x\n    steps: [{{run: {command}}}]\n"
    facts = facts_of({".github/workflows/t.yml": workflow})
    assert [run.text for run in ci.runs(facts, "test")] == [command]


RECIPE = """on: push
jobs:
  unit:
    runs-on: ubuntu-latest
    services:
      postgres: {image: "postgres:16"}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/cache@v4
        with: {path: a}
      - uses: actions/setup-python@v5
        with: {python-version: "3.12", cache: pip}
      - name: Start a cluster
        uses: a/cluster@v1
        with: {size: 1}
      - name: Prepare
        run: |
          # The database.
          echo go
          pip install -e . <<'EOF'
          words
          EOF
          alembic upgrade head
      - run: pytest -q
        env: {DATABASE_URL: "postgres://a:b@c/d"}
  release:
    runs-on: ubuntu-latest
    steps:
      - run: pytest -q && twine upload dist/*
"""


def test_the_job_that_runs_the_tests_is_a_recipe_of_what_they_need() -> None:
    calling = "on: push\njobs:\n  again:\n    uses: ./.github/workflows/a.yml\n"
    workflows = {".github/workflows/a.yml": RECIPE, ".github/workflows/b.yml": calling}
    (recipe,) = ci.recipes(facts_of(workflows), "test")
    assert (recipe.job, recipe.services) == ("unit", ("postgres",))
    assert [(it.title, it.uses, it.lines, it.variables, it.inputs) for it in recipe.stages] == [
        ("", "actions/setup-python", (), (), (("python-version", "3.12"), ("cache", "pip"))),
        ("Start a cluster", "a/cluster", (), (), (("size", "1"),)),
        ("Prepare", "", ("pip install -e . <<'EOF'", "alembic upgrade head"), (), ()),
        ("", "", ("pytest -q",), ("DATABASE_URL",), ()),
    ]


SETTING = """on: push
env: {CI: "true", TZ: UTC}
jobs:
  run-tests:
    runs-on: ubuntu-latest
    services: {mysql: {image: "mysql:8"}}
    env: {DATABASE_HOST: "127.0.0.1", DATABASE_PASSWORD: sesame}
    steps: [{run: bundle exec rake}]
  docs:
    runs-on: ubuntu-latest
    env: {PLACE: here}
    steps: [{run: bundle exec rake}]
"""
CIRCLE = """version: 2.1
jobs:
  unit:
    docker: [{image: "cimg/go:1.24", environment: {TILL_DSN: "till:"}}, {image: "postgres:17"}]
    environment: {TILL_MODE: quick}
    steps: [{run: {command: go test ./..., environment: {TILL_SEED: "1"}}}]
"""


def test_variables_of_a_command_are_those_of_its_workflow_job_and_step() -> None:
    paths = {".github/workflows/ci.yml": SETTING, ".circleci/config.yml": CIRCLE}
    rows = [(names, run.text) for names, run in ci.variables(facts_of(paths), "test")]
    assert rows == [
        (("TILL_DSN", "TILL_MODE=quick", "TILL_SEED=1"), "go test ./..."),
        (("TZ=UTC", "DATABASE_HOST=127.0.0.1", "DATABASE_PASSWORD"), "bundle exec rake"),
    ]


def test_what_runs_all_is_a_test_in_a_job_that_is_called_after_tests() -> None:
    facts = facts_of({".github/workflows/ci.yml": SETTING})
    assert [run.job for run in ci.runs(facts, "test")] == ["run-tests"]
    assert [name for name, _ in ci.services(facts, "test")] == ["MySQL"]
    assert [recipe.job for recipe in ci.recipes(facts, "test")] == ["run-tests"]


@pytest.mark.parametrize(
    ("step", "files", "does"),
    [
        ("run: bundle exec rake", {"Gemfile": 'gem "rspec-rails"\n'}, ("test",)),
        ("run: rake", {"Rakefile": "task default: %i[lint spec]\n"}, ("lint", "test")),
        ("{name: Run tests, run: bin/rake}", {}, ("test",)),
        ("run: rake", {"Gemfile": 'gem "sinatra"\n'}, ()),
        ("run: rake build", {"Gemfile": 'gem "minitest"\n'}, ("build",)),
    ],
)
def test_rake_without_a_task_does_what_its_default_task_or_step_says(
    step: str, files: dict[str, str], does: tuple[str, ...]
) -> None:
    workflow = f"on: push\njobs:\n  all:\n    runs-on: x\n    steps:\n      - {step}\n"
    path = ".github/workflows/all.yml"
    (job,) = ci.jobs(facts_of({path: workflow, **files}), path)
    assert job.does == does


@pytest.mark.parametrize(("given", "does"), [
    ("push: true", ("publish",)),
    ("outputs: type=image,push-by-digest=true,push=true", ("publish",)),
    ("outputs: 'type=image,push=${{ github.ref_name }}'", ("build", "publish (under a condition)")),
    ("outputs: type=image,push-by-digest=true,push=false", ("build",)),
    ("load: true", ("build",)),
])  # fmt: skip
def test_an_action_that_builds_images_publishes_those_that_it_pushes(
    given: str, does: tuple[str, ...]
) -> None:
    path = ".github/workflows/image.yml"
    step = f"uses: docker/build-push-action@v6\n        with:\n          {given}"
    workflow = f"on: push\njobs:\n  image:\n    runs-on: x\n    steps:\n      - {step}\n"
    facts = facts_of({path: workflow})
    assert ci.jobs(facts, path)[0].does == does
    is_published = does != ("build",)
    assert [run.text for run in ci.runs(facts, "publish")] == (
        ["docker/build-push-action@v6"] if is_published else []
    )
    assert bool(ci.releases(facts)) == is_published


@pytest.mark.parametrize(("command", "does"), [
    ("docker buildx imagetools create -t shop/till:1 shop/till@sha256:1", ("publish",)),
    ("docker buildx imagetools inspect shop/till:1", ()),
    ("docker buildx create --use", ()),
    ("docker buildx build .", ("build",)),
])  # fmt: skip
def test_of_buildx_a_list_of_images_is_published_and_only_builds_build(
    command: str, does: tuple[str, ...]
) -> None:
    path = ".github/workflows/image.yml"
    step = f"run: {command}"
    workflow = f"on: push\njobs:\n  image:\n    runs-on: x\n    steps:\n      - {step}\n"
    assert ci.jobs(facts_of({path: workflow}), path)[0].does == does


@pytest.mark.parametrize(("command", "does"), [
    ("mvn -B package", ("build",)),
    ("mvn -B package -Dmaven.test.skip=false", ("build", "test")),
    ("mvn -B package -Pwith-tests", ("build", "test")),
])  # fmt: skip
def test_a_package_of_maven_is_not_tested_where_a_property_of_its_pom_skips_the_tests(
    command: str, does: tuple[str, ...]
) -> None:
    pom = "<project><artifactId>a</artifactId><properties><maven.test.skip>true</maven.test.skip>"
    contents = {
        "pom.xml": f"{pom}</properties></project>",
        "src/test/java/ShopTest.java": "import org.junit.jupiter.api.Test;\n"
        "class ShopTest { @Test void pays() {} }\n",
        ".github/workflows/ci.yml": "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n"
        f"      - run: {command}\n",
    }
    (workflow,) = ci.workflows(facts_of(contents))
    assert workflow.kinds == does
