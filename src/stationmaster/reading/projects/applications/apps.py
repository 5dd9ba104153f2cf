"""The units of a commit that are built or deployed by themselves, by seven steps.

Source: docs/reference/applications.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from stationmaster.reading.projects import census as counting
from stationmaster.reading.projects.applications import units
from stationmaster.reading.projects.census import Census
from stationmaster.reading.projects.model import Manifest, Settings, Workspace
from stationmaster.reading.projects.paths import folder_of, is_below, parents
from stationmaster.reading.projects.references import References

APPS_MAX = 1_000
_GENERIC = frozenset({"src", "source", "Source", "Sources"})
_BUILD_FOLDERS = frozenset(
    {
        "docker",
        "dockerfiles",
        "container",
        "containers",
        "deploy",
        "deployment",
        "deployments",
        "packaging",
        "package",
        "infra",
        "images",
        "image",
        "devops",
        "build",
        "release",
        "k8s",
        "kubernetes",
        "charts",
        "chart",
        "helm",
        "terraform",
        "contrib",
        "snap",
        "debian",
        "rpm",
    }
)


_SOURCE_ROOTS = frozenset(
    {
        "src",
        "lib",
        "app",
        "apps",
        "server",
        "client",
        "pages",
        "components",
        "bin",
        "cmd",
        "pkg",
        "internal",
        "Sources",
    }
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known before applications are. `deployed` are folders that something deploys."""

    manifests: Sequence[Manifest]
    workspaces: tuple[Workspace, ...]
    deployed: frozenset[str]
    census: Census
    settings: Settings
    nx: Mapping[str, str]
    """Types of projects of Nx, by folder."""


@dataclass(frozen=True, slots=True)
class Outline:
    """An application before its kinds and its description are known."""

    path: str
    manifests: tuple[Manifest, ...]
    languages: Mapping[str, int]
    parts: tuple[str, ...]
    uses: tuple[str, ...]


def outlines(evidence: Evidence) -> list[Outline]:
    """By path, at least one."""
    found = _Finder(evidence).found()
    manifests: dict[str | None, list[Manifest]] = defaultdict(list)
    owner = owners(found)
    for each in evidence.manifests:
        manifests[owner(each.folder)].append(each)
    references = References(evidence.manifests)
    testing = _tests(evidence.manifests, references, owner)
    counts = _counts(evidence.census, owner)
    told = []
    for path in sorted(found)[:APPS_MAX]:
        own = manifests[path]
        inside = list(dict.fromkeys(each.folder for each in own))
        parts, uses = references.behind(inside, owner, path)
        parts.update(testing.get(path, ()))
        shared = [each for each in evidence.manifests if each.folder in parts]
        told.append(
            Outline(
                path,
                (*own, *shared),
                counting.ordered(counts[path]),
                tuple(sorted(parts)),
                tuple(sorted(uses)),
            )
        )
    return told


def name_of(outline: Outline) -> str:
    """What its manifests call it, or its folder's name."""
    own = [each for each in outline.manifests if each.folder == outline.path]
    named = (each.name for each in [*own, *outline.manifests] if each.name)
    last = outline.path.rpartition("/")[2]
    return next(named, last) if outline.path == "." or own else last


class _Finder:
    """Goes through the steps."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._by_folder: dict[str, list[Manifest]] = defaultdict(list)
        for each in evidence.manifests:
            self._by_folder[each.folder].append(each)
        self._members = {folder for each in evidence.workspaces for folder in each.members}

    def found(self) -> set[str]:
        """The folders of the units, with those that the settings include; the root without any."""
        candidates = {folder for folder in self._declared() if self._is_product(folder)}
        dropped = {each.folder for each in self._evidence.manifests if units.is_unit(each)}
        dropped -= candidates
        candidates = self._with_deployed(self._lifted(self._without_nested(candidates)))
        with_source = self._with_source(candidates, dropped)
        kept = with_source or {each for each in candidates if each == "."}
        kept.update(self._evidence.settings.include)
        return kept or {"."}

    def _declared(self) -> set[str]:
        """Folders whose manifests declare a unit (steps 2 and 3)."""
        found = set()
        programs = self._programs()
        typed = self._nx_types()
        for folder, manifests in self._by_folder.items():
            if typed and typed.get(folder) == "library":
                continue
            declaring = [each for each in manifests if units.is_unit(each)]
            if programs:
                declaring = [
                    each for each in declaring if each.ecosystem != "dotnet" or folder in programs
                ]
            declaring = [each for each in declaring if units.is_packable(each) or programs]
            if any(not units.is_helper(each) for each in declaring):
                found.add(folder)
        gradle = [each for each in self._evidence.workspaces if each.tool == "gradle"]
        bare = {folder for each in gradle for folder in each.members} - set(self._by_folder)
        return found | {each for each in bare if not units.is_helper(_bare(each))}

    def _programs(self) -> set[str]:
        """Of MSBuild projects the programs, where there are any: libraries are their parts."""
        return {
            each.folder
            for each in self._evidence.manifests
            if each.ecosystem == "dotnet"
            and units.is_unit(each)
            and units.is_executable(each)
            and self._is_product(each.folder)
        }

    def _nx_types(self) -> Mapping[str, str]:
        """What Nx calls its projects, where it has applications."""
        found = self._evidence.nx
        return found if "application" in found.values() else {}

    def _is_product(self, folder: str) -> bool:
        """No test, no tool that is not deployed (step 4)."""
        manifests = self._by_folder.get(folder, [])
        names = [each.name for each in manifests if units.is_unit(each)] or [None]
        if all(units.is_test(folder, name) for name in names):
            return False
        if folder not in self._evidence.deployed and any(map(units.is_site, manifests)):
            return False
        if self._is_part(folder):
            return False
        if not units.is_tooling(folder) or folder in self._evidence.deployed:
            return not folder.startswith(".") or folder == "."
        is_member = folder in self._members and not units.is_benchmark(folder)
        return is_member and any(
            each.ecosystem == "npm" and each.version and not each.is_private for each in manifests
        )

    def _is_part(self, folder: str) -> bool:
        """Does it start a package around it on a platform, or measure how fast one is?"""
        around = [above for above in parents(folder)[1:] if above in self._by_folder]
        if folder.rpartition("/")[2] == "performance" and any(each != "." for each in around):
            return True
        return any(
            units.has_runners(manifest)
            and units.is_runner(folder if above == "." else folder[len(above) + 1 :])
            for above in around
            for manifest in self._by_folder[above]
        )

    def _without_nested(self, candidates: set[str]) -> set[str]:
        """Of builds of C and C++ the outermost alone."""
        native = {
            folder
            for folder in candidates
            if all(
                each.ecosystem == "cpp"
                for each in self._by_folder.get(folder, [])
                if units.is_unit(each)
            )
            and self._by_folder.get(folder)
        }
        outer = {
            each.folder
            for each in self._evidence.manifests
            if each.ecosystem == "cpp" and units.is_unit(each)
        } & candidates
        return {
            folder
            for folder in candidates
            if folder not in native or not outer.intersection(parents(folder)[1:])
        }

    def _lifted(self, candidates: set[str]) -> set[str]:
        """`service/src` as `service`: the folder of sources of what is around it (step 5)."""
        found = set()
        for folder in candidates:
            above, last = folder_of(folder), folder.rpartition("/")[2]
            beside = [each for each in candidates if is_below(each, above) and each != folder]
            is_lone = above != "." if not beside else False
            if last in _GENERIC and (is_lone or (above == "." and len(candidates) == 1)):
                found.add(above)
            else:
                found.add(folder)
        return found

    def _with_deployed(self, candidates: set[str]) -> set[str]:
        """With folders that are deployed and hold sources without a manifest (steps 3 and 5)."""
        found = set(candidates)
        for folder in sorted(self._evidence.deployed - candidates - {"."}):
            if units.is_tooling(folder) or units.is_test(folder, None):
                continue
            inside = [each for each in candidates if folder_of(each) == folder]
            if len(inside) == 1:
                found.discard(inside[0])
                found.add(folder)
            elif not inside and self._is_service(folder, candidates):
                found.add(folder)
        return found

    def _is_service(self, folder: str, candidates: set[str]) -> bool:
        """Is what a folder deploys its own, and not that of the manifest above it?"""
        return (
            folder_of(folder) not in candidates
            and _BUILD_FOLDERS.isdisjoint(folder.split("/"))
            and any(is_below(each, folder) for each in self._evidence.census.own)
        )

    def _with_source(self, candidates: set[str], dropped: set[str]) -> set[str]:
        """Without what has no source of its own, such as the root of a workspace (step 4); what
        was dropped has its own."""
        owner = owners(candidates | dropped)
        found: set[str] = set()
        for folder in self._evidence.census.own:
            app = owner(folder)
            if app not in candidates or app in found:
                continue
            inside = folder if app == "." else folder[len(app) + 1 :] or "."
            if (
                not units.is_tooling(inside)
                and not units.is_test(inside, None)
                and self._is_own(app, folder, inside)
            ):
                found.add(app)
        return found

    @cached_property
    def _gathering(self) -> frozenset[str]:
        """Folders of manifests that are no package, but declare others to be their members."""
        declared = {folder_of(each.place.path) for each in self._evidence.workspaces}
        return frozenset(
            folder
            for folder in declared
            if all(map(units.is_virtual, filter(units.is_unit, self._by_folder.get(folder, []))))
        )

    def _is_own(self, app: str, folder: str, inside: str) -> bool:
        """Is a source that lies beside other applications one of the root's? It is in a language
        of the root, and in a workspace's root where such a root would have it."""
        ecosystems = {
            each.ecosystem for each in self._by_folder.get(app, ()) if units.is_unit(each)
        }
        languages = self._evidence.census.folders[folder]
        if ecosystems and not any(
            ecosystems & counting.ECOSYSTEMS.get(language, ecosystems) for language in languages
        ):
            return False
        return app not in self._gathering or inside.partition("/")[0] in _SOURCE_ROOTS


def _bare(folder: str) -> Manifest:
    """A module without a manifest of its own."""
    return Manifest("", folder, "gradle", name=folder.rpartition("/")[2])


def owners(apps: Iterable[str]) -> Callable[[str], str | None]:
    """The nearest application around a folder, remembered."""
    known: dict[str, str | None] = {each: each for each in apps}

    def owner(folder: str) -> str | None:
        steps = []
        for each in parents(folder):
            if each in known:
                break
            steps.append(each)
        else:
            each = None
        found = None if each is None else known[each]
        for step in steps:
            known[step] = found
        return found

    return owner


def _tests(
    manifests: Sequence[Manifest],
    references: References,
    owner: Callable[[str], str | None],
) -> Mapping[str, set[str]]:
    """Folders of tests that lie in no application, by the applications that they name."""
    found: dict[str, set[str]] = defaultdict(set)
    for each in manifests:
        if owner(each.folder) is None and units.is_test(each.folder, each.name):
            for folder in references.direct.get(each.folder, ()):
                if (app := owner(folder)) is not None:
                    found[app].add(each.folder)
    return found


def _counts(census: Census, owner: Callable[[str], str | None]) -> Mapping[str, Counter[str]]:
    """Source files by language for every application; of tests where it has no others."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    tests: dict[str, Counter[str]] = defaultdict(Counter)
    for counts, into in ((census.folders, found), (census.tests, tests)):
        for folder, languages in counts.items():
            if (app := owner(folder)) is not None:
                into[app].update(languages)
    for app, counted in tests.items():
        if not found[app]:
            found[app] = counted
    return found
