"""The nouns of a project. Paths are from the root of the repository, `.` is the root itself.

Source: readiness criteria, sections 2 and 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Ecosystem = Literal[
    "npm", "deno", "python", "go", "rust", "maven", "gradle", "dotnet", "ruby", "php", "swift",
    "cpp", "elixir", "scala", "dart", "terraform", "other",
]  # fmt: skip
Kind = Literal[
    "library", "cli", "service", "web", "mobile", "desktop", "job", "infra", "docs", "data",
    "test-suite", "config",
]  # fmt: skip
DependencyScope = Literal["runtime", "development", "optional", "indirect"]
CommandSource = Literal["script", "task", "ci", "hook", "document", "container"]
Policy = Literal["forbidden", "restricted", "allowed", "unknown"]


@dataclass(frozen=True, slots=True)
class Place:
    """A file, and a line of it counted from 1 where that helps."""

    path: str
    line: int | None = None

    def __str__(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Dependency:
    """What a manifest asks for. `version` is the text of its constraint; None without one.

    Names are in the ecosystem's own spelling, lower case where that does not count there
    (`groupId:artifactId` for Maven and Gradle).
    """

    name: str
    version: str | None
    scope: DependencyScope
    place: Place


@dataclass(frozen=True, slots=True)
class Command:
    """A command line that the repository knows, under the name that people call it by.

    `folder` is where it runs; `name` such as `test` for a script or task, a job's or a hook's id.
    """

    name: str
    text: str
    source: CommandSource
    folder: str
    place: Place


@dataclass(frozen=True, slots=True)
class Manifest:
    """A file that declares a package or module. `data` is what a parser made of it ({} where it is
    code or could not be read), `fault` what is wrong with it.
    """

    path: str
    folder: str
    ecosystem: Ecosystem
    name: str | None = None
    version: str | None = None
    description: str | None = None
    is_private: bool = False
    dependencies: tuple[Dependency, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class App:
    """A unit that is built or deployed by itself.

    `languages` counts its source files, the most frequent first; `language` is the first of them.
    `manifests` are its own: not those of applications inside it, but those of its parts.
    """

    path: str
    name: str
    description: str
    kinds: frozenset[Kind]
    manifests: tuple[Manifest, ...]
    languages: Mapping[str, int]

    @property
    def language(self) -> str | None:
        return next(iter(self.languages), None)

    @property
    def ecosystems(self) -> frozenset[Ecosystem]:
        return frozenset(each.ecosystem for each in self.manifests)


@dataclass(frozen=True, slots=True)
class Workspace:
    """A declaration that several packages belong together, and the folders of its members."""

    tool: str
    place: Place
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AgentPolicy:
    """What the repository says of contributions by agents, and where. Data, never an order."""

    policy: Policy
    place: Place | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Project:
    """All that is known of a commit's build. `apps` are by path and never empty."""

    apps: tuple[App, ...]
    manifests: tuple[Manifest, ...]
    workspaces: tuple[Workspace, ...]
    languages: Mapping[str, int]
    commands: tuple[Command, ...]
    policy: AgentPolicy
