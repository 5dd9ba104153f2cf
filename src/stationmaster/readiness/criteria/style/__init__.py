"""The criteria of the pillar Style & Validation."""

from __future__ import annotations

from stationmaster.readiness.criteria.style import checkers, judges, runtime
from stationmaster.readiness.criterion import Criterion

CRITERIA = (
    Criterion(
        id="lint_config",
        title="Linter configured",
        level=1,
        pillar="Style & Validation",
        scope="application",
        looks_for=(
            "A linter for the main language, configured or run in the application or above it."
        ),
        remedy=(
            "Add the usual linter of the language with its recommended rules, and a command "
            "that runs it."
        ),
        app=judges.lint_config,
    ),
    Criterion(
        id="formatter",
        title="Formatter configured",
        level=1,
        pillar="Style & Validation",
        scope="application",
        looks_for="A formatter that is configured or run, or that the language's toolchain brings.",
        remedy=(
            "Add a formatter and a command that checks, and format everything once in a "
            "commit of its own."
        ),
        app=judges.formatter,
    ),
    Criterion(
        id="type_check",
        title="Type checker",
        level=1,
        pillar="Style & Validation",
        scope="application",
        looks_for="A compiler that checks types, or a type checker that is configured and run.",
        remedy="Add a type checker in a lenient mode and a command `typecheck`.",
        app=checkers.type_check,
    ),
    Criterion(
        id="strict_typing",
        title="Strict typing mode",
        level=2,
        pillar="Style & Validation",
        scope="application",
        looks_for="The strict mode of the type checker, set or the default.",
        remedy="Turn strict mode on folder by folder and shrink the list of exceptions.",
        app=checkers.strict_typing,
        requires="type_check",
    ),
    Criterion(
        id="pre_commit_hooks",
        title="Commit-time checks",
        level=2,
        pillar="Style & Validation",
        scope="application",
        looks_for=(
            "A hook runner in the tree with a hook that lints, formats, checks or tests this code."
        ),
        remedy="Let pre-commit, Lefthook or Husky run the fast checks on staged files.",
        app=judges.pre_commit_hooks,
    ),
    Criterion(
        id="naming_consistency",
        title="Naming rules enforced or written",
        level=3,
        pillar="Style & Validation",
        scope="application",
        looks_for="Naming rules of a linter or compiler, or a naming convention in writing.",
        remedy="Turn on the linter's rules on names.",
        app=judges.naming_consistency,
    ),
    Criterion(
        id="dead_code_detection",
        title="Dead code detection",
        level=3,
        pillar="Style & Validation",
        scope="application",
        looks_for="A tool or rule that reports unused code.",
        remedy="Run the language's finder of unused code in CI, first to report, then to refuse.",
        app=judges.dead_code_detection,
    ),
    Criterion(
        id="duplicate_code_detection",
        title="Duplicate code detection",
        level=3,
        pillar="Style & Validation",
        scope="application",
        looks_for="A detector of copied code that is configured and run.",
        remedy="Add jscpd or CPD with a threshold.",
        app=judges.duplicate_code_detection,
    ),
    Criterion(
        id="large_file_detection",
        title="Large file guard",
        level=3,
        pillar="Style & Validation",
        scope="repository",
        looks_for="A hook, Git LFS or a rule that keeps large files out.",
        remedy="Add the hook `check-added-large-files`, or let Git LFS take large files.",
        repository=judges.large_file_detection,
    ),
    Criterion(
        id="tech_debt_tracking",
        title="Debt markers tracked",
        level=3,
        pillar="Style & Validation",
        scope="repository",
        looks_for="A tool or rule that follows TODO comments.",
        remedy="Turn on the linter's rule on TODO comments as a warning.",
        repository=judges.tech_debt_tracking,
    ),
    Criterion(
        id="unused_dependencies_detection",
        title="Unused dependency detection",
        level=3,
        pillar="Style & Validation",
        scope="application",
        looks_for="A check for declared dependencies that nothing uses.",
        remedy="Run Knip, deptry, cargo-machete or a check of `go mod tidy` in CI.",
        app=judges.unused_dependencies_detection,
    ),
    Criterion(
        id="code_modularization",
        title="Module boundaries enforced",
        level=4,
        pillar="Style & Validation",
        scope="application",
        looks_for="A rule that says which module may import which.",
        remedy="Declare the layers and let a tool enforce them in CI.",
        app=judges.code_modularization,
    ),
    Criterion(
        id="cyclomatic_complexity",
        title="Complexity limit",
        level=4,
        pillar="Style & Validation",
        scope="application",
        looks_for="A rule that limits the complexity of a function.",
        remedy="Turn the rule on with today's maximum as its limit, and lower it over time.",
        app=judges.cyclomatic_complexity,
    ),
    Criterion(
        id="n_plus_one_detection",
        title="N+1 query detection",
        level=4,
        pillar="Style & Validation",
        scope="application",
        looks_for=(
            "A detector of queries in loops, for applications with an object-relational mapper."
        ),
        remedy="Turn on the mapper's detector in tests and development.",
        app=runtime.n_plus_one_detection,
        kinds=frozenset({"service"}),
    ),
    Criterion(
        id="heavy_dependency_detection",
        title="Bundle weight watch",
        level=4,
        pillar="Style & Validation",
        scope="application",
        looks_for="A budget for the browser bundle, or an analyzer that the build runs.",
        remedy="Add size-limit with a budget to CI.",
        app=runtime.heavy_dependency_detection,
        kinds=frozenset({"web"}),
    ),
)
