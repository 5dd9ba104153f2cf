"""Documentation that programs write: references of code, and schemas of interfaces."""

from __future__ import annotations

import re

from stationmaster.projects.manifests.common import mapping
from stationmaster.projects.model import App, Place
from stationmaster.projects.test_files import is_test
from stationmaster.readiness.criterion import Criterion, Verdict, fails, passes, skips
from stationmaster.readiness.evidence import deployment, traces
from stationmaster.readiness.evidence.traces import Tool
from stationmaster.readiness.facts import Facts
from stationmaster.repos.contents import SIZE_MAX

GENERATORS = (
    Tool(name="Sphinx", files=("{,doc/,docs/,documentation/}{,source/,src/}conf.py",
        "{docs,doc}/**/conf.py"),
         commands=("sphinx-build", "sphinx-apidoc")),
    Tool(name="MkDocs", files=("**/mkdocs.{yml,yaml}", "zensical.toml"), commands=("mkdocs build",
        "mkdocs gh-deploy")),
    Tool(name="Read the Docs", files=(".readthedocs.{yaml,yml}", "readthedocs.yml")),
    Tool(name="pdoc", commands=("pdoc", "pdoc3", "pydoctor", "lazydocs", "quartodoc build")),
    Tool(name="TypeDoc", files=("**/typedoc.{json,js,cjs,mjs,jsonc}",), commands=("typedoc",)),
    Tool(name="JSDoc", files=("**/{jsdoc,.jsdoc}{,.conf}.{json,js}",), commands=("jsdoc",
        "documentation build", "jsdoc2md")),
    Tool(name="API Extractor", files=("**/api-extractor.json",), commands=("api-extractor run",
        "api-documenter")),
    Tool(name="Storybook", files=("**/.storybook/main.{js,ts,cjs,mjs,mts,cts}",),
        commands=("build-storybook", "storybook build")),
    Tool(name="rustdoc", commands=("cargo doc", "cargo rustdoc", "cargo docs-rs")),
    Tool(name="Javadoc", commands=("mvn javadoc:javadoc", "mvn javadoc:aggregate",
        "gradlew javadoc", "gradle javadoc", "javadoc")),
    Tool(name="Dokka", commands=("gradlew dokkaHtml", "gradle dokkaHtml", "gradlew dokkaGenerate",
        "gradlew dokkaHtmlMultiModule")),
    Tool(name="YARD", files=("**/.yardopts",), commands=("yard doc", "yardoc", "rdoc", "rake yard",
        "rake rdoc")),
    Tool(name="DocFX", files=("**/docfx.json",), commands=("docfx",)),
    Tool(name="Doxygen", files=("**/{Doxyfile,doxyfile,Doxygen}{,.in,.cfg}",
        "**/*.{doxyfile,dox.in}"), commands=("doxygen",)),
    Tool(name="phpDocumentor", files=("phpdoc{,.dist}.xml", "phpdoc.yml", "doctum.php"),
        commands=("phpdoc", "phpDocumentor", "doctum")),
    Tool(name="DocC", files=("**/*.docc/*.md", ".spi.yml"),
        commands=("swift package generate-documentation",)),
    Tool(name="ExDoc", commands=("mix docs",)),
    Tool(name="dart doc", commands=("dart doc", "dartdoc")),
    Tool(name="Haddock", commands=("cabal haddock", "stack haddock")),
    Tool(name="swag", commands=("swag init", "swagger generate spec", "redocly build-docs",
        "redoc-cli", "redocly bundle", "swagger-codegen", "scribe:generate",
        "l5-swagger:generate")),
    Tool(name="protoc-gen-doc", commands=("protoc-gen-doc", "protoc --doc_out", "graphdoc",
        "spectaql", "magidoc")),
    Tool(name="terraform-docs", files=("**/.terraform-docs.{yml,yaml}",),
        commands=("terraform-docs", "tfplugindocs"), hooks=("terraform_docs", "terraform-docs"),
        actions=("terraform-docs/*",)),
    Tool(name="helm-docs", commands=("helm-docs",), hooks=("helm-docs",)),
    Tool(name="gomarkdoc", commands=("gomarkdoc", "godoc", "pkgsite")),
    Tool(name="a documentation task", commands=(
        "make generate-docs", "make gen-docs", "make docs-generate", "make apidocs", "npm run "
        "docs:generate",
        "npm run generate-docs", "npm run docs:api", "pnpm docs:generate", "yarn docs:generate",
            "rake docs:generate")),
    Tool(name="OpenAPI generator", packages=("springdoc-openapi*", "org.springdoc:*",
        "swashbuckle.aspnetcore*", "nswag.*", "microsoft.aspnetcore.openapi")),
    Tool(name="a changelog generator", files=("cliff.toml", ".git-cliff.toml",
        ".changie.{yml,yaml}"), commands=("git-cliff", "towncrier build", "changie batch"),
        is_weak=True),
    Tool(name="Docusaurus", files=("**/docusaurus.config.{js,ts,mjs,cjs}",), is_weak=True),
    Tool(name="VitePress", files=("**/.vitepress/config.{js,ts,mjs,mts}",), is_weak=True),
    Tool(name="VuePress", files=("**/.vuepress/config.{js,ts}",), is_weak=True),
    Tool(name="mdBook", files=("**/book.toml",), is_weak=True),
    Tool(name="Antora", files=("**/antora.yml", "**/antora-playbook.yml"), is_weak=True),
    Tool(name="Mintlify", files=("**/{mint,docs}.json",), commands=("mintlify dev", "mint dev"),
        is_weak=True),
    Tool(name="Nextra or Starlight", files=("{docs,website,site}/**/astro.config.{mjs,ts}",
        "{docs,website,site}/hugo.{toml,yaml}"), is_weak=True),
)  # fmt: skip
"""Evidence table E14; the weak ones render pages that people wrote."""


def _generated(facts: Facts) -> Verdict:
    found = traces.of_repository(facts, GENERATORS)
    if found is not None:
        return passes(f"{found.tool} makes documentation", found.place, weak=found.is_weak)
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
    "proto": ("grpc*", "@grpc/*", "google.golang.org/*", "google.protobuf", "io.grpc", "tonic",
        "prost", "Grpc*", "twirp*", "connectrpc*", "@connectrpc/*", "@bufbuild/*"),
    "graphql": ("graphql*", "@apollo/*", "apollo*", "gqlgen", "github.com/99designs/gqlgen",
        "HotChocolate*"),
    "thrift": ("thrift*", "org.apache.thrift", "github.com/apache/thrift*"),
}  # fmt: skip
"""Libraries of those who speak what a shared schema describes."""
_WEAK_SCHEMA = re.compile(r"\.(?:postman_collection\.json|bru)$")
_SPECIFIED = re.compile(r"[\"']?(?:openapi|swagger|asyncapi)[\"']?\s{0,20}:", re.I)
_CONFIGURED = re.compile(r"(?:^|[.-])(?:config|generator|conf|rc|tools)\.|^\.|ui\.json|package")
_OPERATIONS = re.compile(r"^\s{0,40}(?:query|mutation|subscription|fragment)\b", re.M)
_DEFINITIONS = re.compile(
    r"^\s{0,40}(?:extend\s+)?(?:type|schema|input|interface|enum|directive)\b", re.M
)
CODE_FIRST = (
    Tool(name="FastAPI", imports=("fastapi", "litestar", "apiflask", "flask_smorest",
        "flask_openapi3", "ninja", "connexion", "spectree")),
    Tool(name="a schema of Django REST", imports=("drf_spectacular", "drf_yasg")),
    Tool(name="a GraphQL server", imports=(
        "graphene*", "strawberry", "ariadne", "@nestjs/graphql", "type-graphql", "@pothos/core",
            "nexus",
        "graphql_ruby", "async_graphql", "juniper", "hotchocolate*", "com.netflix.graphql.dgs*",
            "gqlgen", "github.com/99designs/gqlgen"),
        packages=("graphql", "hotchocolate.*", "rebing/graphql-laravel", "nuwave/lighthouse")),
    Tool(name="springdoc", packages=("org.springdoc:*", "io.springfox:*",
        "io.smallrye:smallrye-open-api*", "io.quarkus:quarkus-smallrye-openapi",
        "io.micronaut.openapi:*"),
         imports=("io.swagger.v3.oas", "io.swagger.annotations",
             "org.eclipse.microprofile.openapi")),
    Tool(name="OpenAPI of ASP.NET", packages=("swashbuckle.aspnetcore*", "nswag.aspnetcore*",
        "microsoft.aspnetcore.openapi", "fastendpoints.swagger")),
    Tool(name="an OpenAPI library", imports=(
        "@nestjs/swagger", "@fastify/swagger", "@hono/zod-openapi", "hono-openapi", "swagger-jsdoc",
            "tsoa", "@asteasolutions/zod-to-openapi", "zod-openapi",
        "@ts-rest/open-api", "@elysiajs/swagger", "@trpc/server", "routing-controllers-openapi",
            "express-openapi-validator",
        "utoipa*", "aide", "poem_openapi", "salvo_oapi", "rocket_okapi", "dropshot", "apistos",
        "github.com/danielgtaylor/huma", "github.com/swaggo/*", "github.com/go-swagger/*",
            "github.com/go-openapi/*", "github.com/getkin/kin-openapi",
        "github.com/wi2l/fizz", "goa.design/goa"),
        packages=("rswag*", "grape-swagger*", "apipie-rails", "rspec-openapi",
            "zircote/swagger-php", "darkaonline/l5-swagger", "knuckleswtf/scribe", "dedoc/scramble",
                  "nelmio/api-doc-bundle", "api-platform/*", "open_api_spex")),
)  # fmt: skip


def _schema(facts: Facts, app: App) -> Verdict:
    found = [path for path in _schemas(facts) if _is_of(facts, app, path)]
    if found:
        weak = all(_WEAK_SCHEMA.search(path) for path in found)
        return passes("There is a schema", *map(Place, found), weak=weak)
    if generator := traces.of_app(facts, app, CODE_FIRST):
        return passes(f"{generator.tool} makes the schema of the code", generator.place)
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


AUTOMATED_DOC_GENERATION = Criterion(
    id="automated_doc_generation",
    title="Generated documentation",
    level=2,
    pillar="Documentation",
    scope="repository",
    looks_for="A generator of documentation that is configured or run.",
    remedy="Let CI make the reference from the code.",
    repository=_generated,
)
API_SCHEMA_DOCS = Criterion(
    id="api_schema_docs",
    title="API schema",
    level=3,
    pillar="Documentation",
    scope="application",
    looks_for="A schema of the interface that machines can read, or a library that makes one.",
    remedy="Publish the schema of the interface, best made from the code.",
    kinds=frozenset({"service", "library"}),
    app=_schema,
)
