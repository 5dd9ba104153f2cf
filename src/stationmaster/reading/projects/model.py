"""The nouns of a project. Paths are from the root of the repository, `.` is the root itself.

Source: docs/reference/applications.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

import msgspec

from stationmaster.catalogue import lists
from stationmaster.catalogue.ecosystems import Ecosystem as Ecosystem
from stationmaster.catalogue.families import by_member
from stationmaster.reading.projects.paths import Products

Kind = Literal[
    "library",
    "cli",
    "service",
    "web",
    "mobile",
    "desktop",
    "job",
    "infra",
    "docs",
    "data",
    "test-suite",
    "config",
]
DependencyScope = Literal["runtime", "development", "optional", "indirect"]
CommandSource = Literal["script", "task", "ci", "hook", "document", "container"]
Policy = Literal["forbidden", "restricted", "allowed", "unknown"]


class Place(msgspec.Struct, frozen=True):
    """A file, and a line of it counted from 1 where that helps."""

    path: str
    line: int | None = None

    def __str__(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"


class Dependency(msgspec.Struct, frozen=True):
    """A dependency of a manifest. `version` is the text of its constraint; None without one.
    What is `indirect` is only there because another package asks for it; `extra` names what an
    optional one is part of, `marker` the environment that it is for.

    Names are in the ecosystem's own spelling, lower case where that does not count there
    (`groupId:artifactId` for Maven and Gradle).
    """

    name: str
    version: str | None
    scope: DependencyScope
    place: Place
    extra: str = ""
    marker: str = ""


class Command(msgspec.Struct, frozen=True):
    """A command line that the repository knows, under the name that people call it by.

    `folder` is where it runs; `name` such as `test` for a script or task, a job's or a hook's id.
    `is_mention`: a sentence of a document names it, perhaps without what it works on.
    """

    name: str
    text: str
    source: CommandSource
    folder: str
    place: Place
    is_mention: bool = False


class Hook(msgspec.Struct, frozen=True):
    """A hook that git runs on an event, configured by a `manager`.

    `id` is that of a shared hook or task of the manager, '' for a command of the repository, which
    is `text`; `arguments` follow either. `manager` is '' for scripts in a folder that no command
    sets as git's folder of hooks.
    """

    manager: str
    event: str
    id: str
    text: str
    folder: str
    place: Place
    arguments: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The command, or the id of the hook, with its arguments."""
        return " ".join((self.text or self.id, *self.arguments))


class Manifest(msgspec.Struct, frozen=True):
    """A file that declares a package or module. `data` is what a parser made of it ({} where it
    could not be read; of code the few members that its reader names), `fault` what is wrong with
    it. `is_for_tests`: it declares a project that only tests or measures others.
    """

    path: str
    folder: str
    ecosystem: Ecosystem
    name: str | None = None
    version: str | None = None
    description: str | None = None
    is_private: bool = False
    dependencies: tuple[Dependency, ...] = ()
    data: Mapping[str, Any] = {}
    fault: str | None = None
    is_for_tests: bool = False


class App(msgspec.Struct, frozen=True, dict=True):
    """A unit that is built or deployed by itself.

    `languages` counts its source files, the most frequent first, and behind them those of markup
    and of build files; `language` is the first of them. `parts` are folders elsewhere that belong
    to it too: projects that test it, and those it is made of that are no applications. `uses` are
    the paths of applications of the same repository that it depends on, those they depend on too.
    `manifests` are its own: not those of applications inside it, but those of its parts.
    """

    path: str
    name: str
    description: str
    kinds: frozenset[Kind]
    manifests: tuple[Manifest, ...]
    languages: Mapping[str, int]
    parts: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()

    @cached_property
    def families(self) -> dict[str, None]:
        """The families of languages, as tools see them, that it has code in: the most frequent
        first, without markup and data, in which no program is written."""
        return {by_member().get(language, language): None for language in self._code}

    @cached_property
    def family(self) -> str | None:
        """The family of languages with most code; None where it has no code."""
        return next(iter(self.families), None)

    @property
    def written_in(self) -> str:
        """The name of its family in sentences: C has its own name; '' where it has no code."""
        main = self.family or ""
        return next(iter(self._code), main) if main == "C++" else main

    @property
    def _code(self) -> list[str]:
        return [language for language in self.languages if language not in lists.words("markup")]

    @cached_property
    def ecosystems(self) -> frozenset[Ecosystem]:
        """The ecosystems of its manifests, such as `npm`."""
        return frozenset(manifest.ecosystem for manifest in self.manifests)


class Workspace(msgspec.Struct, frozen=True):
    """A declaration that several packages belong together, and the folders of its members."""

    tool: str
    place: Place
    members: tuple[str, ...]


class AgentPolicy(msgspec.Struct, frozen=True):
    """The policy of the repository for contributions by agents, and its place. Data, never an
    instruction."""

    policy: Policy
    place: Place | None = None
    text: str | None = None


class Settings(msgspec.Struct, frozen=True):
    """The settings of the repository: `include` are folders that are applications, `exclude`
    patterns of paths that are not the product, `kinds` those of applications. `readiness` and
    `wiki` are for these two. `place` is None without a file of settings; `faults` are its invalid
    entries.
    """

    place: Place | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    kinds: Mapping[str, frozenset[Kind]] = {}
    readiness: Mapping[str, Any] = {}
    wiki: Mapping[str, Any] = {}
    faults: tuple[str, ...] = ()


class Project(msgspec.Struct, frozen=True):
    """The project of a commit. `apps` are by path and never empty.

    `manifests` are those of the product and its tests. `products` decides which paths are the
    product.
    """

    apps: tuple[App, ...]
    manifests: tuple[Manifest, ...]
    workspaces: tuple[Workspace, ...]
    languages: Mapping[str, int]
    commands: tuple[Command, ...]
    hooks: tuple[Hook, ...]
    policy: AgentPolicy
    settings: Settings = msgspec.field(default_factory=Settings)
    products: Products = msgspec.field(default_factory=Products)
