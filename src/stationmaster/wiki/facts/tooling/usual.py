"""Commands that are usual where some files are, such as `composer install` for a composer.json."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from stationmaster.catalogue.repositories import usual as catalogue
from stationmaster.catalogue.table import compiled
from stationmaster.reading.projects.paths import parents
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
    for manifest in facts.tree.project.manifests:
        archive = str(manifest.data.get("archive") or "")
        if (
            archive
            and "$" not in archive
            and facts.tree.project.products.has_folder(manifest.folder)
        ):
            command = f"java -jar {archive}"
            commands.append(Usual("run", command, manifest.folder, Place(manifest.path)))
    return tuple(commands)


def _typed(text: str, folder: str) -> tuple[str, str]:
    """A command and where it is typed: tests in a folder of their own import what is beside it."""
    above, _, name = folder.rpartition("/")
    return (
        (f"pytest {name}", above or ".")
        if text == "pytest" and is_test(f"{folder}/x")
        else (text, folder)
    )


def _options(facts: Facts, purpose: str, path: str) -> str:
    """What has a build of Maven run the tests that properties of it or of its modules skip."""
    is_tested = purpose == "test" and path.endswith("pom.xml")
    above = path.removesuffix("pom.xml")
    manifests = facts.tree.project.manifests if is_tested else ()
    has_folder = facts.tree.project.products.has_folder
    own = [it for it in manifests if it.path.startswith(above) and has_folder(it.folder)]
    return options(name for it in own for name in it.data.get("skips", ()))


def options(names: Iterable[str]) -> str:
    """Properties of Maven that are switched off."""
    return "".join(f" -D{name}=false" for name in dict.fromkeys(names))


def _text(facts: Facts, row: catalogue.Usual, folder: str, path: str) -> str:
    """The command of a row for a folder; '' where it does not fit."""
    base = "" if folder == "." else f"{folder}/"
    if any(base + name not in facts.records for name in row.files[1:]):
        return ""
    if any(base + name in facts.records for name in row.without):
        return ""
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
