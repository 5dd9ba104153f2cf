"""Where the configuration of a linter turns one of its rules on, by the id of the linter."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stationmaster.readiness.evidence.rules import javascript, native, others, python
from stationmaster.readiness.facts import Facts
from stationmaster.reading.projects.model import App, Place

READERS: Mapping[str, Callable[[Facts, App, str], Place | None]] = {
    "ruff": python.ruff,
    "pylint": python.pylint,
    "eslint": javascript.eslint,
    "biome": javascript.biome,
    "oxlint": javascript.oxlint,
    "golangci-lint": native.golangci,
    "clippy": native.cargo,
    "clang-tidy": native.clang_tidy,
    "checkstyle": others.checkstyle,
    "pmd": others.pmd,
    "detekt": others.detekt,
    "rubocop": others.rubocop,
    "dotnet-analyzers": others.editorconfig,
    "swiftlint": others.swiftlint,
    "credo": others.credo,
    "phpmd": others.phpmd,
}
"""A reader answers None where a rule is off or unknown."""
