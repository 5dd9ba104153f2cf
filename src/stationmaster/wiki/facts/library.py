"""What is published for others to build on."""

from __future__ import annotations

import re

from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.modules import module_names
from stationmaster.wiki.facts.symbols import public_count

_HIDDEN = re.compile(
    r"(?:^|/)(?:_[^/]*|internal|private|impl|testing|tests?|benchmarks?|bench|scripts?|tools?|docs?"
    r"|examples?|migrations|build|ci)(?=/|$|\.)"
)
"""Folders that say that they are for nobody else."""
_RUN = frozenset({"service", "web", "job", "mobile", "desktop"})
"""Kinds of what is run as a whole: nobody builds on its code."""
MODULES_MAX = 60


@query
def offering(facts: Facts) -> tuple[str, ...]:
    """The modules with public names of packages that are published as libraries, by path."""
    project = facts.tree.project
    private = {each.folder for each in project.manifests if each.is_private}
    units = {app.path for app in project.apps if "library" in app.kinds and app.path not in private}
    found = [
        each.key
        for each in module_names(facts)
        if each.unit in units and not _HIDDEN.search(each.path) and public_count(facts, each.key)
    ]
    return tuple(found[:MODULES_MAX])
