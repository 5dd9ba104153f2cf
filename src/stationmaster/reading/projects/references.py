"""Which packages of a commit depend on which others of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from stationmaster.reading.projects.manifests.common import strings
from stationmaster.reading.projects.model import DependencyScope, Manifest
from stationmaster.reading.projects.paths import folder_of


class References:
    """Folders of manifests, and those that they name as dependencies."""

    def __init__(self, manifests: Sequence[Manifest]) -> None:
        self._folders = {
            (manifest.ecosystem, manifest.name.lower()): manifest.folder
            for manifest in manifests
            if manifest.name
        }
        self._projects = {manifest.path for manifest in manifests if manifest.ecosystem == "dotnet"}
        self._gradle = {
            ":" + manifest.folder.replace("/", ":"): manifest.folder
            for manifest in manifests
            if manifest.ecosystem == "gradle"
        }
        by_folder: dict[str, dict[str, None]] = defaultdict(dict)
        for manifest in manifests:
            for folder in self._named(manifest):
                if folder != manifest.folder:
                    by_folder[manifest.folder][folder] = None
        self.scopes: Mapping[tuple[str, str], DependencyScope] = self._scopes(manifests)
        """The scope in which a folder needs another: `runtime` where it is that of any manifest."""
        self.direct: Mapping[str, Mapping[str, None]] = dict(by_folder)

    def _scopes(self, manifests: Sequence[Manifest]) -> dict[tuple[str, str], DependencyScope]:
        scopes: dict[tuple[str, str], DependencyScope] = {}
        for manifest in manifests:
            for dependency in manifest.dependencies:
                folder = self._folders.get((manifest.ecosystem, dependency.name.lower()))
                key = manifest.folder, folder or ""
                if folder is not None and scopes.get(key) != "runtime":
                    scopes[key] = dependency.scope
        return scopes

    def _named(self, manifest: Manifest) -> list[str]:
        keys = [
            (manifest.ecosystem, dependency.name.lower()) for dependency in manifest.dependencies
        ]
        named = [self._folders[key] for key in keys if key in self._folders]
        projects = strings(manifest.data.get("references"))
        named += [folder_of(project) for project in projects if project in self._projects]
        if manifest.ecosystem == "gradle":
            project_names = strings(manifest.data.get("projects"))
            named += [self._gradle[project] for project in project_names if project in self._gradle]
        return named

    def behind(
        self, start: Sequence[str], owner: Callable[[str], str | None], own: str
    ) -> tuple[set[str], set[str]]:
        """The folders of no application, and the applications, that these folders depend on,
        directly or not."""
        parts: set[str] = set()
        apps: set[str] = set()
        seen = set(start)
        waiting = list(start)
        while waiting:
            for folder in self.direct.get(waiting.pop(), ()):
                if folder in seen:
                    continue
                seen.add(folder)
                waiting.append(folder)
                app = owner(folder)
                if app is None:
                    parts.add(folder)
                elif app != own:
                    apps.add(app)
        return parts, apps
