"""Where secrets are kept, and whether pipelines are hardened against those who want them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from stationmaster.catalogue import lists
from stationmaster.pipelines.model import Found
from stationmaster.pipelines.secrets import ALL
from stationmaster.readiness.evidence import leaks, signs, tools
from stationmaster.readiness.facts import Facts, Verdict, fails, passes, skips
from stationmaster.reading.projects.ignored import Ignored
from stationmaster.reading.projects.model import Place

_SECRET_NAME = re.compile(r"KEY|SECRET|TOKEN|PASSW|CREDENTIAL|DSN|DATABASE_URL", re.I)
_EXTERNAL = frozenset({"schedule", "manual", "api", "deployment", "external"})
"""Events that no change of the code causes."""
_PINNED = frozenset({"hash", "local"})
_PLACES_MAX = 3
"""Of references without a hash, where workflows without permissions are named as well."""


def secrets_management(facts: Facts) -> Verdict:
    """Passes where secrets come from a store, CI or the environment.

    Fails on credentials in plain text; skipped where no secrets are used.
    """
    if leaks.of(facts):
        kinds = ", ".join(dict.fromkeys(leak.kind for leak in leaks.of(facts)[:5]))
        return fails(
            f"Credentials are in the code in plain text: {kinds}",
            *(leak.place for leak in leaks.of(facts)),
        )
    if shown := tools.of_repository(facts, "secret-store"):
        return passes(f"Secrets are kept with {shown.name}", *shown.places)
    for workflow in facts.pipelines.workflows:
        if workflow.facts.oidc and (place := _sign_in(workflow)) is not None:
            return passes("Jobs sign in by identity tokens", place)
        names = [
            *workflow.facts.secrets,
            *(name for job in workflow.facts.jobs for name in job.secrets),
        ]
        own = sorted(set(names) - lists.words("job-token"))
        if own == [ALL]:
            return passes(
                "A job passes the secrets of CI to the workflow that it calls", workflow.path
            )
        own = [name for name in own if name != ALL]
        if own:
            return passes(
                f"Jobs take secrets such as {own[0][:60]} from the store of CI", workflow.path
            )
    named = [sight for sight in signs.seen(facts, "variable") if _SECRET_NAME.search(sight.text)]
    if not named:
        return skips("No secrets are used")
    ignored = Ignored(facts.tree)
    if ignored.has_any((".env", ".env.local")):
        return passes("Secrets come from the environment, and .env is ignored", named[0].place)
    if facts.tree.glob("**/.env*"):
        return fails("Secrets come from the environment, but .env is not ignored", named[0].place)
    return passes("Secrets come from the environment alone", named[0].place, weak=True)


def _sign_in(workflow: Found) -> Place | None:
    """Where an identity token is exchanged: attestations and signatures ask for one, too."""
    for step in workflow.facts.steps:
        name = (step.uses or "").partition("@")[0]
        if tools.does(name, "sign-in") or lists.pattern("token-exchange").search(
            (step.script or "")[:20_000]
        ):
            return Place(step.path, step.place.line)
    return None


def ci_workflow_security(facts: Facts) -> Verdict:
    """What a comment suppresses is accepted, and reported: the comment may be wrong."""
    workflows = [
        workflow for workflow in facts.pipelines.workflows if workflow.facts.parse.state != "error"
    ]
    if not workflows:
        return skips("There is no CI")
    critical = [
        Place(finding.path, finding.line)
        for workflow in workflows
        for finding in workflow.facts.findings
        if finding.severity == "critical" and finding.suppressed is None
    ]
    if critical:
        return fails("A pipeline has a critical weakness", *critical)
    everything = (*workflows, *facts.pipelines.actions)
    unpinned = list(
        dict.fromkeys(place for workflow in everything for place in _unpinned(workflow))
    )
    open_ = [Place(workflow.path) for workflow in workflows if _has_default_token(workflow)]
    wrong = []
    if unpinned:
        wrong.append(f"{_count(len(unpinned), 'action or image', 'are')} not pinned by hash")
    if open_:
        wrong.append(f"{_count(len(open_), 'workflow', 'leave')} permissions to the default")
    if wrong:
        return fails("; ".join(wrong), *(unpinned[:_PLACES_MAX] if open_ else unpinned), *open_)
    if not any(
        workflow.facts.uses or workflow.facts.images or workflow.facts.permissions is not None
        for workflow in workflows
    ):
        return skips("The pipelines use nothing that could be pinned")
    return _pinned(everything, workflows)


def _pinned(everything: Sequence[Found], workflows: Sequence[Found]) -> Verdict:
    """The reason names what it does not cover: suppressed findings, and what changes never
    start."""
    reason = "Everything is pinned by hash, and permissions are explicit"
    elsewhere = [
        place
        for workflow in workflows
        if not _is_reachable(workflow)
        for place in _loose(workflow, lambda _: True)
    ]
    if elsewhere:
        reason = (
            "What changes can start is pinned by hash, and permissions are explicit; "
            f"{_count(len(elsewhere), 'reference', 'are')} not pinned in workflows that they cannot"
        )
    suppressed = [
        Place(finding.path, finding.suppressed_line)
        for workflow in everything
        for finding in workflow.facts.findings
        if finding.suppressed is not None and finding.severity != "info"
    ]
    if suppressed:
        reason += f"; {_count(len(suppressed), 'finding', 'are')} suppressed by comments"
    places = [*elsewhere, *suppressed] or [Place(workflow.path) for workflow in workflows]
    return passes(reason, *places)


def _count(number: int, thing: str, verb: str) -> str:
    """Such as "1 workflow leaves" or "2 actions or images are"."""
    if number == 1:
        return f"1 {thing} {'is' if verb == 'are' else f'{verb}s'}"
    return f"{number} {' or '.join(f'{noun}s' for noun in thing.split(' or '))} {verb}"


def _is_reachable(workflow: Found) -> bool:
    """May a change of the code, or a comment on it, start it?"""
    kinds = {trigger.kind for trigger in workflow.facts.triggers}
    return workflow.facts.kind != "template" and not (kinds and kinds <= _EXTERNAL)


def _unpinned(workflow: Found) -> list[Place]:
    """Of what changes can start every reference, of all else those in jobs that hand over all of
    the repository's secrets."""
    if _is_reachable(workflow):
        return _loose(workflow, lambda _: True)
    giving = {job.id for job in workflow.facts.jobs if ALL in job.secrets}
    return _loose(workflow, giving.__contains__) if workflow.facts.kind != "template" else []


def _loose(workflow: Found, is_wanted: Callable[[str | None], bool]) -> list[Place]:
    """Parts from elsewhere; an image that a matrix names is left out."""
    read = workflow.facts
    pins = [
        use.place
        for use in (*read.uses, *read.inner_uses)
        if use.pin not in _PINNED and is_wanted(use.job)
    ]
    pins += [
        image.place
        for image in (*read.images, *read.inner_images)
        if image.pin not in (*_PINNED, "dynamic") and is_wanted(image.job)
    ]
    return [Place(*workflow.at(at)) for at in pins]


def _has_default_token(workflow: Found) -> bool:
    """Do some of its jobs get whatever rights the hosting service gives by default?"""
    if not workflow.provider.endswith("-actions") or workflow.facts.kind != "pipeline":
        return False
    read = workflow.facts
    return read.permissions is None and any(job.permissions is None for job in read.jobs)
