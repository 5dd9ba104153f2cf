"""From the files of a commit to its workflows, in the order of their paths.

A file that cannot be read is a workflow all the same: it is in the place of one, and tells what is
wrong with it. What looks like a workflow and is none is told as ignored, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec
from msgspec.structs import replace

from stationmaster.catalogue import ci
from stationmaster.pipelines import discovery, findings, pinning, places
from stationmaster.pipelines.model import (
    Facts,
    Found,
    Ignored,
    NoWorkflow,
    Parse,
    Pipelines,
    Use,
    of_fault,
)
from stationmaster.pipelines.providers import registry
from stationmaster.pipelines.providers.actions import inner
from stationmaster.pipelines.providers.registry import Reader
from stationmaster.repos import yaml_nodes
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault

WORKFLOWS_MAX = 500
"""Of one repository; further ones are told as ignored."""
IGNORED_MAX = 1_000
ACTIONS_MAX = 200
UNNAMED_MAX = 300
UNNAMED_SIZE_MAX = 2**17
"""Files, and bytes of each, that are opened though their names say nothing of CI."""
SIGNED_MAX = 2**21
SIGNED_SIZE_MAX = 2**18
"""Bytes of all files of one system, and of each, whose content must tell that they are its own, so
that looking for some workflows does not use up what reading the others needs."""
BYTES_MAX = 16 * 2**20
"""Of all files that may be workflows, whatever else of the commit is read besides: some ten seconds
at worst."""
_YAML = (".yml", ".yaml")
_TOO_MUCH = "the repository has more to read than a scan may cost"


def scan(files: Files, owner: str | None = None) -> Pipelines:
    """The workflows of a commit. What the repository's `owner` made counts as first-party.

    Raises what reading a snapshot raises: Conflict for damaged objects.
    """
    look = _Look(files)
    founds: list[Found] = []
    ignored: list[Ignored] = []
    unknown: list[str] = []
    for path in files.paths():
        takers = discovery.takers(path)
        if len(founds) >= WORKFLOWS_MAX and takers:
            told: Found | str | None = f"the repository has more than {WORKFLOWS_MAX} workflows"
        else:
            told = look.at(path, takers) or discovery.lookalike(path)
        if isinstance(told, Found):
            founds.append(told if owner is None else _owned(told, owner))
        elif told is not None and len(ignored) < IGNORED_MAX:
            ignored.append(Ignored(path, told))
        elif told is None and path.endswith(_YAML) and discovery.sample(path) is None:
            unknown.append(path)
    for one in look.unnamed(unknown):
        if isinstance(one, Ignored):
            ignored.append(one)
        elif len(founds) < WORKFLOWS_MAX:
            founds.append(one if owner is None else _owned(one, owner))
    founds.sort(key=lambda each: each.path.encode())
    ignored.sort(key=lambda each: each.path.encode())
    actions = [each if owner is None else _owned(each, owner) for each in look.uncalled(founds)]
    return findings.of(Pipelines(founds, ignored, actions), files)


def live(pipelines: Pipelines) -> Pipelines:
    """Without the workflows of services that are closed: `closed` has those, and nothing runs
    them."""
    running = [workflow for workflow in pipelines.workflows if not ci.closed(workflow.provider)]
    closed = [workflow for workflow in pipelines.workflows if ci.closed(workflow.provider)]
    return replace(pipelines, workflows=running, closed=closed)


class _Look:
    """Looks into the files of one commit that providers may read, while they cost little enough."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._readers: dict[str, Reader] = {}
        self._left = BYTES_MAX
        self._signed_left: dict[str, int] = {}

    def at(self, path: str, takers: Iterable[str]) -> Found | str | None:
        """What the first provider reads that finds something; else why it is none, where that
        shows."""
        is_telling = discovery.is_telling(path)
        for system in takers:
            if (folder := discovery.sample(path)) is not None:
                reason = f"it lies in {folder}: shown, tested or copied, not run"
                return reason if is_telling else None
            if not self._affords(path):
                unread = Found(path, system, Facts(parse=Parse("error", _TOO_MUCH)))
                return unread if is_telling else _TOO_MUCH
            try:
                facts = self._read(system, path)
            except Fault as fault:
                facts = Facts(parse=of_fault("error", fault))
            except NoWorkflow as unlike:
                return unlike.reason
            if facts is not None:
                return Found(path, system, places.relative(facts, path))
        return None

    def _read(self, system: str, path: str) -> Facts | None:
        if not self._has_signs(system, path):
            if discovery.takers(path) == [system] and discovery.is_telling(path):
                title = ci.systems()[system].title
                raise NoWorkflow(f"it has nothing of {title} that runs")
            return None
        if system not in self._readers:
            self._readers[system] = registry.reader(system, self._files)
        return self._readers[system].read(path)

    def _has_signs(self, system: str, path: str) -> bool:
        """Has a file with a free name what one of this system must have? Large ones have not."""
        signs = ci.systems()[system].signs
        if not signs:
            return True
        size, left = self._files.entry(path).size, self._signed_left.get(system, SIGNED_MAX)
        if size > min(SIGNED_SIZE_MAX, left):
            return False
        self._signed_left[system] = left - size
        data = self._files.content(path)
        return all(re.search(sign.encode(), data) for sign in signs)

    def unnamed(self, paths: list[str]) -> Iterator[Found | Ignored]:
        """The pipelines of Azure among files that any tool might have named so; those near the root
        first, since only so many are opened."""
        paths = sorted(paths, key=lambda path: (path.count("/"), path))[:UNNAMED_MAX]
        if not paths:
            return
        from stationmaster.pipelines.providers.azure import pipeline as azure

        reader = azure.Reader(self._files)
        for path in paths:
            if self._files.entry(path).size > UNNAMED_SIZE_MAX or not self._affords(path):
                continue
            try:
                facts = reader.read_unnamed(path)
            except NoWorkflow as unlike:
                yield Ignored(path, unlike.reason)
            except Fault:
                continue  # Nothing says that it is one of CI's.
            else:
                if facts is not None:
                    yield Found(path, "azure-pipelines", places.relative(facts, path))

    def uncalled(self, found: Iterable[Found]) -> list[Found]:
        """The actions of the repository that none of the workflows come to."""
        called = {step.path for each in found for step in each.facts.steps}
        named = (path for path in self._files.paths() if inner.is_action(path))
        actions = []
        for path in islice(named, ACTIONS_MAX):
            if path not in called and discovery.sample(path) is None and self._affords(path):
                facts = self._action(path)
                if facts is not None:
                    told = Found(path, "github-actions", places.relative(facts, path))
                    actions.append(told)
        return actions

    def _action(self, path: str) -> Facts | None:
        # Most repositories have no action of their own, so nothing is loaded before.
        from stationmaster.pipelines.providers import github_actions

        return github_actions.Reader(self._files, "github-actions").action(path)

    def _affords(self, path: str) -> bool:
        size = self._files.entry(path).size
        if size > yaml_nodes.SIZE_MAX:
            return True  # The reader refuses it unread, and says so.
        self._left -= size
        return self._left >= 0


def _owned(found: Found, owner: str) -> Found:
    """A workflow whose repository's owner is known: what else they made is no third party's."""

    def owned(uses: list[Use]) -> list[Use]:
        return [
            msgspec.structs.replace(use, first_party=True)
            if pinning.owner(use.reference) == owner.lower()
            else use
            for use in uses
        ]

    facts = found.facts
    own = replace(facts, uses=owned(facts.uses), inner_uses=owned(facts.inner_uses))
    return replace(found, facts=own)
