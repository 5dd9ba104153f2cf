"""Files that set up tools for tests and for checks: what a tool is known by is a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

_NAMES: Mapping[str, Mapping[str, str]] = {
    "test": {
        "pytest": "pytest.ini conftest.py", "tox": "tox.ini", "nox": "noxfile.py",
        "PHPUnit": "phpunit.xml phpunit.xml.dist phpunit.dist.xml", "RSpec": ".rspec",
        "Karma": "karma.conf.*", "WebdriverIO": "wdio.conf.*", "Behat": "behat.yml",
        "Mocha": ".mocharc.*", "Codecov": "codecov.yml .codecov.yml codecov.yaml",
        "coverage.py": ".coveragerc", "nyc": ".nycrc .nycrc.*", "tarpaulin": "tarpaulin.toml",
        "nextest": "nextest.toml", "SimpleCov": ".simplecov", "Jest": "jest.config.*",
        "Vitest": "vitest.config.* vitest.workspace.*", "AVA": "ava.config.*",
        "Playwright": "playwright.config.*", "Cypress": "cypress.config.*",
        "Stryker": "stryker.conf.* stryker.config.*", "Infection": "infection.json5",
    },
    "lint": {
        "golangci-lint": ".golangci.yml .golangci.yaml .golangci.toml",
        "Ruff": "ruff.toml .ruff.toml", "Flake8": ".flake8", "mypy": "mypy.ini .mypy.ini",
        "Pyright": "pyrightconfig.json", "Pylint": ".pylintrc pylintrc", "ESLint":
        ".eslintrc .eslintrc.* eslint.config.*", "Prettier": ".prettierrc .prettierrc.*"
        " prettier.config.*", "Biome": "biome.json biome.jsonc", "oxlint": ".oxlintrc.json",
        "Stylelint": ".stylelintrc .stylelintrc.* stylelint.config.*", "rustfmt": "rustfmt.toml"
        " .rustfmt.toml", "Clippy": "clippy.toml .clippy.toml", "cargo-deny": "deny.toml",
        "RuboCop": ".rubocop.yml", "Standard": ".standard.yml", "EditorConfig": ".editorconfig",
        "ClangFormat": ".clang-format", "clang-tidy": ".clang-tidy", "detekt":
        "detekt.yml detekt-config.yml", "Checkstyle": "checkstyle.xml",
        "PHPStan": "phpstan.neon phpstan.neon.dist", "PHP CS Fixer":
        ".php-cs-fixer.php .php-cs-fixer.dist.php .php_cs.dist", "PHP_CodeSniffer":
        "phpcs.xml phpcs.xml.dist .phpcs.xml.dist", "Pint": "pint.json", "Psalm":
        "psalm.xml psalm.xml.dist", "Rector": "rector.php", "SwiftLint": ".swiftlint.yml",
        "SwiftFormat": ".swiftformat", "markdownlint": ".markdownlint.* .markdownlint-cli2.*",
        "yamllint": ".yamllint .yamllint.yml .yamllint.yaml", "Hadolint": ".hadolint.yaml",
        "commitlint": "commitlint.config.* .commitlintrc .commitlintrc.*",
        "CSpell": "cspell.json .cspell.json cspell.config.*", "typos": "typos.toml _typos.toml"
        " .typos.toml", "codespell": ".codespellrc", "import-linter": ".importlinter",
        "Taplo": "taplo.toml .taplo.toml", "dprint": "dprint.json", "ShellCheck": ".shellcheckrc",
        "pre-commit": ".pre-commit-config.yaml .pre-commit-config.yml prek.toml",
        "Lefthook": "lefthook.yml lefthook.yaml .lefthook.yml", "Knip": "knip.json knip.jsonc",
        "dependency-cruiser": ".dependency-cruiser.js .dependency-cruiser.cjs",
        "Vale": ".vale.ini", "Semgrep": ".semgrep.yml", "actionlint": "actionlint.yaml",
    },
}  # fmt: skip
"""Tools by the names of their files; `*` stands for an ending."""
_SECTIONS: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "test": {
        "pyproject.toml": {"pytest": "[tool.pytest", "coverage.py": "[tool.coverage",
                           "tox": "[tool.tox"},
        "setup.cfg": {"pytest": "[tool:pytest]", "coverage.py": "[coverage:run]"},
        "package.json": {"Jest": '"jest": {', "AVA": '"ava": {', "Mocha": '"mocha": {'},
    },
    "lint": {
        "pyproject.toml": {"Ruff": "[tool.ruff", "mypy": "[tool.mypy", "Black": "[tool.black",
                           "isort": "[tool.isort", "Pyright": "[tool.pyright",
                           "Pylint": "[tool.pylint", "codespell": "[tool.codespell",
                           "import-linter": "[tool.importlinter"},
        "setup.cfg": {"Flake8": "[flake8]", "mypy": "[mypy]", "isort": "[isort]"},
        "package.json": {"ESLint": '"eslintConfig":', "Prettier": '"prettier":',
                         "lint-staged": '"lint-staged":', "commitlint": '"commitlint":'},
        "Cargo.toml": {"Clippy": "[workspace.lints.clippy", "rustc lints": "[workspace.lints.rust"},
    },
}  # fmt: skip
"""Tools by how their section of a manifest begins."""


@query
def tools(facts: Facts, kind: str) -> tuple[tuple[str, Place], ...]:
    """Tools for `test` or `lint` and the file that sets each up nearest to the root, by name."""
    exact, stems = _names(kind)
    found = []
    for path in facts.tree.paths:
        name = path.rpartition("/")[2]
        tool = exact.get(name) or stems.get(name.rpartition(".")[0])
        if tool is not None:
            found.append((tool, Place(path)))
    found += _in_manifests(facts, kind)
    nearest: dict[str, Place] = {}
    for tool, place in sorted(found, key=lambda each: (each[1].path.count("/"), each[1].path)):
        nearest.setdefault(tool, place)
    return tuple(sorted(nearest.items(), key=lambda each: (each[0].lower(), each[0])))


def _names(kind: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
    exact: dict[str, str] = {}
    stems: dict[str, str] = {}
    for tool, names in _NAMES[kind].items():
        for name in names.split():
            if name.endswith(".*"):
                stems[name[:-2]] = tool
            else:
                exact[name] = tool
    return exact, stems


def _in_manifests(facts: Facts, kind: str) -> Iterator[tuple[str, Place]]:
    for manifest in facts.tree.project.manifests:
        marks = _SECTIONS[kind].get(manifest.path.rpartition("/")[2], {})
        text = facts.tree.text(manifest.path) if marks else ""
        for tool, mark in marks.items():
            at = text.find(mark)
            if at >= 0:
                yield tool, Place(manifest.path, text.count("\n", 0, at) + 1)
