"""The criteria of the pillar Product & Experimentation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.pipelines.agents import REVIEWERS
from stationmaster.pipelines.model import AgentStep, Step
from stationmaster.pipelines.model import Found as Workflow
from stationmaster.projects.model import App, Kind, Place
from stationmaster.readiness.criterion import Criterion, Verdict, fails, passes, skips
from stationmaster.readiness.evidence import code, traces
from stationmaster.readiness.evidence.traces import Tool
from stationmaster.readiness.facts import Facts

_USED: frozenset[Kind] = frozenset({"service", "web", "mobile"})
ANALYTICS = (
    Tool(name="PostHog", imports=("py:posthog", "posthog-js", "posthog-node",
        "posthog-react-native",
        "@posthog/*", "github.com/posthog/posthog-go", "PostHog"), packages=("posthog-ruby",
        "posthog/posthog-php")),
    Tool(name="Mixpanel", imports=("js:mixpanel", "py:mixpanel", "mixpanel-browser",
        "mixpanel-react-native",
        "github.com/mixpanel/*", "Mixpanel"), packages=("mixpanel-ruby",)),
    Tool(name="Amplitude", imports=("@amplitude/*", "amplitude-js", "amplitude",
        "github.com/amplitude/analytics-go*", "Amplitude*")),
    Tool(name="Segment", imports=("@segment/*", "analytics-node", "py:segment", "segment.analytics",
        "github.com/segmentio/analytics-go*", "swift:Segment", "gopkg.in/segmentio/analytics-go*"),
        packages=("analytics-ruby", "segmentio/analytics-php")),
    Tool(name="an analytics library", imports=(
        "@rudderstack/*", "rudder-sdk-js", "rudderstack", "@snowplow/*", "snowplow_tracker",
            "react-ga", "react-ga4", "vue-gtag", "@next/third-parties/google",
            "gatsby-plugin-google-*", "@vercel/analytics", "next-plausible", "plausible-tracker",
            "@plausible-analytics/tracker", "@umami/*", "@datadog/browser-rum",
        "matomo-tracker*", "@datapunt/matomo-tracker*", "vue-matomo",
            "react-native-firebase/analytics", "@react-native-firebase/analytics",
            "firebase_analytics", "firebase/analytics", "com.google.firebase.analytics",
            "FirebaseAnalytics", "@fullstory/*", "@microsoft/clarity", "countly-sdk*", "@heap/*",
            "@pendo/*", "logrocket", "openpanel", "@openpanel/*", "@june-so/*", "customerio-node",
            "TelemetryDeck", "py:analytics"),
        packages=("ahoy_matey", "staccato", "plausible_proxy", "spatie/laravel-analytics",
            "analytical")),
)  # fmt: skip
"""Evidence table E24."""
EXPERIMENTS = (
    Tool(name="GrowthBook", imports=("@growthbook/*", "growthbook", "github.com/growthbook/*"),
        packages=("growthbook",)),
    Tool(name="Statsig", imports=("@statsig/*", "statsig-js", "statsig-node*", "statsig-react*",
        "py:statsig", "statsig_python_core", "github.com/statsig-io/*", "com.statsig"),
        packages=("statsig",)),
    Tool(name="an experiment platform", imports=("@optimizely/*", "py:optimizely",
        "github.com/optimizely/*", "@eppo/*", "eppo_client", "@vwo/*", "vwo-node-sdk",
        "vwo-fme-node-sdk", "ab-test", "@splitsoftware/*", "splitio_client", "py:planout",
        "@amplitude/experiment*", "amplitude_experiment", "@marvelapp/react-ab-test", "jvm:wasabi",
        "jvm:com.indeed.proctor"),
         packages=("field_test", "split", "vanity", "abraham", "statsig", "optimizely-sdk",
             "ab_panel", "pennant-ab*", "posthog-experiments")),
)  # fmt: skip
FLAGS = (
    Tool(name="LaunchDarkly", imports=("launchdarkly*", "@launchdarkly/*", "ldclient",
        "github.com/launchdarkly/*", "com.launchdarkly", "LaunchDarkly*"),
        packages=("launchdarkly-*",)),
    Tool(name="Unleash", imports=("unleash-client", "unleash-proxy-client", "@unleash/*",
        "UnleashClient", "github.com/unleash/unleash-client-go*", "io.getunleash", "Unleash"),
        packages=("unleash", "unleash.client")),
    Tool(name="OpenFeature", imports=("@openfeature/*", "openfeature", "github.com/open-feature/*",
        "dev.openfeature", "OpenFeature", "open_feature*"), packages=("openfeature*",)),
    Tool(name="a flag provider", imports=(
        "flagsmith*", "@flagsmith/*", "github.com/flagsmith/*", "configcat*", "@configcat/*",
            "github.com/configcat/*", "ConfigCat*", "@splitsoftware/*", "splitio*", "@devcycle/*",
            "devcycle*", "@flipt-io/*", "flipt*", "go.flipt.io/*",
            "github.com/thomaspoignant/go-feature-flag*", "@harnessio/ff-*", "featureflags",
            "@optimizely/*", "@eppo/*", "@statsig/*", "statsig*", "@growthbook/*", "growthbook",
            "js:flags", "@vercel/flags", "happykit", "@prefab-cloud/*", "@bucketco/*", "@reflag/*",
            "@hypertune/*", "hypertune", "js:unleash",
        "py:waffle", "flags.state", "gargoyle", "py:flipper", "Microsoft.FeatureManagement",
            "org.togglz",
            "org.ff4j", "Laravel\\Pennant", "fun_with_flags", "FunWithFlags", "FeatureFlag*",
            "firebase_remote_config", "@react-native-firebase/remote-config",
            "com.google.firebase.remoteconfig"),
        packages=("flipper", "flipper-*", "rollout", "rollout-ui", "prefab-cloud-ruby",
            "microsoft.featuremanagement*", "org.togglz:*", "org.ff4j:*", "laravel/pennant",
            "django-waffle", "django-flags", "fun_with_flags", "feature_toggle*", "flagsmith",
            "configcat")),
)  # fmt: skip
"""Evidence table E23."""
FLAG_CLEANERS = (
    Tool(name="a finder of flags", actions=("launchdarkly/find-code-references*",
        "launchdarkly/ld-find-code-refs", "growthbook/gb-find-code-refs*", "devcycle*/*code-refs*",
        "devcyclehq/*", "configcat/scan-repository"), commands=("ld-find-code-refs",
        "gb-find-code-refs", "configcat scan", "piranha", "polyglot_piranha", "dvc usages",
        "flagsmith-code-refs"), files=(".launchdarkly/coderefs.{yaml,yml}",
        "**/piranha*.{toml,json}")),
    Tool(name="a check of flags",
        files=("**/*{stale,expired,dead,unused}[-_]{flag,flags,feature-flags,feature_flags}*",),
        commands=("stale-flags", "check-feature-flags", "flags:stale", "flags:check",
        "check_flags")),
)  # fmt: skip
_ISSUE_ACTIONS = (
    "jasonetco/create-an-issue", "peter-evans/create-issue-from-file",
        "actions-ecosystem/action-create-issue", "imjohnbo/issue-bot", "dacbd/create-issue-action",
        "jayqi/failed-build-issue-action", "nashmaniac/create-issue-action",
    "viperproject/create-nightly-issue*", "*failed-build-issue*", "*create-issue*", "pagerduty*",
)  # fmt: skip
_ISSUE_MADE = re.compile(
    r"\bgh issue create\b|\bissues\.create\(|\bglab issue create\b|/issues[\"'\s].{0,200}-d\b"
)
_FAILURE = re.compile(
    r"failure\(\)|conclusion\s*==\s*'failure'|result\s*==\s*'failure'|!=\s*'success'"
    r"|conclusion.{0,20}failure"
)
_OF_FAULTS = re.compile(
    r"fail|error|alert|incident|ci[-_ ]?doctor|flak|crash|sentry|nightly|canary|regression", re.I
)
_LABELLERS = (
    "github/issue-labeler", "github/issue-labeler*", "actions/ai-inference", "*issue-labeler*",
        "*issue-triage*", "*auto-label*", "peaceiris/actions-label-commenter",
        "dessant/label-actions", "bruno-tfernandes/*triage*", "*duplicate*issue*",
        "*issue*duplicate*",
    "actions-cool/issues-similarity-analysis", "wow-actions/potential-duplicates",
        "actions-cool/issues-helper", "andymckay/labeler", "naveenk1223/action-triage",
        "srggrs/assign-one-project-github-action", "actions/add-to-project",
        "pozil/auto-assign-issue", "damccorm/tag-ur-it", "trilom/*triage*", "google/triage-party",
        "*ai-triage*", "*triage-issues*",
)  # fmt: skip
_LABELLED = re.compile(
    r"\bgh issue edit\b.{0,300}--add-(?:label|assignee)|\bissues\.(?:addLabels|setLabels"
    r"|addAssignees)\b|--add-label",
    re.S,
)
_ASKED = re.compile(r"add-labels|set-labels|assign")
"""Of actions that do what they are told."""


def _analytics(facts: Facts, app: App) -> Verdict:
    if found := traces.of_app(facts, app, ANALYTICS):
        return passes(f"Events are captured with {found.tool}", found.place)
    if seen := code.seen(facts, "py:analytics", app):
        return passes("Pages carry the script of an analytics service", seen[0].place)
    return fails("No analytics library is imported, and no page carries the script of one")


def _flags(facts: Facts) -> Verdict:
    for app in facts.project.apps:
        if app.kinds & _USED and (found := traces.of_app(facts, app, FLAGS)):
            return passes(f"Flags come from {found.tool}", found.place)
    places = [each.place for each in code.seen(facts, "flag")]
    if len({each.path for each in places}) > 1:
        return passes("A module of the repository's own switches features", *places, weak=True)
    return fails("No flag provider is imported, and no module of its own switches features")


def _stale_flags(facts: Facts) -> Verdict:
    if found := traces.of_repository(facts, FLAG_CLEANERS):
        return passes(f"There is {found.tool}", found.place)
    return fails("Nothing looks for flags that nobody needs any more")


def _experiments(facts: Facts, app: App) -> Verdict:
    if found := traces.of_app(facts, app, EXPERIMENTS):
        return passes(f"Variants come from {found.tool}", found.place)
    if seen := code.seen(facts, "experiment", app):
        return passes("Code assigns variants of experiments", seen[0].place)
    return fails("No experiment platform is imported, and no code assigns variants")


def _insight(facts: Facts, _: App) -> Verdict:
    for workflow in facts.pipelines.workflows:
        chained = any(each.kind in ("workflow_chain", "api") for each in workflow.facts.triggers)
        is_of_faults = chained or _OF_FAULTS.search(f"{workflow.path} {workflow.facts.name or ''}")
        if workflow.facts.template == "incident-response":
            return passes("An agent looks into failures", Place(workflow.path))
        for step in workflow.facts.steps:
            if _makes_issue(step) and (is_of_faults or _FAILURE.search(step.condition or "")):
                return passes(
                    "A workflow makes issues of failures", Place(step.path, step.place.line)
                )
        if workflow.facts.agent_steps and chained:
            return passes("An agent looks into failed runs", Place(workflow.path))
    return fails("No workflow makes issues of alerts, errors or failed runs")


def _makes_issue(step: Step) -> bool:
    if step.uses is not None and traces.matches(step.uses.partition("@")[0], _ISSUE_ACTIONS):
        return True
    return _ISSUE_MADE.search((step.script or "") + step.inputs.get("script", "")) is not None


def _agent_ci(facts: Facts) -> Verdict:
    if facts.project.policy.policy == "forbidden":
        return skips("The repository forbids work by agents")
    near: Place | None = None
    for workflow, agent in _agents(facts):
        place = Place(*workflow.at(agent.place))
        near = near or place
        if agent.agent in REVIEWERS or workflow.facts.template == "code-review":
            continue
        if _can_propose(workflow, agent) and (
            agent.tools or agent.sandbox or agent.permissions is not None
        ):
            return passes(f"{agent.agent} can propose changes, within limits", place)
    if near is not None:
        return fails("Agents run in CI, but none proposes changes within stated limits", near)
    return fails("No step runs a coding agent that can propose changes")


def _can_propose(workflow: Workflow, agent: AgentStep) -> bool:
    """By its own token, or by another job of a compiled workflow that carries out what it says."""
    if agent.can_write or workflow.facts.generated_from is None:
        return agent.can_write
    return any(
        (job.permissions or {}).get("pull-requests") == "write" for job in workflow.facts.jobs
    )


def _agents(facts: Facts) -> Iterator[tuple[Workflow, AgentStep]]:
    for workflow in facts.pipelines.workflows:
        for agent in workflow.facts.agent_steps:
            yield workflow, agent


def _triage(facts: Facts) -> Verdict:
    if facts.hosting is not None and facts.hosting.has_issues is False:
        return skips("The hosting service has issues switched off")
    for workflow in facts.pipelines.workflows:
        if workflow.facts.template == "triage":
            return passes("An agent sorts new issues", Place(workflow.path))
        if not any(each.kind == "issue" for each in workflow.facts.triggers):
            continue
        for step in workflow.facts.steps:
            if _labels(step):
                return passes(
                    "A workflow labels or routes issues", Place(step.path, step.place.line)
                )
        if workflow.facts.agents:
            return passes("An agent answers new issues", Place(workflow.path), weak=True)
    for path in facts.tree.glob(
        ".github/issue-labeler.{yml,yaml}",
        ".github/policies/*.{yml,yaml}",
        ".triagebot.toml",
        "triagebot.toml",
        ".github/fabricbot.json",
    ):
        return passes("Rules sort issues", Place(path))
    return fails("No workflow labels or routes new issues")


def _labels(step: Step) -> bool:
    if step.uses is not None and traces.matches(step.uses.partition("@")[0], _LABELLERS):
        asked = step.inputs.get("actions")
        return asked is None or _ASKED.search(asked) is not None
    script = (step.script or "") + step.inputs.get("script", "")
    return _LABELLED.search(script) is not None


CRITERIA = (
    Criterion(
        id="product_analytics_instrumentation",
        title="Product analytics",
        level=3,
        pillar="Product & Experimentation",
        scope="application",
        looks_for="An analytics library or script in the application's code.",
        remedy="Capture the steps that people take through the main flow.",
        kinds=_USED,
        app=_analytics,
    ),
    Criterion(
        id="feature_flag_infrastructure",
        title="Feature flags",
        level=4,
        pillar="Product & Experimentation",
        scope="repository",
        looks_for=(
            "A flag provider that code imports, or a module of its own that is asked in two places."
        ),
        remedy="Adopt OpenFeature with a provider.",
        kinds=_USED,
        repository=_flags,
    ),
    Criterion(
        id="dead_feature_flag_detection",
        title="Stale flag clean-up",
        level=4,
        pillar="Product & Experimentation",
        scope="repository",
        looks_for="A finder of flags that nobody needs any more, or dates at which they end.",
        remedy="Let the build fail on flags that have ended.",
        kinds=_USED,
        requires="feature_flag_infrastructure",
        repository=_stale_flags,
    ),
    Criterion(
        id="error_to_insight_pipeline",
        title="Errors become work items",
        level=5,
        pillar="Product & Experimentation",
        scope="application",
        looks_for="A workflow that makes issues of alerts, errors or failed runs.",
        remedy="Open an issue for every alert.",
        needs=frozenset({"tree", "hosting"}),
        kinds=_USED,
        app=_insight,
    ),
    Criterion(
        id="agent_ci_automation",
        title="Agents run in CI",
        level=5,
        pillar="Product & Experimentation",
        scope="repository",
        looks_for="A step with a coding agent that can propose changes, with stated limits.",
        remedy="Schedule an agent for maintenance that reads by default and opens pull requests.",
        repository=_agent_ci,
    ),
    Criterion(
        id="automated_issue_triage",
        title="Automated triage",
        level=5,
        pillar="Product & Experimentation",
        scope="repository",
        looks_for="A workflow that labels or routes new issues.",
        remedy="Let a workflow label new issues, and do nothing else.",
        repository=_triage,
    ),
    Criterion(
        id="experiment_infrastructure",
        title="Experiment platform",
        level=5,
        pillar="Product & Experimentation",
        scope="application",
        looks_for="Variants that are assigned in the application's code.",
        remedy="Use the experiments of the flag provider.",
        kinds=_USED,
        app=_experiments,
    ),
)
