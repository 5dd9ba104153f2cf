"""The criteria of the pillar Development Environment: settings, services and schemas."""

from __future__ import annotations

import re
from collections.abc import Sequence

from stationmaster.catalogue import lists
from stationmaster.readiness.evidence import deployment, signs, tools
from stationmaster.readiness.facts import Facts, Verdict, fails, passes, skips
from stationmaster.reading.projects.model import App, Kind, Place
from stationmaster.reading.projects.test_files import is_test
from stationmaster.repos.yaml_nodes import get, members, text

_DOCUMENTED_MIN = 0.5
_VARIABLES_MAX = 500
_COMPOSE_DEFAULT = re.compile(r"\$\{[A-Za-z_]\w{0,80}:?-")
_DEFAULTS_MIN = 3
_CONFIGURED: frozenset[Kind] = frozenset({"service", "web", "job", "mobile", "desktop"})


def env_template(facts: Facts) -> Verdict:
    """Passes where a compose file, document or code lists the settings that are read."""
    for path in facts.tree.glob(*lists.files("compose")):
        if len(_COMPOSE_DEFAULT.findall(facts.tree.text(path))) >= _DEFAULTS_MIN:
            return passes("A compose file sets defaults for the variables", path)
    apps = [app for app in facts.project.apps if app.kinds & _CONFIGURED]
    if not apps:
        return skips("Libraries and tools get their settings from their callers")
    seen = (sight for app in apps for sight in signs.seen(facts, "variable", app))
    sights = [sight for sight in seen if not lists.pattern("system-variable").match(sight.text)]
    names = sorted({sight.text for sight in sights})[:_VARIABLES_MAX]
    if not names:
        return skips("The code reads no environment variables")
    if page := _documented(facts, names):
        return passes("Documents name the variables that the code reads", page)
    for app in apps:
        if shown := tools.of_app(facts, app, "settings"):
            return passes("Code declares the settings that it reads", *shown.places, weak=True)
    return fails(
        f"No template, table or schema lists the {len(names)} variables that the code reads",
        sights[0].place,
    )


def _documented(facts: Facts, names: Sequence[str]) -> Place | None:
    """The page that names most of the variables, where all pages together name half of them."""
    words_of: dict[str, set[str]] = {}
    for page in facts.tree.documents:
        words = set(re.findall(r"\b[A-Za-z_][A-Za-z0-9_]{2,80}\b", page.text)) & set(names)
        if words:
            words_of[page.path] = words
    named = set[str]().union(*words_of.values())
    if len(named) < _DOCUMENTED_MIN * len(names):
        return None
    return Place(max(words_of, key=lambda path: (len(words_of[path]), path)))


def local_services_setup(facts: Facts) -> Verdict:
    """Passes where a file or script starts the services needed; skipped where none is needed."""
    apps = [app for app in facts.project.apps if app.kinds & {"service", "web", "job"}]
    clients = [
        dependency
        for app in apps
        for dependency in facts.tree.dependencies(app, *lists.packages("database", "store"))
        if dependency.scope == "runtime"
    ]
    composes = [path for path in facts.tree.glob(*lists.files("compose")) if not is_test(path)]
    for path in composes:
        for name, service in members(get(facts.tree.yaml(path), "services")).items():
            image = text(get(service, "image"))
            if (
                image
                and get(service, "build") is None
                and lists.pattern("service-image").search(f"{name}/{image}")
            ):
                return passes(
                    "A compose file starts the services that are needed", Place(path, service.line)
                )
    for path in facts.tree.glob(*lists.files("orchestrator")):
        return passes("All required services can be started locally", path)
    for manifest in facts.project.manifests:
        for dependency in manifest.dependencies:
            if tools.matches(dependency.name, lists.packages("service-container")):
                return passes(
                    "Containers with the services are started for development or tests",
                    dependency.place,
                )
    for path in facts.tree.glob("{,**/}Procfile.dev", "**/bin/{setup,dev-services,services}"):
        if lists.pattern("service-image").search(facts.tree.text(path)):
            return passes("A script starts the services", path, weak=True)
    if not clients:
        return skips("No database, cache or queue is needed")
    return fails("Nothing starts the required services locally", clients[0].place, *composes[:1])


def database_schema(facts: Facts, app: App) -> Verdict:
    """Passes where a schema or migrations are tracked; weakly where code migrates the database."""
    clients = [
        dependency
        for dependency in facts.tree.dependencies(app, *lists.packages("database", "mapper"))
        if dependency.scope == "runtime"
    ]
    folders = (app.path, *app.parts, *app.uses)
    paths = [
        path
        for folder in folders
        for path in facts.tree.glob(*lists.files("database-schema"), under=folder)
        if not is_test(path) and facts.tree.owner(path) in _owners(facts, app, folder)
    ]
    if not paths and deployment.is_alone(facts, app):
        paths = [
            path for path in facts.tree.glob(*lists.files("database-schema")) if not is_test(path)
        ]
    if paths and (clients or not app.manifests):
        return passes("The schema or its migrations are tracked", *paths)
    if not clients:
        return skips("It uses no database with a schema")
    if sights := signs.seen(facts, "migration", app):
        return passes("Code migrates the schema", sights[0].place, weak=True)
    return fails("No schema and no migrations are tracked", clients[0].place)


def _owners(facts: Facts, app: App, folder: str) -> tuple[str | None, ...]:
    """Who may own the schema in a folder: the application, one that it uses, or for a part that is
    no application those around it."""
    return (folder,) if folder in app.uses else (app.path, facts.tree.owner(folder))
