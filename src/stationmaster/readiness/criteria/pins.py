"""What fixes versions: lock files, toolchain pins, shared versions, workspaces (tables E4, E27)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.catalogue import ecosystems, families, lists, table
from stationmaster.readiness.evidence import builds, configs
from stationmaster.readiness.evidence.rules import compiled as linters
from stationmaster.readiness.facts import Facts, Verdict, fails, passes, skips
from stationmaster.reading.projects.model import App, Manifest, Place
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.test_files import is_test
from stationmaster.repos.yaml_nodes import get, items, members

_APPS_NAMED = 5
_BELOW = "**/*.xcworkspace/xcshareddata/swiftpm/Package.resolved"
_LOOSE_LINE = re.compile(r"^[A-Za-z0-9][\w.\-]*(?:\[[^\]]*\])?\s*(?!.*(?:==|@))", re.MULTILINE)


def deps_pinned(facts: Facts) -> Verdict:
    """Passes where every manifest with dependencies has a tracked lock file or exact versions."""
    pinned: list[Place] = []
    loose: list[tuple[App, Manifest]] = []
    internal = {manifest.name for manifest in facts.project.manifests}
    for app in facts.project.apps:
        for manifest in app.manifests:
            external = (d for d in manifest.dependencies if d.name not in internal)
            if _is_of_tests_or_tools(app, manifest) or not any(external):
                continue
            place = _pin(facts, manifest)
            if place is None:
                loose.append((app, manifest))
            else:
                pinned.append(place)
    # One manifest of a folder may be pinned by the lock of its neighbour (setup.py, pyproject).
    folders = {(folder_of(place.path)) for place in pinned}
    loose = [(app, manifest) for app, manifest in loose if manifest.folder not in folders]
    if loose:
        names = ", ".join(dict.fromkeys(app.path for app, _ in loose[:_APPS_NAMED]))
        near = tuple(dict.fromkeys(Place(manifest.path) for _, manifest in loose))
        return fails(f"No tracked lock file or exact versions for {names}", *near)
    if not pinned:
        return skips("There are no external dependencies")
    return passes("Versions are locked", *dict.fromkeys(pinned))


def _is_of_tests_or_tools(app: App, manifest: Manifest) -> bool:
    """Is it of tests, documents or tools, rather than of the application?"""
    inside = manifest.path if app.path == "." else manifest.path[len(app.path) + 1 :]
    return is_test(inside) or not lists.words("side-folder").isdisjoint(
        inside.lower().split("/")[:-1]
    )


def _pin(facts: Facts, manifest: Manifest) -> Place | None:
    row = ecosystems.ecosystem_row(manifest.ecosystem)
    lock = facts.tree.nearest(manifest.folder, *row.locks, *row.pinned_by)
    if lock is not None and not _is_ignored(facts, lock):
        return Place(lock)
    if manifest.ecosystem == "swift":
        return next(map(Place, facts.tree.glob(_BELOW, under=manifest.folder)), None)
    if manifest.ecosystem == "python":
        return _requirements(facts, manifest)
    if not row.dynamic:
        return None
    dynamic = table.compiled(row.dynamic)
    versions = [dependency.version for dependency in manifest.dependencies if dependency.version]
    return None if any(map(dynamic.fullmatch, versions)) else Place(manifest.path)


def _is_ignored(facts: Facts, lock: str) -> bool:
    """A lock that .gitignore names is there by accident, and not kept up to date."""
    name = lock.rpartition("/")[2]
    lines = {line.strip().lstrip("/") for line in facts.tree.text(".gitignore").splitlines()}
    return name in lines and f"!{name}" not in lines


def _requirements(facts: Facts, manifest: Manifest) -> Place | None:
    """Compiled requirements: every line names one version."""
    paths = facts.tree.glob("requirements*.txt", "requirements/*.txt", under=manifest.folder)
    for path in paths:
        text = re.sub(r"(?m)(?:\s|^)#.*$|^[ \t]+--hash.*$|^-.*$", "", facts.tree.text(path))
        if "==" in text and not _LOOSE_LINE.search(text):
            return Place(path)
    return None


def monorepo_tooling(facts: Facts) -> Verdict:
    """Passes where workspaces hold at least 80 % of the applications."""
    apps = facts.project.apps
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
        return passes(f"A workspace covers {len(covered)} of {len(apps)} applications", *covering)
    if covering:
        return fails(f"Workspaces cover only {len(covered)} of {len(apps)} applications", *covering)
    return fails(f"No workspace is declared over the {len(apps)} applications")


def runtime_version_pinned(facts: Facts) -> Verdict:
    """Passes where files pin each language's toolchain; weakly where one gives a least version."""
    exact: list[Place] = []
    least: list[Place] = []
    lacking: dict[str, App] = {}
    for app in facts.project.apps:
        language = app.family or ""
        pins = families.families().get(language, families.Family()).pins
        if pins is None:
            continue
        if (place := _exact(facts, app, pins)) is not None:
            exact.append(place)
        elif (place := next(_declared(facts, app, pins.least), None)) is not None:
            least.append(place)
        elif not pins.is_optional:
            lacking.setdefault(language, app)
    if lacking:
        names = ", ".join(f"{name} ({app.path})" for name, app in lacking.items())
        return fails(f"No file pins the toolchain's version of {names}")
    if least:
        return passes("Only a minimum version is declared", *dict.fromkeys(least), weak=True)
    if exact:
        return passes("The toolchain is pinned", *dict.fromkeys(exact))
    return skips("There is no runtime or toolchain to pin")


def _exact(facts: Facts, app: App, pins: families.Pins) -> Place | None:
    """Where the version is pinned."""
    path = facts.tree.nearest(app.path, *pins.exact.files, *lists.files("environment-pin"))
    if path is not None:
        return Place(path)
    sign = rf"(?m)^[ \t]*[\"']?(?:core:)?(?:{pins.words})[\"']?[\s=]"
    for name in lists.files("version-manager") if pins.words else ():
        above = facts.tree.nearest(app.path, name)
        if above is not None and re.search(sign, facts.tree.text(above)):
            return Place(above)
    return next(_declared(facts, app, pins.exact), None)


def _declared(facts: Facts, app: App, pin: families.Pin) -> Iterator[Place]:
    yield from filter(None, (configs.key_above(facts, app, key) for key in pin.keys))
    for line in pin.lines:
        yield from configs.lines_of(facts, app, (line.file,), line.pattern)
    if pin.gradle:
        yield from builds.gradle_lines(facts, app, pin.gradle)
    if (above := facts.tree.nearest(app.path, *pin.files)) is not None:
        yield Place(above)


def version_drift_detection(facts: Facts) -> Verdict | None:
    """Passes where applications share versions, or an updater groups them."""
    verdicts = (read(facts) for read in (_cargo, _jvm_and_net, _python, _renovate))
    return next(filter(None, verdicts), None)


def _cargo(facts: Facts) -> Verdict | None:
    for app in facts.project.apps:
        root = linters.workspace(facts, app.path) if "rust" in app.ecosystems else None
        if root is not None and configs.value(facts, root, "workspace.dependencies"):
            return passes("The workspace shares versions", root)
    return None


def _jvm_and_net(facts: Facts) -> Verdict | None:
    for path in facts.tree.glob(
        "gradle/*.versions.toml", "Directory.Packages.props", "*/Directory.Packages.props"
    ):
        return passes("Versions are in one file", path)
    for app in facts.project.apps:
        for path in builds.poms(facts, app)[1:]:
            root = facts.tree.xml(path)
            if root is not None and root.find("dependencyManagement") is not None:
                return passes("The parent pom manages versions", path)
        for plugin in builds.maven(facts, app):
            if plugin.name == "maven-enforcer-plugin" and any(
                element.tag == "dependencyConvergence" for element in plugin.element.iter()
            ):
                return passes("The enforcer refuses diverging versions", plugin.place)
    return None


def _python(facts: Facts) -> Verdict | None:
    for workspace in facts.project.workspaces:
        lock = facts.tree.nearest(folder_of(workspace.place.path), "uv.lock")
        if workspace.tool == "uv" and lock is not None:
            return passes("One lock file covers the whole workspace", lock, weak=True)
    return None


def _renovate(facts: Facts) -> Verdict | None:
    for path in facts.tree.glob(*lists.files("renovate")):
        text = facts.tree.text(path)
        if "groupName" in text or "group:" in text:
            return passes("Renovate updates versions in groups", path, weak=True)
    for path in facts.tree.glob(*lists.files("dependabot")):
        for item in items(get(facts.tree.yaml(path), "updates")):
            if members(get(item, "groups")):
                return passes("Dependabot updates versions in groups", path, weak=True)
    return None
