"""What actions do: well-known ones keep caches, hand artifacts on, test, publish or run a script;
those of the repository itself use others in turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from stationmaster.catalogue.actions import actions, purposes
from stationmaster.pipelines import commands, expressions, pinning
from stationmaster.pipelines.model import CommandKind, Image, Place, Step, Use, distinct, line
from stationmaster.repos.yaml_nodes import Node, items, text

_LIST_MAX = 100
_USES_MAX = 2_000
_DOCKER = "docker://"
_WORKFLOW = re.compile(r"\.(?:github|gitea|forgejo)/workflows/[^/]+")
_IMAGES = frozenset({"docker/build-push-action", "docker/bake-action"})
"""What builds images, and publishes them where it is asked to push."""
_PUSHED = re.compile(r"(?<![\w-])push=(\$\{\{[^{}]{0,200}\}\}|\w{1,10})")
"""In the outputs of such an action."""
_CHECKOUT = "actions/checkout@"


def script_input(reference: str) -> str | None:
    """The input of an action that a shell runs, None for an action that has none."""
    return actions().scripts.get(reference.partition("@")[0].lower())


def purpose(step: Step) -> CommandKind | None:
    """What an action of others, or a workflow of theirs that is called, is used for."""
    action = step.action
    if "/.github/workflows/" in action:
        return commands.of_task(action.rpartition("/")[2].partition(".")[0])
    owned = "/".join(action.split("/")[:2])
    kind = purposes().get(action) or purposes().get(owned)
    return "publish" if kind == "build" and pushed(step).lower() == "true" else kind


def pushed(step: Step) -> str:
    """When an action pushes the images that it builds: `true`, or an expression; '' for never."""
    if step.action not in _IMAGES:
        return ""
    values = (step.inputs.get("push", ""), *_PUSHED.findall(step.inputs.get("outputs", "")))
    return next((it for it in values if it and it.lower() != "false"), "")


def caching(steps: Iterable[Step]) -> list[str]:
    """The actions that keep a cache, and what of: `actions/setup-node: npm`."""
    caches = [cache for step in steps if (cache := _cache(step)) is not None]
    return distinct(caches, _LIST_MAX)


def artifacts(steps: Iterable[Step]) -> list[str]:
    """The names of what is uploaded."""
    uploads = actions().uploads
    named = (
        step.inputs.get("name") or uploads[action]
        for step in steps
        if (action := step.action) in uploads
    )
    return distinct(list(named), _LIST_MAX)


def _cache(step: Step) -> str | None:
    action = step.action
    if not action or step.agents:
        return None
    caches = actions().caches
    if action in caches.always:
        path = step.inputs.get("path", "").strip().split("\n")[0]
        return f"{action}: {path}" if path else action
    if action in caches.by_default:
        return None if step.inputs.get(caches.by_default[action]) == "false" else action
    return _switched(action, step.inputs)


def _switched(action: str, inputs: Mapping[str, str]) -> str | None:
    for switch in actions().caches.switches:
        value = inputs.get(switch, "false")
        if value not in ("", "false"):
            return action if value == "true" else f"{action}: {value}"
    stores = [inputs[store] for store in actions().caches.stores if inputs.get(store)]
    return f"{action}: {stores[0].split(chr(10))[0]}" if stores else None


def steps_of(job: Node) -> list[Node]:
    """The steps of a job in their order, those that run beside each other one by one."""
    return [step for it in items(job, "steps") for step in items(it, "parallel") or [it]]


def folders(job: Node) -> tuple[str, ...]:
    """The folders of the work folder into which a job checks the repository itself out."""
    checked_out = []
    for step in steps_of(job):
        if (text(step, "uses") or "").startswith(_CHECKOUT):
            repository = text(step, "with", "repository") or ""
            path = (text(step, "with", "path") or "").removeprefix("./").strip("/")
            if path and expressions.is_own_repository(repository):
                checked_out.append(path)
    return tuple(dict.fromkeys(checked_out))


def parts(steps: Sequence[Step], path: str, provider: str) -> tuple[list[Use], list[Image]]:
    """What the actions that a workflow at `path` calls use, and the `docker://` images among that,
    with places in the actions' files. Steps of called workflows are reported with those
    workflows."""
    uses: list[Use] = []
    images: list[Image] = []
    seen = set()
    for step in steps:
        if step.uses is None or step.path == path or _WORKFLOW.fullmatch(step.path):
            continue
        if (key := (step.path, step.uses_at, step.uses)) in seen:
            continue
        seen.add(key)
        if step.uses.startswith(_DOCKER):
            images.append(image_of(step.uses, line(step.job), step.uses_at))
        else:
            uses.append(use_of(step.uses, provider, line(step.job), step.uses_at))
    return uses[:_USES_MAX], images[:_USES_MAX]


def use_of(
    reference: str, provider: str, job: str, at: Place | None, version: str | None = None
) -> Use:
    """An action or a workflow as a reusable part; `version` where a comment has it."""
    pin, written = pinning.of_use(reference)
    is_own = pin == "local" or pinning.is_first_party(provider, reference)
    version = version or written
    shown = None if version is None else line(version)
    return Use(line(reference), pin, is_own, shown, job, at)


def image_of(reference: str, job: str, at: Place | None) -> Image:
    """An image, which may be named as an action is."""
    reference = reference.removeprefix(_DOCKER)
    return Image(line(reference), pinning.of_image(reference), job, at)
