"""Variables of the environment that files ask for which no parser reads: those of further languages
by the forms of the catalogue, and scripts that containers start and compose files by the signs of
the shell: `${PORT:-80}`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from stationmaster.catalogue import code
from stationmaster.catalogue.table import compiled
from stationmaster.reading.code.model import Setting
from stationmaster.reading.projects.applications.deploys import is_container_file
from stationmaster.reading.projects.command_lines.documented import is_of_documents
from stationmaster.reading.projects.paths import folder_of, is_below
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.code.comments import lines_of, numbered
from stationmaster.wiki.facts.configured.go_structs import Read
from stationmaster.wiki.facts.extending.offered import is_aside
from stationmaster.wiki.facts.model import Facts, Place, query
from stationmaster.wiki.facts.tooling.deploys import compose_files

_NAMED = (
    r"[\s\"'(]{0,4}([A-Z][A-Z0-9_]{1,99})[\"']?[\])}]?(?:(?:\s*+(?:,|\|\||//|\bor\b)\s*+)"
    r"(?:defaultValue:\s*+)?(?:[\"']([^\"'\n]{0,200})[\"']|(-?\d[\d_.]{0,20}|true|false)\b))?"
)
"""A name with what stands in for it."""
_SHELL = re.compile(r"(?<!\$)\$\{([A-Z][A-Z0-9_]{1,99})(?::?([-=?])([^{}$\n]{0,200}))?\}")
_ASSIGNED = re.compile(
    r"(?m)^[ \t]*(?:export[ \t]+|local[ \t]+|readonly[ \t]+)?([A-Z]\w{1,99})=(?!\"?\$\{\1\b)"
)
"""What a file itself gives a value to, but for what that only stands in for."""
_ENTRY = re.compile(r"(?i)(?:.*/)?(?:[\w.-]{0,60}entry-?_?point[\w.-]{0,40}|[\w.-]{1,60}\.sh)")
_FILE = re.compile(r"[\w.-]{1,99}+")
_OF_SERVER = re.compile(r"(?:.*/)?(?:Caddyfile|[^/]{1,99}\.(?:sh|conf|nginx|template|tmpl))")
_TAKEN = re.compile(r"(?:(?<!\\)\$\{?|\bPassEnv[ \t]+)([A-Z][A-Z0-9_]{1,99})\b")
_TEXT = re.compile(
    r"(?<![Ss]etenv\()(?<!set_var\()(?<!\.env\()[\"'`]([A-Z][A-Z0-9]*_[A-Z0-9_]{1,99})[\"'`]"
    r"(?!\s{0,9}(?::|=|\]\s{0,9}=[^=]))"
)
_APART = re.compile(r"(?i)(?:.*/)?(?:dev|test)\.exs|.*(?:\b|_)(?:e2e|tests?)(?:\b|_)[^/]*")
_REMARK, _SHELL_REMARK = re.compile(r"[ \t]*(?:#|//|--|;|%|\*)"), re.compile(r"[ \t]*#")
_BUNDLED = code.table("ecmascript.settings.bundled", dict[str, str])
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_NEXT = re.compile(r"(?:.*/)?next\.config\.[cm]?[jt]s")
_BUILT_IN = re.compile(r"\benv\s*:\s*\{([^{}]{0,5000})\}")
_COMPILED = re.compile(r"\bcargo::?rustc-env=(\w{1,100})")
_MEMBER = re.compile(r"(?:^|[,\n])[^\S\n]*[\"']?(\w{1,100})[\"']?[^\S\n]*(?=[,:\n]|$)")


_FORMS = {
    ending: compiled(f"{form}{_NAMED}")
    for endings, form in code.table("shared.environment.forms", dict[str, str]).items()
    for ending in endings.split()
}


def read(facts: Facts) -> Iterator[Read]:
    """The variables, with the files that ask for them. Whether one has to be there is not known."""
    for path, record in facts.records.items():
        form = _FORMS.get(path.rpartition(".")[2])
        if form and record.file_class == "source" and not path.startswith("."):
            for line, match in _asked(facts, path, form):
                default = match[3] if match[2] is None else match[2]
                default = None if _APART.fullmatch(path) else default
                yield path, Setting(match[1], "env", line, default)


def _asked(
    facts: Facts, path: str, form: re.Pattern[str], remark: re.Pattern[str] = _REMARK
) -> Iterator[tuple[int, re.Match[str]]]:
    """The matches in a file, with their lines, outside of comments."""
    lines = lines_of(facts, path)
    for line, match in numbered(form, facts.tree.text(path)):
        if line > len(lines) or not remark.match(lines[line - 1]):
            yield line, match


@query
def of_shells(facts: Facts) -> tuple[Read, ...]:
    """What compose files and scripts take that containers start with, under no name that the file
    itself gives a value to."""
    return tuple(_of_shells(facts))


def _of_shells(facts: Facts) -> Iterator[Read]:
    composed = compose_files(facts)
    paths = [path for path, it in facts.records.items() if it.file_class in ("source", "infra")]
    containers = (facts.tree.text(it) for it in paths if is_container_file(it))
    started = {word for text in containers for word in _FILE.findall(text)}
    for path in paths:
        is_composed = path in composed
        is_started = _ENTRY.fullmatch(path) and path.rpartition("/")[2] in started
        if (is_composed or is_started) and not _is_apart(path):
            own = () if is_composed else {*_ASSIGNED.findall(facts.tree.text(path))}
            for line, match in _asked(facts, path, _SHELL, _SHELL_REMARK):
                if (match[2] or is_composed) and match[1] not in own:
                    default = match[3] if match[2] in ("-", "=") else None
                    yield path, Setting(match[1], "env", line, default, match[2] == "?")


@query
def demanded(facts: Facts) -> Mapping[str, str]:
    """The compose files that are not read without a variable, `${KEY:?}`, by its name."""
    composed, rows = compose_files(facts), reversed(of_shells(facts))
    return {it.name: path for path, it in rows if it.is_required and path in composed}


def of_others(facts: Facts, names: Set[str]) -> Iterator[Read]:
    """Where scripts, container files and those of web servers take variables of these names, which
    others set, and where code has the names as texts: in a list of what it asks for."""
    for path, record in facts.records.items() if names else ():
        is_script = _OF_SERVER.fullmatch(path) is not None or is_container_file(path)
        is_code = path in facts.code and record.file_class == "source"
        if (is_script or is_code) and not _is_apart(path):
            own = {*_ASSIGNED.findall(facts.tree.text(path))} if is_script else set()
            form = _TAKEN if is_script else _TEXT
            rows = ((match[1], line) for line, match in _asked(facts, path, form))
            for name, line in dict.fromkeys(rows):
                if name in names and name not in own:
                    yield path, Setting(name, "env", line)


def _is_apart(path: str) -> bool:
    """Is a file of documents, tools or tests?"""
    is_tried = is_test(path) or _APART.fullmatch(path) is not None
    return is_tried or is_aside(path) or is_of_documents(folder_of(path))


def is_bundled(facts: Facts, name: str, reads: Sequence[Place]) -> bool:
    """Is a variable read in bundles alone, or called as those that a bundler puts there?"""
    member = f"import.meta.env.{name}"
    bundlers = [package for begin, package in _BUNDLED.items() if name.startswith(begin)]
    if any(all(_is_built_by(facts, path, it) for path, _ in reads) for it in bundlers):
        return bool(reads)
    rows = [lines_of(facts, path)[line - 1 : line] for path, line in reads]
    return bool(reads) and all(member in "".join(row) for row in rows)


def _is_built_by(facts: Facts, path: str, bundler: str) -> bool:
    """Is a file a script, in a package that depends on a bundler, where that has a name?"""
    is_script = _SCRIPT.search(path) is not None
    return is_script and (not bundler or bundler in _dependencies(facts, folder_of(path)))


@query
def _dependencies(facts: Facts, folder: str) -> frozenset[str]:
    """What the packages around the files of a folder depend on."""
    around = (it for it in facts.tree.project.manifests if is_below(folder, it.folder))
    return frozenset(dependency.name for it in around for dependency in it.dependencies)


def built_in(facts: Facts) -> Iterator[tuple[str, list[str]]]:
    """Names that a file of settings of Next.js puts into the code when it is built."""
    for path in filter(_NEXT.fullmatch, facts.tree.paths):
        for block in _BUILT_IN.finditer(facts.tree.text(path)):
            yield path, _MEMBER.findall(block[1])


def of_build_scripts(facts: Facts) -> Iterator[str]:
    """Names that a build script of Rust gives the compiler."""
    for path in facts.tree.paths:
        if path.rpartition("/")[2] == "build.rs":
            yield from _COMPILED.findall(facts.tree.text(path))
