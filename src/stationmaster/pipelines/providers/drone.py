"""Drone, and Woodpecker and Crow, which grew out of it: their steps are containers, one after the
other.

Every step has an image, and commands or settings; settings make it a plugin. A file of Drone has a
pipeline in each of its documents, one of Woodpecker is a workflow, whose schedules are kept on the
server. Starlark and Jsonnet are programs, of which only their presence is reported.
"""

from __future__ import annotations

from stationmaster.catalogue.ci_events import kind
from stationmaster.pipelines.model import Facts, Job, Parse, Schedule, Step, Trigger, line
from stationmaster.pipelines.providers import yaml_parts as parts
from stationmaster.pipelines.providers.draft import JOBS_MAX, YamlDraft, mapping
from stationmaster.repos.yaml_nodes import (
    Fault,
    Mapping,
    Node,
    below,
    get,
    items,
    members,
    text,
    texts,
)

_PROGRAMS = (".star", ".jsonnet")
_PROGRAM = "it is a program, and its result is not known without running it"
_BY_DEFAULT = ("push", "pull_request", "tag")
_REFS = {"push": "refs/heads/", "pull_request": "refs/pull/", "tag": "refs/tags/"}
_UNNAMED = "default"
"""What the service calls a pipeline without a name."""
_WOODPECKER_STARTS = ("push", "pull_request", "tag", "release", "deployment", "cron", "manual")
"""What starts a workflow without conditions."""
_STEPS_MAX = 1_000
_NODES_MAX = 20_000
_FROM_SECRET = "from_secret"  # noqa: S105 - a key's name
_CONDITIONS = ("event", "branch", "ref", "status", "evaluate", "path", "instance", "repo", "cron")


class File(YamlDraft):
    """A file whose steps are containers."""

    def read(self) -> Facts | None:
        """The content of the file; None when it has none. Raises Fault."""
        if self.path.endswith(_PROGRAMS):
            parse = Parse("partial", _PROGRAM)
            return Facts(server_schedules=True, jobs_unknown=True, parse=parse)
        self.splices = self.system == "woodpecker"
        return super().read()

    def take(self, roots: list[Node]) -> bool:
        """Add the pipelines of the documents, or the workflow, as jobs."""
        if self.system == "woodpecker":
            return self._take_woodpecker(roots)
        return self._take_drone(roots)

    def _add_job(self, name: str, root: Node, steps: Node | None, runs_on: list[str]) -> int:
        """How many steps there are."""
        count = self._add_steps(name, steps)
        self._add_steps(name, get(root, "clone"))
        self.job(
            Job(
                id=name,
                needs=parts.words(root, "depends_on"),
                runs_on=runs_on,
                services=self._add_services(name, get(root, "services")),
                parallel=_copies(get(root, "matrix")),
                step_count=count,
                place=parts.place(root),
            )
        )
        return count

    def _add_steps(self, job: str, steps: Node | None) -> int:
        """How many steps there are."""
        listed = named(steps)
        for name, step in listed:
            common = Step(
                job,
                self.path,
                parts.place(step),
                name=name,
                image=text(step, "image"),
                env=parts.variables(step, "environment"),
                inputs=parts.variables(step, "settings"),
                condition=_condition(get(step, "when")),
                ignores_errors=text(step, "failure") == "ignore",
            )
            self.scripted(common, get(step, "commands"), parts.place_if(get(step, "image")))
            self._add_secrets(job, step)
        return len(listed)

    def _add_services(self, job: str, services: Node | None) -> list[str]:
        """The images of containers that run next to the steps."""
        images = []
        for _, service in named(services):
            if (image := text(service, "image")) is not None:
                self.image(image, job, parts.place(service.members["image"]))
                images.append(line(image))
            self._add_secrets(job, service)
        return images

    def _add_triggers(self, conditions: Node | None) -> None:
        """The events of one filter, or of several of which one suffices, with what narrows them."""
        for condition in parts.several(conditions):
            for event in events(condition):
                self._add_narrowed(event, condition)

    def _add_narrowed(self, event: str, condition: Node | None) -> None:
        """Add an event with the branches, tags, paths and cron jobs that a condition narrows it
        to."""
        common = kind(event)
        if common == "schedule" and not self.facts.schedules:
            self.facts.schedules.append(Schedule(""))  # The expression is kept on the server.
        refs = parts.filtered(get(condition, "ref"))
        branches = parts.filtered(get(condition, "branch"))
        if common == "push":
            branches += _short(refs, "refs/heads/")
        self.add_trigger(
            Trigger(
                event,
                common,
                branches=branches,
                tags=_short(refs, "refs/tags/") if common == "tag" else [],
                paths=parts.filtered(get(condition, "path")),
                types=parts.filtered(get(condition, "cron")) if common == "schedule" else [],
                place=parts.place_if(condition),
            )
        )

    def _add_secrets(self, job: str, step: Mapping) -> None:
        for key in ("environment", "settings", "volumes"):
            for node in below(step.members.get(key), _NODES_MAX):
                self.secret(text(node, _FROM_SECRET) or "", job)
        for item in items(step, "secrets"):
            self.secret(text(item) or text(item, "source") or "", job)

    def _take_drone(self, roots: list[Node]) -> bool:
        if not any(isinstance(root, Mapping) for root in roots):
            raise Fault("a pipeline is a mapping with `kind` and `steps`", 1, 1)
        facts = self.facts
        facts.server_schedules = True
        for root in roots[: 2 * JOBS_MAX]:
            self._add_document(root)
        facts.name = line(", ".join(job.id for job in facts.jobs)) or None
        if not facts.jobs and not facts.jobs_unknown:
            self.partial("it has no pipelines")
        return True

    def _add_document(self, root: Node) -> None:
        kind, name = parts.one_line(root, "kind"), parts.one_line(root, "name")
        if kind == "pipeline":
            self._add_pipeline(root, name or _UNNAMED, get(root, "steps"))
        elif kind == "secret" and name is not None:
            self.secret(name)
        elif kind == "template":
            self.facts.jobs_unknown = True
            if (location := parts.one_line(root, "load")) is not None:
                self.include("template", location, False)
        elif kind is None and get(root, "pipeline") is not None:  # As before version 1.
            self._add_pipeline(root, _UNNAMED, get(root, "pipeline"))

    def _add_pipeline(self, root: Node, name: str, steps: Node | None) -> None:
        platform = [parts.one_line(root, "platform", key) for key in ("os", "arch")]
        labels = [parts.one_line(root, "type"), "/".join(filter(None, platform))]
        runs_on = [*filter(None, labels), *parts.labels(root, "node")]
        self._add_job(name, root, steps, runs_on)
        for secret in texts(root, "image_pull_secrets"):
            self.secret(secret, name)
        self.facts.concurrency = self.facts.concurrency or parts.one_line(
            root, "concurrency", "limit"
        )
        self._start_drone(get(root, "trigger"))

    def _start_drone(self, trigger: Node | None) -> None:
        """Where no event is named, references may name one."""
        if get(trigger, "event") is not None:
            self._add_triggers(trigger)
            return
        refs = parts.filtered(get(trigger, "ref"))
        named = [event for event, start in _REFS.items() if any(r.startswith(start) for r in refs)]
        is_cron = get(trigger, "cron") is not None
        for event in ["cron"] if is_cron else named or _BY_DEFAULT:
            self._add_narrowed(event, trigger)

    def _take_woodpecker(self, roots: list[Node]) -> bool:
        root = mapping(roots[0])
        name = line(self.path.rpartition("/")[2].rpartition(".")[0].lstrip("."))
        steps = get(root, "steps") or get(root, "pipeline")
        runs_on = [*parts.words(root, "platform"), *parts.labels(root, "labels")]
        count = self._add_job(name, root, steps, runs_on)
        self._start_woodpecker(get(root, "when"), steps)
        self.facts.name = name
        self.facts.server_schedules = True
        self.facts.concurrency = parts.one_line(root, "concurrency", "limit")
        if not count:
            self.partial("it has no steps")
        return True

    def _start_woodpecker(self, conditions: Node | None, steps: Node | None) -> None:
        self._add_triggers(conditions)
        if self.facts.triggers:
            return
        filters = [get(step, "when") for _, step in named(steps)]
        if filters and all(map(_has_event, filters)):
            for condition in filters:
                for event in events(condition):
                    self._add_narrowed(event, None)
        else:
            for event in _WOODPECKER_STARTS:
                self._add_narrowed(event, conditions)


def _has_event(when: Node | None) -> bool:
    return any(get(condition, "event") is not None for condition in parts.several(when))


def _copies(matrix: Node | None) -> int | None:
    included = items(matrix, "include")
    sizes = [len(items(axis)) for axis in members(matrix).values()]
    return parts.product([len(included)] if included else sizes)


def named(node: Node | None) -> list[tuple[str | None, Mapping]]:
    """Steps or services with their names: of a mapping by name, or of a list."""
    listed = [(parts.one_line(item, "name"), item) for item in items(node)]
    listed += [(line(key), step) for key, step in members(node).items()]
    return [(name, step) for name, step in listed[:_STEPS_MAX] if isinstance(step, Mapping)]


def events(conditions: Node | None) -> list[str]:
    """The events that filters name."""
    filters = [parts.filtered(get(condition, "event")) for condition in parts.several(conditions)]
    return [event for some in filters for event in some if not event.startswith("!")]


def _short(refs: list[str], start: str) -> list[str]:
    return [ref.removeprefix(start) for ref in refs if ref.startswith(start)]


def _condition(when: Node | None) -> str | None:
    """A step's filter, in short."""
    terms = [
        f"{key}: {', '.join(parts.filtered(value))}"
        for condition in parts.several(when)
        for key, value in members(condition).items()
        if key in _CONDITIONS
    ]
    return line("; ".join(terms)) or None
