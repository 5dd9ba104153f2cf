"""What has to be installed before anything can be built: tools with their versions, as the
repository itself states them. Only literal versions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from stationmaster.catalogue.repositories.versions import Text, versions
from stationmaster.reading.projects.manifests.common import Lines, inside, mapping
from stationmaster.reading.projects.model import Manifest
from stationmaster.reading.projects.queries import Tree
from stationmaster.reading.projects.test_files import is_test
from stationmaster.repos import yaml_nodes
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling import in_pipelines
from stationmaster.wiki.text.inline import Place

PLACES_MAX = 4
_FIRST = r"\A\s*(v?[\w./-]{1,30})[ \t]*$"
_ON_DOCUMENTS = re.compile(r"(?i)(?:^|[-_.])(?:docs?|documentation|pages|website)(?:[-_.]|$)")
_MATRIX = re.compile(r"\$\{\{\s{0,5}matrix\.([\w.-]{1,80}?)\s{0,5}\}\}")
_RELEASE = re.compile(r"<(?:release|source)>\$\{([\w.-]{1,80})\}</")
_DIGITS = re.compile(r"[\d.]{1,10}")
_VERSION = re.compile(r"(?![a-z]+(?: [a-z]+)+$)[\w.*^~<>=!|, +/-]{1,60}")


class Need(msgspec.Struct, frozen=True):
    """`version` is a rule as the file writes it, '' where it names none."""

    tool: str
    version: str
    places: tuple[Place, ...]


@query
def needs(facts: Facts) -> tuple[Need, ...]:
    """By tool, those nearest to the root first; several rules for one tool follow one another."""
    places_of: dict[tuple[str, str], list[Place]] = defaultdict(list)
    order: dict[str, tuple[int, int]] = {}
    for tool, version, place in _all(facts.tree):
        plain = " ".join(version.split())
        if _VERSION.fullmatch(plain) or not plain:
            rank = order.setdefault(tool, (place.path.count("/"), len(order)))
            order[tool] = min(rank, (place.path.count("/"), rank[1]))
            places_of[tool, plain].append(place)
    return tuple(
        Need(tool, version, tuple(sorted(places, key=_near)[:PLACES_MAX]))
        for (tool, version), places in sorted(
            places_of.items(),
            key=lambda item: (not item[0][1], order[item[0][0]], min(map(_near, item[1])), item[0]),
        )
    )


@query
def in_workflows(facts: Facts) -> tuple[Need, ...]:
    """Distinct versions by tool, where they are literal or those of a matrix."""
    places_of: dict[tuple[str, str], list[Place]] = defaultdict(list)
    for workflow in facts.pipelines.workflows:
        for step in workflow.facts.steps:
            if any(map(_ON_DOCUMENTS.search, (step.path.rpartition("/")[2], step.job))) or (
                in_pipelines.is_aside(facts, workflow.path, step.job)
            ):
                continue  # Only the documents or the pipeline need it.
            name = (step.uses or "").partition("@")[0].lower()
            for key, tool in versions().setups.get(name, {}).items():
                value = step.inputs.get(key, "")
                place = Place(step.path, step.place.line)
                if named := _MATRIX.fullmatch(value.strip()):
                    texts = [", ".join(_of_matrix(facts.tree, place, named[1]))]
                else:
                    texts = re.split(r"[\n,]", value)
                for version in texts:
                    if _VERSION.fullmatch(version.strip()):
                        places_of[tool, version.strip()].append(place)
    return tuple(
        Need(tool, version, tuple(sorted(set(places))[:PLACES_MAX]))
        for (tool, version), places in sorted(places_of.items())
    )


def _of_matrix(tree: Tree, place: Place, key: str) -> list[str]:
    """The texts that the matrix of the job around a place has under a key, in their order."""
    jobs = yaml_nodes.members(tree.yaml(place.path), "jobs").values()
    before = [job for job in jobs if job.line <= (place.line or 0)]
    matrix = yaml_nodes.get(before[-1] if before else None, "strategy", "matrix")
    first, *rest = key.split(".")
    included = (yaml_nodes.get(it, first) for it in yaml_nodes.items(matrix, "include"))
    values = (*yaml_nodes.items(matrix, first), *included)
    texts = (yaml_nodes.text(value, *rest) for value in values)
    return list(dict.fromkeys(filter(None, texts)))


def _near(place: Place) -> tuple[int, str, int]:
    return (place.path.count("/"), place.path, place.line or 0)


def _all(tree: Tree) -> Iterator[tuple[str, str, Place]]:
    for manifest in tree.project.manifests:
        if not is_test(manifest.path):
            read = _MANIFESTS.get(manifest.path.rpartition("/")[2])
            if read is None and manifest.ecosystem == "dotnet":
                read = _dotnet
            yield from _by_keys(tree, manifest) if read is None else read(tree, manifest)
    plain = (Text((name,), tool, _FIRST) for name, tool in versions().files.items())
    for text in (*versions().texts, *plain):
        for path in tree.glob(*(f"**/{name}" for name in text.files)):
            if not (is_test(path) or (text.at_root and "/" in path)):
                yield from _by_pattern(tree, path, text)
    for name, read_file in _FILES.items():
        for path in tree.glob(f"**/{name}"):
            if not is_test(path):
                yield from read_file(tree, path)
    for path, tool in versions().wrappers.items():
        if path in tree.files:
            yield tool, "", Place(path)


def _by_keys(tree: Tree, manifest: Manifest) -> Iterator[tuple[str, str, Place]]:
    path = manifest.path
    file = path.rpartition("/")[2]
    for row in versions().keys:
        rules = ((keys, inside(manifest.data, *keys)) for keys in row.keys if file in row.files)
        for keys, rule in rules:
            if isinstance(rule, str) and re.fullmatch(row.rule, rule):
                yield row.tool, rule, _at(tree, path, row.line.format(re.escape(keys[-1])))
                break


def _by_pattern(tree: Tree, path: str, text: Text) -> Iterator[tuple[str, str, Place]]:
    source = tree.text(path)
    match = re.search(text.pattern, source, re.MULTILINE)
    if match is not None and match.lastindex is not None:
        line = source.count("\n", 0, match.start(match.lastindex)) + 1
        yield text.tool, match[match.lastindex].replace("_", "."), Place(path, line)


def _node(tree: Tree, manifest: Manifest) -> Iterator[tuple[str, str, Place]]:
    path, data = manifest.path, manifest.data
    for name, version in mapping(data.get("engines")).items():
        if name in versions().names and isinstance(version, str):
            yield versions().names[name], version, _at(tree, path, rf'"{name}"\s*:', '"engines"')
    manager = data.get("packageManager")
    if isinstance(manager, str) and "@" in manager:
        name, _, version = manager.partition("+")[0].partition("@")
        yield versions().names.get(name, name), version, _at(tree, path, r'"packageManager"')


def _php(tree: Tree, manifest: Manifest) -> Iterator[tuple[str, str, Place]]:
    for name, version in mapping(manifest.data.get("require")).items():
        if name == "php" and isinstance(version, str):
            yield "PHP", version, _at(tree, manifest.path, r'"php"\s*:')
        elif name.startswith("ext-"):
            extension = f"PHP extension {name.removeprefix('ext-')}"
            yield extension, "", _at(tree, manifest.path, f'"{re.escape(name)}"')


def _dotnet(tree: Tree, manifest: Manifest) -> Iterator[tuple[str, str, Place]]:
    properties = mapping(manifest.data.get("properties"))
    for key in ("TargetFramework", "TargetFrameworks"):
        frameworks = properties.get(key)
        if isinstance(frameworks, str) and "$" not in frameworks:
            place = _at(tree, manifest.path, f"<{key}>")
            yield ".NET target", ", ".join(filter(None, frameworks.split(";"))), place


def _maven(tree: Tree, manifest: Manifest) -> Iterator[tuple[str, str, Place]]:
    """By the usual properties, else by the one that a compiler is configured with."""
    usual = list(_by_keys(tree, manifest))
    named = None if usual else _RELEASE.search(tree.text(manifest.path))
    release = inside(manifest.data, "properties", named[1]) if named else None
    yield from usual
    if named and isinstance(release, str) and _DIGITS.fullmatch(release):
        yield "Java", release, _at(tree, manifest.path, f"<{re.escape(named[1])}>")


_Reader = Callable[[Tree, Manifest], Iterator[tuple[str, str, Place]]]


_MANIFESTS: Mapping[str, _Reader] = {
    "package.json": _node, "composer.json": _php, "pom.xml": _maven,
}  # fmt: skip


def _tool_versions(tree: Tree, path: str) -> Iterator[tuple[str, str, Place]]:
    for number, line in enumerate(tree.text(path).split("\n")[:100], start=1):
        words = line.partition("#")[0].split()
        if len(words) == 2:
            yield versions().names.get(words[0], words[0]), words[1], Place(path, number)


def _mise(tree: Tree, path: str) -> Iterator[tuple[str, str, Place]]:
    for name, value in list(mapping(tree.toml(path).get("tools")).items())[:40]:
        version = value if isinstance(value, str) else mapping(value).get("version")
        if isinstance(version, str) and ":" not in name:
            yield (
                versions().names.get(name, name),
                version,
                _at(tree, path, rf'^"?{re.escape(name)}"?\s*='),
            )


_FILES: Mapping[str, Callable[[Tree, str], Iterator[tuple[str, str, Place]]]] = {
    ".tool-versions": _tool_versions,
    "mise.toml": _mise,
    ".mise.toml": _mise,
}


def _at(tree: Tree, path: str, pattern: str, *before: str) -> Place:
    """The line of a pattern, behind that of another one if there is one."""
    lines = Lines(tree.text(path))
    source = tree.text(path)
    begin = 0
    for start in before:
        begin = max(0, source.find(start))
    match = re.compile(pattern, re.MULTILINE).search(source, begin)
    return Place(path, lines.at(match.start()) if match else None)


def ordered(required: Sequence[Need]) -> dict[str, list[Need]]:
    """Needs by tool, in their order."""
    by_tool: dict[str, list[Need]] = {}
    for need in required:
        by_tool.setdefault(need.tool, []).append(need)
    return by_tool
