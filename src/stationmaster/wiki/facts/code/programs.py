"""Names under which files are started: those of manifests, else those of folders."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from posixpath import join, normpath

from stationmaster.catalogue.families import by_member
from stationmaster.reading.code.model import CliCommand
from stationmaster.reading.projects.applications.units import is_tooling
from stationmaster.reading.projects.manifests.common import mapping
from stationmaster.reading.projects.paths import folder_of, is_below, parents
from stationmaster.wiki.facts.code.links import all_links
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.facts.tooling.programs.declared import (
    Program,
    every_program,
    points,
    programs,
)
from stationmaster.wiki.facts.tooling.programs.launched import launched_files

_PLAIN = frozenset({"main", "__main__", "__init__", "app", "cli", "index", "program", "server"})
"""Names of files that name no program."""
_ERASED = ("type", "test")
"""Imports that load nothing into a program."""
_FOLDERS = frozenset({"", ".", "src", "bin", "cmd", "app", "lib", "source"})
_JOINED = re.compile(r"env!\(\s*\"CARGO_PKG_(\w+)\"\s*\)|\"([^\"]*)(?:\"|\Z)")
_CARGO = re.compile(r"(?:.{0,500}/)?src/bin/([\w-]+)(?:/.*|\.rs)")


@query
def program_of(facts: Facts, path: str) -> str:
    """The name by which a file is started."""
    if path in (named := _named(facts)):
        return named[path]
    if cargo := _CARGO.fullmatch(path):
        return cargo[1]
    crate, sign, _ = path.partition("src/")
    if path.endswith(".rs") and sign and f"{crate}src/main.rs" in named:
        return named[f"{crate}src/main.rs"]
    if only := only_program(facts, path):
        return only
    folder, _, file = path.rpartition("/")
    if _family(facts, path) == "C++":
        is_begun = any(it.kind == "main" for it in facts.code[path].entries)
        stem, own = file.partition(".")[0], facts.commit.name
        return stem if is_begun and stem not in _PLAIN and own not in stem else own
    if file == "__main__.py" and "/" in folder.removeprefix("src/"):
        return f"python -m {folder.removeprefix('src/').replace('/', '.')}"
    # A program of Go is made of its whole folder.
    is_whole = file.endswith(".go") and not is_script(facts, path)
    if file.partition(".")[0].lower() not in _PLAIN and not is_whole:
        return file
    return next((step for step in reversed(folder.split("/")) if step.lower() not in _FOLDERS),
                facts.commit.name)  # fmt: skip


def is_script(facts: Facts, path: str) -> bool:
    """Is a file started by itself, as a script of Go that is no part of its folder's program?"""
    return any(it.kind == "script" for it in facts.code[path].entries)


def only_program(facts: Facts, path: str) -> str:
    """The program that loads a file, else the only one of the nearest folder that declares any, for
    a file of its language that is part of it: a file that is started itself, such as a script, or a
    tool is not."""
    code = facts.code.get(path)
    kinds = {it.kind for it in code.entries} if code is not None else set[str]()
    is_begun = not kinds.isdisjoint(("main", "script")) or path.endswith("/__main__.py")
    if path in loading(facts) and (path in _named(facts) or "main" not in kinds):
        return loading(facts)[path]
    if is_begun or is_tooling(folder_of(path)):
        return ""
    near = (it for folder in parents(folder_of(path)) if (it := _by_folder(facts).get(folder)))
    own = {it.name: it for it in next(near, ())}
    if len(own) != 1:
        return ""
    ((name, program),) = own.items()
    families = {_family(facts, it) for it in (path, program.path)}
    # A program of C has only the files that its build lists.
    return name if len(families) == 1 and "C++" not in families else ""


def _family(facts: Facts, path: str) -> str:
    language = facts.records[path].language or ""
    return by_member().get(language, language)


@query
def _by_folder(facts: Facts) -> Mapping[str, Sequence[Program]]:
    """Programs by the folders of their manifests."""
    by_folder: dict[str, list[Program]] = defaultdict(list)
    for program in every_program(facts):
        if program.path:
            by_folder[folder_of(program.place.path)].append(program)
    return by_folder


@query
def loading(facts: Facts) -> Mapping[str, str]:
    """The program of the product that loads each file: of several the nearest, then the one in
    whose folder the file is, then the first. Go makes a program of all files of its folder."""
    links = all_links(facts).out
    at: dict[str, str] = {}
    folders: dict[str, str] = {}
    for program in programs(facts):
        folder = folders[program.name] = folder_of(program.path)
        is_go = program.path.endswith(".go")
        beside = (it for it in facts.code if is_go and folder_of(it) == folder)
        others = (it for it in beside if not is_script(facts, it))
        for path in filter(None, (program.path, *others)):
            if path in facts.records and facts.records[path].file_class == "source":
                at.setdefault(path, program.name)
    by_path: dict[str, str] = {}

    def nearness(path: str, program: str) -> int:
        folder = folders[program]
        return len(folder.split("/")) if folder != "." and is_below(path, folder) else 0

    while at:
        by_path |= at
        ends = [
            (link.end, name)
            for path, name in at.items()
            for link in links.get(path, ())
            if link.kind not in _ERASED and link.end not in by_path
            if facts.records[link.end].file_class == "source"
        ]
        ends.sort(key=lambda it: -nearness(*it))
        at = dict(reversed(ends))
    return by_path


@query
def is_tried(facts: Facts, path: str) -> bool:
    """Is what a file of Python starts only there to try it out? The product begins elsewhere, and
    others import the file."""
    folder, _, file = path.rpartition("/")
    if not path.endswith(".py") or is_declared(facts, path) or file[:-3] in _PLAIN or not folder:
        return False
    users = all_links(facts).into.get(path, ())
    is_used = any(
        it.kind not in _ERASED and facts.records[it.start].file_class == "source" for it in users
    )
    return is_used and (
        bool(programs(facts)) or any(it.endswith("/__main__.py") for it in facts.code)
    )


@query
def is_beside(facts: Facts, path: str, program: str) -> bool:
    """True for a file that is a script and none of the programs of the product."""
    if path in loading(facts) or any(program == it.name for it in programs(facts)):
        return False
    is_apart = path.endswith(".go") and bool(programs(facts))
    return is_apart or is_tooling(folder_of(path)) or program == path.rpartition("/")[2]


@query
def is_unused(facts: Facts, path: str) -> bool:
    """True for a file that no program of the product loads, and that does not start itself."""
    code = facts.code[path]
    starts = code.package == "main" or any(it.kind in ("main", "script") for it in code.entries)
    is_known = starts or path in loading(facts) or is_tooling(folder_of(path))
    return bool(programs(facts)) and not is_known


def is_program(facts: Facts, path: str, command: CliCommand) -> bool:
    """Is a command of a file the program of the same name itself, without commands below it?"""
    alike = [it for it in facts.code[path].commands if it.words[:1] == command.words]
    return len(alike) == 1 and Spot(path, command.handler) in _functions(facts)


@query
def _functions(facts: Facts) -> frozenset[Spot]:
    """The functions of Python that manifests declare as programs."""
    return frozenset(it for _, it in points(facts))


@query
def started(facts: Facts) -> Mapping[Spot, tuple[str, ...]]:
    """The names of the programs of Python that manifests declare, by the function that they start,
    where that is declared."""
    named: dict[Spot, dict[str, None]] = {}
    for program, it in points(facts):
        symbols = facts.code[it.path].symbols if it.path in facts.code else ()
        if any(symbol.qualified == it.name for symbol in symbols):
            named.setdefault(it, {})[program] = None
    return {function: tuple(names) for function, names in named.items()}


@query
def build_scripts(facts: Facts) -> frozenset[str]:
    """The files that Cargo runs before it compiles a package."""
    scripts = set()
    for manifest in facts.tree.project.manifests:
        if manifest.ecosystem == "rust":
            name = mapping(manifest.data.get("package")).get("build")
            scripts.add(normpath(join(manifest.folder, str(name or "build.rs"))))
    return frozenset(scripts)


def is_declared(facts: Facts, path: str) -> bool:
    """Does a manifest name a program that starts in a file, or a launcher start it?"""
    return path in _named(facts)


def is_unnamed(facts: Facts, path: str, name: str) -> bool:
    """Is what a file starts called by the file's own name, and by no manifest?"""
    return path.rpartition("/")[2] == name and not is_declared(facts, path)


@query
def _named(facts: Facts) -> Mapping[str, str]:
    """The names of programs in manifests and of what launchers start, by the file that begins."""
    by_path: dict[str, str] = {}
    for program in every_program(facts):
        if program.path:
            by_path.setdefault(program.path, program.name)
    for name, place in points(facts):
        by_path.setdefault(place.path, name)
    return {**launched_files(facts), **by_path}


def of_cargo(facts: Facts, path: str, words: str) -> str:
    """A text with the variables that Cargo sets from the nearest manifest replaced by values."""
    if "env!(" not in words:
        return words
    near = (normpath(join(folder, "Cargo.toml")) for folder in parents(folder_of(path)))
    manifests = [manifest for manifest in near if manifest in facts.records]
    packages = [mapping(mapping(facts.tree.toml(it)).get("package")) for it in manifests]
    values = []
    for name, text in _JOINED.findall(words):
        texts = (package.get(name.lower()) for package in packages)
        values.append(text or next((it for it in texts if isinstance(it, str)), ""))
    return "".join(values).strip(" -")
