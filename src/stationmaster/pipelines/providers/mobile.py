"""Services that build applications of phones: Codemagic and Bitrise."""

from __future__ import annotations

import re

from stationmaster.pipelines import pinning, triggers
from stationmaster.pipelines.model import Job, Step, Trigger, Use, line
from stationmaster.pipelines.providers.described import Described
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.yaml_parts import (
    number,
    pairs,
    place,
    said,
    variables,
    words,
)
from stationmaster.repos.yaml_nodes import Node, get, items, members, text, texts


def codemagic(draft: Draft, roots: list[Node]) -> bool:
    workflows = members(get(roots[0], "workflows"))
    for key, workflow in workflows.items():
        job = line(key)
        machine = said(get(workflow, "instance_type"))
        draft.job(
            Job(
                id=job,
                needs=[],
                runs_on=[] if machine is None else [machine],
                agents=[],
                name=said(get(workflow, "name")),
                timeout_minutes=number(get(workflow, "max_build_duration")),
                condition=said(get(workflow, "when", "condition")),
                place=place(workflow),
            )
        )
        on = get(workflow, "triggering")
        branches = [
            f"{'!' if text(get(each, 'include')) == 'false' else ''}{pattern}"
            for each in items(get(on, "branch_patterns"))
            if (pattern := said(get(each, "pattern"))) is not None
        ]
        tags = [
            pattern
            for each in items(get(on, "tag_patterns"))
            if (pattern := said(get(each, "pattern"))) is not None
        ]
        for event in words(get(on, "events")):
            kind = triggers.kind(event)
            draft.add_trigger(
                Trigger(event, kind, branches=branches, tags=tags if kind == "tag" else [])
            )
        # What a group holds is kept on the server; its name is all that is known.
        for group in words(get(workflow, "environment", "groups")):
            draft.secret(group, job)
        env = variables(get(workflow, "environment", "vars"))
        for script in items(get(workflow, "scripts")):
            step = Step(
                job=job,
                path=draft.path,
                place=place(script),
                name=said(get(script, "name")),
                env=env,
                ignores_errors=text(get(script, "ignore_failure")) == "true",
            )
            draft.scripted(step, get(script, "script") or script)
        draft.caching += texts(get(workflow, "cache", "cache_paths"))
        draft.artifacts += texts(get(workflow, "artifacts"))
    return bool(workflows)


def bitrise(draft: Draft, roots: list[Node]) -> bool:
    """Workflows are its jobs; those that begin with `_` are parts of others."""
    root = roots[0]
    workflows = members(get(root, "workflows"))
    if not workflows:
        return False
    draft.server_schedules = True
    for each in items(get(root, "trigger_map")):
        _trigger(draft, each)
    for key, workflow in workflows.items():
        for event, each in members(get(workflow, "triggers")).items():
            draft.trigger(event, place(each))
        _workflow(draft, key, workflow, root)
    return True


def _trigger(draft: Draft, node: Node) -> None:
    push, tag = (words(get(node, key)) for key in ("push_branch", "tag"))
    target = words(get(node, "pull_request_target_branch"))
    source = words(get(node, "pull_request_source_branch"))
    if push:
        draft.add_trigger(Trigger("push", "push", branches=push, place=place(node)))
    if target or source:
        draft.add_trigger(
            Trigger("pull_request", "pull_request", branches=target, place=place(node))
        )
    if tag:
        draft.add_trigger(Trigger("tag", "tag", tags=tag, place=place(node)))


def _workflow(draft: Draft, key: str, workflow: Node, root: Node) -> None:
    job = line(key)
    if not key.startswith("_"):
        own, general = (get(each, "meta", "bitrise.io", "stack") for each in (workflow, root))
        draft.job(
            Job(
                id=job,
                needs=words(get(workflow, "before_run")),
                runs_on=words(own or general),
                agents=[],
                name=said(get(workflow, "title")),
                place=place(workflow),
            )
        )
    for reference, node in pairs(get(workflow, "steps")):
        inputs = {
            name: text(value) or ""
            for each in items(get(node, "inputs"))
            for name, value in members(each).items()
        }
        name, _, version = reference.partition("@")
        is_local = name.startswith(("path::", "bundle::"))
        draft.use(
            Use(
                reference=line(reference),
                pin="local" if is_local else pinning.of_ref(version) if version else "branch",
                # Steps without a source are those of the service's own library.
                first_party="::" not in name,
                version=line(version) or None,
                job=job,
                place=place(node),
            )
        )
        step = Step(
            job=job,
            path=draft.path,
            place=place(node),
            name=said(get(node, "title")),
            uses=line(reference),
            inputs=inputs,
            ignores_errors=text(get(node, "is_skippable")) == "true",
        )
        contents = [get(each, "content") for each in items(get(node, "inputs"))]
        draft.scripted(step, next((each for each in contents if each is not None), None))


PROVIDERS = (
    Described(NAME="codemagic", path=re.compile(r"codemagic\.yaml"), describe=codemagic),
    Described(NAME="bitrise", path=re.compile(r"bitrise\.ya?ml"), describe=bitrise),
)
