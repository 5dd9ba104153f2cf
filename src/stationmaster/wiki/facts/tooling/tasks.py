"""What people type to install, configure, build, run, test and check the product.

Every command stands in the repository: in a manifest, a file of tasks, a workflow or a document.
A script or a target is told as its runner is asked for it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

import msgspec

from stationmaster.reading.projects.model import Command, CommandSource
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling import purposes, runners
from stationmaster.wiki.facts.tooling.purposes import Purpose
from stationmaster.wiki.text.inline import Place

PURPOSES: tuple[Purpose, ...] = (
    "use", "install", "configure", "services", "build", "run", "test", "lint", "format",
)  # fmt: skip
TASKS_MAX = 60
"""Of one purpose."""
_TEXT_MAX = 160
_UNCLEAR = re.compile(
    r"\$\{?\{|\$[({]|%\w+%|<[\w .:/-]+>|…|(?<!/)\.\.\.|\b(?:YOUR|your)[-_ ]|\bmy[-_]\w|\bmyapp\b|^#"
    r"|\{\{|\\$|[`\x00]|--target[= ]\S+-\S+-\S|\bexamples?/|\s>|\s\||\|\s"
)
"""What a command holds that is no command yet: somebody has to put something in first."""
_DEVELOPERS = re.compile(
    r"(?i)(?:(?:\.github|\.gitlab|docs?|documentation)/)?(?:[\w.-]{0,40}/)?"
    r"(?:readme|contribut|develop|hacking|build|install|test|setup|agents?\.|claude|gemini"
    r"|getting[-_]?started|quick[-_]?start|local)[\w.-]{0,60}"
)
"""Documents that tell how to work on the product itself."""
_TUTORIAL = re.compile(
    r"(?i)(?:^|/)(?:tutorials?|blog|how-?tos?|recipes?|cookbook|plugins?|reference|usage|api)/"
)
_SOURCES: Mapping[CommandSource, int] = {"task": 0, "script": 0, "document": 1, "ci": 2}


class Task(msgspec.Struct, frozen=True):
    """`text` is what is typed in `folder`; `name` is the task's own, '' for a plain command, and
    `runs` the first thing that a named task does. `count` is how many places name it."""

    text: str
    folder: str
    name: str
    runs: str
    source: CommandSource
    place: Place
    count: int = 1


@query
def tasks(facts: Facts, purpose: str) -> tuple[Task, ...]:
    """Those of a purpose, the one to begin with first, each command once."""
    return _by_purpose(facts).get(purpose, ())


@query
def best(facts: Facts, purpose: str) -> Task | None:
    return next(iter(tasks(facts, purpose)), None)


@query
def _by_purpose(facts: Facts) -> Mapping[str, tuple[Task, ...]]:
    found: dict[str, dict[tuple[str, str], Task]] = defaultdict(dict)
    mentions = _mentions(facts)
    for purpose, task in _told(facts):
        key = (task.folder, task.text)
        if key not in found[purpose]:
            found[purpose][key] = msgspec.structs.replace(task, count=max(1, mentions[task.text]))
    return {
        purpose: tuple(
            sorted(
                some.values(), key=lambda each: (_is_minor(facts, each), *_order(purpose, each))
            )[:TASKS_MAX]
        )
        for purpose, some in found.items()
    }


def _order(purpose: str, task: Task) -> tuple[object, ...]:
    """Nearest to the root first, what is called exactly so, what is named most often."""
    exact = purposes.is_called(purpose, task.name) if task.name else 2
    extra = (
        (False, 0)
        if task.name
        else (not purposes.is_plain(purpose, task.text), purposes.extra_words(task.text))
    )
    near = task.place.path.count("/") if task.source == "document" else 0
    depth = 0 if task.folder == "." else 1 + task.folder.count("/")
    is_plain = purpose in ("use", "install", "configure")
    source = 0 if is_plain and task.source == "document" else _SOURCES.get(task.source, 3)
    aside = is_test(task.folder + "/x") or _is_aside(task.folder)
    return (
        aside, depth, source if is_plain else exact, near, extra, -min(task.count, 4), source,
        task.place.path.count("/"), len(task.text), task.text, task.place,
    )  # fmt: skip


def _is_minor(facts: Facts, task: Task) -> bool:
    """Is it for a language that only a small part of the repository is written in?"""
    counts = facts.tree.project.languages
    handled = _LANGUAGES.get(purposes.program(task.text))
    own = sum(counts.get(each, 0) for each in handled or ())
    return handled is not None and own * _MINOR < max(counts.values(), default=0)


def _is_aside(folder: str) -> bool:
    """Does a folder hold documents or tools rather than the product?"""
    return folder.partition("/")[0].lower() in _ASIDE


_ASIDE = frozenset({"docs", "doc", "website", "site", "examples", "tools", "hack", "scripts",
                    "benchmarks", "bench", "e2e", "www", "ci"})  # fmt: skip


def _told(facts: Facts) -> Iterator[tuple[Purpose, Task]]:
    for task in _named(facts):
        if _is_fixture(task.folder):
            continue
        purpose = purposes.of_name(task.name, task.runs or _starts(facts, task))
        if purpose is not None:
            yield purpose, task
    own = _own_names(facts)
    asked = {each.text for each in _named(facts)}
    for each in _written(facts):
        text = _COMMENT.sub("", each.text)
        purpose = None if text in asked else purposes.of_text(text, own)
        if purpose is None or not _is_clear(text):
            continue
        if purpose != "use" and not (
            _is_meant(each, purpose) and _can_run(facts, each, text) and _is_declared(facts, text)
        ):
            continue
        yield purpose, Task(text, each.folder, "", "", each.source, _place(each))


def _starts(facts: Facts, task: Task) -> str:
    """What a target without a recipe of its own leads to: `make lint; make test`."""
    lines = facts.tree.text(task.place.path).split("\n")
    at = (task.place.line or 1) - 1
    if not task.text.startswith("make ") or at >= len(lines):
        return ""
    words = lines[at].partition(":")[2].partition("#")[0].split()
    return "; ".join(f"make {word}" for word in words if _TARGET.fullmatch(word))


def _written(facts: Facts) -> Iterator[Command]:
    """Commands of workflows and documents; those below a `cd` of a document run where it leads."""
    folder, at = "", Place("")
    for command in facts.tree.project.commands:
        if command.source == "ci":
            yield command
        elif command.source == "document":
            place = _place(command)
            goes_on = place.path == at.path and 0 < (place.line or 0) - (at.line or 0) <= _NEAR
            into = _INTO.match(command.text)
            if into is not None:
                folder = _folder(facts, into[1])
            elif not goes_on:
                folder = ""
            at = place
            yield replace(command, folder=folder) if folder and into is None else command


def _folder(facts: Facts, said: str) -> str:
    """A folder of the repository, as seen from its root or from where it was cloned to; '' for
    what is none."""
    path = said.strip("/").removeprefix("./")
    for name in (path, path.partition("/")[2]):
        if name and any(facts.tree.glob(f"{name}/*", everywhere=True)):
            return name
    return ""


def is_for_developers(path: str) -> bool:
    """Does a document tell how to work on the product itself?"""
    return _DEVELOPERS.fullmatch(path) is not None and _TUTORIAL.search(path) is None


def _is_meant(command: Command, purpose: str) -> bool:
    """What a workflow runs is a tool of its own, seldom the product."""
    if command.source == "ci":
        return purpose != "run"
    return is_for_developers(command.place.path)


def _is_clear(text: str) -> bool:
    return len(text) <= _TEXT_MAX and not (_UNCLEAR.search(text) or _CONDITION.match(text))


def _is_fixture(folder: str) -> bool:
    """Is it below the tests of the product, such as a project that they work on?"""
    return folder.count("/") > 1 and is_test(folder + "/x")


def _can_run(facts: Facts, command: Command, text: str) -> bool:
    """Is what its program works on in the folder where it is said to run, or above?"""
    wanted = _NEEDS.get(purposes.program(text))
    if wanted is None or re.search(
        r"--(?:cwd|prefix|dir|directory|manifest-path)\b|\s-[CF] ", text
    ):
        return True
    return any(
        ("" if folder == "." else folder + "/") + name in facts.records
        for folder in parents(command.folder)
        for name in wanted
    )


def _is_declared(facts: Facts, text: str) -> bool:
    """Is a script that a command asks for one of the repository's?"""
    asked = _SCRIPT.match(text)
    return asked is None or any(
        command.source == "script" and command.name == (asked[1] or asked[2])
        for command in facts.tree.project.commands
    )


_SCRIPT = re.compile(
    r"(?:npm|pnpm|yarn|bun)\s+(?:run(?:-script)?\s+([\w:-]+)|(start|test))(?=\s|$)"
)
_CONDITION = re.compile(r"\s*(?:if|for|while|until|case|then|else)\s|\s*\[")
"""How commands begin that run on a condition."""
_TARGET = re.compile(r"[\w./-]{1,100}")
_LANGUAGES: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("npm", "npx", "pnpm", "yarn", "bun", "eslint", "prettier"),
                    frozenset({"JavaScript", "TypeScript", "TSX", "Vue", "Svelte", "Astro"})),
    **dict.fromkeys(("pip", "pip3", "uv", "poetry", "pdm", "pytest", "tox", "nox", "hatch"),
                    frozenset({"Python"})),
    **dict.fromkeys(("bundle", "gem", "rake"), frozenset({"Ruby"})),
    "composer": frozenset({"PHP"}), "cargo": frozenset({"Rust"}), "go": frozenset({"Go"}),
}  # fmt: skip
"""What the projects are written in whose packages a program handles."""
_MINOR = 4
"""A language with less than a quarter of the main one's files is not what the project is about."""
_INTO = re.compile(r"cd\s+([\w./-]{1,200})\s*$")
_NEAR = 4
"""Lines between commands of one block."""
_COMMENT = re.compile(r"(?<!\s)\s++#\s.{0,300}$")
_NEEDS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), ("package.json",)),
    "cargo": ("Cargo.toml",),
    "go": ("go.mod", "go.work"),
    **dict.fromkeys(("mvn", "mvnw"), ("pom.xml",)),
    **dict.fromkeys(("gradle", "gradlew"), ("build.gradle", "build.gradle.kts", "settings.gradle",
                                            "settings.gradle.kts")),
    "composer": ("composer.json",),
    "bundle": ("Gemfile",),
    **dict.fromkeys(("uv", "poetry", "pdm", "hatch"), ("pyproject.toml",)),
    "swift": ("Package.swift",),
    "just": ("justfile", "Justfile", ".justfile"),
    "make": ("Makefile", "makefile", "GNUmakefile", "Makefile.in", "Makefile.am", "configure",
             "CMakeLists.txt", "configure.ac", "meson.build"),
}  # fmt: skip


@query
def _named(facts: Facts) -> tuple[Task, ...]:
    found: dict[tuple[str, str, str], Task] = {}
    for command in facts.tree.project.commands:
        if command.source in ("script", "task"):
            typed = runners.typed(facts.tree, command)
            key = (command.place.path, command.name, command.folder)
            if typed is not None and (key not in found or _says_little(found[key].runs)):
                runs = "" if command.text == typed else command.text
                found[key] = Task(
                    typed, command.folder, command.name, runs, command.source, _place(command)
                )
    return tuple(found.values())


def _says_little(runs: str) -> bool:
    return not runs or runs.startswith(("echo ", "printf ", "[ ", "mkdir "))


def _mentions(facts: Facts) -> Counter[str]:
    """How many documents and workflows name a command."""
    named = {
        (command.text, command.place.path)
        for command in facts.tree.project.commands
        if command.source in ("ci", "document")
    }
    return Counter(text for text, _ in named)


def _own_names(facts: Facts) -> frozenset[str]:
    """What packages of the repository are called by who installs them, in lower case."""
    names = {manifest.name.lower() for manifest in facts.tree.project.manifests if manifest.name}
    names |= {facts.commit.name.lower()}
    return frozenset(names)


def _place(command: Command) -> Place:
    return Place(command.place.path, command.place.line)


@query
def by_folder(facts: Facts) -> tuple[tuple[str, Mapping[str, Task]], ...]:
    """Folders below the root that have commands of their own, and the best one of each purpose."""
    found: dict[str, dict[str, Task]] = defaultdict(dict)
    for purpose in PURPOSES:
        for task in tasks(facts, purpose):
            if task.folder != "." and purpose != "use":
                found[task.folder].setdefault(purpose, task)
    return tuple(sorted(found.items()))


@query
def examples(facts: Facts) -> tuple[str, ...]:
    """Example files of settings that are to be copied, such as `.env.example`."""
    return tuple(path for path in facts.records if _EXAMPLE.fullmatch(path.rpartition("/")[2])
                 and facts.tree.project.products.has_folder(folder_of(path)))  # fmt: skip


_EXAMPLE = re.compile(
    r"\.?env[\w.-]{0,30}[._-](?:example|sample|template|dist|tpl)|(?:example|sample)[._-]?\.?env"
    r"|\.env\.(?:example|sample|template)[\w.-]{0,30}"
)
