"""Queries about a commit and its project, each computed once and then stored."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

from stationmaster.catalogue.table import matching
from stationmaster.reading.projects import globs, imports, linked, test_files
from stationmaster.reading.projects.applications.apps import owners
from stationmaster.reading.projects.model import App, Dependency, Place, Project
from stationmaster.reading.projects.paths import folder_of, parents
from stationmaster.repos.contents import Element
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Node

SOURCES_MAX = 20_000
"""Files of one application that are read for what they import."""
SOURCE_BYTES_MAX = 256 * 1024
"""Of one of them: what is larger was written by a program."""
_DOCUMENTS_AT_ONCE = 200
"""Those nearest the root, most of which some criterion reads; the others are read one by one."""

_INHERITED = frozenset({"npm", "python", "maven", "gradle", "ruby", "php", "dart"})
"""Ecosystems in which dependencies of a folder hold for the folders below; readers of projects of
MSBuild read the folders above themselves."""
_INSIDE = re.compile(r"[./\\:]")
"""Behind the name of a module: what follows is inside it."""
_INSIDE_MAX = 20
"""Modules around one that is imported: no pattern has the names of so many."""
_CONVENTIONS = frozenset({"buildSrc", "build-logic"})


class Tree:
    """The files of a commit, seen through its project. Paths are from the root; an application is
    one of the project's."""

    def __init__(self, files: Files, project: Project) -> None:
        self.files = files
        self.project = project
        self.all_paths: Sequence[str] = tuple(files.paths())
        self._products = project.products
        self._of: dict[str, Sequence[str]] = {}
        self._imports: dict[str, Mapping[str, list[Place]]] = {}
        self._imports_of: dict[str, Mapping[str, set[Place]]] = {}
        """By file: applications share the files of a part."""
        self._dependencies: dict[str, tuple[Dependency, ...]] = {}

    @cached_property
    def paths(self) -> Sequence[str]:
        """The files of the product: no vendored code, examples, fixtures, build output."""
        return tuple(filter(self._products.has, self.all_paths))

    def of(self, app: App) -> Sequence[str]:
        """The product files of an application and its parts, without those of applications inside
        it; sorted."""
        paths_of_app = self._of.get(app.path)
        if paths_of_app is None:
            own = self._by_app.get(app.path, ())
            parts = [p for part in app.parts for p in self._product_index.below(f"{part}/")]
            paths_of_app = self._of[app.path] = tuple(sorted({*own, *parts})) if parts else own
        return paths_of_app

    def glob(
        self,
        *patterns: str,
        under: str = ".",
        everywhere: bool = False,
        any_case: bool = False,
    ) -> Sequence[str]:
        """Files of the product and its tests that match a pattern of `globs`, seen from a folder;
        sorted. `everywhere`: also examples, test data, vendored code and the like.

        `*.toml` is in that folder itself, `**/*.toml` there or anywhere below.
        """
        index = self._index if everywhere else self._product_index
        return index.find(patterns, under=under, any_case=any_case)

    def nearest(self, folder: str, *names: str) -> str | None:
        """The file of one of some names in a folder or the nearest one above; None without one.
        Earlier names win within a folder."""
        for parent in parents(folder):
            for name in names:
                path = name if parent == "." else f"{parent}/{name}"
                if self.files.behind(path) is not None:
                    return path
        return None

    def text(self, path: str) -> str:
        """A file's text, or that behind a link; '' where it cannot be read."""
        return self.files.contents.text(path)

    def toml(self, path: str) -> Mapping[str, Any]:
        """{} where it cannot be read."""
        return self.files.contents.toml(path)

    def json(self, path: str) -> Any:
        """Of JSON, JSONC or JSON5; None where it cannot be read."""
        return self.files.contents.json(path)

    def yaml(self, path: str) -> Node | None:
        """The first document; read it with the functions of `yaml_nodes`."""
        return self.files.contents.yaml(path)

    def yaml_all(self, path: str) -> Sequence[Node]:
        """Every document."""
        return self.files.contents.yaml_all(path)

    def xml(self, path: str) -> Element | None:
        """The root, its tags without namespaces; None where it cannot be read or has entities."""
        return self.files.contents.xml(path)

    def dependencies(self, app: App, *patterns: str) -> tuple[Dependency, ...]:
        """The dependencies of an application's manifests and of those above that hold for it, and
        the runtime dependencies of other parts of the repository that it uses.

        Names are compared by fnmatch, in lower case; indirect ones (`// indirect` of go.mod) match
        no pattern. Without patterns all of them.
        """
        if app.path not in self._dependencies:
            self._dependencies[app.path] = tuple(dict.fromkeys(self._required(app)))
        required = self._dependencies[app.path]
        if not patterns:
            return required
        direct = [dependency for dependency in required if dependency.scope != "indirect"]
        names = matching({dependency.name.lower() for dependency in direct}, _lower(patterns))
        return tuple(dependency for dependency in direct if dependency.name.lower() in names)

    def imported(self, app: App, *patterns: str) -> tuple[Place, ...]:
        """The lines of its product code that import a module that matches, or one inside it.

        Comments and tests do not count. Names are as the language writes them, compared by fnmatch
        without regard to case: `@scope/name`, `package.module`, `crate::module`, `Name.Space`,
        `example.com/module`, `header.h`.
        """
        index = self._imports.get(app.path)
        if index is None:
            index = self._imports[app.path] = self._index_imports(app)
        places = {place for name in matching(index, _lower(patterns)) for place in index[name]}
        return tuple(sorted(places, key=lambda place: (place.path, place.line or 0)))

    @cached_property
    def owner(self) -> Callable[[str], str | None]:
        """A function from a file or folder to the path of the application that it belongs to."""
        return owners(app.path for app in self.project.apps)

    @cached_property
    def documents(self) -> Sequence[linked.Document]:
        """What people and agents read: README, instructions, guides, pages, and what the README
        leads to; nearest the root first."""
        chosen = linked.choose(self.paths, self.files.contents)
        self.files.contents.fetch(document.path for document in chosen[:_DOCUMENTS_AT_ONCE])
        return chosen

    @cached_property
    def _index(self) -> globs.Index:
        return globs.Index(self.all_paths)

    @cached_property
    def _product_index(self) -> globs.Index:
        return globs.Index(self.paths)

    @cached_property
    def _sources(self) -> frozenset[str]:
        """The files of the product whose imports can be read."""
        return frozenset(p for p in self.paths if imports.is_known(p) and not test_files.is_test(p))

    @cached_property
    def _by_app(self) -> Mapping[str, Sequence[str]]:
        by_app: dict[str, list[str]] = defaultdict(list)
        for path in self.paths:
            owner = self.owner(folder_of(path))
            if owner is not None:
                by_app[owner].append(path)
        return by_app

    def _required(self, app: App) -> Iterator[Dependency]:
        for manifest in app.manifests:
            yield from manifest.dependencies
        above = set(parents(app.path)[1:])
        shared = app.ecosystems & _INHERITED
        for manifest in self.project.manifests:
            if manifest.ecosystem in shared and (
                manifest.folder in above or manifest.folder.rpartition("/")[2] in _CONVENTIONS
            ):
                yield from manifest.dependencies
        for other in self.project.apps:
            if other.path in app.uses:
                for manifest in other.manifests:
                    yield from (
                        dependency
                        for dependency in manifest.dependencies
                        if dependency.scope == "runtime"
                    )

    def _index_imports(self, app: App) -> Mapping[str, list[Place]]:
        """The lines that import a module or one inside it, by its name in lower case."""
        sources = [path for path in self.of(app) if path in self._sources][:SOURCES_MAX]
        unread = [path for path in sources if path not in self._imports_of]
        for path, text in self.files.contents.each(unread, SOURCE_BYTES_MAX):
            self._imports_of[path] = _imports_in(path, text)
        by_module: dict[str, list[Place]] = defaultdict(list)
        for path in sources:
            for module, places in self._imports_of.get(path, {}).items():
                by_module[module] += places
        return by_module


def _imports_in(path: str, text: str) -> Mapping[str, set[Place]]:
    """The lines of a file that import a module or one inside it, by its name in lower case."""
    by_module: dict[str, set[Place]] = defaultdict(set)
    for name, line in imports.of_text(path, text):
        place = Place(path, line)
        for module in _modules(name):
            by_module[module].add(place)
    return by_module


@lru_cache(maxsize=65_536)
def _modules(name: str) -> tuple[str, ...]:
    """A module that is imported and those around it, in lower case."""
    around = (name[: end.start()] for end in islice(_INSIDE.finditer(name), _INSIDE_MAX))
    return tuple(module.lower() for module in (name, *around))


def _lower(patterns: Sequence[str]) -> Iterator[str]:
    return (pattern.lower() for pattern in patterns)
