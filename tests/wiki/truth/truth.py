"""What is true of a repository, written down by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Truth(NamedTuple):
    """`routes` are methods and paths, `settings` and `entities` names, `commands` what people type
    behind the program's name, `dependencies` what manifests ask for with its scope."""

    files: Mapping[str, str]
    routes: frozenset[str]
    settings: frozenset[str] = frozenset()
    commands: frozenset[str] = frozenset()
    entities: frozenset[str] = frozenset()
    dependencies: frozenset[str] = frozenset()
