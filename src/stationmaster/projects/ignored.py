"""Which paths the .gitignore files of a commit leave out, as git's manual has it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stationmaster.projects.globs import compiled
from stationmaster.projects.queries import Tree

FILES_MAX = 200
PATTERNS_MAX = 5_000


class Ignored:
    """The union of all files: what is ignored in one folder counts, wherever that is.

    For questions such as `is node_modules ignored at all?`; a pattern that takes something back is
    left out.
    """

    def __init__(self, tree: Tree) -> None:
        self.paths = tree.glob("**/.gitignore")
        patterns: dict[str, None] = {}
        for path in self.paths[:FILES_MAX]:
            for line in tree.text(path).split("\n"):
                pattern = line.rstrip()
                if pattern and not pattern.startswith(("#", "!")):
                    patterns[pattern] = None
        self._tests = [_test(pattern) for pattern in list(patterns)[:PATTERNS_MAX]]

    def has_any(self, paths: Sequence[str]) -> bool:
        """Is any of the paths ignored, or a folder that it is in?"""
        candidates = [
            "/".join(steps[:count])
            for path in paths
            for steps in [path.split("/")]
            for count in range(1, len(steps) + 1)
        ]
        return any(test.fullmatch(each) for test in self._tests for each in candidates)


def _test(pattern: str) -> re.Pattern[str]:
    """Where a pattern is anchored does not matter: it may be of any folder."""
    return compiled(
        "**/" + pattern.removeprefix("\\").strip("/").removesuffix("/**").removesuffix("/*")
    )
