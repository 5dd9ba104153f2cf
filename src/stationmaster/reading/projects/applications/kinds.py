"""What an application is, by what it depends on and what lies in it.

Source: docs/reference/applications.md.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache

from stationmaster.reading.projects.applications import frameworks
from stationmaster.reading.projects.applications.apps import Outline
from stationmaster.reading.projects.applications.units import is_executable, is_test, is_tooling
from stationmaster.reading.projects.manifests.common import mapping, strings
from stationmaster.reading.projects.model import Kind, Manifest

_ENTRIES = frozenset(
    {"manage.py", "wsgi.py", "asgi.py", "app.py", "main.py", "server.py", "config.ru", "artisan"}
)
_ENTRY_DEPTH = 2
_ENTRY_MEMBERS = ("main", "module", "exports", "types", "files", "browser")
_PROGRAMS = frozenset(
    {
        "application",
        "war",
        "org.springframework.boot",
        "io.quarkus",
        "com.android.application",
        "com.google.cloud.tools.jib",
        "com.github.johnrengelman.shadow",
        "com.gradleup.shadow",
        "io.micronaut.application",
        "io.ktor.plugin",
        "org.jetbrains.compose",
    }
)
"""Plugins of Gradle that make a program of a module."""
_STARTED = frozenset({"python", "npm", "maven", "gradle"})
_TEST_SUITE = re.compile(r"(?i).{0,200}[-_](?:tests|e2e)|e2e")
_INFRA = re.compile(r"\.tf$|(?:^|/)(?:Pulumi\.ya?ml|cdk\.json|Chart\.yaml|kustomization\.ya?ml)$")
_PROSE = re.compile(r"\.(?:md|mdx|rst|adoc|txt|tex)$", re.IGNORECASE)
_DATA = re.compile(r"\.(?:csv|tsv|parquet|ipynb|geojson|ndjson|jsonl)$", re.IGNORECASE)


class Inside:
    """The files of one application: names relative to its folder, and the texts of some."""

    def __init__(self, names: Sequence[str], exposes: bool, runs: bool, listens: bool) -> None:
        self.names = names
        self.known = frozenset(names)
        self.exposes = exposes
        """A container file of it opens a port."""
        self.runs = runs
        """A container file of it starts it."""
        self.listens = listens
        """Its main package waits for requests."""


def of(outline: Outline, inside: Inside) -> frozenset[Kind]:
    """At least one."""
    own = [manifest for manifest in outline.manifests if _is_own(outline.path, manifest)]
    runtime = {d.name.lower() for each in own for d in each.dependencies if d.scope == "runtime"}
    every = {dependency.name.lower() for one in own for dependency in one.dependencies}
    found: set[Kind] = set()
    if _TEST_SUITE.fullmatch(outline.path.rpartition("/")[2]):
        return frozenset({"test-suite"})
    if any(_is_library(each, inside) for each in own):
        found.add("library")
    if any(_is_command(each, inside, runtime, outline.path) for each in own):
        found.add("cli")
    started = inside.exposes or inside.runs or inside.listens or _is_started(own, inside)
    serves = _any(runtime | _plugins(own), frameworks.SERVICE) and _can_serve(own, found)
    if (
        inside.exposes
        or inside.listens
        or any(map(_is_web_sdk, own))
        or (serves and (started or "library" not in found))
    ):
        found.add("service")
    if _is_web(own, runtime, every, inside, is_library="library" in found):
        found.add("web")
        found.discard("library")
    if "library" not in found or started:
        for kind, names in (
            ("job", frameworks.JOB),
            ("mobile", frameworks.MOBILE),
            ("desktop", frameworks.DESKTOP),
        ):
            if _any(runtime if kind == "job" else every, names):
                found.add(kind)  # type: ignore[arg-type] # the three words of the line above
    found |= _by_files(own, inside)
    if "service" in found:
        found.discard("library")
    if "cli" in found and not _is_published_command(own):
        if "service" in found:
            found.discard("cli")
        elif inside.runs and any(each.ecosystem == "dotnet" for each in own):
            # What only a container starts, and reads no arguments, works on its own.
            found = (found - {"cli"}) | {"job"}
    return frozenset(found) or _remaining(outline, own, inside)


def _is_own(path: str, manifest: Manifest) -> bool:
    below = manifest.folder if path == "." else manifest.folder[len(path) + 1 :]
    inside = path in (".", manifest.folder) or manifest.folder.startswith(path + "/")
    return inside and not is_test(below or ".", None) and not is_tooling(below or ".")


def _is_library(manifest: Manifest, inside: Inside) -> bool:
    data = manifest.data
    match manifest.ecosystem:
        case "npm":
            published = not manifest.is_private and bool(manifest.name)
            return published and any(data.get(member) for member in _ENTRY_MEMBERS)
        case "python":
            tool = mapping(data.get("tool"))
            packaged = "build-system" in data or manifest.path.endswith(("setup.py", "setup.cfg"))
            return bool(
                manifest.name
                and packaged
                and not manifest.is_private
                and mapping(tool.get("uv")).get("package") is not False
            )
        case "rust":
            return not manifest.is_private and ("src/lib.rs" in inside.known or "lib" in data)
        case "go":
            return not any(name.endswith("main.go") for name in inside.names)
        case "ruby":
            return manifest.path.endswith(".gemspec")
        case "maven":
            runs = any(
                "spring-boot-maven" in dependency.name for dependency in manifest.dependencies
            )
            return data.get("packaging") not in ("war", "ear") and not (runs or inside.runs)
        case "gradle":
            plugins = strings(data.get("plugins"))
            return not (_PROGRAMS.intersection(plugins) or inside.runs)
        case "cpp":
            return bool(data.get("libraries"))
        case "dotnet":
            return not is_executable(manifest) and not manifest.is_private
        case "php":
            return data.get("type", "library") == "library" and bool(manifest.name)
        case "swift":
            return "library" in mapping(data.get("targets")).values()
        case "dart":
            return not manifest.is_private and "lib" in {n.partition("/")[0] for n in inside.names}
        case "haskell":
            return bool(data.get("library"))
        case "elixir":
            return bool(manifest.description) or "package" in data
    return False


def _is_command(manifest: Manifest, inside: Inside, runtime: set[str], path: str) -> bool:
    data = manifest.data
    match manifest.ecosystem:
        case "npm":
            return bool(data.get("bin"))
        case "python":
            project = mapping(data.get("project"))
            poetry = mapping(mapping(data.get("tool")).get("poetry"))
            scripts = project.get("scripts") or poetry.get("scripts")
            points = data.get("options.entry_points") or data.get("entry_points")
            return bool(scripts) or "console_scripts" in str(points)[:10_000]
        case "rust":
            return "bin" in data or "src/main.rs" in inside.known
        case "go":
            return any(name == "main.go" or name.endswith("/main.go") for name in inside.names)
        case "dotnet":
            return is_executable(manifest) and not _is_web_sdk(manifest)
        case "ruby":
            return "executables" in data or any(n.startswith("exe/") for n in inside.names)
        case "php":
            return bool(data.get("bin"))
        case "swift":
            return "executableTarget" in mapping(data.get("targets")).values()
        case "cpp":
            return manifest.folder == path and bool(data.get("executables"))
        case "haskell":
            return bool(data.get("executables"))
    return _any(runtime, frameworks.CLI)


def _is_published_command(own: Iterable[Manifest]) -> bool:
    """Is a command what it is installed for? A program that serves is no tool by being one."""
    return any(
        each.ecosystem in ("npm", "python", "ruby", "php") and bool(each.name) for each in own
    ) or any(_any({d.name.lower() for d in each.dependencies}, frameworks.CLI) for each in own)


def _plugins(own: Iterable[Manifest]) -> set[str]:
    """Of Gradle and Maven: what builds a program tells what it is."""
    return {
        dependency.name.lower()
        for one in own
        if one.ecosystem in ("gradle", "maven")
        for dependency in one.dependencies
        if ":" not in dependency.name or dependency.name.endswith("-plugin")
    }


def _can_serve(own: Sequence[Manifest], found: Collection[Kind]) -> bool:
    """Where programs are declared as such, what is none does not serve by itself."""
    return "cli" in found or any(each.ecosystem not in ("rust", "go") for each in own)


def _is_started(own: Iterable[Manifest], inside: Inside) -> bool:
    """Does it say how it is started?"""
    scripts = (mapping(each.data.get("scripts")) for each in own if each.ecosystem == "npm")
    if any("start" in script for script in scripts):
        return True
    if any(each.ecosystem == "python" and "build-system" in each.data for each in own):
        return False
    return any(
        name.rpartition("/")[2] in _ENTRIES and name.count("/") <= _ENTRY_DEPTH
        for name in inside.names
        if not (is_test(name, None) or is_tooling(name))
    )


def _is_web_sdk(manifest: Manifest) -> bool:
    return manifest.ecosystem == "dotnet" and str(manifest.data.get("sdk")).endswith("Sdk.Web")


def _is_web(
    own: Sequence[Manifest], runtime: set[str], every: set[str], inside: Inside, *, is_library: bool
) -> bool:
    if not any(each.ecosystem in ("npm", "deno") for each in own):
        return any("BlazorWebAssembly" in str(each.data.get("sdk")) for each in own)
    page = any(n in inside.known for n in ("index.html", "src/index.html", "public/index.html"))
    if is_library:
        return page and _any(every, frameworks.BUNDLERS)
    return (
        page
        or _any(every, frameworks.PAGES)
        or (_any(runtime, frameworks.COMPONENTS) and _any(every, frameworks.BUNDLERS))
    )


def _by_files(own: Sequence[Manifest], inside: Inside) -> set[Kind]:
    by_files: set[Kind] = set()
    languages = [each for each in own if each.ecosystem not in ("terraform", "other")]
    if not languages and any(_INFRA.search(name) for name in inside.names):
        by_files.add("infra")
    if any(name in inside.known for name in ("serverless.yml", "serverless.yaml", "function.json")):
        by_files.add("job")
    if any(".Worker" in str(each.data.get("sdk")) for each in own):
        by_files.add("job")
    properties = [mapping(each.data.get("properties")) for each in own]
    if any(each.get("UseMaui", "").lower() == "true" for each in properties):
        by_files.add("mobile")
    if any(each.get("OutputType", "").lower() == "winexe" for each in properties):
        by_files.add("desktop")
    return by_files


def _remaining(outline: Outline, own: Sequence[Manifest], inside: Inside) -> frozenset[Kind]:
    """For what gives no sign: by what most of its files are."""
    if inside.runs and any(each.ecosystem in _STARTED for each in own):
        return frozenset({"job"})
    if own or outline.languages:
        mains = ("main.c", "main.cc", "main.cpp", "main.py", "__main__.py", "Main.java", "main.rs")
        named = {name.rpartition("/")[2] for name in inside.names}
        return frozenset({"cli"} if named.intersection(mains) else {"library"})
    count = len(inside.names) or 1
    if sum(bool(_DATA.search(name)) for name in inside.names) * 2 > count:
        return frozenset({"data"})
    prose = sum(bool(_PROSE.search(name)) for name in inside.names)
    return frozenset({"docs"} if prose * 2 >= count else {"config"})


def _any(names: Iterable[str], patterns: Sequence[str]) -> bool:
    test = _compiled(tuple(patterns))
    return any(test.match(name) for name in names)


@cache
def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, patterns)))
