"""How the product is shipped and run: images, services, processes, resources, platforms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.tooling import ci, deploys, tasks
from stationmaster.wiki.facts.tooling.deploys import Image, Resource, Service
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.pages.tasks import others
from stationmaster.wiki.text.diagrams import Edge, flowchart
from stationmaster.wiki.text.inline import Md, code, counted, joined, md, text
from stationmaster.wiki.text.page import Page

_PICTURES_MAX = 4
_BUILDS_MAX = 4
_CONDITION_MAX = 160
_DEVELOPING = frozenset({"dev", "development", "local", "test"})
"""How Procfiles end that run no installation."""


def plan(facts: Facts) -> Iterator[Planned]:
    """A page wherever one file states how the product is shipped or run."""
    if (
        deploys.images(facts)
        or deploys.services(facts)
        or deploys.processes(facts)
        or deploys.objects(facts)
        or deploys.terraform(facts)
        or deploys.platforms(facts)
        or ci.runs(facts, "deploy")
    ):
        yield Planned("deployment", "Deployment", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    images = deploys.images(facts)
    composed = deploys.services(facts)
    page.summary(*_summary(facts, images, composed))
    _images(page, images)
    built = [it for it in tasks.tasks(facts, "image") if it.source != "ci"]
    others(page, facts, built[:_BUILDS_MAX], "Commands that build one:" if images else "")
    _services(page, composed)
    _volumes(page, images, composed)
    _processes(page, facts)
    _resources(page, "Kubernetes objects", deploys.objects(facts))
    _resources(page, "Terraform resources", deploys.terraform(facts))
    _platforms(page, facts)
    _steps(page, facts)
    page.see("ci-and-tooling", "configuration", "getting-started")


def _summary(
    facts: Facts, images: Sequence[Image], composed: Sequence[tuple[str, Sequence[Service]]]
) -> Iterator[Md]:
    if images:
        yield md("The repository has files for {}.", counted(len(images), "container image"))
    if composed:
        path, listed = composed[0]
        yield md("With Compose, {} starts {}.", code(path), counted(len(listed), "service"))
    names = [name for name, _ in deploys.platforms(facts)]
    if names:
        yield md("There are files for {}.", joined([text(name) for name in names], last=" and "))
    if not images and not composed and not names:
        yield Md("This is where it runs, according to the repository.")


def _images(page: Page, images: Sequence[Image]) -> None:
    page.section("Images")
    rows = [
        (page.cite(image.place), joined([code(base) for base in image.bases]),
         image.stages if image.stages > 1 else "", joined([code(port) for port in image.ports]),
         code(image.start))
        for image in images
    ]  # fmt: skip
    page.table(("Built from", "Base image", "Stages", "Ports", "Runs"), rows)


def _image(it: Service) -> Md:
    """Nothing for a service that only adds to one of another file."""
    return code(it.image) or (md("built from {}", code(it.build)) if it.build else Md(""))


def _services(page: Page, composed: Sequence[tuple[str, Sequence[Service]]]) -> None:
    page.section("Services")
    for number, (path, services) in enumerate(composed):
        page.section(path, 3)
        names = {it.name for it in services}
        edges = [Edge(it.name, need) for it in services for need in it.needs if need in names]
        shown = {name: name for edge in edges for name in (edge.start, edge.end)}
        if number < _PICTURES_MAX:
            caption = f"The services of {path}; an arrow leads to a service that is needed"
            page.diagram(flowchart(caption, shown, edges))
        rows = [
            (code(it.name), _image(it),
             joined([code(port) for port in it.ports]),
             joined([code(need) for need in it.needs]),
             joined([code(file) for file in it.settings]), page.cite(it.place))
            for it in services
        ]  # fmt: skip
        page.table(("Service", "Image", "Ports", "Needs", "Settings from", "Source"), rows)


def _volumes(
    page: Page, images: Sequence[Image], composed: Sequence[tuple[str, Sequence[Service]]]
) -> None:
    """What outlives a container, and how its health is checked."""
    page.section("Volumes and health checks")
    of: list[tuple[Md, Image | Service]] = [(Md("the image"), image) for image in images]
    of += [(code(container.name), container) for _, services in composed for container in services]
    rows = []
    for name, container in of:
        if container.volumes or container.health:
            volumes = joined([code(volume, 80) for volume in container.volumes])
            rows.append((name, volumes, code(container.health), page.cite(container.place)))
    page.table(("Of", "Volumes", "Health check", "Source"), rows)


def _processes(page: Page, facts: Facts) -> None:
    """The processes of Procfiles, and which of these files are for development alone."""
    listed = deploys.processes(facts)
    page.section("Processes")
    page.table(("Process", "Command", "Source"),
               [(code(name), code(command, 100), page.cite(place))
                for name, command, place in listed])  # fmt: skip
    paths = dict.fromkeys(place.path for *_, place in listed)
    aside = [path for path in paths if path.rpartition(".")[2] in _DEVELOPING]
    if aside:
        named = joined([code(path) for path in aside], last=" and ")
        page.text(md("What {} starts is for development.", named))


def _resources(page: Page, title: str, resources: Sequence[Resource]) -> None:
    page.section(title)
    rows = [
        (code(resource.kind), resource.count, joined([code(name) for name in resource.names]),
         page.cite(resource.place))
        for resource in sorted(resources, key=lambda resource: (-resource.count, resource.kind))
    ]  # fmt: skip
    page.table(("Kind", "Declared", "For example", "First declared in"), rows)


def _platforms(page: Page, facts: Facts) -> None:
    page.section("Platforms and tools")
    rows = [
        (name, joined([page.cite(place) for place in places]))
        for name, places in deploys.platforms(facts)
    ]
    page.table(("For", "Files"), rows)


def _steps(page: Page, facts: Facts) -> None:
    runs = [*ci.runs(facts, "publish"), *ci.runs(facts, "deploy")]
    page.section("Release steps in the pipeline")
    rows = [
        (code(run.job), code(run.text), code(run.condition, _CONDITION_MAX), page.cite(run.place))
        for run in runs
    ]
    page.table(("Job", "Command", "Only if", "Source"), rows)
