"""From the files of a commit to its workflows, in the order of their paths.

A file that cannot be read is a workflow all the same: it is in the place of one, and tells what is
wrong with it. What looks like a workflow and is none is told as ignored, with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import msgspec

from stationmaster.pipelines import discovery, findings, pinning
from stationmaster.pipelines.model import Facts, Found, Ignored, NoWorkflow, Pipelines, of_fault
from stationmaster.pipelines.providers.registry import PROVIDERS, Provider, Reader
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault

WORKFLOWS_MAX = 500
"""Of one repository; further ones are told as ignored."""
IGNORED_MAX = 1_000


def scan(files: Files, owner: str | None = None) -> Pipelines:
    """The workflows of a commit. What the repository's `owner` made counts as first-party.

    Raises what reading a snapshot raises: Conflict for damaged objects.
    """
    readers = {provider.NAME: provider.Reader(files) for provider in PROVIDERS}
    found: list[Found] = []
    ignored: list[Ignored] = []
    for path in files.paths():
        takers = discovery.takers(path)
        if len(found) >= WORKFLOWS_MAX and takers:
            told: Found | str | None = f"the repository has more than {WORKFLOWS_MAX} workflows"
        else:
            told = _workflow(path, takers, readers) or discovery.lookalike(path)
        if isinstance(told, Found):
            found.append(told if owner is None else _owned(told, owner))
        elif told is not None and len(ignored) < IGNORED_MAX:
            ignored.append(Ignored(path, told))
    return findings.of(Pipelines(found, ignored), files)


def _workflow(
    path: str, takers: Iterable[Provider], readers: dict[str, Reader]
) -> Found | str | None:
    """What the first provider reads that finds something; else why it is none, where that shows."""
    for provider in takers:
        if (folder := discovery.sample(path)) is not None:
            is_meant = discovery.is_telling(path)
            return f"it lies in {folder}: shown, tested or copied, not run" if is_meant else None
        try:
            facts = readers[provider.NAME].read(path)
        except Fault as fault:
            facts = Facts(parse=of_fault("error", fault))
        except NoWorkflow as unlike:
            return unlike.reason
        if facts is not None:
            return Found(path, provider.NAME, facts)
    return None


def _owned(found: Found, owner: str) -> Found:
    """A workflow whose repository's owner is known: what else they made is no third party's."""
    uses = [
        msgspec.structs.replace(use, first_party=True)
        if pinning.owner(use.reference) == owner.lower()
        else use
        for use in found.facts.uses
    ]
    return replace(found, facts=replace(found.facts, uses=uses))
