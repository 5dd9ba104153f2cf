"""Making the project of a repository of a few files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from stationmaster.pipelines import scan
from stationmaster.reading.projects import reading
from stationmaster.reading.projects.queries import Tree
from stationmaster.repos.files import Files
from stationmaster.repos.reading import open_path
from tests.support.repositories import Content, Repository

Make = Callable[[dict[str, Content]], Tree]


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Make]:
    """Commits these files to a repository, and opens what they come to."""
    with ExitStack() as stack:

        def make(contents: dict[str, Content]) -> Tree:
            repository = Repository(tmp_path / f"repository-{len(list(tmp_path.iterdir()))}")
            repository.commit(contents)
            files = Files(stack.enter_context(open_path(repository.path)))
            return Tree(files, reading.read(files, scan.scan(files)))

        yield make
