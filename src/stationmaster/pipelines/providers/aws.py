"""Build and deploy files of AWS: CodeBuild, CodeDeploy, CodePipeline, Amplify.

What starts them is kept on the server.
"""

from __future__ import annotations

import re

from stationmaster.pipelines.model import Job, Step, line
from stationmaster.pipelines.providers.described import Described
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.yaml_parts import (
    minutes,
    place,
    place_if,
    said,
    variables,
    words,
)
from stationmaster.repos.yaml_nodes import Node, get, items, members, text, texts

_COMPUTED = ("build-matrix", "build-fanout")
_COMMANDS = ("commands", "finally")


def codebuild(draft: Draft, roots: list[Node]) -> bool:
    """Phases are the jobs of a build, and so are the builds of a batch."""
    root = roots[0]
    phases = members(get(root, "phases"))
    batch = get(root, "batch")
    if not phases and not members(batch):
        return False
    draft.server_schedules = True
    _phases(draft, root, "")
    for each in (*items(get(batch, "build-graph")), *items(get(batch, "build-list"))):
        _build(draft, each)
    draft.jobs_unknown = any(
        get(batch, key) is not None for key in ("build-matrix", "build-fanout")
    )
    for kind in ("secrets-manager", "parameter-store"):
        for name in members(get(root, "env", kind)):
            draft.secret(name)
    _kept(draft, root)
    return True


def amplify(draft: Draft, roots: list[Node]) -> bool:
    """The front end, the back end and tests of each application."""
    found = False
    for root in (roots[0], *items(get(roots[0], "applications"))):
        app = said(get(root, "appRoot"))
        for part in ("backend", "frontend", "test"):
            if (node := get(root, part)) is not None:
                found = True
                _phases(draft, node, f"{app}: {part} " if app else f"{part} ")
                _kept(draft, node)
    return found


def codedeploy(draft: Draft, roots: list[Node]) -> bool:
    """Hooks are its jobs."""
    hooks = members(get(roots[0], "hooks")) or {
        name: each for hook in items(get(roots[0], "hooks")) for name, each in members(hook).items()
    }
    if text(get(roots[0], "version")) != "0.0":
        return False
    draft.server_schedules = True
    for name, hook in hooks.items():
        limits = [limit for each in items(hook) if (limit := minutes(text(get(each, "timeout"))))]
        draft.job(
            Job(
                id=line(name),
                needs=[],
                runs_on=[],
                agents=[],
                timeout_minutes=max(limits, default=None),
                step_count=len(items(hook)),
                place=place(hook),
            )
        )
    return True


def codepipeline(draft: Draft, roots: list[Node]) -> bool:
    """Actions are its jobs, as the service exports them or as a template makes them."""
    resources = members(get(roots[0], "Resources")).values()
    pipelines = [
        get(each, "Properties")
        for each in resources
        if text(get(each, "Type")) == "AWS::CodePipeline::Pipeline"
    ]
    if get(roots[0], "pipeline", "stages") is not None:
        pipelines.append(get(roots[0], "pipeline"))
    for pipeline in pipelines:
        draft.name = draft.name or said(get(pipeline, "name") or get(pipeline, "Name"))
        for stage in items(get(pipeline, "stages") or get(pipeline, "Stages")):
            for action in items(get(stage, "actions") or get(stage, "Actions")):
                draft.job(
                    Job(
                        id=said(get(action, "name") or get(action, "Name")) or "action",
                        needs=[],
                        runs_on=[],
                        agents=[],
                        stage=said(get(stage, "name") or get(stage, "Name")),
                        place=place(action),
                    )
                )
    return bool(pipelines)


def _phases(draft: Draft, root: Node, prefix: str) -> None:
    env = variables(get(root, "env", "variables"))
    for name, phase in members(get(root, "phases")).items():
        job = line(f"{prefix}{name}")
        draft.job(Job(id=job, needs=[], runs_on=[], agents=[], place=place(phase)))
        step = Step(
            job=job,
            path=draft.path,
            place=place(phase),
            env=env,
            ignores_errors=text(get(phase, "on-failure")) == "CONTINUE",
        )
        for key in _COMMANDS:
            if get(phase, key) is not None:
                draft.scripted(step, get(phase, key))


def _build(draft: Draft, node: Node) -> None:
    image = said(get(node, "env", "image"))
    draft.job(
        Job(
            id=said(get(node, "identifier")) or "build",
            needs=words(get(node, "depend-on")),
            runs_on=words(get(node, "env", "compute-type")),
            agents=[],
            # Images of the service itself have no registry and no versions to pin.
            image=None if image is None or image.startswith("aws/") else image,
            uses=said(get(node, "buildspec")),
            place=place(node),
        ),
        image_at=place_if(get(node, "env", "image")),
    )


def _kept(draft: Draft, root: Node) -> None:
    draft.caching += texts(get(root, "cache", "paths"))
    draft.artifacts += texts(get(root, "artifacts", "files"))


PROVIDERS = (
    Described(
        NAME="aws-codebuild",
        path=re.compile(r"(?:.*/)?[\w.-]{0,100}buildspec[\w.-]{0,100}\.ya?ml"),
        describe=codebuild,
    ),
    Described(
        NAME="aws-codedeploy",
        path=re.compile(r"(?:.*/)?appspec\.ya?ml"),
        describe=codedeploy,
    ),
    Described(
        NAME="aws-codepipeline",
        path=re.compile(r"(?:.*/)?[\w.-]{0,100}code-?pipeline[\w.-]{0,100}\.(?:ya?ml|json)"),
        describe=codepipeline,
        ends=(".yml", ".yaml", ".json"),
    ),
    Described(NAME="aws-amplify", path=re.compile(r"amplify\.ya?ml"), describe=amplify),
)
