"""How the product is shipped: images, services, processes, resources, platforms. Names alone: no
value of a setting is read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec

from stationmaster.reading.projects.applications import deploys
from stationmaster.reading.projects.command_lines import scripts
from stationmaster.reading.projects.paths import folder_of
from stationmaster.reading.projects.test_files import is_test
from stationmaster.repos import yaml_nodes
from stationmaster.repos.yaml_nodes import Node, items, members, text, texts
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.inline import Place

FILES_MAX = 200
RESOURCES_MAX = 400
_IMAGE = re.compile(r"[\w./:@-]{1,160}")
_ARGUMENT = re.compile(r"\$\{?(\w{1,60})(?::-[^}]{0,60})?\}?")
_PORT = re.compile(r"[\d.:-]{1,40}(?:/(?:tcp|udp))?")
_KIND = re.compile(r"[A-Z][A-Za-z]{2,60}")
_RESOURCE = re.compile(r'^[ \t]*(resource|module)\s+"([\w-]{1,80})"(?:\s+"([\w-]{1,80})")?\s*\{',
                       re.MULTILINE)  # fmt: skip
_PLATFORMS = {
    "fly.toml": "Fly.io", "render.yaml": "Render", "vercel.json": "Vercel", "netlify.toml":
    "Netlify", "app.yaml": "Google App Engine", "app.json": "Heroku", "heroku.yml": "Heroku",
    "railway.json": "Railway", "railway.toml": "Railway", "wrangler.toml": "Cloudflare Workers",
    "wrangler.jsonc": "Cloudflare Workers", "serverless.yml": "Serverless Framework",
    "serverless.yaml": "Serverless Framework", "skaffold.yaml": "Skaffold", "Chart.yaml": "Helm",
    "kustomization.yaml": "Kustomize", "Pulumi.yaml": "Pulumi", "cdk.json": "AWS CDK",
    "template.yaml": "AWS SAM", "azure.yaml": "Azure Developer CLI", "firebase.json": "Firebase",
    "captain-definition": "CapRover", "dokku.json": "Dokku", "snapcraft.yaml": "Snap",
    "flake.nix": "Nix", "deploy.rb": "Capistrano", "deploy.yml": "Kamal", "Tiltfile": "Tilt",
}  # fmt: skip
_SURE_IN: Mapping[str, str] = {"deploy.rb": "config", "deploy.yml": "config"}
"""Names that mean something only in a folder of this name."""
_SIGNS: Mapping[str, str] = {"template.yaml": "AWS::Serverless", "app.yaml": "runtime:",
                             "app.json": '"buildpacks"'}  # fmt: skip
"""What a file of a common name must say to be what it is taken for."""


class Image(msgspec.Struct, frozen=True):
    """A file that an image is built of. `bases` are what it starts from, without its own stages;
    `start` is what it runs."""

    bases: tuple[str, ...]
    stages: int
    ports: tuple[str, ...]
    start: str
    place: Place


class Service(msgspec.Struct, frozen=True):
    """A service of a compose file; `build` is the folder that it is built of, '' for an image."""

    name: str
    image: str
    build: str
    ports: tuple[str, ...]
    needs: tuple[str, ...]
    place: Place


class Resource(msgspec.Struct, frozen=True):
    """A kind of thing that is declared, how often, and where first."""

    kind: str
    names: tuple[str, ...]
    count: int
    place: Place


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
    """Compose files and their services, those nearest to the root first."""
    paths = [path for path in facts.tree.paths if deploys.is_compose_file(path)]
    told = []
    for path in _first(paths):
        roots = facts.tree.yaml_all(path)
        named = {name: node for root in roots for name, node in _services(root)}
        if named:
            told.append((path, tuple(_service(path, *item) for item in sorted(named.items()))))
    return tuple(told)


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
    found: dict[str, list[tuple[str, Place]]] = {}
    paths = [each for each in facts.tree.paths if each.endswith((".yaml", ".yml"))
             and _may_declare(facts, each)]  # fmt: skip
    for path in _first(paths):
        for root in facts.tree.yaml_all(path):
            kind = text(yaml_nodes.get(root, "kind")) or ""
            name = text(yaml_nodes.get(root, "metadata", "name")) or ""
            if text(yaml_nodes.get(root, "apiVersion")) and _KIND.fullmatch(kind):
                found.setdefault(kind, []).append((name, Place(path, root.line)))
    return tuple(_resource(kind, some) for kind, some in sorted(found.items()))


@query
def terraform(facts: Facts) -> tuple[Resource, ...]:
    """Types of resources and modules, by type."""
    found: dict[str, list[tuple[str, Place]]] = {}
    for path in _first([each for each in facts.tree.paths if each.endswith(".tf")]):
        source = facts.tree.text(path)
        for match in _RESOURCE.finditer(source):
            kind = match[2] if match[1] == "resource" else f"module {match[2]}"
            line = source.count("\n", 0, match.start(1)) + 1
            found.setdefault(kind, []).append((match[3] or "", Place(path, line)))
    return tuple(_resource(kind, some) for kind, some in sorted(found.items())[:RESOURCES_MAX])


@query
def platforms(facts: Facts) -> tuple[tuple[str, tuple[Place, ...]], ...]:
    """Platforms and tools that deploy, by the files that they read."""
    found: dict[str, list[Place]] = {}
    for path in facts.tree.paths:
        name = path.rpartition("/")[2]
        platform = _PLATFORMS.get(name)
        if platform is None or is_test(path):
            continue
        folder = _SURE_IN.get(name)
        sign = _SIGNS.get(name)
        if (folder is None or folder_of(path) == folder) and (
            sign is None or sign in facts.tree.text(path)
        ):
            found.setdefault(platform, []).append(Place(path))
    return tuple((name, tuple(found[name])) for name in sorted(found))


def _first(paths: list[str]) -> list[str]:
    kept = [path for path in paths if not is_test(path)]
    return sorted(kept, key=lambda path: (path.count("/"), path))[:FILES_MAX]


def _image(facts: Facts, path: str) -> Image:
    bases: dict[str, None] = {}
    stages: set[str] = set()
    given: dict[str, str] = {}
    ports: dict[str, None] = {}
    start, count = "", 0
    for line, _ in scripts.lines(facts.tree.text(path)):
        word, _, rest = line.partition(" ")
        match word.upper():
            case "ARG" if "=" in rest:
                name, _, value = rest.partition("=")
                given.setdefault(name.strip(), value.strip().strip("\"'"))
            case "FROM":
                count += 1
                told = _ARGUMENT.sub(lambda each: given.get(each[1], "$"), rest)
                words = [part for part in told.split() if not part.startswith("--")]
                if words and words[0] not in stages and _IMAGE.fullmatch(words[0]):
                    bases[words[0]] = None
                if len(words) == 3:
                    stages.add(words[2])
            case "EXPOSE":
                ports.update(dict.fromkeys(part for part in rest.split() if _PORT.fullmatch(part)))
            case "ENTRYPOINT" | "CMD" if word.upper() == "ENTRYPOINT" or not start:
                start = " ".join(re.findall(r'"([^"]{0,200})"', rest)) or rest
    return Image(tuple(bases), count, tuple(ports), start[:200], Place(path))


def _services(root: Node) -> Iterator[tuple[str, Node]]:
    yield from members(yaml_nodes.get(root, "services")).items()


def _service(path: str, name: str, node: Node) -> Service:
    image = text(yaml_nodes.get(node, "image")) or ""
    build = yaml_nodes.get(node, "build")
    needs = yaml_nodes.get(node, "depends_on")
    ports = [each for each in texts(yaml_nodes.get(node, "ports")) if _PORT.fullmatch(each)]
    ports += [
        told
        for item in items(yaml_nodes.get(node, "ports"))
        if (told := text(yaml_nodes.get(item, "target")) or "")
    ]
    return Service(
        name, image if _IMAGE.fullmatch(image) else "",
        (text(build) or text(yaml_nodes.get(build, "context")) or ".") if build else "",
        tuple(dict.fromkeys(ports)), tuple(members(needs) or texts(needs)), Place(path, node.line),
    )  # fmt: skip


def _may_declare(facts: Facts, path: str) -> bool:
    """Not every YAML is read: only where such manifests stand."""
    folders = set(folder_of(path).lower().split("/"))
    in_chart = "templates" in folders and "charts" in folders
    return not in_chart and not folders.isdisjoint(_FOLDERS) and path in facts.records


_FOLDERS = frozenset({"k8s", "kubernetes", "kube", "manifests", "deploy", "deployment",
                      "deployments", "kustomize", "base", "overlays", "helm", "argocd", "gitops",
                      "openshift", "knative"})  # fmt: skip


def _resource(kind: str, found: list[tuple[str, Place]]) -> Resource:
    names = Counter(name for name, _ in found if name)
    return Resource(kind, tuple(sorted(names))[:6], len(found), min(place for _, place in found))
