"""Commands that start compose files and Procfiles: the product, or what it needs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from stationmaster.catalogue.repositories.work import work
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.tooling import deploys
from stationmaster.wiki.facts.tooling.kinds import purposes
from stationmaster.wiki.facts.tooling.kinds.names import of_runner
from stationmaster.wiki.text.inline import Place

_STARTED = re.compile(r"\sup((?:\s++[\w.-]{1,60}+){1,20}+)\s*+$")
_OF_SCRIPTS = work().languages["npm"]
"""Languages whose packages have scripts."""
_SERVICE = re.compile(r"[A-Za-z][\w.-]*")


def is_around(facts: Facts, text: str) -> bool:
    """Does a command start a compose file that has only what the product needs, or a Procfile that
    has only what works beside it?"""
    if purposes.does(text, "compose_up"):
        return not _composes_itself(facts)
    script = facts.tree.text(text).split("\n") if text in facts.records else [text]
    words = [line.split() for line in script if purposes.does(line, "processes")]
    started = {
        next((word for word in line if word.startswith("Procfile")), "Procfile") for line in words
    }
    lines = [line for _, line, place in deploys.processes(facts) if place.path in started]
    return bool(lines) and all(purposes.does(line, "works_beside") for line in lines)


@query
def _composes_itself(facts: Facts) -> bool:
    """Does a compose file start the product, and not only what it needs?"""
    own = own_names(facts)
    started = [service for _, services in deploys.services(facts) for service in services]
    return not started or any(
        service.build or not own.isdisjoint(re.split(r"[/:@]", service.image.lower()))
        for service in started
    )


@query
def built_before(facts: Facts) -> Mapping[str, Place]:
    """Scripts of packages that images run before they compile the product in another language, with
    the places of these."""
    before: dict[str, Place] = {}
    scripts: dict[str, list[str]] = defaultdict(list)
    for command in facts.tree.project.commands:
        for part in map(
            str.strip, command.text.split("&&") if command.source == "container" else ()
        ):
            languages = purposes.languages(part)
            if of_runner(part) and languages & _OF_SCRIPTS:
                scripts[command.place.path].append(part)
            elif languages and not languages & _OF_SCRIPTS and _compiles(part):
                place = Place(command.place.path, command.place.line)
                before.update((it, place) for it in scripts.pop(command.place.path, ()))
    return before


def _compiles(text: str) -> bool:
    return purposes.of_text(text, ()) == "build"


@query
def built_services(facts: Facts) -> frozenset[str]:
    """The names of services of compose files that are built from the root."""
    services = (service for _, of_file in deploys.services(facts) for service in of_file)
    return frozenset(it.name for it in services if it.build in (".", "./"))


def starts_unknown(facts: Facts, text: str) -> bool:
    """Does a command ask for a service that no compose file has?"""
    asked = _STARTED.search(text) if purposes.does(text, "compose_up") else None
    own = {it.name for _, services in deploys.services(facts) for it in services}
    words = asked[1].split() if asked and own else ()
    return any(_SERVICE.fullmatch(word) and word not in own for word in words)


def own_names(facts: Facts) -> frozenset[str]:
    """What packages of the repository are called by who installs them, in lower case."""
    names = {manifest.name.lower() for manifest in facts.tree.project.manifests if manifest.name}
    names |= {name.rpartition("/")[2] for name in names if "." in name.partition("/")[0]}
    names |= {facts.commit.name.lower()}
    return frozenset(names)
