"""What the names of files say of their kind. Tables; `classes` decides."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from stationmaster.agents import languages as known
from stationmaster.pipelines import discovery

FileClass = Literal[
    "source",
    "test",
    "fixture",
    "generated",
    "vendored",
    "docs",
    "config",
    "ci",
    "infra",
    "schema",
    "data",
    "asset",
    "binary",
    "symlink",
    "submodule",
    "unknown",
    "excluded",
]
DOCUMENTS = frozenset({"docs", "doc", "documentation", "Documentation", "Doc"})
"""Folders at the root that hold documents."""

_ENDINGS: Mapping[FileClass, str] = {
    "docs": "md mdx markdown rst adoc asciidoc txt text org rtf pod rdoc textile man 1 3 5 7 8",
    "config": "toml yaml yml ini cfg conf properties editorconfig env lock gradle kts cmake mk am "
    "ac in bazel bzl nix pro pri csproj fsproj vbproj vcxproj sln slnx props targets "
    "gemspec podspec plist pbxproj xcconfig xcscheme json5 jsonc hjson",
    "infra": "tf tfvars hcl bicep dockerfile",
    "schema": "sql proto graphql graphqls gql prisma avsc avdl xsd wsdl thrift fbs capnp dbml "
    "raml smithy tsp",
    "data": "csv tsv json jsonl ndjson xml po pot mo resx xlf strings parquet dat geojson rdf ttl "
    "snap ipynb dot md5 diff patch log bib list out golden expected",
    "asset": "png jpg jpeg gif svg ico webp bmp tif tiff avif icns woff woff2 ttf otf eot mp3 mp4 "
    "webm wav ogg mov pdf psd ai sketch css scss sass less styl html htm xhtml hbs "
    "mustache ejs erb haml slim jinja jinja2 j2 twig liquid pug njk cshtml xaml "
    "storyboard xib glb gltf obj stl blade ui qrc",
    "binary": "zip gz tgz bz2 xz zst 7z rar tar jar war ear class exe dll so dylib a o lib pdb pyc "
    "pyo whl egg nupkg deb rpm apk dmg iso bin db sqlite sqlite3 keystore jks p12 pfx "
    "crt cer der wasm node swf pack idx",
}
_BY_ENDING: Mapping[str, FileClass] = {
    ending: kind for kind, endings in _ENDINGS.items() for ending in endings.split()
}
_NAMES: tuple[tuple[re.Pattern[str], FileClass], ...] = (
    (re.compile(r"(?i)(?:.*/)?(?:\.?jenkinsfile[^/]*|\.travis\.yml|\.gitlab-ci\.yml)"), "ci"),
    (
        re.compile(
            r"\.(?:github|gitea|forgejo)/(?:workflows|actions)/.*|\.circleci/.*"
            r"|\.buildkite/.*"
        ),
        "ci",
    ),
    (
        re.compile(
            r"(?i)(?:.*/)?(?:dockerfile|containerfile)(?:\.[\w.-]{1,40})?"
            r"|(?:.*/)?(?:docker-)?compose(?:[.-][\w.-]{1,40})?\.ya?ml"
            r"|(?:.*/)?(?:procfile|chart\.yaml|kustomization\.ya?ml|skaffold\.yaml"
            r"|serverless\.ya?ml|fly\.toml|render\.yaml|app\.json|vercel\.json|netlify\.toml)"
        ),
        "infra",
    ),
    (
        re.compile(
            r"(?>(?:.*?/)?(?:k8s|kubernetes|helm|charts|terraform|ansible|manifests)/).*\.ya?ml"
        ),
        "infra",
    ),
    # Programs that build tools put beside the source of those who use them.
    (re.compile(r"(?:.*/)?(?:gradlew|mvnw)(?:\.bat|\.cmd)?"), "vendored"),
    (
        re.compile(
            r"(?i)(?:.*/)?(?:openapi|swagger|asyncapi)[\w.-]{0,60}\.(?:ya?ml|json)"
            r"|(?:.*/)?db/schema\.rb|(?:.*/)?[\w.-]{1,80}\.schema\.json"
        ),
        "schema",
    ),
    (
        re.compile(
            r"(?i)(?:.*/)?(?:readme|changelog|changes|license|licence|copying|notice|authors"
            r"|contributing|codeowners|code_of_conduct|security|news|history|todo|maintainers)"
            r"(?:\.[\w]{1,10})?"
        ),
        "docs",
    ),
    (
        re.compile(
            r"(?i)(?:.*/)?(?:package\.json|tsconfig[\w.-]{0,40}\.json|composer\.json"
            r"|deno\.jsonc?|[\w.-]{0,40}\.?config\.json|\.[\w.-]{1,40}rc(?:\.json)?"
            r"|appsettings[\w.-]{0,40}\.json|global\.json|nx\.json|turbo\.json|lerna\.json"
            r"|pom\.xml|build\.xml|web\.config|app\.config|nuget\.config|androidmanifest\.xml"
            r"|makefile(?:\.[\w]{1,10})?|gnumakefile|cmakelists\.txt|gemfile|podfile|pipfile"
            r"|justfile|requirements[\w.-]{0,40}\.(?:txt|in)|constraints[\w.-]{0,40}\.txt"
            r"|go\.(?:mod|work)|tox\.ini|\.env[\w.-]{0,40}|\.[a-z][\w.-]{0,40}ignore"
            r"|\.git[a-z]{1,20}|\.editorconfig|build|workspace)"
        ),
        "config",
    ),
)
"""Whole paths; the first that matches."""

_GENERATED = re.compile(
    r".*(?:_pb2(?:_grpc)?\.pyi?|\.pb(?:\.gw|\.validate)?\.go|_grpc\.pb\.go|\.pb\.(?:cc|h|swift|c)"
    r"|\.grpc\.(?:swift|pb\.(?:cc|h))|_pb\.(?:js|ts|d\.ts|rb)|_grpc_pb\.(?:js|d\.ts)|_pb\.rb"
    r"|\.g\.(?:dart|cs|i\.cs)|\.freezed\.dart|\.[dD]esigner\.(?:cs|vb)|\.generated\.\w{1,6}"
    r"|[._-]generated\.(?:go|ts|js|py|rs|cs)|\.gen\.(?:go|ts|tsx|rs|cs)|(?:^|/)zz_generated[\w.]*"
    r"|(?:^|/)(?:moc|qrc)_\w{1,100}\.(?:cpp|cxx|cc)|\.tab\.(?:c|h|cc|cpp|hh|hpp)|\.snap\.\w{1,4})"
)
_LOCKS = frozenset(
    {
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "bun.lockb",
        "poetry.lock",
        "uv.lock",
        "pdm.lock",
        "pipfile.lock",
        "cargo.lock",
        "go.sum",
        "go.work.sum",
        "gemfile.lock",
        "composer.lock",
        "packages.lock.json",
        "package.resolved",
        "podfile.lock",
        "mix.lock",
        "pubspec.lock",
        "flake.lock",
        "gradle.lockfile",
        "deno.lock",
    }
)
_GRAMMARS = (".l", ".ll", ".lex", ".y", ".yy", ".ypp", ".lpp", ".re")
_MADE = (".c", ".cc", ".cpp", ".cxx", ".go", ".rb", ".java")
_ANTLR = re.compile(r"(Lexer|Parser|(?:Parser)?(?:Base)?(?:Visitor|Listener))$")


def of(path: str, is_code: bool) -> FileClass:
    """Of a path that nothing else is known of."""
    if discovery.takers(path) and discovery.sample(path) is None:
        return "ci"
    name = path[path.rfind("/") + 1 :]
    ending = name[name.rfind(".") + 1 :].lower() if "." in name else ""
    if not is_code or ending in ("rb", "kts"):
        for pattern, kind in _NAMES:
            if pattern.fullmatch(path):
                return kind
    if is_code:
        return "source"
    if ending in _BY_ENDING:
        return _BY_ENDING[ending]
    return "source" if known.of_path(name)[1] is not None else "unknown"


def is_generated(path: str) -> bool:
    """True for the path of a generated file, and for the name of a lock file."""
    return _GENERATED.fullmatch(path) is not None or path[path.rfind("/") + 1 :].lower() in _LOCKS


def grammars(paths: Iterable[str]) -> Collection[str]:
    """The paths of grammars without their endings: what is made of one lies beside it."""
    found = (path for path in paths if path.endswith((*_GRAMMARS, ".g4")))
    return {path[: path.rfind(".")] + (".g4" if path.endswith(".g4") else "") for path in found}


def is_made(path: str, grammars: Collection[str]) -> bool:
    """Is it the lexer or parser that was made of a grammar beside it?"""
    if not grammars:
        return False
    stem = path[: path.rfind(".")]
    if path.endswith(_MADE) and stem in grammars:
        return True
    plain = _ANTLR.sub("", stem)
    return plain != stem and (f"{plain}.g4" in grammars or f"{stem}.g4" in grammars)
