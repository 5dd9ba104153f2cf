"""Commands that people and agents are told: how to build, and how to set up."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from stationmaster.readiness.evidence import shell
from stationmaster.readiness.evidence.families import family
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips
from stationmaster.reading.projects.documents import Document
from stationmaster.reading.projects.model import Place
from stationmaster.reading.projects.test_files import is_test

_BUILDS = (
    "make",
    "gmake",
    "cmake",
    "ninja",
    "meson setup",
    "meson compile",
    "configure",
    "autogen",
    "bootstrap",
    "cargo build",
    "cargo run",
    "go build",
    "go install ./...",
    "go run",
    "go generate",
    "mvn package",
    "mvn install",
    "mvn verify",
    "mvn compile",
    "mvn clean",
    "mvnw clean",
    "mvnw",
    "gradle build",
    "gradlew",
    "gradle assemble",
    "dotnet build",
    "dotnet run",
    "dotnet publish",
    "dotnet restore",
    "msbuild",
    "nuke",
    "swift build",
    "swift run",
    "xcodebuild",
    "bazel build",
    "bazel run",
    "buck2 build",
    "pants package",
    "npm run build",
    "npm build",
    "npm start",
    "npm run dev",
    "yarn build",
    "yarn run build",
    "yarn dev",
    "pnpm run build",
    "pnpm build",
    "pnpm dev",
    "pnpm -r build",
    "bun run build",
    "bun run dev",
    "turbo build",
    "turbo run build",
    "nx build",
    "nx run-many",
    "deno task build",
    "uv build",
    "python build",
    "poetry build",
    "hatch build",
    "pdm build",
    "python setup.py",
    "mix compile",
    "rake build",
    "rake compile",
    "docker build",
    "docker compose build",
    "docker compose up",
    "docker-compose up",
    "docker-compose build",
    "skaffold run",
    "skaffold dev",
    "just build",
    "task build",
    "earthly",
    "stack build",
    "cabal build",
    "sbt compile",
    "sbt assembly",
    "flutter build",
    "dart compile",
    "zig build",
    "rebar3 compile",
    "nix build",
    "nix develop",
    "mise run build",
    "ant",
    "scons",
    "pip install -e",
    "pip install --editable",
    "terraform init",
    "lerna run build",
    "rush build",
    "west build",
    "idf.py build",
    "gleam build",
    "dune build",
    "composer build",
    "invoke build",
    "build",
    "hugo",
    "mkdocs build",
    "jekyll build",
    "mage",
    "buildr",
)
_INSTALLS = (
    "npm install",
    "npm i",
    "npm ci",
    "yarn install",
    "yarn",
    "pnpm install",
    "pnpm i",
    "bun install",
    "bun i",
    "uv sync",
    "poetry install",
    "pdm install",
    "hatch env create",
    "pipenv install",
    "bundle install",
    "bundle",
    "composer install",
    "mix deps.get",
    "mix setup",
    "dart pub get",
    "flutter pub get",
    "pip install .",
    "pip install -r",
    "deno install",
    "pixi install",
    "conda env create",
    "mamba env create",
    "setup",
    "bin/setup",
    "uv pip install -e",
    "uv pip install -r",
    "rails db:setup",
    "mise install",
    "vendor",
)
_OWN = frozenset({".", "..", "-e", "--editable", "-r", "--requirement", "-U"})
_PROMPT = re.compile(r"^\s*(?:[$%>]|PS[^>]{0,80}>|\(\w{1,40}\)\s*\$)\s+")
LANGUAGES = frozenset(
    {
        "",
        "sh",
        "shell",
        "bash",
        "console",
        "zsh",
        "terminal",
        "shell-session",
        "powershell",
        "ps1",
        "text",
        "txt",
        "cmd",
        "bat",
        "none",
        "shellsession",
        "fish",
        "plaintext",
        "pwsh",
        "sh-session",
    }
)
"""What the fence of a block is marked with that may hold commands."""
_SETUP = re.compile(
    r"(?:dev[-_:]?)?(?:setup|bootstrap)(?:[-_:](?:dev|all|env|environment|local|project|repo|tools"
    r"|deps|dependencies|workspace|venv|development))?"
)
_TARGET = re.compile(
    r"(?i)(?:[\w.-]{0,60}[-_/:.])?(?:all|build|compile|install|run|start|serve|server|dev|develop|up"
    r"|setup|bootstrap|init|test|tests|check|bin|dist|package|image|docker|release|generate|deps"
    r"|world|web|app|binary|local|prod|world|init|everything|default|watch|lint|verify|demo|docs"
    r")(?:[-_/:.][\w.-]{0,60})?"
)
"""Targets of make that come to something built or running."""
_TASK_RUNNERS = frozenset({"make", "gmake", "just", "task", "rake", "mage"})
_FETCHED = re.compile(r"\b(?:curl|wget)\b[^\n]{0,500}\.(?:tar|tgz|zip|txz|bz2)|\btar -?x")
"""In a block: what it builds is the source of something else."""
_SETUP_FILES = (
    "bin/setup",
    "bin/bootstrap",
    "script/setup",
    "script/bootstrap",
    "scripts/setup",
    "scripts/setup.sh",
    "scripts/bootstrap.sh",
    "scripts/bootstrap",
    "setup.sh",
    "bootstrap.sh",
    "dev-setup.sh",
    "bin/dev-setup",
    "scripts/install",
    "script/install",
    "scripts/dev-setup.sh",
    "bin/setup.sh",
    "scripts/setup-dev.sh",
    "scripts/setup_dev.sh",
)
_STARTS = (
    *_INSTALLS,
    "docker compose up",
    "docker-compose up",
    "nix develop",
    "devbox shell",
    "devbox install",
    "make setup",
    "make dev",
    "make bootstrap",
    "make install",
    "make develop",
    "make init",
    "just setup",
    "just bootstrap",
    "task setup",
    "task bootstrap",
    "npm run setup",
    "yarn setup",
    "pnpm setup",
    "cargo build",
    "cargo run",
    "go build",
    "go run",
    "mvn",
    "mvnw",
    "gradlew",
    "gradle build",
    "dotnet build",
    "dotnet run",
    "dotnet restore",
    "swift build",
    "cmake",
    "meson setup",
    "configure",
    "pip install -e",
    "tox",
    "nox",
    "hatch run",
    "make",
    "skaffold run",
    "skaffold dev",
    "vagrant up",
    "tilt up",
    "pre-commit install",
    "go mod download",
)
_NEWCOMERS = re.compile(
    r"(?i)readme|contribut|develop|build|install|set-?_?up|getting|start|hacking|agents?\.md|claude"
    r"|copilot|compil|onboard|environment|workflow|index"
)
_PAST = re.compile(r"(?i)change|news|history|releases?\b|upgrad|migrat")
_BLOCK_LINES_MAX = 3
_SCRIPTS = frozenset({"install", "setup", "bootstrap", "dev-setup", "install-deps"})
_RUNNERS = frozenset({"python", "python3", "uv", "poetry", "npx", "bundle", "hatch", "mise", "pdm"})


def build_cmd_doc(facts: Facts) -> Verdict:
    """Passes where a document has a command that builds it or installs its dependencies."""
    if all(family(app) is None for app in facts.project.apps):
        return skips("There is nothing to build")
    install: Place | None = None
    for document in sorted(guides(facts), key=lambda each: not _is_for_newcomers(each)):
        for words, place in _commands(document):
            if _is_any(words, _BUILDS) and _is_build(words) and not shell.fetches(words):
                return passes(f"{' '.join(words[:4])} is written down", place)
            if install is None and _is_install(words):
                install = place
    if install is not None:
        return passes("The command that installs its dependencies is written down", install)
    return fails("No command that builds or installs it in README, CONTRIBUTING, agent files, docs")


def _is_build(words: shell.Words) -> bool:
    """Of a runner of tasks: by the name of its target, or without one."""
    if shell.program(words) not in _TASK_RUNNERS:
        return True
    targets = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return not targets or any(map(_TARGET.fullmatch, targets))


def single_command_setup(facts: Facts) -> Verdict:
    """Passes where one script, task, dev container or short block sets up a fresh clone."""
    if all(family(app) is None for app in facts.project.apps):
        return skips("There is nothing to set up")
    path = next((file for file in _SETUP_FILES if facts.files.behind(file) is not None), None)
    if path is not None:
        return passes("A script sets it up", Place(path))
    for command in facts.project.commands:
        if (
            command.source in ("script", "task")
            and command.folder == "."
            and (_SETUP.fullmatch(command.name))
        ):
            return passes(f"{command.name} sets it up", command.place)
    for found in facts.tree.glob(
        ".devcontainer/devcontainer.json", ".devcontainer.json", ".devcontainer/*/devcontainer.json"
    ):
        data = facts.tree.json(found)
        for name in ("postCreateCommand", "onCreateCommand", "updateContentCommand"):
            if isinstance(data, dict) and data.get(name):
                return passes(f"The dev container's {name} sets it up", Place(found))
    return _block(facts) or fails(
        "No single command or short block takes a fresh clone to runnable"
    )


def _block(facts: Facts) -> Verdict | None:
    """A block of few lines that ends up with something runnable."""
    for document in filter(_is_for_newcomers, guides(facts)):
        for code in document.code:
            if code.language not in LANGUAGES or _FETCHED.search(code.text):
                continue
            lines = [_PROMPT.sub("", each) for each in code.text.split("\n")]
            words = [each for line in lines for each in shell.simple(line)]
            words = [word for word in words if word[0] not in ("cd", "git", "pushd", "popd")]
            if words and len(words) <= _BLOCK_LINES_MAX and any(map(_starts, words)):
                place = Place(document.path, code.line)
                return passes("A short block of commands sets it up", place)
    return None


def _is_for_newcomers(document: Document) -> bool:
    """Is a page about working on the repository, rather than about one part or feature of it?"""
    folder, _, name = document.path.rpartition("/")
    return folder in ("", ".github") or _NEWCOMERS.search(name) is not None


def _starts(words: shell.Words) -> bool:
    return _is_any(words, _STARTS) and (_is_install(words) or not shell.fetches(words))


def guides(facts: Facts) -> Iterator[Document]:
    """The texts about using and working on the repository, and not about its past."""
    for document in facts.tree.documents:
        is_past = _PAST.match(document.path.rpartition("/")[2]) is not None
        if not is_past and not is_test(document.path):
            yield document


def _commands(document: Document) -> Iterator[tuple[shell.Words, Place]]:
    for code in document.code:
        if code.language in LANGUAGES and not _FETCHED.search(code.text):
            for number, line in enumerate(code.text.split("\n")[:500]):
                for words in shell.simple(_PROMPT.sub("", line)):
                    yield words, Place(document.path, code.line + number)
    for code in document.inline:
        for words in shell.simple(_PROMPT.sub("", code.text)):
            if len(words) > 1:
                yield words, Place(document.path, code.line)


def _is_any(words: shell.Words, phrases: tuple[str, ...]) -> bool:
    """Does a line begin with one of these, runners and flags aside?"""
    program = shell.program(words)
    if program in _RUNNERS:
        return shell.says_any(words, phrases)
    return any(shell.says(words, phrase) for phrase in _by_program(phrases).get(program, ()))


@cache
def _by_program(phrases: tuple[str, ...]) -> Mapping[str, Sequence[str]]:
    by_program: dict[str, list[str]] = defaultdict(list)
    for phrase in phrases:
        by_program[phrase.partition(" ")[0]].append(phrase)
    return by_program


def _is_install(words: shell.Words) -> bool:
    """Installs what a repository asks for, rather than a published product."""
    if "/" in words[0] and shell.program(words) in _SCRIPTS:
        return True
    if not _is_any(words, _INSTALLS):
        return False
    named = [w for w in words[2:] if not w.startswith("-")]
    if words[0] in ("pip", "pip3", "uv", "python", "python3") and "install" in words:
        return any(word.startswith(".") or word in _OWN or word.endswith(".txt") for word in words)
    return not named or words[0] in ("uv", "poetry", "pdm", "bundle", "conda", "mamba", "mise")
