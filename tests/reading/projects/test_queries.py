"""What a commit's files answer when they are asked."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from stationmaster.reading.projects import imports
from stationmaster.reading.projects.model import App
from tests.reading.projects.conftest import Make

SOURCES = {
    "a.py": "import os, sentry_sdk\nfrom opentelemetry import trace\n# import loguru\n",
    "b.py": '"""\nimport structlog\n"""\nimport attrs\n',
    "c.ts": "// import x from 'pino'\nimport {\n  a,\n} from '@scope/name/deep';\nrequire('koa')\n",
    "d.go": 'package d\n\nimport (\n\t"fmt"\n\tlog "example.com/log/v2"\n)\n',
    "e.rs": "use tracing::{info, span::Span};\nfn f() { metrics::counter(); }\n// use hidden::x;\n",
    "f.java": "/* import a.b.C; */\nimport static io.sentry.Sentry.init;\n",
    "g.cs": "using Serilog;\nusing (var x = y) {}\n",
    "h.rb": 'require "rack"\n# require "hidden"\n',
    "i.php": "<?php\nuse Monolog\\{Logger, Handler\\StreamHandler};\n",
    "test_j.py": "import pytest\n",
}


@pytest.mark.parametrize(
    ("pattern", "places"),
    [
        ("sentry_sdk", ["a.py:1"]),
        ("opentelemetry.trace", ["a.py:2"]),
        ("loguru", []),
        ("structlog", []),
        ("attrs", ["b.py:4"]),
        ("pino", []),
        ("@scope/*", ["c.ts:2"]),
        ("koa", ["c.ts:5"]),
        ("example.com/log", ["d.go:5"]),
        ("tracing::span", ["e.rs:1"]),
        ("metrics", ["e.rs:2"]),
        ("hidden", []),
        ("io.sentry", ["f.java:2"]),
        ("a.b", []),
        ("serilog", ["g.cs:1"]),
        ("rack", ["h.rb:1"]),
        ("monolog", ["i.php:2"]),
        ("pytest", []),
    ],
)
def test_an_import_is_a_line_of_product_code(tree: Make, pattern: str, places: list[str]) -> None:
    made = tree(dict(SOURCES))
    (app,) = made.project.apps
    assert [str(place) for place in made.imported(app, pattern)] == places


@pytest.mark.parametrize(
    ("pattern", "under", "paths"),
    [
        ("*.md", ".", ["README.md"]),
        ("**/*.md", ".", ["README.md", "a/b/x.md", "a/x.md"]),
        ("**/*.md", "a", ["a/b/x.md", "a/x.md"]),
        ("*.{md,toml}", "a", ["a/x.md", "a/y.toml"]),
        ("[ry]*.toml", "a", ["a/y.toml"]),
        ("a/**", ".", ["a/b/x.md", "a/x.md", "a/y.toml"]),
        ("readme.md", ".", []),
        ("*" * 5 + "a*" * 20, ".", []),
    ],
)
def test_a_pattern_is_seen_from_a_folder(
    tree: Make, pattern: str, under: str, paths: list[str]
) -> None:
    made = tree({"README.md": "", "a/x.md": "", "a/b/x.md": "", "a/y.toml": "", "aa/z": ""})
    assert list(made.glob(pattern, under=under)) == paths


def test_names_of_examples_and_output_mean_nothing_within_a_source_tree(tree: Make) -> None:
    product = [
        "java/src/main/java/com/example/demo/Main.java", "pkg/internal/build/x.go", "web/app.js",
    ]  # fmt: skip
    other = [
        "build/x.js", "dist/x.js", "examples/x.py", "node_modules/x/y.js", "web/app.min.js",
        "x/testdata/y.go",
    ]  # fmt: skip
    assert sorted(tree(dict.fromkeys(product + other, "")).paths) == sorted(product)


def test_files_that_two_applications_share_are_read_for_imports_once(
    tree: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tree(
        {"a/x.py": "import attrs\n", "b/y.py": "import attrs\n", "c/z.py": "import attrs\n"}
    )
    read: list[str] = []
    of_text = imports.of_text

    def noting(path: str, text: str) -> Iterator[tuple[str, int]]:
        read.append(path)
        return of_text(path, text)

    monkeypatch.setattr(imports, "of_text", noting)
    app = App("a", "a", "", frozenset(), (), {"Python": 1}, parts=("c",))
    other = App("b", "b", "", frozenset(), (), {"Python": 1}, parts=("c",))
    made.project = msgspec.structs.replace(made.project, apps=(app, other))
    assert list(map(str, made.imported(app, "attrs"))) == ["a/x.py:1", "c/z.py:1"]
    assert list(map(str, made.imported(other, "attrs"))) == ["b/y.py:1", "c/z.py:1"]
    assert sorted(read) == ["a/x.py", "b/y.py", "c/z.py"]
