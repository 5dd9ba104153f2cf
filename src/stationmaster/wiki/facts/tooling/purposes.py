"""What a command is for, by its name or by its words: one table for each."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Literal

from stationmaster.pipelines import commands as known

Purpose = Literal[
    "use", "install", "configure", "services", "build", "run", "test", "lint", "format"
]  # fmt: skip

_NAMES: dict[str, tuple[str, ...]] = {
    "install": ("setup", "bootstrap", "install", "deps", "dependencies", "init", "prepare"),
    "configure": ("configure", "config"),
    "build": ("build", "compile", "all", "dist", "package", "bundle"),
    "run": ("dev", "start", "serve", "run", "server", "develop", "up", "dev:start"),
    "test": ("test", "tests", "check", "verify", "test:unit", "unit", "spec"),
    "lint": ("lint", "check", "verify", "typecheck", "types", "clippy", "vet", "style", "typing"),
    "format": ("format", "fmt", "fix", "style"),
}
"""Names of tasks by purpose, the plainest first."""
_PROGRAMS: dict[str, str] = {
    "build": "make ninja",
    "test": "pytest tox nox rspec jest vitest ctest phpunit pest mocha",
    "lint": "ruff eslint golangci-lint rubocop mypy pre-commit",
}
"""Programs that do nothing else."""
_RUN = frozenset({"dev", "start", "serve", "run", "server", "develop", "up", "preview"})
_NOT_RUN = frozenset({"test", "tests", "release", "docs", "doc", "storybook", "e2e", "bench"})
_SETUP = frozenset({"setup", "bootstrap", "install", "deps", "dependencies", "init"})
_FORMAT = frozenset({"format", "fmt", "fix", "prettier"})
_CHECKS = frozenset({"check", "verify", "diff", "ci", "lint"})
_LINTS = frozenset({"lint", "typecheck", "types", "eslint", "clippy", "mypy", "ruff", "prettier",
                    "style", "formatting"})  # fmt: skip
_ASIDE = frozenset({
    "clean", "help", "docs", "doc", "website", "release", "publish", "deploy", "docker", "image",
    "bench", "benchmark", "benchmarks", "update", "upgrade", "generate", "gen", "pre", "post",
    "prepublish", "prepare", "postinstall", "preinstall", "version", "uninstall", "tag",
    "storybook",
    "remove", "copy", "compare", "rm", "print", "show", "list", "download", "fetch", "sync",
})  # fmt: skip
"""First words of names of tasks that are none of the purposes, whatever follows."""

_INSTALL = """
    npm ci; npm install; npm i; pnpm install; pnpm i; yarn install; yarn; bun install; bun i;
    uv sync; poetry install; pdm install; pdm sync; pipenv install; pip install -e; pip install .;
    pip install -r; pip3 install -e; pip3 install -r; python -m pip install -e;
    python -m pip install -r; python3 -m pip install -r; python3 -m pip install -e;
    pip install --editable; uv pip install -e; uv pip install -r; pixi install; hatch env create;
    conda env create; bundle install; bundle; composer install; go mod download; go mod tidy;
    cargo fetch; dotnet restore; nuget restore; mix deps.get; flutter pub get; dart pub get;
    pod install; swift package resolve; bin/setup; script/setup; script/bootstrap; ./bin/setup;
    git submodule update; git submodule init; pre-commit install; corepack enable; mise install;
    rye sync; just setup; just install; make setup; make bootstrap; make deps
"""
_CONFIGURE = """
    cp .env; cp .env.example; cp env; ./configure; ./autogen.sh; autoreconf; cmake -B; cmake -S;
    cmake ..; meson setup; ./buildconf; ./bootstrap; cmake --preset
"""
_RUN_TEXTS = """
    npm start; npm run start; npm run dev; npm run serve; pnpm dev; pnpm start; pnpm run dev;
    yarn dev; yarn start; bun dev; bun run dev; deno task dev; deno task start;
    python manage.py runserver; ./manage.py runserver; flask run; uvicorn; gunicorn; fastapi dev;
    fastapi run; streamlit run; go run; cargo run; dotnet run; rails server; rails s; bin/rails s;
    bin/rails server; bin/dev; ./bin/dev; php artisan serve; php -S; mix phx.server; swift run;
    docker compose up; docker-compose up; docker compose watch; foreman start; overmind start;
    ./gradlew bootRun; ./mvnw spring-boot:run; mvn spring-boot:run; gradle bootRun; ./gradlew run;
    java -jar; skaffold dev; tilt up; make run; make dev; make start; make serve; make up; just run;
    just dev; task dev; task run; vagrant up; hugo server; mkdocs serve
"""
_USE = """
    npm install; npm i; npm add; pnpm add; pnpm install; yarn add; bun add; bun install; deno add;
    npx; pip install; pip3 install; python -m pip install; pipx install; uv add; uvx;
    uv tool install; uv pip install; poetry add; conda install; cargo add; cargo install;
    cargo binstall; go get; go install; gem install; bundle add; composer require;
    composer create-project; dotnet add package; dotnet tool install; brew install; apt install;
    apt-get install; dnf install; yum install; pacman -S; apk add; scoop install; choco install;
    winget install; nix-env -iA; zypper install; port install; emerge; pkg install; snap install;
    npm create; npm init; pnpm create; yarn create; bun create; docker pull; docker run
"""


def _chains(texts: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(part.split()) for part in texts.split(";"))


_SERVICES = re.compile(r"docker[ -]compose up (?:-d |--detach )?[\w-]|docker[ -]compose -f \S+ up")
"""Compose starts what is named, which the product needs, or a file for it."""
_TESTS = """
    python manage.py test; ./manage.py test; python3 manage.py test; python -m unittest;
    python3 -m unittest; python -m pytest; bin/rails test; php artisan test; zig build test
"""
_BY_TEXT: tuple[tuple[Purpose, tuple[tuple[str, ...], ...]], ...] = (
    ("configure", _chains(_CONFIGURE)),
    ("run", _chains(_RUN_TEXTS)),
    ("test", _chains(_TESTS)),
)
_INSTALLS = _chains(_INSTALL)
_USES = _chains(_USE)
_PREFIX = re.compile(r"^(?:sudo\s+|\$\s+|(?:[A-Z_][A-Z0-9_]*=\S*\s+){1,6})")
_BARE = frozenset({("yarn",), ("bundle",), ("npx",), ("uvx",)})
_EDITABLE = frozenset({"-e", "--editable", "-r", "--requirement", ".", ".[", "./"})
_VERIFIES = re.compile(
    r"^(?:\w+ )?\S*/?(?:verify|validate|check)[\w-]{0,100}\.(?:sh|py|js|ts|rb|pl)\b"
)
_BARE_VERBS = frozenset({
    "go run", "go install", "go get", "docker run", "docker pull", "streamlit run", "uvicorn",
    "gunicorn", "pip install", "npx", "uvx", "php -S", "java -jar", "fastapi dev", "fastapi run",
})  # fmt: skip
"""Beginnings of commands that do nothing alone."""
_FORMATS = re.compile(
    r"(?:^|\s)(?:(?:ruff|cargo|dotnet|mix|dart|deno|terraform) (?:format|fmt)|gofmt -w|gofumpt"
    r"|prettier\b.{0,80}--write|prettier\b.{0,80} -w\b|black|isort|rustfmt)(?:\s|$)"
)
_NO_WORK = re.compile(r"\s(?:--version|--help)(?:\s|$)")
_FETCHES = re.compile(r"\s(?:install|download)(?:\s|$)")
_ONLY_CHECKS = re.compile(r"--check|--diff|-check\b|--verify-no-changes|--list-different")


def of_name(name: str, runs: str) -> Purpose | None:
    """What a task is for; `runs` is what it does. None for what is none of the purposes."""
    words = re.findall(r"[a-z0-9]+", name.lower())
    if not words or words[0] in _ASIDE:
        return _setup(words, runs)
    if words[0] in _SETUP:
        return _setup(words, runs)
    if words[0] == "configure":
        return "configure"
    if words[0] in _RUN and _NOT_RUN.isdisjoint(words):
        return "run"
    if not _FORMAT.isdisjoint(words) and _CHECKS.isdisjoint(words):
        return "format"
    kind = _kind(name, words, runs)
    if kind in ("build", "test", "lint"):
        return kind  # type: ignore[return-value] # three words of both vocabularies
    return None


def _kind(name: str, words: Sequence[str], runs: str) -> str | None:
    """`test:types` lints, as does a `test:code` that starts nothing but a linter."""
    told = {each.kind for each in known.of_script(runs)}
    if name != "test" and (not _LINTS.isdisjoint(words[1:]) or told == {"lint"}):
        return "lint"
    if name == "all":
        return "build" if not told or "build" in told else None
    return known.of_task(name)


def _setup(words: Sequence[str], runs: str) -> Purpose | None:
    """Installing dependencies, not the product into a system."""
    if not words or words[0] not in _SETUP:
        return None
    return "install" if words[0] != "install" or of_text(runs, ()) == "install" else None


def of_text(text: str, own: Collection[str]) -> Purpose | None:
    """What a command line is for; `own` are the names of the repository's packages."""
    plain = _plain(text)
    words = plain.split()[:40]
    if not words or plain in _BARE_VERBS or _NO_WORK.search(plain):
        return None
    if _begins(words, _INSTALLS) and not _names_package(words):
        return "install"
    if _begins(words, _USES):
        return "use" if _is_own(words, own) else None
    for purpose, chains in _BY_TEXT:
        if _begins(words, chains):
            return "services" if _SERVICES.match(plain) else purpose
    if _FORMATS.search(plain):
        return "lint" if _ONLY_CHECKS.search(plain) else "format"
    found = known.of_script(plain)
    if is_verifying(plain):
        return None
    if found and found[0].kind == "test" and _FETCHES.search(plain):
        return None  # It brings what tests need.
    if found and found[0].kind in ("build", "test", "lint"):
        return found[0].kind
    return None


def is_called(purpose: str, name: str) -> int:
    """0 for a task that bears the purpose's plainest name, 1 for one whose name begins with it."""
    names = _NAMES.get(purpose, ())
    if name.lower() in names[:2]:
        return 0
    first = re.split(r"[:._-]", name.lower(), maxsplit=1)[0]
    return 1 if name.lower() in names else 2 if first in names else 3


def is_verifying(text: str) -> bool:
    """Does it start a script that verifies something, but not by tests?"""
    return _VERIFIES.search(_plain(text)) is not None


def program(text: str) -> str:
    """The program that a command line starts, without its folder."""
    return next(iter(_plain(text).split()), "").rpartition("/")[2]


def extra_words(text: str) -> int:
    """How much there is to a command behind its program and what it is asked for; the name of a
    script counts, because what it does stands elsewhere."""
    words = _plain(text).split()
    is_script = any(
        re.search(r"/\w[\w-]{0,100}\.(?:sh|py|js|ts|rb|pl)$", word) for word in words[:2]
    )
    return max(0, len(words) - 2) + 4 * is_script


def is_plain(purpose: str, text: str) -> bool:
    """Does a command line say in a word what it is for?"""
    words = set(_plain(text).lower().split())
    programs = _PROGRAMS.get(purpose, "").split()
    return not words.isdisjoint(_NAMES.get(purpose, ())) or program(text) in programs


def _plain(text: str) -> str:
    """Without what is said before a program: its rights and its environment."""
    return _PREFIX.sub("", _PREFIX.sub("", text.strip()))


def _begins(words: Sequence[str], chains: Collection[tuple[str, ...]]) -> bool:
    for chain in chains:
        if chain in _BARE and len(words) > 1 and chain[0] in ("yarn", "bundle"):
            continue
        if tuple(words[: len(chain)]) == chain:
            return True
    return False


def _names_package(words: Sequence[str]) -> bool:
    """Does it install something by name rather than what the repository asks for?"""
    if any(
        word in _EDITABLE or word.startswith((".[", "./", "-r", "'.[", '".[')) for word in words
    ):
        return False
    if words[0] in ("npm", "pnpm", "yarn", "bun") and words[1:2] != ["ci"]:
        return any(not word.startswith("-") for word in words[2:])
    return False


def _is_own(words: Sequence[str], own: Collection[str]) -> bool:
    return any(_bare(word) in own for word in words[1:])


def _bare(word: str) -> str:
    """The name of a package without its version, extras and quotes."""
    return re.split(r"\[|[=<>~!]=|(?<=.)@", word.strip("\"'").lower(), maxsplit=1)[0]
