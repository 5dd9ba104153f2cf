"""Figures of the source tree: `python -m tests.tidy.figures` prints them as the table of
docs/decisions/size.md."""

from __future__ import annotations

import ast
import re
import statistics
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "stationmaster"
SPEECH = frozenset({"told", "said", "spoken", "heard", "handed"})
_VAGUE = SPEECH | {"each", "found", "known", "given"}
"""Names of where a value was found, and not of what it is."""
_Trees = Iterable[ast.Module]


def figures() -> dict[str, str]:
    """What is counted, and its figure, in the order of the table."""
    texts = [path.read_text() for path in PACKAGE.rglob("*.py")]
    trees = [ast.parse(text) for text in texts]
    lines = _lines(PACKAGE)
    local = sum(_imports_inside(tree) for tree in trees)
    skips = sum(len(re.findall(r"# fmt: (?:skip|off)", text)) for text in texts)
    return {
        "Lines of Python under src/": f"{lines:,}",
        "Lines of Python under tests/, for one of src/": f"{_lines(ROOT / 'tests') / lines:.2f}",
        "Folders directly under src/stationmaster": str(len(list(PACKAGE.glob("*/__init__.py")))),
        "Python files of the fullest folder": _fullest(),
        "Own modules that a module imports, 90th percentile": _own_imports(trees),
        "Public functions and classes with a docstring": _documented(trees),
        "Imports inside functions, for 1,000 lines": f"{1000 * local / lines:.1f}",
        "Suppressed formats (`fmt: skip`, `fmt: off`)": str(skips),
        "Assigned names such as `each` and `found`": _vague(trees),
    }


def _lines(folder: Path) -> int:
    return sum(len(path.read_text().splitlines()) for path in folder.rglob("*.py"))


def _fullest() -> str:
    sizes = Counter(path.parent for path in PACKAGE.rglob("*.py"))
    folder, size = sizes.most_common(1)[0]
    return f"{size} ({folder.relative_to(PACKAGE)})"


def _own_imports(trees: _Trees) -> str:
    counts = [
        sum(
            isinstance(node, ast.ImportFrom) and (node.module or "").startswith("stationmaster")
            for node in tree.body
        )
        for tree in trees
    ]
    return f"{statistics.quantiles(counts, n=10)[-1]:.0f}"


def _imports_inside(tree: ast.Module) -> int:
    """Each once, also where it stands in a function of a function."""
    return len(
        {
            node
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
            for node in ast.walk(function)
            if isinstance(node, ast.Import | ast.ImportFrom)
        }
    )


def _documented(trees: _Trees) -> str:
    public = [
        node
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
    ]
    share = sum(ast.get_docstring(node) is not None for node in public) / len(public)
    return f"{share:.0%}"


def _vague(trees: _Trees) -> str:
    names = [name for tree in trees for name in assigned(tree)]
    return f"{sum(name in _VAGUE for name in names) / len(names):.1%}"


def assigned(tree: ast.Module) -> list[str]:
    """The names of parameters and of assigned variables of a module."""
    nodes = list(ast.walk(tree))
    names = [node.arg for node in nodes if isinstance(node, ast.arg)]
    return names + [
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


if __name__ == "__main__":
    for title, figure in figures().items():
        sys.stdout.write(f"| {title} | {figure} |\n")
