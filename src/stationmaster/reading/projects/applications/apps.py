"""The units of a commit that are built or deployed by themselves, by seven steps.

Source: docs/reference/applications.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from stationmaster.catalogue.repositories.languages import languages
from stationmaster.catalogue.repositories.layout import layout
from stationmaster.reading.projects import census as counting
from stationmaster.reading.projects.applications import units
from stationmaster.reading.projects.census import Census
from stationmaster.reading.projects.model import Manifest, Settings, Workspace
from stationmaster.reading.projects.paths import folder_of, is_below, parents
from stationmaster.reading.projects.references import References

APPS_MAX = 1_000
_FOLDERS = layout().folders


@dataclass(frozen=True, slots=True)
class Evidence:
    """What applications are derived from. `deployed` are folders that are deployed."""

    manifests: Sequence[Manifest]
    workspaces: tuple[Workspace, ...]
    deployed: frozenset[str]
    census: Census
    settings: Settings
    nx: Mapping[str, str]
    """Types of projects of Nx, by folder."""


@dataclass(frozen=True, slots=True)
class Outline:
    """An application without its kinds and its description."""

    path: str
    manifests: tuple[Manifest, ...]
    languages: Mapping[str, int]
    parts: tuple[str, ...]
    uses: tuple[str, ...]


def outlines(evidence: Evidence) -> list[Outline]:
    """The outlines by path, at least one."""
    folders = _Finder(evidence).folders()
    manifests: dict[str | None, list[Manifest]] = defaultdict(list)
    owner = owners(folders)
    for manifest in evidence.manifests:
        manifests[owner(manifest.folder)].append(manifest)
    references = References(evidence.manifests)
    testing = _tests(evidence.manifests, references, owner)
    counts = _counts(evidence.census, owner)
    outlined = []
    for path in sorted(folders)[:APPS_MAX]:
        own = manifests[path]
        inside = list(dict.fromkeys(manifest.folder for manifest in own))
        parts, uses = references.behind(inside, owner, path)
        parts.update(testing.get(path, ()))
        shared = [manifest for manifest in evidence.manifests if manifest.folder in parts]
        outlined.append(
            Outline(
                path,
                (*own, *shared),
                counting.ordered(counts[path]),
                tuple(sorted(parts)),
                tuple(sorted(uses)),
            )
        )
    return outlined


def name_of(outline: Outline) -> str:
    """The name in its manifests, or that of its folder."""
    own = [manifest for manifest in outline.manifests if manifest.folder == outline.path]
    every = sorted([*own, *outline.manifests], key=lambda manifest: manifest.is_for_tests)
    named = (manifest.name for manifest in every if manifest.name)
    last = outline.path.rpartition("/")[2]
    return next(named, last) if outline.path == "." or own else last


class _Finder:
    """Finds the folders of applications, step by step."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._by_folder: dict[str, list[Manifest]] = defaultdict(list)
        for manifest in evidence.manifests:
            self._by_folder[manifest.folder].append(manifest)
        self._members = {
            folder for workspace in evidence.workspaces for folder in workspace.members
        }

    def folders(self) -> set[str]:
        """The folders of the units, with those that the settings include; the root without any."""
        candidates = {folder for folder in self._declared() if self._is_product(folder)}
        dropped = {
            manifest.folder for manifest in self._evidence.manifests if units.is_unit(manifest)
        }
        dropped -= candidates
        candidates = self._with_deployed(self._lifted(self._without_nested(candidates)))
        with_source = self._with_source(candidates, dropped)
        kept = with_source or {candidate for candidate in candidates if candidate == "."}
        kept.update(self._evidence.settings.include)
        return kept or {"."}

    def _declared(self) -> set[str]:
        """Folders whose manifests declare a unit (steps 2 and 3)."""
        programs = self._programs()
        typed = self._nx_types()
        declared = {
            manifest.folder
            for manifest in self._evidence.manifests
            if typed.get(manifest.folder) != "library"
            and units.is_unit(manifest)
            and not units.is_helper(manifest)
            and (
                manifest.ecosystem != "dotnet" or manifest.folder in programs
                if programs
                else units.is_packable(manifest)
            )
        }
        gradle = (one for one in self._evidence.workspaces if one.tool == "gradle")
        bare = {folder for workspace in gradle for folder in workspace.members}
        modules = [Manifest("", folder, "gradle") for folder in bare - self._by_folder.keys()]
        return declared | {module.folder for module in modules if not units.is_helper(module)}

    def _programs(self) -> set[str]:
        """The programs among MSBuild projects, where there are any: libraries are their parts."""
        return {
            manifest.folder
            for manifest in self._evidence.manifests
            if manifest.ecosystem == "dotnet"
            and units.is_unit(manifest)
            and units.is_executable(manifest)
            and self._is_product(manifest.folder)
        }

    def _nx_types(self) -> Mapping[str, str]:
        """The types of projects of Nx, where it has applications."""
        types = self._evidence.nx
        return types if "application" in types.values() else {}

    def _is_product(self, folder: str) -> bool:
        """Is it neither a test nor a tool that is not deployed (step 4)?"""
        manifests = self._by_folder.get(folder, [])
        names = [manifest.name for manifest in manifests if units.is_unit(manifest)] or [None]
        is_for_tests = any(manifest.is_for_tests for manifest in manifests)
        if is_for_tests or all(units.only_tests(folder, name) for name in names):
            return False
        if folder not in self._evidence.deployed and any(map(units.is_site, manifests)):
            return False
        if self._is_part(folder):
            return False
        if not units.is_tooling(folder) or folder in self._evidence.deployed:
            return not folder.startswith(".") or folder == "."
        is_member = folder in self._members and not units.is_benchmark(folder)
        return is_member and any(
            manifest.ecosystem == "npm" and manifest.version and not manifest.is_private
            for manifest in manifests
        )

    def _is_part(self, folder: str) -> bool:
        """Does it start a package around it on a platform, or measure how fast one is?"""
        around = [above for above in parents(folder)[1:] if above in self._by_folder]
        if folder.rpartition("/")[2] == "performance" and any(outer != "." for outer in around):
            return True
        return any(
            units.has_runners(manifest)
            and units.is_runner(folder if above == "." else folder[len(above) + 1 :])
            for above in around
            for manifest in self._by_folder[above]
        )

    def _without_nested(self, candidates: set[str]) -> set[str]:
        """The candidates with only the outermost builds of C and C++."""
        native = {
            folder
            for folder in candidates
            if all(
                manifest.ecosystem == "cpp"
                for manifest in self._by_folder.get(folder, [])
                if units.is_unit(manifest)
            )
            and self._by_folder.get(folder)
        }
        outer = {
            manifest.folder
            for manifest in self._evidence.manifests
            if manifest.ecosystem == "cpp" and units.is_unit(manifest)
        } & candidates
        return {
            folder
            for folder in candidates
            if folder not in native or not outer.intersection(parents(folder)[1:])
        }

    def _lifted(self, candidates: set[str]) -> set[str]:
        """The candidates with `service/src` as `service`, the folder around it (step 5)."""
        lifted = set()
        for folder in candidates:
            above, last = folder_of(folder), folder.rpartition("/")[2]
            beside = [
                candidate
                for candidate in candidates
                if is_below(candidate, above) and candidate != folder
            ]
            is_lone = above != "." and not beside
            if last in _FOLDERS.nameless and (is_lone or (above == "." and len(candidates) == 1)):
                lifted.add(above)
            else:
                lifted.add(folder)
        return lifted

    def _with_deployed(self, candidates: set[str]) -> set[str]:
        """The candidates with deployed folders of sources without a manifest (steps 3 and 5)."""
        kept = set(candidates)
        for folder in sorted(self._evidence.deployed - candidates - {"."}):
            if units.is_tooling(folder) or units.only_tests(folder, None):
                continue
            inside = [candidate for candidate in candidates if folder_of(candidate) == folder]
            if len(inside) == 1:
                kept.discard(inside[0])
                kept.add(folder)
            elif not inside and self._is_service(folder, candidates):
                kept.add(folder)
        return kept

    def _is_service(self, folder: str, candidates: set[str]) -> bool:
        """Is what a folder deploys its own, and not that of the manifest above it?"""
        return (
            folder_of(folder) not in candidates
            and _FOLDERS.builds.isdisjoint(folder.split("/"))
            and any(is_below(path, folder) for path in self._evidence.census.own)
        )

    def _with_source(self, candidates: set[str], dropped: set[str]) -> set[str]:
        """The candidates with source of their own, so without the root of a workspace (step 4);
        source of dropped folders does not count."""
        owner = owners(candidates | dropped)
        with_source: set[str] = set()
        for folder in self._evidence.census.own:
            app = owner(folder)
            if app not in candidates or app in with_source:
                continue
            inside = folder if app == "." else folder[len(app) + 1 :] or "."
            if (
                not units.is_tooling(inside)
                and not units.only_tests(inside, None)
                and self._is_own(app, folder, inside)
            ):
                with_source.add(app)
        return with_source

    @cached_property
    def _gathering(self) -> frozenset[str]:
        """Folders of manifests that only declare members and are not packages."""
        declared = {folder_of(workspace.place.path) for workspace in self._evidence.workspaces}
        return frozenset(
            folder
            for folder in declared
            if all(map(units.is_virtual, filter(units.is_unit, self._by_folder.get(folder, []))))
        )

    def _is_own(self, app: str, folder: str, inside: str) -> bool:
        """Does source outside other applications belong to the root? It has to be in a language of
        the root, and in a workspace in a usual folder of its root."""
        ecosystems = {
            manifest.ecosystem
            for manifest in self._by_folder.get(app, ())
            if units.is_unit(manifest)
        }
        builders = languages().builders
        if ecosystems and not any(
            ecosystems & builders.get(language, ecosystems)
            for language in self._evidence.census.folders[folder]
        ):
            return False
        return app not in self._gathering or inside.partition("/")[0] in _FOLDERS.sources


def owners(apps: Iterable[str]) -> Callable[[str], str | None]:
    """The nearest application around a folder, remembered."""
    by_folder: dict[str, str | None] = {app: app for app in apps}

    def owner(folder: str) -> str | None:
        if folder in by_folder:
            return by_folder[folder]
        steps = []
        for parent in parents(folder):
            if parent in by_folder:
                break
            steps.append(parent)
        else:
            parent = None
        app = None if parent is None else by_folder[parent]
        for step in steps:
            by_folder[step] = app
        return app

    return owner


def _tests(
    manifests: Sequence[Manifest],
    references: References,
    owner: Callable[[str], str | None],
) -> Mapping[str, set[str]]:
    """Folders of tests outside applications, by the applications that they name."""
    tests: dict[str, set[str]] = defaultdict(set)
    for manifest in manifests:
        is_one = manifest.is_for_tests or units.only_tests(manifest.folder, manifest.name)
        if is_one and owner(manifest.folder) is None:
            for folder in references.direct.get(manifest.folder, ()):
                if (app := owner(folder)) is not None:
                    tests[app].add(manifest.folder)
    return tests


def _counts(census: Census, owner: Callable[[str], str | None]) -> Mapping[str, Counter[str]]:
    """Source files by language for every application; of tests where it has no others."""
    by_app: dict[str, Counter[str]] = defaultdict(Counter)
    tests: dict[str, Counter[str]] = defaultdict(Counter)
    for counts, into in ((census.folders, by_app), (census.tests, tests)):
        for folder, by_language in counts.items():
            if (app := owner(folder)) is not None:
                into[app].update(by_language)
    for app, counted in tests.items():
        if not by_app[app]:
            by_app[app] = counted
    return by_app
