"""Schedules that files of settings of Ruby hold, rather than code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from stationmaster.catalogue.repositories.config_files import config_files
from stationmaster.reading.code.model import Job, Symbol
from stationmaster.reading.projects.test_files import is_test
from stationmaster.repos import yaml_nodes
from stationmaster.repos.yaml_nodes import Node, items, members, text
from stationmaster.wiki.facts.model import Facts, query

_TRIGGERS = ("cron", "schedule", "every")
_JOBS_MAX = 500
_RUNS_MAX = 80


class Scheduled(NamedTuple):
    """A job and the file that has its schedule."""

    path: str
    job: Job


def scheduled(facts: Facts) -> Iterator[Scheduled]:
    """Jobs by path and place."""
    files = {end: gem for gem, ends in config_files()["schedule"].files.items() for end in ends}
    for path in facts.tree.paths:
        end = next((end for end in files if f"/{path}".endswith(f"/{end}")), None)
        gems = f"{path.removesuffix(end)}Gemfile" if end else ""
        if end is None or is_test(path) or gems not in facts.records:
            continue
        reader = files[end] if files[end] in facts.tree.text(gems) else ""
        for job in islice(_jobs(facts.tree.yaml(path), reader), _JOBS_MAX):
            yield Scheduled(path, job)


@query
def classes(facts: Facts) -> Mapping[str, tuple[str, Symbol]]:
    """Classes of Ruby by the whole names that Rails loads them by, with their files; those that one
    file alone declares."""
    found: dict[str, list[tuple[str, Symbol]]] = defaultdict(list)
    for path in facts.code:
        if path.endswith(".rb") and facts.records[path].file_class == "source":
            for symbol in facts.code[path].symbols:
                if symbol.kind == "class":
                    found[symbol.qualified.replace(".", "::")].append((path, symbol))
    return {name: places[0] for name, places in found.items() if len(places) == 1}


def _jobs(root: Node | None, framework: str) -> Iterator[Job]:
    """Those of the environment that the product runs in, where there are several."""
    root = yaml_nodes.get(root, "production") or root
    waiting = [("", 0, root)] if root is not None else []
    while waiting:
        name, line, node = waiting.pop()
        inside = {key.strip(":"): member for key, member in members(node).items()}
        trigger = next(filter(None, (_first(inside.get(key)) for key in _TRIGGERS)), "")
        runs = text(inside.get("class")) or text(inside.get("command")) or ""
        if name and trigger and runs:
            yield Job(name, "schedule", line, trigger, runs[:_RUNS_MAX], framework)
        elif isinstance(node, yaml_nodes.Mapping):
            waiting += [
                (key.strip(":"), node.keys.get(key, (member.line, 0))[0], member)
                for key, member in reversed(node.members.items())
            ]


def _first(node: Node | None) -> str:
    """A text, or the first of several."""
    return text(node) or next(filter(None, map(text, items(node))), "")
