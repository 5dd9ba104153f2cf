"""What well-known actions do: keep caches, hand artifacts on, test, publish, run a script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stationmaster.pipelines import commands
from stationmaster.pipelines.model import CommandKind, Step, distinct

_LIST_MAX = 100
_ALWAYS = frozenset(
    {"actions/cache", "actions/cache/restore", "actions/cache/save", "swatinem/rust-cache"}
    | {
        "gradle/actions/setup-gradle",
        "gradle/gradle-build-action",
        "mozilla-actions/sccache-action",
    }
    | {"hendrikmuhs/ccache-action", "runs-on/cache", "buildjet/cache", "ubicloud/cache"}
    | {"nix-community/cache-nix-action", "cachix/cachix-action"}
    | {"determinatesystems/magic-nix-cache-action", "golangci/golangci-lint-action"}
)
"""Actions that keep something between runs, whatever they are given."""
_BY_DEFAULT = {
    "actions/setup-go": "cache",
    "astral-sh/setup-uv": "enable-cache",
    "actions-rust-lang/setup-rust-toolchain": "cache",
    "julia-actions/cache": "cache-artifacts",
}
"""Actions that do unless this input says no."""
_SWITCHES = ("cache", "bundler-cache", "enable-cache", "use-cache", "package-manager-cache")
_STORES = ("cache-from", "cache-to")
_UPLOADS = {"actions/upload-artifact": "artifact", "actions/upload-pages-artifact": "github-pages"}
"""Actions that hand files to later jobs and to people, with the name they go by."""
_PURPOSES: dict[CommandKind, str] = {
    "test": """
        cypress-io/github-action grafana/run-k6-action helm/chart-testing-action
        google/oss-fuzz/infra/cifuzz/actions/run_fuzzers gabrielbb/xvfb-action
        """,
    "lint": """
        golangci/golangci-lint-action pre-commit/action crate-ci/typos hadolint/hadolint-action
        raven-actions/actionlint reviewdog/action-actionlint github/super-linter
        oxsecurity/megalinter super-linter/super-linter ludeeus/action-shellcheck
        lycheeverse/lychee-action psf/black astral-sh/ruff-action chartboost/ruff-action
        rojopolis/spellcheck-github-actions davidanson/markdownlint-cli2-action
        tcort/github-action-markdown-link-check streetsidesoftware/cspell-action
        wagoid/commitlint-github-action actions-rs/clippy-check giraffate/clippy-action
        bufbuild/buf-lint-action editorconfig-checker/action-editorconfig-checker
        norwoodj/helm-docs fsfe/reuse-action autofix-ci/action trunk-io/trunk-action
        jdx/hk-action
        """,
    "scan": """
        github/codeql-action/analyze actions/dependency-review-action ossf/scorecard-action
        aquasecurity/trivy-action anchore/scan-action snyk/actions fossas/fossa-action
        semgrep/semgrep-action gitleaks/gitleaks-action trufflesecurity/trufflehog
        zizmorcore/zizmor-action golang/govulncheck-action sonarsource/sonarqube-scan-action
        sonarsource/sonarcloud-github-action google/osv-scanner-action rustsec/audit-check
        actions-rust-lang/audit securego/gosec embarkstudios/cargo-deny-action
        bridgecrewio/checkov-action checkmarx/kics-github-action pypa/gh-action-pip-audit
        socketdev/action
        """,
    "publish": """
        pypa/gh-action-pypi-publish softprops/action-gh-release goreleaser/goreleaser-action
        ncipollo/release-action changesets/action release-plz/action
        googleapis/release-please-action google-github-actions/release-please-action
        js-devtools/npm-publish cycjimmy/semantic-release-action svenstaro/upload-release-action
        actions/create-release actions/upload-release-asset rubygems/release-gem
        helm/chart-releaser-action vedantmgoyal9/winget-releaser
        marvinpinto/action-automatic-releases release-drafter/release-drafter
        actions/publish-action
        """,
    "deploy": """
        actions/deploy-pages peaceiris/actions-gh-pages jamesives/github-pages-deploy-action
        azure/webapps-deploy azure/arm-deploy azure/k8s-deploy azure/static-web-apps-deploy
        azure/functions-action aws-actions/amazon-ecs-deploy-task-definition
        aws-actions/aws-cloudformation-github-deploy google-github-actions/deploy-cloudrun
        google-github-actions/deploy-appengine google-github-actions/deploy-cloud-functions
        cloudflare/wrangler-action cloudflare/pages-action amondnet/vercel-action
        nwtgck/actions-netlify firebaseextended/action-hosting-deploy superfly/flyctl-actions
        akhileshns/heroku-deploy appleboy/ssh-action burnett01/rsync-deployments
        easingthemes/ssh-deploy
        """,
    "build": """
        docker/build-push-action docker/bake-action pypa/cibuildwheel pyo3/maturin-action
        redhat-actions/buildah-build actions/jekyll-build-pages gradle/gradle-build-action
        github/codeql-action/autobuild microsoft/setup-msbuild ko-build/ko withastro/action
        """,
}
"""Actions by what a workflow wants of them."""
_PURPOSE = {action: kind for kind, names in _PURPOSES.items() for action in names.split()}
_SCRIPTS = {
    "nick-fields/retry": "command",
    "nick-invision/retry": "command",
    "wandalen/wretry.action": "command",
    "reactivecircus/android-emulator-runner": "script",
    "appleboy/ssh-action": "script",
    "uraimo/run-on-arch-action": "run",
    "addnab/docker-run-action": "run",
    "coactions/setup-xvfb": "run",
    "vmactions/freebsd-vm": "run",
    "devcontainers/ci": "runCmd",
}
"""Actions whose input of this name is a script that a shell runs."""


def script_input(reference: str) -> str | None:
    """The input of an action that a shell runs, None for an action that has none."""
    return _SCRIPTS.get(reference.partition("@")[0].lower())


def purpose(step: Step) -> CommandKind | None:
    """What an action of others, or a workflow of theirs that is called, is used for."""
    action = _action(step)
    if "/.github/workflows/" in action:
        return commands.of_task(action.rpartition("/")[2].partition(".")[0])
    owned = "/".join(action.split("/")[:2])
    kind = _PURPOSE.get(action) or _PURPOSE.get(owned)
    return "publish" if kind == "build" and step.inputs.get("push") == "true" else kind


def caching(steps: Iterable[Step]) -> list[str]:
    """The actions that keep a cache, and what of: `actions/setup-node: npm`."""
    found = [told for step in steps if (told := _cache(step)) is not None]
    return distinct(found, _LIST_MAX)


def artifacts(steps: Iterable[Step]) -> list[str]:
    """The names of what is uploaded."""
    named = (
        step.inputs.get("name") or _UPLOADS[action]
        for step in steps
        if (action := _action(step)) in _UPLOADS
    )
    return distinct(list(named), _LIST_MAX)


def _action(step: Step) -> str:
    return (step.uses or "").partition("@")[0].lower()


def _cache(step: Step) -> str | None:
    action = _action(step)
    if not action or step.agents:
        return None
    if action in _ALWAYS:
        path = step.inputs.get("path", "").strip().split("\n")[0]
        return f"{action}: {path}" if path else action
    if action in _BY_DEFAULT:
        return None if step.inputs.get(_BY_DEFAULT[action]) == "false" else action
    return _switched(action, step.inputs)


def _switched(action: str, inputs: Mapping[str, str]) -> str | None:
    for switch in _SWITCHES:
        value = inputs.get(switch, "false")
        if value not in ("", "false"):
            return action if value == "true" else f"{action}: {value}"
    stores = [inputs[store] for store in _STORES if inputs.get(store)]
    return f"{action}: {stores[0].split(chr(10))[0]}" if stores else None
