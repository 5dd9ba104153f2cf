"""Which pages a wiki has, in the order in which a reader meets them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from stationmaster.reading.projects import globs
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.pages import (
    agent_guide,
    architecture,
    by_the_numbers,
    ci_and_tooling,
    cleanup,
    cli,
    concerns,
    configuration,
    contracts,
    contributing,
    cycles,
    data_model,
    decisions,
    dependencies,
    deployment,
    docs_map,
    entry_points,
    extension_points,
    flows,
    gaps,
    getting_started,
    glossary,
    history,
    hotspots,
    http,
    index,
    jobs,
    library,
    modules,
    ownership,
    parts,
    repository_map,
    source_index,
    testing,
)
from stationmaster.wiki.pages.model import Planned

PLANS: tuple[Callable[[Facts], Iterable[Planned]], ...] = (
    index.plan,
    getting_started.plan,
    architecture.plan,
    repository_map.plan,
    modules.plan,
    parts.plan,
    flows.plan,
    http.plan,
    contracts.plan,
    cli.plan,
    library.plan,
    configuration.plan,
    data_model.plan,
    jobs.plan,
    concerns.plan,
    testing.plan,
    ci_and_tooling.plan,
    contributing.plan,
    deployment.plan,
    dependencies.plan,
    entry_points.plan,
    docs_map.plan,
    decisions.plan,
    ownership.plan,
    history.plan,
    hotspots.plan,
    cleanup.plan,
    agent_guide.plan,
    extension_points.plan,
    cycles.plan,
    glossary.plan,
    by_the_numbers.plan,
    source_index.plan,
    gaps.plan,
)
PAGES_MAX = 1_000


def plan(facts: Facts) -> list[Planned]:
    """All pages; their titles are known to `facts` from here on."""
    asked = facts.steering
    left_out = globs.any_of(asked.leave_out)
    planned = [
        page._replace(title=asked.titles.get(page.key, page.title))
        for each in PLANS for page in each(facts)
        if page.key == "index" or not left_out.fullmatch(page.key)
    ][:PAGES_MAX]  # fmt: skip
    facts.planned = {page.key: page.title for page in planned}
    return planned
