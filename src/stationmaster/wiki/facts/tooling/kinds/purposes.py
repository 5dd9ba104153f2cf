"""What a command line is for, by its words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from stationmaster.catalogue.repositories.expressions import expressions
from stationmaster.catalogue.repositories.work import work
from stationmaster.pipelines import commands as vocabulary
from stationmaster.reading.projects.test_files import has_test_name
from stationmaster.wiki.facts.tooling.kinds.names import (
    RUNNERS,
    Purpose,
    by_name,
    makes_another,
    of_runner,
    row,
    words_of,
)

_LIKE = expressions("purposes")
_TYPED = expressions("written_tasks")
_TEXT_MAX = 240

Doing = Literal[
    "compose_up",
    "configures_build",
    "front_end",
    "packs",
    "prepares",
    "processes",
    "production",
    "removes",
    "reports",
    "selects_tests",
    "verifies",
    "works_beside",
    "works_on_part",
]


Work = Purpose | Literal["other"]
OTHER: Literal["other"] = "other"
"""Work that is none of the purposes, such as a release or a site of documents."""
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
_PREFIX = re.compile(
    r"^(?:sudo\s+|\$\s+|(?:[A-Z_][A-Z0-9_]*=\S*\s+){1,6}"
    r"|[\w-]{1,30} exec [\w-]{1,40} (?=bundle exec )"
    r"|php\s+(?:-d\s?\S{1,60}\s+){0,4}(?=(?:\./)?vendor/bin/\w))"
)
_IN_VARIABLE = re.compile(r"^\$[({](?:[A-Z0-9]{1,30}_){0,4}([A-Z0-9]{1,30})[)}](?=\s)")
"""A program that a Makefile calls by a variable: `$(VENV_PIP)`."""
_ASSIGNED = re.compile(r"\s[A-Z_]{1,40}=(?:'[^']*'|\"[^\"]*\"|\S*)")
_SUBPROJECT = re.compile(r"^(\S*gradlew? ):[\w:-]{0,100}:")
"""The part of a Gradle build that a task is of."""
_IMAGE = re.compile(r"(?:[\w.:-]+/)*([\w.-]+)/([\w.-]+)(?::[\w.-]+)?")
_PARTS = frozenset({"server", "app", "api", "web", "backend"})
"""Names of images that distinguish a project's own account, and parts of the product in names of
tasks."""
_JOINED = re.compile(r"[;&|]+")
_QUOTED = re.compile(r"\"[^\"]*+\"|'[^']*+'")
"""What a program hands on to another, such as options of a linker."""
_EDITABLE = frozenset({"-e", "--editable", "-r", "--requirement", ".", ".[", "./"})
_NO_WORK = re.compile(
    r"\s(?:--dry-run|--package-lock-only|--lockfile-only)(?:\s|$)"
    r"|\balembic (?!upgrade)|\bmakemigrations\b|\b(?:db|ecto|migrate)[.:]"
    r"(?:drop|reset|rollback|test|fresh|status|(?:schema|structure):dump)\b|\s--config-set\s"
    r"|^(?:python3?|node|ruby|perl|php|deno) -[ce]\s|\buv sync\s.{0,200}(?:--upgrade|-U)\b"
    r"|^cargo (?:bench\b|test --doc\b)|^go test\s.{0,200}-bench\b"
    r"|^docker buildx (?!build|bake)|^docker (?:buildx )?build\s.{0,200}--check\b"
    r"|\s-MM?\s|^docker[ -](?:compose )?(?:down|stop|rm|kill|logs|ps)\b"
    r"|^git (?!submodule)|--generate-baseline"
    r"|^go run (?:\./)?vendor/|^cd \.\./|\bexec:java\b|\bdependency:"
    r"|^(?:npm (?:install|i)|yarn add|pnpm add) (?:--save(?:-dev)?|--dev|--global|-[DSg])$"
    r"|\bpatch-package\b|^meson (?:configure|install|wrap|dist|introspect)\b"
    r"|\b(?:gatling|jmeter|sonar):|\b(?:gatling|jm)Run\b|\bgradlew? sonar(?:qube)?\b"
    r"|\b(?:tox|nox) (?:-l|-a|list|--list\w{0,9})(?:\s|$)"
)
_ASKED_MAX = 6
"""Words of a command that asks a runner for one task."""
_UNSURE = frozenset({"install", "up"})
"""Names that state what a task is for only together with its recipe."""
_STARTING_PACKAGES = frozenset({"npx", "uvx"})
"""They start the program of a package, which states what it is for."""
_TOOL = re.compile(r"go run \S{1,200}@")
_SCRIPT_FILE = re.compile(
    r"(?:(?:ba|z)?sh |node |python3? |ruby |php |tsx |ts-node )?(?:[\w.-]+/)*([\w-]+)"
    r"\.(?:sh|py|[mc]?[jt]s|rb|php)\b"
)
_SUBCOMMAND = re.compile(r"[a-z][a-z_-]{0,40}")
_STARTING = _WORDS.runs.intersection(("run", "serve", "server", "start"))
_FETCHES = re.compile(r"\s(?:install|download|add)(?:\s|$)")
_BRINGS = re.compile(
    r"\s(?:install|download)(?:\s|$)|(?:^|[\s/])(?:prepare|set-?up|install|start)[-_]"
)
_FIXES = re.compile(r"\s--(?:fix|write)\b|\s-w\b")
_ONLY_CHECKS = re.compile(r"--check|--diff|-check\b|--verify-no-changes|--list-different")


def of_text(text: str, own: Collection[str]) -> Purpose | None:
    """What a command line is for; `own` are the names of the repository's packages."""
    work = of_line(text, own)
    return None if work == OTHER else work


def of_line(text: str, own: Collection[str]) -> Work | None:
    """As `of_text`; distinguishes what is work of another kind from what is not vocabulary."""
    plain = _plain(text)
    words = _LIKE["within"].sub("", plain, count=1).split()[:40]
    is_bare = _ASSIGNED.sub("", plain) in work().lines.bare
    if not words or is_bare or _LIKE["cut"].search(plain) or _TOOL.match(plain):
        return None
    if _LIKE["checks"].search(plain):
        return "lint"
    if does(plain, "verifies"):
        return None
    if (
        does(plain, "reports")
        or does(plain, "packs")
        or _NO_WORK.search(plain)
        or vocabulary.is_idle(words)
    ):
        return OTHER
    if _begins(words, "use"):
        if _is_own(words, own):
            return "use"
        if words[0] not in _STARTING_PACKAGES and not _is_install(words):
            return None
    if purpose := _by_form(plain) or _by_words(words, own) or _by_runner(" ".join(words)):
        return OTHER if purpose == "run" and _LIKE["of_tests"].search(plain) else purpose
    purpose = _by_vocabulary(plain, words)
    if purpose == "test" and len(words) == 1 and words[0] in own and not program_tests(words[0]):
        return "run" if plain != words[0] else None  # In its environment it is the product.
    if purpose in (None, "build", "image") and _LIKE["makes_another"].search(plain):
        return OTHER
    return purpose


def _by_words(words: Sequence[str], own: Collection[str]) -> Work | None:
    """By the first words of a command, which the catalogue lists."""
    if _is_install(words):
        return OTHER if _LIKE["released"].search(" ".join(words)) else "install"
    if "/" in words[0] and words[0].rpartition("/")[2].lower() in own:
        return "run" if _serves(words) else None
    if words[0] in own and next(filter(_SUBCOMMAND.fullmatch, words[1:]), "") in _STARTING:
        return "run"
    for purpose in _BY_TEXT:
        if _begins(words, purpose):
            is_around = _LIKE["services"].match(" ".join(words)) and words[-1].lower() not in own
            return "services" if is_around else purpose
    return None


def _is_install(words: Sequence[str]) -> bool:
    is_install = _begins(words, "install") or (words[0] in ("pip", "pip3") and _is_here(words))
    return is_install and not _names_package(words)


def _by_form(plain: str) -> Work | None:
    """By what whole commands look like."""
    if _LIKE["installs"].match(plain):
        return "install"
    if does(plain, "prepares"):
        return "prepare"
    if _LIKE["copies_sample"].fullmatch(plain):
        return "configure"
    if _LIKE["builder"].match(plain) or bundles(plain):
        return _of_builder(plain)
    if _LIKE["formats"].search(plain) and not _FETCHES.search(plain):
        return "lint" if _ONLY_CHECKS.search(plain) else "format"
    return None


def _of_builder(plain: str) -> Work:
    """The task that a program which builds the repository is asked for by its last words; what is
    behind an option may be its value."""
    words = plain.partition("build.go")[2].split()
    asked = [word for word in words if not word.startswith("-")]
    known = (it for word in asked for it in by_name(word)[:1])
    is_value = len(words) > 1 and words[-2].startswith("-")
    return next(known, OTHER if asked and not is_value else "build")


def _by_runner(plain: str) -> Work | None:
    """By the name of the task that a runner is asked for."""
    task = of_runner(plain)
    if not task or task in _UNSURE or len(plain.split()) > _ASKED_MAX:
        return None
    purpose = next(iter(by_name(task)), None)
    if purpose in ("run", "build") and makes_another(task):
        return OTHER
    if purpose in ("format", "lint") and (_ONLY_CHECKS.search(plain) or _FIXES.search(plain)):
        return "lint" if _ONLY_CHECKS.search(plain) else "format"
    # Tests and builds may have options, which the vocabulary knows.
    return purpose if purpose not in ("test", "build") else None


def _by_vocabulary(plain: str, words: Sequence[str]) -> Work | None:
    """By the vocabulary of pipelines."""
    commands = vocabulary.of_script(plain)
    kind = commands[0].kind if commands else None
    file = _SCRIPT_FILE.match(plain)
    if file and kind not in by_name(file[1]):
        return None  # Of several words in the name of a script one may be anything.
    if kind == "test":
        if _BRINGS.search(plain) or _LIKE["image_script"].match(plain):
            return OTHER  # It brings what tests need.
        if _LIKE["of_one_test"].search(plain) or any(map(is_test_file, words[1:])):
            return "single"
        return "test"
    if kind == "build":
        asked = " ".join(words[1:3]) if words[0] in RUNNERS else ""
        return _built(plain) if _WORDS.others.isdisjoint(words_of(asked)) else OTHER
    if kind == "lint":
        return "format" if _FIXES.search(plain) else "lint"
    return OTHER if kind in ("publish", "deploy") else None


def _built(plain: str) -> Work | None:
    """What a command builds: the product, or an image of it. What goes on when it has built is a
    part of what it serves."""
    if _LIKE["goes_on"].search(_QUOTED.sub("", plain)) or _LIKE["without_goal"].fullmatch(plain):
        return None
    parts = [part.strip() for part in _JOINED.split(plain)]
    is_image = any(map(_LIKE["images"].match, parts)) or _LIKE["image_script"].match(plain)
    return "image" if is_image else "build"


def _serves(words: Sequence[str]) -> bool:
    """Does what was built, where the build puts it, do nothing besides serving?"""
    word = next(iter(words[1:]), "")
    return not _SUBCOMMAND.fullmatch(word) or word in _WORDS.runs | _WORDS.serves


def is_test_file(word: str) -> bool:
    """Does a word name a file of tests, or a test in one?"""
    file = word.partition("::")[0]
    return "." in file and not file.startswith("-") and has_test_name(file)


def installer(text: str) -> tuple[int, str]:
    """What installs a release by a command, behind how early the catalogue lists it."""
    words = _LIKE["within"].sub("", _plain(text), count=1).split() or [""]
    ways = row("use").commands
    rows = (at for at, way in enumerate(ways) if _follows(words, way.split()))
    return next(rows, len(ways)), words[0]


def program_tests(name: str) -> bool:
    """Does a program test whatever it is started for?"""
    return name in row("test").programs


def compiles(text: str) -> bool:
    """Does it compile, and leave no program behind where there are several packages?"""
    return text in work().compiles


def does(text: str, what: Doing) -> bool:
    """Does a command line, with its environment or without it, do what such an expression of the
    catalogue describes?"""
    return any(_LIKE[what].search(it) for it in (text, _plain(text)))


def only_checks(text: str) -> bool:
    return _ONLY_CHECKS.search(text) is not None


def bundles(text: str) -> bool:
    """Does it build the files of a front end once, and end?"""
    return _LIKE["bundles"].search(text) is not None and not _LIKE["goes_on"].search(text)


def program(text: str) -> str:
    """The program that a command line starts, without its folder."""
    return next(iter(_plain(text).split()), "").rpartition("/")[2]


def is_clear(text: str) -> bool:
    """Can a command be typed as it is written?"""
    return len(text) <= _TEXT_MAX and not (
        _TYPED["unclear"].search(text) or _TYPED["condition"].match(text)
    )


def needs(text: str) -> Sequence[str]:
    """The files one of which a command line works on, as far as its first words state it."""
    words = _LIKE["within"].sub("", _plain(text), count=1).split()
    names = (" ".join(words[:3]), " ".join(words[:2]), program(text))
    return next((work().needs[it] for it in names if it in work().needs), ())


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
    named = row(purpose)
    words = set(_plain(text).lower().split())
    return not words.isdisjoint(named.names) or program(text) in named.programs


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
