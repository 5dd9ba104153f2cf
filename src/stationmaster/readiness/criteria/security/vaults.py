"""Where secrets are kept, and whether pipelines are hardened against those who want them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from stationmaster.pipelines.model import Found
from stationmaster.pipelines.secrets import ALL
from stationmaster.readiness.evidence import leaks, signs, tools
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips
from stationmaster.reading.projects.ignored import Ignored
from stationmaster.reading.projects.model import Place

_SIGN_IN = re.compile(
    r"assume-role-with-web-identity|ACTIONS_ID_TOKEN_REQUEST_URL|--federated-token"
    r"|\bworkload-identity|npm publish\b|pnpm publish\b"
)
_TOKENS = frozenset({"GITHUB_TOKEN", "github.token", "GH_TOKEN", "CI_JOB_TOKEN"})
"""What a job is given by itself."""
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
        kinds = ", ".join(dict.fromkeys(each.kind for each in leaks.of(facts)[:5]))
        return fails(
            f"Credentials stand in the code in plain text: {kinds}",
            *(each.place for each in leaks.of(facts)),
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
        own = sorted(set(names) - _TOKENS)
        if own == [ALL]:
            return passes(
                "A job hands the secrets of CI on to the workflow that it calls",
                Place(workflow.path),
            )
        own = [each for each in own if each != ALL]
        if own:
            return passes(
                f"Jobs take secrets such as {own[0][:60]} from the store of CI",
                Place(workflow.path),
            )
    named = [each for each in signs.seen(facts, "variable") if _SECRET_NAME.search(each.text)]
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
        if tools.does(name, "sign-in") or _SIGN_IN.search((step.script or "")[:20_000]):
            return Place(step.path, step.place.line)
    return None


def ci_security(facts: Facts) -> Verdict:
    """What a comment suppresses is believed, and said: the comment may be wrong."""
    workflows = [each for each in facts.pipelines.workflows if each.facts.parse.state != "error"]
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
    unpinned = list(dict.fromkeys(place for each in everything for place in _unpinned(each)))
    open_ = [Place(each.path) for each in workflows if _has_default_token(each)]
    wrong = []
    if unpinned:
        wrong.append(f"{_count(len(unpinned), 'action or image', 'are')} not pinned by hash")
    if open_:
        wrong.append(f"{_count(len(open_), 'workflow', 'leave')} permissions to the default")
    if wrong:
        return fails("; ".join(wrong), *(unpinned[:_PLACES_MAX] if open_ else unpinned), *open_)
    if not any(
        each.facts.uses or each.facts.images or each.facts.permissions is not None
        for each in workflows
    ):
        return skips("The pipelines use nothing that could be pinned")
    return _pinned(everything, workflows)


def _pinned(everything: Sequence[Found], workflows: Sequence[Found]) -> Verdict:
    """The reason says what it does not speak of: suppressed findings, and what changes never
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
        for found in everything
        for finding in found.facts.findings
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
    return f"{number} {' or '.join(f'{each}s' for each in thing.split(' or '))} {verb}"


def _is_reachable(found: Found) -> bool:
    """May a change of the code, or somebody's word on it, start it?"""
    kinds = {trigger.kind for trigger in found.facts.triggers}
    return found.facts.kind != "template" and not (kinds and kinds <= _EXTERNAL)


def _unpinned(found: Found) -> list[Place]:
    """Of what changes can start every reference, of all else those in jobs that hand over all of
    the repository's secrets."""
    if _is_reachable(found):
        return _loose(found, lambda _: True)
    giving = {job.id for job in found.facts.jobs if ALL in job.secrets}
    return _loose(found, giving.__contains__) if found.facts.kind != "template" else []


def _loose(found: Found, is_wanted: Callable[[str | None], bool]) -> list[Place]:
    """Parts from elsewhere; an image that a matrix names is left out."""
    read = found.facts
    pins = [
        each.place
        for each in (*read.uses, *read.inner_uses)
        if each.pin not in _PINNED and is_wanted(each.job)
    ]
    pins += [
        each.place
        for each in (*read.images, *read.inner_images)
        if each.pin not in (*_PINNED, "dynamic") and is_wanted(each.job)
    ]
    return [Place(*found.at(at)) for at in pins]


def _has_default_token(found: Found) -> bool:
    """Do some of its jobs get whatever rights the hosting service gives by default?"""
    if not found.provider.endswith("-actions") or found.facts.kind != "pipeline":
        return False
    read = found.facts
    return read.permissions is None and any(job.permissions is None for job in read.jobs)
