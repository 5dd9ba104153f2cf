"""What a command is for, by its name or by its words, with a table for either."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from stationmaster.catalogue.repositories import work as catalogue
from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.catalogue.repositories.work import work
from stationmaster.pipelines import commands as known
from stationmaster.reading.projects.test_files import has_test_name

_LIKE = expressions("purposes")

Purpose = Literal[
    "use", "install", "configure", "services", "prepare", "build", "run", "assets",
    "test", "single", "lint", "format", "image",
]  # fmt: skip
"""In the order of the work; `single` runs one test."""
Doing = Literal[
    "compose_up",
    "configures_build",
    "front_end",
    "packs",
    "prepares",
    "production",
    "removes",
    "verifies",
]


_WORDS = work().words


def _is_open(word: str) -> bool:
    """Does the last word of a command match any that begins so, as `db:` and `-B*` do?"""
    return word.endswith((":", ".", "*")) and len(word) > 2


def _by_first_word(commands: Iterable[str]) -> Mapping[str, Sequence[Sequence[str]]]:
    """The words of commands by the first of them, those that any word may begin by ''."""
    chains: dict[str, list[Sequence[str]]] = defaultdict(list)
    for words in map(str.split, commands):
        chains["" if len(words) == 1 and _is_open(words[0]) else words[0]].append(words)
    return chains


_BY_TEXT: tuple[Purpose, ...] = ("configure", "prepare", "run", "test")
_CHAINS = {purpose: _by_first_word(row.commands) for purpose, row in work().purposes.items()}
_PREFIX = re.compile(r"^(?:sudo\s+|\$\s+|(?:[A-Z_][A-Z0-9_]*=\S*\s+){1,6})")
_IN_VARIABLE = re.compile(r"^\$[({](?:[A-Z0-9]{1,30}_){0,4}([A-Z0-9]{1,30})[)}](?=\s)")
"""A program that a Makefile calls by a variable: `$(VENV_PIP)`."""
_ASSIGNED = re.compile(r"\s[A-Z_]{1,40}=(?:'[^']*'|\"[^\"]*\"|\S*)")
_SUBPROJECT = re.compile(r"^(\S*gradlew? ):[\w:-]{0,100}:")
"""The part of a Gradle build that a task is of."""
_IMAGE = re.compile(r"(?:[\w.:-]+/)*([\w.-]+)/([\w.-]+)(?::[\w.-]+)?")
_PARTS = frozenset({"server", "app", "api", "web", "backend"})
"""Names of images that distinguish a project's own account."""
_OWN_PARTS = _PARTS - {"web", "server"}
"""Parts that start the product itself, before what is done with them in names of tasks."""
_JOINED = re.compile(r"[;&|]+")
_EDITABLE = frozenset({"-e", "--editable", "-r", "--requirement", ".", ".[", "./"})
_NO_WORK = re.compile(
    r"\s(?:--dry-run|--package-lock-only|--lockfile-only)(?:\s|$)"
    r"|\b(?:db|ecto|migrate)[.:](?:drop|reset|rollback|test|fresh|status)\b"
    r"|^(?:python3?|node|ruby|perl|php|deno) -[cer]\s"
    r"|^cargo (?:bench\b|test --doc\b)|^go test\s.{0,200}-bench\b"
    r"|^docker buildx (?!build|bake)|^docker (?:buildx )?build\s.{0,200}--check\b"
    r"|^go run \S{1,200}@|^go run (?:\./)?vendor/|^cd \.\./|\bexec:java\b|\bdependency:"
    r"|^(?:npm (?:install|i)|yarn add|pnpm add) (?:--save(?:-dev)?|--dev|--global|-[DSg])$"
    r"|^meson (?:configure|install|wrap|dist|introspect)\b"
    r"|\b(?:gatling|jmeter|sonar):|\b(?:gatling|jm)Run\b|\bgradlew? sonar(?:qube)?\b"
    r"|\b(?:pre-commit|prek|lefthook) install\b|\b(?:tox|nox) (?:-l|-a|list|--list\w{0,9})(?:\s|$)"
)
_RUNNERS = frozenset({
    "make", "just", "task", "poe", "rake", "npm", "pnpm", "yarn", "bun", "hatch", "pdm", "mise",
})  # fmt: skip
"""They take the name of a task."""
_SUBCOMMAND = re.compile(r"[a-z][a-z_-]{0,40}")
_STARTING = _WORDS.runs.intersection(("run", "serve", "server", "start"))
_AROUND_TESTS = frozenset({"up", "down", "start", "stop", "logs", "clean"})
_WHOLE = frozenset({"e2e", "integration"})
_FETCHES = re.compile(r"\s(?:install|download|add)(?:\s|$)")
_BRINGS = re.compile(
    r"\s(?:install|download)(?:\s|$)|(?:^|[\s/])(?:prepare|set-?up|install|start)[-_]"
)
_LISTS = re.compile(r"@?(?:grep|awk|sed|cat|column|ls|find)\s")
_STARTS = (["dev"], ["start"], ["serve"])
_ONLY_FOLDERS = re.compile(r"(?:mkdir|touch)(?: [\w./-]{1,80}){1,9}")
_ONLY_CHECKS = re.compile(r"--check|--diff|-check\b|--verify-no-changes|--list-different")


def of_name(name: str, runs: str) -> Purpose | None:
    """What a task is for; `runs` is what it does. None for what is none of the purposes."""
    words = re.findall(r"[a-z0-9]+", name.lower())
    runs = _LIKE["tidies"].sub("", _plain(runs), count=1) if runs else runs
    if does(runs, "removes") or _ONLY_FOLDERS.fullmatch(runs):
        return None
    if name.lower() in _named("prepare").names:
        return "prepare"
    if not _WORDS.delivers.isdisjoint([*words, *_asked(name, runs)]):
        return None
    if len(words) > 1 and words[0] in _OWN_PARTS:
        words = words[1:] if words[1] in _WORDS.runs - {"up"} else words
    if not words or words[0] in _WORDS.aside or words[0] in _WORDS.setup:
        return _setup(words, runs)
    if words[0] in _WORDS.services and not _WORDS.runs.isdisjoint(words[1:2]):
        return "services"
    if words[0] == "configure":
        return "configure"
    if words == ["up"] and runs and "up" not in runs.split():
        return None  # It updates what the product depends on.
    if words[0] in _WORDS.runs and _WORDS.runs_another.isdisjoint(words):
        if _LIKE["of_tests"].search(runs) or _LIKE["makes_another"].search(runs):
            return None  # It starts what tests need, a test, or a site of documents.
        return "run" if _WORDS.services.isdisjoint(words) else "services"
    if words[0] == "start":
        return None
    others = _WORDS.runs_another | _WORDS.others | _WORDS.beside
    if ":" in name and words[1:] in _STARTS and words[0] not in others:
        return "run"
    checks = _WORDS.checks.intersection(words) - ({"lint"} if "fix" in words else set())
    if not (checks or _WORDS.formats.isdisjoint(words)):
        return "lint" if _ONLY_CHECKS.search(runs) else "format"
    kind = _kind(name, words, runs)
    if kind == "test" and _is_beside_tests(name, words, runs):
        return None
    if kind == "build":
        is_packer = is_called("build", name) > 0 and does(runs, "packs")
        is_other = "/" in name or is_packer or _LISTS.match(runs) is not None
        return None if is_other else _built(runs, words)
    is_open = {*words} <= {"check", "checks"} or (
        words[0] == "verify" and known.of_task(name.replace("verify", "")) is None
    )
    if is_open and kind in ("test", "lint"):
        unknown = None if words[0] == "verify" else kind
        kind = next((line.kind for line in known.of_script(runs)), unknown)
    if kind in ("test", "lint"):
        return kind  # type: ignore[return-value] # two words of both vocabularies
    starts = of_text(runs, ()) == "run" and not _LIKE["generator"].match(_plain(runs))
    return "run" if len(words) == 1 and starts else None


def _asked(name: str, runs: str) -> list[str]:
    """Words of the tasks that one for all starts."""
    return re.findall("[a-z0-9]+", runs.lower()) if name.lower() == "all" else []


def _is_beside_tests(name: str, words: Sequence[str], runs: str) -> bool:
    """Does a task report on tests, measure, or start or stop what they need?"""
    is_around = words[-1] in _AROUND_TESTS and of_text(runs, ()) != "test"
    return is_around or "bench" in words or _LIKE["reports"].search(f"{name} {runs}") is not None


def _kind(name: str, words: Sequence[str], runs: str) -> str | None:
    """`test:types` lints, as does a `test:code` that starts nothing but a linter."""
    kinds = {line.kind for line in known.of_script(runs)}
    if words[0] in _WORDS.runs and not _WORDS.checks.isdisjoint(words):
        return "lint"
    if name != "test" and (not _WORDS.lints.isdisjoint(words[1:]) or kinds == {"lint"}):
        return "lint" if known.of_task(name) != "build" else "build"
    if name.lower() == "all":
        is_help = _WORDS.aside.intersection(runs.split()[1:]) or _LISTS.match(runs)
        is_more = len(known.of_script(runs)) < len(_JOINED.split(runs))
        if {"install", *_RUNNERS, "clean"}.issuperset(asked := _asked(name, runs)) and asked:
            return None
        return "build" if "build" in kinds or not (is_help or (kinds and not is_more)) else None
    kind = known.of_task(name)
    others = {*words} - {"check", "checks"}
    if kind == "lint" and words[0] in others and len(others) < len({*words}):
        # What `contributors:check` checks is no code, unless it starts what does.
        return kind if "lint" in kinds or not others.isdisjoint(_WORDS.lints) else None
    return kind


def _built(text: str, name: Collection[str] = ()) -> Purpose | None:
    """What a command builds: the product, an image of it, or, for None, something else, such as its
    documents."""
    plain = _plain(text)
    if not _WORDS.others.isdisjoint(name) or _LIKE["makes_another"].search(plain):
        return None
    parts = [part.strip() for part in _JOINED.split(plain)]
    of_images = any(map(_LIKE["images"].match, parts)) or _LIKE["image_script"].match(plain)
    is_image = not _WORDS.images.isdisjoint(name) or of_images
    return "image" if is_image else "build"


def names_setup(name: str) -> bool:
    """Is a task called as what brings the dependencies?"""
    return re.split("[^a-z0-9]", name.lower(), maxsplit=1)[0] in _WORDS.setup


def _setup(words: Sequence[str], runs: str) -> Purpose | None:
    """Installing dependencies, not the product into a system."""
    if not words or words[0] not in _WORDS.setup or _LIKE["released"].search(runs):
        return None
    if not _WORDS.upkeep.isdisjoint(words[1:]):
        return None
    is_open = words[0] not in ("install", "vendor")
    return "install" if is_open or of_text(runs, ()) == "install" else None


def of_text(text: str, own: Collection[str]) -> Purpose | None:
    """What a command line is for; `own` are the names of the repository's packages."""
    plain = _plain(text)
    words = _LIKE["within"].sub("", plain, count=1).split()[:40]
    if (
        not words
        or _ASSIGNED.sub("", plain) in work().lines.bare
        or _NO_WORK.search(plain)
        or _LIKE["reports"].search(plain)
        or _LIKE["cut"].search(plain)
        or known.is_idle(words)
    ):
        return None
    if task := _LIKE["of_project"].match(plain):
        purpose = of_name(task[1], "")
        return "lint" if purpose == "format" and _ONLY_CHECKS.search(plain) else purpose
    is_install = _begins(words, "install") or (words[0] in ("pip", "pip3") and _is_here(words))
    if _LIKE["installs"].match(plain) or (is_install and not _names_package(words)):
        return None if _LIKE["released"].search(plain) else "install"
    if _begins(words, "use"):
        return "use" if _is_own(words, own) else None
    if "/" in words[0] and program(plain).lower() in own:
        return "run" if _serves(words) else None
    if words[0] in own and next(filter(_SUBCOMMAND.fullmatch, words[1:]), "") in _STARTING:
        return "run"
    if does(plain, "prepares"):
        return "prepare"
    if _LIKE["builder"].match(plain):
        return "build"
    for purpose in _BY_TEXT:
        if _begins(words, purpose):
            is_around = _LIKE["services"].match(plain) and words[-1].lower() not in own
            return "services" if is_around else purpose
    if _LIKE["formats"].search(plain) and not _FETCHES.search(plain):
        return "lint" if _ONLY_CHECKS.search(plain) else "format"
    commands = known.of_script(plain)
    if does(plain, "verifies"):
        return None
    if commands and commands[0].kind == "test":
        if _BRINGS.search(plain) or _LIKE["image_script"].match(plain):
            return None  # It brings what tests need.
        if _LIKE["of_one_test"].search(plain) or any(map(is_test_file, words[1:])):
            return "single"
    kind = commands[0].kind if commands else None
    if kind == "build":
        asked = " ".join(words[1:3]) if words[0] in _RUNNERS else ""
        return _built(plain, re.findall(r"[a-z0-9]+", asked.lower()))
    return kind if kind in ("test", "lint") else None


def _serves(words: Sequence[str]) -> bool:
    """Does what was built, where the build puts it, do nothing besides serving?"""
    word = next(iter(words[1:]), "")
    return not _SUBCOMMAND.fullmatch(word) or word in _WORDS.runs | _WORDS.serves


def is_test_file(word: str) -> bool:
    """Does a word name a file of tests, or a test in one?"""
    file = word.partition("::")[0]
    return "." in file and not file.startswith("-") and has_test_name(file)


def is_called(purpose: str, name: str) -> int:
    """0 for a task that bears the purpose's plainest name, 1 for one whose name begins with it."""
    names = _named(purpose).names
    if name.lower() in names[:2]:
        return 0
    first, *rest = re.split(r"[:._-]", name.lower(), maxsplit=1)
    is_plainly = name.lower() in names or (first in _OWN_PARTS and not {*names}.isdisjoint(rest))
    return 1 if is_plainly else 2 if first in names else 3


def installer(text: str) -> tuple[int, str]:
    """What installs a release by a command, behind how early the catalogue lists it."""
    words = _LIKE["within"].sub("", _plain(text), count=1).split() or [""]
    ways = _named("use").commands
    rows = (at for at, way in enumerate(ways) if _follows(words, way.split()))
    return next(rows, len(ways)), words[0]


def last_of(text: str) -> Purpose | None:
    """What the last command of a line is for; None where the line continues, or its file names a
    goal."""
    last = _JOINED.split(text)[-1].strip()
    is_open = _LIKE["goes_on"].search(text) or _LIKE["without_goal"].fullmatch(last)
    return None if is_open else of_text(last, ())


def compiles(text: str) -> bool:
    """Does it compile, and leave no program behind where there are several packages?"""
    return text in work().compiles


def does(text: str, what: Doing) -> bool:
    """Does a command line, with its environment or without it, do what such an expression of the
    catalogue describes?"""
    return any(_LIKE[what].search(it) for it in (text, _plain(text)))


def bundles(text: str) -> bool:
    """Does it build the files of a front end once, and end?"""
    return _LIKE["bundles"].search(text) is not None and not _LIKE["goes_on"].search(text)


def is_special(name: str) -> bool:
    """Is a task called as one that starts or builds the product to be measured or released?"""
    return not _WORDS.special.isdisjoint(re.findall(r"[a-z0-9]+", name.lower()))


def names_front_end(name: str) -> bool:
    """Is a task called after the files of a front end (`build-js`), and not after tests of all?"""
    first, *words = re.findall(r"[a-z0-9]+", name.lower()) or [""]
    return first not in _WHOLE and not _WORDS.front_end.isdisjoint(words)


def program(text: str) -> str:
    """The program that a command line starts, without its folder."""
    return next(iter(_plain(text).split()), "").rpartition("/")[2]


def languages(text: str) -> frozenset[str]:
    """The languages that the program of a command line is for; empty where it is for any."""
    return work().languages.get(program(text), frozenset())


def extra_words(text: str) -> int:
    """How many words a command has in addition to its program and what it runs; the name of a
    script counts, because what it does is written elsewhere."""
    words = _plain(text).split()
    is_script = any(
        re.search(r"/\w[\w-]{0,100}\.(?:sh|py|js|ts|rb|pl)$", word) for word in words[:2]
    )
    return max(0, len(words) - 2) + 4 * is_script


def is_plain(purpose: str, text: str) -> bool:
    """Does a command line have a word that states its purpose?"""
    row = _named(purpose)
    words = set(_plain(text).lower().split())
    return not words.isdisjoint(row.names) or program(text) in row.programs


def _named(purpose: str) -> catalogue.Purpose:
    return work().purposes.get(purpose) or catalogue.Purpose()


def _plain(text: str) -> str:
    """A command without what precedes its program: its rights and its environment."""
    plain = _SUBPROJECT.sub(r"\1", _PREFIX.sub("", _PREFIX.sub("", text.strip())))
    named = _IN_VARIABLE.match(plain)
    is_program = named is not None and named[1].lower() in work().lines.programs
    return named[1].lower() + plain[named.end() :] if named and is_program else plain


def _begins(words: Sequence[str], purpose: str) -> bool:
    is_more = words[0] in ("yarn", "bundle") and len(words) > 1
    chains = (*_CHAINS[purpose].get(words[0], ()), *_CHAINS[purpose].get("", ()))
    return any(_follows(words, it) and not (is_more and len(it) == 1) for it in chains)


def _follows(words: Sequence[str], chain: Sequence[str]) -> bool:
    """Do words begin with others?"""
    *first, last = chain
    rest = words[len(first) : len(chain)]
    if list(words[: len(first)]) != first or not rest:
        return False
    return rest[0].startswith(last.rstrip("*")) if _is_open(last) else rest[0] == last


def _names_package(words: Sequence[str]) -> bool:
    """Does it install something by name rather than what the repository asks for?"""
    if _is_here(words):
        return False
    if words[0] in ("npm", "pnpm", "yarn", "bun") and words[1:2] != ["ci"]:
        return any(not word.startswith("-") for word in words[2:])
    return False


def _is_here(words: Sequence[str]) -> bool:
    """Does it install what is in the folder, or what a file of the folder lists?"""
    return any(
        word in _EDITABLE or word.startswith((".[", "./", "-r", "'.[", '".[')) for word in words
    )


def _is_own(words: Sequence[str], own: Collection[str]) -> bool:
    if words[0] == "docker":  # An image without its owner's name is one that was built here.
        images = [image for word in words if (image := _IMAGE.fullmatch(word.lower()))]
        return any(image[1 if image[2] in _PARTS else 2] in own for image in images)
    return any(_bare(word) in own for word in words[1:])


def _bare(word: str) -> str:
    """The name of a package without its version, extras and quotes."""
    return re.split(r"\[|[=<>~!]=|(?<=.)@", word.strip("\"'").lower(), maxsplit=1)[0]
