"""What pipelines do: check changes, review them, release, tell of releases, cache (table E26)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from stationmaster.catalogue import ci
from stationmaster.pipelines import commands, idle
from stationmaster.pipelines.agents import REVIEWERS
from stationmaster.pipelines.gates import CHANGES, starts_on
from stationmaster.pipelines.model import CommandKind, EventKind, Found
from stationmaster.projects.model import Place
from stationmaster.readiness.criterion import Verdict, fails, passes, skips, unknown
from stationmaster.readiness.evidence import shell
from stationmaster.readiness.facts import Facts, Use

_RELEASES: frozenset[EventKind] = frozenset({
    "tag", "release", "push", "workflow_chain", "schedule", "reusable_call", "deployment",
    "pull_request", "pull_request_target", "external", "api", "comment", "issue",
})  # fmt: skip
_CHECKING = (
    "pre-commit/action", "golangci/golangci-lint-action", "astral-sh/ruff-action", "psf/black",
    "super-linter/super-linter", "github/super-linter", "oxsecurity/megalinter",
    "trunk-io/trunk-action", "gradle/gradle-build-action", "cypress-io/github-action",
    "docker/build-push-action", "actions-rs/*", "*/pre-commit", "*/pre-commit-action",
    "tox-dev/action-pre-commit-uv",
    "j178/prek-action", "julia-actions/julia-runtest", "r-lib/actions/check-r-package",
    "erlef/*", "denoland/*", "biomejs/setup-biome", "apple/swift-nio/*",
    "swiftlang/github-workflows/*",
    "vapor/ci/*", "goreleaser/goreleaser-action", "ludeeus/action-shellcheck",
    "pypa/cibuildwheel",
    "microsoft/playwright-github-action", "nrwl/nx-set-shas",
)  # fmt: skip
_NAMED_CHECK = re.compile(
    r"(?i)(?:^|[/_.-])(?:ci|tests?|lint|build|check|verify|unit)(?:[/_.@-]|$)"
)
_NAMED_RELEASE = re.compile(
    r"(?i)/[\w.-]{0,60}(?:release|publish|deploy)[\w.-]{0,60}\.ya?ml(?:@|$)"
)
_PUBLISHING = (
    "pypa/gh-action-pypi-publish", "goreleaser/goreleaser-action", "changesets/action",
    "googleapis/release-please-action", "google-github-actions/release-please-action",
    "softprops/action-gh-release", "ncipollo/release-action", "actions/create-release",
    "cycjimmy/semantic-release-action", "jreleaser/release-action", "release-plz/action",
    "marcoieni/release-plz-action", "js-devtools/npm-publish", "rubygems/release-gem",
    "katyo/publish-crates", "helm/chart-releaser-action", "svenstaro/upload-release-action",
    "elgohr/publish-docker-github-action", "aws-actions/amazon-ecs-deploy-task-definition",
    "azure/webapps-deploy", "azure/functions-action", "azure/k8s-deploy",
    "google-github-actions/deploy-*", "superfly/flyctl-actions", "cloudflare/wrangler-action",
    "cloudflare/pages-action", "akhileshns/heroku-deploy", "amondnet/vercel-action",
    "appleboy/ssh-action", "burnett01/rsync-deployments", "snapcore/action-publish",
    "vedantmgoyal9/winget-releaser", "vedantmgoyal2009/winget-releaser",
    "marvinpinto/action-automatic-releases", "python-semantic-release/*", "relekang/python-*",
    "hashicorp/actions-*-release*",
    "ansys/actions/release-*",
    "haya14busa/action-bump-semver", "eclipse-csi/*release*",

    "wow-actions/*release*", "nwtgck/actions-netlify", "jakejarvis/s3-sync-action",
    "maven-semantic-release/*", "qoomon/actions--create-release", "anothrnick/github-tag-action",
    "ghcr.io/*release*", "apple-actions/upload-testflight-build",
    "r0adkll/upload-google-play", "wzieba/firebase-distribution-github-action",
)  # fmt: skip
_DOCS = re.compile(
    r"(?i)\b(?:api[-_ ]?)?(?:docs?|documentation|gh-?pages|site|website|storybook)\b"
)
_REHEARSED = re.compile(
    r"^[\w./@:-]{1,80}(?: [\w./@:-]{1,60}){0,2} (?:check|verify|validate|lint|list|diff|status)"
    r"(?:[-:][\w-]{1,40})?(?: |$)"
)
_CHECKS = re.compile(r"(?i)(?:check|verify|validate|lint|e2e|smoke)")
"""How workflows are called that publish nothing but to try it."""
_SITES = ("gh-pages", "mkdocs gh-deploy", "mike deploy", "wrangler pages", "codecov")
"""Publishing pages of documentation is no release."""


def ci_config(facts: Facts) -> Verdict:
    seen: list[Place] = []
    for found in facts.pipelines.workflows:
        if not _is_started_by(found, CHANGES):
            continue
        place = _doing(facts, found, ("build", "lint", "test"))
        if place is not None:
            return passes("A pipeline checks every change", Place(found.path), place)
        seen.append(Place(found.path))
    if facts.pipelines.closed:
        dead = facts.pipelines.closed
        why = ci.closed(dead[0].provider)
        return fails(
            f"The pipeline for changes does not run any more: {why}",
            *(Place(each.path) for each in dead),
        )
    if seen:
        return fails("No pipeline that changes start builds, lints or tests", *seen)
    others = tuple(Place(each.path) for each in facts.pipelines.workflows)
    return fails("No pipeline is started by a push or pull request", *others)


def _is_started_by(found: Found, kinds: frozenset[EventKind]) -> bool:
    if found.facts.kind not in ("pipeline", "generated"):
        return False
    return starts_on(found, kinds)


def _doing(facts: Facts, found: Found, kinds: tuple[CommandKind, ...]) -> Place | None:
    """Where a pipeline does work of such a kind: a command, an action, or what it calls."""
    off = idle.jobs(found.facts)
    for command in found.facts.commands:
        if command.kind in kinds and command.job not in off and not _is_nothing(command.text):
            return Place(*found.at(command.place))
    for step in found.facts.steps:
        if idle.is_off(found.facts, step):
            continue
        if step.script and _script_does(facts, step.script, kinds):
            return Place(step.path, step.place.line)
    references = _CHECKING if "test" in kinds else _PUBLISHING
    for use in facts.uses:
        if use.workflow is found and _is_named(use, references):
            return use.place
    for each in found.facts.uses:
        name = each.reference.partition("@")[0].lower()
        if any(fnmatchcase(name, reference) for reference in references):
            return Place(*found.at(each.place))
    sign = _NAMED_CHECK if "test" in kinds else _NAMED_RELEASE
    for job in found.facts.jobs:
        if job.uses and "/" in job.uses and sign.search(job.uses):
            return Place(*found.at(job.place))
    return None


def _script_does(facts: Facts, script: str, kinds: tuple[CommandKind, ...]) -> bool:
    """Does it, or a script of the repository that it calls?"""
    for words in shell.simple(script):
        if not kinds_of(words).isdisjoint(kinds) and not _is_nothing(" ".join(words)):
            return True
        called = words[1] if words[0] in ("bash", "sh") and len(words) > 1 else words[0]
        path = called.removeprefix("./")
        if path not in facts.files:
            continue
        lines = commands.of_script(facts.tree.text(path))
        named = commands.of_task(path.rpartition("/")[2])
        if named in kinds or any(
            each.kind in kinds and not _is_nothing(each.text) for each in lines
        ):
            return True
    return False


def kinds_of(words: shell.Words) -> frozenset[CommandKind]:
    """What a command is for, behind up to three words of a runner that is not known as such."""
    if words[0] in ("echo", "printf") or shell.fetches(words) or shell.is_condition(words):
        return frozenset()
    told = (commands.of_words(words[count:]) for count in range(min(4, len(words))))
    found = frozenset(kind for kind in told if kind is not None)
    return found - {"test"} if shell.leaves_tests_out(words) else found


def _is_named(use: Use, references: Iterable[str]) -> bool:
    name = use.reference.partition("@")[0].lower()
    return any(fnmatchcase(name, reference) for reference in references)


def _is_nothing(command: str) -> bool:
    """Pages of documentation are no release, and neither is a rehearsal."""
    return (
        "--dry-run" in command
        or "--snapshot" in command
        or _REHEARSED.search(command) is not None
        or any(shell.says(words, site) for words in shell.simple(command) for site in _SITES)
    )


def release_automation(facts: Facts) -> Verdict:
    manual: Place | None = None
    for found in facts.pipelines.workflows:
        if found.facts.kind not in ("pipeline", "generated", "reusable"):
            continue
        place = _doing(facts, found, ("publish", "deploy"))
        name = found.path.rpartition("/")[2]
        if place is None or _DOCS.search(f"{name} {found.facts.name or ''}"):
            continue
        if _CHECKS.match(name):
            continue
        if _is_started_by(found, _RELEASES) or found.facts.kind == "reusable":
            return passes("A pipeline publishes or deploys", Place(found.path), place)
        manual = manual or place
    if manual is not None:
        return passes("A pipeline publishes when somebody starts it", manual, weak=True)
    near = [Place(path) for path in facts.tree.glob(
        ".goreleaser.y*ml", ".releaserc*", "release-please-config.json", ".changeset/config.json",
        "jreleaser.yml", "release-plz.toml")]  # fmt: skip
    return fails("No pipeline publishes or deploys on a tag, release or push", *near)


_REVIEW_FILES = (
    ".coderabbit.yaml", ".coderabbit.yml", ".pr_agent.toml", "pr_agent.toml", "greptile.json",
    ".greptile/config.json", ".cursor/BUGBOT.md", ".sourcery.yaml", "ellipsis.yaml",
    ".korbit/config.yaml",
    "dangerfile.*", "Dangerfile", ".gemini/config.yaml", "kodus-config.yml", ".deepsource.toml",
    ".codeclimate.yml", "sonar-project.properties", ".codacy.yml", ".codacy.yaml", "qodana.yaml",
    "warden.toml", "bito.yaml", ".bito.yaml", ".hound.yml", "codeball.yml", ".gemini/styleguide.md",
    ".github/danger/*",
)  # fmt: skip
_REVIEW_USES = (
    "reviewdog/*", "danger/*", "docker://ghcr.io/danger/*", "coderabbitai/*", "sourcery-ai/*",
    "qodo-ai/pr-agent", "codium-ai/pr-agent", "sonarsource/*", "deepsourcelabs/*",
    "jetbrains/qodana-action", "codacy/*", "anc95/chatgpt-codereview",
    "cpp-linter/cpp-linter-action",
    "mattzcarey/code-review-gpt",
)  # fmt: skip


def automated_pr_review(facts: Facts) -> Verdict:
    for found in facts.pipelines.workflows:
        is_review = found.facts.template == "code-review" or REVIEWERS & set(found.facts.agents)
        started = any(each.kind in ("pull_request", "pull_request_target", "comment")
                      for each in found.facts.triggers)  # fmt: skip
        if is_review and started:
            return passes("An agent reviews changes", Place(found.path))
    for use in facts.uses:
        if _is_named(use, _REVIEW_USES):
            return passes(f"{use.reference.partition('@')[0]} comments on changes", use.place)
    run = facts.run(None, "reviewdog", "danger ci", "danger-js ci", "danger", "danger-swift")
    if run is not None:
        return passes(f"{shell.program(run.words)} comments on changes", run.command.place)
    path = next(iter(facts.tree.glob(*_REVIEW_FILES)), None)
    if path is not None:
        return passes("A reviewer is configured", Place(path))
    if facts.hosting is not None and facts.hosting.review_bots is not None:
        if facts.hosting.review_bots:
            return passes(f"{facts.hosting.review_bots[0]} comments on changes")
        return fails("Neither a reviewer's configuration nor comments of one on recent changes")
    return unknown(
        "No reviewer is configured here; only the hosting service knows of installed ones"
    )


def build_performance_tracking(facts: Facts) -> Verdict:
    main = [each for each in facts.pipelines.workflows if _is_started_by(each, CHANGES)]
    if not main:
        return skips("There is no pipeline that changes start")
    for found in main:
        if found.facts.caching:
            return passes("A cache is kept between builds", Place(found.path))
        for step in found.facts.steps:
            name = (step.uses or "").partition("@")[0].lower()
            inputs = {key.lower(): given for key, given in step.inputs.items()}
            if any(fnmatchcase(name, each) for each in _CACHES) or _caches(name, inputs):
                return passes("The pipeline caches what builds need",
                              Place(step.path, step.place.line))  # fmt: skip
    run = facts.run(None, "sccache", "ccache", "buildx build --cache-from", "bazel --remote_cache",
                    "docker build --cache-from", "nx-cloud start-ci-run",
                    "cargo build --timings")  # fmt: skip
    if run is not None:
        return passes("Builds use a cache", run.command.place)
    for path, sign in _CACHE_SIGNS:
        for file in facts.tree.glob(path):
            if re.search(sign, facts.tree.text(file)):
                return passes("The build keeps a cache", Place(file))
    return fails("No cache or timing in the pipelines that changes start",
                 *(Place(each.path) for each in main[:3]))  # fmt: skip


_CACHES = (
    "actions/cache", "actions/cache/*", "swatinem/rust-cache", "mozilla-actions/sccache-action",
    "hendrikmuhs/ccache-action", "gradle/actions/setup-gradle", "gradle/gradle-build-action",
    "astral-sh/setup-uv", "golangci/golangci-lint-action", "actions/setup-go", "buildjet/cache",
    "useblacksmith/cache", "ramsey/composer-install", "runs-on/cache",
    "gradle/develocity-actions/*", "depot/*", "bazel-contrib/setup-bazel", "namespacelabs/*cache*",
    "cachix/cachix-action", "determinatesystems/magic-nix-cache-action", "awalsh128/cache-apt-*",
    "moonrepo/setup-toolchain", "jdx/mise-action", "lukka/run-vcpkg",
    "burrunan/gradle-cache-action",
    "coursier/cache-action",
)  # fmt: skip
_CACHE_SIGNS = (
    ("gradle.properties", r"(?m)^[ \t]*org\.gradle\.caching[ \t]*=[ \t]*true"),
    ("nx.json", r"nxCloudId|nxCloudAccessToken|\"cache\"\s*:\s*true|tasksRunnerOptions"),
    ("turbo.json", r"\"(?:remoteCache|tasks|pipeline)\""),
    (".bazelrc", r"--(?:remote_cache|disk_cache)"),
    ("settings.gradle*", r"develocity|gradleEnterprise|buildCache"),
    (".mvn/extensions.xml", r"develocity|maven-build-cache-extension|gradle-enterprise"),
)


def _caches(name: str, inputs: dict[str, str]) -> bool:
    if name.endswith("setup-go"):
        return inputs.get("cache", "true") != "false"
    for key in ("cache", "bundler-cache", "cache-from", "cache-dependency-path", "enable-cache",
                "use-cache", "cache-to"):  # fmt: skip
        if inputs.get(key, "false").strip().lower() not in ("", "false", "none"):
            return True
    return False
