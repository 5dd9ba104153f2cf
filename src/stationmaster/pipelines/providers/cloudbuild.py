"""Google Cloud Build: steps, each in an image of its own.

Triggers and schedules are kept on the server.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

from stationmaster.pipelines.model import Job, Step
from stationmaster.pipelines.providers.described import Described, exec_form
from stationmaster.pipelines.providers.draft import Draft
from stationmaster.pipelines.providers.yaml_parts import (
    minutes,
    place,
    place_if,
    said,
    variables,
    words,
)
from stationmaster.repos.yaml_nodes import Node, get, items, text, texts

_BUILDER = re.compile(r"cloud-builders/(?:[\w.-]+/)?([\w-]+)(?:[:@].*)?$")
_AT_ONCE = "-"
"""What a step waits for that waits for nothing."""


def describe(draft: Draft, roots: list[Node]) -> bool:
    root = roots[0]
    steps = items(get(root, "steps"))
    if not any(text(get(step, "name")) for step in steps):
        return False
    draft.server_schedules = True
    limit = minutes(text(get(root, "timeout")))
    pool = said(get(root, "options", "pool", "name")) or said(get(root, "options", "machineType"))
    for number, step in enumerate(steps, 1):
        _step(draft, number, step, [pool] if pool else [], limit)
    for kind in ("secretManager", "inline"):
        for each in items(get(root, "availableSecrets", kind)):
            draft.secret(text(get(each, "env")) or text(get(each, "versionName")) or "")
    draft.artifacts += texts(get(root, "images")) + texts(
        get(root, "artifacts", "objects", "paths")
    )
    return True


def _step(draft: Draft, number: int, node: Node, pool: list[str], limit: int | None) -> None:
    job = said(get(node, "id")) or f"step {number}"
    secrets = words(get(node, "secretEnv"))
    draft.job(
        Job(
            id=job,
            needs=[each for each in words(get(node, "waitFor")) if each != _AT_ONCE],
            runs_on=pool,
            agents=[],
            image=said(get(node, "name")),
            secrets=secrets,
            timeout_minutes=minutes(text(get(node, "timeout"))) or limit,
            place=place(node),
        ),
        image_at=place_if(get(node, "name")),
    )
    for secret in secrets:
        draft.secret(secret, job)
    step = Step(
        job=job,
        path=draft.path,
        place=place(node),
        env=variables(get(node, "env")),
        ignores_errors=text(get(node, "allowFailure")) == "true",
    )
    if text(get(node, "script")) is not None:
        draft.scripted(step, get(node, "script"))
        return
    builder = _BUILDER.search(text(get(node, "name")) or "")
    if get(node, "entrypoint") is None and builder is not None:
        # The image's own entry point is the program that it is named after.
        words_of = [builder[1], *texts(get(node, "args"))]
        draft.step(replace(step, script=shlex.join(words_of), script_at=step.place))
    else:
        exec_form(draft, step, get(node, "entrypoint"), get(node, "args"))


CLOUD_BUILD = Described(
    NAME="google-cloud-build",
    path=re.compile(
        r"(?:.*/)?(?:\.?cloudbuild/[^/]+|[\w.-]{0,100}cloud-?build[\w.-]{0,100})\.(?:ya?ml|json)"
    ),
    describe=describe,
    ends=(".yml", ".yaml", ".json"),
)
PROVIDERS = (CLOUD_BUILD,)
