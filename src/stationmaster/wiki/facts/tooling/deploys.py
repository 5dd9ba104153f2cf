"""How the product is shipped: images, services, processes, resources, platforms. Only names: no
value of a setting is read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import msgspec

from stationmaster.catalogue import lists
from stationmaster.catalogue.repositories import platforms as catalogue
from stationmaster.reading.projects.applications import deploys
from stationmaster.reading.projects.command_lines import scripts
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.test_files import is_test
from stationmaster.repos.yaml_nodes import Node, get, items, members, text, texts
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

FILES_MAX = 200
RESOURCES_MAX = 400
_BYTES_MAX = 100_000
_COMMAND_MAX = 2_000
_SERVICES = re.compile(r"^services:[ \t]*(?:#[^\n]*)?$", re.MULTILINE)
_IMAGE = re.compile(r"[\w./:@-]{1,160}")
_DEFAULT = re.compile(r"\$\{\w{1,60}:?-([^{}]{0,160})\}")
"""A variable with what stands for it where it is not set."""
_ARGUMENT = re.compile(r"\$\{?(\w{1,60})(?::-[^}]{0,60})?\}?")
_PORT = re.compile(r"(?:[\d.:-]|\$\{\w{1,60}(?::?-\d{0,6})?\}){1,40}(?:/(?:tcp|udp))?")
_VOLUME = re.compile(r"[^\s,;'\"]{1,200}")
_ASSIGNED = re.compile(r"(\w{1,80})=(?:\"([^\"]{0,300})\"|'([^']{0,300})'|(\S{0,300}))")
_KIND = re.compile(r"[A-Z][A-Za-z]{2,60}")
_RESOURCE = re.compile(
    r'^[ \t]*(resource|module)\s+"([\w-]{1,80})"(?:\s+"([\w-]{1,80})")?\s*\{', re.MULTILINE
)


class Image(msgspec.Struct, frozen=True):
    """A file that an image is built of. `bases` are what it starts from, without its own stages;
    `start` is what it runs, `health` the command that checks whether it works."""

    bases: tuple[str, ...]
    stages: int
    ports: tuple[str, ...]
    start: str
    place: Place
    volumes: tuple[str, ...] = ()
    health: str = ""


class Service(msgspec.Struct, frozen=True):
    """A service of a compose file; `build` is the folder that it is built of, '' for an image.
    `volumes` are as written: what is mounted, and where; `settings` files of its environment."""

    name: str
    image: str
    build: str
    ports: tuple[str, ...]
    needs: tuple[str, ...]
    place: Place
    volumes: tuple[str, ...] = ()
    health: str = ""
    settings: tuple[str, ...] = ()


class Resource(msgspec.Struct, frozen=True):
    """A kind of thing that is declared, how often, and where first."""

    kind: str
    names: tuple[str, ...]
    count: int
    place: Place


@query
def compose_files(facts: Facts) -> frozenset[str]:
    """Those that are named so, and YAML at the root or in a folder of deployments that has services
    with an image or what one is built of."""
    named = {path for path in facts.tree.paths if deploys.is_compose_file(path)}
    others = [path for path in facts.tree.paths if path not in named and _may_be(path)]
    return frozenset({*named, *(path for path in others[:FILES_MAX] if _has_services(facts, path))})


def _may_be(path: str) -> bool:
    *folders, name = path.lower().split("/")
    is_apart = not folders or not lists.words("compose-folder").isdisjoint(folders)
    return is_apart and name.endswith((".yaml", ".yml")) and not is_test(path)


def _has_services(facts: Facts, path: str) -> bool:
    text = facts.tree.text(path)
    if len(text) > _BYTES_MAX or not _SERVICES.search(text):
        return False
    services = members(facts.tree.yaml(path), "services").values()
    return any({"image", "build"} & members(service).keys() for service in services)


@query
def images(facts: Facts) -> tuple[Image, ...]:
    """Those nearest to the root first, without what only a development container is built of."""
    paths = [
        path
        for path in facts.tree.paths
        if deploys.is_container_file(path) and ".devcontainer" not in path
    ]
    return tuple(_image(facts, path) for path in _first(paths))


@query
def services(facts: Facts) -> tuple[tuple[str, tuple[Service, ...]], ...]:
    """Compose files and their services, those nearest to the root first, and of these the one with
    the plainest name, to which others add."""
    paths = [*compose_files(facts)]
    files = []
    for path in sorted(_first(paths), key=lambda path: (path.count("/"), len(path), path)):
        roots = facts.tree.yaml_all(path)
        named = {name: node for root in roots for name, node in _services(root)}
        if named:
            files.append((path, tuple(_service(path, *item) for item in sorted(named.items()))))
    return tuple(files)


@query
def processes(facts: Facts) -> tuple[tuple[str, str, Place], ...]:
    """Of Procfiles: name and command."""
    return tuple(
        (command.name, command.text, Place(command.place.path, command.place.line))
        for command in facts.tree.project.commands
        if command.place.path.rpartition("/")[2].startswith("Procfile")
    )


@query
def objects(facts: Facts) -> tuple[Resource, ...]:
    """Kinds of Kubernetes objects that manifests declare outside of templates, by kind."""
    by_kind: dict[str, list[tuple[str, Place]]] = {}
    paths = [
        path
        for path in facts.tree.paths
        if path.endswith((".yaml", ".yml")) and _may_declare(facts, path)
    ]
    for path in _first(paths):
        for root in facts.tree.yaml_all(path):
            kind = text(root, "kind") or ""
            name = text(root, "metadata", "name") or ""
            if text(root, "apiVersion") and _KIND.fullmatch(kind):
                by_kind.setdefault(kind, []).append((name, Place(path, root.line)))
    return tuple(_resource(kind, some) for kind, some in sorted(by_kind.items()))


@query
def terraform(facts: Facts) -> tuple[Resource, ...]:
    """Types of resources and modules, by type."""
    by_kind: dict[str, list[tuple[str, Place]]] = {}
    for path in _first([path for path in facts.tree.paths if path.endswith(".tf")]):
        source = facts.tree.text(path)
        for match in _RESOURCE.finditer(source):
            kind = match[2] if match[1] == "resource" else f"module {match[2]}"
            line = source.count("\n", 0, match.start(1)) + 1
            by_kind.setdefault(kind, []).append((match[3] or "", Place(path, line)))
    return tuple(_resource(kind, some) for kind, some in sorted(by_kind.items())[:RESOURCES_MAX])


@query
def platforms(facts: Facts) -> tuple[tuple[str, tuple[Place, ...]], ...]:
    """Platforms and tools that deploy, by the files that they read."""
    places: dict[str, list[Place]] = {}
    for path in facts.tree.paths:
        name = path.rpartition("/")[2]
        platform = catalogue.platforms().get(name)
        if platform is None or not platform.title or is_test(path):
            continue
        is_in_folder = platform.folder in ("", folder_of(path))
        if is_in_folder and (not platform.sign or platform.sign in facts.tree.text(path)):
            places.setdefault(platform.title, []).append(Place(path))
    return tuple((name, tuple(places[name])) for name in sorted(places))


def _first(paths: list[str]) -> list[str]:
    kept = [path for path in paths if not is_test(path)]
    return sorted(kept, key=lambda path: (path.count("/"), path))[:FILES_MAX]


def _image(facts: Facts, path: str) -> Image:
    bases: dict[str, None] = {}
    stages: set[str] = set()
    variables: dict[str, str] = {}
    ports: dict[str, None] = {}
    volumes: dict[str, None] = {}
    entry, arguments, health, count, is_shell = "", "", "", 0, False
    for line, _ in scripts.lines(facts.tree.text(path)):
        word, _, rest = line.partition(" ")
        match word.upper():
            case "ARG" if "=" in rest:
                name, _, value = rest.partition("=")
                variables.setdefault(name.strip(), value.strip().strip("\"'"))
            case "ENV":
                for match in _ASSIGNED.finditer(rest):
                    variables[match[1]] = match[2] or match[3] or match[4] or ""
            case "FROM":
                count += 1
                filled = _ARGUMENT.sub(lambda match: variables.get(match[1], "$"), rest)
                parts = (part.strip("\"'") for part in filled.split())
                words = [part for part in parts if not part.startswith("--")]
                if words and words[0] not in stages:
                    entry = arguments = ""
                    if _IMAGE.fullmatch(words[0]):
                        bases[words[0]] = None
                if len(words) == 3:
                    stages.add(words[2])
            case "EXPOSE":
                filled = _ARGUMENT.sub(lambda match: variables.get(match[1], "$"), rest)
                ports.update(
                    dict.fromkeys(part for part in filled.split() if _PORT.fullmatch(part))
                )
            case "VOLUME":
                volumes.update(dict.fromkeys(_VOLUME.findall(rest.strip("[] "))))
            case "HEALTHCHECK":
                health = _executed(rest.partition("CMD")[2])
            case "ENTRYPOINT":
                entry = _executed(rest)
                is_shell = not rest.strip().startswith("[")  # It takes no arguments.
            case "CMD":
                arguments = _executed(rest)
    start = entry if entry and is_shell else f"{entry} {arguments}".strip()
    return Image(tuple(bases), count, tuple(ports), start, Place(path), tuple(volumes), health)


def _executed(rest: str) -> str:
    """A command that an image runs, as one line."""
    rest = rest.strip()
    words = re.findall(r'"([^"]{0,200})"', rest)
    return (" ".join(words) if rest.startswith("[") else rest)[:_COMMAND_MAX]


def _services(root: Node) -> Iterator[tuple[str, Node]]:
    yield from members(root, "services").items()


def _service(path: str, name: str, node: Node) -> Service:
    image = _DEFAULT.sub(r"\1", text(node, "image") or "")
    build = get(node, "build")
    needs = get(node, "depends_on")
    ports = [port for port in texts(node, "ports") if _PORT.fullmatch(port)]
    ports += [
        target for item in items(get(node, "ports")) if (target := text(item, "target") or "")
    ]
    return Service(
        name,
        image if _IMAGE.fullmatch(image) else "",
        (text(build) or text(build, "context") or ".") if build else "",
        tuple(dict.fromkeys(ports)),
        tuple(members(needs) or texts(needs)),
        Place(path, node.line),
        tuple(dict.fromkeys(_mounted(node))),
        _health(node),
        tuple(_settings(node)),
    )


def _settings(node: Node) -> Iterator[str]:
    files = get(node, "env_file")
    for file in (files, *items(files)):
        name = text(file) or text(file, "path")
        if name and _VOLUME.fullmatch(name):
            yield name


def _mounted(node: Node) -> Iterator[str]:
    for item in items(get(node, "volumes")):
        source, target = text(item, "source") or "", text(item, "target")
        written = text(item) or (f"{source}:{target}" if source and target else target)
        if written and _VOLUME.fullmatch(written):
            yield written


def _health(node: Node) -> str:
    """The command that checks a service, without the word that states how it is run."""
    test = get(node, "healthcheck", "test")
    words = texts(test)
    if words[:1] in (["CMD"], ["CMD-SHELL"], ["NONE"]):
        words = words[1:] if words[0] != "NONE" else []
    return " ".join((text(test) or " ".join(words)).split())[:_COMMAND_MAX]


def _may_declare(facts: Facts, path: str) -> bool:
    """Are files in this place read? Only those where such manifests usually are."""
    folders = set(folder_of(path).lower().split("/"))
    in_chart = "templates" in folders and "charts" in folders
    return not in_chart and not folders.isdisjoint(_FOLDERS) and path in facts.records


_FOLDERS = lists.words("deployment-folder")


def _resource(kind: str, places: list[tuple[str, Place]]) -> Resource:
    names = Counter(name for name, _ in places if name)
    return Resource(kind, tuple(sorted(names))[:6], len(places), min(place for _, place in places))
