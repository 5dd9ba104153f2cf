"""Programs that manifests declare: what people type once the product is installed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from posixpath import join, normpath
from typing import Any, NamedTuple

from stationmaster.reading.projects.applications.units import is_tooling, only_tests
from stationmaster.reading.projects.command_lines.documented import is_of_documents
from stationmaster.reading.projects.manifests import common, rust
from stationmaster.reading.projects.model import Manifest
from stationmaster.reading.projects.paths import folder_of, is_example, parents
from stationmaster.wiki.facts.code.bindings import file_of_module, meant
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.text.inline import Place

_PROGRAMS_MAX = 1_000
"""Of a manifest."""
_TEXT_MAX = 200_000
_ENTRIES_MAX = 4_000
_POINT = re.compile(r"(?<![\w.-])([\w.-]{1,60})\s{0,8}=\s{0,8}([\w.]{1,120}):([\w.]{1,60})")
"""An entry point of Python: `shop = shop.cli:main`."""
_GROUP = re.compile(r"\bconsole_scripts\b|(?<![\w.-])((?!distutils)[a-z][\w-]{1,40})\.commands\b")
"""What such points are: programs, or commands of another one: `celery.commands`."""
_SCRIPTS = re.compile(
    r"(?m)^\s{0,20}scripts\s{0,8}=[ \t]{0,8}(?:\[([^\]]{1,2000})\]|((?:\n[ \t]+\S+)+))"
)
_NAME = re.compile(r"[A-Za-z][\w.-]{0,60}(?: [\w.-]{1,60})?")
_GEM = re.compile(r"\.executables\s{0,8}(?:=|<<)\s{0,8}([^\n]{1,300})")
_QUOTED = re.compile(r"[\"']([\w.-]{1,60})[\"']")
_WORDS = re.compile(r"%w[\[({]([^\])}]{1,200})")
_LISTING = ("grep", "ls-files")
_FROM_FOLDER = re.compile(r"\b(exe|bin)/")
_EXECUTABLE = re.compile(
    r"(?i)\badd_executable\s{0,8}\(\s{0,8}([\w.-]{1,60})\s{1,20}([\w./-]{1,200})"
)
_ASIDE = re.compile(r"(?i)test|perf|bench|example|demo|fuzz")
_MAJOR = re.compile(r"/v\d{1,4}$")
_BUILT = re.compile(
    r"(?:\./)?(?:dist|distribution|build|lib|out|bin|esm|cjs)/(?:(?:src|esm|cjs|bin)/)?(.+)\.[cm]?js"
)
_PLAIN = frozenset({"cmd", "main", "src"})
"""Folders that name no program of Go."""
_BUILDING = (".goreleaser.yml", ".goreleaser.yaml", "Makefile", "Dockerfile")
_BUILDS = re.compile(r"(?m)^[ -]{0,12}binary:[ ]*[\"']?([\w.-]{1,60})[\"']?[ ]*$")
_MAINS = re.compile(r"(?m)^[ -]{0,12}main:[ ]*[\"']?([\w./-]{1,200})[\"']?[ ]*$")
_GO_BUILD = re.compile(
    r"(?m)\bgo build\b[^\n]{0,300}?\s-o[ =]([\w./-]{1,200})"
    r"\s(?:[^\n]{0,300}\s)?(\./[\w./-]{1,200})\s*$"
)
_SOURCES = ("ts", "tsx", "mts", "js", "mjs")


class Program(NamedTuple):
    """A program by its `name`; it begins in the file `path`, '' where the repository has none such,
    and in a `function` of Python. `place` is the declaration."""

    name: str
    path: str
    function: str
    place: Place


_Declared = Iterator[tuple[str, str, str]]
"""Names with files and functions."""


@query
def programs(facts: Facts) -> tuple[Program, ...]:
    """Those of the product, with distinct names; of published packages where there are any. First
    is the one that is called like the repository."""
    every = [(it, program) for it, program in _programs(facts) if not _is_aside(it, program)]
    published = [program for manifest, program in every if not manifest.is_private]
    kept = published or [program for _, program in every]
    by_name = [*{program.name: program for program in reversed(kept)}.values()][::-1]
    return tuple(sorted(by_name, key=lambda it: it.name != facts.commit.name))


@query
def every_program(facts: Facts) -> tuple[Program, ...]:
    """By manifest, those of tests and tools, too."""
    return tuple(program for _, program in _programs(facts))


@query
def _programs(facts: Facts) -> tuple[tuple[Manifest, Program], ...]:
    programs = []
    for manifest in facts.tree.project.manifests:
        file = manifest.path.rpartition("/")[2]
        read, section = _READERS.get(file) or _READERS.get(file.rpartition(".")[2]) or (None, "")
        if read is None:
            continue
        lines = common.Lines(facts.tree.text(manifest.path))
        lines.seek(section)
        for name, path, function in islice(read(facts, manifest), _PROGRAMS_MAX):
            place = Place(manifest.path, _line(lines, section, name)) if section else Place(path)
            begins = path if path in facts.records else ""
            if _NAME.fullmatch(name):
                programs.append((manifest, Program(name, begins, function, place)))
    return tuple(programs)


def _is_aside(manifest: Manifest, program: Program) -> bool:
    """Is it of tests, examples, tools or documents? Nobody outside installs what is `internal`."""
    folders = manifest.folder, folder_of(program.path or manifest.path)
    is_inner = program.path.endswith(".go") and "internal" in program.path.split("/")
    return is_inner or any(
        only_tests(it, None) or is_tooling(it) or is_of_documents(it) or is_example(f"{it}/x")
        for it in folders
    )


@query
def points(facts: Facts) -> tuple[tuple[str, Spot], ...]:
    """Programs of Python with their functions, where these are named and declared."""
    spots = []
    for program in every_program(facts):
        if program.path and program.function:
            spots.append((program.name, Spot(program.path, program.function)))
            places = meant(facts, program.path, program.function)
            spots += [(program.name, place) for place in places]
    return tuple(spots)


def _line(lines: common.Lines, section: str, name: str) -> int | None:
    """The line of a name in the part of a manifest that declares programs: below the one before,
    as most are in order, else from the beginning of the part, or of the file."""
    name = name.rpartition(" ")[2]
    forms = (f'"{name}"', f"{name} =", f"{name}=", name)
    for start in ("", section, r"\A"):
        if start:
            lines.seek(start)
        if line := next(filter(None, map(lines.of, forms)), None):
            return line
    return None


def _of_python(facts: Facts, manifest: Manifest) -> _Declared:
    tables = (("tool", "poetry", "scripts"), ("project", "scripts"), ("project", "gui-scripts"))
    for keys in tables:
        for program, target in common.mapping(common.inside(manifest.data, *keys)).items():
            if isinstance(target, str):
                yield program, *_function(facts, *target.partition(":")[::2])


def _of_setup(facts: Facts, manifest: Manifest) -> _Declared:
    points = manifest.data.get("entry_points")
    text = str(points) if points else facts.tree.text(manifest.path)[:_TEXT_MAX]
    for group in _GROUP.finditer(text):
        listed = re.split(r"\]|\n\[|\n\w", text[group.end() : group.end() + _ENTRIES_MAX])[0]
        for program, module, function in _POINT.findall(listed):
            whole = f"{group[1]} {program}" if group[1] else program
            yield whole, *_function(facts, module, function)
    scripts = _SCRIPTS.search(facts.tree.text(manifest.path)[:_TEXT_MAX])
    for script in (scripts[1] or scripts[2]).replace(",", " ").split() if scripts else ():
        path = _in(manifest, script.strip("'\""))
        if path in facts.records:
            yield path.rpartition("/")[2], path, ""


def _function(facts: Facts, module: str, function: str) -> tuple[str, str]:
    return file_of_module(facts, module), function


def _of_cargo(facts: Facts, manifest: Manifest) -> _Declared:
    if rust.is_web_assembly(manifest):
        return
    bins, package = manifest.data.get("bin"), common.mapping(manifest.data.get("package"))
    main, own = _in(manifest, "src/main.rs"), set()
    implied = {
        path: path.rpartition("src/bin/")[2].partition("/")[0].removesuffix(".rs")
        for path in facts.tree.glob("src/bin/*.rs", "src/bin/*/main.rs", under=manifest.folder)
    }
    for row in map(common.mapping, bins if isinstance(bins, list) else ()):
        if isinstance(program := row.get("name"), str):
            path = row.get("path")
            near = next((it for it, name in implied.items() if name == program), main)
            own.add(place := _in(manifest, path) if isinstance(path, str) else near)
            yield program, place, ""
    name = package.get("name")
    if isinstance(name, str) and main in facts.records:
        implied[main] = name
    for path, program in implied.items() if package.get("autobins") is not False else ():
        if path not in own:
            yield program, path, ""


def _of_npm(facts: Facts, manifest: Manifest) -> _Declared:
    bins = manifest.data.get("bin")
    if isinstance(bins, str) and manifest.name:
        bins = {manifest.name.rpartition("/")[2]: bins}
    for program, target in common.mapping(bins).items():
        if isinstance(target, str):
            yield program, source_of(facts, manifest, target), ""


def source_of(facts: Facts, manifest: Manifest, target: str) -> str:
    """The file that a program or package begins in, where it is built to a folder of its own."""
    path = normpath(_in(manifest, target))
    if path not in facts.records and (built := _BUILT.fullmatch(target)):
        names = (
            f"{folder}{built[1]}.{end}" for folder in ("src/", "source/", "") for end in _SOURCES
        )
        return next((it for name in names if (it := _in(manifest, name)) in facts.records), path)
    return path


def _of_composer(_: Facts, manifest: Manifest) -> _Declared:
    bins = manifest.data.get("bin")
    for target in [bins] if isinstance(bins, str) else common.strings(bins):
        yield target.rpartition("/")[2], _in(manifest, target), ""


def _of_gem(facts: Facts, manifest: Manifest) -> _Declared:
    for listed in _GEM.findall(facts.tree.text(manifest.path)[:_TEXT_MAX]):
        folder = _FROM_FOLDER.search(listed)
        if folder and any(it in listed for it in _LISTING):
            paths = facts.tree.glob(f"{folder[1]}/*", under=manifest.folder, everywhere=True)
            yield from ((path.rpartition("/")[2], path, "") for path in paths)
        else:
            words = _WORDS.search(listed)
            for name in words[1].split() if words else _QUOTED.findall(listed):
                paths = [_in(manifest, f"{folder}/{name}") for folder in ("exe", "bin")]
                yield name, next((it for it in paths if it in facts.records), ""), ""


def _of_cmake(facts: Facts, manifest: Manifest) -> _Declared:
    for name, path in _EXECUTABLE.findall(facts.tree.text(manifest.path)[:_TEXT_MAX]):
        if not _ASIDE.search(name) and _in(manifest, path) in facts.records:
            yield name, _in(manifest, path), ""


def _of_go(facts: Facts, manifest: Manifest) -> _Declared:
    """The packages `main` of a module, as they are installed: called after their folders, that of
    the module itself after this. One whose folder says nothing is called as what builds it says,
    else after the module."""
    module = _MAJOR.sub("", manifest.name or "").rpartition("/")[2]
    for path, code in facts.code.items():
        if path.endswith(".go") and any(it.kind == "main" for it in code.entries):
            folder = folder_of(path)
            near = (it for it in parents(folder) if normpath(join(it, "go.mod")) in facts.records)
            if next(near, "") == manifest.folder:
                name = module if folder == manifest.folder else folder.rpartition("/")[2]
                if name in _PLAIN:
                    name = _built(facts, manifest, folder) or module
                yield name, path, ""


def _built(facts: Facts, manifest: Manifest, folder: str) -> str:
    """The name by which a package of Go is built, where that is one alone; '' else."""
    names = set[str]()
    for path in facts.tree.glob(*_BUILDING, under=manifest.folder):
        text = facts.tree.text(path)
        pairs = [it[::-1] for it in _GO_BUILD.findall(text)]
        pairs += zip(_MAINS.findall(text), _BUILDS.findall(text), strict=False)
        names |= {it.rpartition("/")[2] for main, it in pairs if _in(manifest, main) == folder}
    return names.pop() if len(names) == 1 else ""


def _of_dotnet(_: Facts, manifest: Manifest) -> _Declared:
    properties: Mapping[str, Any] = common.mapping(manifest.data.get("properties"))
    if isinstance(program := properties.get("ToolCommandName"), str):
        yield program, _in(manifest, "Program.cs"), ""


def _in(manifest: Manifest, path: str) -> str:
    return normpath(join("" if manifest.folder == "." else manifest.folder, path))


_READERS: Mapping[str, tuple[Callable[[Facts, Manifest], _Declared], str]] = {
    "pyproject.toml": (_of_python, r"^\[(?:project|tool\.poetry)\.(?:gui-)?scripts\]"),
    "setup.cfg": (_of_setup, _GROUP.pattern),
    "setup.py": (_of_setup, _GROUP.pattern),
    "Cargo.toml": (_of_cargo, r"^\[\[bin\]\]"),
    "package.json": (_of_npm, r'^\s{0,8}"bin"'),
    "composer.json": (_of_composer, r'^\s{0,8}"bin"'),
    "CMakeLists.txt": (_of_cmake, r"(?i)^\s{0,8}add_executable\b"),
    "go.mod": (_of_go, ""),
    "gemspec": (_of_gem, r"\.executables\b"),
    "csproj": (_of_dotnet, "<ToolCommandName>"),
    "fsproj": (_of_dotnet, "<ToolCommandName>"),
}
"""By the name or the ending of a manifest, with where programs are declared in it."""
