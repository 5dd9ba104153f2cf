"""Documentation that programs write: references of code, and schemas of interfaces."""

from __future__ import annotations

import re

from stationmaster.readiness.evidence import deployment, tools
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips
from stationmaster.reading.projects.manifests.common import mapping
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.test_files import is_test
from stationmaster.repos.contents import SIZE_MAX


def doc_generation(facts: Facts) -> Verdict:
    """Passes where the Maven build makes Javadoc or a crate configures docs.rs."""
    for manifest in facts.project.manifests:
        if manifest.ecosystem == "maven" and "maven-javadoc-plugin" in facts.tree.text(
            manifest.path
        ):
            return passes("The Maven build makes Javadoc", Place(manifest.path))
        about = mapping(mapping(manifest.data.get("package")).get("metadata"))
        if manifest.ecosystem == "rust" and "docs" in about:
            return passes("The crate says how docs.rs documents it", Place(manifest.path))
    return fails("No generator of documentation is configured or run")


SCHEMAS = (
    "**/{*openapi*,*swagger*,*asyncapi*}.{yaml,yml,json}",
    "**/*.{graphql,graphqls,gql,proto,thrift,smithy,tsp,raml,wsdl,capnp,fbs}",
    "**/{openapi,swagger}/**/*.{yaml,yml,json}",
    "**/*.{postman_collection.json,bru}",
)
"""Evidence table E15: interfaces that machines can read."""
_SPEAKERS = {
    "proto": (
        "grpc*",
        "@grpc/*",
        "google.golang.org/*",
        "google.protobuf",
        "io.grpc",
        "tonic",
        "prost",
        "Grpc*",
        "twirp*",
        "connectrpc*",
        "@connectrpc/*",
        "@bufbuild/*",
    ),
    "graphql": (
        "graphql*",
        "@apollo/*",
        "apollo*",
        "gqlgen",
        "github.com/99designs/gqlgen",
        "HotChocolate*",
    ),
    "thrift": ("thrift*", "org.apache.thrift", "github.com/apache/thrift*"),
}
"""Libraries of those who speak what a shared schema describes."""
_WEAK_SCHEMA = re.compile(r"\.(?:postman_collection\.json|bru)$")
_SPECIFIED = re.compile(r"[\"']?(?:openapi|swagger|asyncapi)[\"']?\s{0,20}:", re.I)
_CONFIGURED = re.compile(r"(?:^|[.-])(?:config|generator|conf|rc|tools)\.|^\.|ui\.json|package")
_OPERATIONS = re.compile(r"^\s{0,40}(?:query|mutation|subscription|fragment)\b", re.M)
_DEFINITIONS = re.compile(
    r"^\s{0,40}(?:extend\s+)?(?:type|schema|input|interface|enum|directive)\b", re.M
)


def api_schema(facts: Facts, app: App) -> Verdict:
    """Passes where a schema is tracked or a library makes one; skipped for what is no service."""
    paths = [path for path in _schemas(facts) if _is_of(facts, app, path)]
    if paths:
        weak = all(_WEAK_SCHEMA.search(path) for path in paths)
        return passes("There is a schema", *map(Place, paths), weak=weak)
    if shown := tools.of_app(facts, app, "api-schema"):
        return passes(f"{shown.name} makes the schema of the code", *shown.places)
    if "service" not in app.kinds:
        return skips("A library without an interface to describe")
    return fails(
        "There is no OpenAPI, GraphQL, Protocol Buffers or other schema, and no library that "
        "makes one"
    )


def _is_of(facts: Facts, app: App, path: str) -> bool:
    """Its own, or one outside of all applications that it has the libraries for."""
    owner = facts.tree.owner(path)
    if owner is not None or "service" not in app.kinds:
        return owner == app.path
    speaks = _SPEAKERS.get(path.rpartition(".")[2])
    return (
        deployment.is_alone(facts, app)
        if speaks is None
        else bool(facts.tree.imported(app, *speaks))
    )


def _schemas(facts: Facts) -> list[str]:
    return [
        path
        for path in facts.tree.glob(*SCHEMAS, any_case=True)
        if not is_test(path) and _is_schema(facts, path)
    ]


def _is_schema(facts: Facts, path: str) -> bool:
    """Configuration of generators, and queries of clients, are none."""
    name = path.rpartition("/")[2].lower()
    if name.endswith((".yaml", ".yml", ".json")) and not _WEAK_SCHEMA.search(name):
        return not _CONFIGURED.search(name) and (
            facts.files.entry(path).size > SIZE_MAX
            or _SPECIFIED.search(facts.tree.text(path)[:20_000]) is not None
        )
    if name.endswith((".graphql", ".gql")):
        text = facts.tree.text(path)
        return _DEFINITIONS.search(text) is not None or not _OPERATIONS.search(text)
    return True
