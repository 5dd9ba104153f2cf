"""Travis CI: `.travis.yml`.

A file multiplies into jobs along its lists of systems, versions and variables; phases are the
steps. Values that it encrypts have no names, unless a key stands before them.
"""

from __future__ import annotations

import re

from stationmaster.pipelines.model import Include, Job, Step, Trigger, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import JOBS_MAX, Draft
from stationmaster.pipelines.providers.yaml_reader import YamlReader, mapping
from stationmaster.pipelines.triggers import kind
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Mapping, Node, get, items, members, text, texts

_PHASES = (
    "before_install",
    "install",
    "before_script",
    "script",
    "before_cache",
    "after_success",
    "after_failure",
    "before_deploy",
    "after_deploy",
    "after_script",
)
_AXES = (
    "os",
    "arch",
    "python",
    "node_js",
    "rvm",
    "ruby",
    "jdk",
    "go",
    "php",
    "perl",
    "rust",
    "scala",
    "compiler",
    "gemfile",
    "otp_release",
    "elixir",
    "julia",
    "ghc",
    "d",
    "dart",
    "haxe",
    "hhvm",
    "lein",
    "mono",
    "dotnet",
    "r",
    "crystal",
    "nix",
    "osx_image",
    "xcode_scheme",
    "xcode_sdk",
    "env",
    "dist",
)
_TYPE = re.compile(
    r"\btype\s{0,9}(?:=|==|IN|in)\s{0,9}\(?\s{0,9}"
    r"([a-z_]{2,20}(?:\s{0,9},\s{0,9}[a-z_]{2,20}){0,9})"
)
_BY_DEFAULT = ("push", "pull_request")
_TEXT_MAX = 2_000


class Reader(YamlReader):
    """Reads the configuration of one commit."""

    def _take(self, draft: Draft, roots: list[Node]) -> bool:
        root = mapping(roots[0])
        draft.server_schedules = True
        _File(self._files, draft, root).read()
        return True


class _File:
    def __init__(self, files: Files, draft: Draft, root: Mapping) -> None:
        self._files = files
        self._draft = draft
        self._root = root

    def read(self) -> None:
        """Add jobs, triggers, imports, caches and secrets to the draft."""
        draft, root = self._draft, self._root
        listed = get(root, "jobs") or get(root, "matrix")
        included = items(get(listed, "include") or listed)[: JOBS_MAX + 1]
        copies = self._copies(listed)
        if copies or not included:
            self._add_job("build", None, root, copies)
        for position, job in enumerate(included, 1):
            stage = parts.said(get(job, "stage"))
            name = parts.said(get(job, "name"))
            label = name or f"{stage or 'job'} {position}"
            self._add_job(label, stage, job, None, name)
        self._add_triggers()
        self._add_imports()
        cache = get(root, "cache")
        draft.caching += texts(get(cache, "directories")) or texts(cache) or list(members(cache))
        for key in parts.keys_before(root, "secure"):
            draft.secret(key)
        draft.shell_secrets()

    def _copies(self, listed: Node | None) -> int | None:
        """How many jobs the lists of the file itself make; None where there are no lists."""
        env = get(self._root, "env")
        sizes = [len(items(get(self._root, axis))) for axis in _AXES]
        sizes += [len(items(get(env, key))) for key in ("jobs", "matrix")]
        total = parts.product(size for size in sizes if size)
        excluded = len(items(get(listed, "exclude")))
        has_lists = any(sizes)
        return max((total or 1) - excluded, 1) if has_lists else None

    def _add_job(
        self, id: str, stage: str | None, job: Node, copies: int | None, name: str | None = None
    ) -> None:
        draft, root = self._draft, self._root

        def value(key: str) -> Node | None:
            return get(job, key) or get(root, key)

        runs_on = [word for key in ("os", "dist", "arch") for word in texts(value(key))]
        draft.job(
            Job(
                id=line(id),
                needs=[],
                runs_on=[line(word) for word in runs_on][: parts.LIST_MAX],
                agents=[],
                name=name,
                stage=stage,
                services=parts.words(value("services")),
                parallel=copies if copies is not None and copies > 1 else None,
                condition=parts.said(get(job, "if")),
                place=parts.place(job),
            )
        )
        env = parts.variables(get(job, "env"))
        step = Step(line(id), draft.path, parts.place(job), env=env)
        for phase in _PHASES:
            script = value(phase)
            if script is not None and text(script) not in ("skip", "true"):
                draft.scripted(_named(step, phase), script)
        for deploy in parts.several(value("deploy")):
            provider = parts.said(get(deploy, "provider")) or parts.said(deploy)
            if provider is not None:
                draft.step(_named(step, "deploy", f"deploy:{provider}", deploy))
            if (script := get(deploy, "script")) is not None:
                draft.scripted(_named(step, "deploy"), script)

    def _add_triggers(self) -> None:
        condition = (text(get(self._root, "if")) or "")[:_TEXT_MAX]
        named = [word for found in _TYPE.findall(condition) for word in re.findall(r"\w+", found)]
        branches = parts.filtered(get(self._root, "branches"), only="only", never="except")
        at = parts.place_of(self._root, "branches")
        for event in named or _BY_DEFAULT:
            self._draft.add_trigger(Trigger(event, kind(event), branches=branches, place=at))

    def _add_imports(self) -> None:
        for each in parts.several(get(self._root, "import")):
            source = text(each) or text(get(each, "source"))
            if source is not None:
                path = source.removeprefix("./")
                is_local = path in self._files
                self._draft.jobs_unknown = True
                self._draft.includes.append(
                    Include("import", line(source), is_local, place=parts.place(each))
                )


def _named(step: Step, name: str, uses: str | None = None, given: Node | None = None) -> Step:
    return Step(
        step.job,
        step.path,
        step.place,
        name=name,
        uses=uses,
        env=step.env,
        inputs=parts.variables(given) if isinstance(given, Mapping) else {},
    )
