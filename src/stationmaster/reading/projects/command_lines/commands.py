"""Every command line that a repository knows: of packages, tasks, hooks, workflows, containers and
documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from stationmaster.pipelines import idle
from stationmaster.pipelines.model import Pipelines
from stationmaster.reading.projects import documents
from stationmaster.reading.projects.applications import deploys
from stationmaster.reading.projects.command_lines import hooks, scripts, tasks
from stationmaster.reading.projects.documents import Code, Document
from stationmaster.reading.projects.manifests.common import Reading
from stationmaster.reading.projects.model import Command, Manifest, Place
from stationmaster.reading.projects.paths import folder_of, parents

COMMANDS_MAX = 20_000
"""Of one repository; further ones are left out."""
_DOCUMENTS_MAX = 300
_SHELLS = frozenset(
    {
        "",
        "sh",
        "bash",
        "shell",
        "console",
        "zsh",
        "shell-session",
        "sh-session",
        "terminal",
        "fish",
        "powershell",
        "ps1",
        "pwsh",
        "cmd",
        "bat",
        "batch",
        "text",
        "txt",
        "plain",
        "none",
        "prompt",
        "shellscript",
        "sh-interactive",
        "command",
        "bash-session",
        "pycon",
    }
)
_SURE = _SHELLS - {"", "text", "txt", "plain", "none", "pycon"}
_PROMPT = re.compile(
    r"^(?:\([\w.-]{1,30}\)\s{0,8})?(?:[\w@:~/.-]{0,60}[$%#❯]\s+|PS>\s*|C:\\[^>]{0,60}>\s*|>\s+)"
)
_PROGRAM = re.compile(r"[\w./$~-]+")
_INTO = re.compile(r"(?:cd|pushd)\s+[\"']?(?:\./)?([\w.][\w./-]{0,200})[\"']?\s*(?:&&|;|$)")
_TOOLS = frozenset(
    [
        "npm",
        "npx",
        "pnpm",
        "pnpx",
        "yarn",
        "bun",
        "bunx",
        "deno",
        "node",
        "corepack",
        "nx",
        "turbo",
        "rush",
        "lerna",
        "python",
        "python3",
        "py",
        "pip",
        "pip3",
        "pipx",
        "uv",
        "uvx",
        "poetry",
        "pdm",
        "hatch",
        "tox",
        "nox",
        "pytest",
        "rye",
        "conda",
        "mamba",
        "pixi",
        "pre-commit",
        "invoke",
        "inv",
        "mypy",
        "ruff",
        "flask",
        "django-admin",
        "uvicorn",
        "go",
        "gofmt",
        "golangci-lint",
        "cargo",
        "rustup",
        "cross",
        "just",
        "make",
        "gmake",
        "cmake",
        "ctest",
        "ninja",
        "meson",
        "bazel",
        "bazelisk",
        "buck2",
        "mvn",
        "mvnw",
        "gradle",
        "gradlew",
        "sbt",
        "lein",
        "ant",
        "dotnet",
        "msbuild",
        "nuget",
        "bundle",
        "rake",
        "rails",
        "ruby",
        "gem",
        "rspec",
        "composer",
        "php",
        "artisan",
        "phpunit",
        "swift",
        "xcodebuild",
        "pod",
        "mix",
        "iex",
        "elixir",
        "flutter",
        "dart",
        "pub",
        "docker",
        "docker-compose",
        "podman",
        "kubectl",
        "helm",
        "skaffold",
        "terraform",
        "tofu",
        "pulumi",
        "kind",
        "minikube",
        "tilt",
        "git",
        "gh",
        "brew",
        "apt",
        "apt-get",
        "dnf",
        "yum",
        "apk",
        "pacman",
        "nix",
        "nix-shell",
        "devbox",
        "devenv",
        "mise",
        "asdf",
        "direnv",
        "task",
        "earthly",
        "vagrant",
        "ansible-playbook",
        "bash",
        "sh",
        "zsh",
        "curl",
        "wget",
        "cp",
        "mkdir",
        "cd",
        "source",
        "export",
        "./configure",
        "autoreconf",
        "emacs",
        "vim",
        "protoc",
        "buf",
        "sam",
        "serverless",
        "fly",
        "vercel",
        "netlify",
        "wrangler",
        "firebase",
        "gcloud",
        "aws",
        "az",
    ]
)
_DEVELOPERS = re.compile(
    r"(?i)(?:.{0,300}/)?[^/]{0,60}(?:develop|contribut|build|install|setup|set_up|test|hack|quick"
    r"|getting|start|run|local|onboard|debug|tooling|workflow|agent|claude|gemini|copilot|readme"
    r"|deploy|release|lint)[^/]{0,60}"
)
"""Names of documents that tell how to work on the product, not how to use it."""


def read(
    paths: Sequence[str], manifests: Sequence[Manifest], pipelines: Pipelines, reading: Reading
) -> tuple[Command, ...]:
    """By source, those of packages first, each by path."""
    return tuple(islice(_all(paths, manifests, pipelines, reading), COMMANDS_MAX))


def _all(
    paths: Sequence[str], manifests: Sequence[Manifest], pipelines: Pipelines, reading: Reading
) -> Iterator[Command]:
    yield from tasks.of_manifests(manifests, reading)
    yield from tasks.of_files(paths, reading)
    yield from dict.fromkeys(_of_workflows(pipelines, {folder_of(path) for path in paths}))
    yield from hooks.read(paths, manifests, reading)
    yield from _of_containers(paths, reading)
    yield from _of_documents(paths, {manifest.folder for manifest in manifests}, reading)


def _of_workflows(pipelines: Pipelines, folders: Collection[str]) -> Iterator[Command]:
    """Where a script changes its folder, what follows runs there."""
    for workflow in pipelines.workflows:
        off = idle.jobs(workflow.facts)
        for step in workflow.facts.steps:
            if step.job in off or idle.is_false(step.condition):
                continue
            begin = (step.script_at or step.place).line
            folder = "."
            for told, below in scripts.lines(step.script or ""):
                into = _INTO.match(told)
                if into is not None and into[1].rstrip("/") in folders:
                    folder = into[1].rstrip("/")
                yield Command(step.job, told, "ci", folder, Place(step.path, begin + below))


def _of_containers(paths: Sequence[str], reading: Reading) -> Iterator[Command]:
    """What container files run when they are built and started."""
    for path in paths:
        if deploys.is_container_file(path):
            for told, at in scripts.lines(reading.contents.text(path)):
                word, _, rest = told.partition(" ")
                if word.upper() in ("RUN", "CMD", "ENTRYPOINT"):
                    yield Command(
                        word.lower(),
                        _plain(rest),
                        "container",
                        folder_of(path),
                        Place(path, at + 1),
                    )


def _plain(rest: str) -> str:
    """`["a", "b"]` as `a b`; without the options of RUN itself."""
    rest = re.sub(r"^(?:--\w[\w-]{0,30}=\S{0,300}\s+){0,8}", "", rest.strip())
    if rest.startswith("["):
        return " ".join(re.findall(r'"([^"]{0,500})"', rest))
    return rest


def _of_documents(
    paths: Sequence[str], roots: Collection[str], reading: Reading
) -> Iterator[Command]:
    told = [path for path in paths if _DEVELOPERS.fullmatch(path)]
    chosen = documents.choose(told, reading.contents.text)[:_DOCUMENTS_MAX]
    reading.contents.fetch(each.path for each in chosen)
    for document in chosen:
        near = (parent for parent in parents(folder_of(document.path)) if parent in roots)
        yield from dict.fromkeys(_of_document(document, next(near, ".")))


def _of_document(document: Document, folder: str) -> Iterator[Command]:
    for block in document.code:
        if block.language in _SHELLS:
            yield from _of_block(block, folder, document.path)
    for word in document.inline:
        first, _, rest = word.text.partition(" ")
        if rest and _is_tool(first):
            yield Command(first, word.text, "document", folder, Place(document.path, word.line))


def _of_block(block: Code, folder: str, path: str) -> Iterator[Command]:
    """With prompts, lines with one are the commands and others what they print."""
    found = list(scripts.lines(block.text))
    prompted = [_PROMPT.match(told) is not None for told, _ in found]
    for (told, at), has_prompt in zip(found, prompted, strict=True):
        plain = _PROMPT.sub("", told).strip()
        first = plain.partition(" ")[0]
        is_shell = has_prompt or block.language in _SURE
        if has_prompt >= any(prompted) and (
            _is_tool(first) or (is_shell and _PROGRAM.fullmatch(first))
        ):
            yield Command(first, plain, "document", folder, Place(path, block.line + at))


def _is_tool(word: str) -> bool:
    return word.rpartition("/")[2] in _TOOLS or word.startswith(
        ("./", "bin/", "script/", "scripts/")
    )
