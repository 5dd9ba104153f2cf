"""A row of a table of evidence: a linter, and rules of it of which one must be on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stationmaster.projects.model import App, Place
from stationmaster.readiness.evidence.checks import Shown
from stationmaster.readiness.evidence.families import families
from stationmaster.readiness.evidence.rules import javascript, native, others, python
from stationmaster.readiness.facts import Facts

Reader = Callable[[Facts, App, str], Place | None]
"""Where a configuration turns a rule of this name on; None where it is off or unknown."""

_LINTERS: Mapping[str, tuple[str, tuple[str, ...], Reader]] = {
    "ruff": ("Ruff", ("Python",), python.ruff),
    "pylint": ("Pylint", ("Python",), python.pylint),
    "eslint": ("ESLint", ("JavaScript",), javascript.eslint),
    "biome": ("Biome", ("JavaScript",), javascript.biome),
    "oxlint": ("Oxlint", ("JavaScript",), javascript.oxlint),
    "golangci": ("golangci-lint", ("Go",), native.golangci),
    "cargo": ("rustc or Clippy", ("Rust",), native.cargo),
    "clang-tidy": ("clang-tidy", ("C++",), native.clang_tidy),
    "checkstyle": ("Checkstyle", ("Java",), others.checkstyle),
    "pmd": ("PMD", ("Java",), others.pmd),
    "detekt": ("detekt", ("Kotlin",), others.detekt),
    "rubocop": ("RuboCop", ("Ruby",), others.rubocop),
    "editorconfig": (".NET analyzers", ("C#",), others.editorconfig),
    "swiftlint": ("SwiftLint", ("Swift",), others.swiftlint),
    "credo": ("Credo", ("Elixir",), others.credo),
    "phpmd": ("PHPMD", ("PHP",), others.phpmd),
}


@dataclass(frozen=True, slots=True)
class Rule:
    """`linter` is a key of the table above, `names` are rules as that linter calls them."""

    linter: str
    names: tuple[str, ...]

    def shown(self, facts: Facts, app: App) -> Shown | None:
        told, of, read = _LINTERS[self.linter]
        if families(app).isdisjoint(of):
            return None
        for name in self.names:
            place = read(facts, app, name)
            if place is not None:
                return Shown(f"{told}'s {name}", (place,))
        return None
