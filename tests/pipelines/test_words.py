"""The words that all providers share: events, pins, names of secrets, kinds of commands."""

from __future__ import annotations

import pytest

from stationmaster.catalogue import ci_events
from stationmaster.pipelines import commands, pinning, secrets
from stationmaster.pipelines.model import CommandKind, EventKind, Pin
from tests.pipelines.providers.support import facts

SHA = "a1" * 20


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ("push", "push"), ("pull_request_target", "pull_request_target"),
        ("workflow_dispatch", "manual"), ("workflow_call", "reusable_call"),
        ("merge_group", "merge_queue"), ("workflow_run", "workflow_chain"),
        ("issue_comment", "comment"), ("repository_dispatch", "external"), ("milestone", "other"),
    ],
)  # fmt: skip
def test_events_of_github_have_a_common_word(event: str, kind: EventKind) -> None:
    assert ci_events.kind_github(event) == kind


def test_a_push_of_tags_alone_is_a_tag() -> None:
    assert ci_events.kind_github("push", tags_only=True) == "tag"


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ("merge_request_event", "pull_request"), ("cron", "schedule"), ("web", "manual"),
        ("pull-requests", "pull_request"), ("parent_pipeline", "workflow_chain"),
        ("gate", "merge_queue"), ("whatever", "other"),
    ],
)  # fmt: skip
def test_events_of_other_providers_have_the_same_words(event: str, kind: EventKind) -> None:
    assert ci_events.kind(event) == kind


@pytest.mark.parametrize(
    ("reference", "pin", "version"),
    [
        (f"acme/a@{SHA}", "hash", SHA), (f"acme/a@{SHA}{'0' * 24}", "hash", SHA + "0" * 24),
        ("acme/a@v1.2.3", "exact", "v1.2.3"), ("acme/a/sub@1.2.3-rc1", "exact", "1.2.3-rc1"),
        ("acme/a@bundle-v2.1.3", "exact", "bundle-v2.1.3"),
        ("acme/a@v1", "floating", "v1"), ("acme/a@1.2", "floating", "1.2"),
        ("acme/a@main", "branch", "main"), ("acme/a@release/v1", "branch", "release/v1"),
        ("acme/a@a1b2c3d", "branch", "a1b2c3d"), ("acme/a", "dynamic", None),
        ("acme/a@${{ inputs.ref }}", "dynamic", "${{ inputs.ref }}"),
        ("./folder", "local", None), ("$/folder", "local", None),
        ("docker://node:22", "floating", "22"), (f"docker://n@sha256:{'a' * 64}", "hash",
         f"sha256:{'a' * 64}"),
    ],
)  # fmt: skip
def test_uses_are_pinned_as_firmly_as_their_reference_says(
    reference: str, pin: Pin, version: str | None
) -> None:
    assert pinning.of_use(reference) == (pin, version)


@pytest.mark.parametrize(
    ("image", "pin"),
    [
        ("node", "branch"), ("node:latest", "branch"), ("host:5000/node", "branch"),
        ("node:22", "floating"), ("node:22-alpine", "floating"), ("debian:bookworm", "floating"),
        ("node:22.1.0", "exact"), (f"node:22@sha256:{'a' * 64}", "hash"),
        ("node:${{ matrix.node }}", "dynamic"), ("$IMAGE", "dynamic"),
    ],
)  # fmt: skip
def test_images_are_pinned_as_firmly_as_their_tag_says(image: str, pin: Pin) -> None:
    assert pinning.of_image(image) == pin


@pytest.mark.parametrize(
    ("provider", "reference", "first"),
    [
        ("github-actions", "actions/checkout@v5", True),
        ("github-actions", "https://github.com/Actions/cache@v5", True),
        ("github-actions", "acme/actions@v5", False),
        ("circleci", "circleci/node@5", True),
        ("none", "actions/checkout", False),
    ],
)
def test_what_the_provider_itself_made_is_first_party(
    provider: str, reference: str, first: bool
) -> None:
    assert pinning.is_first_party(provider, reference) is first


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("${{ secrets.A }} and ${{ secrets['B'] || secrets.a-c }}", ["A", "B", "a-c"]),
        ("node secrets.cjs ${{ steps.secrets.x }} ${{ 'secrets.A' }} ${{ a.b }}", []),
        ("${{ toJSON(secrets) }}", ["*"]),
        ("${{ secrets[format('A_{0}', matrix.b)] }}", ["*"]),
        ("${{ SECRETS.A }} ${{ secrets.A }} ${{ secrets.B", ["A"]),
    ],
)
def test_names_of_secrets_stand_in_expressions_alone(text: str, names: list[str]) -> None:
    assert list(secrets.in_texts([text])) == names


@pytest.mark.parametrize(
    ("kind", "scripts"),
    [
        ("test", "npm test -- --coverage; ./gradlew :app:testDebug; mvn -B verify; npx --yes jest;"
         "python -m pytest -q; uv run --extra dev pytest; go test ./...; bundle exec rspec; tox;"
         "FOO=1 cargo +nightly test; bazel test //...; nox -s tests; yarn jest; make -j4 check;"
         "./scripts/run_tests.sh; bash ci/test.sh; tox run -e 3.12; tox -e py310-web; tox r;"
         "pytest -- --help"),
        ("lint", "npm run lint:fix; cargo clippy; tsc --noEmit; tox -e lint; uvx ruff check;"
         "bin/rubocop; earthly +lint; pnpm --filter web typecheck; pre-commit run -a;"
         "npm run check; node scripts/lint.js --fix"),
        ("build", "make; make -C src all; docker build .; tsc; python -m build; go build ./...;"
         "npm --prefix web run build; cmake --build out; yarn workspace web build"),
        ("publish", "mvn -B clean deploy; docker buildx build --push .; sudo docker push x;"
         "npm publish; twine upload x; python -m twine upload x; gh release create v1"),
        ("deploy", "kubectl apply -f x; helm upgrade a b; terraform apply; npx wrangler deploy;"
         "aws s3 sync a b; npm run deploy"),
        ("scan", "trivy fs .; npm audit; govulncheck ./...; pip-audit; make security"),
        (None, "cd test; echo test; pip install pytest; npm install jest; npm ci; git push; ls;"
         "pnpm playwright install chromium; npx playwright install; tox list; tox config -e py;"
         "tox run --notest -e py; nox --list; pytest --collect-only; go build --help;"
         "golangci-lint --version; cargo test --help; pnpm db:deploy; npm run migrate-deploy"),
    ],
)  # fmt: skip
def test_commands_are_told_what_they_are_for(kind: CommandKind | None, scripts: str) -> None:
    told = {
        script: {each.kind for each in commands.of_script(script)} for script in scripts.split(";")
    }

    assert told == dict.fromkeys(told, {kind} if kind else set())


def test_commands_of_a_script_know_their_line() -> None:
    found = commands.of_script(
        "set -e\ncd web && npm test\n\nmake \\\n  lint\nbash -c 'npm test'\n"
    )

    assert [(each.text, each.line) for each in found] == [
        ("npm test", 1),
        ("make lint", 3),
        ("npm test", 5),
    ]


def test_a_program_that_the_environment_names_is_known_by_its_value() -> None:
    text = """
on: push
jobs:
  all:
    runs-on: x
    env: {BUILD: cargo, MORE: "", KEY: "${{ secrets.KEY }}"}
    steps:
      - run: |
          $BUILD test ${{ env.MORE }}
          ${KEY} build
          $OTHER test
"""
    (command,) = facts(".github/workflows/ci.yml", text).commands
    assert (command.kind, command.text) == ("test", "cargo test")


def test_a_program_that_php_starts_does_what_it_does_alone() -> None:
    script = (
        "php ./vendor/bin/pest; php -d memory_limit=-1 vendor/bin/phpstan analyse; php till.php"
    )
    assert [line.kind for line in commands.of_script(script)] == ["test", "lint"]
