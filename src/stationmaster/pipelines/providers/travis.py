"""Travis CI: `.travis.yml`.

A file multiplies into jobs along its lists of systems, versions and variables; phases are the
steps. Values that it encrypts have no names, unless a key is before them.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from stationmaster.catalogue import ci, ci_events
from stationmaster.pipelines.model import Job, Step, Trigger, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import JOBS_MAX, YamlDraft, mapping
from stationmaster.repos.yaml_nodes import Mapping, Node, get, items, members, text, texts

_TYPE = re.compile(
    r"\btype\s{0,9}(?:=|==|IN|in)\s{0,9}\(?\s{0,9}"
    r"([a-z_]{2,20}(?:\s{0,9},\s{0,9}[a-z_]{2,20}){0,9})"
)
_BY_DEFAULT = ("push", "pull_request")
_TEXT_MAX = 2_000


class File(YamlDraft):
    def take(self, roots: list[Node]) -> bool:
        """Add jobs, triggers, imports, caches and secrets."""
        self.root = root = mapping(roots[0])
        self.facts.server_schedules = True
        listed = get(root, "jobs") or get(root, "matrix")
        included = items(get(listed, "include") or listed)[: JOBS_MAX + 1]
        copies = self._copies(listed)
        if copies or not included:
            self._add_job("build", None, root, copies)
        for position, job in enumerate(included, 1):
            stage, name = parts.one_line(job, "stage"), parts.one_line(job, "name")
            self._add_job(name or f"{stage or 'job'} {position}", stage, job, None, name)
        self._add_triggers()
        self._add_imports()
        cache = get(root, "cache")
        self.facts.caching += texts(cache, "directories") or texts(cache) or members(cache)
        for key in parts.keys_before(root, "secure"):
            self.secret(key)
        self.shell_secrets()
        return True

    def _copies(self, listed: Node | None) -> int | None:
        """How many jobs the lists of the file itself make; None where there are no lists."""
        sizes = [len(items(self.root, axis)) for axis in ci.words("travis")["axes"]]
        sizes += [len(items(self.root, "env", key)) for key in ("jobs", "matrix")]
        total = parts.product(size for size in sizes if size)
        excluded = len(items(listed, "exclude"))
        return max((total or 1) - excluded, 1) if any(sizes) else None

    def _add_job(
        self, id: str, stage: str | None, job: Node, copies: int | None, name: str | None = None
    ) -> None:
        def value(key: str) -> Node | None:
            return get(job, key) or get(self.root, key)

        runs_on = [word for key in ("os", "dist", "arch") for word in texts(value(key))]
        self.job(
            Job(
                id=line(id),
                runs_on=[line(word) for word in runs_on][: parts.LIST_MAX],
                name=name,
                stage=stage,
                services=parts.words(value("services")),
                parallel=copies if copies is not None and copies > 1 else None,
                condition=parts.one_line(job, "if"),
                place=parts.place(job),
            )
        )
        step = Step(line(id), self.path, parts.place(job), env=parts.variables(job, "env"))
        for phase in ci.words("travis")["phases"]:
            script = value(phase)
            if script is not None and text(script) not in ("skip", "true"):
                self.scripted(replace(step, name=phase), script)
        for deploy in parts.several(value("deploy")):
            named = replace(step, name="deploy")
            provider = parts.one_line(deploy, "provider") or parts.one_line(deploy)
            if provider is not None:
                inputs = parts.variables(deploy) if isinstance(deploy, Mapping) else {}
                self.step(replace(named, uses=f"deploy:{provider}", inputs=inputs))
            if (script := get(deploy, "script")) is not None:
                self.scripted(named, script)

    def _add_triggers(self) -> None:
        condition = (text(self.root, "if") or "")[:_TEXT_MAX]
        named = [word for types in _TYPE.findall(condition) for word in re.findall(r"\w+", types)]
        branches = parts.filtered(get(self.root, "branches"), only="only", never="except")
        at = parts.place_of(self.root, "branches")
        for event in named or _BY_DEFAULT:
            kind = ci_events.kind(event)
            self.add_trigger(Trigger(event, kind, branches=branches, place=at))

    def _add_imports(self) -> None:
        for entry in parts.several(get(self.root, "import")):
            source = text(entry) or text(entry, "source")
            if source is not None:
                is_local = source.removeprefix("./") in self.files
                self.facts.jobs_unknown = True
                self.include("import", source, is_local, at=parts.place(entry))
