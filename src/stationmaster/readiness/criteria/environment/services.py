"""Whether what applications need beside them can be started, and its schema is tracked."""

from __future__ import annotations

from stationmaster.readiness.criteria.environment import stores
from stationmaster.readiness.evidence import deployment, signs, tools
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips
from stationmaster.reading.projects.model import App, Place
from stationmaster.reading.projects.test_files import is_test
from stationmaster.repos.yaml_nodes import get, members, text


def local_services(facts: Facts) -> Verdict:
    """Passes where a file or script starts the services needed; skipped where none is needed."""
    apps = [app for app in facts.project.apps if app.kinds & {"service", "web", "job"}]
    clients = [
        each
        for app in apps
        for each in facts.tree.dependencies(app, *stores.DATABASES, *stores.STORES)
        if each.scope == "runtime"
    ]
    composes = [path for path in facts.tree.glob(*deployment.COMPOSE) if not is_test(path)]
    for path in composes:
        for name, service in members(get(facts.tree.yaml(path), "services")).items():
            image = text(get(service, "image"))
            if image and get(service, "build") is None and stores.IMAGES.search(f"{name}/{image}"):
                return passes(
                    "A compose file starts the services that are needed", Place(path, service.line)
                )
    for path in facts.tree.glob(*stores.ORCHESTRATORS):
        return passes("All that is needed can be started locally", Place(path))
    for manifest in facts.project.manifests:
        for dependency in manifest.dependencies:
            if tools.matches(dependency.name, stores.CONTAINERS):
                return passes(
                    "Containers with the services are started for development or tests",
                    dependency.place,
                )
    for path in facts.tree.glob("{,**/}Procfile.dev", "**/bin/{setup,dev-services,services}"):
        if stores.IMAGES.search(facts.tree.text(path)):
            return passes("A script starts the services", Place(path), weak=True)
    if not clients:
        return skips("No database, cache or queue is needed")
    return fails(
        "Nothing starts the services that are needed locally",
        clients[0].place,
        *map(Place, composes[:1]),
    )


def database_schema(facts: Facts, app: App) -> Verdict:
    """Passes where a schema or migrations are tracked; weakly where code migrates the database."""
    clients = [
        dependency
        for dependency in facts.tree.dependencies(app, *stores.DATABASES, *stores.MAPPERS)
        if dependency.scope == "runtime"
    ]
    folders = (app.path, *app.parts, *app.uses)
    paths = [
        path
        for folder in folders
        for path in facts.tree.glob(*stores.SCHEMAS, under=folder)
        if not is_test(path) and facts.tree.owner(path) in _owners(facts, app, folder)
    ]
    if not paths and deployment.is_alone(facts, app):
        paths = [path for path in facts.tree.glob(*stores.SCHEMAS) if not is_test(path)]
    if paths and (clients or not app.manifests):
        return passes("The schema or its migrations are tracked", *map(Place, paths))
    if not clients:
        return skips("It uses no database with a schema")
    if models := _migrated_by_code(facts, app):
        return passes("Code brings the schema up to date", models, weak=True)
    return fails("No schema and no migrations are tracked", clients[0].place)


def _owners(facts: Facts, app: App, folder: str) -> tuple[str | None, ...]:
    """Who may own the schema in a folder: the application, one that it uses, or for a part that is
    no application whoever is around it."""
    return (folder,) if folder in app.uses else (app.path, facts.tree.owner(folder))


def _migrated_by_code(facts: Facts, app: App) -> Place | None:
    sights = signs.seen(facts, "migration", app)
    return sights[0].place if sights else None
