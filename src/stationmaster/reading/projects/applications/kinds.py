"""The kinds of an application, by its dependencies and its files.

Source: docs/reference/applications.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from stationmaster.catalogue.repositories.frameworks import frameworks
from stationmaster.catalogue.repositories.layout import layout
from stationmaster.catalogue.table import matching
from stationmaster.reading.projects.applications.apps import Outline
from stationmaster.reading.projects.applications.units import is_executable, is_tooling, only_tests
from stationmaster.reading.projects.manifests.common import inside, mapping, strings
from stationmaster.reading.projects.manifests.rust import is_web_assembly
from stationmaster.reading.projects.model import Kind, Manifest

_ENTRY_DEPTH = 2
_ENTRY_MEMBERS = ("main", "module", "exports", "types", "browser")
_STARTED = frozenset({"python", "npm", "maven", "gradle"})
_TEST_SUITE = re.compile(r"(?i).{0,200}[-_](?:tests|e2e)|e2e")
_INFRA = re.compile(r"\.tf$|(?:^|/)(?:Pulumi\.ya?ml|cdk\.json|Chart\.yaml|kustomization\.ya?ml)$")
_PROSE = re.compile(r"\.(?:md|mdx|rst|adoc|txt|tex)$", re.IGNORECASE)
_DATA = re.compile(r"\.(?:csv|tsv|parquet|ipynb|geojson|ndjson|jsonl)$", re.IGNORECASE)


class Inside:
    """The files of one application: names relative to its folder, and the texts of some."""

    def __init__(self, names: Sequence[str], exposes: bool, runs: bool, listens: bool) -> None:
        self.names = names
        self.paths = frozenset(names)
        self.exposes = exposes
        """A container file of it opens a port."""
        self.runs = runs
        """A container file of it starts it."""
        self.listens = listens
        """Its main package waits for requests."""


def of(outline: Outline, files: Inside) -> frozenset[Kind]:
    """The kinds of an application, at least one."""
    own = [manifest for manifest in outline.manifests if _is_own(outline.path, manifest)]
    runtime = {
        d.name.lower() for manifest in own for d in manifest.dependencies if d.scope == "runtime"
    }
    every = {dependency.name.lower() for one in own for dependency in one.dependencies}
    kinds: set[Kind] = set()
    if _TEST_SUITE.fullmatch(outline.path.rpartition("/")[2]):
        return frozenset({"test-suite"})
    if any(_is_library(manifest, files) for manifest in own):
        kinds.add("library")
    if any(_is_command(manifest, files, runtime, outline.path) for manifest in own):
        kinds.add("cli")
    # Where programs are declared as such, what is none does not serve by itself.
    can_serve = "cli" in kinds or any(manifest.ecosystem not in ("rust", "go") for manifest in own)
    started = files.exposes or files.runs or files.listens or _is_started(own, files)
    serves = _any(runtime | _plugins(own), frameworks().service) and can_serve
    if (
        files.exposes
        or files.listens
        or any(map(_is_web_sdk, own))
        or (serves and (started or "library" not in kinds))
    ):
        kinds.add("service")
    if _is_web(own, runtime, every, files, is_library="library" in kinds):
        kinds.add("web")
        kinds.discard("library")
    if "library" not in kinds or started:
        by_framework: dict[Kind, Sequence[str]] = {
            "job": frameworks().job,
            "mobile": frameworks().mobile,
            "desktop": frameworks().desktop,
        }
        for kind, names in by_framework.items():
            if _any(runtime if kind == "job" else every, names):
                kinds.add(kind)
    kinds |= _by_files(own, files)
    if "service" in kinds:
        kinds.discard("library")
    if "cli" in kinds and not _any(every, frameworks().cli):
        kinds = _without_command(kinds, own, files)
    return frozenset(kinds) or _remaining(outline, own, files)


def _without_command(kinds: set[Kind], own: Sequence[Manifest], files: Inside) -> set[Kind]:
    """Kinds without that of a command, where a program is only built as one. A command is what it
    is installed for; a program that serves is no tool by being one."""
    named = (manifest.ecosystem for manifest in own if manifest.name)
    if any(ecosystem in ("npm", "python", "ruby", "php") for ecosystem in named):
        return kinds
    is_dotnet = any(manifest.ecosystem == "dotnet" for manifest in own)
    if "service" in kinds or (is_dotnet and kinds & {"desktop", "job", "mobile"}):
        return kinds - {"cli"}  # Every program of .NET is built into an executable.
    # What only a container starts, and reads no arguments, works on its own.
    return (kinds - {"cli"}) | {"job"} if files.runs and is_dotnet else kinds


def _is_own(path: str, manifest: Manifest) -> bool:
    below = manifest.folder if path == "." else manifest.folder[len(path) + 1 :]
    inside = path in (".", manifest.folder) or manifest.folder.startswith(path + "/")
    is_of_tests = manifest.is_for_tests or only_tests(below or ".", None)
    return inside and not is_of_tests and not is_tooling(below or ".")


def _is_library(manifest: Manifest, files: Inside) -> bool:
    data = manifest.data
    match manifest.ecosystem:
        case "npm":
            published = not manifest.is_private and bool(manifest.name)
            has_entry = any(data.get(member) for member in _ENTRY_MEMBERS)
            is_listed = "files" in data and ("bin" not in data or "index.js" in files.paths)
            return published and (has_entry or is_listed)
        case "python":
            packaged = "build-system" in data or manifest.path.endswith(("setup.py", "setup.cfg"))
            return bool(
                manifest.name
                and packaged
                and not manifest.is_private
                and inside(data, "tool", "uv", "package") is not False
            )
        case "rust":
            return not manifest.is_private and ("src/lib.rs" in files.paths or "lib" in data)
        case "go":
            return not any(name.endswith("main.go") for name in files.names)
        case "ruby":
            return manifest.path.endswith(".gemspec")
        case "maven":
            runs = any(
                "spring-boot-maven" in dependency.name for dependency in manifest.dependencies
            )
            return data.get("packaging") not in ("war", "ear") and not (
                runs or files.runs or data.get("starts")
            )
        case "gradle":
            plugins = strings(data.get("plugins"))
            is_program = frameworks().programs.intersection(plugins) or data.get("starts")
            return not (is_program or files.runs)
        case "cpp":
            return bool(data.get("libraries"))
        case "dotnet":
            return not is_executable(manifest) and not manifest.is_private
        case "php":
            return data.get("type", "library") == "library" and bool(manifest.name)
        case "swift":
            return "library" in mapping(data.get("targets")).values()
        case "dart":
            return not manifest.is_private and "lib" in {n.partition("/")[0] for n in files.names}
        case "haskell":
            return bool(data.get("library"))
        case "elixir":
            return bool(manifest.description) or "package" in data
    return False


def _is_command(manifest: Manifest, files: Inside, runtime: set[str], path: str) -> bool:
    data = manifest.data
    match manifest.ecosystem:
        case "npm":
            return bool(data.get("bin"))
        case "python":
            poetry = inside(data, "tool", "poetry", "scripts")
            scripts = inside(data, "project", "scripts") or poetry
            points = data.get("options.entry_points") or data.get("entry_points")
            return bool(scripts) or "console_scripts" in str(points)[:10_000]
        case "rust":
            is_program = "bin" in data or "src/main.rs" in files.paths
            return is_program and not is_web_assembly(manifest)
        case "go":
            return any(name == "main.go" or name.endswith("/main.go") for name in files.names)
        case "dotnet":
            return is_executable(manifest) and not _is_web_sdk(manifest)
        case "ruby":
            return "executables" in data or any(n.startswith("exe/") for n in files.names)
        case "php":
            return bool(data.get("bin"))
        case "swift":
            return "executableTarget" in mapping(data.get("targets")).values()
        case "cpp":
            return manifest.folder == path and bool(data.get("executables"))
        case "haskell":
            return bool(data.get("executables"))
    return _any(runtime, frameworks().cli)


def _plugins(own: Iterable[Manifest]) -> set[str]:
    """The plugins of Gradle and Maven, which show the kind of a program."""
    return {
        dependency.name.lower()
        for one in own
        if one.ecosystem in ("gradle", "maven")
        for dependency in one.dependencies
        if ":" not in dependency.name or dependency.name.endswith("-plugin")
    }


def _is_started(own: Iterable[Manifest], files: Inside) -> bool:
    """Does it declare how it is started?"""
    scripts = (
        mapping(manifest.data.get("scripts")) for manifest in own if manifest.ecosystem == "npm"
    )
    if any("start" in script for script in scripts):
        return True
    if any(manifest.ecosystem == "python" and "build-system" in manifest.data for manifest in own):
        return False
    return any(
        name.rpartition("/")[2] in layout().files.entries and name.count("/") <= _ENTRY_DEPTH
        for name in files.names
        if not (only_tests(name, None) or is_tooling(name))
    )


def _is_web_sdk(manifest: Manifest) -> bool:
    return manifest.ecosystem == "dotnet" and str(manifest.data.get("sdk")).endswith("Sdk.Web")


def _is_web(
    own: Sequence[Manifest], runtime: set[str], every: set[str], files: Inside, *, is_library: bool
) -> bool:
    if not any(manifest.ecosystem in ("npm", "deno") for manifest in own):
        return any("BlazorWebAssembly" in str(manifest.data.get("sdk")) for manifest in own)
    page = any(n in files.paths for n in ("index.html", "src/index.html", "public/index.html"))
    if is_library:
        return page and _any(every, frameworks().bundlers)
    return (
        page
        or _any(every, frameworks().pages)
        or (_any(runtime, frameworks().components) and _any(every, frameworks().bundlers))
    )


def _by_files(own: Sequence[Manifest], files: Inside) -> set[Kind]:
    by_files: set[Kind] = set()
    languages = [manifest for manifest in own if manifest.ecosystem not in ("terraform", "other")]
    if not languages and any(_INFRA.search(name) for name in files.names):
        by_files.add("infra")
    if any(name in files.paths for name in ("serverless.yml", "serverless.yaml", "function.json")):
        by_files.add("job")
    if any(".Worker" in str(manifest.data.get("sdk")) for manifest in own):
        by_files.add("job")
    properties = [mapping(manifest.data.get("properties")) for manifest in own]
    if any(table.get("UseMaui", "").lower() == "true" for table in properties):
        by_files.add("mobile")
    if any(table.get("OutputType", "").lower() == "winexe" for table in properties):
        by_files.add("desktop")
    return by_files


def _remaining(outline: Outline, own: Sequence[Manifest], files: Inside) -> frozenset[Kind]:
    """The kinds of an application without other signs, by most of its files."""
    if files.runs and any(manifest.ecosystem in _STARTED for manifest in own):
        return frozenset({"job"})
    if any(manifest.data.get("starts") for manifest in own):
        return frozenset({"cli"})
    if any(map(is_web_assembly, own)):
        return frozenset({"library"})
    if own or outline.languages:
        mains = ("main.c", "main.cc", "main.cpp", "main.py", "__main__.py", "Main.java", "main.rs")
        named = {name.rpartition("/")[2] for name in files.names}
        return frozenset({"cli"} if named.intersection(mains) else {"library"})
    count = len(files.names) or 1
    if sum(bool(_DATA.search(name)) for name in files.names) * 2 > count:
        return frozenset({"data"})
    prose = sum(bool(_PROSE.search(name)) for name in files.names)
    return frozenset({"docs"} if prose * 2 >= count else {"config"})


def _any(names: Iterable[str], patterns: Sequence[str]) -> bool:
    return bool(matching(frozenset(names), patterns))
