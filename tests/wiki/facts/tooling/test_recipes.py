"""What tasks are for, by what they run and then by what they are called."""

from __future__ import annotations

import pytest

from stationmaster.wiki.facts.tooling.kinds import purposes, recipes


def of_task(name: str, *steps: str) -> str | None:
    return recipes.of_task(name, filter(None, steps), lambda text: purposes.of_line(text, ()))


@pytest.mark.parametrize(
    ("name", "runs", "purpose"),
    [
        ("test:types", "tsc --noEmit", "lint"),
        ("test:code", "eslint .", "lint"),
        ("fmt", "gofmt -w .", "format"),
        ("format:check", "prettier -c .", "lint"),
        ("contributors:check", "all-contributors check", None),
        ("type-check", "vue-tsc --noEmit", "lint"),
        ("dev", "vite", "run"),
        ("shop-dev", "mvn -q -Pquick,services -pl shop -am verify", "run"),
        ("shop-dev", "mvn verify", "test"),
        ("shop-all", "mvn -Pquick verify", "test"),
        ("start:docs", "docusaurus start", None),
        ("start-pr-test", "node pr.js", None),
        ("dev:clean", "rm -r dev/data", None),
        ("clear", "rm -r dev/data", None),
        ("dev:generate", "python gen.py", None),
        ("dev:services", "docker compose -f dev.yml up", "services"),
        ("ui", "yarn dev", "run"),
        ("setup", "git checkout 2.5.3", None),
        ("setup", "npm ci --omit dev", None),
        ("setup", "uv sync", "install"),
        ("dep", "npm ci", "install"),
        ("dep-upgrade", "go get -u ./...", None),
        ("install", "cp jq /usr/bin", None),
        ("install", "npm ci", "install"),
        ("docs", "mkdocs build", None),
        ("all", "cc -c shop.c", "build"),
        ("build-results", "find dist -type f", None),
        ("purge-package", "systemctl stop shop", None),
        ("build", "mkdir -p build", None),
        ("requirements-all", "uv export --all-extras", None),
        ("e2e-build-package-publish", "ts-node publish", None),
        ("start-local-registry", "node registry.js", None),
        ("changeset:version", "changeset version && pnpm format", None),
        ("up", "nlx taze", None),
        ("start", "docker network create shop || true; docker run shop:dev", "run"),
        ("dev:watch", 'concurrently "yarn dev:backend" "yarn dev:frontend"', "run"),
        ("docs:watch", "mkdocs serve", None),
        ("up", "docker compose up", "run"),
        ("up", "docker compose up -d db; yarn dev:watch", "run"),
        ("lint:fix", "eslint --fix .", "format"),
        ("check:fix", "biome check . --write", "format"),
        ("fix:check", "biome check .", "lint"),
        ("db:format", "prisma format", None),
        ("lint:format", "prettier -c .", "lint"),
        ("go:bench", "go test -bench .", None),
        ("go:cover", "go tool cover -html=coverage.txt", None),
        ("goreleaser:test", "goreleaser --snapshot", None),
        ("coverage", "pytest --cov-report html", "test"),
        ("phpstan-baseline", "phpstan --generate-baseline", None),
        ("prisma:deploy", "prisma migrate deploy", "prepare"),
        ("ALL", "make help", None),
        ("all", "make server client", "build"),
    ],
)
def test_a_task_is_for_what_its_recipe_does_or_else_for_what_it_is_called(
    name: str, runs: str, purpose: str | None
) -> None:
    assert of_task(name, runs) == purpose


@pytest.mark.parametrize(
    ("name", "runs", "purpose"),
    [
        ("build-docs", "sphinx-build docs out", None),
        ("build:site", "docusaurus build", None),
        ("build-translations", "pybabel compile", None),
        ("build:image", "docker build .", "image"),
        ("build_image", "earthly +shop", "image"),
        ("build_images", "convert -size 9x9 xc:blue a.png", None),
        ("build", "docker build -t shop .", "image"),
        ("build", "vite build", "build"),
        ("db:migrate", "prisma migrate dev", "prepare"),
        ("db:up", "docker compose -f dev.yml up -d", "services"),
        ("build:js:watch", "node esbuild.js --watch", None),
        ("migrate", "go run ./cmd/migrate", "prepare"),
    ],
)
def test_documents_and_images_are_not_the_build_of_the_product(
    name: str, runs: str, purpose: str | None
) -> None:
    assert of_task(name, runs) == purpose


@pytest.mark.parametrize(
    ("name", "steps", "purpose"),
    [
        ("web", ["cd web && npm ci", "cd web && npm run build"], "build"),
        ("lint", ["eslint --fix ."], "lint"),
        ("check", ["cargo fmt --check", "cargo test", "cargo clippy"], "lint"),
        ("deps", ["docker compose up -d db"], "services"),
        ("dev", ["go generate ./...", "go vet ./..."], None),
        ("ci", ["npm run build", "npm run test"], None),
        ("test", ["pytest --cov", "coverage html"], "test"),
        ("build", ["uv build"], "build"),
        ("package", ["uv build"], None),
        ("install-linux", ["sudo cp shop /usr/bin"], None),
    ],
)
def test_the_name_chooses_among_the_purposes_of_several_steps(
    name: str, steps: list[str], purpose: str | None
) -> None:
    assert of_task(name, *steps) == purpose
