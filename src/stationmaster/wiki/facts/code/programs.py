"""Names under which files are started: what manifests say, else what the folder says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from posixpath import join, normpath

from stationmaster.reading.code.model import CliCommand
from stationmaster.reading.projects.manifests.common import inside, mapping, strings
from stationmaster.reading.projects.model import Manifest
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.wiki.facts.code.bindings import Meant, file_of_module, meant
from stationmaster.wiki.facts.model import Facts, query

_PLAIN = frozenset({"main", "__main__", "__init__", "app", "cli", "index", "program", "server"})
"""Names of files that name no program."""
_FOLDERS = frozenset({"", ".", "src", "bin", "cmd", "app", "lib", "source"})
_JOINED = re.compile(r"env!\(\s*\"CARGO_PKG_(\w+)\"\s*\)|\"([^\"]*)(?:\"|\Z)")
_CONSOLE = re.compile(
    r"(?m)^[ \t]{0,40}([\w.-]{1,100})[ \t]{0,40}=[ \t]{0,40}([\w.]{1,200}:[\w.]{1,100})"
)
"""A program of `console_scripts`, and its function."""
_WORD = re.compile(r"[\w.-]+")
_CARGO = re.compile(r"(?:.{0,500}/)?src/bin/([\w-]+)(?:/.*|\.rs)")


@query
def program_of(facts: Facts, path: str) -> str:
    """What a file is called when it is started."""
    if path in (named := _named(facts)):
        return named[path]
    if cargo := _CARGO.fullmatch(path):
        return cargo[1]
    crate, sign, _ = path.partition("src/")
    if path.endswith(".rs") and sign and f"{crate}src/main.rs" in named:
        return named[f"{crate}src/main.rs"]
    folder, _, file = path.rpartition("/")
    # A program of Go is made of its whole folder.
    if file.partition(".")[0].lower() not in _PLAIN and not file.endswith(".go"):
        return file
    return next((step for step in reversed(folder.split("/")) if step.lower() not in _FOLDERS),
                facts.commit.name)  # fmt: skip


def is_program(facts: Facts, path: str, command: CliCommand) -> bool:
    """Is a command of a file what a program of its own name does, and above no others?"""
    alike = [it for it in facts.code[path].commands if it.words[:1] == command.words]
    return len(alike) == 1 and Meant(path, command.handler) in _functions(facts)


@query
def _functions(facts: Facts) -> frozenset[Meant]:
    """Those of Python that are programs, as manifests say."""
    return frozenset(it for _, it in _declared(facts))


def _declared(facts: Facts) -> Iterator[tuple[str, Meant]]:
    for manifest in facts.tree.project.manifests:
        if manifest.ecosystem == "python":
            yield from _functions_of(facts, manifest)


@query
def started(facts: Facts) -> Mapping[Meant, tuple[str, ...]]:
    """The names of the programs of Python that manifests declare, by the function that they start,
    where that is declared."""
    named: dict[Meant, dict[str, None]] = {}
    for program, it in _declared(facts):
        symbols = facts.code[it.path].symbols if it.path in facts.code else ()
        if any(symbol.qualified == it.name for symbol in symbols):
            named.setdefault(it, {})[program] = None
    return {function: tuple(names) for function, names in named.items()}


def is_declared(facts: Facts, path: str) -> bool:
    """Does a manifest name a program that starts in a file?"""
    return path in _named(facts)


@query
def _named(facts: Facts) -> Mapping[str, str]:
    """Programs that manifests name, by the file that each of them starts."""
    found: dict[str, str] = {}
    for manifest in facts.tree.project.manifests:
        name = manifest.path.rpartition("/")[2]
        told: Iterator[tuple[str, str]]
        if manifest.ecosystem == "python":
            told = ((program, it.path) for program, it in _functions_of(facts, manifest))
        elif name == "Cargo.toml":
            told = _of_cargo(facts, manifest.path)
        elif name in ("package.json", "composer.json"):
            told = _of_package(manifest)
        elif name.endswith(".gemspec"):
            told = _of_gem(facts, manifest)
        else:
            continue
        for program, target in told:
            found.setdefault(normpath(target), program)
    return {path: program for path, program in found.items() if path in facts.records}


def _functions_of(facts: Facts, manifest: Manifest) -> Iterator[tuple[str, Meant]]:
    """Programs of a package of Python, with the function that each of them is where it is named and
    where it is declared."""
    told = manifest.data
    points = told.get("options.entry_points") or told.get("entry_points")
    scripts = {
        **mapping(inside(told, "tool", "poetry", "scripts")),
        **mapping(inside(told, "project", "scripts")),
        **dict(_CONSOLE.findall("\n".join(_texts(mapping(points).get("console_scripts"))))),
    }
    for program, target in scripts.items():
        module, _, function = target.partition(":") if isinstance(target, str) else ("", "", "")
        if file := file_of_module(facts, module):
            yield program, Meant(file, function)
            if all(symbol.qualified != function for symbol in facts.code[file].symbols):
                yield from ((program, it) for it in meant(facts, file, function))


def _texts(told: object) -> list[str]:
    return strings([told] if isinstance(told, str) else told)


def _of_cargo(facts: Facts, path: str) -> Iterator[tuple[str, str]]:
    told = mapping(facts.tree.toml(path))
    folder = path.rpartition("/")[0]
    bins = told.get("bin")
    for each in map(mapping, bins if isinstance(bins, list) else ()):
        if isinstance(program := each.get("name"), str):
            target = each.get("path")
            yield program, join(folder, target if isinstance(target, str) else "src/main.rs")
    if isinstance(package := mapping(told.get("package")).get("name"), str):
        yield package, join(folder, "src/main.rs")


def _of_package(manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Of npm and Composer: one path, some paths, or paths by name."""
    name, bins = manifest.data.get("name"), manifest.data.get("bin")
    if isinstance(bins, str) and isinstance(name, str):
        bins = {name.rpartition("/")[2]: bins}
    elif isinstance(bins, list):
        bins = {path.rpartition("/")[2]: path for path in strings(bins)}
    for program, target in mapping(bins).items():
        if isinstance(target, str):
            yield program, join(manifest.folder, target)


def _of_gem(facts: Facts, manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Those that a gem names, and all in the folder that is for them."""
    apart = join(manifest.folder, "exe")
    yield from ((path.rpartition("/")[2], path) for path in facts.code if folder_of(path) == apart)
    for line in strings(manifest.data.get("programs")):
        yield from ((name, join(manifest.folder, "bin", name)) for name in _WORD.findall(line))


def told_by_cargo(facts: Facts, path: str, words: str) -> str:
    """A text that is joined of variables which Cargo sets from the nearest manifest."""
    if "env!(" not in words:
        return words
    near = (normpath(join(folder, "Cargo.toml")) for folder in parents(folder_of(path)))
    manifests = [manifest for manifest in near if manifest in facts.records]
    packages = [mapping(mapping(facts.tree.toml(it)).get("package")) for it in manifests]
    values = []
    for name, text in _JOINED.findall(words):
        told = (package.get(name.lower()) for package in packages)
        values.append(text or next((it for it in told if isinstance(it, str)), ""))
    return "".join(values).strip(" -")
