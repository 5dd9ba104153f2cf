"""What imports lead to in a commit made of a dict."""

from __future__ import annotations

from collections.abc import Mapping

from stationmaster.code import languages, resolving
from stationmaster.code.model import FileFacts
from stationmaster.code.reading import read
from stationmaster.code.resolving import Index, Resolved
from stationmaster.pipelines.scan import scan
from stationmaster.projects import reading
from stationmaster.projects.queries import Tree
from tests.support.trees import files_of


class Imports:
    def __init__(self, contents: Mapping[str, str]) -> None:
        files = files_of(contents)
        self.facts: dict[str, FileFacts] = {}
        paths: dict[str, tuple[str, ...]] = {}
        for path in sorted(contents):
            language = languages.of_path(path)
            if language:
                self.facts[path] = read(language, contents[path].encode())
                paths[language] = (*paths.get(language, ()), path)
        tree = Tree(files, reading.read(files, scan(files)))
        self._index = Index(paths, self.facts.__getitem__, tree)

    def all(self, path: str) -> dict[str, Resolved]:
        """What each import of a file leads to, by its name."""
        resolve = resolving.resolver(languages.of_path(path), self._index)
        assert resolve is not None
        return {each.name: resolve(path, each) for each in self.facts[path].imports}

    def targets(self, path: str) -> dict[str, tuple[str, ...]]:
        return {name: told.targets for name, told in self.all(path).items()}
