"""What fixes versions: lock files, toolchain pins, shared versions, workspaces (tables E4, E27)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from stationmaster.readiness.evidence import builds, cargo
from stationmaster.readiness.evidence.configs import configuration, key_above, own_folders, value
from stationmaster.readiness.evidence.families import family
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips
from stationmaster.reading.projects.model import App, Ecosystem, Manifest, Place
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.test_files import is_test
from stationmaster.repos.yaml_nodes import get, items, members

_APPS_NAMED = 5
_LOCKS: dict[Ecosystem, tuple[str, ...]] = {
    "npm": ("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock",
            "bun.lockb", "common/config/rush/pnpm-lock.yaml", "deno.lock"),
    "deno": ("deno.lock",),
    "python": ("uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pylock.toml", "pixi.lock",
               "conda-lock.yml", "conda-lock.yaml"),
    "go": ("go.sum", "go.work.sum"),
    "rust": ("Cargo.lock", "Cargo.Bazel.lock"),
    "gradle": ("gradle.lockfile", "gradle/verification-metadata.xml", "buildscript-gradle.lockfile",
               "versions.lock"),
    "dotnet": ("packages.lock.json", "paket.lock"),
    "ruby": ("Gemfile.lock", "gems.locked"),
    "php": ("composer.lock",),
    "swift": ("Package.resolved", "Podfile.lock", "Cartfile.resolved"),
    "cpp": ("conan.lock", "vcpkg-configuration.json", "vcpkg.json", ".gitmodules", "flake.lock"),
    "elixir": ("mix.lock", "rebar.lock"),
    "dart": ("pubspec.lock",),
    "haskell": ("cabal.project.freeze", "stack.yaml.lock", "flake.lock"),
    "terraform": (".terraform.lock.hcl",),
}  # fmt: skip
_BESIDE = frozenset({
    "docs", "doc", "documentation", "website", "assets", "bench", "benchmarks", "perf", "scripts",
    "tools", "hack", "ci", ".github", ".ci", "fuzz", "dev", "contrib", "examples", "resources",
})  # fmt: skip
"""Folders whose manifests are not those of the product."""
_BELOW = "**/*.xcworkspace/xcshareddata/swiftpm/Package.resolved"
_DYNAMIC: dict[Ecosystem, re.Pattern[str]] = {
    "maven": re.compile(r"[\[(].*|LATEST|RELEASE"),
    "gradle": re.compile(r"\A(?:.*\+|latest\..*|[\[(].*)"),
    "dotnet": re.compile(r"\A(?:.*[*].*|[\[(].*,.*)"),
}
"""Versions that are not exact, in ecosystems where people write exact ones instead of a lock."""
_LOOSE_LINE = re.compile(r"^[A-Za-z0-9][\w.\-]*(?:\[[^\]]*\])?\s*(?!.*(?:==|@))", re.MULTILINE)


def deps_pinned(facts: Facts) -> Verdict:
    """Passes where every manifest with dependencies has a tracked lock file or exact versions."""
    pinned: list[Place] = []
    loose: list[tuple[App, Manifest]] = []
    for app in facts.project.apps:
        for manifest in app.manifests:
            if _is_beside(app, manifest) or not _has_dependencies(facts, manifest):
                continue
            place = _pin(facts, manifest)
            if place is None:
                loose.append((app, manifest))
            else:
                pinned.append(place)
    # One manifest of a folder may be pinned by the lock of its neighbour (setup.py, pyproject).
    folders = {(folder_of(place.path)) for place in pinned}
    loose = [(app, each) for app, each in loose if each.folder not in folders]
    if loose:
        names = ", ".join(dict.fromkeys(app.path for app, _ in loose[:_APPS_NAMED]))
        near = tuple(dict.fromkeys(Place(each.path) for _, each in loose))
        return fails(f"No tracked lock file or exact versions for {names}", *near)
    if not pinned:
        return skips("There are no external dependencies")
    return passes("Versions are locked", *dict.fromkeys(pinned))


def _is_beside(app: App, manifest: Manifest) -> bool:
    """Is it of tests, documents or tools, rather than of the application?"""
    inside = manifest.path if app.path == "." else manifest.path[len(app.path) + 1 :]
    return is_test(inside) or not _BESIDE.isdisjoint(inside.lower().split("/")[:-1])


def _has_dependencies(facts: Facts, manifest: Manifest) -> bool:
    internal = {each.name for each in facts.project.manifests}
    return any(dependency.name not in internal for dependency in manifest.dependencies)


def _pin(facts: Facts, manifest: Manifest) -> Place | None:
    names = _LOCKS.get(manifest.ecosystem, ())
    lock = facts.tree.nearest(manifest.folder, *names) if names else None
    if lock is not None and not _is_ignored(facts, lock):
        return Place(lock)
    if manifest.ecosystem == "swift":
        return next(map(Place, facts.tree.glob(_BELOW, under=manifest.folder)), None)
    if manifest.ecosystem == "python":
        return _requirements(facts, manifest)
    dynamic = _DYNAMIC.get(manifest.ecosystem)
    if dynamic is None:
        return None
    versions = [dependency.version for dependency in manifest.dependencies if dependency.version]
    return None if any(map(dynamic.fullmatch, versions)) else Place(manifest.path)


def _is_ignored(facts: Facts, lock: str) -> bool:
    """A lock that .gitignore names is there by accident, and nobody keeps it up to date."""
    name = lock.rpartition("/")[2]
    lines = {line.strip().lstrip("/") for line in facts.tree.text(".gitignore").splitlines()}
    return name in lines and f"!{name}" not in lines


def _requirements(facts: Facts, manifest: Manifest) -> Place | None:
    """Compiled requirements: every line names one version."""
    found = facts.tree.glob("requirements*.txt", "requirements/*.txt", under=manifest.folder)
    for path in found:
        text = re.sub(r"(?m)(?:\s|^)#.*$|^[ \t]+--hash.*$|^-.*$", "", facts.tree.text(path))
        if "==" in text and not _LOOSE_LINE.search(text):
            return Place(path)
    return None


def monorepo_tooling(facts: Facts) -> Verdict:
    """Passes where workspaces hold at least 80 % of the applications; skipped for one alone."""
    apps = facts.project.apps
    if len(apps) == 1:
        return skips("There is one application")
    covering: list[Place] = []
    covered: set[str] = set()
    for workspace in facts.project.workspaces:
        inside = {
            app.path
            for app in apps
            if app.path in workspace.members or app.path == folder_of(workspace.place.path)
        }
        if inside - covered:
            covering.append(workspace.place)
            covered |= inside
    if 5 * len(covered) >= 4 * len(apps):
        return passes(f"A workspace takes in {len(covered)} of {len(apps)} applications", *covering)
    if covering:
        return fails(
            f"Workspaces take in {len(covered)} of {len(apps)} applications only", *covering
        )
    return fails(f"No workspace is declared over the {len(apps)} applications")


_ANY_PIN = ("flake.nix", "shell.nix", "devbox.json", "devenv.nix", "pixi.toml")
_PIN_FILES: dict[str, tuple[str, ...]] = {
    "JavaScript": (".nvmrc", ".node-version", ".bun-version", ".deno-version", ".dvmrc"),
    "Python": (".python-version", "runtime.txt"),
    "Rust": ("rust-toolchain.toml", "rust-toolchain"),
    "Go": (".go-version",),
    "Java": (".java-version", ".sdkmanrc", ".jabbarc"),
    "Kotlin": (".java-version", ".sdkmanrc"),
    "Ruby": (".ruby-version",),
    "C#": ("global.json",),
    "PHP": (".php-version",),
    "Swift": (".swift-version",),
    "Elixir": (".elixir-version",),
    "Dart": (".fvmrc", ".fvm/fvm_config.json"),
    "HCL": (".terraform-version", ".opentofu-version"),
    "Scala": (".java-version", ".sdkmanrc"),
}
_TOOL_WORDS = {
    "JavaScript": r"node(?:js)?|bun|deno",
    "Python": "python|uv",
    "Go": "go(?:lang)?",
    "Rust": "rust",
    "Java": "java",
    "Kotlin": "java|kotlin",
    "Scala": "java|scala",
    "Ruby": "ruby",
    "C#": "dotnet(?:-core)?",
    "PHP": "php",
    "Swift": "swift",
    "Elixir": "elixir",
    "HCL": "terraform|opentofu",
    "Dart": "dart|flutter",
    "Lua": "lua(?:jit)?",
}
_JSON_PINS = (
    ("JavaScript", "package.json:volta.node", False),
    ("JavaScript", "package.json:devEngines", False),
    ("JavaScript", "package.json:packageManager", False),
    ("JavaScript", "package.json:engines.node", True),
    ("JavaScript", "package.json:engines", True),
    ("PHP", "composer.json:config.platform.php", False),
    ("PHP", "composer.json:require.php", True),
    ("Python", "pyproject.toml:project.requires-python", True),
    ("Python", "pyproject.toml:tool.poetry.dependencies.python", True),
    ("Rust", "Cargo.toml:package.rust-version", True),
    ("Rust", "Cargo.toml:workspace.package.rust-version", True),
)
_TEXT_PINS: tuple[tuple[str, str, str, bool], ...] = (
    ("Go", "go.mod", r"(?m)^toolchain[ \t]+go", False),
    ("Go", "go.mod", r"(?m)^go[ \t]+\d", True),
    ("Ruby", "Gemfile", r"(?m)^[ \t]*ruby[ (]+(?:file:|['\"]\d)", False),
    ("Ruby", "*.gemspec", r"required_ruby_version", True),
    ("Java", "build.gradle*", r"languageVersion|jvmToolchain", False),
    ("Kotlin", "build.gradle*", r"languageVersion|jvmToolchain", False),
    ("Java", "pom.xml", r"<requireJavaVersion>|maven-toolchains-plugin", False),
    ("Java", "pom.xml", r"maven\.compiler\.(?:release|source)|<release>|java\.version", True),
    ("Java", "build.gradle*", r"(?:source|target)Compatibility|options\.release", True),
    ("Kotlin", "build.gradle*", r"jvmTarget", True),
    ("Python", "setup.py", r"python_requires", True),
    ("Python", "setup.cfg", r"(?m)^python_requires", True),
    ("C#", "*.csproj", r"<TargetFrameworks?>", True),
    ("C#", "Directory.Build.props", r"<TargetFrameworks?>", True),
    ("Swift", "Package.swift", r"swift-tools-version", True),
    ("Elixir", "mix.exs", r"elixir:\s*\"", True),
    ("Dart", "pubspec.yaml", r"(?m)^[ \t]+sdk:", True),
    ("Haskell", "stack.yaml", r"(?m)^(?:resolver|snapshot):", False),
    ("Haskell", "*.cabal", r"tested-with", True),
    ("Scala", "build.sbt", r"scalaVersion", True),
    ("HCL", "*.tf", r"required_version", True),
    ("C++", "CMakePresets.json", r"\{", True),
)
_WRAPPERS = ("gradle/wrapper/gradle-wrapper.properties", ".mvn/wrapper/maven-wrapper.properties")


def runtime_version_pinned(facts: Facts) -> Verdict:
    """Passes where files pin each language's toolchain; weakly where one gives a least version."""
    found: list[tuple[Place, bool]] = []
    lacking: dict[str, App] = {}
    for app in facts.project.apps:
        language = family(app)
        if language not in _TOOL_WORDS and language not in ("Haskell", "C++"):
            continue
        pin = _runtime(facts, app, language or "")
        if pin is not None:
            found.append(pin)
        elif language != "C++":
            lacking.setdefault(language or "", app)
    if lacking:
        told = ", ".join(f"{name} ({app.path})" for name, app in lacking.items())
        return fails(f"No file pins the toolchain's version of {told}")
    if not found:
        return skips("There is no runtime or toolchain to pin")
    weak = dict.fromkeys(place for place, is_weak in found if is_weak)
    if weak:
        return passes("A least version is declared, not a pin", *weak, weak=True)
    return passes("The toolchain is pinned", *dict.fromkeys(place for place, _ in found))


def _runtime(facts: Facts, app: App, language: str) -> tuple[Place, bool] | None:
    """Where the version is pinned, and whether weakly."""
    path = facts.tree.above(app, *_PIN_FILES.get(language, ()), *_ANY_PIN)
    if path is not None:
        return Place(path), False
    words = _TOOL_WORDS.get(language)
    for name in (".tool-versions", "mise.toml", ".mise.toml", ".config/mise.toml", ".prototools"):
        path = facts.tree.above(app, name)
        sign = rf"(?m)^[ \t]*[\"']?(?:core:)?(?:{words})[\"']?[\s=]" if words else r"(?!)"
        if path is not None and re.search(sign, facts.tree.text(path)):
            return Place(path), False
    weak: tuple[Place, bool] | None = None
    for each in _declared(facts, app, language):
        if not each[1]:
            return each
        weak = weak or each
    return weak


def _declared(facts: Facts, app: App, language: str) -> Iterator[tuple[Place, bool]]:
    for of, key, is_weak in _JSON_PINS:
        if of == language and (place := key_above(facts, app, key)) is not None:
            yield place, is_weak
    for of, name, sign, is_weak in _TEXT_PINS:
        if of != language:
            continue
        for folder in own_folders(app):
            path = configuration(facts, folder, name)
            found = re.search(sign, facts.tree.text(path)) if path is not None else None
            if path is not None and found is not None:
                line = facts.tree.text(path).count("\n", 0, found.start()) + 1
                yield Place(path, line), is_weak
    if language in ("Java", "Kotlin", "Scala"):
        for path, text in builds.gradle(facts, app):
            if (at := re.search(r"languageVersion|jvmToolchain", text)) is not None:
                yield Place(path, text.count("\n", 0, at.start()) + 1), False
        path = facts.tree.above(app, *_WRAPPERS)
        if path is not None:
            yield Place(path), True


def version_drift_detection(facts: Facts) -> Verdict:
    """Passes where applications share versions or a check compares them; skipped for one alone."""
    apps = facts.project.apps
    if len(apps) == 1:
        return skips("There is one application")
    for read in _DRIFT:
        verdict = read(facts)
        if verdict is not None:
            return verdict
    return fails("Neither shared versions nor a check that versions agree")


def _checked_drift(facts: Facts) -> Verdict | None:
    run = facts.run(
        None,
        "syncpack",
        "manypkg check",
        "yarn constraints",
        "go work sync",
        "pnpm dedupe --check",
        "nx sync:check",
        "gradlew checkVersions",
    )
    if run is not None:
        return passes("A check compares versions", run.command.place)
    for path in facts.tree.glob(
        "yarn.config.cjs", "constraints.pro", ".syncpackrc*", "syncpack.config.*"
    ):
        return passes("Constraints on versions are declared", Place(path))
    return None


def _catalogues(facts: Facts) -> Verdict | None:
    for path in facts.tree.glob("pnpm-workspace.yaml", ".yarnrc.yml"):
        root = facts.tree.yaml(path)
        if members(get(root, "catalog")) or members(get(root, "catalogs")):
            return passes("A catalog shares versions", Place(path))
    package = facts.tree.json("package.json") if "package.json" in facts.files else None
    for name in ("catalog", "catalogs", "workspaces.catalog", "workspaces.catalogs"):
        if isinstance(package, dict) and value(facts, "package.json", name):
            return passes("A catalog shares versions", Place("package.json"))
    return None


def _cargo(facts: Facts) -> Verdict | None:
    for app in facts.project.apps:
        root = cargo.workspace(facts, app.path) if "rust" in app.ecosystems else None
        if root is not None and value(facts, root, "workspace.dependencies"):
            return passes("The workspace shares versions", Place(root))
    return None


def _jvm_and_net(facts: Facts) -> Verdict | None:
    for path in facts.tree.glob(
        "gradle/*.versions.toml", "Directory.Packages.props", "*/Directory.Packages.props"
    ):
        return passes("Versions stand in one file", Place(path))
    for app in facts.project.apps:
        for path in builds.poms(facts, app)[1:]:
            root = facts.tree.xml(path)
            if root is not None and root.find("dependencyManagement") is not None:
                return passes("The parent pom manages versions", Place(path))
        for plugin in builds.maven(facts, app):
            if plugin.name == "maven-enforcer-plugin" and any(
                each.tag == "dependencyConvergence" for each in plugin.element.iter()
            ):
                return passes("The enforcer refuses diverging versions", plugin.place)
    return None


def _python(facts: Facts) -> Verdict | None:
    for workspace in facts.project.workspaces:
        lock = facts.tree.nearest(folder_of(workspace.place.path), "uv.lock")
        if workspace.tool == "uv" and lock is not None:
            return passes("One lock holds for the whole workspace", Place(lock), weak=True)
    return None


def _renovate(facts: Facts) -> Verdict | None:
    for path in facts.tree.glob(
        "renovate.json",
        "renovate.json5",
        ".github/renovate.json",
        ".github/renovate.json5",
        ".renovaterc",
        ".renovaterc.json",
    ):
        text = facts.tree.text(path)
        if "groupName" in text or "group:" in text:
            return passes("Renovate updates versions in groups", Place(path), weak=True)
    for path in facts.tree.glob(".github/dependabot.y*ml"):
        for item in items(get(facts.tree.yaml(path), "updates")):
            if members(get(item, "groups")):
                return passes("Dependabot updates versions in groups", Place(path), weak=True)
    return None


_DRIFT: Sequence[Callable[[Facts], Verdict | None]] = (
    _checked_drift,
    _catalogues,
    _cargo,
    _jvm_and_net,
    _python,
    _renovate,
)
