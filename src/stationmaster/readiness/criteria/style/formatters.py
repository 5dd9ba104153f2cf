"""Formatters and how they show: evidence table E2 of the readiness criteria."""

from __future__ import annotations

from stationmaster.projects.model import App
from stationmaster.readiness.criteria.style.linters import GradleLine
from stationmaster.readiness.evidence.checks import Check, value
from stationmaster.readiness.facts import Facts

_STYLISTIC = ("@stylistic/eslint-plugin*", "@antfu/eslint-config")


def _is_biome_formatter_off(facts: Facts, _: App, path: str) -> bool:
    return value(facts, path, "formatter.enabled") is False


FORMATTERS = (
    # JavaScript and TypeScript
    Check("Prettier", ("JavaScript",),
          files=(".prettierrc*", "prettier.config.*"), keys=("package.json:prettier",),
          packages=("prettier",), runs=("prettier",), hooks=("prettier",),
          uses=("creyd/prettier_action",)),
    Check("Biome", ("JavaScript",), files=("biome.json", "biome.jsonc"),
          packages=("@biomejs/biome", "ultracite"),
          runs=("biome check", "biome format", "biome ci", "ultracite"),
          hooks=("biome-check", "biome-format", "biome-ci"), unless=_is_biome_formatter_off),
    Check("dprint", ("JavaScript",), files=("dprint.json", ".dprint.json", "dprint.jsonc"),
          packages=("dprint",), runs=("dprint",), uses=("dprint/check",)),
    Check("oxfmt", ("JavaScript",), files=(".oxfmtrc.json", ".oxfmtrc.jsonc", "oxfmt.config.ts"),
          packages=("oxfmt",), runs=("oxfmt",)),
    Check("deno fmt", ("JavaScript",), keys=("deno.json:fmt", "deno.jsonc:fmt"),
          runs=("deno fmt",)),
    Check("Standard", ("JavaScript",), packages=("standard", "semistandard", "xo"),
          keys=("package.json:standard", "package.json:xo"), runs=("standard", "xo")),
    Check("ESLint Stylistic", ("JavaScript",), files=("eslint.config.*",), packages=_STYLISTIC,
          unless=lambda facts, app, _: not facts.packages(app, *_STYLISTIC)),
    # Python
    Check("Ruff", ("Python",), keys=("pyproject.toml:tool.ruff.format", "ruff.toml:format",
                                     ".ruff.toml:format"),
          packages=("ruff",), runs=("ruff format",), hooks=("ruff-format",)),
    Check("Black", ("Python",), keys=("pyproject.toml:tool.black",), packages=("black",),
          runs=("black",), hooks=("black", "black-jupyter", "black-pre-commit-mirror"),
          uses=("psf/black",)),
    Check("YAPF", ("Python",), files=(".style.yapf",), keys=("pyproject.toml:tool.yapf",),
          packages=("yapf",), runs=("yapf",), hooks=("yapf",)),
    Check("autopep8", ("Python",), keys=("pyproject.toml:tool.autopep8",), packages=("autopep8",),
          runs=("autopep8",), hooks=("autopep8",)),
    Check("Blue", ("Python",), packages=("blue",), runs=("blue",), hooks=("blue",)),
    # Java, Kotlin, Scala
    Check("Spotless", ("Java", "Kotlin", "Scala", "Groovy"),
          plugins=("spotless-maven-plugin", "com.diffplug.*spotless"),
          runs=("gradlew spotlessApply", "gradlew spotlessCheck")),
    Check("google-java-format", ("Java",),
          plugins=("fmt-maven-plugin", "com.github.sherter.google-java-format",
                   "googleformatter-maven-plugin"),
          runs=("google-java-format",), hooks=("google-java-format",
                                               "pretty-format-java"),
          uses=("axel-op/googlejavaformat-action",)),
    Check("a formatter plugin", ("Java",),
          plugins=("formatter-maven-plugin", "io.spring.javaformat", "prettier-maven-plugin",
                   "spring-javaformat-maven-plugin", "com.palantir.*-format")),
    Check("ktlint", ("Kotlin",),
          plugins=("org.jlleitschuh.gradle.ktlint", "org.jmailen.kotlinter",
                   "ktlint-maven-plugin"),
          runs=("ktlint",), hooks=("ktlint",)),
    Check("ktfmt", ("Kotlin",), plugins=("com.ncorti.ktfmt.gradle", "ktfmt-maven-plugin"),
          runs=("ktfmt",), hooks=("ktfmt",)),
    GradleLine("detekt's formatting rules",
               r"detekt-(?:formatting|rules-ktlint-wrapper)|detekt\.formatting"),
    Check("scalafmt", ("Scala",), files=(".scalafmt.conf",), runs=("scalafmt", "sbt scalafmtCheck"),
          hooks=("scalafmt",)),
    # Ruby
    Check("RuboCop", ("Ruby",), files=(".rubocop.yml",), packages=("rubocop", "rubocop-*"),
          runs=("rubocop",), hooks=("rubocop", "RuboCop")),
    Check("Standard", ("Ruby",), files=(".standard.yml",), packages=("standard", "standard-*"),
          runs=("standardrb",), hooks=("standardrb",)),
    Check("Rufo", ("Ruby",), files=(".rufo",), packages=("rufo",), runs=("rufo",)),
    Check("Syntax Tree", ("Ruby",), packages=("syntax_tree",), files=(".streerc",),
          runs=("stree",)),
    # .NET
    Check("dotnet format", ("C#",), runs=("dotnet format", "dotnet-format"),
          hooks=("dotnet-format",)),
    Check("CSharpier", ("C#",), files=(".csharpierrc", ".csharpierrc.*"),
          plugins=("CSharpier.MsBuild",), runs=("csharpier", "dotnet csharpier")),
    Check("Fantomas", ("C#",), runs=("fantomas", "dotnet fantomas")),
    # C, C++, Swift
    Check("clang-format", ("C++",), files=(".clang-format", "_clang-format"),
          packages=(), runs=("clang-format", "git clang-format"), hooks=("clang-format",),
          uses=("jidicula/clang-format-action", "doozyx/clang-format-lint-action")),
    Check("Artistic Style", ("C++",), files=(".astylerc",), runs=("astyle",)),
    Check("Uncrustify", ("C++",), files=("uncrustify.cfg", ".uncrustify.cfg"),
          runs=("uncrustify",)),
    Check("swift-format", ("Swift",), files=(".swift-format",),
          runs=("swift-format", "swift format"), hooks=("swift-format",)),
    Check("SwiftFormat", ("Swift",), files=(".swiftformat",), runs=("swiftformat",),
          hooks=("swiftformat",)),
    # PHP
    Check("PHP CS Fixer", ("PHP",),
          files=(".php-cs-fixer.php", ".php-cs-fixer.dist.php", ".php_cs", ".php_cs.dist"),
          packages=("friendsofphp/php-cs-fixer", "*/php-cs-fixer-config"), runs=("php-cs-fixer",),
          hooks=("php-cs-fixer",)),
    Check("Pint", ("PHP",), files=("pint.json",), packages=("laravel/pint",), runs=("pint",)),
    Check("phpcbf", ("PHP",), packages=("squizlabs/php_codesniffer",), runs=("phpcbf",),
          files=("phpcs.xml", "phpcs.xml.dist", ".phpcs.xml", ".phpcs.xml.dist")),
    Check("ECS", ("PHP",), files=("ecs.php",), packages=("symplify/easy-coding-standard",),
          runs=("ecs",)),
    Check("StyleCI", ("PHP",), files=(".styleci.yml",)),
    Check("Mago", ("PHP",), files=("mago.toml",), packages=("carthage-software/mago",),
          runs=("mago format", "mago fmt")),
    # Others
    Check("shfmt", ("Shell",), runs=("shfmt",), hooks=("shfmt", "shfmt-docker")),
    Check("terraform fmt", ("HCL", "Terraform"), runs=("terraform fmt", "tofu fmt"),
          hooks=("terraform_fmt",)),
    Check("StyLua", ("Lua",), files=("stylua.toml", ".stylua.toml"), runs=("stylua",),
          hooks=("stylua",)),
    Check("Ormolu or Fourmolu", ("Haskell",), files=("fourmolu.yaml", ".ormolu"),
          runs=("ormolu", "fourmolu")),
    Check("cljfmt", ("Clojure",), files=(".cljfmt.edn", "cljfmt.edn"), runs=("cljfmt",)),
    Check("ocamlformat", ("OCaml",), files=(".ocamlformat",), runs=("ocamlformat", "dune fmt")),
    Check("Perl::Tidy", ("Perl",), files=(".perltidyrc",), runs=("perltidy",)),
    Check("styler", ("R",), hooks=("style-files",), runs=("styler", "air format")),
    Check("Trunk", files=(".trunk/trunk.yaml",), uses=("trunk-io/trunk-action",)),
    Check("treefmt", files=("treefmt.toml", "treefmt.nix"), runs=("treefmt",)),
)  # fmt: skip
