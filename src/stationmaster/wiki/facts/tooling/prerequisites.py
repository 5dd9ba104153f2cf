"""What has to be there before anything can be built: tools with their versions, as the repository
itself asks for them. Only literal versions; of workflows those that they set up."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from stationmaster.reading.projects.manifests.common import Lines, mapping
from stationmaster.reading.projects.model import Manifest
from stationmaster.reading.projects.queries import Tree
from stationmaster.reading.projects.test_files import is_test
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

PLACES_MAX = 4
_VERSION = re.compile(r"[\w.*^~<>=!|, +/-]{1,60}")


class Need(msgspec.Struct, frozen=True):
    """`version` is a rule as the file writes it, '' where it names none."""

    tool: str
    version: str
    places: tuple[Place, ...]


@query
def needs(facts: Facts) -> tuple[Need, ...]:
    """By tool, those that are asked for nearest to the root first; several rules for one tool stand
    one after the other."""
    found: dict[tuple[str, str], list[Place]] = defaultdict(list)
    order: dict[str, tuple[int, int]] = {}
    for tool, version, place in _all(facts.tree):
        plain = " ".join(version.split())
        if _VERSION.fullmatch(plain) or not plain:
            known = order.setdefault(tool, (place.path.count("/"), len(order)))
            order[tool] = min(known, (place.path.count("/"), known[1]))
            found[tool, plain].append(place)
    return tuple(
        Need(tool, version, tuple(sorted(places, key=_near)[:PLACES_MAX]))
        for (tool, version), places in sorted(
            found.items(),
            key=lambda item: (not item[0][1], order[item[0][0]], min(map(_near, item[1])), item[0]),
        )
    )


@query
def in_workflows(facts: Facts) -> tuple[Need, ...]:
    """Versions that workflows set up, where they are literal; by tool, each once."""
    found: dict[tuple[str, str], list[Place]] = defaultdict(list)
    for workflow in facts.pipelines.workflows:
        for step in workflow.facts.steps:
            name = (step.uses or "").partition("@")[0].lower()
            for key, tool in _SETUPS.get(name, {}).items():
                said = step.inputs.get(key, "")
                for version in re.split(r"[\n,]", said):
                    if _VERSION.fullmatch(version.strip()):
                        found[tool, version.strip()].append(Place(step.path, step.place.line))
    return tuple(
        Need(tool, version, tuple(sorted(set(places))[:PLACES_MAX]))
        for (tool, version), places in sorted(found.items())
    )


_SETUPS: Mapping[str, Mapping[str, str]] = {
    "actions/setup-node": {"node-version": "Node.js"},
    "actions/setup-python": {"python-version": "Python"},
    "actions/setup-go": {"go-version": "Go"},
    "actions/setup-java": {"java-version": "Java"},
    "actions/setup-dotnet": {"dotnet-version": ".NET SDK"},
    "ruby/setup-ruby": {"ruby-version": "Ruby"},
    "shivammathur/setup-php": {"php-version": "PHP"},
    "astral-sh/setup-uv": {"python-version": "Python", "version": "uv"},
    "pnpm/action-setup": {"version": "pnpm"},
    "oven-sh/setup-bun": {"bun-version": "Bun"},
    "denoland/setup-deno": {"deno-version": "Deno"},
    "dtolnay/rust-toolchain": {"toolchain": "Rust"},
}


def _near(place: Place) -> tuple[int, str, int]:
    return (place.path.count("/"), place.path, place.line or 0)


def _all(tree: Tree) -> Iterator[tuple[str, str, Place]]:
    for manifest in tree.project.manifests:
        if not is_test(manifest.path):
            read = _MANIFESTS.get(manifest.path.rpartition("/")[2])
            if read is None and manifest.ecosystem == "dotnet":
                read = _dotnet
            if read is not None:
                yield from read(tree, manifest)
    for name, read_file in _FILES.items():
        for path in tree.glob(f"**/{name}"):
            if not is_test(path):
                yield from read_file(tree, path)
    for path, tool in _WRAPPERS.items():
        if path in tree.files:
            yield tool, "", Place(path)


_WRAPPERS = {"mvnw": "Maven (its wrapper is in the repository)",
             "gradlew": "Gradle (its wrapper is in the repository)"}  # fmt: skip


def _python(tree: Tree, manifest: Manifest) -> Iterator[tuple[str, str, Place]]:
    data = manifest.data
    tool = mapping(data.get("tool"))
    poetry = mapping(mapping(tool.get("poetry")).get("dependencies")).get("python")
    said = mapping(data.get("project")).get("requires-python") or poetry
    if said is None and manifest.path.endswith("setup.cfg"):
        said = mapping(data.get("options")).get("python_requires")
    if said is None and manifest.path.endswith("setup.py"):
        said = data.get("python_requires")
    if isinstance(said, str):
        yield "Python", said, _at(tree, manifest.path, r"python[\w-]*\s*=")


def _node(tree: Tree, manifest: Manifest) -> Iterator[tuple[str, str, Place]]:
    path, data = manifest.path, manifest.data
    for name, version in mapping(data.get("engines")).items():
        if name in _ENGINES and isinstance(version, str):
            yield _ENGINES[name], version, _at(tree, path, rf'"{name}"\s*:', '"engines"')
    said = data.get("packageManager")
    if isinstance(said, str) and "@" in said:
        name, _, version = said.partition("+")[0].partition("@")
        yield _ENGINES.get(name, name), version, _at(tree, path, r'"packageManager"')


_ENGINES = {"node": "Node.js", "npm": "npm", "pnpm": "pnpm", "yarn": "Yarn", "bun": "Bun"}


def _rust(tree: Tree, manifest: Manifest) -> Iterator[tuple[str, str, Place]]:
    tables = (mapping(manifest.data.get("package")),
              mapping(mapping(manifest.data.get("workspace")).get("package")))  # fmt: skip
    for table in tables:
        said = table.get("rust-version")
        if isinstance(said, str):
            yield "Rust", said, _at(tree, manifest.path, r"rust-version\s*=")


def _maven(tree: Tree, manifest: Manifest) -> Iterator[tuple[str, str, Place]]:
    properties = mapping(manifest.data.get("properties"))
    for key in ("java.version", "maven.compiler.release", "maven.compiler.source"):
        said = properties.get(key)
        if isinstance(said, str) and re.fullmatch(r"[\d.]+", said):
            yield "Java", said, _at(tree, manifest.path, rf"<{re.escape(key)}>")
            return


def _gradle(tree: Tree, manifest: Manifest) -> Iterator[tuple[str, str, Place]]:
    pattern = (
        r"(?:JavaLanguageVersion\.of|jvmToolchain)\(\s*[\"']?(\d{1,2})"
        r"|(?:source|target)Compatibility\s*=?\s*(?:JavaVersion\.VERSION_|[\"'])?((?:1[._])?\d{1,2})\b"
    )
    match = re.search(pattern, tree.text(manifest.path))
    if match is not None:
        line = tree.text(manifest.path).count("\n", 0, match.start()) + 1
        yield "Java", (match[1] or match[2]).replace("_", "."), Place(manifest.path, line)


def _php(tree: Tree, manifest: Manifest) -> Iterator[tuple[str, str, Place]]:
    for name, version in mapping(manifest.data.get("require")).items():
        if name == "php" and isinstance(version, str):
            yield "PHP", version, _at(tree, manifest.path, r'"php"\s*:')
        elif name.startswith("ext-"):
            told = f"PHP extension {name.removeprefix('ext-')}"
            yield told, "", _at(tree, manifest.path, f'"{re.escape(name)}"')


def _cmake(tree: Tree, manifest: Manifest) -> Iterator[tuple[str, str, Place]]:
    if "/" not in manifest.path:
        pattern = r"(?i)^\s*cmake_minimum_required\s*\(\s*VERSION\s+([\d.]{1,20})"
        yield from _line(tree, manifest.path, "CMake", pattern)
        standard = r"(?i)^\s*set\s*\(\s*CMAKE_CXX_STANDARD\s+(\d\d)\b"
        yield from _line(tree, manifest.path, "C++ standard", standard)


def _dotnet(tree: Tree, manifest: Manifest) -> Iterator[tuple[str, str, Place]]:
    properties = mapping(manifest.data.get("properties"))
    for key in ("TargetFramework", "TargetFrameworks"):
        said = properties.get(key)
        if isinstance(said, str) and "$" not in said:
            place = _at(tree, manifest.path, f"<{key}>")
            yield ".NET target", ", ".join(filter(None, said.split(";"))), place


_Reader = Callable[[Tree, Manifest], Iterator[tuple[str, str, Place]]]


def _in_line(tool: str, pattern: str) -> _Reader:
    return lambda tree, manifest: _line(tree, manifest.path, tool, pattern)


_MANIFESTS: Mapping[str, _Reader] = {
    **dict.fromkeys(("pyproject.toml", "setup.cfg", "setup.py"), _python),
    "package.json": _node,
    "go.mod": _in_line("Go", r"^go\s+([\d.]+\w*)"),
    "Cargo.toml": _rust,
    "pom.xml": _maven,
    **dict.fromkeys(("build.gradle", "build.gradle.kts"), _gradle),
    "composer.json": _php,
    "Gemfile": _in_line("Ruby", r"^ruby\s*\(?[\"']([^\"']{1,40})[\"']"),
    "Package.swift": _in_line("Swift", r"^//\s*swift-tools-version:\s*([\d.]+)"),
    "CMakeLists.txt": _cmake,
}


def _plain_file(tool: str) -> Callable[[Tree, str], Iterator[tuple[str, str, Place]]]:
    """A file whose first line is the version."""

    def read(tree: Tree, path: str) -> Iterator[tuple[str, str, Place]]:
        first = tree.text(path).strip().partition("\n")[0].strip()
        if re.fullmatch(r"v?[\w./-]{1,30}", first):
            yield tool, first, Place(path, 1)

    return read


def _tool_versions(tree: Tree, path: str) -> Iterator[tuple[str, str, Place]]:
    for number, line in enumerate(tree.text(path).split("\n")[:100], start=1):
        words = line.partition("#")[0].split()
        if len(words) == 2:
            yield _TOOLS.get(words[0], words[0]), words[1], Place(path, number)


def _mise(tree: Tree, path: str) -> Iterator[tuple[str, str, Place]]:
    for name, said in list(mapping(tree.toml(path).get("tools")).items())[:40]:
        version = said if isinstance(said, str) else mapping(said).get("version")
        if isinstance(version, str) and ":" not in name:
            yield _TOOLS.get(name, name), version, _at(tree, path, rf'^"?{re.escape(name)}"?\s*=')


def _toolchain(tree: Tree, path: str) -> Iterator[tuple[str, str, Place]]:
    said = mapping(tree.toml(path).get("toolchain")).get("channel")
    if isinstance(said, str):
        yield "Rust toolchain", said, _at(tree, path, r"channel\s*=")


def _global_json(tree: Tree, path: str) -> Iterator[tuple[str, str, Place]]:
    said: Any = mapping(mapping(tree.json(path)).get("sdk")).get("version")
    if isinstance(said, str):
        yield ".NET SDK", said, _at(tree, path, r'"version"')


_TOOLS = {"nodejs": "Node.js", "node": "Node.js", "golang": "Go", "go": "Go", "python": "Python",
          "ruby": "Ruby", "java": "Java", "rust": "Rust", "php": "PHP", "bun": "Bun",
          "deno": "Deno", "yarn": "Yarn"}  # fmt: skip
_FILES: Mapping[str, Callable[[Tree, str], Iterator[tuple[str, str, Place]]]] = {
    ".nvmrc": _plain_file("Node.js"),
    ".node-version": _plain_file("Node.js"),
    ".python-version": _plain_file("Python"),
    ".ruby-version": _plain_file("Ruby"),
    ".go-version": _plain_file("Go"),
    ".java-version": _plain_file("Java"),
    "rust-toolchain": _plain_file("Rust toolchain"),
    "rust-toolchain.toml": _toolchain,
    "global.json": _global_json,
    ".tool-versions": _tool_versions,
    "mise.toml": _mise,
    ".mise.toml": _mise,
}


def _line(tree: Tree, path: str, tool: str, pattern: str) -> Iterator[tuple[str, str, Place]]:
    source = tree.text(path)
    match = re.search(pattern, source, re.MULTILINE)
    if match is not None:
        yield tool, match[1], Place(path, source.count("\n", 0, match.start(1)) + 1)


def _at(tree: Tree, path: str, pattern: str, *before: str) -> Place:
    """The line of a pattern, behind that of another one where given."""
    lines = Lines(tree.text(path))
    source = tree.text(path)
    begin = 0
    for each in before:
        begin = max(0, source.find(each))
    found = re.compile(pattern, re.MULTILINE).search(source, begin)
    return Place(path, lines.at(found.start()) if found else None)


def ordered(found: Sequence[Need]) -> dict[str, list[Need]]:
    """Needs by tool, in their order."""
    told: dict[str, list[Need]] = {}
    for each in found:
        told.setdefault(each.tool, []).append(each)
    return told
