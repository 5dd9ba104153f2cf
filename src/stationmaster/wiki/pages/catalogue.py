"""Which pages a wiki has, in the order in which a reader meets them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from stationmaster.reading.projects import globs
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.pages import (
    architecture,
    ci_and_tooling,
    concepts,
    contributing,
    dependencies,
    deployment,
    documents,
    extension_points,
    gaps,
    getting_started,
    index,
    modules,
    testing,
)
from stationmaster.wiki.pages.interfaces import (
    bodies,
    cli,
    configuration,
    contracts,
    data_model,
    http,
    jobs,
    library,
)
from stationmaster.wiki.pages.model import Planned

PLANS: tuple[Callable[[Facts], Iterable[Planned]], ...] = (
    index.plan, getting_started.plan, library.plan, architecture.plan, concepts.plan,
    documents.plan, modules.plan, http.plan, bodies.plan, contracts.plan, cli.plan,
    configuration.plan, data_model.plan, jobs.plan, testing.plan, ci_and_tooling.plan,
    contributing.plan, deployment.plan, dependencies.plan, extension_points.plan, gaps.plan,
)  # fmt: skip
PAGES_MAX = 1_000


def plan(facts: Facts) -> list[Planned]:
    """All pages; `facts` has their titles from here on."""
    asked = facts.steering
    left_out = globs.any_of(asked.leave_out)
    planned = [
        page._replace(title=asked.titles.get(page.key, page.title))
        for plan_of in PLANS for page in plan_of(facts)
        if page.key == "index" or not left_out.fullmatch(page.key)
    ][:PAGES_MAX]  # fmt: skip
    facts.planned = {page.key: page.title for page in planned}
    return planned
