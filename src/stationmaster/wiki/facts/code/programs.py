"""Names under which files are started: what manifests say, else what the folder says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from posixpath import join, normpath

from stationmaster.reading.code.model import CliCommand
from stationmaster.reading.projects.manifests.common import mapping
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.wiki.facts.code.bindings import Meant, file_of_module, meant
from stationmaster.wiki.facts.model import Facts, query

_PLAIN = frozenset({"main", "__main__", "__init__", "app", "cli", "index", "program", "server"})
"""Names of files that name no program."""
_FOLDERS = frozenset({"", ".", "src", "bin", "cmd", "app", "lib", "source"})
_JOINED = re.compile(r"env!\(\s*\"CARGO_PKG_(\w+)\"\s*\)|\"([^\"]*)(?:\"|\Z)")
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
        if manifest.path.rpartition("/")[2] == "pyproject.toml":
            yield from _functions_of(facts, manifest.path)


@query
def started(facts: Facts) -> tuple[tuple[str, str, str], ...]:
    """Programs of Python that manifests declare, each with the file and the name of its function
    where that is declared."""
    named: dict[tuple[str, str], str] = {}
    for program, it in _declared(facts):
        symbols = facts.code[it.path].symbols if it.path in facts.code else ()
        if any(symbol.qualified == it.name for symbol in symbols):
            named.setdefault((it.path, it.name), program)
    return tuple((program, path, name) for (path, name), program in named.items())


@query
def _named(facts: Facts) -> Mapping[str, str]:
    """Programs that manifests name, by the file that each of them starts."""
    found: dict[str, str] = {}
    for manifest in facts.tree.project.manifests:
        name = manifest.path.rpartition("/")[2]
        if name == "pyproject.toml":
            told = _of_python(facts, manifest.path)
        elif name == "Cargo.toml":
            told = _of_cargo(facts, manifest.path)
        elif name == "package.json":
            told = _of_npm(facts, manifest.path)
        else:
            continue
        for program, target in told:
            found.setdefault(normpath(target), program)
    return {path: program for path, program in found.items() if path in facts.records}


def _of_python(facts: Facts, path: str) -> Iterator[tuple[str, str]]:
    for program, function in _functions_of(facts, path):
        yield program, function.path


def _functions_of(facts: Facts, path: str) -> Iterator[tuple[str, Meant]]:
    """Programs of a `pyproject.toml`, with the function that each of them is where it is named and
    where it is declared."""
    told = mapping(facts.tree.toml(path))
    scripts = {
        **mapping(mapping(mapping(told.get("tool")).get("poetry")).get("scripts")),
        **mapping(mapping(told.get("project")).get("scripts")),
    }
    for program, target in scripts.items():
        module, _, function = target.partition(":") if isinstance(target, str) else ("", "", "")
        if file := file_of_module(facts, module):
            yield program, Meant(file, function)
            yield from ((program, it) for it in meant(facts, file, function))


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


def _of_npm(facts: Facts, path: str) -> Iterator[tuple[str, str]]:
    told = mapping(facts.tree.json(path))
    name, bins = told.get("name"), told.get("bin")
    if isinstance(bins, str) and isinstance(name, str):
        bins = {name.rpartition("/")[2]: bins}
    for program, target in mapping(bins).items():
        if isinstance(target, str):
            yield program, join(path.rpartition("/")[0], target)


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
