"""Jenkins: pipelines in Groovy, declarative and scripted.

Many a file is one call of a step that a shared library on the server has: what that runs is
unknown, and what its literal arguments state about platforms is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from stationmaster.catalogue import ci
from stationmaster.catalogue.ci_events import of_system
from stationmaster.pipelines import pinning
from stationmaster.pipelines.model import Facts, Job, Place, Use, distinct, line
from stationmaster.pipelines.providers.brackets import (
    SIZE_MAX,
    Call,
    Code,
    Group,
    Item,
    Mark,
    Text,
    Word,
    arguments_of,
    calls,
    groups,
    literals,
    within,
)
from stationmaster.pipelines.providers.draft import LIST_MAX, Draft
from stationmaster.pipelines.providers.jenkins.stages import Stages

_WORDS = ci.words("jenkins")
_SCHEDULES = frozenset({"cron", "parameterizedCron"})
_CRON = re.compile(r"@\w{4,8}|(?:[-\w*/,()]{1,60}\s{1,9}){4}[-\w*/,()]{1,60}")
_ZONE = re.compile(r"TZ=([\w/+-]{1,60})")


class File(Draft):
    """A pipeline, or a step of the repository's own library."""

    def read(self) -> Facts | None:
        """The content of a pipeline; None for other code. Raises Fault."""
        code = Code(self.files.content(self.path, SIZE_MAX))
        is_step = self.path.startswith("vars/")
        if not _has_pipeline(code.items, self.path, is_step):
            return None
        if is_step:
            self.facts.kind = "reusable"
            self.facts.name = line(self.path.rpartition("/")[2].removesuffix(".groovy"))
        self.fault(code.fault)
        Stages(code, self).read()
        for call in within(code.items):
            self._add_call(call, code)
        if not any(inner_call.name in _WORDS["pipelines"] for inner_call in within(code.items)):
            _library_steps(code, self)
        return self.whole()

    def _add_call(self, call: Call, code: Code) -> None:
        """What counts anywhere in the file."""
        place = code.place(call.at)
        if call.name in ("triggers", "pipelineTriggers"):
            for inner in (inner_call for part in call.parts() for inner_call in within(part)):
                _trigger(inner, code, self)
        elif call.name in ("Library", "library", "libraries"):
            for part in (*call.arguments, call.named.get("identifier", [])):
                self.facts.uses += [_library(literal, place) for literal in literals(part)]
        elif call.name in ("archiveArtifacts", "stash"):
            artifact = call.literal("artifacts") or call.literal("includes") or call.literal("name")
            self.facts.artifacts.append(artifact or "")
        elif call.name == "disableConcurrentBuilds":
            self.facts.concurrency = call.name
        elif call.name == "load" and (named := call.literal()):
            self.include("load", named, named in self.files, "local", place)


def _has_pipeline(items: list[Item], path: str, is_step: bool) -> bool:
    """Is there any code, and in files of any name a pipeline?"""
    if is_step:
        return any(call.name in _WORDS["pipelines"] for call in within(items))
    if path.endswith(".groovy") and "enkinsfile" not in path:
        return any(
            call.name in _WORDS["pipelines"] or call.name == "Library" for call in calls(items)
        )
    return any(not isinstance(item, Mark) for item in items)


def _trigger(call: Call, code: Code, draft: Draft) -> None:
    kind = of_system("jenkins").get(call.name)
    if kind is None:
        return
    draft.trigger(call.name, code.place(call.at), kind)
    if call.name not in _SCHEDULES:
        return
    for schedule in (literal for part in call.parts() for literal in literals(part)):
        zone = _ZONE.search(schedule.value)
        for row in schedule.value.splitlines():
            if _CRON.fullmatch(cron := row.partition("%")[0].strip()):
                draft.schedule(cron, None if zone is None else zone[1])


def _library(named: Text, place: Place) -> Use:
    """A library is of the server's own administrators. Without a version it is on its branch."""
    version = named.value.partition("@")[2]
    pin = "dynamic" if not named.is_plain else pinning.of_ref(version) if version else "branch"
    return Use(
        reference=line(named.value),
        pin=pin,
        first_party=True,
        version=line(version) or None,
        place=place,
    )


def _library_steps(code: Code, draft: Draft) -> None:
    """What is called where neither a stage nor a node is, and is not defined there either."""
    own = {
        after.text
        for word, after in pairwise(code.items)
        if isinstance(word, Word) and isinstance(after, Word)
    }
    own |= {*_WORDS["steps"]}
    for call in _statements(code.items):
        first = call.name.partition(".")[0]
        if call.is_assignment or not first or first in own or first[0].isupper():
            continue
        place = code.place(call.at)
        name = line(call.name)
        own.add(first)
        platforms = list(_platforms(call, code))
        labels = ", ".join(" ".join(filter(None, platform)) for platform in platforms)
        draft.facts.jobs_unknown = True
        draft.facts.uses.append(
            Use(reference=name, pin="branch", first_party=True, job=name, place=place)
        )
        draft.job(
            Job(
                id=name,
                runs_on=distinct([platform[0] for platform in platforms], LIST_MAX),
                name=line(labels) or None,
                uses=name,
                parallel=len(platforms) or None,
                place=place,
            )
        )


def _statements(items: list[Item]) -> Iterator[Call]:
    """The calls of a file, and of what its conditions and attempts hold."""
    left = [items]
    while left:
        for call in calls(left.pop()):
            if call.name in _WORDS["control"] and call.body is not None:
                left.append(call.body.items)
            else:
                yield call


def _platforms(call: Call, code: Code) -> Iterator[tuple[str, str]]:
    """Platforms with their JDK, as literals anywhere in the file give them."""
    rows = [arguments_of(group.items)[1] for group in groups(code.items) if group.bracket == "["]
    platforms, jdks = _WORDS["platforms"], _WORDS["jdks"]
    pairs = [
        ("".join(_several(row, platforms)[:1]), "".join(_several(row, jdks)[:1]))
        for row in rows
        if row.keys() & {*platforms}
    ]
    if not pairs:
        versions = _several(call.named, jdks) or [""]
        pairs = [
            (platform_name, jdk)
            for platform_name in _several(call.named, platforms)
            for jdk in versions
        ]
    for platform, jdk in pairs[:LIST_MAX]:
        if platform:
            yield platform, f"JDK {jdk}" if jdk else ""


def _several(row: Mapping[str, list[Item]], names: Iterable[str]) -> list[str]:
    return [value for name in names if name in row for value in _values(row[name])]


def _values(items: list[Item]) -> list[str]:
    """Literals, in a list or not; numbers too."""
    flat = items[0].items if items and isinstance(items[0], Group) else items
    texts = [
        item.value if isinstance(item, Text) else item.text
        for item in flat
        if isinstance(item, Text) or (isinstance(item, Word) and item.text.isdecimal())
    ]
    return texts[:LIST_MAX]
