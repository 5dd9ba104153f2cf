"""From the files of a commit to its workflows, in the order of their paths.

A file that cannot be read is a workflow all the same: it is in the place of one, and reports what
is wrong with it. What looks like a workflow and is none is ignored, with the reason. A place names
its file only where that is another one than the workflow's: readers of YAML note the file of every
node, so that what is put together from several files still knows where each part is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import islice
from typing import Any

from msgspec.structs import asdict, replace

from stationmaster.catalogue import ci
from stationmaster.pipelines import discovery, findings, pinning, providers
from stationmaster.pipelines.model import (
    Facts,
    Found,
    IgnoredFile,
    NoWorkflow,
    Parse,
    Pipelines,
    Place,
    Step,
    Use,
    of_fault,
)
from stationmaster.pipelines.providers.draft import Commit
from stationmaster.repos import yaml_nodes
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault

READERS = {
    **dict.fromkeys(("github-actions", "gitea-actions", "forgejo-actions"), "actions.reader"),
    **dict.fromkeys(("circleci", "buildkite", "bitbucket", "travis", "drone", "tekton"), ""),
    "woodpecker": "drone",
    "gitlab-ci": "gitlab.pipeline",
    "jenkins": "jenkins.pipeline",
    "teamcity": "teamcity.builds",
    "azure-pipelines": "azure.pipeline",
}
"""The module of `providers` with a `File` for each system that is read in full, '' for one of its
name. It is loaded when the first file of its system is read, as most repositories have files of
one."""


def read(system: str, path: str, commit: Commit) -> Facts | None:
    """The content of a file; None when it is no workflow and does not look like one.

    Raises Fault for what cannot be read, NoWorkflow for what only looks like one.
    """
    module = import_module(f"{providers.__name__}.{READERS.get(system, 'listed') or system}")
    facts: Facts | None = module.File(path, commit, system).read()
    return facts


WORKFLOWS_MAX = 500
"""Of one repository; further ones are reported as ignored."""
IGNORED_MAX = 1_000
ACTIONS_MAX = 200
UNNAMED_MAX = 300
UNNAMED_SIZE_MAX = 2**17
"""Files, and bytes of each, that are opened though their names do not suggest CI."""
SIGNED_MAX = 2**21
SIGNED_SIZE_MAX = 2**18
"""Bytes of all files of one system, and of each, whose content must show that they are its own, so
that looking for some workflows does not use up what reading the others needs."""
BYTES_MAX = 16 * 2**20
"""Of all files that may be workflows, whatever else of the commit is read: some ten seconds
at worst."""
_YAML = (".yml", ".yaml")
_TOO_MUCH = "the repository has more to read than a scan may cost"
_PLACED = (
    *("triggers", "schedules", "jobs", "uses", "images", "inner_uses", "inner_images"),
    *("includes", "commands"),
)
"""The members of facts whose items have a place."""


def scan(files: Files, owner: str | None = None) -> Pipelines:
    """The workflows of a commit. What the repository's `owner` made counts as first-party.

    Raises what reading a snapshot raises: Conflict for damaged objects.
    """
    look = _Look(files)
    workflows: list[Found] = []
    ignored: list[IgnoredFile] = []
    unknown: list[str] = []
    for path in files.paths():
        systems = ci.of_path(path)
        if len(workflows) >= WORKFLOWS_MAX and systems:
            seen: Found | str | None = f"the repository has more than {WORKFLOWS_MAX} workflows"
        else:
            seen = look.at(path, systems) or discovery.lookalike(path)
        if isinstance(seen, Found):
            workflows.append(seen)
        elif seen is not None and len(ignored) < IGNORED_MAX:
            ignored.append(IgnoredFile(path, seen))
        elif seen is None and path.endswith(_YAML) and discovery.sample(path) is None:
            unknown.append(path)
    for one in look.unnamed(unknown):
        if isinstance(one, IgnoredFile):
            ignored.append(one)
        elif len(workflows) < WORKFLOWS_MAX:
            workflows.append(one)
    workflows.sort(key=lambda workflow: workflow.path.encode())
    ignored.sort(key=lambda file: file.path.encode())
    owned, actions = (
        [_owned(one, owner) for one in some] for some in (workflows, look.uncalled(workflows))
    )
    return findings.of(Pipelines(owned, ignored, actions), files)


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
        self._commit = Commit(files)
        self._left = BYTES_MAX
        self._signed_left: dict[str, int] = {}

    def at(self, path: str, systems: Iterable[str]) -> Found | str | None:
        """What the first provider reads that finds something; else why it is none, where that
        shows."""
        for system in systems:
            if (folder := discovery.sample(path)) is not None:
                reason = f"it is in {folder}: shown, tested or copied, not run"
                return reason if discovery.names_provider(path) else None
            if not self._affords(path):
                unread = Found(path, system, Facts(parse=Parse("error", _TOO_MUCH)))
                return unread if discovery.names_provider(path) else _TOO_MUCH
            try:
                facts = self._read(system, path)
            except Fault as fault:
                facts = Facts(parse=of_fault("error", fault))
            except NoWorkflow as unlike:
                return unlike.reason
            if facts is not None:
                return Found(path, system, relative(facts, path))
        return None

    def _read(self, system: str, path: str) -> Facts | None:
        if not self._has_signs(system, path):
            if ci.of_path(path) == (system,) and discovery.names_provider(path):
                title = ci.systems()[system].title
                raise NoWorkflow(f"it has no part of {title} that runs")
            return None
        return read(system, path, self._commit)

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

    def unnamed(self, paths: list[str]) -> Iterator[Found | IgnoredFile]:
        """The pipelines of Azure among files that any tool might have named so; those near the root
        first, since only so many are opened."""
        paths = sorted(paths, key=lambda path: (path.count("/"), path))[:UNNAMED_MAX]
        if not paths:
            return
        from stationmaster.pipelines.providers.azure import pipeline as azure

        for path in paths:
            if self._files.entry(path).size > UNNAMED_SIZE_MAX or not self._affords(path):
                continue
            try:
                facts = azure.File(path, self._commit).read_unnamed()
            except NoWorkflow as unlike:
                yield IgnoredFile(path, unlike.reason)
            except Fault:
                continue  # Nothing shows that it is one of CI's.
            else:
                if facts is not None:
                    yield Found(path, "azure-pipelines", relative(facts, path))

    def uncalled(self, workflows: Iterable[Found]) -> list[Found]:
        """The actions of the repository that none of the workflows uses."""
        called = {step.path for workflow in workflows for step in workflow.facts.steps}
        named = (path for path in self._files.paths() if discovery.is_action(path))
        actions = []
        for path in islice(named, ACTIONS_MAX):
            if path not in called and discovery.sample(path) is None and self._affords(path):
                # Most repositories have no action of their own, so nothing is loaded before.
                from stationmaster.pipelines.providers.actions import reader

                facts = reader.File(path, self._commit).action()
                if facts is not None:
                    actions.append(Found(path, "github-actions", relative(facts, path)))
        return actions

    def _affords(self, path: str) -> bool:
        size = self._files.entry(path).size
        if size > yaml_nodes.SIZE_MAX:
            return True  # The reader refuses it unread, and reports that.
        self._left -= size
        return self._left >= 0


def _owned(workflow: Found, owner: str | None) -> Found:
    """A workflow whose repository's owner is known: what else they made is no third party's."""
    if owner is None:
        return workflow

    def owned(uses: list[Use]) -> list[Use]:
        own = (pinning.owner(use.reference) == owner.lower() for use in uses)
        return [replace(u, first_party=True) if o else u for u, o in zip(uses, own, strict=True)]

    facts = workflow.facts
    own = replace(facts, uses=owned(facts.uses), inner_uses=owned(facts.inner_uses))
    return replace(workflow, facts=own)


def relative(facts: Facts, path: str) -> Facts:
    """The facts of the workflow at `path`; a place names its file only where it is another one."""
    members = asdict(facts)
    placed = {name: [_placed(item, path) for item in members[name]] for name in _PLACED}
    return replace(facts, steps=[_step(step) for step in facts.steps], **placed)


def _placed(item: Any, path: str) -> Any:
    is_own = item.place is not None and item.place.path == path
    return replace(item, place=_own(item.place)) if is_own else item


def _own(place: Place) -> Place:
    return Place(place.line, place.column)


def _step(step: Step) -> Step:
    """Its file is known by its own `path`."""
    at = step.script_at
    if step.place.path is None and (at is None or at.path is None):
        return step
    return replace(step, place=_own(step.place), script_at=None if at is None else _own(at))
