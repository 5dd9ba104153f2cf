"""Commands that are usual where some files are, such as `composer install` for a composer.json."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from stationmaster.catalogue import lists
from stationmaster.catalogue.repositories import usual as catalogue
from stationmaster.catalogue.table import compiled
from stationmaster.reading.projects import runners
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

_DEPTH_MAX = 2


class Usual(msgspec.Struct, frozen=True):
    """A command for the folder of the file at `place`."""

    purpose: str
    text: str
    folder: str
    place: Place


@query
def usual(facts: Facts) -> tuple[Usual, ...]:
    """Those of the product's folders, in the order of the catalogue; of nested folders the
    outermost counts."""
    folders = _folders(facts)
    by_rush = {
        folder
        for workspace in facts.tree.project.workspaces
        if workspace.tool == "rush"
        for folder in workspace.members
    }
    commands = []
    for purpose, rows in catalogue.usual().items():
        for row in rows:
            having = folders.get(row.files[0], {})
            fitting = {
                folder: (path, text)
                for folder, path in having.items()
                if (purpose == "test" or not is_test(path))
                and (purpose != "install" or folder not in by_rush)
                and (text := _text(facts, row, folder, path))
            }
            if row.command == "go build ./...":
                fitting |= {
                    at: (it, _go_build(facts, at, text)) for at, (it, text) in fitting.items()
                }
            # A single file may be that of a part, which is handled from above; not what it runs.
            is_handled = len(row.files) == 1 and purpose != "run"
            above_it = having if is_handled else fitting
            commands += [
                Usual(
                    purpose, *_typed(f"{text}{_options(facts, purpose, path)}", folder), Place(path)
                )
                for folder, (path, text) in sorted(fitting.items())
                if not any(above in above_it for above in parents(folder)[1:])
            ]
    for folder, path in folders.get("go.mod", {}).items():
        program = _go_program(facts, folder)
        if program not in ("", "."):
            commands.append(Usual("run", f"go run {program}", folder, Place(path)))
    return tuple(commands)


def _go_build(facts: Facts, folder: str, text: str) -> str:
    """What leaves the program of a module of Go behind, where it has one."""
    program = _go_program(facts, folder)
    return f"go build {program}" if program else text


@query
def _go_program(facts: Facts, folder: str) -> str:
    """The package of the program of a module of Go as the module names it: the one in its own
    folder, the only one, or the one that is called like the repository; '' where none is."""
    base = "" if folder == "." else f"{folder}/"
    mains = {
        folder_of(path).removeprefix(base) if folder_of(path) != folder else "."
        for path, code in facts.code.items()
        if path.endswith(".go")
        and path.startswith(base)
        and facts.tree.project.products.has(path)
        and facts.tree.nearest(folder_of(path), "go.mod") == f"{base}go.mod"
        and any(it.kind == "main" for it in code.entries)
    }
    mains = {it for it in mains if it == "." or not lists.words("folder-aside") & {*it.split("/")}}
    called = [it for it in mains if it.rpartition("/")[2] == facts.commit.name.lower()]
    if "." in mains:
        return "."
    only = called if len(mains) > 1 else [*mains]
    return f"./{only[0]}" if len(only) == 1 else ""


def _typed(text: str, folder: str) -> tuple[str, str]:
    """A command and where it is typed: tests in a folder of their own import what is beside it."""
    above, _, name = folder.rpartition("/")
    return (
        (f"pytest {name}", above or ".")
        if text == "pytest" and is_test(f"{folder}/x")
        else (text, folder)
    )


def _options(facts: Facts, purpose: str, path: str) -> str:
    """What has a build run the tests that it leaves out by itself: with Cargo those of the members
    beside a package, with Maven those that properties of it or of its modules skip."""
    if purpose == "test" and path.endswith("Cargo.toml") and _has_tested_members(facts, path):
        typed = {command.text for command in facts.tree.project.commands}
        return " --all" if "cargo test --all" in typed else " --workspace"
    is_tested = purpose == "test" and path.endswith("pom.xml")
    above = path.removesuffix("pom.xml")
    manifests = facts.tree.project.manifests if is_tested else ()
    has_folder = facts.tree.project.products.has_folder
    own = [it for it in manifests if it.path.startswith(above) and has_folder(it.folder)]
    return options(name for it in own for name in it.data.get("skips", ()))


def _has_tested_members(facts: Facts, path: str) -> bool:
    """Does a package of Cargo have members beside it with tests that are no default members?"""
    project = facts.tree.project
    own = next((it for it in project.manifests if it.path == path), None)
    if own is None or not own.name or "default-members" in own.data.get("workspace", ()):
        return False
    members = {
        folder
        for workspace in project.workspaces
        if workspace.place.path == path
        for folder in workspace.members
        if folder != own.folder and project.products.has_folder(folder)
    }
    tested = (folder_of(it) for it, code in facts.code.items() if code.tests)
    return any(not members.isdisjoint(parents(folder)) for folder in tested)


def options(names: Iterable[str]) -> str:
    """Properties of Maven that are switched off."""
    return "".join(f" -D{name}=false" for name in dict.fromkeys(names) if name)


def _text(facts: Facts, row: catalogue.Usual, folder: str, path: str) -> str:
    """The command of a row for a folder; '' where it does not fit."""
    base = "" if folder == "." else f"{folder}/"
    if any(base + name not in facts.records for name in row.files[1:]):
        return ""
    if any(base + name in facts.records for name in row.without):
        return ""
    if row.files[0] == "package.json":
        command = f"{runners.manager(facts.tree, folder)} install"
        return command if row.command == command or len(row.files) == 1 else ""
    if not row.sign:
        return row.command
    match = compiled(row.sign).search(facts.tree.text(path))
    return row.command.replace("{}", match[1] if "{}" in row.command else "") if match else ""


@query
def _folders(facts: Facts) -> Mapping[str, Mapping[str, str]]:
    """By the first file of a row the folders that have it, with its path."""
    firsts = {row.files[0] for rows in catalogue.usual().values() for row in rows}
    has_folder = facts.tree.project.products.has_folder
    folders: dict[str, dict[str, str]] = defaultdict(dict)
    for path in sorted(facts.records):
        for first in _firsts(path):
            folder = path[: -len(path.rpartition("/")[2] if "*" in first else first)].rstrip("/")
            is_near = first in firsts and folder.count("/") < _DEPTH_MAX
            if is_near and has_folder(folder or "."):
                folders[first].setdefault(folder or ".", path)
    return folders


def _firsts(path: str) -> Iterator[str]:
    """The forms in which a row may name a file: its name, its path in a folder, or its ending."""
    above, _, name = path.rpartition("/")
    yield name
    if above:
        yield f"{above.rpartition('/')[2]}/{name}"
    yield f"*.{name.rpartition('.')[2]}"
