from __future__ import annotations

import pytest

from stationmaster.readiness.hosting import Hosting
from stationmaster.repos.history import Commit, Tag
from tests.readiness.criteria.judging import LIBRARY, SERVICE, judged
from tests.support.trees import AS_OF, Content, facts_of

DAY = 86_400_000
CI = ".github/workflows/ci.yml"


def workflow(on: str, step: str, path: str = CI, **files: str) -> dict[str, Content]:
    jobs = f"on: {on}\njobs:\n  a:\n    runs-on: x\n    steps:\n      - {step}\n"
    return {**LIBRARY, path: jobs, **files}


def npm(rest: str = "", **files: str) -> dict[str, Content]:
    package = f'{{"name": "a", "version": "1.0.0", "main": "a.js"{rest}}}'
    return {"package.json": package, "a.js": "1\n", **files}


def python(requirements: str) -> dict[str, Content]:
    return {"app.py": "import b\n", "requirements.txt": requirements}


def two(root: str = "") -> dict[str, Content]:
    one = '{"name": "%s", "version": "1.0.0", "main": "i.js"}'
    contents: dict[str, Content] = {}
    for name in ("one", "two"):
        contents |= {f"packages/{name}/package.json": one % name, f"packages/{name}/i.js": "1\n"}
    return contents | ({"package.json": root} if root else {})


DEPENDS = ', "dependencies": {"b": "^1"}'
CASES: list[tuple[str, str, dict[str, Content], str]] = [
    ("build_cmd_doc", "in a block", {**LIBRARY, "README.md": "# a\n\n```sh\nmake all\n```\n"},
     "pass"),
    ("build_cmd_doc", "that installs what it needs",
     npm(**{"CONTRIBUTING.md": "```\n$ npm ci\n```\n"}), "pass"),
    ("build_cmd_doc", "that installs the product",
     npm(**{"README.md": "```sh\nnpm install a\npip install a\n```\n"}), "fail"),
    ("build_cmd_doc", "in the change log", {**LIBRARY, "CHANGELOG.md": "```\nmake\n```\n"}, "fail"),
    ("build_cmd_doc", "in reStructuredText",
     {**LIBRARY, "docs/contributing.rst": "Hello::\n\n    $ make all\n"}, "pass"),
    ("deps_pinned", "by a lock", npm(DEPENDS, **{"package-lock.json": "{}"}), "pass"),
    ("deps_pinned", "by a lock that is ignored",
     npm(DEPENDS, **{"package-lock.json": "{}", ".gitignore": "package-lock.json\n"}), "fail"),
    ("deps_pinned", "without a lock", npm(DEPENDS), "fail"),
    ("deps_pinned", "of nothing", npm(), "skipped"),
    ("deps_pinned", "by a lock of the documents alone",
     npm(DEPENDS, **{"docs/package-lock.json": "{}"}), "fail"),
    ("deps_pinned", "by exact requirements", python("b==1.0  # why\nc==2.0; python_version>'3'\n"),
     "pass"),
    ("deps_pinned", "by requirements of which one is loose", python("b==1.0\nc>=2\n"), "fail"),
    ("deps_pinned", "by exact versions of Maven", {
        "pom.xml": "<project><groupId>g</groupId><artifactId>a</artifactId><dependencies>"
        "<dependency><groupId>x</groupId><artifactId>y</artifactId><version>1.0</version>"
        "</dependency></dependencies></project>", "src/main/java/A.java": "class A {}\n"}, "pass"),
    ("deps_pinned", "by a range of Maven", {
        "pom.xml": "<project><groupId>g</groupId><artifactId>a</artifactId><dependencies>"
        "<dependency><groupId>x</groupId><artifactId>y</artifactId><version>[1,2)</version>"
        "</dependency></dependencies></project>", "src/main/java/A.java": "class A {}\n"}, "fail"),
    ("ci_config", "with tests", workflow("pull_request", "run: pytest"), "pass"),
    ("ci_config", "by hand alone", workflow("workflow_dispatch", "run: pytest"), "fail"),
    ("ci_config", "with a bot alone", workflow("pull_request", "uses: actions/labeler@v5"), "fail"),
    ("ci_config", "of a closed service",
     {".cirrus.yml": "task: {container: {image: a}, b_script: make test}\n",
      ".packit.yaml": "jobs: [{job: copr_build, trigger: pull_request}]\n"}, "fail"),
    ("ci_config", "with a script of its own",
     workflow("push", "run: ./ci/all.sh", **{"ci/all.sh": "#!/bin/sh\npytest\n"}), "pass"),
    ("ci_config", "behind an unknown runner",
     workflow("push", "run: composer exec phpunit -- -v"), "pass"),
    ("automated_pr_review", "by a bot's file", {**LIBRARY, ".coderabbit.yaml": "{}"}, "pass"),
    ("automated_pr_review", "by labels",
     workflow("pull_request", "uses: actions/labeler@v5"), "not_evaluated"),
    ("monorepo_tooling", "of one application", LIBRARY, "skipped"),
    ("monorepo_tooling", "declared",
     two('{"private": true, "workspaces": ["packages/*"]}'), "pass"),
    ("monorepo_tooling", "missing", two(), "fail"),
    ("runtime_version_pinned", "by a file", {**npm(), ".nvmrc": "22\n"}, "pass"),
    ("runtime_version_pinned", "by another language's file", {**npm(), ".ruby-version": "3.4\n"},
     "fail"),
    ("runtime_version_pinned", "by a tool that is not the language",
     {**npm(), ".tool-versions": "python 3.13\n"}, "fail"),
    ("single_command_setup", "as a script", {**LIBRARY, "bin/setup": "#!/bin/sh\n"}, "pass"),
    ("single_command_setup", "as a short block",
     npm(**{"README.md": "```sh\ngit clone x\ncd a\nnpm install\nnpm start\n```\n"}), "pass"),
    ("single_command_setup", "as a long way",
     {**LIBRARY, "README.md": "```sh\na\nb\nc\nd\npip install -e .\n```\n"}, "fail"),
    ("release_automation", "by a tag",
     workflow("{push: {tags: ['v*']}}", "run: twine upload dist/*"), "pass"),
    ("release_automation", "that is rehearsed",
     workflow("push", "run: npm publish --dry-run"), "fail"),
    ("release_automation", "of documents alone",
     workflow("push", "run: mkdocs gh-deploy", ".github/workflows/docs.yml"), "fail"),
    ("release_automation", "by an action",
     workflow("release", "uses: pypa/gh-action-pypi-publish@v1"), "pass"),
    ("release_automation", "without a pipeline", {**LIBRARY, ".goreleaser.yml": "{}"}, "fail"),
    ("release_notes_automation", "by the forge",
     workflow("push", "run: gh release create v1 --generate-notes"), "pass"),
    ("release_notes_automation", "that are empty",
     workflow("push", "run: gh release create v1 --draft"), "fail"),
    ("release_notes_automation", "by hand", {**LIBRARY, "CHANGELOG.md": "# 1.0\n"}, "fail"),
    ("version_drift_detection", "of one application", LIBRARY, "skipped"),
    ("version_drift_detection", "by a catalog",
     {**two('{"private": true}'),
      "pnpm-workspace.yaml": "packages: [packages/*]\ncatalog: {b: 1.0.0}\n"}, "pass"),
    ("version_drift_detection", "by nothing",
     two('{"private": true, "workspaces": ["packages/*"]}'), "fail"),
    ("agentic_development", "by a command of agents",
     {**LIBRARY, ".claude/commands/release.md": "Release."}, "pass"),
    ("agentic_development", "by nobody", LIBRARY, "fail"),
    ("agentic_development", "where agents must stay out",
     {**LIBRARY, ".claude/commands/a.md": "x", "AI_POLICY.md": "AI agents are forbidden."
      " We do not accept contributions made by autonomous AI agents.\n"}, "skipped"),
    ("build_performance_tracking", "by a cache",
     workflow("push", "{uses: actions/setup-node@v4, with: {cache: npm}}"), "pass"),
    ("build_performance_tracking", "by a cache in the weekly pipeline",
     {**workflow("push", "run: pytest"), ".github/workflows/week.yml":
      "on: {schedule: [{cron: '1 1 * * 1'}]}\njobs: {a: {runs-on: x, steps: "
      "[{uses: actions/cache@v4}]}}\n"}, "fail"),
    ("build_performance_tracking", "without a pipeline", LIBRARY, "skipped"),
    ("fast_ci_feedback", "without a pipeline", LIBRARY, "skipped"),
    ("fast_ci_feedback", "as far as files tell", workflow("push", "run: pytest"), "not_evaluated"),
    ("progressive_rollout", "of a library", LIBRARY, "skipped"),
    ("progressive_rollout", "by Argo",
     {**SERVICE, "k8s/a.yaml": "kind: Rollout\nspec: {}\n"}, "pass"),
    ("progressive_rollout", "by the default of Kubernetes",
     {**SERVICE, "k8s/kustomization.yaml": "{}\n",
      "k8s/a.yaml": "spec:\n  strategy:\n    type: RollingUpdate\n"}, "fail"),
    ("rollback_automation", "by Helm", {**SERVICE, "Makefile": "back:\n\thelm rollback a\n"},
     "pass"),
    ("rollback_automation", "of the database alone",
     {**SERVICE, "Procfile": "web: x\n", "Makefile": "rollback:\n\tknex migrate:rollback\n"},
     "fail"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "case", "contents", "state"), CASES, ids=[f"{case[0]} {case[1]}" for case in CASES]
)
def test_build(name: str, case: str, contents: dict[str, Content], state: str) -> None:
    evaluation = judged(name, facts_of(contents))

    assert evaluation.state == state, evaluation.rationale


def test_a_release_that_only_people_start_passes_weakly() -> None:
    evaluation = judged(
        "release_automation", facts_of(workflow("workflow_dispatch", "run: npm publish"))
    )

    assert evaluation.state == "pass"
    assert evaluation.rationale.startswith("Weak: ")


@pytest.mark.parametrize(
    ("author", "message", "state"),
    [
        ("Ada", "Fix\n\nCo-authored-by: Claude <noreply@anthropic.com>", "pass"),
        ("Ada", "Fix\n\nCo-Authored-By: Copilot <1+Copilot@users.noreply.github.com>", "pass"),
        ("copilot-swe-agent[bot]", "Fix", "pass"),
        ("Claude Monet", "Fix\n\nCo-authored-by: Claude Debussy <c@example.com>", "fail"),
        ("dependabot[bot]", "Bump a\n\nCo-authored-by: dependabot[bot] <1+dependabot[bot]@users"
         ".noreply.github.com>", "fail"),
    ],
)  # fmt: skip
def test_commits_of_agents_are_known_by_author_or_trailer(
    author: str, message: str, state: str
) -> None:
    commit = Commit("a" * 40, author, "example.com", AS_OF, message, ())

    assert judged("agentic_development", facts_of(LIBRARY, commits=[commit])).state == state


@pytest.mark.parametrize(
    ("hosting", "state"),
    [(Hosting(ci_seconds_median=540.0), "pass"), (Hosting(ci_seconds_median=601.0), "fail"),
     (Hosting(), "not_evaluated")],
)  # fmt: skip
def test_ten_minutes_are_the_limit_of_a_pipeline(hosting: Hosting, state: str) -> None:
    facts = facts_of(workflow("push", "run: pytest"), hosting=hosting)

    assert judged("fast_ci_feedback", facts).state == state


@pytest.mark.parametrize(
    ("contents", "days", "hosting", "state"),
    [
        (LIBRARY, [80], None, "pass"),
        (LIBRARY, [100], None, "fail"),
        (LIBRARY, [], None, "not_evaluated"),
        (LIBRARY, [], Hosting(releases_at=(), deployments_at=()), "skipped"),
        (LIBRARY, [], Hosting(releases_at=(AS_OF - DAY,)), "pass"),
        (SERVICE, [7 * week + 1 for week in range(12)], None, "pass"),
        (SERVICE, [1, 30], None, "not_evaluated"),
        (SERVICE, [1, 30], Hosting(deployments_at=(AS_OF,)), "fail"),
    ],
)
def test_services_are_deployed_every_week_and_others_every_ninety_days(
    contents: dict[str, Content], days: list[int], hosting: Hosting | None, state: str
) -> None:
    tags = [Tag(f"v{day}", AS_OF - day * DAY) for day in days]

    evaluation = judged("deployment_frequency", facts_of(contents, tags=tags, hosting=hosting))

    assert evaluation.state == state, evaluation.rationale


def test_a_bot_that_the_forge_saw_reviews() -> None:
    facts = facts_of(LIBRARY, hosting=Hosting(review_bots=("copilot",)))

    assert judged("automated_pr_review", facts).state == "pass"
