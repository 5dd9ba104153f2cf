"""What commands of scripts are for: building, linting, testing, deploying, publishing, scanning.

A command is known by its program and first words; what a task runner such as make or npm starts,
by the words in the name of the task.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from stationmaster.agents.shell_programs import Options, base_name, operands
from stationmaster.pipelines.model import CommandKind, line
from stationmaster.pipelines.scripts import TEXT_MAX, started

_COMMANDS_MAX = 200
_WORDS_MAX = 12

_TASK_WORDS: dict[CommandKind, str] = {
    "publish": "publish release releases upload",
    "deploy": "deploy deployment provision rollout",
    "test": "test tests testing spec specs e2e unit integration coverage cover jest vitest"
    " pytest cypress playwright smoke bench benchmark conformance regression verify",
    "lint": "lint linter linters fmt format formatting style typecheck types tsc eslint clippy mypy"
    " ruff prettier checkstyle spotlesscheck detekt ktlintcheck rubocop vet biome",
    "scan": "scan audit security sast trivy sonar sonarqube codeql vulncheck",
    "build": "build compile package bundle dist assemble all jar wheel image images",
}
"""Words in the names of tasks and scripts. The first word of a name that is here decides."""

_RUNNERS = (
    "npm run", "npm run-script", "npm", "yarn run", "yarn", "pnpm run", "pnpm",
    "bun run", "bun", "deno task", "composer run", "composer run-script", "composer", "poe",
    "hatch run", "pdm run", "pixi run", "cargo xtask", "nx run", "nx run-many",
    "nx affected", "nx", "turbo run", "turbo", "lerna run", "moon run",
    "mise run", "rails", "dagger call", "rush",
)  # fmt: skip
"""Programs whose next word, options aside, is the name of a task."""
_MANY = frozenset(
    {"make", "gmake", "just", "task", "rake", "gradle", "gradlew", "mvn", "mvnw", "invoke", "inv"}
    | {"earthly", "mage", "ant", "sbt", "lein", "ninja", "bazel", "bazelisk", "meson"}
)
"""Programs that take the names of several tasks."""
_OPTIONS = Options(
    "CFwfejpT",
    frozenset(
        {"--prefix", "--filter", "--cwd", "--workspace", "--directory", "--file", "--project"}
        | {"--jobs", "--target", "--session", "--sessions", "--with", "--from", "--python"}
        | {"--extra", "--group", "--only-group", "--manifest-path", "--settings", "--env-file"}
    ),
)
"""Options of such programs that take the next word."""
_ENVIRONMENTS = {"tox": ("-e", "-m"), "nox": ("-s", "-e", "--session", "--sessions")}
"""Programs that test, unless an option names an environment for something else."""

_COMMANDS: dict[CommandKind, str] = {
    "test": """
        pytest; py.test; jest; vitest; mocha; ava; karma; cypress; cypress run; playwright test;
        go test; gotestsum; ginkgo; cargo test; cargo nextest; cargo bench; mvn test; mvn verify;
        mvnw test; mvnw verify; dotnet test; rspec; phpunit; pest; behave; robot; unittest; bats;
        ctest; swift test; xcodebuild test; flutter test; dart test; mix test; bazel test;
        bazelisk test; deno test; bun test; node --test; coverage run; stack test; cabal test;
        molecule test; helm test; ct install; buck2 test; zig build test; kubectl kuttl; k6 run;
        codecov; minitest; trunk check; meson test; elixir test; R CMD check; prove; sbt test;
        rails test; detox test; pants test; hatch test; testem; nyc; c8; newman run; locust
        """,
    "lint": """
        eslint; prettier; biome; stylelint; tslint; tsc --noEmit; standard; xo; oxlint; ruff;
        flake8; pylint; black; isort; mypy; pyright; pyre check; autopep8; pycodestyle; pydocstyle;
        vulture; ty check; golangci-lint; go vet; gofmt; gofumpt; goimports; staticcheck; revive;
        cargo fmt; cargo clippy; rustfmt; clippy-driver; rubocop; standardrb; reek; erblint; phpcs;
        phpstan; psalm; php-cs-fixer; pint; dotnet format; swiftlint; swiftformat; ktlint; detekt;
        scalafmt; scalafix; dart analyze; dart format; flutter analyze; mix format; mix credo;
        mix dialyzer; shellcheck; shfmt; hadolint; yamllint; actionlint; markdownlint;
        markdownlint-cli2; vale; codespell; typos; cspell; ansible-lint; tflint; terraform fmt;
        terraform validate; buf lint; helm lint; ct lint; clang-format; clang-tidy; cppcheck;
        cpplint; pre-commit run; prek run; commitlint; deno lint; deno fmt; sqlfluff lint; djlint;
        taplo; buildifier; cmake-format; mvn checkstyle:check; spectral lint; kubeconform; kubeval;
        cfn-lint; luacheck; stylua; nixfmt; alejandra; statix; deadnix; checkpatch.pl; zizmor;
        svelte-check; vue-tsc; lychee; tombi; editorconfig-checker; knip; publint; attw; dprint;
        reuse lint; haml-lint
        """,
    "scan": """
        trivy; grype; syft; snyk; semgrep; codeql; gitleaks; trufflehog; detect-secrets; bandit;
        gosec; pip-audit; safety; npm audit; pnpm audit; yarn audit; cargo audit; cargo deny;
        govulncheck; osv-scanner; dependency-check; brakeman; bundle-audit; bundler-audit;
        bundle audit; checkov; tfsec; terrascan; kics; sonar-scanner; fossa; scorecard;
        mvn sonar:sonar; nancy; zap-cli; dockle; cosign verify; composer audit; nuclei; clamscan;
        sobelow
        """,
    "publish": """
        npm publish; pnpm publish; yarn publish; yarn npm publish; lerna publish; bun publish;
        jsr publish; twine upload; poetry publish; uv publish; flit publish; hatch publish;
        pdm publish; cargo publish; cargo release; gem push; docker push; docker build --push;
        docker buildx build --push; podman push; buildah push; crane push; skopeo copy; oras push;
        helm push; goreleaser; mvn deploy; mvnw deploy; dotnet nuget push; nuget push;
        gh release create; gh release upload; glab release create; semantic-release;
        changeset publish; release-it; standard-version; vsce publish; ovsx publish; pod trunk push;
        flutter pub publish; dart pub publish; mix hex.publish; conda upload; anaconda upload;
        maturin publish; jreleaser; snapcraft upload; cosign sign; git push --tags; ko publish;
        ko build; charm publish; jf rt; fastlane; release-please; choco push
        """,
    "deploy": """
        kubectl apply; kubectl set; kubectl rollout; kubectl create; kustomize apply; helm upgrade;
        helm install; helmfile apply; helmfile sync; terraform apply; tofu apply; terragrunt apply;
        pulumi up; cdk deploy; sam deploy; serverless deploy; sls deploy; aws s3 sync; aws s3 cp;
        aws ecs update-service; aws deploy create-deployment; aws cloudformation deploy;
        aws lambda update-function-code; aws cloudfront create-invalidation; gcloud run deploy;
        gcloud app deploy; gcloud functions deploy; gcloud deploy releases;
        gcloud container clusters; az webapp deploy; az deployment; az containerapp update;
        az functionapp deployment; flyctl deploy; fly deploy; vercel; vercel deploy; netlify deploy;
        wrangler deploy; wrangler publish; wrangler pages; firebase deploy;
        heroku container:release; git push heroku; eb deploy; cf push; surge; ansible-playbook;
        skaffold run; skaffold deploy; argocd app; flux reconcile; nomad job; nomad run; railway up;
        kamal deploy; cap production; gh-pages; mkdocs gh-deploy; mike deploy; doctl apps; oc apply;
        oc rollout; werf converge; shopify theme; expo publish; eas submit; capistrano; deployer;
        dep deploy; gsutil rsync
        """,
    "build": """
        go build; go install; cargo build; cargo check; mvn package; mvn install; mvn compile; mvn;
        mvnw package; mvnw install; mvnw compile; mvnw; dotnet build; dotnet publish; dotnet pack;
        msbuild; xcodebuild; xcodebuild build; swift build; flutter build; dart compile;
        mix compile; mix release; bazel build; bazelisk build; buck2 build; pants package;
        cmake --build; cmake; meson compile; ninja; docker build; docker buildx;
        docker compose build; podman build; buildah bud; buildah build; kaniko; pack build;
        ko build; nix build; nix-build; tsc; webpack; rollup; vite build; esbuild; parcel build;
        next build; nuxt build; astro build; ng build; ember build; gatsby build; hugo;
        jekyll build; mkdocs build; sphinx-build; build; poetry build; uv build; hatch build;
        flit build; pdm build; maturin build; cibuildwheel; python setup.py; gem build;
        rails assets:precompile; composer install; stack build; cabal build; sbt compile;
        sbt package; gradle build; packer build; electron-builder; electron-forge make; tauri build;
        zig build; wasm-pack build; cross build; helm package; docusaurus build; vitepress build;
        deno compile; bun build; npm pack; pnpm pack; eas build; conda build; dpkg-buildpackage;
        rpmbuild
        """,
}  # fmt: skip
"""Beginnings of commands: a program, and what follows it."""

_WRAPPERS = (
    "npx", "bunx", "pnpx", "uvx", "pnpm exec", "pnpm dlx", "yarn dlx", "npm exec", "bun x",
    "pipx run", "uv run", "poetry run", "pipenv run", "rye run", "bundle exec", "mise exec",
    "mise x", "dotenv", "cross-env", "xcrun", "corepack", "uv tool run", "coverage run",
    "hatch run", "pdm run", "yarn", "pnpm", "python", "python3",
)  # fmt: skip
"""Beginnings behind which another program stands, which counts."""


class _Rule(NamedTuple):
    options: frozenset[str]
    verbs: tuple[str, ...]
    kind: CommandKind


class Line(NamedTuple):
    """A command of a script: its kind, its text on one line, and which line of the script it is,
    counted from 0."""

    kind: CommandKind
    text: str
    line: int


@lru_cache(maxsize=256)
def of_script(script: str) -> tuple[Line, ...]:
    """The first commands of a script that are for anything known, in its order."""
    return tuple(islice(_classified(script[:TEXT_MAX]), _COMMANDS_MAX))


def of_words(words: Sequence[str]) -> CommandKind | None:
    """What a command of these words is for; None for what is of no kind, such as `cd`."""
    if not words:
        return None
    program = base_name(words[0])
    rest = [word for word in words[1:_WORDS_MAX] if not _TOOLCHAIN.fullmatch(word)]
    if rest[:1] == ["workspace"]:
        rest = rest[2:]  # Of yarn: its name, and then a command as without it.
    if (kind := _by_rule(program, rest)) is not None:
        return kind
    if (file := _file(words[0], program, rest)) is not None:
        return of_task(file)
    inner = _wrapped(program, rest)
    # What a program is asked that has rules is told by them alone: installing a tool is no test.
    if inner and (base_name(inner[0]) in _RULES or program not in _RUN_BY):
        return of_words(inner)
    return _of_task(program, rest)


def _classified(script: str) -> Iterator[Line]:
    place = 0
    for command in started(script):
        # Commands come in the order of the script, so the next stands behind the last.
        found = script.find(command.words[0], place)
        place = max(place, found + 1)
        kind = of_words(command.words)
        if kind is not None:
            yield Line(kind, line(" ".join(command.words)), script.count("\n", 0, place))


def _by_rule(program: str, rest: Sequence[str]) -> CommandKind | None:
    rules = _RULES.get(program)
    if rules is None:
        return None
    verbs = list(operands(rest, _OPTIONS))
    for rule in rules:
        count = len(rule.verbs)
        is_called = tuple(verbs[:count]) == rule.verbs or (
            program in _MANY and count == 1 and rule.verbs[0] in verbs
        )
        if is_called and rule.options <= set(rest):
            return rule.kind
    return None


def _wrapped(program: str, rest: Sequence[str]) -> Sequence[str]:
    """The words of the command that this one starts, none where it starts no other."""
    for verbs in _WRAPPED.get(program, ()):
        if tuple(rest[: len(verbs)]) == verbs:
            inner = [word for word in rest[len(verbs) :] if not _ASSIGNED.match(word)]
            return _behind_options(inner)
    return ()


def _behind_options(words: Sequence[str]) -> Sequence[str]:
    first = next(operands(words, _OPTIONS), None)
    return () if first is None else words[words.index(first) :]


def _of_task(program: str, rest: Sequence[str]) -> CommandKind | None:
    if (options := _ENVIRONMENTS.get(program)) is not None:
        chosen = [value for option, value in pairwise(rest) if option in options]
        return of_task(chosen[0]) if chosen else "test"
    names = list(operands(rest, _OPTIONS))
    if program in _MANY:
        kinds = [kind for name in names if (kind := of_task(name, "test")) is not None]
        return next(iter(kinds), None if names else "build")
    for verbs in _RUN_BY.get(program, ()):
        if tuple(names[: len(verbs)]) == verbs:
            return of_task(next(iter(names[len(verbs) :]), ""))
    return None


def _file(word: str, program: str, rest: Sequence[str]) -> str | None:
    """The name of a script that a command runs, without its folder and ending."""
    if program in _INTERPRETERS:
        name = next((each for each in rest if not each.startswith("-")), "")
        is_script = _SCRIPT.search(name) is not None
    else:
        name = word
        is_script = "/" in word and program not in _KNOWN
    if not is_script:
        return None
    return name.rpartition("/")[2].partition(".")[0]


def of_task(name: str, check: CommandKind = "lint") -> CommandKind | None:
    """What a task of this name is for, such as `test:unit`, `lintDebug` or `+docker-image`.

    `check` is what a task called so is for: makefiles test with it, package scripts lint.
    """
    words = re.findall(r"[a-z0-9]+", _CAMEL.sub("-", name[:200]).lower())
    known = next((kind for word in words if (kind := _KINDS.get(word)) is not None), None)
    return check if known is None and _CHECKS & set(words) else known


def _chains(texts: Iterable[str]) -> dict[str, tuple[tuple[str, ...], ...]]:
    """By program the words that follow it, the longest first."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for text in texts:
        program, *verbs = text.split()
        found.setdefault(program, []).append(tuple(verbs))
    return {name: tuple(sorted(some, key=len, reverse=True)) for name, some in found.items()}


def _rules() -> dict[str, list[_Rule]]:
    found: dict[str, list[_Rule]] = {}
    for kind, text in _COMMANDS.items():
        for command in text.split(";"):
            program, *words = command.split()
            options = frozenset(word for word in words if word.startswith("-"))
            verbs = tuple(word for word in words if not word.startswith("-"))
            found.setdefault(base_name(program), []).append(_Rule(options, verbs, kind))
    for rules in found.values():
        rules.sort(key=lambda rule: -len(rule.verbs) - len(rule.options))
    return found


_CHECKS = frozenset({"check", "checks"})
_INTERPRETERS = frozenset(
    {"bash", "sh", "zsh", "python", "python3", "node", "ruby", "perl", "php", "tsx", "ts-node"}
    | {"pwsh", "powershell", "bun", "deno", "source", "."}
)
_SCRIPT = re.compile(r"\.(?:sh|bash|py|[cm]?[jt]s|rb|pl|php|ps1)$")
_TOOLCHAIN = re.compile(r"\+(?:stable|beta|nightly|\d)[\w.-]{0,40}")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=", re.ASCII)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_KINDS = {word: kind for kind, words in _TASK_WORDS.items() for word in words.split()}
_RULES = _rules()
_WRAPPED = _chains(_WRAPPERS)
_RUN_BY = _chains(_RUNNERS)
_KNOWN = frozenset({*_RULES, *_RUN_BY, *_MANY, *_WRAPPED, *_ENVIRONMENTS})
