"""What .gitignore files leave out: the last pattern that fits decides."""

from __future__ import annotations

import pytest

from stationmaster.reading.projects.ignored import Ignored
from tests.support.trees import facts_of


@pytest.mark.parametrize(
    ("files", "path", "expected"),
    [
        ({".gitignore": "node_modules/\n"}, "node_modules", True),
        ({".gitignore": "node_modules/\n"}, "web/node_modules/a/b.js", True),
        ({".gitignore": "/dist\n"}, "dist", True),
        ({".gitignore": "/dist\n"}, "web/dist", False),
        ({"web/.gitignore": "/dist\n"}, "web/dist/a.js", True),
        ({"web/.gitignore": "dist\n"}, "dist", True),
        ({".gitignore": ".env*\n!.env.example\n"}, ".env.example", False),
        ({".gitignore": ".env*\n!.env.example\n"}, ".env.local", True),
        ({".gitignore": ".env\n!.env\n"}, ".env", False),
        ({".gitignore": "!.env\n.env\n"}, ".env", True),
        ({".gitignore": "build/*\n!build/keep\n"}, "build", True),
        ({".gitignore": "# .env\n\n"}, ".env", False),
        ({".gitignore": "docs/*.html\n"}, "docs/a.html", True),
        ({".gitignore": "docs/*.html\n"}, "x/docs/a.html", False),
        ({"a.txt": ""}, ".env", False),
    ],
)  # fmt: skip
def test_a_path_is_ignored(files: dict[str, str], path: str, expected: bool) -> None:
    assert Ignored(facts_of(files).tree).has_any([path]) is expected
