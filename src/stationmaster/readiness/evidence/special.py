"""Tools that no name of a file or command shows: readers that rows of the catalogue name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from stationmaster.readiness.evidence import builds, cargo, configs
from stationmaster.readiness.facts import Facts
from stationmaster.reading.projects.model import App, Place
from stationmaster.repos.contents import Element

_NET_SETTINGS = (
    "analysislevel",
    "analysismode",
    "enforcecodestyleinbuild",
    "enablenetanalyzers",
)
_SEVERITY = re.compile(
    r"^[ \t]*dotnet_(?:diagnostic\.\w{1,20}\.severity|analyzer_diagnostic[\w.-]{0,80})"
    r"[ \t]*=[ \t]*(?!none\b|silent\b|default\b)\w",
    re.MULTILINE,
)


def _error_prone(facts: Facts, app: App) -> Place | None:
    """A plugin of the compiler: an argument of Maven's compiler plugin, or a plugin of Gradle."""
    for plugin in builds.maven(facts, app):
        if plugin.name == "maven-compiler-plugin" and _names_error_prone(plugin.element):
            return plugin.place
    return builds.plugin(facts, app, "net.ltgt.errorprone", "net.ltgt.nullaway")


def _names_error_prone(element: Element) -> bool:
    texts = ((node.text or "").strip() for node in element.iter())
    return any(
        text.startswith("-Xplugin:ErrorProne") or text == "error_prone_core" for text in texts
    )


def _cargo_lints(facts: Facts, app: App) -> Place | None:
    """`[lints]` of a crate, which may be its workspace's."""
    lints = cargo.lints(facts, app)
    return Place(lints[0][1]) if lints else None


def _dotnet_analyzers(facts: Facts, app: App) -> Place | None:
    """Analyzers of the .NET SDK, by severities in `.editorconfig` or by properties."""
    if "dotnet" not in app.ecosystems:
        return None
    settings = builds.settings(facts, app)
    for name in _NET_SETTINGS:
        if name in settings and settings[name].value.lower() not in ("", "false", "none"):
            return settings[name].place
    for folder in configs.own_folders(app):
        for file in (".editorconfig", ".globalconfig"):
            path = configs.configuration(facts, folder, file)
            if path is not None and (place := configs.line_of(facts, path, _SEVERITY)):
                return place
    return None


READERS: Mapping[str, Callable[[Facts, App], Place | None]] = {
    "error-prone": _error_prone,
    "cargo-lints": _cargo_lints,
    "dotnet-analyzers": _dotnet_analyzers,
}
"""By the name that a row of the catalogue gives as `reader`."""
