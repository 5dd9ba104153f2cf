"""Where a file that may lie anywhere is no workflow of its repository: examples, tests, copies.

Rules: CI scan reference, section 3.
"""

from __future__ import annotations

import re

from stationmaster.pipelines.model import NoWorkflow

_ASIDE = re.compile(
    r"(?:^|.*/)(?P<folder>_?_?(?:tests?|testing|testdata|test[-_]data|test[-_]?fixtures?|fixtures?"
    r"|snapshots?|mocks?|examples?|samples?|demos?|tutorials?|docs?|documentation|website|vendor"
    r"|vendored|node_modules|third[-_]?party|external|archetype-resources|templates?|skeletons?"
    r"|scaffold(?:ing)?|boilerplates?|schemas?|cookiecutters?)(?:__)?"
    r"|src/test|[^/]*\{\{[^/]*|cookiecutter[^/]*)/",
    re.IGNORECASE,
)


def aside(path: str) -> str | None:
    """The folder of examples, tests, documents, templates or foreign code that a file lies in."""
    found = _ASIDE.match(path)
    return None if found is None else found["folder"]


def check_place(path: str) -> None:
    """Raises NoWorkflow for what lies in such a folder."""
    if (folder := aside(path)) is not None:
        raise NoWorkflow(f"it lies in {folder}/, among examples, tests, templates or copies")
