"""GitLab CI: the pipeline of `.gitlab-ci.yml`. Rules: CI scan reference, sections 3, 4 and 6.

One pipeline is one workflow, whatever files it includes. Schedules are kept on the server.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from stationmaster.pipelines import agents, inputs
from stationmaster.pipelines.model import READ, Facts, Job, Parse, Trigger, distinct, line, of_fault
from stationmaster.pipelines.providers.gitlab_config import Config, Fields
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Node, Sequence, get, items, members, text, texts

NAME = "gitlab-ci"
JOBS_MAX = 500
_FILE = ".gitlab-ci.yml"
_LIST_MAX = 100
_SCRIPTS = ("before_script", "script", "after_script")
_SCRIPT_LINES_MAX = 100_000
_SCRIPT_LEVELS_MAX = 10
_RULES_MAX = 1_000
_CONDITION_MAX = 10_000
_COPIES_MAX = 1_000_000
_RESERVED = frozenset(
    {"default", "include", "stages", "types", "variables", "workflow", "spec", "image", "services"}
    | {"cache", "before_script", "after_script", "pages:deploy"}
)
_MAKES_A_JOB = ("script", "run", "trigger", "extends")
_SOURCE = re.compile(r"CI_PIPELINE_SOURCE\s*(?:==|=~)\s*(\"[^\"]*\"|'[^']*'|/[^/]*/)")
_REQUEST = re.compile(r"CI_MERGE_REQUEST_I?ID\b(?!\s*==\s*null)")
_REQUEST_EVENT = "merge_request_event"
_WORD = re.compile(r"[a-z_]{2,}")
_REFS = frozenset(
    {"api", "branches", "chat", "external", "external_pull_requests", "merge_requests"}
    | {"pipelines", "pushes", "schedules", "tags", "triggers", "web"}
)
"""Words of `only` that name events; any other is a branch."""
_REFERENCE_TAG = "!reference"
_TIME = re.compile(r"(\d{1,6})\s*([a-z]*)")
_SECONDS = {
    "": 1, "s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600, "hr": 3600,
    "hour": 3600, "d": 86_400, "day": 86_400, "w": 604_800, "week": 604_800,
}  # fmt: skip


def is_workflow(path: str) -> bool:
    return path == _FILE


class Reader:
    """Reads the pipeline of one commit."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._commands = agents.Commands()
        self._lines_left = _SCRIPT_LINES_MAX

    def read(self, path: str) -> Facts | None:
        """What the pipeline's files say together; None when they say nothing. Raises Fault."""
        config = Config(self._files, path)
        if config.is_empty:
            return None
        names = [name for name in config.names if _is_job(config, name)]
        jobs = [self._job(config, name) for name in names[:JOBS_MAX]]
        found = list(dict.fromkeys(agent for job in jobs for agent in job.agents))
        name = line(text(config.field("workflow", "name")) or "") or None
        return Facts(
            name=name,
            triggers=[Trigger(each, "other") for each in _triggers(config, names[:JOBS_MAX])],
            jobs=jobs,
            includes=config.includes,
            agents=found,
            template=inputs.template(path, name, found, None),
            parse=self._parse(config, names),
        )

    def _job(self, config: Config, name: str) -> Job:
        fields = config.job(name)
        return Job(
            id=line(name),
            needs=_needs(fields.get("needs")),
            runs_on=distinct(texts(fields.get("tags")), _LIST_MAX),
            stage=line(text(fields.get("stage")) or "test"),
            image=_named(fields.get("image"), "name"),
            uses=_triggered(fields.get("trigger")),
            timeout_minutes=_minutes(text(fields.get("timeout"))),
            parallel=_parallel(fields.get("parallel")),
            agents=self._agents(config, fields),
        )

    def _agents(self, config: Config, fields: Fields) -> list[str]:
        found: dict[str, None] = {}
        for key in _SCRIPTS:
            for command in self._lines(config, fields.get(key), 0):
                found |= dict.fromkeys(self._commands.agents(command))
        return list(found)

    def _lines(self, config: Config, node: Node | None, level: int) -> Iterator[str]:
        """The commands of a script: nested lists and references to other scripts read out."""
        self._lines_left -= 1
        if level > _SCRIPT_LEVELS_MAX or self._lines_left < 0 or node is None:
            return
        if not isinstance(node, Sequence):
            yield from texts(node)
        elif node.tag == _REFERENCE_TAG:
            steps = texts(node)
            if len(steps) > 1:
                yield from self._lines(config, config.field(*steps), level + 1)
        else:
            for item in node.items:
                yield from self._lines(config, item, level + 1)

    def _parse(self, config: Config, names: list[str]) -> Parse:
        if config.faults:
            return of_fault("partial", config.faults[0])
        if any(not include.resolved for include in config.includes):
            return Parse("partial", "some of the files it includes are not in the commit")
        if len(names) > JOBS_MAX:
            return Parse("partial", f"it has more than {JOBS_MAX} jobs")
        if self._lines_left < 0:
            return Parse("partial", "its scripts are too long to look for agents in all of them")
        return READ if names else Parse("partial", "it has no jobs")


def _is_job(config: Config, name: str) -> bool:
    if name.startswith(".") or name in _RESERVED:
        return False
    fields = config.job(name)
    return any(key in fields for key in _MAKES_A_JOB)


def _triggers(config: Config, names: list[str]) -> list[str]:
    """The events that rules and `only` name, those of the whole pipeline first."""
    found = list(_events(config.field("workflow", "rules")))
    jobs = [config.job(name) for name in names]
    rules = {id(fields["rules"]): fields["rules"] for fields in jobs if "rules" in fields}
    for each in rules.values():  # Once where jobs share them.
        found += _events(each)
    for fields in jobs:
        only = fields.get("only")
        found += [word for word in texts(get(only, "refs") or only) if word in _REFS]
    return distinct(found, _LIST_MAX)


def _events(rules: Node | None) -> Iterator[str]:
    for rule in items(rules)[:_RULES_MAX]:
        if text(get(rule, "when")) == "never":
            continue
        condition = (text(get(rule, "if")) or "")[:_CONDITION_MAX]
        for compared in _SOURCE.findall(condition):
            yield from _WORD.findall(compared)
        if _REQUEST.search(condition):
            yield _REQUEST_EVENT


def _needs(node: Node | None) -> list[str]:
    named = [text(each) or text(get(each, "job")) for each in items(node)[:_LIST_MAX]]
    return distinct([name for name in named if name is not None], _LIST_MAX)


def _named(node: Node | None, key: str) -> str | None:
    found = text(node) or text(get(node, key))
    return None if found is None else line(found)


def _triggered(node: Node | None) -> str | None:
    """The pipeline that a job starts: another project's, or a file of this one."""
    inner = get(node, "include")
    first = items(inner)[0] if items(inner) else inner
    found = (text(node), text(get(node, "project")), text(first), text(get(first, "local")))
    told = next(filter(None, found), None)
    return None if told is None else line(inputs.without_user(told))


def _minutes(duration: str | None) -> int | None:
    """Such as `90 minutes`, `1h 30m`, or seconds."""
    parts = _TIME.findall((duration or "")[:100].lower())
    units = [
        (int(number), unit if unit in _SECONDS else unit.removesuffix("s"))
        for number, unit in parts
    ]
    if not units or any(unit not in _SECONDS for _, unit in units):
        return None
    return sum(number * _SECONDS[unit] for number, unit in units) // 60 or None


def _parallel(node: Node | None) -> int | None:
    """A number, or the size of a matrix of plain lists."""
    if (number := text(node)) is not None:
        return int(number) if re.fullmatch(r"[1-9][0-9]{0,5}", number) else None
    rows = items(get(node, "matrix"))[:_LIST_MAX]
    axes = [list(members(row).values())[:_LIST_MAX] for row in rows]
    total = sum(math.prod(len(texts(each)) for each in row) for row in axes)
    return total if 0 < total <= _COPIES_MAX else None
