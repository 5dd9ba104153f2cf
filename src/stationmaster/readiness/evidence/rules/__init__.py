"""Single rules of linters, which a configuration turns on or defaults do; and tools that no name of
a file or command shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stationmaster.readiness.evidence.rules import compiled, scripting
from stationmaster.readiness.facts import Facts
from stationmaster.reading.projects.model import App, Place

LINTERS: Mapping[str, Callable[[Facts, App, str], Place | None]] = {
    "ruff": scripting.ruff,
    "pylint": scripting.pylint,
    "eslint": scripting.eslint,
    "biome": scripting.biome,
    "oxlint": scripting.oxlint,
    "golangci-lint": compiled.golangci,
    "clippy": compiled.cargo,
    "clang-tidy": compiled.clang_tidy,
    "checkstyle": compiled.checkstyle,
    "pmd": compiled.pmd,
    "detekt": compiled.detekt,
    "rubocop": compiled.rubocop,
    "dotnet-analyzers": compiled.editorconfig,
    "swiftlint": compiled.swiftlint,
    "credo": compiled.credo,
    "phpmd": compiled.phpmd,
}
"""By the id of the linter. A reader answers None where a rule is off or unknown."""
READERS: Mapping[str, Callable[[Facts, App], Place | None]] = {
    "error-prone": compiled.error_prone,
    "cargo-lints": compiled.cargo_lints,
    "dotnet-analyzers": compiled.dotnet_analyzers,
}
"""By the name that a row of the catalogue gives as `reader`."""
